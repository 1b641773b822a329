"""The board as a picture.

Red and blue differ without colour too: red stones bear a ring. Perimeter cells
are darker, the latest stones lie on a bright cell, and when the board has
decided, the winning group is drawn as a net with its perimeter path dotted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from pbem.ruleset import Picture, View
from rules.kit import hexes, svg
from rules.singularity.field import Field, column_letters, field_of

BOARD_HEIGHT = 720
"""Pixels a board should fill, unless its cells would become too large or too small."""

SMALLEST_CELL, SMALLEST_NAMED_CELL, LARGEST_CELL = 12.0, 21.5, 33.0
"""A cell's edge in pixels; names are written in cells no smaller than the second."""

GUIDES_APART = 5
PAPER, CELL, GUIDE, RIM, EDGE, BRIGHT = "#fbf8f1", "#f3ead6", "#ebdfc4", "#e2d3b1", "#b5a380", "#ffdd66"
INK, FAINT = "#3d3526", "#8d7d5c"
RINGED = "red"
STONES = {"red": "#cf3a2c", "blue": "#1f4e9c"}
DARK = {"red": "#7d1c13", "blue": "#0d2450"}
BLACK, PATH, LIGHT = "#1b1a18", "#2f8f4e", "#fff6dc"


def pictures(view: View) -> tuple[Picture, ...]:
    """The board a view tells of."""
    drawing = _Drawing(view)
    title = f"Singularity, {view['label']}: {_status(view)}"
    body = "".join(drawing.layers())
    return (
        Picture(
            "board", title, svg.document(drawing.width, drawing.height, body, title), drawing.width, drawing.height
        ),
    )


def _status(view: View) -> str:
    words: str = view["result"]["words"] if view["over"] else f"{view['mover']} to place"
    return words


class _Drawing:
    """A board's measures and its layers, from the ground up."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.plan: Field = field_of(view["size"])
        across = 2 * self.plan.size - 1
        self.edge = min(LARGEST_CELL, max(SMALLEST_CELL, BOARD_HEIGHT / (math.sqrt(3) * across)))
        self.radius = 0.68 * self.edge
        self.margin = 0.9 * self.edge + 12
        half_width = self.edge * (1.5 * (self.plan.size - 1) + 1)
        half_height = self.edge * math.sqrt(3) / 2 * across
        self.width = round(2 * (half_width + self.margin))
        self.height = round(2 * (half_height + self.margin))

    def layers(self) -> Iterator[str]:
        """Everything drawn, lowest first."""
        yield svg.rect(0, 0, self.width, self.height, fill=PAPER)
        yield self._cells()
        yield self._coordinates()
        if self.edge >= SMALLEST_NAMED_CELL:
            yield self._cell_names()
        yield self._bonds()
        yield self._black_stone()
        yield from (self._stone(*self.at(stone["cell"]), stone["who"]) for stone in self.view["moves"])
        if self.view["win"]:
            yield self._win(self.view["win"])
        yield self._key()

    def at(self, name: str) -> tuple[float, float]:
        """The middle of a cell."""
        return self._spot(self.plan.axial[self.plan.cells[name]])

    def _spot(self, here: hexes.Hex) -> tuple[float, float]:
        x, y = hexes.centre(here, self.edge)
        return x + self.width / 2, y + self.height / 2

    def _cells(self) -> str:
        fills: dict[str, list[hexes.Hex]] = {CELL: [], GUIDE: [], RIM: [], BRIGHT: []}
        latest = {self.plan.cells[name] for name in self.view["latest"]}
        for cell, here in enumerate(self.plan.axial):
            ground = RIM if self.plan.rim[cell] else GUIDE if self._is_guide(here) else CELL
            fills[BRIGHT if cell in latest else ground].append(here)
        drawn = [svg.path(self._outlines(cells), fill=fill) for fill, cells in fills.items() if cells]
        return svg.group("".join(drawn), stroke=EDGE, stroke_width=max(0.6, self.edge / 30), stroke_linejoin="round")

    def _is_guide(self, here: hexes.Hex) -> bool:
        """Whether a cell is tinted for counting: in every fifth column and line, where cells bear no names."""
        return self.edge < SMALLEST_NAMED_CELL and any((place + self.plan.size) % GUIDES_APART == 0 for place in here)

    def _outlines(self, cells: Iterable[hexes.Hex]) -> str:
        half, height = self.edge / 2, math.sqrt(3) * self.edge / 2
        steps = ((-half, height), (-2 * half, 0), (-half, -height), (half, -height), (2 * half, 0))
        around = "l" + " ".join(f"{dx:.2f},{dy:.2f}" for dx, dy in steps) + "z"
        corners = ((x + self.edge, y) for x, y in map(self._spot, cells))
        return "".join(f"M{x:.2f},{y:.2f}{around}" for x, y in corners)

    def _coordinates(self) -> str:
        """Letters below the columns, numbers at the upper left ends of the lines that run down to the right."""
        last = self.plan.size - 1
        size = max(9.0, min(15.0, 0.5 * self.edge))
        labels = []
        for q in range(-last, last + 1):
            x, y = self._spot((q, min(last, last - q)))
            labels.append(svg.text(x, y + 0.95 * self.edge + size, column_letters(q + last), size=size))
        for r in range(-last, last + 1):
            x, y = self._spot((max(-last, -last - r), r))
            labels.append(svg.text(x - 0.85 * self.edge - size / 2, y - 0.4 * self.edge, str(r + last + 1), size=size))
        return svg.group("".join(labels), fill=INK, text_anchor="middle")

    def _cell_names(self) -> str:
        taken = {stone["cell"] for stone in self.view["moves"]} | {self.view["black"]}
        taken |= set(self.view["win"]["path"]) if self.view["win"] else set()
        size = 0.34 * self.edge
        names = [name for name in self.plan.names if name not in taken]
        texts = [svg.text(x, y + 0.36 * size, name, size=size) for name in names for x, y in [self.at(name)]]
        return svg.group("".join(texts), fill=FAINT, text_anchor="middle")

    def _bonds(self) -> str:
        """A bar between any two stones that touch, so that groups are seen at a glance."""
        drawn = []
        for seat, colour in STONES.items():
            cells = [stone["cell"] for stone in self.view["moves"] if stone["who"] == seat]
            drawn.append(self._net(cells, stroke=DARK[seat], stroke_width=0.95 * self.radius))
            drawn.append(self._net(cells, stroke=colour, stroke_width=0.75 * self.radius))
        return "".join(drawn)

    def _net(self, names: Iterable[str], **attrs: svg.Attribute) -> str:
        """Lines between all neighbours among some cells."""
        cells = sorted(self.plan.cells[name] for name in names)
        among = set(cells)
        pairs = [(one, two) for one in cells for two in self.plan.near[one] if one < two and two in among]
        spots = [self._spot(self.plan.axial[cell]) for pair in pairs for cell in pair]
        lines = [
            f"M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}" for (x1, y1), (x2, y2) in zip(spots[::2], spots[1::2], strict=True)
        ]
        return svg.path("".join(lines), **attrs) if lines else ""

    def _black_stone(self) -> str:
        x, y = self.at(self.view["black"])
        return svg.circle(x, y, self.radius, fill=BLACK)

    def _stone(self, x: float, y: float, who: str, radius: float = 0) -> str:
        radius = radius or self.radius
        disc = svg.circle(x, y, radius, fill=STONES[who], stroke=DARK[who], stroke_width=radius / 10)
        ring = svg.circle(x, y, 0.55 * radius, fill="none", stroke=LIGHT, stroke_width=radius / 8)
        return disc + ring if who == RINGED else disc

    def _win(self, win: View) -> str:
        """The winning group as a net over its stones, a dot on the perimeter stones that count, and on their path."""
        dots = [svg.circle(*self.at(name), 0.3 * self.radius, fill=LIGHT, stroke=INK) for name in win["ends"]]
        path = [svg.circle(*self.at(name), 0.3 * self.radius, fill=PATH, stroke=LIGHT) for name in win["path"]]
        net = self._net(win["group"], stroke=LIGHT, stroke_width=0.16 * self.radius, stroke_linecap="round")
        return net + svg.group("".join([*path, *dots]), stroke_width=self.radius / 12)

    def _key(self) -> str:
        """The moment in the upper left corner, and whose stones are whose in the lower right one."""
        size = 13 if self.plan.size > 4 else 11
        drawn = [svg.text(10, 10 + size, self.view["label"], size=size)]
        drawn += [
            svg.text(10, 10 + (2.4 + 1.3 * row) * size, words, size=size)
            for row, words in enumerate(_status(self.view).split(": "))
        ]
        for row, seat in enumerate(STONES):
            y = self.height - 12 - 1.9 * size * (1 - row)
            drawn.append(self._stone(self.width - 4.6 * size, y - 0.35 * size, seat, 0.65 * size))
            drawn.append(svg.text(self.width - 3.5 * size, y, seat, size=size))
        return svg.group("".join(drawn), fill=INK)
