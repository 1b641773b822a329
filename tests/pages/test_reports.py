"""Reports of every game, early, middle and late, as mail programs show them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser

from pbem.report import Reporter, ReportFacts, ReportParts
from pbem.report.facts import Correction, DiceTold, DiceWord, Said, SheetUsed, Words
from pbem.report.markdown import as_html, as_text
from pbem.report.pages import RulebookPage
from pbem.rulebook import rulebook
from pbem.ruleset import AnyRuleset
from pbem.ruleset.testing.play import games
from tests.games import RULESETS
from tests.pages.looking import SCHEMES, WIDTHS, Scheme, faults, shown, too_wide

TEMPLATES = Path(__file__).parents[2] / "templates"

LARGEST = 100_000
"""Bytes; Gmail cuts what is longer than 102 kB."""

LONG = "word " * 30 + "https://example.org/" + "a" * 200
SAID = Words(
    gm_texts=("The storm goes on.", LONG),
    looks=("Your GM looked at real dice of turn 2: " + LONG,),
    news=(Said(by="red", text="| a | table |\n| of | columns |"),),
    press=(Said(by="", text=LONG, to=("red", "blue")),),
    diaries=(Said(by="blue", text="I lied.", label="turn 3"),),
)
DICE = DiceTold(words=(DiceWord("red", "w" * 40, own=True),), digest="0f" * 32, seats=2)
CORRECTION = Correction(edition=2, differences=(f"- {LONG}", "+ 12 planets"), sheet="dropped")


class Mailed(NamedTuple):
    """A report and its pictures by their Content-ID."""

    parts: ReportParts
    pictures: dict[str, bytes]


@pytest.fixture(scope="module", params=RULESETS, ids=lambda ruleset: ruleset.key)
def reports(request: pytest.FixtureRequest) -> list[Mailed]:
    """Of a game its first report, one of the middle, the longest and the last."""
    return list(_reports(request.param))


def _reports(ruleset: AnyRuleset) -> Iterator[Mailed]:
    game = games(ruleset)[0]
    views = [view for view in game.views() if view["seat"] == game.seats[0]]
    longest = max(game.views(), key=lambda view: len(str(view)))
    with Reporter([TEMPLATES], {ruleset.key: ruleset}) as reporter:
        for view in (views[0], views[len(views) // 2], longest, views[-1]):
            facts = ReportFacts(
                campaign="trap7",
                seat=view["seat"],
                seats=game.seats,
                deadline=dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC),
                closes=dt.datetime(2026, 11, 28, 7, tzinfo=dt.UTC),
                zone="America/Argentina/ComodRivadavia",
                code="k3v7mq2xw5n4tzpa",
                address="orders@example.org",
                used=None if view is views[0] else SheetUsed(3, "ef" * 32),
                ordered=() if view is views[0] else ("move " + "here and there " * 20, "rest"),
                seal="ab" * 32,
                seed="ba" * 32 if view["over"] else "",
                dice=DICE if view is views[0] or view["over"] else None,
                first=view is views[0],
                record="cd" * 32,
                words=SAID,
                correction=None if view is views[0] else CORRECTION,
            )
            parts = reporter.report(ruleset, view, facts)
            yield Mailed(parts, {facts.content_id(name): png for name, _, png in parts.pictures if png is not None})


@pytest.mark.parametrize("width", WIDTHS)
def test_nobody_has_to_scroll_sideways(browser: Browser, reports: list[Mailed], width: int) -> None:
    """Everything of a report fits the width there is, from a small phone on."""
    for parts, pictures in reports:
        with shown(browser, parts.html, pictures, width, "light") as page:
            assert too_wide(page) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_everybody_can_read_a_report(browser: Browser, reports: list[Mailed], scheme: Scheme) -> None:
    """Contrast, headings, tables, alternative texts: axe-core finds nothing, in light and in dark."""
    for parts, pictures in reports:
        with shown(browser, parts.html, pictures, 390, scheme) as page:
            assert faults(page) == []


def test_no_report_is_cut(reports: list[Mailed]) -> None:
    """Gmail cuts the HTML of a mail at 102 kB."""
    assert [len(parts.html.encode()) for parts, _ in reports if len(parts.html.encode()) > LARGEST] == []


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
def test_a_rulebook_can_be_read_on_a_phone(browser: Browser, ruleset: AnyRuleset) -> None:
    """The one other mail that has HTML: it fits a phone, and axe-core finds nothing in it."""
    source = rulebook(ruleset)
    with Reporter([TEMPLATES], pictures=False) as reporter:
        page = RulebookPage(game=ruleset.title, about="the rulebook", text=as_text(source), html=as_html(source))
        html = reporter.write_html(page)

    for scheme in SCHEMES:
        with shown(browser, html, {}, 360, scheme) as opened:
            assert too_wide(opened) == []
            assert faults(opened) == []
