"""The map as text for plain mail: the hexes around the reader's Harvester."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from pbem.ruleset import View
from rules.harvester.atlas import UNKNOWN, Atlas, Sighting
from rules.harvester.memory import lost_foes
from rules.harvester.planet import DIRECTIONS
from rules.kit import hexes
from rules.kit.hexes import Hex
from rules.kit.textgrid import TextGrid

WIDTH = 80
"""Columns a plain mail may have."""

RADIUS = 8
"""Hexes shown around the Harvester."""

_ORDER = "hglsc%&"
"""Signs of others' units: which is shown where several are."""

_PITCH = 4
_MARGIN = 9

LEGEND = """\
Each row begins with the q,r of its first hex; q grows to the east.
First sign: @ your Harvester, G L S C your units; h g l s c a foe's Harvester
  and units, % a friend's Harvester, & a friend's units; 1-9 that many units
  (+ more), . clear, ^ crags, : dust, blank: not scanned
Second sign: 1-9 resources (+ more), * Harvester or resource
Third sign: ' something moved in or out this turn"""

_REMEMBERED = "First sign ?: foes seen there in reports before"


def text_map(view: View) -> str:
    """The hexes around the Harvester, as far as they are known; empty for a player who is out."""
    if view["harvester"] is None:
        return ""
    atlas = Atlas(view)
    signs = _signs(view, atlas)
    grid = TextGrid(WIDTH, 2 * RADIUS + 1)
    seams: list[str] = []
    for r in range(-RADIUS, RADIUS + 1):
        row = [spot for spot in _row(atlas, r) if spot in signs]
        if row:
            grid.put(0, r + RADIUS, _written(row[0]).rjust(_MARGIN - 2))
            seams += _seams(atlas, row)
        for spot in row:
            x = _MARGIN + _PITCH * (atlas.away(spot)[0] + RADIUS) + _PITCH // 2 * r
            grid.put(x, r + RADIUS, signs[spot])
            if spot != row[0] and atlas.beyond_seam(spot, DIRECTIONS["W"]):
                grid.put(x - 1, r + RADIUS, "|")
    remembered = [_REMEMBERED] if any(sign.startswith("?") for sign in signs.values()) else []
    return "\n".join([*_trimmed(grid.lines()), "", LEGEND, *remembered, *_told(seams)])


def _row(atlas: Atlas, r: int) -> list[Hex]:
    """The hexes of a row of the map, from west to east; on a small planet, each but once."""
    ways = ((q, r) for q in range(max(-RADIUS, -RADIUS - r), min(RADIUS, RADIUS - r) + 1))
    spots = {way: atlas.named(hexes.step(atlas.home, way)) for way in ways}
    return [spot for way, spot in spots.items() if atlas.away(spot) == way]


def _seams(atlas: Atlas, row: Sequence[Hex]) -> list[str]:
    """Where a row goes on under other coordinates than it began with."""
    behind = [spot for spot in row[1:] if atlas.beyond_seam(spot, DIRECTIONS["W"])]
    return [f"the row of {_written(row[0])} with {_written(spot)}" for spot in behind]


def _told(seams: Sequence[str]) -> list[str]:
    if not seams:
        return []
    return textwrap.wrap(f"| is the seam of your chart. Behind it go on: {'; '.join(seams)}.", WIDTH)


def _written(spot: Hex) -> str:
    return f"{spot[0]},{spot[1]}"


def _trimmed(lines: list[str]) -> list[str]:
    """Without empty rows above and below, and without blanks that all rows share on their left."""
    shown = [number for number, line in enumerate(lines) if line]
    return lines[shown[0] : shown[-1] + 1]


def _signs(view: View, atlas: Atlas) -> dict[Hex, str]:
    """The three signs of every hex known, as near as the map reaches."""
    near = {spot: seen for spot, seen in atlas.sightings.items() if atlas.distance(spot, atlas.home) <= RADIUS}
    who = _occupants(view)
    ground = dict.fromkeys(map(tuple, view["dust"]), ":") | dict.fromkeys(atlas.crags, "^")
    signs = {spot: _first(spot, seen, who, ground) + _second(seen) + _third(seen) for spot, seen in near.items()}
    signs = {spot: sign.rstrip() for spot, sign in ground.items()} | signs
    lost = {each.spot for each in lost_foes(view) if atlas.distance(each.spot, atlas.home) <= RADIUS}
    return signs | {spot: "?" + signs.get(spot, "")[1:] for spot in sorted(lost) if signs.get(spot, ".")[0] in ".:^"}


def _occupants(view: View) -> dict[Hex, str]:
    """Own units go before foes, foes before friends, and the mightiest before the rest."""
    who: dict[Hex, str] = {}
    for contact in view["contacts"]:
        spot = contact["q"], contact["r"]
        who[spot] = min(_sign(contact), who.get(spot, _ORDER[-1]), key=_ORDER.index)
    for unit in reversed(view["units"]):
        who[unit["q"], unit["r"]] = unit["unit"][0]
    return who | {(view["harvester"]["q"], view["harvester"]["r"]): "@"}


def _sign(contact: View) -> str:
    kind: str = contact["units"][0]
    if contact["side"] == "foe":
        return kind.lower()
    return "%" if kind == "H" else "&"


def _first(spot: Hex, seen: Sighting, who: dict[Hex, str], ground: dict[Hex, str]) -> str:
    if spot in who:
        return who[spot]
    if seen.number > 0:
        return _digit(seen.number)
    return ground.get(spot, ".")


def _second(seen: Sighting) -> str:
    if seen.resources == UNKNOWN:
        return "*" if seen.marked else " "
    return _digit(seen.resources) if seen.resources else " "


def _third(seen: Sighting) -> str:
    return "'" if seen.moved > 0 else " "


def _digit(number: int) -> str:
    return str(number) if number <= 9 else "+"
