"""The picture of a report: the known hexes around the reader's units, small enough for a crowd of players."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pbem.ruleset import Picture, View
from rules.harvester.atlas import UNKNOWN, Atlas, Sighting
from rules.harvester.planet import DIRECTIONS
from rules.harvester.routes import written
from rules.kit import hexes, svg
from rules.kit.brief import counted
from rules.kit.hexes import Hex

SIZE = 13.0
"""The edge of a hex, in pixels."""

RADIUS = 12
"""Hexes shown around the Harvester, at the most."""

_MARGIN = 10
_BANDS = ("#f4ecd8", "#e9dfc6", "#dccfb1", "#cbbd9c", "#b8aa89")
_DUST, _CRAGS, _GROUND = "#8fa0b3", "#6b4a35", "#3b352e"
_SEAM = "#7b3fa0"
_FRIEND = "#5b7f95"
_OWN, _FOREIGN, _RESOURCE, _INK = "#1f5fa8", "#b3261e", "#2e7d32", "#2a251f"


def pictures(view: View) -> tuple[Picture, ...]:
    """The scans around the Harvester, none for who is out; the frame depends on what was scanned and nothing else."""
    if not view["harvester"]:
        return ()
    atlas = Atlas(view)
    near = {spot: seen for spot, seen in atlas.sightings.items() if atlas.distance(spot, atlas.home) <= RADIUS}
    dust = [(q, r) for q, r in view["dust"] if atlas.distance((q, r), atlas.home) <= RADIUS]
    frame = _Frame(atlas, [*near, *dust])
    body = "".join(
        [
            svg.rect(0, 0, frame.width, frame.height, fill=_GROUND),
            *(
                _cell(frame, spot, _CRAGS if spot in atlas.crags else _BANDS[seen.band - 1])
                for spot, seen in near.items()
            ),
            *(_cell(frame, spot, _DUST) for spot in dust),
            *_seam(frame, [*near, *dust]),
            *(mark for spot, seen in near.items() for mark in _facts(frame, spot, seen)),
            *_course(frame, view, atlas),
            *_units(frame, view, atlas),
        ]
    )
    title = _title(view, atlas)
    drawn = svg.document(frame.width, frame.height, body, title)
    return (Picture("scanners", title, drawn, frame.width, frame.height),)


def _title(view: View, atlas: Atlas) -> str:
    """What the picture shows, for those who cannot see it."""
    foes = sum(len(each["units"]) for each in view["contacts"] if each["side"] == "foe")
    seen = f"{counted(foes, 'unit')} of foes beside them, {counted(len(atlas.marked), 'mark')} of things to gather"
    units = counted(len(view["units"]), "unit")
    return f"Scanners, {view['label']}: your Harvester at {written(atlas.home)}, {units} of yours, {seen}"


class _Frame:
    """Where hexes stand in the picture, around the Harvester; rows run from west to east."""

    def __init__(self, atlas: Atlas, spots: list[Hex]) -> None:
        self.atlas = atlas
        places = [_place(atlas.away(spot)) for spot in spots]
        half, tall = math.sqrt(3) / 2 * SIZE, SIZE
        self.left = min(x for x, _ in places) - half - _MARGIN
        self.top = min(y for _, y in places) - tall - _MARGIN
        self.width = math.ceil(max(x for x, _ in places) + half + _MARGIN - self.left)
        self.height = math.ceil(max(y for _, y in places) + tall + _MARGIN - self.top)

    def at(self, spot: Hex) -> tuple[float, float]:
        """The middle of a hex, in pixels."""
        x, y = _place(self.atlas.away(spot))
        return x - self.left, y - self.top


def _place(spot: Hex) -> tuple[float, float]:
    """The kit draws columns of hexes; with both axes exchanged they are rows."""
    y, x = hexes.centre((spot[1], spot[0]), SIZE)
    return x, y


def _cell(frame: _Frame, spot: Hex, colour: str) -> str:
    x, y = frame.at(spot)
    half, edge = math.sqrt(3) / 2 * SIZE, SIZE / 2
    points = (
        (x, y - SIZE),
        (x + half, y - edge),
        (x + half, y + edge),
        (x, y + SIZE),
        (x - half, y + edge),
        (x - half, y - edge),
    )
    return svg.polygon(points, fill=colour, stroke=_GROUND, stroke_width=1)


def _seam(frame: _Frame, spots: list[Hex]) -> Iterator[str]:
    """The edges on which the chart is joined: behind them coordinates begin anew."""
    for spot in spots:
        for name in ("E", "NE", "NW"):
            way = DIRECTIONS[name]
            if frame.atlas.beyond_seam(spot, way):
                (x, y), (dx, dy), half = frame.at(spot), _place(way), 1 / (2 * math.sqrt(3))
                ends = (dx / 2 - dy * half, dy / 2 + dx * half), (dx / 2 + dy * half, dy / 2 - dx * half)
                (x1, y1), (x2, y2) = ends
                yield svg.line(x + x1, y + y1, x + x2, y + y2, stroke=_SEAM, stroke_width=3)


def _facts(frame: _Frame, spot: Hex, seen: Sighting) -> Iterator[str]:
    """What a hex tells, but for units that are known exactly."""
    x, y = frame.at(spot)
    if seen.moved > 0:
        yield svg.circle(x, y, SIZE * 0.72, fill="none", stroke=_FOREIGN, stroke_width=1, stroke_dasharray="2 2")
    for direction in seen.entered.split():
        dx, dy = _place(DIRECTIONS[direction])
        yield svg.line(x + dx * 0.46, y + dy * 0.46, x + dx * 0.26, y + dy * 0.26, stroke=_FOREIGN, stroke_width=3)
    if seen.resources == UNKNOWN and seen.marked:
        yield svg.circle(x + 5, y - 5, 3, fill=_RESOURCE)
    elif seen.resources > 0:
        yield svg.text(x + 6, y - 2, str(seen.resources), size=8, anchor="middle", fill=_RESOURCE, font_weight="bold")
    if seen.resources == UNKNOWN and seen.number > 0:
        yield svg.text(x, y + 7, str(seen.number), size=10, anchor="middle", fill=_INK)


def _course(frame: _Frame, view: View, atlas: Atlas) -> Iterator[str]:
    target = view["harvester"]["target"]
    if target is not None:
        path = [atlas.home, *atlas.line(atlas.home, (target[0], target[1]))]
        yield svg.polyline(
            [frame.at(spot) for spot in path], fill="none", stroke=_OWN, stroke_width=2, stroke_dasharray="4 3"
        )


def _units(frame: _Frame, view: View, atlas: Atlas) -> Iterator[str]:
    own: dict[Hex, list[str]] = {}
    for unit in view["units"]:
        own.setdefault((unit["q"], unit["r"]), []).append(unit["unit"][0])
    foreign: dict[tuple[str, Hex], list[str]] = {}
    for contact in view["contacts"]:
        foreign.setdefault((contact["side"], (contact["q"], contact["r"])), []).extend(contact["units"])
    for (side, spot), kinds in sorted(foreign.items(), reverse=True):
        yield _badge(frame, spot, kinds, _FRIEND if side == "friend" else _FOREIGN, 5 if spot in own else 0)
    for spot, kinds in own.items():
        shared = any((side, spot) in foreign for side in ("friend", "foe"))
        yield _badge(frame, spot, kinds, _OWN, -5 if shared else 0)
    yield _badge(frame, atlas.home, ["H"], _OWN, 0)


def _badge(frame: _Frame, spot: Hex, kinds: list[str], colour: str, aside: int) -> str:
    """A disc with the letter of the mightiest unit and, of several, their number."""
    x, y = frame.at(spot)
    shown = min(kinds, key="HGLSC".index)
    label = shown if len(kinds) == 1 or shown == "H" else f"{shown}{len(kinds)}"
    disc = svg.circle(x + aside, y, 7, fill=colour, stroke="#ffffff", stroke_width=1)
    return disc + svg.text(x + aside, y + 3, label, size=8, anchor="middle", fill="#ffffff", font_weight="bold")
