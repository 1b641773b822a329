"""The sheet mailed with a report, ready to be filled in and returned.

Nothing in it is an order before its player makes it one: each line is behind a
semicolon, and is accepted as it is, or with other values, once that is gone.
What it needs to know stands in the report, so there are no remarks; no line is
wider than one of mail.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from pbem_rules.singularity_trap.chart import closer
from pbem_rules.singularity_trap.factions import certain
from pbem_rules.singularity_trap.orders import BOOK, View, others
from pbem_rules.singularity_trap.outlook import Outlook

WIDTH = 78


def template(view: View) -> list[str]:
    """Return the lines of the sheet: for each section asked for, the ships it concerns and orders to be completed."""
    if not view["awaited"]:
        return []
    parts = (part for section, part in _PARTS.items() if view["section"] in ("turn", section))
    return [f"; {line}" for part in parts for line in part(view)]


def _economic(view: View) -> Iterator[str]:
    left = view["points"] + view["income"] - view["upkeep"]
    # Others may lack an alliance of which the reader does not know; a headline speaks of those.
    yield from map(BOOK.line, certain(view))
    yield from (f"REPAIR {ship['id']}" for ship in _ships_with_upkeep(view) if ship["damage"])
    home = next((planet["space"] for planet in view["planets"] if planet["owner"] == view["seat"]), None)
    payable = [kind["name"] for kind in view["rules"]["types"] if kind["cost"] <= left]
    if home and payable:
        yield f"BUILD {payable[0]} AT {home}"


def _ships_with_upkeep(view: View) -> list[View]:
    """Return the own ships except those that will be scrapped for want of upkeep."""
    ships = Outlook(view, ()).ships
    return [ship for ship in view["ships"] if not ships[ship["id"]].gone]


def _movement(view: View) -> Iterator[str]:
    for ship in _ships_with_upkeep(view):
        units = {unit["unit"]: unit["left"] for unit in ship["units"]}
        # Encounters are judged as movement begins (ruling 13): on the sheet of a whole turn one may still end before.
        stuck = ship["encounter"] and view["section"] == "movement"
        if units.get("drive") and not ship["dark"] and not stuck:
            yield f"MOVE {ship['id']} {'SLIP N 1' if units.get('slip') else 'N'}"


def _combat(view: View) -> Iterator[str]:
    for combat in view["combats"]:
        yield from (f"FIRE {ship} AT {combat['enemies'][0]['id']}" for ship in combat["own"])
    names = " ".join(kind["name"] for kind in reversed(view["rules"]["types"]))
    yield "TARGET " + textwrap.shorten(names, WIDTH - len("; TARGET "), placeholder="")


def _ecopolitical(view: View) -> Iterator[str]:
    yield from _terraforming(view)
    for player in view["players"]:
        if view["rules"]["alliances"] and player["colour"] in others(view):
            yield f"ALLY {player['colour']} {'YES' if player['wish'] else 'NO'}"


def _terraforming(view: View) -> Iterator[str]:
    """Yield for each terraformer at an own planet what it would not do by itself (ruling 20)."""
    own = {planet["space"]: planet for planet in view["planets"] if planet["owner"] == view["seat"]}
    for ship in view["ships"]:
        able = any(unit["unit"] == "terraform" and unit["left"] for unit in ship["units"])
        if able and not ship["dark"] and not ship["moved"] and ship["space"] in own:
            options = closer(view["seat"], own[ship["space"]]["colour"])
            if options:
                yield f"TERRAFORM {ship['id']} {f'TO {options[1]}' if len(options) > 1 else 'NO'}"


_PARTS = {"economic": _economic, "movement": _movement, "combat": _combat, "ecopolitical": _ecopolitical}
