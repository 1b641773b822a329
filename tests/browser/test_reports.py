"""Reports of every game, early, middle and late, as mail programs show them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser

from pbem.games import rulebook
from pbem.report.answers import RulebookPage
from pbem.report.facts import (
    Correction,
    DiceDisclosure,
    DiceWord,
    OrderOutcome,
    PressSection,
    QuotedText,
    RenderedReport,
    ReportFacts,
    SheetUsed,
)
from pbem.report.markdown import as_html, as_text
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset, SeatName, View
from pbem.testing.play import mail_view, standard_game
from pbem_rules import harvester
from tests.browser.looking import SCHEMES, WIDTHS, Scheme, faults, shown, too_wide
from tests.games import RULESETS
from tests.rules.harvester.table import empire

TEMPLATES = Path(__file__).parents[2] / "templates"

LARGEST = 100_000
"""Bytes; Gmail cuts what is longer than 102 kB."""

LONG = "word " * 30 + "https://example.org/" + "a" * 200
SAID = PressSection(
    gm_texts=("The storm goes on.", LONG),
    looks=("Your GM looked at real dice of turn 2: " + LONG,),
    news=(QuotedText(by="red", text="| a | table |\n| of | columns |"),),
    press=(QuotedText(by="", text=LONG, to=("red", "blue")),),
    diaries=(QuotedText(by="blue", text="I lied.", label="turn 3"),),
)
DICE = DiceDisclosure(words=(DiceWord("red", "w" * 40, own=True),), digest="0f" * 32, seats=2)
CORRECTION = Correction(edition=2, differences=(f"- {LONG}", "+ 12 planets"), sheet="dropped")


class Mailed(NamedTuple):
    """A report and its pictures by their Content-ID."""

    parts: RenderedReport
    pictures: dict[str, bytes]


@pytest.fixture(scope="module", params=RULESETS, ids=lambda ruleset: ruleset.key)
def reports(request: pytest.FixtureRequest) -> list[Mailed]:
    """Return a game's first report, one of the middle, the longest and the last."""
    return list(_reports(request.param))


def _reports(ruleset: AnyRuleset) -> Iterator[Mailed]:
    game = standard_game(ruleset)
    views = [view for view in game.views() if view["seat"] == game.seats[0]]
    longest = max(game.views(), key=lambda view: len(str(view)))
    with Renderer([TEMPLATES], {ruleset.key: ruleset}) as reporter:
        for view in (views[0], views[len(views) // 2], longest, views[-1]):
            yield _mailed(reporter, ruleset, view, _facts(view, game.seats, first=view is views[0]))


def _facts(view: View, seats: tuple[SeatName, ...], *, first: bool) -> ReportFacts:
    """Return all facts around a view, the first one of a game or a later one that is corrected."""
    return ReportFacts(
        campaign="trap7",
        seat=view["seat"],
        seats=seats,
        deadline=dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC),
        closes=dt.datetime(2026, 11, 28, 7, tzinfo=dt.UTC),
        zone="America/Argentina/ComodRivadavia",
        code="k3v7mq2xw5n4tzpa",
        address="orders@example.org",
        used=None if first else SheetUsed(3, "ef" * 32),
        ordered=() if first else (OrderOutcome("move " + "here and there " * 20, LONG), OrderOutcome("rest")),
        seal="ab" * 32,
        seed="ba" * 32 if view["over"] else "",
        dice=DICE if first or view["over"] else None,
        first=first,
        record="cd" * 32,
        words=SAID,
        correction=None if first else CORRECTION,
    )


def _mailed(reporter: Renderer, ruleset: AnyRuleset, view: View, facts: ReportFacts) -> Mailed:
    parts = reporter.report(ruleset, view, facts)
    return Mailed(parts, {facts.content_id(each.name): each.png for each in parts.pictures if each.png is not None})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_report_needs_no_scrolling_sideways(browser: Browser, reports: list[Mailed], width: int) -> None:
    """Everything of a report fits the width, from a small phone on."""
    for parts, pictures in reports:
        with shown(browser, parts.html, pictures, width, "light") as page:
            assert too_wide(page) == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_report_is_accessible(browser: Browser, reports: list[Mailed], scheme: Scheme) -> None:
    """axe-core has no findings on contrast, headings, tables and alternative texts, in light and in dark."""
    for parts, pictures in reports:
        with shown(browser, parts.html, pictures, 390, scheme) as page:
            assert faults(page) == []


def test_no_report_is_cut(reports: list[Mailed]) -> None:
    """Gmail cuts the HTML of a mail at 102 kB."""
    assert [len(parts.html.encode()) for parts, _ in reports if len(parts.html.encode()) > LARGEST] == []


def test_a_ruler_of_forty_reads_on_a_phone(browser: Browser) -> None:
    """The longest report there is, of a game of a thousand, fits like any other."""
    view = mail_view(harvester.RULESET, empire(), "seat1", ())
    with Renderer([TEMPLATES], {harvester.RULESET.key: harvester.RULESET}) as reporter:
        report = _mailed(reporter, harvester.RULESET, view, _facts(view, ("seat1", "seat2"), first=False))

    assert len(report.parts.html.encode()) <= LARGEST
    for width in WIDTHS:
        with shown(browser, report.parts.html, report.pictures, width, "light") as page:
            assert too_wide(page) == []
    for scheme in SCHEMES:
        with shown(browser, report.parts.html, report.pictures, 390, scheme) as page:
            assert faults(page) == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
def test_a_rulebook_can_be_read_on_a_phone(browser: Browser, ruleset: AnyRuleset) -> None:
    """A rulebook fits a phone, and axe-core has no findings in it."""
    source = rulebook(ruleset)
    with Renderer([TEMPLATES], pictures=False) as reporter:
        page = RulebookPage(game=ruleset.title, about="the rulebook", text=as_text(source), html=as_html(source, top=2))
        html = reporter.write(page).html

    for scheme in SCHEMES:
        with shown(browser, html, {}, 360, scheme) as opened:
            assert too_wide(opened) == []
            assert faults(opened) == []
