"""The map as text: the board seen from above in at most 76 columns of ASCII, and lists of all ships.

Every hex has two lines of a few characters: the planet on the upper one, ships
on the lower, and the number of its row on the first that is free. The rows
slant, so that no number at an edge could name them. Neighbouring columns of
hexes are shifted by one line.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pbem.ruleset import View
from pbem_rules.common.hexes import Hex, disc
from pbem_rules.common.summary import counted
from pbem_rules.common.textgrid import TextGrid, flow
from pbem_rules.singularity_trap.marks import (
    Kind,
    Mark,
    Planet,
    by_cell,
    letter,
    marks,
    planets_by_cell,
)
from pbem_rules.singularity_trap.space import StarMap, board_of

WIDTH = 76
"""Columns; a mail indents the map by two."""

SIGNS: dict[Kind, str] = {"own": "@", "seen": "!", "unknown": "?", "allied": "&", "dark": "%", "old": "~"}
"""The signs of ships on the map, the most important first: a hex may not have room for all."""
NAMES: dict[Kind, str] = {
    "own": "yours",
    "seen": "seen",
    "unknown": "unknown",
    "allied": "allied",
    "dark": "your dark",
    "old": "last seen",
}

ROW_KEY = (
    "The letter above and below a hex is its column, the number in it its row.",
    "Where there is no room for it, count from the hex above or below.",
)
PLANET_KEY = "Planets: owner (. for nobody), colour (n for gray), level (* if several)."
SHIP_KEY = (
    "Ships: @ yours, ! seen, ? unknown, & allied, % your dark ones, ~ out of",
    "sight; then the level, or * where there are several. All are listed here:",
)


def text_map(view: View) -> str:
    """Return the map of a view: the board if it fits, and the spaces of all ships."""
    found = marks(view)
    board = board_of(view)
    # A cell has room for owner, colour, sign and the digits of the level.
    layout = _Layout(board.radius, 4 if board.levels < 10 else 5)
    lines = [*_drawn(view, found, board, layout), "", *ROW_KEY, PLANET_KEY] if layout.width <= WIDTH else []
    if found:
        lines += [*SHIP_KEY, *_index(found)]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The places of hexes in the text; each is `cell` characters wide."""

    radius: int
    cell: int

    @property
    def columns(self) -> int:
        return 2 * self.radius + 1

    @property
    def width(self) -> int:
        return self.cell * self.columns

    def corner(self, cell: Hex) -> tuple[int, int]:
        """Return column and row of a hex's first character."""
        q, r = cell
        return self.cell * (q + self.radius), 2 * r + q + 2 * self.radius

    def row(self, cell: Hex) -> str:
        """Return the number of a hex's row, as wide as a hex and apart from its neighbour on the left."""
        return f" {cell[1] + self.radius + 1:<{self.cell - 1}}"


def _drawn(view: View, found: Sequence[Mark], board: StarMap, layout: _Layout) -> list[str]:
    grid = _empty(layout).copy()
    ships = by_cell(found)
    for cell, planets in planets_by_cell(view, board).items():
        x, y = layout.corner(cell)
        grid.put(x, y, f"{_planets(planets):<{layout.cell}}")
        if cell not in ships:
            grid.put(x, y + 1, layout.row(cell))
    for cell, levels in ships.items():
        x, y = layout.corner(cell)
        grid.put(x, y + 1, _ships(levels, layout.cell))
    ruler = "".join(f" {chr(ord('A') + at):<{layout.cell - 1}}" for at in range(layout.columns)).rstrip()
    return [ruler, *grid.lines(), ruler]


@functools.cache
def _empty(layout: _Layout) -> TextGrid:
    """Return the board with each hex numbered and nothing on it."""
    # The same in every report, and most of the work.
    grid = TextGrid(layout.width, 4 * layout.radius + 2)
    for cell in disc(layout.radius):
        grid.put(*layout.corner(cell), layout.row(cell))
    return grid


def _planets(levels: Mapping[int, Planet]) -> str:
    """Return the planet of a hex: owner, colour, level. Of several it is the highest, with a star for their levels."""
    level, planet = next(iter(levels.items()))
    owner = planet["owner"]
    where = "*" if len(levels) > 1 else f"{level:+d}"
    return f"{letter(owner) if owner else '.'}{letter(planet['colour']).lower()}{where}"


def _ships(levels: Mapping[int, Sequence[Mark]], room: int) -> str:
    """Return the signs of a hex's marks, and their level, or * for several; those seen now decide the level."""
    kinds = {mark.kind for found in levels.values() for mark in found}
    signs = "".join(sign for kind, sign in SIGNS.items() if kind in kinds)
    now = [level for level, found in levels.items() if any(mark.kind != "old" for mark in found)] or list(levels)
    where = "*" if len(now) > 1 else f"{now[0]:+d}"
    return signs[: room - len(where)] + where


def _index(found: Sequence[Mark]) -> Iterator[str]:
    """Yield the spaces of all ships, by kind of mark."""
    for kind, sign in SIGNS.items():
        items = (_item(mark) for mark in found if mark.kind == kind)
        yield from flow(f"  {sign} {NAMES[kind]:<11}", items, width=WIDTH)


def _item(mark: Mark) -> str:
    owner = f" {mark.owner}" if mark.owner and mark.kind in ("seen", "allied", "old") else ""
    count = f" x{mark.count}" if mark.count > 1 else ""
    age = f"{counted(mark.age, 'turn')} ago" if mark.age else "this turn"
    return f"{mark.name}{owner}{count} ({age})" if mark.kind == "old" else f"{mark.name}{owner}{count}"
