"""Outcomes of orders: stones where the board has them, replies as they were played, kept or dropped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest

from pbem.ruleset import Dice, NotDone, SeatName, TurnInput
from pbem.testing.play import games
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.orders import ORDERS, If, Place
from pbem_rules.singularity.state import SEATS, State
from tests.rules.singularity.table import new_game, position, read, turn, view

ALMOST_SURROUNDED = "a6 d7 b5 e6 c4 f5 d4 e5 e3 d6 f3 e4"
"""Size 4, red to place: a stone on g3 surrounds the black stone."""


def told(state: State, *, red: Sequence[str] = (), blue: Sequence[str] = (), seat: SeatName = "red") -> list[str]:
    """Return what a seat's report says of its lines, red's unless told otherwise."""
    orders = {each: read(state, each, *lines).orders for each, lines in zip(SEATS, (red, blue), strict=True)}
    after, events = RULESET.resolve(state, TurnInput(orders), Dice(b"test"))
    return list(RULESET.order_outcomes(view(after, seat, events), orders[seat]))


def test_a_stone_is_told_by_its_number() -> None:
    """A stone has its number, with the kept reply that answered at once, or with the win it brings."""
    won = "it was stone 13, and you surrounded the black stone"

    assert told(new_game(), red=["PLACE d4"]) == ["it was stone 1"]
    assert told(new_game(), red=["PLACE d4"], blue=["IF d4 THEN e5"]) == ["it was stone 1; blue answered on e5 at once"]
    assert told(position(ALMOST_SURROUNDED, size=4), red=["PLACE g3"]) == [won]


def test_an_answer_that_wins_is_told_with_the_end() -> None:
    """Blue's stone is answered by the one that surrounds the black stone."""
    state, _ = turn(position(ALMOST_SURROUNDED, size=4), red=["PLACE e2", "IF g4 THEN g3"])

    assert told(state, blue=["PLACE g4"], seat="blue") == [
        "it was stone 14; red answered on g3 at once; red wins: surrounded the black stone"
    ]


def test_a_stone_that_found_its_cell_taken_is_not_placed() -> None:
    """The reason is that of the report, though no sheet that was read against it gets so far."""
    order = Place("d4")
    after, events = RULESET.resolve(position("d4 e5"), TurnInput({"red": (order,)}), Dice(b"test"))

    (said,) = RULESET.order_outcomes(view(after, "red", events), (order,))

    assert said == "d4 is not free"
    assert isinstance(said, NotDone)


@pytest.mark.parametrize(
    ("before", "red", "blue", "said"),
    [
        ("", ["PLACE f6", "IF d4 THEN e5"], [], ["it was stone 1", "it is kept"]),
        ("f6", ["IF d4 THEN e5"], ["PLACE d4"], ["it was played: e5 is your stone 3"]),
        ("f6", ["IF d4 THEN e5"], ["PLACE a7"], ["it lapsed: blue played a7"]),
        (
            "f6",
            ["IF d4 THEN e5", "IF c7 THEN c8 AFTER e5", "IF b7 THEN b8 AFTER c8", "IF a6 THEN a7"],
            ["PLACE d4", "IF e5 THEN c7"],
            [
                "it was played: e5 is your stone 3",
                "it was played: c8 is your stone 5",
                "it is kept",
                "it lapsed: blue played d4 and c7",
            ],
        ),
        ("f6", ["IF c4 THEN c5 AFTER e5"], ["PLACE c4"], ["it lapsed"]),
        (
            "",
            ["PLACE f6", "IF e5 THEN c7", "IF d4 THEN e9 AFTER c7", "IF d4 THEN c8"],
            ["IF f6 THEN e5", "IF c7 THEN e9 AFTER e5"],
            [
                "it was stone 1; blue answered on e5 at once",
                "it was played: c7 is your stone 3",
                "it lapsed: blue played e5 and e9",
                "it lapsed: blue played e5 and e9",
            ],
        ),
        (
            "",
            ["PLACE f6", "IF c7 THEN c8 AFTER e5", "IF d4 THEN c9"],
            ["IF a6 THEN a7"],
            ["it was stone 1", "it is kept", "it is kept"],
        ),
    ],
)
def test_a_reply_is_told_as_played_kept_or_lapsed(
    before: str, red: list[str], blue: list[str], said: list[str]
) -> None:
    """A reply is told with the stone it became, or with the opponent's stones in place of the one it waited for."""
    assert told(position(before), red=red, blue=blue) == said


def test_a_reply_that_can_no_longer_be_used_is_told_with_the_stone_in_its_way() -> None:
    """A reply that goes on from one played is dropped if a stone of the same turn took its cell."""
    plan = ["IF d4 THEN e5", "IF c7 THEN d4 AFTER e5", "IF c8 THEN c9 AFTER e5"]

    assert told(position("f6"), red=plan, blue=["PLACE d4"])[1:] == [
        "it was dropped, for blue has a stone on d4",
        "it is kept",
    ]


def test_a_line_overruled_by_one_below_it_names_that() -> None:
    """FORGET drops replies above it, a reply to the same cell takes the place of the one before."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF c4 THEN c6"])

    assert told(before, red=["IF d4 THEN e5", "IF d4 THEN e6", "IF c4 THEN c5", "FORGET c4"]) == [
        "IF d4 THEN e6 below took its place",
        "it is kept",
        "FORGET c4 below dropped it",
        "1 reply is kept now",
    ]
    assert told(before, red=["FORGET", "IF a7 THEN a8"]) == ["1 reply is kept now", "it is kept"]
    assert told(before, red=["FORGET"]) == ["none is kept now"]


def test_offers_answers_and_resignations_are_told() -> None:
    """An offer waits or is agreed to; with the end, nothing else comes of a sheet."""
    offered, _ = turn(position("d4"), red=["DRAW OFFER"], blue=["PLACE e5"])

    assert told(position("d4"), red=["DRAW OFFER"]) == ["it waits for your opponent's answer"]
    assert told(offered, blue=["DRAW ACCEPT"], seat="blue") == ["both agreed: the game is drawn"]
    assert told(offered, blue=["DRAW DECLINE"], seat="blue") == ["the offer no longer stands"]
    assert told(offered, red=["RESIGN CONFIRM"], blue=["DRAW ACCEPT"], seat="blue") == ["the game ended without it"]
    assert told(new_game(), red=["RESIGN CONFIRM", "PLACE d4", "IF e5 THEN e6", "FORGET"]) == [
        "the game is over",
        "the game ended before it came to that",
        "the game ended without it",
        "",
    ]


@pytest.mark.in_turn
@pytest.mark.slow
def test_in_played_games_what_is_said_is_what_the_view_has() -> None:
    """A stone has the number said, a reply said to be kept is kept, and one said to be played is on the board."""
    seen = set[str]()
    for game in games(RULESET):
        for step, following in pairwise(game.steps):
            for seat, orders in step.turn.orders.items():
                after = following.views[seat]
                for order, said in zip(orders, RULESET.order_outcomes(after, orders), strict=True):
                    number = re.search(r"\bstone ([0-9]+)", said)
                    if number and isinstance(order, Place | If):
                        cell = order.cell if isinstance(order, Place) else order.reply
                        assert after["moves"][int(number[1]) - 1] == {
                            "number": int(number[1]),
                            "who": seat,
                            "cell": cell,
                        }
                        seen.add("placed")
                    if said == "it is kept":
                        assert ORDERS.line(order) in [kept["line"] for kept in after["kept"]]
                        seen.add("kept")
    assert seen == {"placed", "kept"}
