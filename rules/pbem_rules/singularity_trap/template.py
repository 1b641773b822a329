"""The sheet mailed with a report, ready to be filled in and returned.

Nothing in it is an order before its player makes it one. A line behind a
semicolon is an order that is accepted as it is, or with other values, once the
semicolon is gone; one behind # is a remark. None is wider than a line of mail.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from pbem_rules.singularity_trap.chart import closer
from pbem_rules.singularity_trap.factions import certain, open_question
from pbem_rules.singularity_trap.orders import BOOK, View, others
from pbem_rules.singularity_trap.outlook import Outlook

WIDTH = 78


def template(view: View) -> list[str]:
    """Return the lines of the sheet: for each section asked for, the ships it concerns and orders to be completed."""
    if not view["awaited"]:
        return []
    lines = ["# Take the ; off the orders you want, and complete them. One order a line."]
    for section, part in _PARTS.items():
        if view["section"] in ("turn", section):
            lines += part(view)
    return lines


def _economic(view: View) -> Iterator[str]:
    left = view["points"] + view["income"] - view["upkeep"]
    yield f"# --- Economic: {view['points']} saved + {view['income']} income - {view['upkeep']} upkeep = {left} points"
    yield from _declaration(view)
    for ship in _kept(view):
        if ship["damage"]:
            state = "dark, " if ship["dark"] else ""
            yield f"; REPAIR {ship['id']}  # {ship['type']} at {ship['space']}, {state}damage {ship['damage']}"
    yield "# also: SCRAP ships, HIDE ships"
    prices = (f"{kind['name']} {kind['cost']}" for kind in view["rules"]["types"])
    yield from _remark(f"prices: {', '.join(prices)}")
    home = next((planet["space"] for planet in view["planets"] if planet["owner"] == view["seat"]), None)
    payable = [kind["name"] for kind in view["rules"]["types"] if kind["cost"] <= left]
    if home and payable:
        named = "  # NEW1 on this sheet; it may move at once" if view["section"] == "turn" else ""
        yield f"; BUILD {payable[0]} AT {home}{named}"


def _declaration(view: View) -> Iterator[str]:
    """Yield the factions that would hold if declared now, and those that may."""
    for order in certain(view):
        yield f"; {BOOK.line(order)}"
    for order in open_question(view):
        yield from _remark(f"if {' and '.join(order.players)} are allied with each other: {BOOK.line(order)}")


def _kept(view: View) -> list[View]:
    """Return the own ships except those that will be scrapped for want of upkeep."""
    ships = Outlook(view, ()).ships
    return [ship for ship in view["ships"] if not ships[ship["id"]].gone]


def _movement(view: View) -> Iterator[str]:
    yield "# --- Movement"
    yield "# ways: N NE SE S SW NW, each also with + (rising) or -; UP DOWN; JUMP; STAY"
    for ship in _kept(view):
        units = {unit["unit"]: unit["left"] for unit in ship["units"]}
        # Encounters are judged as movement begins (ruling 13): on the sheet of a whole turn one may still end before.
        stuck = ship["encounter"] and view["section"] == "movement"
        if units.get("drive") and not ship["dark"] and not stuck:
            powers = [f"drive {units['drive']}", *(power for power in ("slip", "jump") if units.get(power))]
            pinned = ", pinned" if ship["encounter"] else ""
            way = "SLIP N 1" if units.get("slip") else "N"
            yield f"; MOVE {ship['id']} {way}  # {ship['type']} at {ship['space']}, {', '.join(powers)}{pinned}"


def _combat(view: View) -> Iterator[str]:
    yield "# --- Combat: without orders, most weapons first, then lowest number"
    for combat in view["combats"]:
        enemies = ", ".join(f"{ship['id']} ({ship['type']}, damage {ship['damage']})" for ship in combat["enemies"])
        yield from _remark(f"at {combat['space']} you have {combat['shots']} shots; enemies: {enemies}")
        for ship in combat["own"]:
            yield f"; FIRE {ship} AT {combat['enemies'][0]['id']}"
    names = " ".join(kind["name"] for kind in reversed(view["rules"]["types"]))
    yield "# also: FIRE ships AT targets"
    yield "; TARGET " + textwrap.shorten(names, WIDTH - len("; TARGET "), placeholder="")


def _ecopolitical(view: View) -> Iterator[str]:
    yield "# --- Ecopolitical"
    yield from _terraforming(view)
    for player in view["players"]:
        if view["rules"]["alliances"] and player["colour"] in others(view):
            now = "allied" if player["ally"] else "not allied"
            yield f"; ALLY {player['colour']} {'YES' if player['wish'] else 'NO'}  # as set now; {now}"


def _terraforming(view: View) -> Iterator[str]:
    """Yield the work that terraformers at own planets will do, and the choices there are (ruling 20)."""
    own = {planet["space"]: planet for planet in view["planets"] if planet["owner"] == view["seat"]}
    for ship in view["ships"]:
        able = any(unit["unit"] == "terraform" and unit["left"] for unit in ship["units"])
        if able and not ship["dark"] and not ship["moved"] and ship["space"] in own:
            colour = own[ship["space"]]["colour"]
            options = closer(view["seat"], colour)
            if options:
                choice = f"TO {options[1]}" if len(options) > 1 else "NO"
                yield f"; TERRAFORM {ship['id']} {choice}  # at {ship['space']}, {colour} now; else {options[0]}"


def _remark(text: str) -> list[str]:
    # Names such as J1-9 and NE- are not broken.
    return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False)


_PARTS = {"economic": _economic, "movement": _movement, "combat": _combat, "ecopolitical": _ecopolitical}
