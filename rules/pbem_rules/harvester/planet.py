"""The planet: a hexagon of hexes that wraps around, on which a hex is one number.

A hexagon with n hexes on a side tiles the plane, so that joining opposite sides
gives every hex six neighbours. Numbering its C = 3n(n − 1) + 1 hexes by
(q − (3n − 2)·r) mod C makes every step an addition modulo C (Chen, Shin and
Kandlur, "Addressing, Routing, and Broadcasting in Hexagonal Mesh
Multiprocessors", 1990), and the planet looks alike from each hex: what lies
`offset` away from a hex is (hex + offset) mod C, wherever the hex is.

Rows run east to west; q grows to the east, r to the south-east.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pbem_rules.common import hexes
from pbem_rules.harvester.units import FARTHEST

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
IntsT = TypeVar("IntsT", Ints, int)

DIRECTIONS: dict[str, hexes.Hex] = {
    "E": (1, 0),
    "NE": (1, -1),
    "NW": (0, -1),
    "W": (-1, 0),
    "SW": (-1, 1),
    "SE": (0, 1),
}
"""The six directions, counter-clockwise from the east; direction k is opposite to k + 3."""

NAMES = tuple(DIRECTIONS)
STEPS: Ints = np.array(list(DIRECTIONS.values()), np.int64)
"""The directions as rows of coordinates."""


@lru_cache(maxsize=8)
def planet_of(size: int) -> PlanetMap:
    """Return the planet of a size, made once and then shared."""
    return PlanetMap(size)


class PlanetMap:
    """The geometry of a planet with `size` hexes on a side (ruling 1).

    `q`, `r` and `distance` are indexed by an offset: its shortest form as
    coordinates, and its length in steps; 16 bits each, as they are
    looked up millions of times. `rank` is its place among all offsets sorted by
    coordinates, and `ranked` lists these. `steps` are the offsets of the six directions.
    """

    def __init__(self, size: int) -> None:
        radius = size - 1
        self.size, self.count = size, 3 * radius * size + 1
        self._row = 3 * radius + 1
        side = np.arange(-radius, radius + 1)
        q, r = (axis.ravel() for axis in np.meshgrid(side, side, indexing="ij"))
        inside = abs(q + r) <= radius
        q, r = q[inside], r[inside]
        # As one number a pair is found in a third of the time.
        self._spots = np.column_stack([q, r]).astype(np.int16).view(np.int32)[:, 0]
        self.q, self.r = np.zeros(self.count, np.int16), np.zeros(self.count, np.int16)
        self.ranked, self.rank = self.offset(q, r), np.zeros(self.count, np.int32)
        self.q[self.ranked], self.r[self.ranked], self.rank[self.ranked] = q, r, np.arange(self.count)
        self.distance = (abs(self.q) + abs(self.r) + abs(self.q + self.r)) // 2
        self.steps: Ints = self.offset(STEPS[:, 0], STEPS[:, 1])

    def offset(self, q: IntsT, r: IntsT) -> IntsT:
        """Return the offsets of coordinates, however far around the planet they lead."""
        return (q - self._row * r) % self.count

    def spots(self, ranks: NDArray[np.int32]) -> NDArray[np.int16]:
        """Return the coordinates, as rows, of the offsets with these ranks."""
        return self._spots[ranks].view(np.int16).reshape(-1, 2)

    def moved(self, cells: Ints, directions: Ints) -> Ints:
        """Return the hexes one step away from `cells`."""
        return (cells + self.steps[directions]) % self.count

    def named(self, q: int, r: int, *, near: hexes.Hex) -> hexes.Hex:
        """Return the coordinates of the hex (q, r) in the form nearest to `near`."""
        if hexes.distance((q, r), near) < self.size:
            return q, r
        offset = (q - near[0] - self._row * (r - near[1])) % self.count
        return near[0] + int(self.q[offset]), near[1] + int(self.r[offset])

    @cached_property
    def discs(self) -> tuple[Ints, ...]:
        """For each scanner rating, the offsets within it, nearest first; no hex twice, however small the planet."""
        spots = np.array(sorted(hexes.disc(FARTHEST), key=lambda spot: (hexes.distance(spot, (0, 0)), spot)), np.int64)
        offsets = self.offset(spots[:, 0], spots[:, 1])
        _, first = np.unique(offsets, return_index=True)
        offsets = offsets[np.sort(first)]
        return tuple(offsets[self.distance[offsets] <= rating] for rating in range(FARTHEST + 1))

    @cached_property
    def between(self) -> Ints:
        """For each offset of the largest disc, the offsets on the straight line to it, from 0 on; padded with 0."""
        largest = self.discs[FARTHEST]
        passed = np.zeros((len(largest), FARTHEST), np.int64)
        here = np.zeros_like(largest)
        for taken in range(FARTHEST - 1):
            on_the_way = self.distance[largest] > taken + 1
            start = np.zeros(int(on_the_way.sum()), np.int64)
            here[on_the_way] = self.moved(here[on_the_way], self.heading(start, largest[on_the_way], here[on_the_way]))
            passed[on_the_way, taken + 1] = here[on_the_way]
        return passed

    def heading(self, start: Ints, target: Ints, at: Ints) -> Ints:
        """Return the direction of the next step on the straight line from `start` to `target`.

        `at` is on that line, short of its end. The line is made of two neighbouring
        directions; where it runs just between two hexes it takes the one
        counter-clockwise (ruling 5).
        """
        offset = (target - start) % self.count
        first, major, minor = self._legs(self.q[offset].astype(np.int64), self.r[offset].astype(np.int64))
        done, length = self.distance[(at - start) % self.count].astype(np.int64), major + minor
        # The number of minor steps in the first `done` of the line, rounded half up: of two equally near hexes the
        # one to the left.
        turned = (2 * done * minor + length) // (2 * length)
        turning = (2 * (done + 1) * minor + length) // (2 * length)
        heading: Ints = (first + (turning > turned)) % 6
        return heading

    @staticmethod
    def _legs(q: Ints, r: Ints) -> tuple[Ints, Ints, Ints]:
        """Return coordinates as steps in a direction and steps in the next one counter-clockwise."""
        first, major, minor = np.zeros_like(q), np.zeros_like(q), np.zeros_like(q)
        for number in range(6):
            (q1, r1), (q2, r2) = STEPS[number], STEPS[(number + 1) % 6]
            a, b = r * q2 - q * r2, r1 * q - q1 * r
            here = (a > 0) & (b >= 0)
            first[here], major[here], minor[here] = number, a[here], b[here]
        return first, major, minor


def course(q: int, r: int) -> list[str]:
    """Return the directions of the straight line to (q, r), step by step: the line of `Planet.heading`."""
    for number in range(6):
        (q1, r1), (q2, r2) = DIRECTIONS[NAMES[number]], DIRECTIONS[NAMES[(number + 1) % 6]]
        major, minor = r * q2 - q * r2, r1 * q - q1 * r
        if major > 0 and minor >= 0:
            length = major + minor
            turned = [(2 * done * minor + length) // (2 * length) for done in range(length + 1)]
            return [NAMES[(number + after - before) % 6] for before, after in pairwise(turned)]
    return []


def least_size(hexes_wanted: int) -> int:
    """Return the size of the smallest planet with at least so many hexes."""
    size = 1
    while 3 * size * (size - 1) + 1 < hexes_wanted:
        size += 1
    return size
