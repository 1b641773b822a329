"""The strategic chart: a player's view of The Singularity Trap drawn as SVG.

The board is seen from above, so every hex stands for all levels of a column of
spaces; what is in it is listed by level, the highest first. Frame, scale and
legend depend on public things only (the board, the players, the planets), and
colours are always backed by letters and shapes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import Picture, View
from rules.kit import svg
from rules.kit.hexes import DIRECTIONS, Hex, centre, corners, disc, distance
from rules.singularity_trap.marks import (
    Kind,
    Mark,
    Planet,
    board_of,
    by_cell,
    fights,
    letter,
    marks,
    place,
    planets_by_cell,
)

WIDTH, HEIGHT = 900, 960
BOARD_WIDTH = 784
"""Pixels that the board fills, from the first column to the last."""

GROUND, CELL, RING = "#0b1220", "#131e36", "#192643"
GRID, FAINT, MUTED, BRIGHT = "#2c3b5e", "#64749a", "#8fa0c2", "#f2f5fb"
INK = "#0a1020"
"""Letters on anything coloured."""
HIGH, LOW = "#ffdca0", "#a6dcff"
"""Levels above and below the middle, which their signs tell too."""
FIRE = "#ff9d2e"

COLOURS = {
    "red": "#ff6658",
    "yellow": "#ffd23f",
    "green": "#57cf68",
    "cyan": "#38d9ea",
    "blue": "#6f9dff",
    "magenta": "#f277dc",
    "gray": "#b3bac6",
}


def pictures(view: View) -> tuple[Picture, ...]:
    """The chart of a view: one picture, always of the same size."""
    title = f"Chart of the Singularity for {view['seat']}, {view['label']}"
    return (Picture("chart", title, svg.document(WIDTH, HEIGHT, _chart(view), title), WIDTH, HEIGHT),)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Where hexes lie on the picture; `size` is the edge of a hex in pixels."""

    radius: int

    @property
    def size(self) -> float:
        return BOARD_WIDTH / (3 * self.radius + 2)

    def at(self, cell: Hex) -> tuple[float, float]:
        x, y = centre(cell, self.size)
        return WIDTH / 2 + x, HEIGHT / 2 + y

    def name(self, cell: Hex) -> str:
        """A board hex as players write it, without level ("J4")."""
        return f"{chr(ord('A') + cell[0] + self.radius)}{cell[1] + self.radius + 1}"


def _chart(view: View) -> str:
    board = board_of(view)
    sheet = _Sheet(board.radius)
    found = by_cell(marks(view))
    planets = planets_by_cell(view, board)
    fought = {place(board, space)[:2] for space in fights(view)}
    body = [_board(sheet)]
    body += [_planet_hex(sheet, cell, list(levels.values())) for cell, levels in planets.items()]
    body += [_burst(sheet, cell) for cell in sorted(fought)]
    for cell in sorted(planets.keys() | found.keys()):
        body.append(_contents(sheet, cell, planets.get(cell, {}), found.get(cell, {})))
    body += [_heading(view), _players(view), _legend(view["seat"]), _worths(view)]
    return "".join(body)


# The board, the same in every picture of one radius.


@functools.lru_cache(maxsize=8)
def _board(sheet: _Sheet) -> str:
    ground = svg.rect(0, 0, WIDTH, HEIGHT, fill=GROUND)
    rings: tuple[list[str], list[str]] = ([], [])
    for cell in disc(sheet.radius):
        rings[distance(cell, (0, 0)) % 3 == 0].append(_hex_path(*sheet.at(cell), sheet.size))
    shades = zip(rings, (CELL, RING), strict=True)
    hexes = "".join(svg.path("".join(paths), fill=shade, stroke=GRID, stroke_width=1) for paths, shade in shades)
    names = "".join(_cell_name(sheet, cell) for cell in disc(sheet.radius))
    return _planet_shades() + ground + hexes + svg.group(names, fill=FAINT, text_anchor="middle") + _edges(sheet)


def _planet_shades() -> str:
    return svg.element("defs", "".join(_ball(name, shade) for name, shade in COLOURS.items()))


def _ball(name: str, shade: str) -> str:
    light = "#" + "".join(f"{(int(shade[at : at + 2], 16) + 255) // 2:02x}" for at in (1, 3, 5))
    stops = svg.element("stop", stop_color=light) + svg.element("stop", offset=1, stop_color=shade)
    return svg.element("radialGradient", stops, id=name, cx="35%", cy="30%")


def _hex_path(x: float, y: float, size: float) -> str:
    half, height = size / 2, math.sqrt(3) * size / 2
    steps = ((-half, height), (-size, 0), (-half, -height), (half, -height), (size, 0))
    return f"M{x + size:.1f} {y:.1f}" + "".join(f"l{dx:.1f} {dy:.1f}" for dx, dy in steps) + "z"


def _cell_name(sheet: _Sheet, cell: Hex) -> str:
    x, y = sheet.at(cell)
    return svg.text(x, y - 0.56 * sheet.size, sheet.name(cell), size=0.29 * sheet.size)


def _edges(sheet: _Sheet) -> str:
    """Column letters above and below the board, row numbers at both ends of the slanting rows."""
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


def _edge(sheet: _Sheet, cell: Hex, side: str, label: str) -> str:
    x, y = sheet.at(cell)
    dx, dy = centre(DIRECTIONS[side], 0.68 * sheet.size)
    return svg.text(x + dx, y + dy + 4, label, size=11)


# Hexes with something in them.


def _planet_hex(sheet: _Sheet, cell: Hex, planets: Sequence[Planet]) -> str:
    """A hex with planets: outlined for their owner, whose letter stands in a banner with the hex's name."""
    x, y = sheet.at(cell)
    size = sheet.size - 1.5
    owners = list(dict.fromkeys(planet["owner"] for planet in planets if planet["owner"]))
    if not owners:
        return svg.polygon(corners(x, y, size), fill="none", stroke=MUTED, stroke_width=1.2)
    shade = COLOURS[owners[0]]
    outline = svg.polygon(corners(x, y, size), fill=shade, fill_opacity="0.15", stroke=shade, stroke_width=2.4)
    top, bottom, inner, outer = y - 0.866 * size, y - 0.43 * size, 0.5 * size, 0.75 * size
    banner = svg.polygon([(x - inner, top), (x + inner, top), (x + outer, bottom), (x - outer, bottom)], fill=shade)
    label = f"{''.join(map(letter, owners))} · {sheet.name(cell)}"
    return outline + banner + svg.text(x, bottom - 2, label, size=0.35 * sheet.size, anchor="middle", fill=INK)


def _burst(sheet: _Sheet, cell: Hex) -> str:
    """Jagged light around the right corner of a hex in which there was fighting."""
    x, y = sheet.at(cell)
    return _moved(svg.polygon(_STAR, fill=FIRE, stroke=INK, stroke_width=1), x + 0.86 * sheet.size, y)


_STAR = " ".join(
    f"{reach * math.cos(turn * math.pi / 8):.1f},{reach * math.sin(turn * math.pi / 8):.1f}"
    for turn in range(16)
    for reach in ((8.5, 4.0)[turn % 2],)
)

_Part = tuple[str, float]
"""A piece of a line in a hex: SVG around (0, 0), and its width."""

_Line = list[_Part]

GAP = 2.0
LINE_HEIGHT, TALLEST = 14.0, 17.0
ROOM_WIDTH, ROOM_HEIGHT = 46.0, 32.0
"""Room for lines below the name in a hex, at an edge of 27 pixels."""
SCALES = (1.2, 1.1, 1.0, 0.92, 0.85, 0.78, 0.7, 0.62, 0.54)
MOST_LEVELS = 4


def _contents(sheet: _Sheet, cell: Hex, planets: Mapping[int, Planet], found: Mapping[int, Sequence[Mark]]) -> str:
    """What is in a hex, as large as there is room for."""
    chosen = sorted({*found, *planets}, key=lambda level: (level not in planets and _is_vague(found[level]), -level))
    kept = chosen if len(chosen) <= MOST_LEVELS else chosen[: MOST_LEVELS - 1]
    parts = [_level_parts(level, planets.get(level), found.get(level, ())) for level in sorted(kept, reverse=True)]
    if len(kept) < len(chosen):
        parts.append([(_label(f"{len(chosen) - len(kept)} more", BRIGHT, 12), 44)])
    scale, lines = _fitted(parts)
    x, y = sheet.at(cell)
    unit = sheet.size / 27
    transform = f"translate({x:.1f} {y + 5.5 * unit:.1f})scale({unit * scale:.2f})"
    return svg.group("".join(_stacked(lines)), transform=transform, text_anchor="middle")


def _is_vague(found: Sequence[Mark]) -> bool:
    """Whether nothing is known of a space but that ships are there: what a crowded hex leaves out first."""
    return all(mark.kind == "unknown" for mark in found)


def _fitted(parts: Sequence[Sequence[_Part]]) -> tuple[float, list[_Line]]:
    """The largest scale at which the lines fit in a hex, and the lines."""
    for scale in SCALES:
        lines = [line for level in parts for line in _broken(level, ROOM_WIDTH / scale)]
        fitting = ROOM_HEIGHT / (LINE_HEIGHT * (len(lines) - 1) + TALLEST)
        if scale <= fitting:
            break
    return min(scale, fitting), lines


def _broken(parts: Sequence[_Part], room: float) -> Iterator[_Line]:
    """The parts of one level in lines no wider than `room`."""
    line: _Line = []
    for part in parts:
        if line and _width([*line, part]) > room:
            yield line
            line = []
        line.append(part)
    yield line


def _width(line: _Line) -> float:
    return sum(width for _, width in line) + GAP * (len(line) - 1)


def _stacked(lines: Sequence[_Line]) -> Iterator[str]:
    y = -LINE_HEIGHT * (len(lines) - 1) / 2
    for line in lines:
        x = -_width(line) / 2
        for drawn, width in line:
            yield _moved(drawn, x + width / 2, y)
            x += width + GAP
        y += LINE_HEIGHT


def _level_parts(level: int, planet: Planet | None, found: Sequence[Mark]) -> list[_Part]:
    tint = HIGH if level > 0 else LOW if level < 0 else BRIGHT
    parts: list[_Part] = [(_label(f"{level:+d}".replace("-", "−"), tint, 11.5), 16)]
    if planet is not None:
        parts.append((_planet(planet["colour"], planet["worth"]), 17))
    return parts + [_token(mark.kind, mark.owner, mark.count) for mark in found]


# Planets and tokens, drawn around (0, 0).


def _moved(drawn: str, x: float, y: float) -> str:
    return svg.group(drawn, transform=f"translate({svg.number(x)} {svg.number(y)})")


def _label(label: str, fill: str, size: float = 9.5) -> str:
    return svg.text(0, 0.36 * size, label, size=size, fill=fill)


@functools.cache
def _planet(colour: str, worth: int) -> str:
    return svg.circle(0, 0, 8.4, fill=f"url(#{colour})") + _label(f"{letter(colour)}{worth}", INK)


@functools.lru_cache(maxsize=1024)
def _token(kind: Kind, owner: str | None, count: int) -> _Part:
    """Ships of one kind: its shape, letter or number, and width."""
    shade = COLOURS[owner or "gray"]
    name = letter(owner) if owner else "x"
    if kind == "own":
        shape = svg.polygon("-7.5,-6 2.5,-6 8,0 2.5,6 -7.5,6", fill=shade, stroke=BRIGHT, stroke_width=1.3)
        return shape + _moved(_label(str(count), INK), -1.5, 0), 17
    if kind == "dark":
        shape = svg.rect(-6, -5.5, 12, 11, fill=INK, stroke=shade, stroke_width=1.1, stroke_dasharray="2.2 1.6")
        return shape + _label(str(count), shade), 14
    if kind == "seen":
        return svg.rect(-7.5, -6, 15, 12, fill=shade) + _label(f"{name}{count}", INK), 15
    if kind == "allied":
        return svg.circle(0, 0, 6.2, fill=INK, stroke=shade, stroke_width=1.6) + _label(name, shade, 9), 14
    return svg.polygon("0,-7.5 7,0 0,7.5 -7,0", fill=BRIGHT) + _label("?", INK, 10), 14


# Around the board: the four corners that a hexagon leaves free.


def _heading(view: View) -> str:
    points = (f"points saved: {view['points']}", f"income {view['income']}, upkeep {view['upkeep']}")
    lines = [
        svg.text(24, 38, "THE SINGULARITY TRAP", size=12, fill=MUTED, letter_spacing=2),
        svg.text(24, 66, view["seat"].capitalize(), size=22, fill=COLOURS[view["seat"]]),
        svg.text(24, 88, view["label"], size=14, fill=BRIGHT),
        *(svg.text(24, 112 + 17 * at, line, size=12, fill=MUTED) for at, line in enumerate(points)),
    ]
    return "".join(lines)


def _players(view: View) -> str:
    title = svg.text(WIDTH - 24, 38, "PLANETS HELD", size=12, anchor="end", fill=MUTED, letter_spacing=2)
    rows = (_player(player, 62 + 19 * at, view["seat"]) for at, player in enumerate(view["players"]))
    return title + "".join(rows)


def _player(player: Mapping[str, Any], y: float, seat: str) -> str:
    colour = player["colour"]
    shade = COLOURS[colour]
    note = "you" if colour == seat else "ally" if player["ally"] else "" if player["playing"] else "out"
    name = f"{colour} ({note})" if note else colour
    flag = svg.rect(WIDTH - 42, y - 12, 18, 15, fill=shade)
    return (
        flag
        + svg.text(WIDTH - 33, y, player["letter"], size=12, anchor="middle", fill=INK)
        + svg.text(WIDTH - 50, y, str(player["planets"]), size=13, anchor="end", fill=BRIGHT)
        + svg.text(WIDTH - 76, y, name, size=13, anchor="end", fill=shade)
    )


def _legend(seat: str) -> str:
    entries = (
        (_token("own", seat, 2)[0], "your ships"),
        (_token("dark", seat, 1)[0], "your dark ships"),
        (_token("seen", None, 2)[0], "ships seen, by owner"),
        (_token("allied", None, 0)[0], "an ally's fleet"),
        (_token("unknown", None, 0)[0], "unknown ships"),
        (svg.polygon(_STAR, fill=FIRE), "fighting this turn"),
        (_label("+6", HIGH, 11.5), "level of what stands beside it"),
        (_planet("gray", 3), "planet: colour, worth to you"),
    )
    top = HEIGHT - 30 - 19 * (len(entries) - 1)
    return "".join(_entry(drawn, label, top + 19 * at) for at, (drawn, label) in enumerate(entries))


def _entry(drawn: str, label: str, y: float) -> str:
    shown = svg.group(drawn, text_anchor="middle") + svg.text(16, 4, label, size=11.5, fill=BRIGHT)
    return _moved(shown, 34, y)


def _worths(view: View) -> str:
    """What planets of each colour pay the reader, best first, and what wins."""
    rules = view["rules"]
    pays = {planet["colour"]: planet["worth"] for planet in view["planets"]}
    order = sorted(pays, key=lambda colour: (-pays[colour], colour))
    discs = [
        _moved(_planet(colour, pays[colour]), WIDTH - 34 - 21 * at, HEIGHT - 72)
        for at, colour in enumerate(reversed(order))
    ]
    lines = [
        svg.text(WIDTH - 24, HEIGHT - 90, "worth to you", size=11.5, anchor="end", fill=MUTED),
        svg.text(
            WIDTH - 24, HEIGHT - 44, f"{rules['planets_to_win']} planets win,", size=11.5, anchor="end", fill=MUTED
        ),
        svg.text(
            WIDTH - 24, HEIGHT - 27, f"held for {rules['turns_to_hold']} turns", size=11.5, anchor="end", fill=MUTED
        ),
    ]
    return svg.group("".join(discs), text_anchor="middle") + "".join(lines)
