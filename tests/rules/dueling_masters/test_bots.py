"""The bots, judged by the sheets they write."""

from __future__ import annotations

import pytest

from pbem.ruleset import Dice, SeatName
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.state import SEATS, State
from tests.rules.dueling_masters.table import codes, new_game, position, read, told, turn, view

LONGEST = 150

VARIANTS: tuple[dict[str, object], ...] = (
    {},
    {"homes": "3"},
    {"collisions": "reached"},
    {"homes": "3", "home_moves": True, "collisions": "reached"},
)


def sheet(state: State, seat: SeatName, name: str = "standard") -> list[str]:
    """Return the sheet of a bot."""
    return RULESET.bots[name](view(state, seat), Dice(b"bot"))


def played(state: State, names: tuple[str, str], number: int) -> State:
    """Play a game of two bots, as far as it goes; none of their lines is refused."""
    for _ in range(LONGEST):
        if state.result is not None:
            break
        dice = Dice(b"bot").within(number)
        bots = {seat: RULESET.bots[name] for seat, name in zip(SEATS, names, strict=True)}
        sheets = {seat: bots[seat](view(state, seat), dice) for seat in RULESET.standing(state).awaiting}
        state, _ = turn(state, one=sheets.get("one"), two=sheets.get("two"))
    return state


@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_game_of_bots_ends(options: dict[str, object]) -> None:
    """Two standard bots play every variant to its end, home destroyed or draw."""
    for number in range(3):
        assert played(new_game(**options), ("standard", "standard"), number).result is not None


@pytest.mark.in_turn
def test_the_bot_beats_one_that_moves_anywhere() -> None:
    """Luck matters in this game, but the bot wins twelve of sixteen games, played from both seats."""
    won = 0
    for number in range(16):
        names = ("standard", "random") if number % 2 else ("random", "standard")
        result = played(new_game(), names, number).result
        won += result is not None and result.winners == (SEATS[names.index("standard")],)

    assert won >= 12


def test_the_bot_completes_a_set_up() -> None:
    """The bot places the kinds that are missing, and leaves the others."""
    state, _ = turn(new_game(), one=["SETUP HOME C3"], two=[])

    assert codes(read(state, "one", *sheet(state, "one"))) == []
    assert "HOME" not in " ".join(sheet(state, "one"))


@pytest.mark.parametrize("name", ["standard", "random"])
def test_a_bot_without_a_piece_that_can_move_orders_nothing(name: str) -> None:
    """Such a seat is passed over; a bot that is asked for it all the same writes no line."""
    assert sheet(position("HOME A5", "Z1 J1"), "one", name) == []


def test_the_bot_hides_its_home_planet_aside() -> None:
    """Of a whole set-up the home planet stands on a column at the edge, and asteroids at the front."""
    lines = [line.split() for line in sheet(new_game(), "one")]
    squares = {kind: places for _, kind, *places in lines}

    assert squares["HOME"][0] in {"C1", "C10", "D1", "D10"}
    assert {square[0] for square in squares["ASTEROID"]} == {"E"}


def test_the_bot_searches_beside_asteroids_at_the_back() -> None:
    """An asteroid that was met far from the front guarded something: the bot flies over H9, beside I8."""
    state, _ = turn(position("X1 A1, B A2, X2 A3, Z2 E8>I8", "Z1 F1, ASTEROID I8"), one=["MOVE Z2 J8"])
    state, _ = turn(state, two=["MOVE Z1 G1"])

    assert view(state, "one")["enemy_lost"][0]["square"] == "I8"
    assert sheet(state, "one") == ["MOVE B I10"]


def test_the_bot_goes_on_with_a_flight_over_unknown_squares() -> None:
    """The bot orders a piece again that has flown through the enemy's half, to have it judged."""
    state = position("Z1 J1>J9, Z2 A1, X1 A2", "Z1 F1")

    assert sheet(state, "one")[0].startswith("MOVE Z1")


def test_the_bot_strikes_at_what_is_weaker() -> None:
    """The bot attacks a known enemy with a piece that destroys it."""
    state, events = turn(position("X1 C1, Z1 A4>D1, B A1", "Y1 D1, Z1 J2"), one=["MOVE Z1 E1"])
    state, _ = turn(state, two=["MOVE Z1 J3"])
    assert told(events, "one", "spent")

    line = sheet(state, "one")[0].split()

    assert line[1] in {"X1", "B"}


def test_the_bot_agrees_to_a_draw_without_hope() -> None:
    """A bot with nothing left to search with accepts a draw, or else offers one."""
    state = position("HOME A5", "Z1 J1, HOME J9", home_moves=True)
    offered, _ = turn(position("HOME A5", "Z1 J1", mover="two", home_moves=True), two=["MOVE Z1 J2", "DRAW OFFER"])

    assert sheet(state, "one")[-1] == "DRAW OFFER"
    assert sheet(offered, "one") == ["DRAW ACCEPT"]
