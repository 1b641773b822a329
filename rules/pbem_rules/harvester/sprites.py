"""Sprites and backgrounds of the pictures: hexes, badges, arrows and the legend.

Own units are boxes, friends round, foes pointed, so that none needs its colour
to be told apart; crags have peaks and dust has grains.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from pbem.ruleset import Background, Sprite, SpriteInstance
from pbem_rules.common import svg
from pbem_rules.harvester.planet import DIRECTIONS

WIDE, TALL = 44, 38
"""Pixels from a hex to the next in its row, and from row to row."""

PEAK, SHOULDER = 25, 13
"""Pixels from the middle of a hex up to its upper corner, and to its upper side corners."""

UPPER_EDGES = {
    "E": ((WIDE // 2, -SHOULDER), (WIDE // 2, SHOULDER)),
    "NE": ((0, -PEAK), (WIDE // 2, -SHOULDER)),
    "NW": ((0, -PEAK), (-WIDE // 2, -SHOULDER)),
}
"""The edges of a hex towards three of its neighbours: with those of all hexes, every edge."""

SIDE, HEAD, ASIDE = 46, 70, WIDE // 2 + 4
"""Pixels left and right of the hexes for coordinates, above them for words, and from a middle to its coordinates."""

PHONE, REGION_ROWS, REGION_REACH = 374, 4, 3 * WIDE
"""Width of a picture for phones, its rows above and below the middle, and pixels to its outermost hexes."""

REGION = [
    (q, r)
    for r in range(-REGION_ROWS, REGION_ROWS + 1)
    for q in range(-2 * REGION_ROWS, 2 * REGION_ROWS + 1)
    if abs(WIDE * q + WIDE // 2 * r) <= REGION_REACH
]
"""The hexes on a picture for phones."""

REGION_MIDDLE = PHONE - REGION_REACH - WIDE // 2 - 10, REGION_ROWS * TALL + PEAK + 8
REGION_END, LINE = 2 * REGION_MIDDLE[1], 17
"""The middle of its hexes, their bottom, and the height of a line of text below them."""

LARGEST = 2_000
"""Pixels that a picture may measure."""

CAPTION, MARGIN = 24, 10
"""Height of the words above the hexes of an inset, and pixels around these."""

UNSCANNED, INK, PALE, PAPER = "#2b2620", "#221d17", "#cfc6b6", "#f7f1e4"
BANDS = ("#f4ecd8", "#eadfc4", "#dccdaa", "#ccba92", "#bba77c")
CRAGS, ROCK, DUST, GRAIN = "#7a5a44", "#3a281c", "#93a3b5", "#4c5b6c"
OWN, FRIEND, FOE, WHITE = "#174f91", "#3d5f55", "#a51d16", "#ffffff"
RESOURCE, SEAM, FIRE, GOLD, TRACK = "#145a1d", "#6a2c91", "#ffb02e", "#ffd84d", "#8c1b12"

CORNERS = (
    *((0, -PEAK), (WIDE // 2, -SHOULDER), (WIDE // 2, SHOULDER)),
    *((0, PEAK), (-WIDE // 2, SHOULDER), (-WIDE // 2, -SHOULDER)),
)
"""The corners of a hex, in pixels from its middle."""

BADGE = 18
"""Height of a badge."""


def _hex(fill: str, inside: str = "") -> Sprite:
    body = svg.polygon(CORNERS, fill=fill, stroke=UNSCANNED, stroke_width=1) + inside
    return Sprite(body, WIDE + 2, 2 * PEAK + 4)


_PEAKS = svg.path("M-13,-2l5,-9l5,9M2,3l5,-9l5,9M-11,14l5,-9l5,9", fill="none", stroke=ROCK, stroke_width=2)
_GRAINS = "".join(
    svg.circle(x, y, 1.5) for x, y in ((-12, -6), (-4, -13), (5, -7), (13, -3), (-8, 5), (2, 3), (10, 8), (-2, 14))
)

CELLS = tuple(_hex(band) for band in BANDS)
"""A clear hex of each band."""

OLD = _hex("#453e35")
"""A hex that is not scanned now: one that was, or one in reach of units."""

CRAG = _hex(CRAGS, _PEAKS)
DUSTY = _hex(DUST, svg.group(_GRAINS, fill=GRAIN))

MOVED = Sprite(svg.circle(0, 0, 17, fill="none", stroke=TRACK, stroke_width=1.2, stroke_dasharray="3 3"), 38, 38)
PRIZE = Sprite(svg.polygon("0,-9 9,0 0,9 -9,0", fill=RESOURCE, stroke=WHITE, stroke_width=1), 20, 20)
COUNTED = Sprite(svg.polygon("0,-10 10,0 0,10 -10,0", fill=PAPER, stroke=RESOURCE, stroke_width=1.5), 24, 24)
"""Resources that were counted before, and are not now."""

CAPTURED = Sprite(
    svg.path("M-5,9V-9", fill="none", stroke=INK, stroke_width=2.5)
    + svg.path("M-5,-9L8,-5L-5,0z", fill=GOLD, stroke=INK, stroke_width=1),
    20,
    22,
)
"""A flag on a Harvester that changed hands."""

DOTS = {
    "own": Sprite(svg.rect(-4, -4, 8, 8, fill=OWN, stroke=WHITE, stroke_width=1.2), 12, 12),
    "friend": Sprite(svg.circle(0, 0, 3.5, fill=FRIEND, stroke=WHITE, stroke_width=1), 10, 10),
    "foe": Sprite(svg.polygon("0,-5 5,4 -5,4", fill=FOE, stroke=WHITE, stroke_width=1), 12, 12),
    "lost": Sprite(svg.polygon("0,-5 5,4 -5,4", fill="none", stroke=PAPER, stroke_width=1.2), 12, 12),
}
"""Units on the overview."""

FIGHT = Sprite(
    svg.polygon(
        [
            (reach * math.sin(at * math.pi / 8), -reach * math.cos(at * math.pi / 8))
            for at in range(16)
            for reach in [9 if at % 2 == 0 else 4.5]
        ],
        fill=FIRE,
        stroke=INK,
        stroke_width=1,
    ),
    20,
    20,
)


@functools.cache
def badge(side: str, wide: int) -> Sprite:
    """Return the box, pill or pointed plate of units, for a label so wide.

    "home" is the reader's Harvester, and "lost" a hollow plate of foes that were seen before.
    """
    half, tall = wide // 2 + 3, BADGE // 2
    frame: dict[str, svg.Attribute] = {"stroke": WHITE, "stroke_width": 1.4}
    if side in ("foe", "lost"):
        tip, edge = half + 8, half - 2
        points = [(-tip, 0), (-edge, -tall), (edge, -tall), (tip, 0), (edge, tall), (-edge, tall)]
        if side == "lost":
            frame = {"stroke": FOE, "stroke_width": 1.6, "stroke_dasharray": "4 2"}
        return Sprite(svg.polygon(points, fill=PAPER if side == "lost" else FOE, **frame), 2 * tip + 4, BADGE + 4)
    if side == "home":
        frame = {"stroke": GOLD, "stroke_width": 3}
        half, tall = half + 3, tall + 2
    fill, corner = (FRIEND, tall) if side == "friend" else (OWN, 2)
    half += tall - 6 if side == "friend" else 0
    return Sprite(svg.rect(-half, -tall, 2 * half, 2 * tall, rx=corner, fill=fill, **frame), 2 * half + 4, 2 * tall + 4)


@functools.cache
def entered(dx: int, dy: int) -> Sprite:
    """Return a wedge that points from the edge towards the middle; (dx, dy) leads to the next hex."""
    ax, ay = dx * 0.45, dy * 0.45
    bx, by, wing = dx * 0.28, dy * 0.28, 0.12
    points = [(ax - dy * wing, ay + dx * wing), (bx, by), (ax + dy * wing, ay - dx * wing)]
    return Sprite(svg.polygon(points, fill=TRACK, stroke=WHITE, stroke_width=0.8), WIDE + 4, TALL + 8)


@functools.cache
def trodden(ground: Sprite, ways: str) -> Sprite:
    """Return a hex in which something moved, with the directions from which it was entered ("E SW")."""
    wedges = [DIRECTIONS[way] for way in ways.split()]
    came = "".join(entered(WIDE * q + WIDE // 2 * r, TALL * r).body for q, r in wedges)
    return ground._replace(body=ground.body + MOVED.body + came)


@functools.cache
def arrow(dx: int, dy: int) -> Sprite:
    """Return a thin arrow with its middle at (0, 0) for an own unit's move from a hex to the one (dx, dy) away."""
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    tip = length / 2 - 18
    left, right = ((tip - 9) * ux - 5 * uy, (tip - 9) * uy + 5 * ux), ((tip - 9) * ux + 5 * uy, (tip - 9) * uy - 5 * ux)
    shaft = [(-dx / 2 + 6 * ux, -dy / 2 + 6 * uy), ((tip - 5) * ux, (tip - 5) * uy)]
    head = [(tip * ux, tip * uy), left, right]
    casing = svg.polyline(shaft, stroke=WHITE, stroke_width=4) + svg.polyline(shaft, stroke=OWN, stroke_width=2)
    body = casing + svg.polygon(head, fill=OWN, stroke=WHITE, stroke_width=1)
    return Sprite(body, 2 * math.ceil(abs(dx) / 2 + 4), 2 * math.ceil(abs(dy) / 2 + 4))


@functools.lru_cache(maxsize=64)
def ground(width: int, bottom: int) -> Background:
    """Return the background of a chart: dark down to the legend, which begins at `bottom`."""
    columns, pitch = (4, 24) if width > 700 else (3, 19)
    height = bottom + pitch * math.ceil(len(_entries()) / columns) + 12
    body = svg.rect(0, 0, width, height, fill=UNSCANNED)
    return Background(body + _legend(bottom, width, height, columns, pitch), width, height)


@functools.cache
def region_ground(lines: int) -> Background:
    """Return the background of the region for phones, with room for some lines below its hexes."""
    height = REGION_END + (lines * LINE + 4 if lines else 0)
    return Background(svg.rect(0, 0, PHONE, height, fill=UNSCANNED), PHONE, height)


def measures(radius: int) -> tuple[int, int]:
    """Return the width of a picture that shows so many hexes to each side, and the height of its board."""
    return (2 * radius + 1) * WIDE + 2 * SIDE, 2 * radius * TALL + 2 * PEAK + 8


def inset_measures(radius: int) -> tuple[int, int]:
    """Return the width and the height of an inset that shows so many hexes to each side."""
    return (2 * radius + 1) * WIDE + 2 * MARGIN, CAPTION + 2 * radius * TALL + 2 * PEAK + 2 * MARGIN


@functools.cache
def frame(wide: int, high: int) -> Sprite:
    half, tall = wide // 2, high // 2
    line = svg.rect(2 - half, 2 - tall, 2 * half - 4, 2 * tall - 4, fill="none", stroke=PALE, stroke_width=1)
    return Sprite(line, 2 * half, 2 * tall)


def _legend(top: int, width: int, height: int, columns: int, pitch: int) -> str:
    shown = []
    for at, (stamps, words) in enumerate(_entries()):
        row, column = divmod(at, columns)
        place = f"translate({24 + width // columns * column} {top + 16 + pitch * row})"
        shown.append(svg.group(_entry(stamps, words), transform=place))
    return svg.rect(0, top, width, height - top, fill=PAPER) + "".join(shown)


def _entry(stamps: Sequence[SpriteInstance], words: str) -> str:
    signs = "".join(svg.group(each.sprite.body, transform=f"translate({each.x} {each.y})") for each in stamps)
    return signs + svg.text(25, 4, words, size=12, fill=INK)


def _entries() -> list[tuple[list[SpriteInstance], str]]:
    old = Sprite(svg.text(0, 4, "S 2", size=11, anchor="middle", fill=FOE, font_weight="bold"), 24, 14)
    seam = Sprite(svg.line(0, -9, 0, 9, stroke=SEAM, stroke_width=4), 10, 20)
    moved = Sprite(svg.group(MOVED.body, transform="scale(0.6)"), 24, 24)
    rock = Sprite(svg.rect(-14, -11, 28, 22, fill=CRAGS) + svg.group(_PEAKS, transform="scale(0.75)"), 30, 24)
    dust = Sprite(
        svg.rect(-14, -11, 28, 22, fill=DUST) + svg.group(_GRAINS, fill=GRAIN, transform="scale(0.7)"), 30, 24
    )
    return [
        ([SpriteInstance(badge("own", 14), 0, 0)], "your units"),
        ([SpriteInstance(badge("friend", 14), 0, 0)], "friends"),
        ([SpriteInstance(badge("foe", 14), 0, 0)], "foes"),
        ([SpriteInstance(badge("lost", 21), 0, 0), SpriteInstance(old, 0, 0)], "seen 2 turns ago"),
        ([SpriteInstance(badge("home", 14), 0, 0)], "your Harvester"),
        ([SpriteInstance(PRIZE, 0, 0)], "resource or Harvester"),
        ([SpriteInstance(COUNTED, 0, 0)], "counted before"),
        ([SpriteInstance(arrow(44, 0), 6, 0)], "moves of yours"),
        ([SpriteInstance(moved, 0, 0)], "movement"),
        ([SpriteInstance(entered(-WIDE, 0), 12, 0)], "came in this way"),
        ([SpriteInstance(FIGHT, 0, 0)], "a fight of yours"),
        ([SpriteInstance(CAPTURED, 0, 0)], "Harvester captured"),
        ([SpriteInstance(rock, 0, 0)], "crags"),
        ([SpriteInstance(dust, 0, 0)], "dust"),
        ([SpriteInstance(seam, 0, 0)], "seam of your chart"),
    ]
