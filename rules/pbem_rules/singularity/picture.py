"""The board as a picture.

Red and blue differ without colour too: red stones bear a ring. Perimeter cells
are darker, the latest stones lie on a bright cell and bear their number, cells
where a stone would win are marked with the stone, and when the board has
decided, the winning group is drawn as a net with its perimeter path dotted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator

from pbem.ruleset import Background, Drawing, Label, Mark, Picture, Sprite, SpriteInstance, TapTarget, View, draw_line
from pbem_rules.common import hexes, svg
from pbem_rules.common.summary import sentence
from pbem_rules.singularity.board import Board
from pbem_rules.singularity.field import Grid, column_letters, field_of

BOARD_HEIGHT = 720
"""Pixels a board should fill, unless its cells would become too large or too small."""

SMALLEST_CELL, SMALLEST_NAMED_CELL, LARGEST_CELL = 12.0, 21.5, 33.0
"""A cell's edge in pixels; names are written in cells no smaller than the second."""

SMALLEST_LETTERS, PHONE = 11, 374
GUIDES_APART = 5
PAPER, CELL, GUIDE, RIM, EDGE, BRIGHT = "#fbf8f1", "#f3ead6", "#ebdfc4", "#e2d3b1", "#b5a380", "#ffdd66"
INK, FAINT = "#3d3526", "#65583b"
RINGED = "red"
STONES = {"red": "#b92f22", "blue": "#1f4e9c"}
DARK = {"red": "#7d1c13", "blue": "#0d2450"}
BLACK, PATH, LIGHT = "#1b1a18", "#2f8f4e", "#fff6dc"


def pictures(view: View) -> tuple[Picture, ...]:
    """Return the board that a view tells of."""
    position = _Position(view, layout_of(view["size"]))
    return (
        Drawing(_ground(view["size"]), tuple(position.marks())).picture("board", position.title(), position.spots()),
    )


@functools.lru_cache(maxsize=4)
def layout_of(size: int) -> _Measures:
    return _Measures(size)


class _Measures:
    """The measures of a board, in pixels."""

    def __init__(self, size: int) -> None:
        self.plan: Grid = field_of(size)
        across = 2 * size - 1
        self.edge = min(LARGEST_CELL, max(SMALLEST_CELL, BOARD_HEIGHT / (math.sqrt(3) * across)))
        self.radius = 0.68 * self.edge
        self.margin = 0.9 * self.edge + 14
        half_width = self.edge * (1.5 * (size - 1) + 1)
        half_height = self.edge * math.sqrt(3) / 2 * across
        self.width = round(2 * (half_width + self.margin))
        self.height = round(2 * (half_height + self.margin))
        self.letters = max(SMALLEST_LETTERS, round(SMALLEST_LETTERS * self.width / PHONE))
        """Pixels of letters that have eleven where a phone shows the whole width."""

    @property
    def named(self) -> bool:
        """True if there is room for names in cells."""
        return self.edge >= SMALLEST_NAMED_CELL

    def at(self, name: str) -> tuple[int, int]:
        """Return the pixel in the middle of a cell."""
        return self.spot(self.plan.cells[name])

    def spot(self, cell: int) -> tuple[int, int]:
        """Return the same by the cell's number."""
        x, y = self.place(self.plan.axial[cell])
        return round(x), round(y)

    def place(self, here: hexes.Hex) -> tuple[float, float]:
        """Return the middle of a cell."""
        x, y = hexes.centre(here, self.edge)
        return x + self.width / 2, y + self.height / 2

    def stone(self, who: str, radius: float = 0) -> Sprite:
        """Return a stone; on the board if no radius is given."""
        return _stone(who, radius or self.radius)


@functools.lru_cache(maxsize=64)
def _stone(who: str, radius: float) -> Sprite:
    disc = svg.circle(0, 0, radius, fill=STONES[who], stroke=DARK[who], stroke_width=radius / 10)
    ring = svg.circle(0, 0, 0.72 * radius, fill="none", stroke=LIGHT, stroke_width=radius / 8)
    return Sprite(disc + ring if who == RINGED else disc, *_room(1.1 * radius))


def _room(reach: float) -> tuple[int, int]:
    side = 2 * math.ceil(reach + 1)
    return side, side


# The background: an empty board.


@functools.lru_cache(maxsize=4)
def _ground(size: int) -> Background:
    layout = layout_of(size)
    # The empty board with its coordinates is the same in every picture of a size, and therefore cached.
    body = svg.rect(0, 0, layout.width, layout.height, fill=PAPER) + _cells(layout) + _coordinates(layout)
    return Background(body + (_cell_names(layout) if layout.named else ""), layout.width, layout.height)


def _cells(layout: _Measures) -> str:
    fills: dict[str, list[hexes.Hex]] = {CELL: [], GUIDE: [], RIM: []}
    for cell, here in enumerate(layout.plan.axial):
        fills[RIM if layout.plan.rim[cell] else GUIDE if _is_guide(layout, here) else CELL].append(here)
    drawn = [svg.path(_outlines(layout, cells), fill=fill) for fill, cells in fills.items() if cells]
    return svg.group("".join(drawn), stroke=EDGE, stroke_width=max(0.6, layout.edge / 30), stroke_linejoin="round")


def _is_guide(layout: _Measures, here: hexes.Hex) -> bool:
    """Return True if a cell is tinted for counting: in every fifth column and line, where cells bear no names."""
    return not layout.named and any((place + layout.plan.size) % GUIDES_APART == 0 for place in here)


def _outlines(layout: _Measures, cells: Iterable[hexes.Hex]) -> str:
    half, height = layout.edge / 2, math.sqrt(3) * layout.edge / 2
    steps = ((-half, height), (-2 * half, 0), (-half, -height), (half, -height), (2 * half, 0))
    around = "l" + " ".join(f"{dx:.2f},{dy:.2f}" for dx, dy in steps) + "z"
    corners = ((x + layout.edge, y) for x, y in map(layout.place, cells))
    return "".join(f"M{x:.2f},{y:.2f}{around}" for x, y in corners)


def _coordinates(layout: _Measures) -> str:
    """Return letters below the columns, numbers at the upper left ends of the lines that run down to the right."""
    last, edge = layout.plan.size - 1, layout.edge
    size = layout.letters
    # On large boards there is no room for the coordinates of all columns and lines.
    apart = 1 if 1.5 * edge >= 1.2 * size else GUIDES_APART
    labels = []
    for q in range(-last, last + 1, apart):
        x, y = layout.place((q, min(last, last - q)))
        labels.append(svg.text(x, y + 0.95 * edge + size, column_letters(q + last), size=size))
    for r in range(-last, last + 1, apart):
        x, y = layout.place((max(-last, -last - r), r))
        labels.append(svg.text(x - 0.85 * edge - size / 2, y - 0.4 * edge, str(r + last + 1), size=size))
    return svg.group("".join(labels), fill=INK, text_anchor="middle")


def _cell_names(layout: _Measures) -> str:
    size = layout.letters
    spots = [(name, *layout.at(name)) for name in layout.plan.names]
    texts = [svg.text(x, y + 0.36 * size, name, size=size) for name, x, y in spots]
    return svg.group("".join(texts), fill=FAINT, text_anchor="middle")


class _Position:
    """The marks of a view on a board."""

    def __init__(self, view: View, layout: _Measures) -> None:
        self.view, self.layout, self.plan = view, layout, layout.plan

    def marks(self) -> Iterator[Mark]:
        """Yield everything on the empty board, lowest first."""
        layout = self.layout
        for name in self.view["latest"]:
            yield SpriteInstance(_bright(layout.edge), *layout.at(name))
        for seat, colour in STONES.items():
            cells = [stone["cell"] for stone in self.view["moves"] if stone["who"] == seat]
            yield from self._net(cells, DARK[seat], 0.95 * layout.radius)
            yield from self._net(cells, colour, 0.75 * layout.radius)
        yield SpriteInstance(_black(layout.radius), *layout.at(self.view["black"]))
        for stone in self.view["moves"]:
            yield SpriteInstance(layout.stone(stone["who"]), *layout.at(stone["cell"]))
        if self.view["win"]:
            yield from self._win(self.view["win"])
        else:
            yield from self._numbers()
            yield from self._threats()

    def title(self) -> str:
        """Return the alternative text: whose stones are where, and what the last ones have led to."""
        view = self.view
        stones = {seat: [stone["cell"] for stone in view["moves"] if stone["who"] == seat] for seat in STONES}
        told = [f"{seat.capitalize()}: {', '.join(cells)}." for seat, cells in stones.items() if cells]
        last = [f"Last: {', '.join(view['latest'])}."] if view["moves"] else []
        if view["over"]:
            ends = [f"{sentence(view['result']['words'])}."] if view["result"] else []
        else:
            threats = {seat: [self.plan.names[cell] for cell in cells] for seat, cells in self.threats().items()}
            ends = [f"{seat.capitalize()} could win on {', '.join(cells)}." for seat, cells in threats.items() if cells]
        return " ".join(
            [f"The board, {view['size']} cells a side, the black stone on {view['black']}.", *told, *last, *ends]
        )

    def spots(self) -> Iterator[TapTarget]:
        """Yield every cell, and what lies on it."""
        stones = {stone["cell"]: f"stone {stone['number']}, {stone['who']}" for stone in self.view["moves"]}
        lying = {**stones, self.view["black"]: "the black stone"}
        for name, cell in self.plan.cells.items():
            where = ", on the perimeter" if self.plan.rim[cell] else ""
            outline = hexes.outline(*self.layout.spot(cell), self.layout.edge)
            yield TapTarget((name,), f"{name}: {lying.get(name, 'free')}{where}", outline)

    def _net(self, names: Iterable[str], colour: str, width: float) -> Iterator[SpriteInstance]:
        """Yield bars between all neighbours among some cells, so that groups are seen at a glance."""
        cells = sorted(self.plan.cells[name] for name in names)
        among = set(cells)
        for one in cells:
            for two in self.plan.near[one]:
                if one < two and two in among:
                    ends = [self.layout.spot(one), self.layout.spot(two)]
                    yield draw_line(ends, width=round(width, 1), stroke=colour, stroke_linecap="round")

    def _numbers(self) -> Iterator[Label]:
        """Yield the numbers of the latest stones, where there is room in them."""
        if self.layout.named:
            for stone in self.view["moves"]:
                if stone["cell"] in self.view["latest"]:
                    x, y = self.layout.at(stone["cell"])
                    size = self.layout.letters
                    yield Label(x, y + round(0.36 * size), str(stone["number"]), size, LIGHT, "middle", bold=True)

    def _win(self, win: View) -> Iterator[SpriteInstance]:
        """Yield the winning group as a net over its stones, and dots on the perimeter stones and path that count."""
        yield from self._net(win["group"], LIGHT, 0.16 * self.layout.radius)
        for names, fill, line in ((win["path"], PATH, LIGHT), (win["ends"], LIGHT, INK)):
            for name in names:
                yield SpriteInstance(_dot(0.3 * self.layout.radius, fill, line), *self.layout.at(name))

    def threats(self) -> dict[str, list[int]]:
        """Return the free cells on which each colour's next stone would win."""
        board = Board(self.plan)
        colours = dict(zip(STONES, (0, 1), strict=True))
        for stone in self.view["moves"]:
            board.place(colours[stone["who"]], self.plan.cells[stone["cell"]])
        return {
            seat: [cell for cell in board.free() if board.wins_at(colour, cell)] for seat, colour in colours.items()
        }

    def _threats(self) -> Iterator[Mark]:
        """Yield a small stone in each cell where it would win; where either would, side by side."""
        radius = max(4.0, 0.36 * self.layout.radius)
        up = round(0.5 * self.layout.edge) if self.layout.named else 0
        threats = {} if self.view["over"] else self.threats()
        for at, (seat, cells) in enumerate(threats.items()):
            for cell in cells:
                x, y = self.layout.spot(cell)
                both = all(cell in each for each in threats.values())
                aside = round((2 * at - 1) * (radius + 1)) if both else 0
                yield SpriteInstance(self.layout.stone(seat, radius), x + aside, y - up)


@functools.lru_cache(maxsize=8)
def _bright(edge: float) -> Sprite:
    """Return the cell of a latest stone, with a thick edge for readers who do not see its colour."""
    shown = svg.polygon(hexes.corners(0, 0, edge - 1.5), fill=BRIGHT, stroke=INK, stroke_width=max(1.2, edge / 14))
    return Sprite(shown, *_room(edge + 1))


@functools.lru_cache(maxsize=8)
def _black(radius: float) -> Sprite:
    return Sprite(svg.circle(0, 0, radius, fill=BLACK), *_room(radius))


@functools.lru_cache(maxsize=16)
def _dot(radius: float, fill: str, line: str) -> Sprite:
    return Sprite(svg.circle(0, 0, radius, fill=fill, stroke=line, stroke_width=radius / 4), *_room(1.2 * radius))
