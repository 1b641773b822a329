"""The board as text for plain mail: at most 80 columns for every size."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.ruleset import View
from rules.kit.textgrid import TextGrid
from rules.singularity.field import Field, column_letters, field_of

WIDTH = 80
"""Columns a plain mail may have."""

SIGNS = {"red": "R", "blue": "B"}
BLACK, FREE, PERIMETER = "#", ".", "+"
_LEFT = 5
_PITCHES = (4, 3, 2, 1)


def text_map(view: View) -> str:
    """The board with its coordinates, and a line that explains the signs.

    Columns run down, so a cell's neighbours are two lines above and below, and
    one line above and below in the columns beside it.
    """
    plan = field_of(view["size"])
    grid = TextGrid(WIDTH, 4 * plan.size - 1)
    layout = _Layout(plan)
    for x, y, label in layout.coordinates():
        grid.put(x, y, label)
    signs, marks = _signs(plan, view), _marks(view)
    for cell, name in enumerate(plan.names):
        x, y = layout.at(*plan.axial[cell])
        if name in marks:
            grid.put(x - 1, y, marks[name][0])
            grid.put(x + 1, y, marks[name][1])
        grid.put(x, y, signs[name])
    won = ", [] the group that won" if view["win"] else ""
    return "\n".join(
        [
            *grid.lines(),
            "",
            f"R red, B blue, {BLACK} the black stone, () latest{won};",
            f"free cells: {PERIMETER} on the perimeter, {FREE} elsewhere",
        ]
    )


class _Layout:
    """Where cells and their coordinates stand, in columns and lines of text."""

    def __init__(self, plan: Field) -> None:
        self.radius = plan.size - 1
        self.pitch = next(pitch for pitch in _PITCHES if _LEFT + 2 * self.radius * pitch + 2 <= WIDTH)

    def at(self, q: int, r: int) -> tuple[int, int]:
        """Column and line of a cell."""
        return _LEFT + (q + self.radius) * self.pitch, 2 * r + q + 2 * self.radius

    def coordinates(self) -> Iterator[tuple[int, int, str]]:
        """The letters below the columns, and the numbers left of the lines that run down to the right."""
        radius = self.radius
        for q in range(-radius, radius + 1):
            x, y = self.at(q, min(radius, radius - q))
            yield x, y + 2, column_letters(q + radius)
        for r in range(-radius, radius + 1):
            x, y = self.at(max(-radius, -radius - r), r)
            label = str(r + radius + 1)
            yield x - 2 - len(label), y, label


def _signs(plan: Field, view: View) -> dict[str, str]:
    signs = {name: PERIMETER if plan.rim[cell] else FREE for cell, name in enumerate(plan.names)}
    signs[view["black"]] = BLACK
    signs |= {stone["cell"]: SIGNS[stone["who"]] for stone in view["moves"]}
    return signs


def _marks(view: View) -> dict[str, str]:
    """The brackets around cells that matter: the group that won, and over it the latest stones."""
    won = view["win"]["group"] if view["win"] else []
    return dict.fromkeys(won, "[]") | dict.fromkeys(view["latest"], "()")
