"""The bots, judged by the sheets they write."""

from __future__ import annotations

import sys
from itertools import cycle
from types import FrameType
from typing import Any

import pytest

from pbem.ruleset import Dice, SeatName
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.grid import squares
from pbem_rules.bubble_singularity.orders import Move, Pull, Rotate
from pbem_rules.bubble_singularity.state import Rules, State
from pbem_rules.bubble_singularity.turn import rehearse, rehearse_all
from tests.rules.bubble_singularity.table import lay, new_game, play, read, tokens, view

PAIRS = ("rg", "by", "gb", "yr", "bb")
"""Bubbles that lie on the spaces of a crowded board, in turn."""


def sheet(state: State, seat: SeatName, name: str = "standard", key: int = 0) -> list[str]:
    """Return the sheet of a bot."""
    return RULESET.bots[name](view(state, seat), Dice(b"bot").within(key))


def played(state: State, names: dict[SeatName, str], cap: int = 200) -> tuple[State, int]:
    """Play a game of bots, to its end or to a cap, and return it with the number of its turns."""
    turns = 0
    while state.result is None and turns < cap:
        if state.phase == "setup":
            state = play(state, seat=state.seats[0]).state
        else:
            seat = state.mover
            assert seat is not None
            parsed = read(state, *sheet(state, seat, names[seat], turns), seat=seat)
            lines = [RULESET.orders.line(order) for order in parsed.orders]
            assert names[seat] == "random" or not parsed.errors
            state = play(state, *lines, seat=seat).state
        turns += 1
    return state, turns


def test_the_bot_takes_the_best_chain() -> None:
    """The bot chooses the action that brings the most pops."""
    lying = {"C3": "rr", "C2": "gy", "B3": "rr", "D3": "rr", "C4": "rr"}
    state = lay(hand="", lying=lying, cards={"B3": "NES", "D3": "NSW"})

    assert play(state, *sheet(state, "blue")).scored["points"] == 10


def test_sheets_rehearsed_together_are_as_one_by_one() -> None:
    """Sheets that share a move bring the same chains, tables and events as each by itself."""
    state = lay(hand="rgb", lying={"C3": "rr", "C2": "gy", "B3": "rr", "D3": "rr", "C4": "rr", "B2": "rr"})
    actions = (Rotate("CW"), Rotate("CCW"), *map(Pull, "NESW"))
    sheets = [(Move(path), action) for path in (("N",), ("E", "W"), ("N", "S")) for action in actions]
    alone = [rehearse(state, "blue", sheet) for sheet in sheets]
    together = [play for _, play in rehearse_all(state, "blue", sheets)]

    assert any(play.pops for play in alone)
    for one, other in zip(alone, together, strict=True):
        assert vars(one.table) == vars(other.table)
        assert (one.events, one.pops, len(one.refusals)) == (other.events, other.pops, len(other.refusals))


def test_the_bot_uses_its_abilities() -> None:
    """The bot moves a bubble by Bubble Director where that begins a chain."""
    state = lay(held=["director"], hand="", lying={"A4": "b", "B4": "rr"})

    assert any(line.startswith("USE DIRECTOR") for line in sheet(state, "blue"))


@pytest.mark.parametrize(
    ("card", "hand", "lying", "line"),
    [
        ("fusion", "rrb", {"B4": "b", "C3": "b", "A4": "b", "D1": "r"}, "BUBBLES blue"),
        ("resonance", "bbb", {"C4": "r", "C1": "b", "D4": "b", "D1": "r"}, "BUBBLES blue+"),
        ("explorer", "bbb", {"D4": "b", "A2": "b", "A1": "b", "B1": "b"}, "BUBBLES none"),
        ("attractor", "bbb", {"D2": "b", "A1": "b", "C4": "b", "B1": "b"}, "USE ATTRACTOR"),
    ],
)
def test_the_bot_places_bubbles_as_its_card_allows(card: str, hand: str, lying: dict[str, str], line: str) -> None:
    """The bot tries other bubbles, one more, one fewer and nodes brought nearer where an ability allows it."""
    state = lay(held=[card], hand=hand, lying=lying, nodes=["B1", "D2"])

    # Of more than 300 moves with an action, the lot leaves some out.
    assert any(each.startswith(line) for key in range(3) for each in sheet(state, "blue", key=key))


@pytest.mark.parametrize(
    ("hand", "held", "options"),
    [
        ("bbb", ["director"], {}),
        ("rrrgggbbbb", ["drift", "fusion", "director"], {"advanced": True}),
        ("rrrgggbbbb", ["explorer", "fusion", "director"], {"advanced": True}),
        ("bbb", [], {"advanced": True, "beginner": True}),
        ("", [], {"advanced": True, "beginner": True}),
    ],
)
def test_a_decision_takes_a_bounded_number_of_steps(hand: str, held: list[str], options: dict[str, Any]) -> None:
    """However large the board, and however long its chains, a bot decides within so many calls of functions."""
    pairs = dict(zip(squares(Rules(**options).size), cycle(PAIRS), strict=False))
    crowded = view(lay(hand=hand, held=held, lying=pairs, **options), "blue")
    calls, before = [0], sys.getprofile()

    def count(_frame: FrameType, event: str, _value: Any) -> None:
        calls[0] += event == "call"

    sys.setprofile(count)
    try:
        RULESET.bots["standard"](crowded, Dice(b"bot"))
    finally:
        sys.setprofile(before)

    # About 0.1 s on a machine that has other work too.
    assert 10_000 < calls[0] < 200_000


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "options", [{}, {"stations": True}, {"advanced": True}, {"layout": "shuffled"}, {"beginner": True}]
)
def test_a_game_of_standard_bots_ends(options: dict[str, Any]) -> None:
    """With every option a game of two bots ends, and no bubble is lost."""
    first = new_game(2, **options)
    state, _ = played(first, dict.fromkeys(first.seats, "standard"))

    assert state.result is not None
    assert tokens(state) == 60


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("seats", "seed", "layout"),
    [
        *((2, b"b", "standard"), (3, bytes([2]), "standard"), (4, b"a", "standard")),
        *((3, bytes([1]), "shuffled"), (3, bytes([3]), "shuffled")),
    ],
)
def test_beginners_bots_do_not_stall(seats: int, seed: bytes, layout: str) -> None:
    """Beginners' bots that have placed all their bubbles gather others, and the game ends by markers."""
    first = new_game(seats, beginner=True, rounds="none", layout=layout, seed=seed)
    state, _ = played(first, dict.fromkeys(first.seats, "standard"))

    assert state.result is not None
    assert state.result.how == "markers"


@pytest.mark.parametrize("name", ["standard", "random"])
def test_bots_play_on_where_nothing_can_be_done(name: str) -> None:
    """Without bubbles in reach and with ROTATE blocked, a bot names no action and plays on."""
    stuck = lay(hand="", blocked="ROTATE", stations=True)

    assert play(stuck, *sheet(stuck, "blue", name)).state.mover == "red"


def test_one_sheet_is_one_turn() -> None:
    """Standard bots name all cards in KEEP, so they are never asked between turns."""
    state, asked = new_game(2), 0
    while state.result is None:
        state, _ = played(state, dict.fromkeys(state.seats, "standard"), cap=1)
        asked += state.phase == "question"

    assert asked == 0


def test_a_game_of_random_bots_keeps_the_rules() -> None:
    """Random play breaks nothing: no bubble is lost, and each seat holds one card of a category at most."""
    first = new_game(3, advanced=True)
    state, turns = played(first, dict.fromkeys(first.seats, "random"), cap=60)

    assert turns > 10
    assert tokens(state) == 60
    assert all(len(player.cards) <= 3 for player in state.players.values())


def test_the_bot_beats_one_that_plays_anywhere() -> None:
    """Against random play the standard bot wins, from either seat."""
    for names in ({"red": "standard", "green": "random"}, {"red": "random", "green": "standard"}):
        state, _ = played(new_game(2), dict(names))
        assert state.result is not None
        assert [names[seat] for seat in state.result.winners] == ["standard"]


@pytest.mark.parametrize("name", ["standard", "random"])
def test_bots_answer_questions(name: str) -> None:
    """Bots choose from the cards drawn, and at the set-up a start and a card."""
    asked = play(lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"}), "PULL N").state

    assert read(asked, *sheet(asked, "blue", name)).errors == ()
    assert any(line.startswith("KEEP") for line in sheet(new_game(), "red", name))


def test_bots_know_only_views() -> None:
    """Bots choose alike in worlds that differ only in the order of the decks."""
    one, two = new_game(2), new_game(2)

    assert sheet(one, "red") == sheet(two, "red")
