"""Courses found for MOVE … TO, by what their player's charts show."""

from __future__ import annotations

import dataclasses

import pytest

from pbem.ruleset import Finding
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.courses import Powers, Router
from pbem_rules.singularity_trap.orders import BOOK
from pbem_rules.singularity_trap.space import within
from pbem_rules.singularity_trap.state import Ship, State
from tests.rules.singularity_trap.builders import BOARD, at, lines, play, ship, view, world

CENTRE = at("J10")


def _told(state: State, sheet: str) -> tuple[list[str], dict[str, Finding]]:
    """Return the accepted orders of a sheet of red, and the findings by code."""
    parsed = RULESET.parse(view(state, "red"), lines(sheet))
    return [BOOK.line(order) for order in parsed.orders], {finding.code: finding for finding in parsed.findings}


@pytest.mark.in_turn
@pytest.mark.slow
def test_every_course_leads_where_it_says_and_is_lawful() -> None:
    """Carried out with no ship in the way, each course to a space around ends there."""
    state = world(ship("R101", "J10"), ship("R102", "J10", "Scout"))
    for offset in within(4)[::23]:
        target = BOARD.name((offset[0], offset[1], offset[2]))
        for name in ("R101", "R102"):
            written, told = _told(state, f"MOVE {name} TO {target}")
            if written:
                assert BOARD.name(play(state, red=written[0]).ship(name).space) == target
            else:
                assert told["no-course"].hint.startswith("the nearest it can reach is ")


def test_a_course_is_the_shortest() -> None:
    """Segments count: a slip of three spaces is one of them, and a charted jump is one as well."""
    cruiser = Router(BOARD, CENTRE, Powers(3, slip=True, jump=False), frozenset(), {})
    scout = Router(BOARD, CENTRE, Powers(2, slip=False, jump=True), frozenset(), {CENTRE: at("D13-4")})

    reached = [cruiser.to(at(space)) for space in ("J9", "J7", "J6", "J4")]
    jumped = scout.to(at("D13-4"))

    assert [found.course.segments for found in reached if found] == [1, 1, 2, 4]
    assert jumped is not None
    assert jumped.course.legs == ("JUMP",)
    assert cruiser.to(at("J3")) is None


def test_a_course_goes_round_known_ships_and_says_so() -> None:
    """Of courses as short the one that passes no known ships is taken, and what others pass is told."""
    state = world(ship("R101", "J10", slip=0), ship("G101", "K9"), ship("R102", "L9"))

    written, told = _told(state, "MOVE R101 TO L8")

    assert written == ["MOVE R101 NE NE"] or "K9+0" not in _passed(state, written[0])
    assert "other-courses" in told or "course-danger" in told


def test_a_course_that_must_pass_known_ships_warns() -> None:
    """If every course as short leads through them, the player is told where ships may stop it."""
    state = world(ship("R101", "J10", slip=0), ship("G101", "J9"), ship("R102", "J8-1"), ship("R103", "J10"))

    _, told = _told(state, "MOVE R101 TO J8")

    assert "J9+0" in (told.get("course-danger") or told["other-courses"]).text


def test_what_cannot_be_reached_names_the_nearest_space() -> None:
    """The space that the hint names is accepted when it is typed in."""
    state = world(ship("R101", "J10"))

    written, told = _told(state, "MOVE R101 TO J1+9")
    nearest = told["no-course"].hint.removeprefix("the nearest it can reach is ")

    assert written == []
    assert _told(state, f"MOVE R101 TO {nearest}")[0] != []


def test_a_ship_built_or_mended_on_the_sheet_finds_its_course() -> None:
    """The course is that of the ship as the economic orders leave it."""
    state = world(ship("R101", "J10", drive=0), owners={"J10+0": "red"})

    assert _told(state, "REPAIR R101 / BUILD Scout AT J10 / MOVE R101/NEW1 TO J9")[0][2:] == ["MOVE R101/NEW1 N"]
    assert "no-course" in _told(state, "MOVE R101 TO J9")[1]


def test_a_course_uses_nothing_that_is_hidden() -> None:
    """An enemy out of sight changes no course: the same lines come of the same view."""
    here = world(ship("R101", "J10"))
    there = dataclasses.replace(here, ships={**here.ships, "G101": _hidden()})

    assert _told(here, "MOVE R101 TO J6") == _told(there, "MOVE R101 TO J6")


def _hidden() -> Ship:
    return ship("G101", "J7")


def _passed(state: State, line: str) -> set[str]:
    """Return the spaces of a move but its last."""
    (moved,) = [event for event in play(state, red=line).told("moved", "red") if event["ship"] == "R101"]
    return {leg["space"] for leg in moved["legs"][:-1]}
