"""Reports of The Singularity Trap on a small phone: how long they are, and where their parts begin."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from pbem.archive.record import setup_dice, turn_dice
from pbem.report.facts import ReportFacts, SheetUsed
from pbem.report.renderer import Renderer
from pbem.ruleset import Dice, Event, Order, TurnInput, View
from pbem.testing.play import SEED, default_options, mail_view, number_lines, standard
from pbem_rules.singularity_trap import RULESET
from tests.browser.looking import SCHEMES, Scheme, faults, shown, too_wide
from tests.browser.test_reports import TEMPLATES

SEATS = ("red", "yellow", "green", "cyan")
SCREEN = 640
"""Pixels of height of a small phone, which is 360 wide."""

LARGEST = 60_000


class Phone(NamedTuple):
    """A report as a phone shows it: its HTML, its pictures by their Content-ID, and its view."""

    html: str
    pictures: dict[str, bytes]
    view: View


LATE = [
    (b"five", 10, "red", 11),
    (b"s003", 15, "red", 11),
    (b"s022", 15, "cyan", 11),
    (b"s014", 15, "red", 12),
    (b"s027", 21, "red", 25),
    (b"s012", 22, "red", 38),
]
"""Seeds, turns, seats and ships of late games: up to five fights, and the largest fleet of 400 games of bots."""


def _played(turns: int, seed: bytes, reader: str) -> tuple[View, tuple[Order, ...]]:
    """Return a seat's view after so many turns of four bots, and its orders in the last."""
    state = RULESET.setup(default_options(RULESET), SEATS, setup_dice(seed))
    events: tuple[Event, ...] = ()
    views: dict[str, View] = {}
    orders: dict[str, tuple[Order, ...]] = {reader: ()}
    for turn in range(turns + 1):
        views = {seat: mail_view(RULESET, state, seat, events, last=views.get(seat)) for seat in SEATS}
        if turn < turns:
            dice = Dice(b"players").within(0, turn)
            sheets = {seat: standard(RULESET, views[seat], dice.within(seat)) for seat in SEATS}
            orders = {seat: RULESET.parse(views[seat], number_lines(sheets[seat])).orders for seat in SEATS}
            state, events = RULESET.resolve(state, TurnInput(orders), turn_dice(seed, turn + 1))
    return views[reader], orders[reader]


def played_report(turns: int, seed: bytes = SEED, reader: str = "red") -> Phone:
    """Return the report of a seat after so many turns of four bots."""
    view, orders = _played(turns, seed, reader)
    facts = ReportFacts(
        campaign="trap7",
        seat=reader,
        seats=SEATS,
        deadline=dt.datetime(2027, 1, 22, 19, tzinfo=dt.UTC),
        zone="Europe/Berlin",
        code="ex6w45crxiqoo5on",
        address="orders@example.org",
        used=SheetUsed(2, "ef" * 32) if turns else None,
        first=not turns,
        seal="ab" * 32,
        record="cd" * 32 if turns else "",
        gm="gm@example.org",
        site="https://club.example.org/pbem/trap7/",
    )
    with Renderer([TEMPLATES], {RULESET.key: RULESET}) as reporter:
        made = reporter.report(RULESET, view, facts, orders)
    pictures = {facts.content_id(each.name): each.png for each in made.pictures if each.png is not None}
    return Phone(made.html, pictures, view)


@pytest.fixture(scope="module")
def middle() -> Phone:
    """Return the report of a turn with two fights, of a player with seven ships."""
    made = played_report(9, b"five" * 8)
    fights = {event["space"] for event in made.view["events"] if event["kind"] == "combat"}
    assert (len(made.view["ships"]), len(fights)) == (7, 2)
    return made


@pytest.fixture(scope="module")
def first() -> Phone:
    """Return the first report of a campaign."""
    return played_report(0)


def _bottom(page: Page, selector: str) -> float:
    """Return how many screens down an element ends."""
    return float(page.evaluate("one => document.querySelector(one).getBoundingClientRect().bottom", selector)) / SCREEN


def _headings(page: Page) -> dict[str, float]:
    """Return how many screens down each part of a report begins."""
    tops = "[...document.querySelectorAll('h2')].map(each => [each.innerText, each.getBoundingClientRect().top])"
    return {title: top / SCREEN for title, top in page.evaluate(tops)}


def _screens(page: Page) -> float:
    return float(page.evaluate("document.documentElement.scrollHeight")) / SCREEN


def test_a_report_in_mid_game_is_five_screens(browser: Browser, middle: Phone) -> None:
    """With seven ships and two fights a report ends within five screens of a small phone."""
    with shown(browser, middle.html, middle.pictures, 360, "light") as page:
        assert _screens(page) <= 5


@pytest.mark.parametrize(("seed", "turns", "seat", "ships"), LATE)
def test_a_late_report_is_five_screens(browser: Browser, seed: bytes, turns: int, seat: str, ships: int) -> None:
    """With nine ships and more it still ends within five screens, and can be read there."""
    late = played_report(turns, seed * 8, seat)
    assert len(late.view["ships"]) == ships

    with shown(browser, late.html, late.pictures, 360, "light") as page:
        assert _screens(page) <= 5
        assert too_wide(page) == []


def test_what_happened_begins_on_the_first_screens(browser: Browser, middle: Phone) -> None:
    """The button is on the first screen, what happened begins on the second at the latest, and the map behind it."""
    with shown(browser, middle.html, middle.pictures, 360, "light") as page:
        parts = _headings(page)
        assert _bottom(page, "td.b") <= 1
        assert parts["What happened"] <= 1.5
        assert parts["What happened"] < parts["Map"] < parts["What came of your orders"]
        assert "Every die" not in parts


def test_a_first_report_with_all_that_hardly_changes_is_five_screens(browser: Browser, first: Phone) -> None:
    """All planets, ship types, costs and what wins are in it."""
    with shown(browser, first.html, first.pictures, 360, "light") as page:
        assert _screens(page) <= 5
        assert _bottom(page, "td.b") <= 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_reports_can_be_read_on_a_phone(browser: Browser, middle: Phone, first: Phone, scheme: Scheme) -> None:
    """Nothing is wider than a small phone, and axe-core has no finding, in light and in dark."""
    for report in (middle, first):
        with shown(browser, report.html, report.pictures, 360, scheme) as page:
            assert too_wide(page) == []
            assert list(faults(page)) == []


def test_reports_are_small(middle: Phone, first: Phone) -> None:
    """The HTML is short of what Gmail clips by far, and one picture at most stands in it."""
    for report in (middle, first):
        assert len(report.html.encode()) <= LARGEST
        assert report.html.count("<img") == 1


def test_the_picture_of_a_report_says_what_it_shows(browser: Browser, middle: Phone) -> None:
    """With pictures blocked its text names the places of planets, ships and fights."""
    with shown(browser, middle.html, {}, 360, "light") as page:
        said: Iterator[str] = iter(page.evaluate("[...document.images].map(each => each.alt)"))
        assert next(said) == (
            "The part around K8: your planets at G10-3, J7+3, M10+3, M4+0 and M7-3; your ships at G10-3, J7+3 and M7-3."
        )
