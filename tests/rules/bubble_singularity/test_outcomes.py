"""Outcomes of orders: each sentence agrees with the report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from pbem.ruleset import Dice, InPart, NotDone, Order, TurnInput, View
from pbem.testing.play import games
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.orders import ORDERS, Keep, Move, Pop, Resign, Start
from pbem_rules.bubble_singularity.state import State
from tests.rules.bubble_singularity.table import SEED, lay, new_game, play, view
from tests.rules.bubble_singularity.test_questions import stacked

CROSS = {"C3": "NESW"}


def orders_of(state: State, *lines: str, seat: str = "blue") -> tuple[Order, ...]:
    """Return the orders of lines, whether or not they can be followed."""
    parsed = ORDERS.parse(view(state, seat), enumerate(lines, 1))
    assert not parsed.errors, parsed.errors
    return parsed.orders


def told(state: State, *lines: str, others: dict[str, Sequence[str]] | None = None, **turn: Any) -> list[str]:
    """Return the outcomes of blue's lines."""
    sheets = {"blue": lines, **(others or {})}
    orders = {seat: orders_of(state, *of, seat=seat) for seat, of in sheets.items()}
    after, events = RULESET.resolve(state, TurnInput(orders, **turn), Dice(SEED))
    return list(RULESET.order_outcomes(view(after, "blue", events), orders["blue"]))


TURNS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    (
        {"hand": "bgr", "cards": CROSS, "blue": "B3"},
        [
            ("MOVE N E", "it went by B2 to C2"),
            ("BUBBLES green red", "you placed green on B2 and red on C2"),
            ("PULL W", "green came from B2 to C2"),
            ("POP C3 red N", "C3 did not pop"),
            ("SWAP C3 N", "no unstable card popped there"),
            ("KEEP drift red", "nothing was drawn in this turn; the list stands"),
            ("DRAW movement special", "no ability cards came"),
        ],
    ),
    ({"hand": "r"}, [("MOVE N", "it went to C2, placing red on C2"), ("PULL E", "no bubble came from D2 to C2")]),
    (
        {"hand": "r", "red": "C2"},
        [
            ("MOVE N", "C2 is taken by red's Mari; by default it went to D3, placing red on D3"),
            ("PULL E", "E of D3 is the edge of the board"),
        ],
    ),
    (
        {"hand": "r", "cards": {"C2": "N"}},
        [
            ("MOVE N", "it went to C2"),
            (
                "BUBBLES green",
                "you have no further green bubble to place on C2; by default you placed red",
            ),
            ("ROTATE CW", "turned to E, it pushed red E to D2"),
            ("SEND red E", "red went to D2"),
        ],
    ),
    (
        {"hand": "", "cards": {"C3": "NE"}},
        [
            (
                "MOVE N",
                "this way needs 1 bubble and you have 0; it stayed, for there are no bubbles to place",
            ),
            ("ROTATE CCW", "turned to N and W, it had nothing to push"),
            ("SEND red N", "there is no further red bubble to send"),
        ],
    ),
    (
        {"hand": "", "blue": "A1", "red": "D4", "lying": {"A1": "rg"}, "cards": {"A1": "EN"}},
        [("ROTATE CCW", "turned to N and W, red stayed, for N is the edge; green stayed, for W is the edge")],
    ),
    (
        {"hand": "", "lying": {"C3": "rr", "C2": "g"}, "cards": {"C3": "NS"}},
        [
            ("PULL N", "green came from C2 to C3; then 1 pop scored 1 point"),
            ("POP C3 green N", "pop 1: green N to C2 and red S to C4; you collected red"),
            ("POP C3 red N", "C3 popped once only"),
        ],
    ),
    (
        {"hand": "", "lying": {"C3": "rr", "C2": "g"}, "cards": {"C3": "NS unstable"}, "advanced": True},
        [("PULL N", "green came from C2 to C3"), ("SWAP C3 E", "it changed places with the card on D3")],
    ),
    (
        {
            "hand": "",
            "held": ("folder", "attractor", "director"),
            "nodes": ("A1",),
            "red": "D4",
            "lying": {"D1": "b"},
            "cards": {"B2": "NE"},
        },
        [
            ("USE FOLDER B2 CW", "turned to E and S"),
            ("USE ATTRACTOR A1 E E", "it came to C1"),
            ("USE DIRECTOR D1 S", "it came to D2"),
        ],
    ),
    ({"hand": ""}, [("USE FOLDER B2 CW", "you do not hold Space Folder")]),
    (
        {"blue": "B1", "red": "C2", "hand": "b", "bag": "rgy", "stations": True, "control": {"research": "blue"}},
        [
            ("MOVE W", "it went to A1, placing blue on A1"),
            ("USE SELECT yellow red", "the bag held none of them"),
            ("USE RESEARCH", "you drew "),
            ("KEEP yellow green red", "you kept yellow and green; red went back"),
        ],
    ),
    (
        {"blue": "B1", "red": "C2", "hand": "b", "bag": "rg", "stations": True},
        [
            ("MOVE W", "it went to A1"),
            ("USE RESEARCH", "you drew red and green"),
            ("USE SELECT red", "the game ended before it came to that"),
        ],
    ),
    (
        {"blue": "C1", "stations": True},
        [("MOVE E", "it went to D1, placing blue on D1"), ("USE TELEPORT A3", "it came from D1")],
    ),
    (
        {"blue": "C1", "red": "C2", "stations": True, "control": {"transit": "blue"}, "lying": {"A3": "y"}},
        [
            ("MOVE E", "it went to D1"),
            (
                "USE TELEPORT C2",
                "a Mari stands on C2; by default your card was rotated clockwise: turned",
            ),
            ("USE TRANSFER yellow FROM A3 TO B4", "done"),
        ],
    ),
    (
        {"blue": "D2", "hand": "bb", "stations": True, "lying": {"C4": "r"}, "bag": "bbb"},
        [("MOVE S S", "it went by D3 to D4"), ("USE CONVERT C4 red", "they became blue")],
    ),
    (
        {"blue": "D3", "hand": "b", "stations": True, "control": {"energy": "blue"}},
        [("MOVE S", "it went to D4"), ("PULL W", "no bubble came from C4 to D4"), ("USE IGNITE D4", "it was pop 1")],
    ),
    (
        {"blue": "A3", "hand": "bbr", "red": "C2", "stations": True, "control": {"defense": "blue"}},
        [
            ("MOVE S", "it went to A4"),
            ("BUBBLES blue", "you placed blue on A4"),
            ("USE DEPLOY red C3, blue B2", "done"),
            ("USE BLOCK red ROTATE", "it holds for red's next turn"),
        ],
    ),
]
"""Arguments of `lay`; the lines of a sheet, and the beginning of each outcome."""


@pytest.mark.parametrize(("table", "sheet"), TURNS)
def test_each_order_of_a_turn_is_told(table: dict[str, Any], sheet: list[tuple[str, str]]) -> None:
    """An outcome says what an order led to, or why it was refused and what happened instead."""
    said = told(lay(**table), *(line for line, _ in sheet))

    assert [one[: len(other)] for one, (_, other) in zip(said, sheet, strict=True)] == [begin for _, begin in sheet]


def test_what_was_not_carried_out_is_marked() -> None:
    """A refused order and a line for a pop that did not come are not done; a shorter choice is done in part."""
    refused, pop = told(lay(hand="r", red="C2"), "MOVE N", "POP C3 red N")
    station = lay(blue="B1", red="C2", hand="b", bag="rrgy", stations=True, control={"research": "blue"})
    moved, _, selected = told(station, "MOVE W", "USE RESEARCH", "USE SELECT red yellow")

    assert [type(each) for each in (refused, pop, moved, selected)] == [NotDone, NotDone, str, InPart]


def test_a_block_turns_an_action_into_the_default() -> None:
    """If rotating is blocked, the default action is a pull."""
    said = told(lay(hand="", blue="A1", red="D4", blocked="ROTATE"), "ROTATE CW")

    assert said == ["ROTATE is blocked for you in this turn; by default you pulled E: no bubble came from B1 to A1"]


def test_of_two_moves_the_first_is_made_and_no_default_is_told() -> None:
    """A second line of a kind is refused; the outcome of the first is told with the first."""
    said = told(lay(hand="rr"), "MOVE N", "MOVE E", "PULL E", "ROTATE CW")

    assert said[0] == "it went to C2, placing red on C2"
    assert said[1::2] == [
        "the sheet says MOVE N already",
        "the sheet says PULL E already",
    ]


def test_a_second_line_for_a_pop_is_for_the_second_pop() -> None:
    """Each line for a pop is told with its own pop, also if two lines are alike."""
    state = lay(hand="", lying={"C3": "rr", "C2": "g"}, cards={"C3": "NS"})

    assert told(state, "PULL N", "POP C3 green N", "POP C3 green N")[1:] == [
        "pop 1: green N to C2 and red S to C4; you collected red",
        "C3 popped once only",
    ]


def test_a_start_and_a_first_card_are_told() -> None:
    """The outcome names the start and why it is not the first choice, and the card held and the one returned."""
    state = new_game(("red", "blue"))
    card, other = state.players["blue"].offer
    titles = view(state, "blue")["abilities"]
    north, east = "C1", "D3"
    kept = f"you hold {titles[card]['title']}; {titles[other]['title']} went back"

    def said(*lines: str) -> list[str]:
        return told(state, *lines, others={"red": [f"START {north}"]})

    assert said(f"START {east}", f"KEEP {card}") == [f"it is on {east}", kept]
    assert said(f"START {north} {east}") == [f"it is on {east}, for the side of {north} was taken"]
    assert said(f"START {north}", "KEEP red") == [
        f"it is on {east}, for the side of {north} was taken",
        f"your starting ability is one of the two cards dealt; {kept}",
    ]


def test_what_cards_were_drawn_and_kept_is_told() -> None:
    """The outcome of DRAW names the cards drawn, that of KEEP the cards offered or kept."""
    state = stacked(
        lay(hand="", nodes=["C3"], held=["wormhole"], lying={"C3": "rr", "C2": "g"}, cards={"C3": "NES"}),
        movement="drift explorer",
        reactions="fusion harvest",
    )
    drawn = play(state, "PULL N", "DRAW movement reactions")

    assert told(state, "PULL N", "DRAW movement reactions", "KEEP red")[1:] == [
        "you drew Quantum Drift and Bubble Fusion",
        "you are asked what to keep of Quantum Drift and Bubble Fusion",
    ]
    assert told(drawn.state, "KEEP fusion") == ["you kept Bubble Fusion; Quantum Drift went back"]
    assert told(drawn.state, "KEEP drift wormhole") == [
        "you chose Quantum Drift over Bubble Fusion; you kept Quantum Drift; Wormhole Travel went back"
    ]


def test_bubbles_drawn_and_not_chosen_yet_are_asked_for() -> None:
    """Without a KEEP the outcome of USE RESEARCH names the open choice, or what the standing list kept."""
    state = lay(blue="B1", red="C2", hand="b", bag="rgy", stations=True)
    asked = told(state, "MOVE W", "USE RESEARCH")[1]
    listed = told(replace(state, lists={"blue": ("yellow", "green", "red")}), "MOVE W", "USE RESEARCH")[1]

    assert "; you are asked what to keep of " in asked
    assert listed.endswith("; you kept yellow and green")


def test_who_left_did_nothing_else() -> None:
    """All other lines of a player who resigned or was removed had no effect."""
    assert told(lay(), "MOVE N", "RESIGN CONFIRM") == [
        "you were out of the game by then",
        "what lay before you went back",
    ]
    assert told(lay(), "MOVE N", removed=frozenset({"blue"})) == ["you were out of the game by then"]


def test_nothing_comes_of_a_turn_after_the_end() -> None:
    """If all others left first, no line has an effect."""
    assert told(lay(), "MOVE N", "KEEP red", "POP C3 red N", "SWAP C3 N", others={"red": ["RESIGN CONFIRM"]})[0:2] == [
        "the game ended before it came to that",
        "the game ended before it came to that",
    ]


def test_without_an_action_the_move_tells_what_popped() -> None:
    """The score of pops after a default action is told with the move, chains summed."""
    lying = {"D4": "ggg", "A4": "ggg"}

    assert told(lay(hand="r", lying=lying), "MOVE N") == [
        "it went to C2, placing red on C2; then 2 pops in 2 chains scored 2 points"
    ]


def _reports() -> Iterator[tuple[View, View, tuple[Order, ...]]]:
    """Yield the views before and after a turn, and its orders, of all seats awaited in games of bots and gremlins."""
    for game in games(RULESET):
        for step, following in pairwise(game.steps):
            for seat, orders in step.turn.orders.items():
                yield step.views[seat], following.views[seat], orders


@pytest.mark.in_turn
@pytest.mark.slow
def test_in_played_games_the_places_said_are_those_of_the_view() -> None:
    """In played games outcomes name the Mari's place, the first card and the points won as the view has them."""
    seen = set[type[Order]]()
    for before, after, orders in _reports():
        me, lines = after["players"][after["seat"]], RULESET.order_outcomes(after, orders)
        points = sum(int(number) for number in re.findall(r"scored ([0-9]+) point", " ".join(lines)))
        assert not points or points == me["points"] - before["players"][after["seat"]]["points"]
        for order, said in zip(orders, lines, strict=True):
            if isinstance(order, Move) and said.startswith("it went"):
                assert said.split(", placing ")[0].endswith(f" to {me['at']}")
                seen.add(Move)
            if isinstance(order, Start) and said.startswith("it is"):
                assert said.startswith(f"it is on {me['at']}")
                seen.add(Start)
            if isinstance(order, Keep) and said.startswith("you hold"):
                assert said.startswith(f"you hold {after['abilities'][me['cards'][0]]['title']};")
                seen.add(Keep)
            if isinstance(order, Pop) and said.endswith("did not pop"):
                assert order.space not in {event.get("space") for event in after["events"] if event["kind"] == "popped"}
            if isinstance(order, Resign):
                assert me["out"]
            assert said
    assert seen == {Move, Start, Keep}
