"""Outcomes of orders agree with the report, and reveal nothing of a flight not yet judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest

from pbem.ruleset import Dice, Order, SeatName, TurnInput
from pbem.testing.play import games
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.orders import ORDERS, Move, Setup
from pbem_rules.dueling_masters.state import State
from tests.rules.dueling_masters.table import SETUPS, new_game, position, turn, view

MET = ", ".join(f"an enemy Z fighter on {square} (enemy lost)" for square in ("E2", "E3", "E4")) + " and 4 more"


def told(state: State, *lines: str, two: Sequence[str] = (), seat: SeatName = "one") -> list[str]:
    """Return the outcomes of a seat's lines, player one's by default; the lines need not be valid."""
    sheets: Mapping[SeatName, Sequence[str]] = {"one": lines, "two": two}
    orders = {each: _orders(state, each, of) for each, of in sheets.items()}
    after, events = RULESET.resolve(state, TurnInput(orders), Dice(b"test"))
    return list(RULESET.order_outcomes(view(after, seat, events), orders[seat]))


def _orders(state: State, seat: SeatName, lines: Sequence[str]) -> tuple[Order, ...]:
    parsed = ORDERS.parse(view(state, seat), enumerate(lines, 1))
    assert not parsed.errors, parsed.errors
    return parsed.orders


def test_pieces_placed_are_told_by_their_names() -> None:
    """The outcome of SETUP has the names of numbered pieces, or the reason why they are not placed."""
    assert told(new_game(), *SETUPS["one"]) == [
        "placed",
        "placed",
        "placed",
        "placed",
        "X1 and X2",
        "Y1 and Y2",
        "Z1, Z2, Z3 and Z4",
    ]
    assert told(new_game(), "SETUP HOME B8", "SETUP W J1")[0] == "placed"
    assert told(new_game(), "SETUP W J1")[0].startswith("J1 ")


@pytest.mark.parametrize(
    ("own", "enemy", "line", "said"),
    [
        ("Z1 E1, X1 C2", "X1 J1", "MOVE Z1 F2", "departed from E1, in transit"),
        (
            "B E1>F1, X1 C2",
            "Z1 F1, X1 J1",
            "MOVE B G1",
            "departed from F1, in transit; before, it had met an enemy Z fighter on F1 (enemy lost)",
        ),
        (
            "Z1 E1>F1, X1 C2",
            "B1 F1, X1 J1",
            "MOVE Z1 E1",
            "your move is used up; before, it had met an enemy B fighter on F1 (yours lost)",
        ),
        (
            "X1 E1>F1, Z1 C2",
            "X1 F1, Z1 J1",
            "MOVE X1 E1",
            "your move is used up; before, it had met an enemy X fighter on F1 (both lost)",
        ),
        (
            "B E1>E9",
            "Z1 E2, Z2 E3, Z3 E4, Z4 E5, Y1 E6, Y2 E7, X1 E8, X2 J1",
            "MOVE B E1",
            f"departed from E9, in transit; before, it had met {MET}",
        ),
        (
            "X1 E1, ASTEROID1 E3, Z1 C2",
            "X1 J1",
            "MOVE X1 E4 RAM",
            "departed from E1 and met your asteroid on E3: both are gone",
        ),
        ("X1 E1, ASTEROID1 E3, Z1 C2", "X1 J1", "MOVE X1 E4", "your own asteroid on E3 is in the way"),
        (
            "X1 E1>J1, Z1 C2",
            "HOME J1",
            "MOVE X1 E1",
            "the game ended before it departed; before, it had met an enemy home planet on J1 (enemy lost)",
        ),
    ],
)
def test_a_move_is_told_as_far_as_it_was_judged(own: str, enemy: str, line: str, said: str) -> None:
    """The outcome of MOVE has the departure, the meetings of the flight before, or the reason why the piece stays."""
    assert told(position(own, enemy), line) == [said]


def test_a_flight_is_told_alike_whatever_it_will_meet() -> None:
    """A piece that flies onto an enemy is told like one that flies free, as its judgement comes later."""
    own = "X1 E1, Z1 C2"

    assert told(position(own, "B F1, X1 J1"), "MOVE X1 F1") == told(position(own, "B F2, X1 J1"), "MOVE X1 F1")


def test_offers_of_a_draw_and_their_answers_are_told() -> None:
    """The outcome of DRAW says whether an offer is open, agreed, declined or void."""
    state = position("X1 C2", "X1 J1")
    offered, _ = turn(state, two=["DRAW OFFER"], one=["MOVE X1 C3"])

    assert told(state, "DRAW OFFER", "MOVE X1 C3")[0] == "it waits for your opponent's answer"
    assert told(state, "DRAW OFFER") == ["an offer goes with your move, and none came"]
    assert told(state, "DRAW OFFER", two=["DRAW OFFER"]) == ["both agreed: the game is drawn"]
    assert told(offered, "DRAW ACCEPT") == ["both agreed: the game is drawn"]
    assert told(offered, "DRAW DECLINE") == ["the offer no longer stands"]
    assert told(offered, "DRAW ACCEPT", two=["RESIGN CONFIRM"]) == ["the game ended without it"]


def test_a_resignation_is_told() -> None:
    """RESIGN ends the game; if both resign at once, it is drawn."""
    state = position("X1 C2", "X1 J1")

    assert told(state, "RESIGN CONFIRM", "MOVE X1 C3") == ["the game is over", "the game ended before it departed"]
    assert told(state, "RESIGN CONFIRM", two=["RESIGN CONFIRM"]) == ["A draw: both players gave up at once"]
    assert told(new_game(), "SETUP W C1", two=["RESIGN CONFIRM"]) == ["the game ended before it came to that"]


def test_in_played_games_what_is_said_is_what_the_view_has() -> None:
    """In played games a piece said to have departed is in transit, and one whose move is used up is lost."""
    seen = set[str]()
    for game in games(RULESET):
        for step, following in pairwise(game.steps):
            for seat, orders in step.turn.orders.items():
                after = following.views[seat]
                own = {piece["name"]: piece for piece in after["own"]}
                for order, said in zip(orders, RULESET.order_outcomes(after, orders), strict=True):
                    if isinstance(order, Move) and said.startswith("departed"):
                        piece = own[order.piece]
                        assert piece["transit"]
                        assert piece["square"] == order.square
                        assert said.startswith(f"departed from {piece['origin']}, in transit")
                        seen.add("moved")
                    if isinstance(order, Move) and said.startswith("your move is used up"):
                        assert order.piece in {loss["name"] for loss in after["own_lost"]}
                        seen.add("spent")
                    if isinstance(order, Setup) and said.startswith("X1 and"):
                        assert [own[name]["square"] for name in ("X1", "X2")] == sorted(
                            order.squares, key=order.squares.index
                        )
                        seen.add("placed")
                    assert said
    assert seen == {"moved", "spent", "placed"}
