"""The board of 10 by 10 squares, and the paths of pieces over it.

Squares are named as players write them, "C4": a letter for the row and a number
for the column. Player one's board has row A at the bottom, player two's row J.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pbem.ruleset import SeatName

ROWS = "ABCDEFGHIJ"
COLUMNS = range(1, 11)
SQUARES: tuple[str, ...] = tuple(f"{row}{column}" for row in ROWS for column in COLUMNS)
SPOTS: Mapping[str, tuple[int, int]] = {
    square: (ROWS.index(square[0]), int(square[1:]) - COLUMNS[0]) for square in SQUARES
}
"""Row and column of each square, both from 0."""

HALVES: Mapping[SeatName, str] = {"one": "ABCDE", "two": "FGHIJ"}
"""The rows that each player owns, from player one's side upward."""

_ROOK = ((-1, 0), (0, -1), (0, 1), (1, 0))
_BISHOP = ((-1, -1), (-1, 1), (1, -1), (1, 1))
_LINES = {"queen": _ROOK + _BISHOP, "rook": _ROOK, "bishop": _BISHOP}


def rows_from_top(seat: SeatName) -> str:
    """Return the rows of a player's board from the top down; the player's own half is at the bottom."""
    return ROWS[::-1] if seat == "one" else ROWS


def territory(seat: SeatName) -> tuple[str, ...]:
    """Return the squares that a player owns."""
    return tuple(square for square in SQUARES if square[0] in HALVES[seat])


def colour(square: str) -> int:
    """Return the colour of a square, 0 or 1, as on a chess board."""
    row, column = SPOTS[square]
    return (row + column) % 2


def distance(one: str, other: str) -> int:
    """Return the steps of a chess king between two squares."""
    (row, column), (to_row, to_column) = SPOTS[one], SPOTS[other]
    return max(abs(row - to_row), abs(column - to_column))


@cache
def flights(manner: str, origin: str) -> Mapping[str, tuple[str, ...]]:
    """Return every square that a manner of moving reaches on an empty board, with the path to it.

    A path is every square after the one departed from, the destination last
    (ruling 2). Manners are "queen", "rook", "bishop", "leap" (two squares
    straight, then one sideways), "king", and "" for pieces that never move.
    """
    if manner == "leap":
        return {path[-1]: path for step in _ROOK for path in _leaps(origin, step)}
    if manner == "king":
        return {path[-1]: path for step in _LINES["queen"] if (path := _line(origin, step)[:1])}
    lines = (_line(origin, step) for step in _LINES.get(manner, ()))
    return {line[end]: line[: end + 1] for line in lines for end in range(len(line))}


def _line(origin: str, step: tuple[int, int]) -> tuple[str, ...]:
    """Return the squares from the next one to the edge of the board."""
    squares = []
    square = _next(origin, step)
    while square:
        squares.append(square)
        square = _next(square, step)
    return tuple(squares)


def _leaps(origin: str, step: tuple[int, int]) -> list[tuple[str, ...]]:
    """Return the two leaps that begin with two squares in one direction."""
    straight = _line(origin, step)[:2]
    if len(straight) < 2:
        return []
    down, right = step
    ends = (_next(straight[1], side) for side in ((right, down), (-right, -down)))
    return [(*straight, end) for end in ends if end]


def _next(square: str, step: tuple[int, int]) -> str:
    row, column = SPOTS[square]
    name = f"{ROWS[row + step[0]]}{column + step[1] + 1}" if 0 <= row + step[0] < len(ROWS) else ""
    return name if name in SPOTS else ""
