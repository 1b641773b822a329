"""The empty board of a size: its cells, their names and neighbours, and the ring of perimeter cells.

Cells are numbered from 0 in the order of their names' letters, then numbers,
and the ring runs clockwise from the black stone's corner. A set of ring cells
is a whole number with bit k for ring cell k (a *rim mask*), so that "some two
of them k steps apart" is a shift and an AND.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from pbem_rules.common import hexes

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SMALLEST, LARGEST, USUAL = 3, 26, 6


@lru_cache(maxsize=LARGEST)
def field_of(size: int) -> Grid:
    """Return the one field of a size; made once, then shared."""
    return Grid(size)


def column_letters(column: int) -> str:
    """Return the letters of a column, from 0: a … z, then aa, ab, … as in spreadsheets."""
    tens, ones = divmod(column, len(LETTERS))
    return (LETTERS[tens - 1] if tens else "") + LETTERS[ones]


@dataclass(frozen=True)
class Grid:
    """A hexagonal board with `size` cells a side: 3n(n − 1) + 1 cells, 6(n − 1) of them on the ring (ruling 1)."""

    size: int

    @cached_property
    def axial(self) -> tuple[hexes.Hex, ...]:
        """The axial coordinates of each cell, (0, 0) in the middle."""
        return tuple(hexes.disc(self.size - 1))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each cell: its column's letter and its line's number, as in "d4"."""
        return tuple(f"{column_letters(q + self.size - 1)}{r + self.size}" for q, r in self.axial)

    @cached_property
    def cells(self) -> dict[str, int]:
        """The number of each cell by its name."""
        return {name: cell for cell, name in enumerate(self.names)}

    @cached_property
    def near(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each cell."""
        index = self._index
        return tuple(tuple(index[side] for side in hexes.neighbours(here) if side in index) for here in self.axial)

    @cached_property
    def ring(self) -> tuple[int, ...]:
        """The perimeter cells, clockwise from the black stone's."""
        return tuple(self._index[here] for here in hexes.ring(self.size - 1))

    @property
    def black(self) -> int:
        """The corner of the black stone."""
        return self.ring[0]

    @cached_property
    def half(self) -> int:
        """Half the length of the perimeter."""
        return len(self.ring) // 2

    @cached_property
    def rim(self) -> tuple[int, ...]:
        """The rim mask of each cell alone: its bit if it is on the ring, else 0."""
        bits = {cell: 1 << place for place, cell in enumerate(self.ring)}
        return tuple(bits.get(cell, 0) for cell in range(len(self.axial)))

    @cached_property
    def whole_rim(self) -> int:
        """The rim mask of the entire perimeter."""
        return (1 << len(self.ring)) - 1

    def rim_cells(self, mask: int) -> list[int]:
        """Return the cells of a rim mask, clockwise from the black stone."""
        return [cell for place, cell in enumerate(self.ring) if mask >> place & 1]

    def forms_y(self, mask: int) -> bool:
        """Return True if no step from one ring cell of the mask to the next exceeds half the perimeter (ruling 3).

        Equally: every `half` ring cells in a row include one of the mask. One
        cell alone is a step of the whole perimeter from itself, so it never does.
        """
        unrolled, width = mask | mask << len(self.ring), 1
        while width < self.half:
            grow = min(width, self.half - width)
            unrolled |= unrolled >> grow
            width += grow
        return unrolled & self.whole_rim == self.whole_rim

    def surrounds(self, mask: int) -> bool:
        """Return True if half the perimeter, the black stone in it, lies between two ring cells of the mask (ruling 3).

        The black stone is at place 0 and in no mask. A path of `half` cells that
        holds it leaves, on the other side, ends that are half − 1 places apart.
        """
        return mask & mask >> self.half - 1 != 0

    def wins(self, mask: int) -> bool:
        """Return True if a group with these perimeter stones has won."""
        # Most groups have one perimeter stone or none, which is never enough.
        return mask & mask - 1 != 0 and (self.surrounds(mask) or self.forms_y(mask))

    def ways(self, mask: int) -> list[str]:
        """Return the ways in which a group with these perimeter stones has won: "surround", "y", both or none."""
        won = {"surround": self.surrounds(mask), "y": self.forms_y(mask)}
        return [way for way, done in won.items() if done]

    def proof(self, mask: int) -> tuple[list[int], list[int]]:
        """Return the perimeter stones of a winning mask that count, and the perimeter cells of the paths between.

        For a surrounded stone these are two ends and the path around it, else all of the Y.
        """
        ends = mask & mask >> self.half - 1
        if not ends:
            return self.rim_cells(mask), self.rim_cells(self.whole_rim & ~mask)
        first = ends.bit_length() - 1
        last = first + self.half - 1
        return [self.ring[first], self.ring[last]], [*self.ring[last + 1 :], *self.ring[:first]]

    @cached_property
    def _index(self) -> dict[hexes.Hex, int]:
        return {here: cell for cell, here in enumerate(self.axial)}
