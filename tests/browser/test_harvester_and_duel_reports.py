"""Reports of Harvester and Dueling Masters on a phone: how long they are, and what its first screen has."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from pbem.report.facts import ReportFacts, SheetUsed
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset
from pbem.testing.play import Game, play, standard, standard_game
from pbem_rules import dueling_masters, harvester
from tests.browser.looking import SCHEMES, Scheme, faults, shown, too_wide
from tests.browser.test_reports import Mailed

TEMPLATES = Path(__file__).parents[2] / "templates"

SCREEN = 640
"""Pixels of a phone's screen from top to bottom; it is 360 wide."""

REPORTS: Mapping[str, tuple[AnyRuleset, Callable[[], Game], int, float]] = {
    "harvester": (harvester.RULESET, lambda: standard_game(harvester.RULESET), 9, 4.5),
    "duel": (dueling_masters.RULESET, lambda: play(dueling_masters.RULESET, standard, 60, game=9), 36, 3.5),
}
"""Of each game a play of bots, a turn in which its first seat is awaited, and the most screens of the report."""


@pytest.fixture(scope="module", params=REPORTS)
def report(request: pytest.FixtureRequest) -> tuple[Mailed, float]:
    """Return a report of the middle of a game, and the most screens that it may take."""
    ruleset, game, turn, most = REPORTS[request.param]
    return _mailed(ruleset, game(), turn), most


def _mailed(ruleset: AnyRuleset, game: Game, turn: int) -> Mailed:
    view = game.steps[turn - 1].views[game.seats[0]]
    assert view["awaited"]
    facts = ReportFacts(
        campaign="trap7",
        seat=view["seat"],
        seats=game.seats,
        deadline=dt.datetime(2027, 1, 22, 19, tzinfo=dt.UTC),
        zone="Europe/Berlin",
        code="k3v7mq2xw5n4tzpa",
        address="orders@example.org",
        used=SheetUsed(1, "ef" * 32),
        record="cd" * 32,
        gm="gm@example.org",
        site="https://club.example.org/pbem/trap7/",
    )
    with Renderer([TEMPLATES]) as reporter:
        parts = reporter.report(ruleset, view, facts, game.steps[turn - 2].turn.orders.get(view["seat"], ()))
    return Mailed(parts, {facts.content_id(each.name): each.png for each in parts.pictures if each.png is not None})


def top(page: Page, selector: str) -> float:
    """Return where a part of a page begins, in screens."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return float(box["y"]) / SCREEN


def test_a_report_is_short_and_begins_with_what_matters(browser: Browser, report: tuple[Mailed, float]) -> None:
    """Its screens are few, what happened begins within one and a half, and the button within the first."""
    mailed, most = report

    with shown(browser, mailed.parts.html, mailed.pictures, 360, "light") as page:
        assert page.evaluate("document.documentElement.scrollHeight") / SCREEN <= most
        assert top(page, "h2:has-text('What happened')") <= 1.5
        assert top(page, "td.b") <= 1
        assert too_wide(page) == []


def test_a_report_has_one_picture_in_it(report: tuple[Mailed, float]) -> None:
    """The board for a phone stands in the mail, with words for those who see no pictures; the other is attached."""
    mailed, _ = report
    first, other = mailed.parts.pictures

    assert mailed.parts.html.count("<img") == mailed.parts.html.count(f'alt="{first.title}"'.replace("'", "&#39;")) == 1
    assert f"Attached: {other.file}." in mailed.parts.html
    assert len(mailed.parts.html.encode()) <= 60_000


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_report_is_read_with_and_without_pictures(
    browser: Browser, report: tuple[Mailed, float], scheme: Scheme
) -> None:
    """axe-core has no findings, in light and in dark, with pictures shown or blocked."""
    mailed, _ = report

    for pictures in (mailed.pictures, {}):
        with shown(browser, mailed.parts.html, pictures, 360, scheme) as page:
            assert faults(page) == []
            assert too_wide(page) == []
