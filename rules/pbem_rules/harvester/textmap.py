"""The map as text, for plain mail: the hexes around the reader's Harvester."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from pbem.ruleset import View
from pbem_rules.common.hexes import Hex, distance
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
_UNSEEN = " " * _PITCH
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
    signs = _signs(view, atlas)
    # Away from the seam names need not be looked up, and most maps have none.
    inland = distance(atlas.home, (0, 0)) + RADIUS < atlas.planet.size - 1
    lines: list[str] = []
    seams: list[str] = []
    for r in range(-RADIUS, RADIUS + 1):
        ways = range(max(-RADIUS, -RADIUS - r), min(RADIUS, RADIUS - r) + 1)
        row = [(atlas.home[0] + q, atlas.home[1] + r) for q in ways]
        row = row if inland else [atlas.named(spot) for spot in row]
        known = [spot for spot in row if spot in signs]
        head = written(known[0]).rjust(_MARGIN - 2) if known else ""
        for spot in [] if inland else known[1:]:
            if atlas.beyond_seam(spot, DIRECTIONS["W"]):
                signs[spot] = "|" + signs[spot][1:]
                seams.append(f"the row of {written(known[0])} with {written(spot)}")
        cells = [signs.get(spot, _UNSEEN) for spot in row]
        lines.append((head.ljust(_MARGIN - 1 + _PITCH // 2 * abs(r)) + "".join(cells)).rstrip())
    remembered = [_REMEMBERED] if any("?" in line for line in lines) else []
    return "\n".join([*_trimmed(lines), "", LEGEND, *remembered, *_seam_lines(seams)])


def _seam_lines(seams: Sequence[str]) -> list[str]:
    if not seams:
        return []
    return textwrap.wrap(f"| is the seam of your chart. Behind it go on: {'; '.join(seams)}.", WIDTH)


def _trimmed(lines: list[str]) -> list[str]:
    """Return the lines without empty ones above and below."""
    shown = [number for number, line in enumerate(lines) if line]
    return lines[shown[0] : shown[-1] + 1]


def _signs(view: View, atlas: Atlas) -> dict[Hex, str]:
    """Return a blank and the three signs of every known hex."""
    who = _occupants(view)
    ground = dict.fromkeys(map(tuple, view["dust"]), ":") | dict.fromkeys(atlas.crags, "^")
    signs = dict.fromkeys(atlas.quiet, " .  ") | {spot: f" {sign}  " for spot, sign in ground.items()}
    for spot, seen in atlas.traces.items():
        first = who.get(spot) or (_digit(seen.number) if seen.number > 0 else ground.get(spot, "."))
        signs[spot] = f" {first}{_second(seen)}" + ("'" if seen.moved > 0 else " ")
    for each in lost_foes(view):
        sign = signs.get(each.spot, _UNSEEN)
        signs[each.spot] = f" ?{sign[2:]}" if sign[1] in " .:^" else sign
    return signs


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


def _second(seen: Sighting) -> str:
    if seen.resources == UNKNOWN:
        return "*" if seen.marked else " "
    return _digit(seen.resources) if seen.resources else " "


def _digit(number: int) -> str:
    return str(number) if number <= 9 else "+"
