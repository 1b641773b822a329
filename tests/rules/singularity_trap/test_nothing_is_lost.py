"""All that a view tells is in the full report, and all that is new in the short one, in games of bots."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import pytest

from pbem.report.facts import ReportFacts, SheetUsed
from pbem.report.renderer import Renderer
from pbem.ruleset import Order, View
from pbem.testing.play import games
from pbem_rules.singularity_trap import RULESET
from tests.rules.singularity_trap.items import Item, items, missing
from tests.rules.singularity_trap.test_templates import TEMPLATES


class Reported(NamedTuple):
    """The view of a report, that of the report before, and the orders of the turn between."""

    view: View
    before: View
    orders: tuple[Order, ...]
    missed: bool


@pytest.fixture(scope="module")
def reports() -> list[tuple[Reported, str, str]]:
    """Return the reports of games, each with its text in short and in full."""
    with Renderer([TEMPLATES], pictures=False) as reporter:
        return [
            (report, _text(reporter, report, full=False), _text(reporter, report, full=True)) for report in _reported()
        ]


def _reported() -> Iterator[Reported]:
    """Yield the reports of games at either pace, by bots that play sensibly and by others."""
    for game in games(RULESET):
        for step, following in pairwise(game.steps):
            for seat in game.seats:
                orders, missed = step.turn.orders.get(seat, ()), seat in step.turn.missing
                yield Reported(following.views[seat], step.views[seat], orders, missed)


def _text(reporter: Renderer, report: Reported, *, full: bool) -> str:
    facts = ReportFacts(
        campaign="trap7",
        seat=report.view["seat"],
        seats=tuple(player["colour"] for player in report.view["players"]),
        deadline=dt.datetime(2026, 3, 6, 19, tzinfo=dt.UTC),
        zone="Europe/Berlin",
        code="abcdefgh",
        address="orders@example.org",
        used=None if report.missed else SheetUsed(1, "ef" * 32),
        missed=report.missed,
        full=full,
    )
    return reporter.text(RULESET, report.view, facts, report.orders)


@pytest.mark.in_turn
def test_all_that_is_known_is_in_the_full_report(reports: list[tuple[Reported, str, str]]) -> None:
    """Each item of a view stands in the report that a player has by RESEND FULL."""
    for report, _, full in reports:
        assert missing(full, (item.full for item in items(report.view))) == [], report.view["label"]


def test_all_that_is_new_is_in_the_short_report(reports: list[tuple[Reported, str, str]]) -> None:
    """Each item that the report before did not have stands in the next one."""
    for report, short, _ in reports:
        assert missing(short, (item.short for item in _news(report))) == [], report.view["label"]


def _news(report: Reported) -> Iterator[Item]:
    known = {item.key for item in items(report.before)}
    yield from (item for item in items(report.view) if not item.key or item.key not in known)


def test_no_report_has_a_slip_of_the_pen(reports: list[tuple[Reported, str, str]]) -> None:
    """No "1 turns", no Markdown, no None, and no blank at the end of a line."""
    number = r"(?<![\w+-])1 (?:turn starts|turns|points|planets|ships|shots|hits|rounds|warps|spaces)\b"
    slips = re.compile(rf"{number}|\*\*|None|[^-] $", re.MULTILINE)
    for report, _, full in reports:
        assert slips.findall(full) == [], report.view["label"]


def test_a_short_report_is_without_what_hardly_changes(reports: list[tuple[Reported, str, str]]) -> None:
    """Ship types, costs and the names of all planets are for the full report."""
    _, short, full = reports[0]

    assert all(words in full and words not in short for words in ("Ships you can build", "All planets: 37", "Repairs"))
    assert "RESEND FULL" in short
