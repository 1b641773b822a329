"""The sheet mailed with a report, ready to be filled in and returned.

Nothing in it is an order before its player makes it one: all lines are
comments, those of ships and choices with an order to be completed.
"""

from __future__ import annotations

from collections.abc import Iterator

from rules.singularity_trap.orders import View


def template(view: View) -> list[str]:
    """The lines of the sheet: for each section asked for, the ships it concerns and orders to be completed."""
    if not view["awaited"]:
        return []
    lines = ["; Take the ; off the orders you want, and complete them. One order a line."]
    for section, part in _PARTS.items():
        if view["section"] in ("turn", section):
            lines += part(view)
    return lines


def _economic(view: View) -> Iterator[str]:
    left = view["points"] + view["income"] - view["upkeep"]
    yield f"; --- Economic: {view['points']} saved + {view['income']} income - {view['upkeep']} upkeep = {left} points"
    for ship in view["ships"]:
        if ship["damage"]:
            state = "dark, " if ship["dark"] else ""
            yield f"; REPAIR {ship['id']}   ; {ship['type']} at {ship['space']}, {state}damage {ship['damage']}"
    home = next((planet["space"] for planet in view["planets"] if planet["owner"] == view["seat"]), None)
    if home:
        prices = ", ".join(f"{kind['name']} {kind['cost']}" for kind in view["rules"]["types"])
        yield f"; BUILD {view['rules']['types'][0]['name']} AT {home}   ; prices: {prices}"


def _movement(view: View) -> Iterator[str]:
    yield "; --- Movement"
    for ship in view["ships"]:
        units = {unit["unit"]: unit["left"] for unit in ship["units"]}
        if units.get("drive") and not ship["dark"]:
            powers = [f"drive {units['drive']}", *(power for power in ("slip", "jump") if units.get(power))]
            pinned = ", in an encounter" if ship["encounter"] else ""
            way = "SLIP N 1" if units.get("slip") else "N"
            yield f"; MOVE {ship['id']} {way}   ; {ship['type']} at {ship['space']}, {', '.join(powers)}{pinned}"


def _combat(view: View) -> Iterator[str]:
    yield "; --- Combat: without orders, most weapons first, then lowest number"
    for combat in view["combats"]:
        enemies = " ".join(f"{ship['id']} ({ship['type']}, damage {ship['damage']})" for ship in combat["enemies"])
        yield f"; {combat['space']}, round {combat['round']}, {combat['shots']} shots; enemies: {enemies}"
        for ship in combat["own"]:
            yield f"; FIRE {ship} AT {combat['enemies'][0]['id']}"
    yield "; TARGET " + " ".join(kind["name"] for kind in reversed(view["rules"]["types"]))


def _ecopolitical(view: View) -> Iterator[str]:
    yield "; --- Ecopolitical"
    for ship in view["ships"]:
        if any(unit["unit"] == "terraform" and unit["left"] for unit in ship["units"]) and not ship["dark"]:
            yield f"; TERRAFORM {ship['id']} NO   ; at {ship['space']}; works by itself where it stands still"
    for player in view["players"]:
        if view["rules"]["alliances"] and player["playing"] and player["colour"] != view["seat"]:
            now = "allied" if player["ally"] else "not allied"
            yield f"; ALLY {player['colour']} {'YES' if player['wish'] else 'NO'}   ; as set now; {now}"


_PARTS = {"economic": _economic, "movement": _movement, "combat": _combat, "ecopolitical": _ecopolitical}
