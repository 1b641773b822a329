"""Spaces of the board, vectors and distances, and the way players write them.

A space is (q, r, z): an axial hex and a level (ruling 1). Players write it as
column letter, row and signed level: "J10+0" is the centre, "J1+9" may be a home.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from pbem.ruleset import View, plain_signs
from pbem_rules.common import hexes

Space = tuple[int, int, int]
Offset = tuple[int, int, int]

LARGEST_RADIUS = 12
"""The largest radius at which one letter names every column."""

HIGHEST_LEVEL = 20


def _vectors() -> dict[str, Offset]:
    vectors = {}
    for name, (q, r) in hexes.DIRECTIONS.items():
        for suffix, z in (("", 0), ("+", 1), ("-", -1)):
            vectors[name + suffix] = (q, r, z)
    return {**vectors, "UP": (0, 0, 1), "DOWN": (0, 0, -1)}


VECTORS: dict[str, Offset] = _vectors()
"""The twenty vectors (ruling 2): a board direction, level, rising or falling; or straight up or down."""


def plus(space: Space, offset: Offset, count: int = 1) -> Space:
    """Return the space `count` times an offset away; it may be off the board."""
    return space[0] + offset[0] * count, space[1] + offset[1] * count, space[2] + offset[2] * count


def distance(a: Space, b: Space) -> int:
    """Return the distance of two spaces: the greater of hex distance and difference in level (ruling 2)."""
    q, r = a[0] - b[0], a[1] - b[1]
    return max(abs(q), abs(r), abs(q + r), abs(a[2] - b[2]))


@functools.cache
def within(reach: int) -> tuple[Offset, ...]:
    """Return the offsets to all spaces at a distance from 1 to `reach`."""
    levels = range(-reach, reach + 1)
    return tuple((q, r, z) for z in levels for q, r in hexes.disc(reach) if (q, r, z) != (0, 0, 0))


_WRITTEN = re.compile(r"([A-Z])([0-9]{1,2})(?:([+-])([0-9]{1,2}))?")

# Matches "J 10", "J10/+3", "J10 level 3" and "J,10,3".
_SPOKEN = re.compile(r"([A-Z])([ ,]?)([0-9]{1,2})(?:[ ,/:]*(LEVEL ?|LVL ?|L ?|Z ?|,)?([+-]?) ?([0-9]{1,2}))?")


@dataclass(frozen=True, slots=True)
class StarMap:
    """A hexagon of `radius` with levels from -`levels` to +`levels`."""

    radius: int
    levels: int

    def has(self, space: Space) -> bool:
        """Return True if a space is on the board."""
        q, r, z = space
        radius = self.radius
        return -radius <= q <= radius and -radius <= r <= radius and abs(q + r) <= radius and abs(z) <= self.levels

    def name(self, space: Space) -> str:
        """Return a space as players write it, such as "J1+9"."""
        return _name(self.radius, space)

    def read(self, word: str) -> Space | None:
        """Return the space that a player wrote, or None if there is none such; a missing level is +0."""
        space = _read(self.radius, plain_signs(word).upper())
        return space if space and self.has(space) else None

    def at(self, name: str) -> Space:
        """Return the space of a name in a view, which has none off the board."""
        space = _read(self.radius, name)
        assert space is not None, name
        return space

    def understand(self, word: str, *, beyond: bool = False) -> Space | None:
        """Return the space as `read` does, also written freely: "j 10", "J10/+3", "J10 level 3", "j,10,3".

        With `beyond` it may be off the board.
        """
        match = _SPOKEN.fullmatch(plain_signs(word).strip().upper())
        if match is None:
            return None
        column, parted, row, named, sign, level = match.groups()
        if level and not (parted or named or sign):
            return None
        space = _read(self.radius, f"{column}{row}{sign or '+'}{level}" if level else f"{column}{row}")
        return space if space and (beyond or self.has(space)) else None

    def nearest(self, word: str) -> Space | None:
        """Return the space of the board that is nearest to written coordinates; None for any other word."""
        space = self.understand(word, beyond=True)
        if space is None:
            return None
        q, r, z = space
        column, row = min(hexes.disc(self.radius), key=lambda at: (distance((q, r, 0), (*at, 0)), at))
        return column, row, max(-self.levels, min(self.levels, z))

    def spaces(self) -> tuple[Space, ...]:
        """Return all spaces of the board, in a fixed order."""
        # The exits of jumps are drawn as indexes into this order (ruling 14).
        return _spaces(self.radius, self.levels)


def board_of(view: View) -> StarMap:
    """Return the board of a view's campaign."""
    return StarMap(view["rules"]["radius"], view["rules"]["levels"])


def free_planets(view: View) -> dict[str, Space]:
    """Return the planets that neither the reader nor an ally holds."""
    board, friends = board_of(view), {view["seat"], *(each["colour"] for each in view["players"] if each["ally"])}
    return {each["space"]: board.at(each["space"]) for each in view["planets"] if each["owner"] not in friends}


# A report names the same spaces over and over; the cache is bounded because players write spaces too.
@functools.lru_cache(maxsize=4096)
def _read(radius: int, word: str) -> Space | None:
    """Return the space of plain coordinates, which may lie off the board; None for any other word."""
    match = _WRITTEN.fullmatch(word)
    if match is None:
        return None
    column, row, sign, level = match.groups()
    z = int(level or 0) * (-1 if sign == "-" else 1)
    return ord(column) - ord("A") - radius, int(row) - radius - 1, z


@functools.cache
def _name(radius: int, space: Space) -> str:
    q, r, z = space
    return f"{chr(ord('A') + q + radius)}{r + radius + 1}{z:+d}"


@functools.lru_cache(maxsize=4)
def _spaces(radius: int, levels: int) -> tuple[Space, ...]:
    return tuple((q, r, z) for z in range(-levels, levels + 1) for q, r in hexes.disc(radius))
