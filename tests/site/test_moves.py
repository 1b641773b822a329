"""Moves of a replay: where the orders of a turn are drawn, by what games declare of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from pbem.ruleset import NameField, Need, Order, OrderMark, OrderParser, View
from pbem.ruleset.drawing import TapTarget
from pbem.site.moves import Knowledge, Move, draw_moves, read_moves
from tests.toy.ruleset import Auction

_PLACE = NameField("place", "a place", "a1", lambda view: ["a1", "b1", "c1"])
_SHIP = NameField("ship", "a ship", "S1", lambda view: ["S1", "S2"])


@dataclass(frozen=True, slots=True)
class Sail(Order):
    """Sail a ship."""

    usage = "SAIL ship TO place"
    mark = OrderMark("path", of="ship", at="place")
    ship: Annotated[str, _SHIP]
    place: Annotated[str, _PLACE]


@dataclass(frozen=True, slots=True)
class Drift(Order):
    """Let a ship drift."""

    usage = "DRIFT ship"
    mark = OrderMark("note", of="ship")
    ship: Annotated[str, _SHIP]


@dataclass(frozen=True, slots=True)
class Build(Order):
    """Build at places."""

    usage = "BUILD places..."
    mark = OrderMark("piece", at="places", label="yard")
    places: Annotated[tuple[str, ...], _PLACE]


@dataclass(frozen=True, slots=True)
class Sink(Order):
    """Sink the ship that is asked about."""

    usage = "SINK"
    mark = OrderMark("cross")


class Sea(Auction):
    """A toy with places."""

    orders = OrderParser((Sail, Drift, Build, Sink))

    def agenda(self, view: View) -> Sequence[Need]:
        """Return the need that SINK meets."""
        return [Need("sink", "SAIL S1|SINK", "A ship", unit="S2")]


def square(x: int, *names: str) -> TapTarget:
    """Return a place of 20 pixels with its middle at (x, 10)."""
    return TapTarget(names, names[-1], ((x - 10, 0), (x + 10, 0), (x + 10, 20), (x - 10, 20)))


BEFORE = Knowledge({"seat": "red", "awaited": True}, (square(10, "S1", "S2", "a1"), square(50, "b1"), square(90, "c1")))
AFTER = Knowledge({"seat": "red"}, (square(10, "a1"), square(50, "S1", "S2", "b1"), square(90, "c1")))


def drawn(*orders: Order, ruleset: Any = None, spots: Iterable[TapTarget] = AFTER.spots) -> list[tuple[str, Any, str]]:
    """Return shape, points and label of each mark on a picture."""
    moves = read_moves(ruleset or Sea(), "red", orders, BEFORE, AFTER)
    data = draw_moves(tuple(spots), moves)
    return [(mark["shape"], mark["points"], mark["label"]) for mark in data["marks"]] if data else []


def test_an_arrow_leads_from_where_a_unit_was() -> None:
    """A path begins at the place of its unit in the turn before, though another unit stands on it, too."""
    assert drawn(Sail("S1", "c1")) == [("path", [[10, 10], [90, 10]], "")]


def test_equal_arrows_are_one() -> None:
    """Units that go together are one arrow with their number."""
    assert drawn(Sail("S1", "b1"), Sail("S2", "b1")) == [("path", [[10, 10], [50, 10]], "×2")]


def test_a_note_of_a_unit_that_moved_is_an_arrow() -> None:
    """Directions name no place: then the arrow leads to where the unit is now."""
    assert drawn(Drift("S1")) == [("path", [[10, 10], [50, 10]], "")]


def test_pieces_and_crosses_lie_where_orders_say() -> None:
    """A piece lies at each place; a cross is on the unit of the need that the order met."""
    assert drawn(Build(("b1", "c1")), Sink()) == [
        ("cross", [[10, 10]], ""),
        ("piece", [[50, 10], [90, 10]], "yard"),
    ]


def test_what_a_picture_lacks_is_not_drawn() -> None:
    """On a picture without the places of an order, or without any spots, there is no mark of it."""
    assert drawn(Sail("S1", "c1"), spots=[square(5, "z9")]) == []
    assert drawn(Sail("S1", "c1"), spots=[]) == []
    assert draw_moves(AFTER.spots, [Move("red", "path", ("a1",), ("q7",))]) is None


@pytest.mark.parametrize("fault", [ValueError, KeyError, RecursionError])
def test_a_game_that_fails_has_no_moves(fault: type[Exception]) -> None:
    """A replay is shown without moves where a game cannot tell what its orders were about."""

    class Storm(Sea):
        def agenda(self, view: View) -> Sequence[Need]:
            raise fault

    assert drawn(Sink(), ruleset=Storm()) == []


def test_many_marks_are_bounded() -> None:
    """A picture has no more than three hundred marks."""
    moves = [Move("red", "piece", places=("a1",), label=str(number)) for number in range(1000)]

    assert len(draw_moves(AFTER.spots, moves)["marks"]) == 300
