"""Phase 1: the Mari moves and places bubbles."""

from __future__ import annotations

import pytest

from pbem.ruleset import SeatName
from pbem_rules.bubble_singularity.state import Player
from tests.rules.bubble_singularity.table import bubbles, codes, lay, miss, play, read, refused


@pytest.mark.parametrize(
    ("ways", "end"), [("N", "C2"), ("W W", "A3"), ("N N W", "B1"), ("S E N", "D3"), ("E W E", "D3")]
)
def test_a_mari_moves_one_to_three_spaces(ways: str, end: str) -> None:
    """The Mari goes 1, 2 or 3 spaces north, east, south or west, also round corners and back."""
    assert play(lay(), f"MOVE {ways}", "PULL N" if end != "B1" else "PULL S").player().at == end


def test_four_spaces_are_too_many() -> None:
    """A move of more than 3 spaces is refused."""
    assert refused(lay(hand="bbbb"), "MOVE N N W S", "ROTATE CW")[0] == "too-far"


def test_diagonal_moves_are_refused() -> None:
    """The Mari does not move diagonally."""
    assert refused(lay(), "MOVE NE", "ROTATE CW") == ("no-diagonals", "only Quantum Drift allows NE; write N E or E N")


def test_the_mari_stays_on_the_board() -> None:
    """No step leads off the board."""
    assert refused(lay(), "MOVE S S", "ROTATE CW") == (
        "off-board",
        "S of C4 is the edge of the board; from C4 there is E or W",
    )


def test_a_bubble_is_placed_on_each_space_entered() -> None:
    """One bubble lies on each space moved through, the destination included; the space left gets none."""
    after = play(lay(hand="rgb"), "MOVE N N W", "BUBBLES green blue red", "PULL S")

    assert [after.lying(place) for place in ("C3", "C2", "C1")] == ["", "g", "b"]
    assert after.lying("B1") == "r"
    assert after.hand() == ""


def test_the_own_colour_is_placed_last_by_default() -> None:
    """Without BUBBLES the others' colours go first, red, green, blue, yellow, and the own one last."""
    after = play(lay(hand="ybgr"), "MOVE N N W", "PULL E")

    assert [after.lying("C2"), after.lying("B1")] == ["r", "gy"]
    assert after.hand() == "b"


def test_bubbles_cannot_be_placed_that_are_not_there() -> None:
    """Only bubbles of the own supply can be placed, one word for each space."""
    state = lay(hand="rrb")

    assert refused(state, "MOVE N N", "BUBBLES blue blue", "ROTATE CW")[0] == "no-such-bubble"
    assert refused(state, "MOVE N N", "BUBBLES red", "ROTATE CW")[0] == "miscounted"
    assert refused(state, "MOVE N N", "BUBBLES red none", "ROTATE CW")[0] == "bubble-needed"


def test_refused_bubbles_go_by_default() -> None:
    """A BUBBLES line that cannot be followed leaves the placing to the default."""
    parsed = read(lay(hand="rb"), "MOVE N", "BUBBLES green", "ROTATE CW")

    assert [entry.line for entry in parsed.entries] == [1, 3]


def test_nobody_moves_through_another_mari() -> None:
    """A space with another player's Mari can neither be crossed nor be the end of a move."""
    state = lay(red="C2")

    assert refused(state, "MOVE N N", "ROTATE CW")[0] == "occupied"
    assert refused(state, "MOVE N", "ROTATE CW")[1].startswith("C2 is taken by red's Mari")


def test_a_way_may_cross_the_own_start() -> None:
    """The Mari does not block its own way, which may come back to its start."""
    assert play(lay(), "MOVE N S", "PULL E").player().at == "C3"


@pytest.mark.parametrize("hand", ["b", "bb"])
def test_no_more_spaces_than_bubbles(hand: str) -> None:
    """A Mari cannot enter more spaces than there are bubbles in the supply."""
    assert refused(lay(hand=hand), "MOVE N N W"[: 7 + 2 * (len(hand) - 1)] + " W", "ROTATE CW")[0] == "too-few-bubbles"


def test_who_has_no_bubbles_only_acts() -> None:
    """Without bubbles the Mari stays, and the action follows."""
    after = play(lay(hand="", lying={"C3": "r"}), "ROTATE CW")

    assert after.told("stayed")[0]["why"] == "there are no bubbles to place"
    assert after.player().at == "C3"
    assert after.lying("C2") == "r"


def test_who_is_walled_in_only_acts() -> None:
    """A Mari with others on all sides stays and only acts."""
    walls: dict[SeatName, Player] = {"green": Player(side="N", at="B1")}
    after = play(lay(blue="A1", red="A2", others=walls), "PULL E")

    assert after.told("stayed")[0]["why"] == "all ways are blocked by other Maris"


def test_a_sheet_without_a_move_moves_by_default() -> None:
    """A move is not optional: without MOVE the Mari goes one space, the first free one clockwise from north."""
    state = lay(red="C2")

    assert play(state, "PULL W").player().at == "D3"
    assert (0, "no-move") in codes(read(state, "PULL W"))


def test_a_missed_deadline_moves_and_rotates_by_default() -> None:
    """No sheet: one space clockwise from north, own colour last, and Rotate CW."""
    after = miss(lay(blue="D1", hand="gb"))

    assert after.told("missed") == [{"who": "blue", "what": "turn"}]
    assert after.told("moved") == [{"who": "blue", "path": [["D2", ["green"]]]}]
    assert after.told("rotated")[0]["turn"] == "CW"


def test_a_default_move_needs_a_bubble() -> None:
    """A player without bubbles who sends nothing only rotates."""
    after = miss(lay(hand=""))

    assert (after.told("moved"), len(after.told("rotated"))) == ([], 1)


def test_the_supply_shrinks_by_what_is_placed() -> None:
    """After a move of 3 spaces there are 3 fewer bubbles in the supply."""
    assert play(lay(hand="bbbbb"), "MOVE N N W", "PULL W").player().hand == bubbles("bb")
