"""The bots, judged by the sheets they write."""

from __future__ import annotations

import pytest

from pbem.ruleset import Dice, SeatName
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.state import SEATS, State
from tests.rules.singularity.table import new_game, position, read, turn, view

ONE_SHORT = "a6 d7 b5 e6 c4 f5 d4 g2 e3 d6 f3"
"""Size 4: red, who has just placed, would win with g3 and nowhere else."""


def sheet(state: State, seat: SeatName, name: str = "standard") -> list[str]:
    """Return a bot's sheet."""
    return RULESET.bots[name](view(state, seat), Dice(b"bot"))


def test_the_bot_wins_where_one_stone_does_it() -> None:
    """A stone that wins is placed."""
    state = position(f"{ONE_SHORT} e4", size=4)

    after, _ = turn(state, red=sheet(state, "red"))

    assert after.result is not None
    assert after.result.winners == ("red",)


def test_the_bot_blocks_what_would_win() -> None:
    """A cell where the opponent would win at once is taken, unless the bot wins itself."""
    state = position(ONE_SHORT, size=4)

    after, _ = turn(state, blue=sheet(state, "blue"))

    assert all(not after.board().wins_at(0, cell) for cell in after.board().free())


@pytest.mark.in_turn
def test_the_bot_keeps_replies() -> None:
    """In a game of bots replies are kept, each on a cell that touches a stone of its owner, and some are played."""
    state, kept, turns = new_game(5), 0, 0
    while state.result is None:
        mover = state.mover
        lines = sheet(state, mover)
        state, _ = turn(state, **{mover: lines})
        turns += 1
        for reply in view(state, mover)["kept"]:
            cell = state.field.cells[reply["reply"]]
            kept += 1
            assert any(state.board().colour(side) == SEATS.index(mover) for side in state.field.near[cell])

    assert kept > 0
    assert len(state.moves) > turns


def test_the_bot_forgets_what_it_kept_before() -> None:
    """Each sheet drops old replies first, so that none answers a new danger."""
    state, _ = turn(new_game(4), red=["IF a4 THEN a5"])

    assert sheet(state, "red")[0] == "FORGET"


@pytest.mark.in_turn
def test_the_bot_beats_one_that_plays_anywhere() -> None:
    """It wins three games on a small board, one after the other, from either seat."""
    for number, seat in enumerate(("red", "blue", "red")):
        state = new_game(4)
        while state.result is None:
            name = "standard" if state.mover == seat else "random"
            lines = RULESET.bots[name](view(state, state.mover), Dice(b"bot").within(number))
            state, _ = turn(state, **{state.mover: lines})
        assert state.result.winners == (seat,)


@pytest.mark.parametrize("name", ["standard", "random"])
def test_a_game_of_bots_ends_and_every_line_is_taken(name: str) -> None:
    """A game on the smallest board ends, and no line of either bot is refused."""
    state = new_game(3)
    while state.result is None:
        lines = sheet(state, state.mover, name)
        assert read(state, state.mover, *lines).errors == ()
        state, _ = turn(state, **{state.mover: lines})

    assert len(state.moves) <= 18
