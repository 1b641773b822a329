"""Stones on a board, and who has won: one implementation for the ruleset, its bot and its playouts."""

from __future__ import annotations

from collections.abc import Iterable

from pbem_rules.singularity.field import Grid

RED, BLUE = 0, 1
NOBODY = -1


class Board:
    """A position that grows stone by stone.

    Each colour has its own forest of links: `links[colour][cell]` is the next
    cell on the way to the root of the cell's group, or NOBODY where the colour
    has no stone. `rims[root]` is the rim mask of that group. So a stone costs a
    look at its neighbours, and stones that are placed together one verdict for
    each of their groups.
    """

    __slots__ = ("field", "links", "rims")

    def __init__(self, field: Grid, moves: Iterable[int] = ()) -> None:
        """Make a board with the stones of `moves`, red's first and then in turn."""
        self.field = field
        self.links = ([NOBODY] * len(field.axial), [NOBODY] * len(field.axial))
        self.rims = list(field.rim)
        for number, cell in enumerate(moves):
            self.place(number % 2, cell)

    def copy(self) -> Board:
        """Return the same position, to play on without changing this one."""
        twin = Board.__new__(Board)
        twin.field = self.field
        twin.links = (self.links[RED].copy(), self.links[BLUE].copy())
        twin.rims = self.rims.copy()
        return twin

    def place(self, colour: int, *cells: int) -> bool:
        """Place stones on free cells; return True if the colour has won by them (rulings 3 and 4)."""
        # Union-find: a stone joins its neighbours' groups, and ways to their roots are shortened as they are walked.
        link, rims, near = self.links[colour], self.rims, self.field.near
        for cell in cells:
            link[cell] = cell
            rim = rims[cell]
            for side in near[cell]:
                root = link[side]
                if root != NOBODY:
                    while root != link[root]:
                        link[side] = root = link[root]
                    if root != cell:
                        link[root] = cell
                        rim |= rims[root]
            rims[cell] = rim
        # The root of a group is the newest of its stones. More stones never take a win away.
        return any(map(self.field.wins, [rims[cell] for cell in cells if link[cell] == cell]))

    def wins_at(self, colour: int, cell: int) -> bool:
        """Return True if a stone on a free cell would win; nothing is placed."""
        link, rim = self.links[colour], self.field.rim[cell]
        for side in self.field.near[cell]:
            if link[side] != NOBODY:
                rim |= self.rim_of(colour, side)
        return self.field.wins(rim)

    def colour(self, cell: int) -> int:
        """Return the colour of the stone on a cell; NOBODY if it is free or holds the black stone."""
        if self.links[RED][cell] != NOBODY:
            return RED
        return BLUE if self.links[BLUE][cell] != NOBODY else NOBODY

    def free(self) -> list[int]:
        """Return the unoccupied cells."""
        red, blue = self.links
        return [cell for cell in range(len(red)) if red[cell] == blue[cell] == NOBODY and cell != self.field.black]

    def is_free(self, cell: int) -> bool:
        """Return True if a stone may be placed on a cell."""
        return self.colour(cell) == NOBODY and cell != self.field.black

    def root(self, colour: int, cell: int) -> int:
        """Return the cell that represents the whole group of a stone."""
        link = self.links[colour]
        while cell != link[cell]:
            cell = link[cell]
        return cell

    def group(self, colour: int, cell: int) -> list[int]:
        """Return all stones of the group of a stone."""
        root = self.root(colour, cell)
        return [
            other for other, up in enumerate(self.links[colour]) if up != NOBODY and self.root(colour, other) == root
        ]

    def rim_of(self, colour: int, cell: int) -> int:
        """Return the rim mask of the group of a stone."""
        return self.rims[self.root(colour, cell)]
