"""Tests of views that version 1 of each game mailed: a newer program reads sheets against them in mid-game.

`former/` has one of each game, as stored in the database of a program of that time.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbem.report.facts import ReportFacts
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset, View

VIEWS = Path(__file__).with_name("former")
TEMPLATES = Path(__file__).parents[2] / "templates"

SHEETS = {
    "bubble_singularity": ["MOVE N", "BUBBLES green", "ROTATE CW"],
    "dueling_masters": ["MOVE Z1 D7"],
    "gm_adjudicated": ["DO march to the gate"],
    "harvester": ["TARGET 0 3", "MOVE C2 SW", "MOVE S1 E", "MOVE G SE"],
    "singularity": ["PLACE e3"],
    "singularity_trap": ["ALLY red NO"],
}
"""Orders that each game accepted then, as it writes them now."""


def opened(game: str) -> tuple[AnyRuleset, View]:
    """Return a game, and the view that its version 1 mailed."""
    view: View = json.loads((VIEWS / f"{game}.json").read_text())
    return importlib.import_module(f"pbem_rules.{game}").RULESET, view


def taken(ruleset: AnyRuleset, view: View, lines: Sequence[str]) -> list[str]:
    """Return the accepted orders of a sheet."""
    return [ruleset.orders.line(order) for order in ruleset.parse(view, list(enumerate(lines, 1))).orders]


@pytest.mark.parametrize("game", SHEETS)
def test_a_sheet_is_read_against_a_view_of_version_1(game: str) -> None:
    """All orders of a sheet are accepted."""
    ruleset, view = opened(game)

    assert taken(ruleset, view, SHEETS[game]) == SHEETS[game]


@pytest.mark.parametrize("game", SHEETS)
def test_a_view_of_version_1_is_shown(game: str) -> None:
    """A view of version 1 has its summary, drawing, orders, events and form, as replays show them."""
    ruleset, view = opened(game)
    orders = ruleset.parse(view, list(enumerate(SHEETS[game], 1))).orders
    with Renderer([TEMPLATES], {game: ruleset}, pictures=False, jobs=1) as reporter:
        happened = reporter.describe_events(ruleset, view)

    assert happened
    assert ruleset.turn_summary(view)
    assert ruleset.template(view)
    assert ruleset.desk(view)["verbs"]
    assert len(ruleset.order_outcomes(view, orders)) == len(orders)
    assert bool(ruleset.pictures(view)) == bool(ruleset.text_map(view)) == (game != "gm_adjudicated")


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("game", SHEETS)
def test_a_report_is_written_anew_of_a_view_of_version_1(game: str, full: bool) -> None:
    """A report that was stored then can be corrected, and sent again with all that the seat knows."""
    ruleset, view = opened(game)
    facts = ReportFacts(
        campaign="old1",
        seat=view["seat"],
        seats=(view["seat"],),
        deadline=None,
        zone="UTC",
        code="abcdefgh",
        address="orders@example.org",
        full=full,
    )
    with Renderer([TEMPLATES], {game: ruleset}, pictures=False) as reporter:
        parts = reporter.report(ruleset, view, facts)

    assert view["label"].lower() in parts.text.lower()
    assert "What you know" in parts.html
    assert ruleset.without_orders(view)


def test_hexes_of_version_1_have_one_name() -> None:
    """A hex has one identity under its old and new name: C2 was at 7,3 around a planet of size 10."""
    ruleset, view = opened("harvester")

    assert taken(ruleset, view, ["MOVE C2 TO 8,3"]) == taken(ruleset, view, ["MOVE C2 TO -1,-7"]) != []


def test_sides_of_version_1_are_told_by_who_rules_whom() -> None:
    """Contacts of version 1 have no side: those that neither rule nor serve the reader are foes."""
    ruleset, view = opened("harvester")
    above = {**view, "rulers": ["p4"]}

    assert "Nearest foe: p4's 3 units at 6,0, 7 steps off." in ruleset.turn_summary(view)
    assert not any("foe" in line for line in ruleset.turn_summary(above))


def test_departures_of_version_1_name_squares_alone() -> None:
    """Departures of version 1 name squares alone, as its campaigns do to their end."""
    ruleset, view = opened("dueling_masters")
    told = [finding.text for finding in ruleset.parse(view, [(1, "MOVE B TO C2")]).findings]

    assert any("a piece departs from C1" in text for text in told)
