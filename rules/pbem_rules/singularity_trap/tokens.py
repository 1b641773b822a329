"""Sprites of the charts, and the sheets that they are set on: the board from above, its names and the legend.

Colours are always backed by letters and shapes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.ruleset import Background, Sprite
from pbem_rules.common import svg
from pbem_rules.common.hexes import DIRECTIONS, Hex, centre, corners, disc, distance
from pbem_rules.singularity_trap.marks import Kind

EDGE = 27.0
"""The least edge of a hex in pixels: there must be room for letters in it."""

BOARD_WIDTH = 784
"""Pixels that a board should fill, unless its hexes would become too small."""

GROUND, CELL, RING = "#0b1220", "#131e36", "#1a2544"
GRID, FAINT, MUTED, BRIGHT = "#34456d", "#8494b8", "#a3b2d0", "#f2f5fb"
INK = "#0a1020"
"""Letters on anything coloured."""
HIGH, LOW = "#ffdca0", "#a6dcff"
"""Levels above and below the middle, which their signs tell too."""
FIRE, FLAG, WAY = "#ff9d2e", "#f2f5fb", "#e8ecf6"

COLOURS = {
    "red": "#ff7d70",
    "yellow": "#ffd23f",
    "green": "#57cf68",
    "cyan": "#38d9ea",
    "blue": "#83a9ff",
    "magenta": "#f48ae2",
    "gray": "#b3bac6",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A part of the board as it lies on a picture: the hexes around `middle`, at most `reach` away."""

    radius: int
    width: int
    height: int
    middle: Hex = (0, 0)
    reach: int = 99

    @property
    def edge(self) -> float:
        """The edge of a hex in pixels."""
        return _chart_edge(self.radius) if self.whole else _whole_columns(self.width / (3 * self.reach + 2))

    @property
    def whole(self) -> bool:
        """True if all of the board is on it."""
        return self.reach > 2 * self.radius

    @property
    def cells(self) -> dict[Hex, None]:
        """Its hexes, in the order of their names."""
        return _cells(self.radius, self.middle, self.reach)

    @functools.lru_cache(maxsize=4096)  # noqa: B019 - sheets are values, few and small
    def at(self, cell: Hex) -> tuple[int, int]:
        """Return the middle of a hex, in pixels."""
        q, r = cell[0] - self.middle[0], cell[1] - self.middle[1]
        return self.width // 2 + round(1.5 * self.edge) * q, self.height // 2 + _half_height(self.edge) * (2 * r + q)

    def name(self, cell: Hex) -> str:
        """Return a board hex as players write it, without level ("J4")."""
        return f"{chr(ord('A') + cell[0] + self.radius)}{cell[1] + self.radius + 1}"


@functools.lru_cache(maxsize=64)
def _cells(radius: int, middle: Hex, reach: int) -> dict[Hex, None]:
    return dict.fromkeys(cell for cell in disc(radius) if distance(cell, middle) <= reach)


def _chart_edge(radius: int) -> float:
    return _whole_columns(max(EDGE, BOARD_WIDTH / (3 * radius + 2)))


def _whole_columns(edge: float) -> float:
    """Return the edge at which columns are whole pixels apart: equal hexes have equal pixels, and PNG half the size."""
    return int(1.5 * edge) / 1.5


def _half_height(edge: float) -> int:
    return round(math.sqrt(3) / 2 * edge)


def chart_sheet(radius: int) -> Sheet:
    """Return the sheet of the whole board."""
    edge = _chart_edge(radius)
    across, down = round(edge * (3 * radius + 2)) + 116, 2 * _half_height(edge) * (2 * radius + 1) + 72
    return Sheet(radius, across, down + down % 2)


def region_sheet(radius: int, middle: Hex, reach: int, width: int) -> Sheet:
    """Return the sheet of the hexes around one, `width` pixels wide."""
    height = round(width / (3 * reach + 2) * math.sqrt(3) * (2 * reach + 1)) + 12
    return Sheet(radius, width, height + height % 2, middle, reach)


@functools.lru_cache(maxsize=16)
def chart_ground(sheet: Sheet, below: int) -> Background:
    """Return the whole board with names, coordinates and legend, and `below` pixels of room under it."""
    shades = {CELL: "", RING: ""}
    for cell in sheet.cells:
        shades[shade_of(cell)] += _hex_path(*sheet.at(cell), sheet.edge)
    drawn = [svg.path(d, fill=shade, stroke=GRID, stroke_width=1) for shade, d in shades.items() if d]
    drawn += [_cell_name(sheet, cell) for cell in sheet.cells]
    return _ground(sheet.width, sheet.height + below, "".join([*drawn, _edges(sheet), _legend(sheet)]))


def region_ground(sheet: Sheet, above: int, below: int) -> Background:
    """Return empty space as background of a region."""
    # There are as many regions as hexes, and a background should serve many pictures: their hexes are sprites.
    return _ground(sheet.width, above + sheet.height + below, "")


def _ground(width: int, height: int, drawn: str) -> Background:
    return Background(svg.rect(0, 0, width, height, fill=GROUND) + drawn, width, height)


def shade_of(cell: Hex) -> str:
    """Return the shade of a hex: every third ring of the board is lighter."""
    return RING if distance(cell, (0, 0)) % 3 == 0 else CELL


@functools.cache
def blank(edge: float, shade: str) -> Sprite:
    """Return an empty hex."""
    room = 2 * math.ceil(edge) + 4
    return Sprite(svg.path(_hex_path(0, 0, edge), fill=shade, stroke=GRID, stroke_width=1), room, room)


def _hex_path(x: float, y: float, size: float) -> str:
    half, height = size / 2, _half_height(size)
    steps = ((-half, height), (-size, 0), (-half, -height), (half, -height), (size, 0))
    return f"M{x + size:.1f} {y:.1f}" + "".join(f"l{dx:.1f} {dy:.1f}" for dx, dy in steps) + "z"


def _cell_name(sheet: Sheet, cell: Hex) -> str:
    x, y = sheet.at(cell)
    return svg.text(x, y - 0.45 * sheet.edge, sheet.name(cell), size=11, anchor="middle", fill=FAINT)


def _edges(sheet: Sheet) -> str:
    """Return column letters above and below the board, row numbers at both ends of the slanting rows."""
    radius = sheet.radius
    columns, rows = [], []
    for axis in range(-radius, radius + 1):
        low, high = max(-radius, -axis - radius), min(radius, radius - axis)
        column = chr(ord("A") + axis + radius)
        columns += [_edge(sheet, (axis, low), "N", column), _edge(sheet, (axis, high), "S", column)]
        row = str(axis + radius + 1)
        rows += [_edge(sheet, (low, axis), "NW", row), _edge(sheet, (high, axis), "SE", row)]
    shown = svg.group("".join(columns), fill=BRIGHT) + svg.group("".join(rows), fill=MUTED)
    return svg.group(shown, text_anchor="middle")


def _edge(sheet: Sheet, cell: Hex, side: str, label: str) -> str:
    x, y = sheet.at(cell)
    dx, dy = centre(DIRECTIONS[side], 0.68 * sheet.edge)
    return svg.text(x + dx, y + dy + 4, label, size=12)


# Hexes with planets, and what happened in a hex.


@functools.cache
def planet_hex(edge: float, shade: str) -> Sprite:
    """Return the outline of a hex with planets and a banner for its owner's letter; `shade` is "" if it is unowned."""
    size = edge - 1.5
    room = 2 * math.ceil(edge) + 4
    if not shade:
        return Sprite(svg.polygon(corners(0, 0, size), fill="none", stroke=MUTED, stroke_width=1.2), room, room)
    outline = svg.polygon(corners(0, 0, size), fill=shade, fill_opacity="0.15", stroke=shade, stroke_width=2.4)
    top, bottom, inner, outer = -0.866 * size, -0.36 * size, 0.5 * size, 0.79 * size
    banner = svg.polygon([(-inner, top), (inner, top), (outer, bottom), (-outer, bottom)], fill=shade)
    return Sprite(outline + banner, room, room)


STAR = " ".join(
    f"{reach * math.cos(turn * math.pi / 8):.1f},{reach * math.sin(turn * math.pi / 8):.1f}"
    for turn in range(16)
    for reach in ((9.5, 4.5)[turn % 2],)
)
FOUGHT = Sprite(svg.polygon(STAR, fill=FIRE, stroke=INK, stroke_width=1), 22, 22)
ARRIVED = Sprite(svg.polygon("-7,-4 7,-4 0,6", fill=WAY, stroke=INK, stroke_width=1), 18, 14)
JUMPED = Sprite(svg.circle(0, 0, 1.5, fill=WAY), 4, 4)


@functools.cache
def step(edge: float, direction: Hex, begin: float, end: float) -> Sprite:
    """Return a part of the way to the next hex, drawn around its half.

    `begin` and `end` are shares of it: 0 is the middle of a hex, 1 that of the next.
    """
    dx, dy = centre(direction, edge)
    (x, y), (to_x, to_y) = ((dx * (share - 0.5), dy * (share - 0.5)) for share in (begin, end))
    return Sprite(svg.line(x, y, to_x, to_y, stroke=WAY, stroke_width=1.6), _even(abs(dx)), _even(abs(dy)))


def _even(length: float) -> int:
    """Return an even number of pixels that has room for a thin line of some length."""
    return 2 * math.ceil(length / 2) + 4


@functools.cache
def head(direction: Hex) -> Sprite:
    """Return the point of an arrow."""
    turn = math.degrees(math.atan2(*reversed(centre(direction, 1)))) - 90
    point = svg.polygon("-4.5,-6 0,-3.5 4.5,-6 0,6", fill=WAY, stroke=INK, stroke_width=1)
    return Sprite(svg.group(point, transform=f"rotate({turn:.0f})"), 18, 18)


@functools.cache
def captured(shade: str) -> Sprite:
    """Return a flag in the colour of the player who has just taken a planet."""
    flag = svg.polygon("-5,-9 8,-5 -5,-1", fill=shade, stroke=INK, stroke_width=1)
    return Sprite(svg.line(-5, 9, -5, -9, stroke=FLAG, stroke_width=2.4) + flag, 22, 22)


# Planets and ships.


@functools.cache
def planet(shade: str) -> Sprite:
    return Sprite(svg.circle(0, 0, 9, fill=shade) + svg.circle(-3, -4, 2.5, fill=BRIGHT, opacity="0.5"), 18, 18)


@functools.cache
def token(kind: Kind, shade: str) -> Sprite:
    """Return the shape of ships of one kind."""
    if kind == "own":
        return Sprite(svg.polygon("-8,-7 3,-7 9,0 3,7 -8,7", fill=shade, stroke=BRIGHT, stroke_width=1.3), 22, 18)
    if kind == "dark":
        box = svg.rect(-7, -6.5, 14, 13, fill=INK, stroke=shade, stroke_width=1.2, stroke_dasharray="2.2 1.6")
        return Sprite(box, 18, 18)
    if kind == "seen":
        return Sprite(svg.rect(-9, -7, 18, 14, fill=shade), 18, 14)
    if kind == "allied":
        return Sprite(svg.circle(0, 0, 7, fill=INK, stroke=shade, stroke_width=1.6), 18, 18)
    if kind == "old":
        return Sprite(svg.rect(-11, -7, 22, 14, rx=7, fill=INK, stroke=shade, stroke_width=1), 24, 18)
    return Sprite(svg.polygon("0,-8.5 8,0 0,8.5 -8,0", fill=BRIGHT), 18, 18)


FLAT = COLOURS["gray"]

LEGEND: tuple[tuple[Sprite | None, str, str, str], ...] = (
    (token("own", FLAT), "2", INK, "your ships"),
    (token("dark", FLAT), "1", FLAT, "your dark ships"),
    (token("seen", FLAT), "x2", INK, "ships seen, by owner"),
    (token("allied", FLAT), "x", FLAT, "an ally's fleet"),
    (token("unknown", FLAT), "?", INK, "unknown ships"),
    (token("old", FLAT), "x:2", FLAT, "seen 2 turns ago, not now"),
    (None, "+6", HIGH, "level of what stands beside it"),
    (planet(FLAT), "N3", INK, "planet: colour, worth to you"),
    (head(DIRECTIONS["SE"]), "", INK, "the way of your ships"),
    (ARRIVED, "", INK, "come by jump, or up or down"),
)
"""Signs, the letters on them with their colour, and what they mean."""

HAPPENED = ((FOUGHT, "fighting this turn"), (captured(FLAT), "taken this turn"))
"""Signs of what happened, in the corner that has room for no more."""


def _legend(sheet: Sheet) -> str:
    top = sheet.height - 24 - 19 * (len(LEGEND) - 1)
    return "".join([*_entries(top), *_happenings(sheet)])


def _happenings(sheet: Sheet) -> Iterator[str]:
    for at, (sprite, words) in enumerate(HAPPENED):
        told = svg.text(-16, 4, words, size=12, anchor="end", fill=BRIGHT)
        yield svg.group(sprite.body + told, transform=f"translate({sheet.width - 34} {sheet.height - 134 + 19 * at})")


def _entries(top: int) -> Iterator[str]:
    for at, (sprite, letters, shade, words) in enumerate(LEGEND):
        sign = sprite.body if sprite else ""
        sign += svg.text(0, 4, letters, size=11, anchor="middle", fill=shade) if letters else ""
        sign += svg.text(16, 4, words, size=12, fill=BRIGHT)
        yield svg.group(sign, transform=f"translate(30 {top + 19 * at})")
