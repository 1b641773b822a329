"""The map as text for plain mail: the hexes around the reader's Harvester."""

from __future__ import annotations

from pbem.ruleset import View
from rules.harvester.atlas import UNKNOWN, Atlas, Sighting
from rules.kit import hexes
from rules.kit.hexes import Hex
from rules.kit.textgrid import TextGrid

WIDTH = 80
"""Columns a plain mail may have."""

RADIUS = 8
"""Hexes shown around the Harvester."""

_PITCH = 4
_MARGIN = 9

LEGEND = """\
Each row begins with the q,r of its first hex; q grows to the east.
First sign: @ your Harvester, G L S C your units, H g l s c units of others,
  1-9 that many units (+ more), . clear, ^ crags, : dust, blank: not scanned
Second sign: 1-9 resources (+ more), * Harvester or resource
Third sign: ' something moved in or out this turn"""


def text_map(view: View) -> str:
    """The hexes around the Harvester, as far as they are known; empty for a player who is out."""
    if view["harvester"] is None:
        return ""
    atlas = Atlas(view)
    signs = _signs(view, atlas)
    grid = TextGrid(WIDTH, 2 * RADIUS + 1)
    q0, r0 = atlas.home
    for r in range(-RADIUS, RADIUS + 1):
        row = [(q, signs[q0 + q, r0 + r]) for q in _row(r) if (q0 + q, r0 + r) in signs]
        if row:
            grid.put(0, r + RADIUS, f"{q0 + row[0][0]},{r0 + r}".rjust(_MARGIN - 2))
        for q, sign in row:
            grid.put(_MARGIN + _PITCH * (q + RADIUS) + _PITCH // 2 * r, r + RADIUS, sign)
    return "\n".join([*_trimmed(grid.lines()), "", LEGEND])


def _row(r: int) -> range:
    return range(max(-RADIUS, -RADIUS - r), min(RADIUS, RADIUS - r) + 1)


def _trimmed(lines: list[str]) -> list[str]:
    """Without empty rows above and below, and without blanks that all rows share on their left."""
    shown = [number for number, line in enumerate(lines) if line]
    return lines[shown[0] : shown[-1] + 1]


def _signs(view: View, atlas: Atlas) -> dict[Hex, str]:
    """The three signs of every hex known, as near as the map reaches."""
    near = {spot: seen for spot, seen in atlas.sightings.items() if hexes.distance(spot, atlas.home) <= RADIUS}
    who = _occupants(view)
    ground = dict.fromkeys(map(tuple, view["dust"]), ":") | dict.fromkeys(atlas.crags, "^")
    signs = {spot: _first(spot, seen, who, ground) + _second(seen) + _third(seen) for spot, seen in near.items()}
    return {spot: sign.rstrip() for spot, sign in ground.items()} | signs


def _occupants(view: View) -> dict[Hex, str]:
    """Own units go before those of others, and the mightiest before the rest."""
    who: dict[Hex, str] = {}
    for contact in view["contacts"]:
        spot, kind = (contact["q"], contact["r"]), contact["units"][0]
        who[spot] = "H" if "H" in (kind, who.get(spot)) else kind.lower()
    for unit in reversed(view["units"]):
        who[unit["q"], unit["r"]] = unit["unit"][0]
    return who | {(view["harvester"]["q"], view["harvester"]["r"]): "@"}


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
