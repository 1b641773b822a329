"""Reports of Bubble Singularity and The Umpire's Pen on a small phone: their length, and where their parts begin."""

from __future__ import annotations

import datetime as dt
import email
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page

from pbem.archive.record import setup_dice, turn_dice
from pbem.cli import main
from pbem.report.facts import ReportFacts, SheetUsed
from pbem.report.renderer import Renderer
from pbem.ruleset import Dice, Order, TurnInput, View
from pbem.testing.play import SEED, default_options, mail_view, number_lines, standard
from pbem_rules.bubble_singularity import RULESET as BUBBLE
from pbem_rules.bubble_singularity.state import SEATS
from tests.browser.looking import SCHEMES, Scheme, faults, shown, too_wide
from tests.browser.test_reports import TEMPLATES
from tests.toy.home import is_report

SCREEN = 640
"""Pixels of height of a small phone, which is 360 wide."""

Shown = tuple[str, dict[str, bytes]]
"""The HTML of a report, and its pictures by their Content-ID."""


def _round_four() -> Iterator[tuple[View, tuple[Order, ...]]]:
    """Yield the views of four bots in round 4, after each move, with the orders of the player whose move it was."""
    state = BUBBLE.setup(default_options(BUBBLE), SEATS, setup_dice(SEED))
    views = {seat: mail_view(BUBBLE, state, seat, ()) for seat in SEATS}
    for turn in range(17):
        awaited = sorted(BUBBLE.standing(state).awaiting)
        lines = {seat: standard(BUBBLE, views[seat], Dice(b"players").within(turn, seat)) for seat in awaited}
        orders = {seat: BUBBLE.parse(views[seat], number_lines(lines[seat])).orders for seat in awaited}
        state, events = BUBBLE.resolve(state, TurnInput(orders), turn_dice(SEED, turn + 1))
        views = {seat: mail_view(BUBBLE, state, seat, events, last=views[seat]) for seat in SEATS}
        yield from ((view, orders.get(seat, ())) for seat, view in views.items() if view["round"] == 4)


def _facts(view: View, orders: tuple[Order, ...]) -> ReportFacts:
    return ReportFacts(
        campaign="bub1",
        seat=view["seat"],
        seats=SEATS,
        deadline=dt.datetime(2027, 1, 22, 19, tzinfo=dt.UTC),
        zone="Europe/Berlin",
        code="ex6w45crxiqoo5on",
        address="orders@example.org",
        used=SheetUsed(1, "ef" * 32) if orders else None,
        record="cd" * 32,
        gm="gm@example.org",
        site="https://club.example.org/pbem/bub1/",
    )


@pytest.fixture(scope="module")
def bubble() -> list[Shown]:
    """Return the reports of round 4 of a table of four, of moves with four pops at most."""
    found = []
    with Renderer([TEMPLATES], {BUBBLE.key: BUBBLE}) as reporter:
        for view, orders in _round_four():
            if sum(event["kind"] == "popped" for event in view["events"]) > 4:
                continue
            facts = _facts(view, orders)
            made = reporter.report(BUBBLE, view, facts, orders)
            found.append((made.html, {facts.content_id(each.name): each.png or b"" for each in made.pictures}))
    assert len(found) >= 3 * len(SEATS)
    return found


@pytest.fixture(scope="module")
def pen(tmp_path_factory: pytest.TempPathFactory) -> list[Shown]:
    """Return the reports of the fifth night of the story that `pbem demo` plays, of heron first."""
    home = tmp_path_factory.mktemp("pen") / "demo"
    done = CliRunner().invoke(main, ["demo", str(home), "--game", "gm_adjudicated"])
    assert done.exit_code == 0, done.output
    mails = [_parsed(path) for path in (home / "post" / "sent" / "new").iterdir()]
    nights = [mail for mail in mails if "the fifth night" in mail["Subject"] and is_report(mail)]
    assert len(nights) == 4
    return [_shown(mail) for mail in sorted(nights, key=lambda mail: not mail["To"].startswith("heron"))]


def _parsed(path: Path) -> EmailMessage:
    parsed = email.message_from_bytes(path.read_bytes(), policy=policy.default)
    assert isinstance(parsed, EmailMessage)
    return parsed


def _shown(mail: EmailMessage) -> Shown:
    html = mail.get_body(("html",))
    assert html is not None
    pictures = {part["Content-ID"].strip("<>"): part.get_content() for part in mail.walk() if part["Content-ID"]}
    return html.get_content(), pictures


def _screens(page: Page) -> float:
    return float(page.evaluate("document.documentElement.scrollHeight")) / SCREEN


def _top(page: Page, words: str) -> float:
    """Return how many screens down a heading begins."""
    find = "words => [...document.querySelectorAll('h2')].find(each => each.innerText === words)"
    return float(page.evaluate(f"words => ({find})(words).getBoundingClientRect().top", words)) / SCREEN


def _button(page: Page) -> float:
    """Return how many screens down the first button ends, 0 if there is none."""
    find = "(document.querySelector('td.b') || document.head).getBoundingClientRect().bottom"
    return float(page.evaluate(find)) / SCREEN


def _check(browser: Browser, reports: list[Shown], most: float) -> None:
    """Assert that reports are no longer than `most` screens, and begin with what matters."""
    for html, pictures in reports:
        with shown(browser, html, pictures, 360, "light") as page:
            assert _screens(page) <= most
            assert _button(page) <= 1
            assert _top(page, "What happened") <= 1.5
            assert too_wide(page) == []


def test_a_report_of_bubble_singularity_is_four_screens(browser: Browser, bubble: list[Shown]) -> None:
    """In round 4, with or without orders of one's own, a report ends within four screens of a small phone."""
    _check(browser, bubble, 4)


def test_a_report_of_the_umpires_pen_is_three_screens_and_a_half(browser: Browser, pen: list[Shown]) -> None:
    """With a map, a file, a ledger and scores it ends within that, and later if the GM wrote more."""
    _check(browser, pen[:1], 3.5)
    _check(browser, pen[1:], 4)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_both_are_accessible_without_pictures(
    browser: Browser, bubble: list[Shown], pen: list[Shown], scheme: Scheme
) -> None:
    """With pictures blocked axe-core finds no fault either, in light and in dark."""
    for html, _ in (bubble[0], bubble[-1], pen[0]):
        with shown(browser, html, {}, 360, scheme) as page:
            assert faults(page) == []
