"""The picture of a report: the known hexes around the reader's Harvester, and insets of what is far off."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pbem.ruleset import Drawing, Label, Mark, Picture, Sprite, Stamp, View, stroke
from rules.harvester import sprites
from rules.harvester.atlas import UNKNOWN, Atlas, Sighting
from rules.harvester.planet import DIRECTIONS
from rules.harvester.routes import written
from rules.harvester.sprites import TALL, WIDE
from rules.kit import hexes
from rules.kit.brief import counted
from rules.kit.hexes import Hex

RADIUS = 7
"""Hexes shown around the Harvester, at the most; the least is what it scans itself."""

LEAST = 5
NEAR = 2
"""Hexes shown around a unit in an inset."""

LETTERED = 12
"""Owners that get a letter: those of the nearest contacts."""

NAMED = 14
"""Signs of an owner's name that are shown."""

_MIGHT = "HGLSC"
_SIDES = ("own", "friend", "foe")


def pictures(view: View) -> tuple[Picture, ...]:
    """The scans around the Harvester, none for who is out; the frame depends on what was scanned and nothing else."""
    if not view["harvester"]:
        return ()
    chart = _Chart(view)
    drawing = Drawing(sprites.ground(chart.radius, bool(chart.far)), tuple(chart.marks()))
    return (drawing.picture("scanners", _title(view, chart.atlas)),)


def _title(view: View, atlas: Atlas) -> str:
    """What the picture shows, for those who cannot see it."""
    foes = sum(len(each["units"]) for each in view["contacts"] if each["side"] == "foe")
    seen = f"{counted(foes, 'unit')} of foes beside them, {counted(len(atlas.marked), 'mark')} of things to gather"
    units = counted(len(view["units"]), "unit")
    return f"Scanners, {view['label']}: your Harvester at {written(atlas.home)}, {units} of yours, {seen}"


@dataclass(frozen=True)
class _Window:
    """A part of the planet as it lies in the picture: the hexes around one, whose middle is at (x, y)."""

    atlas: Atlas
    middle: Hex
    radius: int
    x: int
    y: int

    def at(self, spot: Hex) -> tuple[int, int]:
        """The middle of a hex, in pixels."""
        q, r = self._away(spot)
        return self.x + WIDE * q + WIDE // 2 * r, self.y + TALL * r

    def shows(self, spot: Hex) -> bool:
        """Whether a hex is in the window."""
        return hexes.distance(self._away(spot), (0, 0)) <= self.radius

    @cached_property
    def spots(self) -> dict[Hex, Hex]:
        """The names of its hexes, and how far each lies from the middle; on a small planet, each but once."""
        ways = ((q, r) for q, r in hexes.disc(self.radius))
        named = ((self.atlas.named((self.middle[0] + q, self.middle[1] + r)), (q, r)) for q, r in ways)
        return {spot: way for spot, way in named if self._away(spot) == way}

    def _away(self, spot: Hex) -> Hex:
        return self.atlas.planet.named(spot[0] - self.middle[0], spot[1] - self.middle[1], near=(0, 0))


class _Chart:
    """What a view tells, and where it is drawn."""

    def __init__(self, view: View) -> None:
        self.view, self.atlas = view, Atlas(view)
        self.dust = {(q, r) for q, r in view["dust"]}
        self.crowds = _crowds(view)
        self.letters = self._letters()
        self.fights = {(event["q"], event["r"]) for event in view["events"] if event["kind"] == "fought"}
        self.radius = self._radius()
        width, board = sprites.measures(self.radius)
        self.width, self.bottom = width, sprites.HEAD + board
        self.main = _Window(self.atlas, self.atlas.home, self.radius, width // 2, sprites.HEAD + board // 2)
        self.far = [spot for spot in self.crowds if not self.main.shows(spot)]
        self.insets = self._insets() if self.far else []

    def marks(self) -> Iterator[Mark]:
        """Everything drawn, lowest first."""
        yield from self._window(self.main)
        yield from self._edges()
        for window in self.insets:
            yield self._frame(window.x)
            yield from self._window(window)
            yield self._caption(window)
        if self.far:
            yield from self._overview()
        yield from self._head()

    def _radius(self) -> int:
        """As far as anything is known, within reason."""
        most = _Window(self.atlas, self.atlas.home, RADIUS, 0, 0).spots
        known = (way for spot, way in most.items() if spot in self.atlas.sightings or spot in self.dust)
        return max(LEAST, *(hexes.distance(way, (0, 0)) for way in known))

    def _letters(self) -> dict[str, str]:
        """A letter for the owners of the nearest contacts."""
        contacts = sorted(
            self.view["contacts"],
            key=lambda each: (self.atlas.distance((each["q"], each["r"]), self.atlas.home), each["owner"]),
        )
        owners = list(dict.fromkeys(contact["owner"] for contact in contacts))[:LETTERED]
        return dict(zip(sorted(owners), "ABCDEFGHIJKLMNOPQRSTUVWXYZ", strict=False))

    def _insets(self) -> list[_Window]:
        """Windows on own units far off, the mightiest first; the last place is for the overview."""
        places = sprites.inset_places(self.width)[:-1]
        middles: list[Hex] = []
        for unit in self.view["units"]:
            spot = unit["q"], unit["r"]
            near = any(self.atlas.distance(spot, other) < NEAR for other in middles)
            if spot in self.far and not near and len(middles) < len(places):
                middles.append(spot)
        y = self.bottom + 24 + (sprites.INSET - 24) // 2
        return [
            _Window(self.atlas, middle, NEAR, left + wide // 2, y)
            for middle, (left, wide) in zip(middles, places, strict=False)
        ]

    # A part of the planet.

    def _window(self, window: _Window) -> Iterator[Mark]:
        seen = {spot: self.atlas.sightings.get(spot) for spot in window.spots}
        known = {spot: sighting for spot, sighting in seen.items() if sighting or spot in self.dust}
        for spot, sighting in known.items():
            yield Stamp(self._ground_of(spot, sighting), *window.at(spot))
        for spot in known:
            yield from self._seam(window, spot)
        for spot, sighting in known.items():
            if sighting:
                yield from _traffic(window, spot, sighting)
        yield from self._course(window)
        for spot, sighting in seen.items():
            if spot in self.crowds:
                yield from self._crowd(window, spot)
            if sighting:
                yield from _finds(window, spot, sighting, crowded=spot in self.crowds)
            if spot in self.fights:
                x, y = window.at(spot)
                yield Stamp(sprites.FIGHT, x - 15, y - 14)

    def _ground_of(self, spot: Hex, sighting: Sighting | None) -> Sprite:
        if spot in self.atlas.crags:
            return sprites.CRAG
        return sprites.DUSTY if sighting is None or spot in self.dust else sprites.CELLS[sighting.band - 1]

    def _seam(self, window: _Window, spot: Hex) -> Iterator[Mark]:
        """The edges on which the chart is joined: behind them coordinates begin anew."""
        x, y = window.at(spot)
        side, peak, shoulder = WIDE // 2, sprites.PEAK, sprites.SHOULDER
        edges = {
            "E": ((side, -shoulder), (side, shoulder)),
            "NE": ((0, -peak), (side, -shoulder)),
            "NW": ((0, -peak), (-side, -shoulder)),
        }
        for name, ends in edges.items():
            if self.atlas.beyond_seam(spot, DIRECTIONS[name]):
                yield stroke([(x + dx, y + dy) for dx, dy in ends], width=4, stroke=sprites.SEAM)

    def _course(self, window: _Window) -> Iterator[Mark]:
        target = self.view["harvester"]["target"]
        if target is None:
            return
        path = [self.atlas.home, *self.atlas.line(self.atlas.home, (target[0], target[1]))]
        for here, there in itertools.pairwise(path):
            if window.shows(here) and window.shows(there):
                ends = [window.at(here), window.at(there)]
                yield stroke(ends, width=3, stroke=sprites.OWN, stroke_dasharray="6 4")

    def _crowd(self, window: _Window, spot: Hex) -> Iterator[Mark]:
        """The badges of a hex, its name below them, and the letters of owners above."""
        x, y = window.at(spot)
        sides = [side for side in _SIDES if side in self.crowds[spot]]
        for at, side in enumerate(sides):
            left = x + round(22 * (at - (len(sides) - 1) / 2))
            home = side == "own" and spot == self.atlas.home
            label = _badge_label(self.crowds[spot][side], small=len(sides) > 1)
            yield Stamp(sprites.badge("home" if home else side, 7 * len(label)), left, y - 3)
            yield Label(left, y + 1, label, 11, sprites.WHITE, "middle", bold=True)
            owners = {self.letters.get(owner, "…") for owner, _ in self.crowds[spot][side] if side != "own"}
            if owners:
                yield _word(left, y - 13, "".join(sorted(owners)), bold=True)
        yield _word(x, y + 18, _written(spot))

    # Around the board.

    def _edges(self) -> Iterator[Mark]:
        """The coordinates of the first and the last hex known in each row, beside them."""
        rows: dict[int, list[tuple[int, Hex]]] = {}
        for spot, (q, r) in self.main.spots.items():
            if spot in self.atlas.sightings or spot in self.dust:
                rows.setdefault(r, []).append((q, spot))
        for row in rows.values():
            (x, y), (right, _) = self.main.at(min(row)[1]), self.main.at(max(row)[1])
            aside = WIDE // 2 + 4
            yield Label(x - aside, y + 4, _written(min(row)[1]), 11, sprites.PALE, "end")
            yield Label(right + aside, y + 4, _written(max(row)[1]), 11, sprites.PALE)

    def _frame(self, x: int) -> Stamp:
        _, wide = sprites.inset_places(self.width)[0]
        return Stamp(sprites.frame(wide), x, self.bottom + sprites.INSET // 2)

    def _caption(self, window: _Window) -> Label:
        crowd = self.crowds[window.middle]["own"]
        steps = self.atlas.distance(window.middle, self.atlas.home)
        words = f"{_badge_label(crowd)} at {_written(window.middle)}, {steps} off"
        return Label(window.x, self.bottom + 18, words, 12, sprites.PAPER, "middle", bold=True)

    def _overview(self) -> Iterator[Mark]:
        """The whole planet around the Harvester, in the last inset: a dot for every unit known."""
        left, wide = sprites.inset_places(self.width)[len(self.insets)]
        x, y, reach = left + wide // 2, self.bottom + 24 + (sprites.INSET - 24) // 2, (sprites.INSET - 50) // 2
        farthest = max(self.atlas.distance(spot, self.atlas.home) for spot in self.far)
        yield self._frame(x)
        yield Label(x, self.bottom + 18, f"all units known, {farthest} hexes around", 12, sprites.PAPER, "middle")
        scale = reach / farthest
        edge = (self.radius + 0.5) * scale
        ring = [(x + edge * dx, y + edge * dy) for dx, dy in _HEXAGON]
        yield stroke(ring, width=1, stroke=sprites.PALE, fill="none")
        for side in reversed(_SIDES):
            for spot, crowd in self.crowds.items():
                if side in crowd:
                    q, r = self.atlas.away(spot)
                    yield Stamp(sprites.DOTS[side], x + round(scale * (q + r / 2)), y + round(scale * r * 0.87))

    def _head(self) -> Iterator[Mark]:
        view = self.view
        points, home = view["points"]["total"], view["harvester"]
        words = f"{view['seat']}, {view['label']}: {points} points, holds {home['held']}"
        yield Label(14, 22, words, 15, sprites.PAPER, bold=True)
        x, y = 14, 42
        for letter, owner in sorted((letter, owner) for owner, letter in self.letters.items()):
            words = f"{letter} {owner if len(owner) <= NAMED else owner[: NAMED - 1] + '…'}"
            wide = 8 * len(words) + 14
            if x + wide > self.width:
                x, y = 14, y + 17
            yield Label(x, y, words, 12, sprites.PALE)
            x += wide


def _traffic(window: _Window, spot: Hex, seen: Sighting) -> Iterator[Mark]:
    """That something moved in a hex, and whence it came."""
    x, y = window.at(spot)
    if seen.moved > 0:
        yield Stamp(sprites.MOVED, x, y)
    for direction in seen.entered.split():
        q, r = DIRECTIONS[direction]
        yield Stamp(sprites.entered(WIDE * q + WIDE // 2 * r, TALL * r), x, y)


def _finds(window: _Window, spot: Hex, seen: Sighting, *, crowded: bool) -> Iterator[Mark]:
    """What there is in a hex, but for units that are known exactly."""
    x, y = window.at(spot)
    if (seen.resources == UNKNOWN and seen.marked) or seen.resources > 0:
        px, py = (x + 15, y - 15) if crowded else (x, y - 4)
        yield Stamp(sprites.PRIZE, px, py)
        if seen.resources > 0:
            yield Label(px, py + 4, str(seen.resources), 11, sprites.WHITE, "middle", bold=True)
        if not crowded:
            yield _word(x, y + 18, _written(spot))
    if seen.resources == UNKNOWN and seen.number > 0 and not crowded:
        yield _word(x, y + 4, f"{seen.number}?", bold=True)


_HEXAGON = ((1, 0), (0.5, 0.87), (-0.5, 0.87), (-1, 0), (-0.5, -0.87), (0.5, -0.87), (1, 0))


def _word(x: int, y: int, text: str, *, bold: bool = False) -> Label:
    return Label(x, y, text, 11, sprites.INK, "middle", bold=bold, halo=sprites.PAPER)


def _crowds(view: View) -> dict[Hex, dict[str, list[tuple[str, str]]]]:
    """Who is in each hex, by side: owners and the names of units, or their kinds."""
    found: dict[Hex, dict[str, list[tuple[str, str]]]] = {}

    def add(spot: Sequence[int], side: str, owner: str, names: Sequence[str]) -> None:
        here = found.setdefault((spot[0], spot[1]), {}).setdefault(side, [])
        here.extend((owner, name) for name in names)

    home = view["harvester"]
    add((home["q"], home["r"]), "own", view["seat"], ["H"])
    for unit in view["units"]:
        add((unit["q"], unit["r"]), "own", view["seat"], [unit["unit"]])
    for contact in view["contacts"]:
        add((contact["q"], contact["r"]), contact["side"], contact["owner"], contact["units"])
    return found


def _badge_label(crowd: Sequence[tuple[str, str]], *, small: bool = False) -> str:
    """The mightiest unit, and how many there are besides; `small`: its kind, and how many there are."""
    names = sorted((name for _, name in crowd), key=lambda name: (_MIGHT.index(name[0]), name))
    if small:
        return names[0][0] + (str(len(names)) if len(names) > 1 else "")
    return names[0] + (f"+{len(names) - 1}" if len(names) > 1 else "")


def _written(spot: Hex) -> str:
    return f"{spot[0]},{spot[1]}"
