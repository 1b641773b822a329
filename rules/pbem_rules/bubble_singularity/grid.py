"""Squares of a board, and the directions between them.

A square is named by the letter of its column and the number of its row, A1 in
the north-west. Arrows point north, east, south or west; Quantum Drift adds the
four diagonals.
"""

from __future__ import annotations

from functools import cache

WAYS = ("N", "E", "S", "W")
"""The directions of arrows and plain moves, clockwise from north: the default order of everything."""

DIAGONALS = ("NE", "SE", "SW", "NW")
SHIFTS = {
    "N": (0, -1),
    "NE": (1, -1),
    "E": (1, 0),
    "SE": (1, 1),
    "S": (0, 1),
    "SW": (-1, 1),
    "W": (-1, 0),
    "NW": (-1, -1),
}
_LETTERS = "ABCDE"


def square(x: int, y: int) -> str:
    """Return the name of the square in column `x` and row `y`, both from 0."""
    return f"{_LETTERS[x]}{y + 1}"


def spot(name: str) -> tuple[int, int]:
    """Return column and row of a square, both from 0."""
    return _LETTERS.index(name[0]), int(name[1]) - 1


@cache
def squares(size: int) -> tuple[str, ...]:
    """Return all squares, row by row from the north-west: the order in which pops begin (ruling 11)."""
    return tuple(square(x, y) for y in range(size) for x in range(size))


@cache
def step(name: str, way: str, size: int) -> str | None:
    """Return the next square that way; None beyond the edge."""
    x, y = spot(name)
    dx, dy = SHIFTS[way]
    x, y = x + dx, y + dy
    return square(x, y) if 0 <= x < size and 0 <= y < size else None


@cache
def open_first(name: str, ways: str, size: int) -> tuple[tuple[str, ...], int]:
    """Return ways, those first that stay on the board, and the number of these."""
    on_board = [way for way in ways if step(name, way, size)]
    return (*on_board, *(way for way in ways if way not in on_board)), len(on_board)


@cache
def across(name: str, way: str, size: int) -> str | None:
    """Return the next square that way; from an edge, the square at the other end of the row or column (ruling 16)."""
    x, y = spot(name)
    dx, dy = SHIFTS[way]
    # Wormhole Travel does not work diagonally.
    return step(name, way, size) or (square((x + dx) % size, (y + dy) % size) if way in WAYS else None)


@cache
def around(name: str, size: int) -> tuple[str, ...]:
    """Return the squares that share a side with a square, clockwise from north."""
    found = (step(name, way, size) for way in WAYS)
    return tuple(near for near in found if near is not None)


def distance(one: str, other: str) -> int:
    """Return the number of steps between two squares, without diagonals."""
    (ax, ay), (bx, by) = spot(one), spot(other)
    return abs(ax - bx) + abs(ay - by)


@cache
def rim(size: int) -> tuple[str, ...]:
    """Return the squares of the outer edge, clockwise from A1."""
    last = size - 1
    spots = [(at, 0) for at in range(last)] + [(last, at) for at in range(last)]
    spots += [(last - at, last) for at in range(last)] + [(0, last - at) for at in range(last)]
    return tuple(square(x, y) for x, y in spots)


@cache
def starts(size: int) -> dict[str, tuple[str, ...]]:
    """Return the start squares of each side, those that are not nodes first (rulings 2 and 27)."""
    if size == 5:
        return {"N": ("C1",), "E": ("E3",), "S": ("C5",), "W": ("A3",)}
    # B1, D2, C4 and A3 are nodes (ruling 2).
    return {"N": ("C1", "B1"), "E": ("D3", "D2"), "S": ("B4", "C4"), "W": ("A2", "A3")}


def side_of(start: str, size: int) -> str:
    """Return the side to which a start square belongs."""
    return next(side for side, found in starts(size).items() if start in found)


@cache
def first_nodes(size: int) -> tuple[str, ...]:
    """Return the squares of the four nodes at the start (rulings 2 and 27)."""
    return ("B1", "D2", "A3", "C4") if size == 4 else ("B2", "D2", "B4", "D4")


@cache
def far_nodes(side: str, size: int) -> tuple[str, ...]:
    """Return the nodes opposite a side: on 4×4 the one on the far side, on 5×5 both of the far half."""
    axis, far = {"N": (1, size), "S": (1, 0), "W": (0, size), "E": (0, 0)}[side]
    gaps = {node: abs(spot(node)[axis] - far) for node in first_nodes(size)}
    return tuple(node for node in first_nodes(size) if gaps[node] == min(gaps.values()))
