"""Tests of HTML for real mail programs: order of headings, scopes, width on a phone, and size."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from pbem.app import TEMPLATE_DIR
from pbem.report.answers import RulebookPage
from pbem.report.facts import ReportFacts
from pbem.report.markdown import as_html
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset
from pbem.testing.play import play, standard
from pbem_rules import bubble_singularity, gm_adjudicated, harvester

GAMES = [game.RULESET for game in (bubble_singularity, gm_adjudicated, harvester)]
TURNS = 8
MOST_COLUMNS, MOST_OF_WORDS = 5, 3
"""Columns of a table in all, and of those whose cells are no numbers."""

CUT_AT = 100_000
"""Bytes beyond which Gmail clips a message, with some to spare."""


class Page(HTMLParser):
    """Parser that collects levels of headings, scopes of heads, columns of rows, and empty lists and tables."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.scopes: list[str | None] = []
        self.columns: list[int] = []
        self.of_words: list[int] = []
        self.alone: list[str] = []
        self._last = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag[0] == "h" and tag[1:].isdigit():
            self.levels.append(int(tag[1:]))
        elif tag == "tr":
            self.columns.append(0)
            self.of_words.append(0)
        elif tag in ("th", "td"):
            self.columns[-1] += 1
            self.scopes += [dict(attrs).get("scope")] if tag == "th" else []
        self._last = tag

    def handle_data(self, data: str) -> None:
        if self._last in ("th", "td") and not data.strip().isdigit():
            self.of_words[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ul", "table") and self._last == tag:
            self.alone.append(tag)
        self._last = ""


@pytest.fixture(scope="module", params=GAMES, ids=lambda game: game.key)
def reports(request: pytest.FixtureRequest) -> list[str]:
    """Return the HTML of the reports of a game's last turns."""
    return list(_reports(request.param))


def _reports(game: AnyRuleset) -> Iterator[str]:
    played = play(game, standard, TURNS)
    with Renderer([TEMPLATE_DIR], pictures=False) as reporter:
        for view in list(played.views())[-3 * len(played.seats) :]:
            facts = ReportFacts(
                campaign="c",
                seat=view["seat"],
                seats=played.seats,
                deadline=dt.datetime(2030, 1, 1, tzinfo=dt.UTC),
                zone="UTC",
                code="code",
                address="orders@example.org",
            )
            yield reporter.report(game, view, facts).html


def test_headings_go_down_one_by_one(reports: list[str]) -> None:
    """The first heading is the title, and no level is skipped on the way down."""
    for html in reports:
        levels = Page(html).levels
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_heads_of_tables_say_what_they_head(reports: list[str]) -> None:
    """Each head of a table has a scope."""
    assert {scope for html in reports for scope in Page(html).scopes} <= {"col", "row"}


def test_tables_fit_a_phone(reports: list[str]) -> None:
    """Tables have at most three columns of words and two of numbers, and no list or table is empty."""
    for html in reports:
        page = Page(html)
        assert max(page.columns, default=0) <= MOST_COLUMNS
        below_heads = [words for words, columns in zip(page.of_words, page.columns, strict=True) if words < columns]
        assert max(below_heads, default=0) <= MOST_OF_WORDS
        assert page.alone == []


def test_no_mail_program_cuts_a_report(reports: list[str]) -> None:
    """All HTML is below the limit at which Gmail clips a message."""
    assert max(len(html.encode()) for html in reports) < CUT_AT


def test_rulebooks_name_the_heads_of_their_tables_and_wrap_examples() -> None:
    """Rulebooks have scopes at heads of tables, and wrap examples."""
    for game in GAMES:
        html = as_html(game.rulebook)
        assert set(Page(html).scopes) <= {"col"}
        assert html.count("<pre") == html.count("<pre style") > 0


def test_a_part_of_a_rulebook_has_a_title_above_its_headings() -> None:
    """The title of the mail stands above the headings of a rulebook or of a part of it, and no level is left out."""
    for source, levels in (("### Orders\n\nWords.", [1, 2]), ("# Game\n\n## Orders", [1, 2, 3])):
        page = RulebookPage(game="Toy Fair", about="the rules about orders", text="", html=as_html(source, top=2))
        with Renderer([TEMPLATE_DIR], pictures=False) as reporter:
            assert Page(reporter.write(page).html).levels == levels
