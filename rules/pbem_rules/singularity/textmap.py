"""The board as text for plain mail: at most 76 columns for every size."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from pbem.ruleset import View
from pbem_rules.common.textgrid import TextGrid, flow
from pbem_rules.singularity.field import Grid, column_letters, field_of

WIDTH = 76
"""Most columns of a map in a plain mail, where it is indented by two."""

SIGNS = {"red": "R", "blue": "B"}
BLACK, FREE, PERIMETER = "#", ".", "+"
_LEFT, _EDGE = 5, 3
LARGEST_NAMED = 12
"""The largest board whose cells have room for names."""

_PITCHES = (4, 3, 2, 1)


def text_map(view: View) -> str:
    """Return the board with the name of every cell, and a line that explains the signs.

    Columns run down, so a cell's neighbours are two lines above and below, and
    one line above and below in the columns beside it. Where cells have no room for
    names, these are in a list below.
    """
    plan = field_of(view["size"])
    return _named(plan, view) if view["size"] <= LARGEST_NAMED else _lettered(plan, view)


def _named(plan: Grid, view: View) -> str:
    """Return a board on which every cell bears its name."""
    grid, layout = TextGrid(WIDTH, 4 * plan.size - 3), _Layout(plan, left=_EDGE)
    stones, marks = _stones(view), _marks(view)
    for cell, name in enumerate(plan.names):
        x, y = layout.at(*plan.axial[cell])
        mark = marks.get(name, "")
        label = f"{mark[:1]}{stones.get(name, '')}{name}{mark[1:]}"
        grid.put(x - len(label) // 2, y, label)
    signs = f"Rd4 red, Bd4 blue, {BLACK}{view['black']} the black stone, d4 alone a free cell; () latest{_won(view)}"
    return "\n".join([*grid.lines(), "", *textwrap.wrap(signs, WIDTH)])


def _lettered(plan: Grid, view: View) -> str:
    """Return a board of signs with its coordinates, and below it the contents of each cell, by name."""
    grid = TextGrid(WIDTH, 4 * plan.size - 1)
    layout = _Layout(plan, left=_LEFT)
    for x, y, label in layout.coordinates():
        grid.put(x, y, label)
    signs, marks = _signs(plan, view), _marks(view)
    for cell, name in enumerate(plan.names):
        x, y = layout.at(*plan.axial[cell])
        if name in marks:
            grid.put(x - 1, y, marks[name][0])
            grid.put(x + 1, y, marks[name][1])
        grid.put(x, y, signs[name])
    columns = ([f"{name}{signs[name]}" for name in column] for column in _columns(plan))
    return "\n".join(
        [
            *grid.lines(),
            "",
            f"R red, B blue, {BLACK} the black stone, () latest{_won(view)};",
            f"free cells: {PERIMETER} on the perimeter, {FREE} elsewhere.",
            "By name, from the top of each column:",
            *(line for column in columns for line in flow("", column, width=WIDTH, gap=" ")),
        ]
    )


def _columns(plan: Grid) -> list[list[str]]:
    return [list(names) for _, names in groupby(plan.names, key=lambda name: name.rstrip("0123456789"))]


def _won(view: View) -> str:
    return ", [] the group that won" if view["win"] else ""


class _Layout:
    """The places of cells and coordinates, in columns and lines of text."""

    def __init__(self, plan: Grid, *, left: int) -> None:
        self.radius, self.left = plan.size - 1, left
        self.pitch = next(pitch for pitch in _PITCHES if left + 2 * self.radius * pitch + 3 <= WIDTH)

    def at(self, q: int, r: int) -> tuple[int, int]:
        """Return column and line of a cell."""
        return self.left + (q + self.radius) * self.pitch, 2 * r + q + 2 * self.radius

    def coordinates(self) -> Iterator[tuple[int, int, str]]:
        """Yield the letters below the columns, and the numbers left of the lines that run down to the right."""
        radius = self.radius
        for q in range(-radius, radius + 1):
            x, y = self.at(q, min(radius, radius - q))
            yield x, y + 2, column_letters(q + radius)
        for r in range(-radius, radius + 1):
            x, y = self.at(max(-radius, -radius - r), r)
            label = str(r + radius + 1)
            yield x - 2 - len(label), y, label


def _signs(plan: Grid, view: View) -> dict[str, str]:
    signs = {name: PERIMETER if plan.rim[cell] else FREE for cell, name in enumerate(plan.names)}
    return signs | _stones(view)


def _stones(view: View) -> dict[str, str]:
    return {view["black"]: BLACK} | {stone["cell"]: SIGNS[stone["who"]] for stone in view["moves"]}


def _marks(view: View) -> dict[str, str]:
    """Return the brackets around cells that matter: the group that won, and over it the latest stones."""
    won = view["win"]["group"] if view["win"] else []
    return dict.fromkeys(won, "[]") | dict.fromkeys(view["latest"], "()")
