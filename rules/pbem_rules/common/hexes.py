"""Hexagons in axial coordinates (q, r): directions, distances, rings, drawing.

Flat-top hexes, with r growing to the south and q to the south-east, so the
third cube coordinate is s = −q − r.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

Hex = tuple[int, int]

DIRECTIONS: dict[str, Hex] = {
    "N": (0, -1),
    "NE": (1, -1),
    "SE": (1, 0),
    "S": (0, 1),
    "SW": (-1, 1),
    "NW": (-1, 0),
}
"""The six directions of a flat-top board, clockwise from north."""


def step(start: Hex, direction: Hex, count: int = 1) -> Hex:
    """Return the hex `count` steps away in a direction."""
    return start[0] + direction[0] * count, start[1] + direction[1] * count


def distance(a: Hex, b: Hex) -> int:
    """Return the number of steps between two hexes."""
    q, r = a[0] - b[0], a[1] - b[1]
    return (abs(q) + abs(r) + abs(q + r)) // 2


def disc(radius: int) -> Iterator[Hex]:
    """Yield all hexes within `radius` of (0, 0), by q, then r: 3·radius·(radius + 1) + 1 of them."""
    for q in range(-radius, radius + 1):
        for r in range(max(-radius, -q - radius), min(radius, radius - q) + 1):
            yield q, r


def ring(radius: int) -> list[Hex]:
    """Return the hexes exactly `radius` from (0, 0), clockwise from the northern corner."""
    if radius == 0:
        return [(0, 0)]
    here = step((0, 0), DIRECTIONS["N"], radius)
    hexes = []
    for name in ("SE", "S", "SW", "NW", "N", "NE"):
        for _ in range(radius):
            hexes.append(here)
            here = step(here, DIRECTIONS[name])
    return hexes


def neighbours(cell: Hex) -> list[Hex]:
    """Return the six hexes around one, clockwise from north."""
    return [step(cell, direction) for direction in DIRECTIONS.values()]


def centre(cell: Hex, size: float) -> tuple[float, float]:
    """Return the middle of a flat-top hex of edge `size`, in pixels from that of (0, 0)."""
    q, r = cell
    return 1.5 * size * q, math.sqrt(3) * size * (r + q / 2)


def corners(x: float, y: float, size: float) -> str:
    """Return the `points` of an SVG polygon for the flat-top hex around (x, y)."""
    return " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in _corners(size))


@functools.lru_cache(maxsize=8192)
def outline(x: int, y: int, size: float) -> tuple[tuple[int, int], ...]:
    """Return the corners of the flat-top hex around (x, y) in whole pixels, for a tap target."""
    return tuple((x + round(dx), y + round(dy)) for dx, dy in _corners(size))


def _corners(size: float) -> tuple[tuple[float, float], ...]:
    """Return the corners of a flat-top hex, relative to its middle."""
    half, height = size / 2, math.sqrt(3) * size / 2
    return (size, 0), (half, height), (-half, height), (-size, 0), (-half, -height), (half, -height)
