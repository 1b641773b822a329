"""Pictures of a report: the hexes next to the reader's Harvester, for a phone, and all known hexes around it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.ruleset import Drawing, Label, Mark, Picture, SpriteInstance, TapTarget, View, draw_line
from pbem_rules.common import hexes
from pbem_rules.common.hexes import Hex
from pbem_rules.common.summary import counted, named
from pbem_rules.harvester import sprites
from pbem_rules.harvester.routes import written
from pbem_rules.harvester.window import SIDES, WIDEST, Scene, Window, badge_label, grouped

RADIUS = 7
"""Most known hexes shown around the Harvester; the fewest, LEAST, are those it scans itself."""

LEAST = 5
NEAR = 2
"""Fewest hexes shown around a unit in an inset."""

NAMED = 14
"""Signs of an owner's name that are shown."""

APART = 6
"""Pixels from dot to dot of a side on the overview; nearer ones are drawn as one."""

WIDENING, LOWEST = 40, sprites.LARGEST - 110
"""Pixels by which a chart is widened at a time for its insets, and the lowest end of these, above the legend."""

_FIRM = "\xa0"

NEAREST = 6
"""Most things of a sort that the alternative text names: the nearest."""


def pictures(view: View) -> tuple[Picture, ...]:
    """Return both pictures, that for a phone first; none for a player who is out.

    The frame depends on what was scanned and on nothing else.
    """
    if not view["harvester"]:
        return ()
    scene = Scene(view)
    chart, region = _WideMap(scene), _Region(scene)
    return (
        region.drawing().picture("region", region.title(), region.window.tapped()),
        chart.drawing().picture("scanners", _title(scene), chart.spots()),
    )


def _title(scene: Scene) -> str:
    """Return the alternative text of the picture."""
    view = scene.view
    foes = sum(len(each["units"]) for each in view["contacts"] if each["side"] == "foe")
    marked = sum(bool(row[-1]) for row in view["scan"][0])
    marked += sum(bool(row[2]) for rows in view["scan"][1:] for row in rows)
    lost = sum(len(crowd) for _, crowd in scene.lost.values())
    told = [
        f"your Harvester at {written(scene.atlas.home)}",
        f"{counted(len(view['units']), 'unit')} of yours",
        f"{counted(foes, 'unit')} of foes beside them",
        *([f"{counted(lost, 'unit')} of foes seen before"] if lost else []),
        f"{counted(marked, 'mark')} of things to gather",
    ]
    return f"Scanners, {view['label']}: {', '.join(told)}"


class _Frame(NamedTuple):
    """The frame of an inset: its middle, and its width and height."""

    x: int
    y: int
    wide: int
    high: int


class _WideMap:
    """All hexes near the Harvester, with insets of units far off.

    Board and insets show every hex that orders may name: those in reach of units, and targets.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.view, self.atlas = scene, scene.view, scene.atlas
        self.radius = self._radius()
        narrow, board = sprites.measures(self.radius)
        self.bottom = sprites.HEAD + board
        near, around = scene.around(self.atlas.home, self.radius), self._far_off()
        self.far = [spot for spot in scene.crowds if spot not in near]
        radii = [*around.values(), *([NEAR] if self.far else [])]
        # As narrow as the board, or as little wider as keeps it within what a picture may measure.
        widths = range(narrow, sprites.LARGEST + 1, WIDENING)
        self.width = next(
            (width for width in widths if _end(_arranged(radii, width, self.bottom)) <= LOWEST), widths[-1]
        )
        self.frames = _arranged(radii, self.width, self.bottom)
        middle = self.width // 2, sprites.HEAD + board // 2
        self.main = Window(scene, self.atlas.home, hexes.disc(self.radius), *middle)
        self.insets = [
            Window(scene, spot, hexes.disc(radius), frame.x, frame.y + sprites.CAPTION // 2)
            for (spot, radius), frame in zip(around.items(), self.frames, strict=False)
        ]

    def drawing(self) -> Drawing:
        """Return the chart on its background."""
        return Drawing(sprites.ground(self.width, max(self.bottom, _end(self.frames))), tuple(self._marks()))

    def spots(self) -> Iterator[TapTarget]:
        """Yield the targets for taps: all hexes that are drawn.

        The spots of own units in the windows that have all their goals come first, for a page takes the first spot
        of several for a unit's own, and seeks its goals around that.
        """
        first = {spot: self._whole(spot) for spot in self.scene.paces}
        for spot, window in first.items():
            yield from window.tapped([spot])
        for window in (self.main, *self.insets):
            yield from window.tapped([spot for spot in window.spots if first.get(spot) is not window])

    def _whole(self, spot: Hex) -> Window:
        """Return the window in which the goals of a hex's units lie together."""
        goals = self.scene.around(spot, self.scene.paces[spot])
        windows = self.insets if self._is_torn(spot) else [self.main, *self.insets]
        return next(window for window in windows if goals <= window.spots.keys())

    def _marks(self) -> Iterator[Mark]:
        yield from self.main.marks()
        yield from self._edges()
        yield from (SpriteInstance(sprites.frame(wide, high), x, y) for x, y, wide, high in self.frames)
        for window, frame in zip(self.insets, self.frames, strict=False):
            yield from window.marks()
            yield self._caption(window, frame)
        if self.far:
            yield from self._overview()
        yield from self._head()

    def _radius(self) -> int:
        """Return the least distance up to which the board shows what it should.

        That is what is known up to RADIUS, and targets and all that near units reach up to WIDEST, but no less than
        LEAST.
        """
        home = self.atlas.home
        around = {self.atlas.named(hexes.step(home, way)): way for way in hexes.disc(RADIUS)}
        told = [hexes.distance(way, (0, 0)) for spot, way in around.items() if self.scene.tells(spot)]
        ends = [self._farthest(spot) for spot in self.scene.paces if not self._is_torn(spot)]
        ends += [self.atlas.distance(home, spot) for spot in self.atlas.marked]
        return max(LEAST, *told, *(end for end in ends if end <= WIDEST))

    def _farthest(self, spot: Hex) -> int:
        """Return the distance from the Harvester up to which the units of a hex may go."""
        return self.atlas.distance(self.atlas.home, spot) + self.scene.paces[spot]

    def _is_torn(self, spot: Hex) -> bool:
        """Return True if units reach around the planet, where a board would show their goals at its other end."""
        return self._farthest(spot) >= self.atlas.planet.size

    def _far_off(self) -> dict[Hex, int]:
        """Return the middles of insets and the hexes around them: all that units reach beyond the board."""
        board = self.scene.around(self.atlas.home, self.radius)
        shown, found = [], {}  # type: list[set[Hex]], dict[Hex, int]
        # The widest first: it may show what others reach.
        for spot, pace in sorted(self.scene.paces.items(), key=lambda each: -each[1]):
            goals = self.scene.around(spot, pace)
            whole = shown if self._is_torn(spot) else [board, *shown]
            if not any(goals <= window for window in whole):
                found[spot] = max(NEAR, pace)
                shown.append(self.scene.around(spot, found[spot]))
        return found

    def _edges(self) -> Iterator[Mark]:
        """Label the first and the last known hex of each row."""
        for row in self.main.rows():
            yield _before(row[0])
            x, y, spot = row[-1]
            if len(row) > 1:
                yield Label(x + sprites.ASIDE, y + 4, written(spot), 11, sprites.PALE)

    def _caption(self, window: Window, frame: _Frame) -> Label:
        crowd = self.scene.crowds[window.middle]["own"]
        steps = self.atlas.distance(window.middle, self.atlas.home)
        words = f"{badge_label(crowd)} at {written(window.middle)}, {steps} off"
        return Label(frame.x, frame.y - frame.high // 2 + 18, words, 12, sprites.PAPER, "middle", bold=True)

    def _overview(self) -> Iterator[Mark]:
        """Draw the whole planet around the Harvester in the last inset, with a dot for every known unit."""
        x, y, _, high = self.frames[-1]
        ways = self.scene.away
        farthest = max(hexes.distance(way, (0, 0)) for way in ways.values())
        words = f"all units known, {farthest} hexes around"
        yield Label(x, y - high // 2 + 18, words, 12, sprites.PAPER, "middle")
        y, scale = y + sprites.CAPTION // 2, (high - sprites.CAPTION - 26) / 2 / farthest
        edge = (self.radius + 0.5) * scale
        ring = [(x + edge * dx, y + edge * dy) for dx, dy in _HEXAGON]
        yield draw_line(ring, width=1, stroke=sprites.PALE, fill="none")
        sides = {side: [spot for spot, crowd in self.scene.crowds.items() if side in crowd] for side in reversed(SIDES)}
        for side, spots in {"lost": list(self.scene.lost), **sides}.items():
            dots = {_dot(ways[spot], scale) for spot in spots}
            yield from (SpriteInstance(sprites.DOTS[side], x + dx, y + dy) for dx, dy in sorted(dots))

    def _head(self) -> Iterator[Mark]:
        view = self.view
        points, held = counted(view["points"]["total"], "point"), view["harvester"]["held"]
        words = f"{_shortened(view['seat'])}, {view['label']}: {points}, holds {held}"
        yield Label(14, 22, words, 15, sprites.PAPER, bold=True)
        yield from _legend_of_letters(self.scene.letters, 42, self.width, 2)


def _arranged(radii: Sequence[int], width: int, top: int) -> list[_Frame]:
    """Return the frames of insets that show so many hexes to each side, in rows below each other.

    The widest come first, so each goes into the first row that has room, and no row grows.
    """
    frames: list[_Frame] = []
    rows: list[tuple[int, int]] = []
    for radius in radii:
        wide, high = sprites.inset_measures(radius)
        row = next((at for at, (left, _) in enumerate(rows) if left + wide <= width), len(rows))
        if row == len(rows):
            rows.append((0, top))
            top += high
        left, y = rows[row]
        frames.append(_Frame(left + wide // 2, y + high // 2, wide, high))
        rows[row] = left + wide, y
    return frames


def _end(frames: Sequence[_Frame]) -> int:
    return max((frame.y + frame.high // 2 for frame in frames), default=0)


class _Region:
    """The hexes next to the Harvester, as wide as a phone, and lines on owners and on own units beyond them."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.view = scene, scene.view
        self.window = Window(scene, scene.atlas.home, sprites.REGION, *sprites.REGION_MIDDLE)

    def drawing(self) -> Drawing:
        """Return the region on its background."""
        lines = [*self._owners(), *self._beyond()]
        below = [
            Label(14, sprites.REGION_END + 8 + sprites.LINE * at, text, 12, sprites.PAPER)
            for at, text in enumerate(lines)
        ]
        edges = map(_before, (row[0] for row in self.window.rows()))
        return Drawing(sprites.region_ground(len(lines)), (*self.window.marks(), *edges, *below))

    def _owners(self) -> list[str]:
        """Return the owners of the letters shown, in two lines at the most."""
        shown = self.window.owners()
        letters = sorted((letter, owner) for owner, letter in self.scene.letters.items() if owner in shown)
        return _lines("; ".join(f"{letter}{_FIRM}{_shortened(owner)}" for letter, owner in letters))

    def _beyond(self) -> list[str]:
        """Return own units that are not shown, in two lines at the most."""
        far = [unit for unit in self.view["units"] if (unit["q"], unit["r"]) not in self.window.spots]
        words = "; ".join(f"{unit['unit']}{_FIRM}{unit['q']},{unit['r']}" for unit in far)
        return _lines(f"Beyond: {words}") if far else []

    def title(self) -> str:
        """Return the alternative text: what is shown, each sort by distance."""
        scene, atlas = self.scene, self.scene.atlas
        spots = sorted(self.window.spots, key=lambda spot: (atlas.distance(atlas.home, spot), spot))
        foes = [
            f"{grouped(scene.crowds[spot]['foe'])} at {written(spot)}"
            for spot in spots
            if "foe" in scene.crowds.get(spot, ())
        ]
        counts = {(q, r): number for q, r, _, _, _, number in self.view["scan"][1] if number}
        unknown = [f"{counts[spot]} at {written(spot)}" for spot in spots if spot in counts]
        lost = [f"{grouped(scene.lost[spot][1])} at {written(spot)}" for spot in spots if spot in scene.lost]
        marked = [written(spot) for spot in spots if spot in atlas.marked and spot != atlas.home]
        sorts = {"Foes": foes, "Unknown units": unknown, "Foes seen before": lost, "To gather": marked}
        told = [f"{sort}: {named(things, NEAREST)}" for sort, things in sorts.items() if things]
        return ". ".join([f"Map around your Harvester at {written(atlas.home)}", *told])


def _lines(words: str) -> list[str]:
    """Return words in two lines of the region at the most; none ends at a firm blank."""
    return [line.replace(_FIRM, " ") for line in textwrap.wrap(words, 52, max_lines=2, placeholder=" …")]


def _before(first: tuple[int, int, Hex]) -> Label:
    x, y, spot = first
    return Label(x - sprites.ASIDE, y + 4, written(spot), 11, sprites.PALE, "end")


def _shortened(name: str) -> str:
    return name if len(name) <= NAMED else name[: NAMED - 1] + "…"


def _legend_of_letters(letters: dict[str, str], top: int, width: int, lines: int) -> Iterator[Mark]:
    """Draw the owner of each letter, in so many lines at the most."""
    x, y = 14, top
    for letter, owner in sorted((letter, owner) for owner, letter in letters.items()):
        words = f"{letter} {_shortened(owner)}"
        wide = 8 * len(words) + 14
        if x + wide > width:
            x, y = 14, y + 17
        if y < top + 17 * lines:
            yield Label(x, y, words, 12, sprites.PALE)
        x += wide


def _dot(way: Hex, scale: float) -> tuple[int, int]:
    """Return the place on an overview of a hex at an offset from the Harvester, in pixels from the middle."""
    q, r = way
    return APART * round(scale * (q + r / 2) / APART), APART * round(scale * r * 0.87 / APART)


_HEXAGON = ((1, 0), (0.5, 0.87), (-0.5, 0.87), (-1, 0), (-0.5, -0.87), (0.5, -0.87), (1, 0))
