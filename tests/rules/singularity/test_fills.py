"""Boards filled by lot, many at once."""

from __future__ import annotations

import pytest

from pbem_rules.singularity.board import Board
from pbem_rules.singularity.field import field_of
from pbem_rules.singularity.fills import draw, starts, wins

BOARDS = 400


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_boards_at_once_are_won_as_stone_by_stone(size: int) -> None:
    """A colour has won exactly those boards that it has won by placing the same stones."""
    field = field_of(size)
    free = [cell for cell in range(len(field.axial)) if cell != field.black]
    drawn = draw(b"a key", free, BOARDS)
    won = wins(field, [drawn.get(cell, 0) for cell in range(len(field.axial))], starts(field))

    placed = [[cell for cell in free if drawn[cell] >> board & 1] for board in range(BOARDS)]
    assert [bool(won >> board & 1) for board in range(BOARDS)] == [Board(field).place(0, *cells) for cells in placed]
    assert 0 < won.bit_count() < BOARDS
