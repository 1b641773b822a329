"""Full boards: one winner, or rarely none."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable

import pytest

from pbem_rules.singularity.board import BLUE, NOBODY, RED, Board
from pbem_rules.singularity.field import Grid, field_of
from tests.rules.singularity import literal


def winners(board: Board) -> tuple[int, ...]:
    """Return the colours of which some group meets a condition."""
    return tuple(
        colour
        for colour in (RED, BLUE)
        if any(up == cell and board.field.wins(board.rims[cell]) for cell, up in enumerate(board.links[colour]))
    )


def filled(field: Grid, red: Iterable[int]) -> Board:
    """Return a full board on which red has these cells and blue all others."""
    board, mine = Board(field), set(red)
    for cell in board.free():
        board.place(RED if cell in mine else BLUE, cell)
    return board


@pytest.mark.in_turn
@pytest.mark.slow
def test_every_full_board_of_size_3_has_one_winner_or_none() -> None:
    """Of all 48,620 ways to fill the smallest board, none makes both win, and 2,980 neither."""
    field = field_of(3)

    ends = Counter(winners(filled(field, red)) for red in itertools.combinations(Board(field).free(), 9))

    assert ends == {(RED,): 22_820, (BLUE,): 22_820, (): 2_980}


@pytest.mark.parametrize("size", [4, 5, 6, 7])
def test_both_players_never_win_a_full_board(size: int) -> None:
    """On random full boards at most one player meets a condition, however the cells are shared out."""
    field, rnd = field_of(size), random.Random(size)
    free = Board(field).free()
    for _ in range(400):
        share = rnd.choice((len(free) // 2, rnd.randrange(len(free))))
        assert len(winners(filled(field, rnd.sample(free, share)))) <= 1


def test_who_wins_first_is_who_wins_the_full_board() -> None:
    """Stones never hurt their owner, so playing on after a win would not change the winner."""
    field, rnd = field_of(5), random.Random(5)
    for _ in range(200):
        order = rnd.sample(Board(field).free(), len(field.axial) - 1)
        board = Board(field)
        won = [number % 2 for number, cell in enumerate(order) if board.place(number % 2, cell)]

        assert winners(Board(field, order)) == tuple(won[:1])


def test_a_board_nobody_wins() -> None:
    """A full board without a winner, word by word: red's chain is cut off at the black stone, blue's is too short."""
    red = ["a3", "a4", "a5", "b2", "b3", "b4", "b5", "d1", "d4"]
    field = field_of(3)
    free = {field.names[cell] for cell in Board(field).free()}

    board = filled(field, [field.cells[name] for name in red])

    assert winners(board) == ()
    assert not literal.has_won(3, red)
    assert not literal.has_won(3, free - set(red))
    assert board.free() == []
    assert board.colour(field.black) == NOBODY
