"""The map as text, for plain mail: the hexes around the reader's Harvester."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Sequence

from pbem.ruleset import View
from pbem_rules.common.hexes import Hex, distance
from pbem_rules.common.textgrid import TextGrid
from pbem_rules.harvester.atlas import UNKNOWN, Atlas, Sighting
from pbem_rules.harvester.memory import lost_foes
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.routes import written

WIDTH = 76
"""Most columns: mails indent maps by two."""

RADIUS = 8
"""Hexes shown around the Harvester."""

# Signs of others' units, in the order of precedence.
_ORDER = "hglsc%&"

_PITCH = 4
_MARGIN = 9

LEGEND = """\
Each row begins with the q,r of its first hex; q grows to the east.
First sign: @ your Harvester, G L S C your units; h g l s c a foe's
  Harvester and units, % a friend's Harvester, & a friend's units;
  1-9 that many units (+ more), . clear, ^ crags, : dust, blank: not scanned
Second sign: 1-9 resources (+ more), * Harvester or resource
Third sign: ' something moved in or out this turn"""

_REMEMBERED = "First sign ?: foes seen there in reports before"


def text_map(view: View) -> str:
    """Return the hexes around the Harvester, as far as they are known; "" for a player who is out."""
    if view["harvester"] is None:
        return ""
    atlas = Atlas(view)
    rows = [_row(atlas, r) for r in range(-RADIUS, RADIUS + 1)]
    signs = _signs(view, atlas, frozenset().union(*rows))
    grid = TextGrid(WIDTH, len(rows))
    seams: list[str] = []
    for y, columns in enumerate(rows):
        row = [spot for spot in columns if spot in signs]
        if row:
            grid.put(0, y, written(row[0]).rjust(_MARGIN - 2))
        for spot in row:
            grid.put(columns[spot], y, signs[spot])
        for spot in _behind_seams(atlas, row):
            grid.put(columns[spot] - 1, y, "|")
            seams.append(f"the row of {written(row[0])} with {written(spot)}")
    remembered = [_REMEMBERED] if any(sign.startswith("?") for sign in signs.values()) else []
    return "\n".join([*_trimmed(grid.lines()), "", LEGEND, *remembered, *_told(seams)])


def _row(atlas: Atlas, r: int) -> dict[Hex, int]:
    """Return the hexes of a row of the map, from west to east, with their columns; no hex is in it twice."""
    home_q, home_r = atlas.home
    spots = {(home_q + q, home_r + r): x for q, x in _columns(r)}
    # Away from the seam names need not be looked up, and most maps have none.
    return spots if _is_inland(atlas) else {atlas.named(spot): x for spot, x in spots.items()}


@functools.cache
def _columns(r: int) -> tuple[tuple[int, int], ...]:
    """Return each hex of a row by its distance east of the Harvester's, with its column."""
    ways = range(max(-RADIUS, -RADIUS - r), min(RADIUS, RADIUS - r) + 1)
    return tuple((q, _MARGIN + _PITCH * (q + RADIUS) + _PITCH // 2 * r) for q in ways)


def _is_inland(atlas: Atlas) -> bool:
    """Return True if the map lies wholly within the chart, without a seam."""
    return distance(atlas.home, (0, 0)) + RADIUS < atlas.planet.size - 1


def _behind_seams(atlas: Atlas, row: Sequence[Hex]) -> list[Hex]:
    """Return the hexes of a row before which the chart has its seam (ruling 15)."""
    return [] if _is_inland(atlas) else [spot for spot in row[1:] if atlas.beyond_seam(spot, DIRECTIONS["W"])]


def _told(seams: Sequence[str]) -> list[str]:
    if not seams:
        return []
    return textwrap.wrap(f"| is the seam of your chart. Behind it go on: {'; '.join(seams)}.", WIDTH)


def _trimmed(lines: list[str]) -> list[str]:
    """Return the lines without empty ones above and below."""
    shown = [number for number, line in enumerate(lines) if line]
    return lines[shown[0] : shown[-1] + 1]


def _signs(view: View, atlas: Atlas, shown: frozenset[Hex]) -> dict[Hex, str]:
    """Return the three signs of every known hex that is shown."""
    near = {spot: seen for spot, seen in atlas.sightings.items() if spot in shown}
    who = _occupants(view)
    ground = dict.fromkeys(map(tuple, view["dust"]), ":") | dict.fromkeys(atlas.crags, "^")
    signs = {spot: _first(spot, seen, who, ground) + _second(seen) + _third(seen) for spot, seen in near.items()}
    signs = {spot: sign.rstrip() for spot, sign in ground.items()} | signs
    lost = {each.spot for each in lost_foes(view) if each.spot in shown}
    return signs | {spot: "?" + signs.get(spot, "")[1:] for spot in sorted(lost) if signs.get(spot, ".")[0] in ".:^"}


def _occupants(view: View) -> dict[Hex, str]:
    """Return the sign of the unit shown in each hex: own units before foes, foes before friends, strongest first."""
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
