"""Consequences of a sheet, told from the accepted orders and the mailed view.

A finding without an "if" comes true whatever the other players send, but for a
game that is over before any order is carried out (ruling 45). One that depends on
them, or on dice, says so. Codes:

| code | certain |
|---|---|
| planet | yes |
| fire, last-left, out | if others play on, or declare no faction |
| breaks-faction | it says when |
| doctrine, planet-if, victory | no: they say "if", or what is done when it comes to it |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pbem.ruleset import Finding, Order, ParsedOrder, View
from pbem_rules.common.summary import counted, listed
from pbem_rules.singularity_trap.chart import closer
from pbem_rules.singularity_trap.orders import (
    Ally,
    DeclareEmpire,
    DeclareFaction,
    Fire,
    LeaveColour,
    Target,
    Terraform,
    others,
)
from pbem_rules.singularity_trap.outlook import Outlook, Prospect

AnOrder = TypeVar("AnOrder", bound=Order)


def forecast(view: View, entries: Sequence[ParsedOrder], outlook: Outlook, moving: set[str]) -> Iterator[Finding]:
    """Yield the consequences of a sheet, section by section; `moving` are the ids of the ships that it moves."""
    yield from _fire(view, entries, outlook)
    yield from _planets(view, entries, outlook, moving)
    yield from _breaking(view, entries)
    yield from _victory(view, entries)
    yield from _out(view, entries, outlook)


def leaving(view: View) -> Iterator[Finding]:
    """Yield the consequences of the reader's resignation."""
    rivals = others(view)
    if len(rivals) == 1:
        text = f"the game ends: {rivals[0]} is the last player left, and wins if not resigning too"
        yield _note("last-left", text, "warning")


def _note(code: str, text: str, severity: str = "note") -> Finding:
    return Finding(0, severity, code, text)


def _orders(entries: Sequence[ParsedOrder], kind: type[AnOrder]) -> list[AnOrder]:
    return [entry.order for entry in entries if isinstance(entry.order, kind)]


def _fire(view: View, entries: Sequence[ParsedOrder], outlook: Outlook) -> Iterator[Finding]:
    """Yield the shots of a round that is asked for, else the way in which ships without an order will choose."""
    choices = ([order.choices for order in _orders(entries, Target)] or [()])[-1]
    if view["section"] == "turn" and view["ships"]:
        first = f"{', then '.join(choices)}, then " if choices else ""
        text = f"if there is combat, ships without FIRE shoot at {first}the types with most weapons, then lowest number"
        yield _note("doctrine", text)
    for combat in view["combats"] if view["section"] == "combat" else ():
        shots = aimed(view, combat, _orders(entries, Fire), choices, outlook.ships)
        told = "; ".join(f"{ship} at {_numbered(targets)}" for ship, targets in shots.items())
        # A resignation comes first, and takes ships away (ruling 35).
        yield _note("fire", f"round {combat['round']} at {combat['space']}, if all there play on: {told}")


def _numbered(targets: Counter[str]) -> str:
    return ", ".join(f"{target} ({counted(number, 'shot')})" for target, number in targets.items())


def aimed(
    view: View,
    combat: Mapping[str, Any],
    orders: Sequence[Fire],
    choices: Sequence[str],
    ships: Mapping[str, Prospect],
) -> dict[str, Counter[str]]:
    """Return the shots of each own ship in a round, by target (rulings 18 and 30)."""
    enemies = _ranked(view, combat, choices)
    here = {enemy["id"] for enemy in enemies}
    told = {name: [each for each in order.targets if each in here] for order in orders for name in order.ships}
    total: Counter[str] = Counter()
    shots: dict[str, Counter[str]] = {}
    own = sorted(combat["own"], key=lambda name: int(name[1:]))
    # Ordered shots are aimed first; doctrine fills up what they leave (ruling 30).
    for name in sorted(own, key=lambda name: not told.get(name)):
        shots[name] = Counter()
        for number in range(ships[name].shots):
            targets = told.get(name)
            target = targets[number % len(targets)] if targets else _best(view, enemies, total)
            shots[name][target] += 1
            total[target] += 1
    return {name: shots[name] for name in own}


def _ranked(view: View, combat: Mapping[str, Any], choices: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the enemies of a combat in the order of doctrine (ruling 18)."""
    weapons = {kind["name"]: kind["units"].get("weapons", 0) for kind in view["rules"]["types"]}

    def rank(enemy: Mapping[str, Any]) -> tuple[int, int, int, str]:
        liked = [place for place, choice in enumerate(choices) if choice in (enemy["owner"], enemy["type"])]
        return min(liked, default=len(choices)), -weapons[enemy["type"]], int(enemy["id"][1:]), enemy["id"]

    return sorted(combat["enemies"], key=rank)


def _best(view: View, ranked: Sequence[Mapping[str, Any]], total: Counter[str]) -> str:
    """Return the first enemy at which fewer shots are aimed than it has units left; then all over again (ruling 30)."""
    costs = {kind["name"]: kind["cost"] for kind in view["rules"]["types"]}
    # Of others' ships type and damage total alone are known (ruling 41).
    best = min(ranked, key=lambda enemy: total[enemy["id"]] // (costs[enemy["type"]] - enemy["damage"]))
    return str(best["id"])


def _planets(view: View, entries: Sequence[ParsedOrder], outlook: Outlook, moving: set[str]) -> Iterator[Finding]:
    """Yield the planets that terraformers change, and their new colours (rulings 20 and 36)."""
    if view["section"] not in ("turn", "ecopolitical"):
        return
    own = {planet["space"]: planet for planet in view["planets"] if planet["owner"] == view["seat"]}
    settled: dict[str, Terraform | LeaveColour] = {}
    for entry in entries:
        if isinstance(entry.order, Terraform | LeaveColour):
            settled[entry.order.ship] = entry.order
    moved = {ship["id"] for ship in view["ships"] if ship["moved"]} if view["section"] == "ecopolitical" else set()
    workers: dict[str, list[Terraform | None]] = {}
    for ship in sorted(outlook.ships.values(), key=_number):
        order = settled.get(ship.name)
        able = ship.left["terraform"] and not ship.dark and not ship.gone and ship.name not in moving | moved
        if able and ship.space in own and not isinstance(order, LeaveColour):
            workers.setdefault(ship.space, []).append(order)
    for space in sorted(workers):
        options = closer(view["seat"], own[space]["colour"])
        if options:
            asked = [order.colour for order in workers[space] if order and order.colour in options]
            yield _changing(view, space, asked[0] or "" if asked else options[0])


def _number(ship: Prospect) -> tuple[int, str]:
    # NEW12 is the 12th ship of the sheet, R412 has the number 412.
    digits = ship.name.lstrip("NEW") if ship.name.startswith("NEW") else ship.name[1:]
    return int(digits), ship.name


def _changing(view: View, space: str, colour: str) -> Finding:
    if view["section"] == "ecopolitical":
        return _note("planet", f"the planet at {space} becomes {colour}")
    return _note("planet-if", f"the planet at {space} becomes {colour}, if it stays yours and its terraformer unharmed")


def _breaking(view: View, entries: Sequence[ParsedOrder]) -> Iterator[Finding]:
    """Warn a member of a faction of the lines that end it, by an alliance that is given up (ruling 22)."""
    for faction, member, line in _partings(view, entries):
        others = [each for each in faction["members"] if each != view["seat"]]
        if _ends(view, faction, member):
            text = f"this ends your {faction['kind']} with {listed(others)} when the turn ends"
        else:
            alone = counted(view["rules"]["empire_planets"], "planet")
            text = f"without {member} as your ally the empire stands only while {faction['dominant']} holds {alone}"
        yield Finding(line, "warning", "breaks-faction", text)


def _ends(view: View, faction: Mapping[str, Any], member: str) -> bool:
    """Return True if a faction of the reader's cannot stand without the alliance with a member (ruling 22)."""
    return faction["dominant"] in (None, view["seat"], member)


def _partings(view: View, entries: Sequence[ParsedOrder]) -> Iterator[tuple[Mapping[str, Any], str, int]]:
    """Yield the reader's factions with each member whom the sheet wants as ally no more, and the line."""
    answers = {entry.order.player: entry for entry in entries if isinstance(entry.order, Ally)}
    parted = {player: entry.line for player, entry in answers.items() if entry.order == Ally(player, "NO")}
    for faction in view["factions"]:
        if view["seat"] in faction["members"]:
            yield from ((faction, member, parted[member]) for member in faction["members"] if member in parted)


def _victory(view: View, entries: Sequence[ParsedOrder]) -> Iterator[Finding]:
    """Yield the players and factions who would win at the next start of turn, as things are."""
    if view["section"] not in ("turn", "ecopolitical"):
        return
    rules, seat = view["rules"], view["seat"]
    goal, needed = rules["planets_to_win"], rules["turns_to_hold"]
    planets = {player["colour"]: player["planets"] for player in view["players"]}
    ready = [player["colour"] for player in view["players"] if player["held"] + 1 >= needed]
    ready = [colour for colour in ready if planets[colour] >= goal]
    ended = [faction for faction, member, _ in _partings(view, entries) if _ends(view, faction, member)]
    leagues = [
        faction
        for faction in view["factions"]
        if faction["held"] + 1 >= needed
        and faction not in ended
        and sum(planets[member] for member in faction["members"]) >= goal
    ]
    # Of several who hold enough, those with most planets win; one alone goes before a faction (ruling 34).
    most = ", and more than others who do" if len(ready) > 1 else ""
    for colour in ready:
        who = "you win if you still hold" if colour == seat else f"{colour} wins if still holding"
        kind = "note" if colour == seat else "warning"
        yield _note("victory", f"{who} {counted(goal, 'planet')} when this turn ends{most}, and the game is over", kind)
    most = ", and before others who do" if len(ready) + len(leagues) > 1 else ""
    for faction in leagues:
        others = [member for member in faction["members"] if member != seat]
        whose = f"your {faction['kind']} with" if seat in faction["members"] else f"the {faction['kind']} of"
        stands = f"if it still stands, with {counted(goal, 'planet')}, when this turn ends"
        kind = "note" if seat in faction["members"] else "warning"
        yield _note("victory", f"{whose} {listed(others)} wins {stands}{most}, and the game is over", kind)


def _out(view: View, entries: Sequence[ParsedOrder], outlook: Outlook) -> Iterator[Finding]:
    """Warn a player without planets and faction who gives up the last ship, and so the game (rulings 33 and 40)."""
    owned = any(planet["owner"] == view["seat"] for planet in view["planets"])
    declared = any(isinstance(entry.order, DeclareFaction | DeclareEmpire) for entry in entries)
    sworn = declared or any(view["seat"] in faction["members"] for faction in view["factions"])
    left = any(not ship.gone for ship in outlook.ships.values())
    if view["section"] in ("turn", "economic") and view["ships"] and not owned and not sworn and not left:
        # Another may declare a faction with the player on this turn's sheets (ruling 22).
        sworn_too = " if no faction with you is declared" if view["rules"]["alliances"] else ""
        text = f"this gives up your last ship, and you own no planet: you are out when the turn ends{sworn_too}"
        yield _note("out", text, "warning")
