"""The items of a view, each with the words by which a report tells it, in full and as news."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pbem.ruleset import View


class Item(NamedTuple):
    """Something that a view tells: its words in the full report and in the short one, all of them on one line there.

    Where it is no part of a report, its words are None; an item without a key is always new.
    """

    key: str
    full: tuple[str, ...] | None
    short: tuple[str, ...] | None


def items(view: View) -> list[Item]:
    """Return all items of a view."""
    return [
        *_state(view),
        *_ships(view),
        *_sensors(view),
        *_planets(view),
        *_players(view),
        *_rules(view),
        *_events(view),
    ]


def missing(text: str, wanted: Iterable[tuple[str, ...] | None]) -> list[tuple[str, ...]]:
    """Return the words that no line of a text has together; a bar stands between words of which one is enough."""
    lines = [line for row in _lines(text) for line in row.split(" · ")]
    return [words for words in wanted if words and not any(_has(line, words) for line in lines)]


def _has(line: str, words: tuple[str, ...]) -> bool:
    return all(any(each in line for each in word.split("|")) for word in words)


def _lines(text: str) -> list[str]:
    """Return the lines of a text; what came of an order is on the line of the order."""
    return re.sub(r"\n  (?=[a-zA-Z])", " ", text).splitlines()


def _same(*words: str, key: str = "") -> Item:
    return Item(f"{key}{words}", words, words)


def _state(view: View) -> Iterator[Item]:
    if not view["over"]:
        money = f"{view['points']} saved + {view['income']} income − {view['upkeep']} upkeep = "
        yield _same("Points:", money, key="points")
    for combat in view["combats"]:
        yield _same(f"Fight at {combat['space']}, round {combat['round']}: {combat['shots']} shot")
        yield _same("Yours: ", *combat["own"], *(ship["id"] for ship in combat["enemies"]))
    if view["result"]:
        yield _same("The war is over. Won by:", view["result"]["reason"], *view["result"]["winners"])


def _ships(view: View) -> Iterator[Item]:
    built = {event["ship"] for event in view["events"] if event["kind"] == "built"}
    for ship in view["ships"]:
        hurt = [unit for unit in ship["units"] if unit["left"] != unit["full"]]
        states = [f"{unit['unit']} {unit['left']}/{unit['full']}" for unit in hurt if unit["full"] > 1]
        lost = [unit["unit"] for unit in hurt if unit["full"] == 1 and not (ship["dark"] and unit["unit"] == "system")]
        states += [*lost, " lost"] if lost else []
        states += [state for state in ("dark", "moved") if ship[state]] + ["pinned"] * ship["encounter"]
        states += [f"{ship['id']} (new"] * (ship["id"] in built)
        yield _same(ship["space"], ship["id"], ship["type"], *states)


def _sensors(view: View) -> Iterator[Item]:
    for ship, space in _met(view["sensors"]):
        yield _same(ship["owner"].capitalize(), ship["id"], ship["type"], space, _damage(ship))
    for space in view["sensors"]["unknown"]:
        yield _same("Unknown: ", space)
    for fleet in view["sensors"]["allied"]:
        yield _same(fleet["owner"].capitalize(), "your ally:", fleet["space"])
    for each in view["memory"]["last_known"]:
        age = view["turn"] - each["turn"]
        when = {0: "This turn", 1: "Last turn"}.get(age, f"{age} turns ago") + f"{', ' if each['when'] else ''}"
        who = (each["id"], each["type"], _damage(each)) if "id" in each else (each.get("owner", "unknown"), "ships")
        moment = "in combat" if each["when"].startswith("combat round") else each["when"]
        yield _same(f"{when}{moment}:", f"at {each['space']}", *who)


def _met(reading: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    return ((ship, contact["space"]) for contact in reading["contacts"] for ship in contact["ships"])


def _damage(ship: Mapping[str, Any]) -> str:
    return f"{ship['id']} (damage {ship['damage']})" if ship["damage"] else ""


def _planets(view: View) -> Iterator[Item]:
    for planet in view["planets"]:
        space, name, colour, owner = (planet[key] for key in ("space", "name", "colour", "owner"))
        key = f"planet {space} "
        yield Item(f"{key}{colour}", (f"{colour}, {planet['worth']}:", f"{space} {name}"), (space, colour))
        held = (_holder(view, owner), _worth(view, planet)) if owner else None
        yield Item(f"{key}of {owner}", held, held or (space, "nobody holds|Nobody, "))
    for chart in view["charts"]:
        jump = f"{chart['entry']} to {chart['exit']}"
        yield Item(jump, (jump,), (f"a jump from {chart['entry']} leads to {chart['exit']}",))


def _worth(view: View, planet: Mapping[str, Any]) -> str:
    """Return the planets of an owner that are worth as much as one of them."""
    alike = [each for each in view["planets"] if (each["owner"], each["worth"]) == (planet["owner"], planet["worth"])]
    return f" {planet['worth']}{' each' * (len(alike) > 1)}: {', '.join(each['space'] for each in alike)}"


def _holder(view: View, colour: str) -> str:
    return "Your planets, with their worth to you:" if colour == view["seat"] else f"{colour.capitalize()},"


def _players(view: View) -> Iterator[Item]:
    for player in view["players"]:
        who, planets = _who(view, player["colour"]), player["planets"]
        states = [", your ally"] * player["ally"]
        states += [f", enough to win at {player['held']} of "] if player["held"] else []
        left = who != "You" and not player["playing"]
        if left or not (planets or states or who == "You"):
            yield _same("Out of the war: " if left else "No planets: ", player["colour"])
        else:
            yield _same(f"{_holder(view, player['colour'])} {planets}", *states)
        if view["awaited"] and view["section"] in ("turn", "ecopolitical") and who != "You" and player["playing"]:
            wish = f"; ALLY {player['colour']} {'YES' if player['wish'] else 'NO'}"
            yield _same(*[wish] * view["rules"]["alliances"])
    for faction in view["factions"]:
        head = f" (an empire of {faction['dominant']})" if faction["dominant"] else ""
        yield _same("Factions with enough planets: ", f"{faction['members'][-1]}{head} at {faction['held']} of ")
        yield _same("Factions with enough planets: ", *faction["members"])


def _who(view: View, colour: str) -> str:
    return "You" if colour == view["seat"] else colour.capitalize()


def _rules(view: View) -> Iterator[Item]:
    rules = view["rules"]
    for kind in rules["types"]:
        units = [unit if count == 1 else f"{unit} {count}" for unit, count in kind["units"].items()]
        told = (f"{kind['name']} ({kind['ship_class']}), {kind['cost']} point", *units)
        yield Item(f"type {kind['name']}", told, None)
    held = "the start of a turn" if rules["turns_to_hold"] == 1 else f"{rules['turns_to_hold']} successive turn starts"
    yield Item("rules", (f"Whoever holds {rules['planets_to_win']} planet", held), None)


def _events(view: View) -> Iterator[Item]:
    for event in view["events"]:
        brief = _BRIEFLY.get(event["kind"])
        for words in _TOLD[event["kind"]](view, event):
            yield Item("", words, None if brief else words)
        for words in brief(view, event) if brief else ():
            yield Item("", None, words)


Told = Iterator[tuple[str, ...]]


def _no_sheet(view: View, event: Any) -> Told:
    yield ("No orders came from you in time.",)


def _income(view: View, event: Any) -> Told:
    yield f"{event['saved']} saved + {event['points']} income from {event['planets']} planet", " upkeep = "


def _maintained(view: View, event: Any) -> Told:
    yield " income from ", f"− {event['cost']} upkeep"


def _saved(view: View, event: Any) -> Told:
    if event["points"]:
        yield (f"{event['points']} saved.",)


def _nothing(view: View, event: Any) -> Told:
    yield from ()


def _scrapped(view: View, event: Any) -> Told:
    yield event["ship"], "scrapped"


def _repaired(view: View, event: Any) -> Told:
    yield "REPAIR", event["ship"], f", for {event['cost']} point", *event["units"]


def _hidden(view: View, event: Any) -> Told:
    yield event["ship"], "went dark"


def _as_ordered(view: View, event: Any) -> Told:
    yield (f"{event['ship']}|orders came true.",)


def _built(view: View, event: Any) -> Told:
    yield " for ", f" {event['type']}", " income from "
    yield "BUILD", event["type"], event["space"], event["ship"], " built"


def _built_briefly(view: View, event: Any) -> Told:
    yield event["ship"], f" built|{event['ship']} (new|went dark|destroyed"


def _refused(view: View, event: Any) -> Told:
    yield event["line"].split()[0], "NOT DONE: |IN PART: "


def _moved(view: View, event: Any) -> Told:
    yield f"{event['ship']}: {', '.join(leg['space'] for leg in event['legs'])}", event["end"]


def _moved_briefly(view: View, event: Any) -> Told:
    yield f"MOVE|{event['ship']}", event["end"]


def _stopped(view: View, event: Any) -> Told:
    yield "MOVE", "stopped", f"at {event['space']}"


def _stopped_briefly(view: View, event: Any) -> Told:
    yield f"stopped|{event['ship']}", event["space"]


def _charted(view: View, event: Any) -> Told:
    yield (f"a jump from {event['entry']} leads to {event['exit']}",)


def _sensed(view: View, event: Any) -> Told:
    for ship, space in _met(event):
        yield ship["id"], ship["type"], space, _damage(ship)
    for space in event["unknown"]:
        yield "nknown", space
    for fleet in event["allied"]:
        met = [ship["id"] for ship, space in _met(event) if (ship["owner"], space) == (fleet["owner"], fleet["space"])]
        yield (fleet["space"], met[0]) if met else (fleet["space"], "ships at")


def _combat(view: View, event: Any) -> Told:
    runs: dict[tuple[Any, ...], list[str]] = {}
    for shot in event["shots"]:
        die = f"{shot['die']}*" if shot["hit"] else f"{shot['die']}"
        run = runs.setdefault((shot["at"], shot["need"], shot["of"], shot["by"]), [])
        run += [die, shot["unit"]] if shot["unit"] else [die]
    for (at, need, of, by), dice in runs.items():
        yield f"{event['space']}, ", f"{event['round']}: ", f"{need} of {of} at {at}: ", f"{by} {' '.join(dice)}"
    yield from _combat_briefly(view, event)


def _combat_briefly(view: View, event: Any) -> Told:
    own = {ship["id"] for ship in event["ships"] if ship["owner"] == view["seat"]}
    for loss in event["lost"]:
        words = {"dark": "went dark", "destroyed": "destroyed"}
        yield f"- {event['space']}, ", loss["ship"], words[loss["how"]] if loss["ship"] in own else " lost"


def _captured(view: View, event: Any) -> Told:
    place = event["space"]
    if event["now"] and event["was"]:
        was = "you" if event["was"] == view["seat"] else event["was"]
        yield "Planets: ", f"{_who(view, event['now'])} took ", place, f" from {was}"
    elif event["now"]:
        yield "Planets: ", f"{_who(view, event['now'])} ", "took ", place, "nobody held"
    else:
        yield "Planets: ", f"{_who(view, event['was'])} ", "lost ", place, "nobody holds now"


def _terraformed(view: View, event: Any) -> Told:
    yield "Terraformed: ", event["space"], f" from {event['was']} to {event['now']}"


def _named(*keys: str) -> Any:
    def tell(view: View, event: Any) -> Told:
        values = [event[key] for key in keys]
        names = [name for value in values for name in (value if isinstance(value, list) else [value])]
        yield "The war: ", *("You" if name == view["seat"] else str(name) for name in names if name)

    return tell


_TOLD = {
    "no-sheet": _no_sheet,
    "income": _income,
    "scrapped": _scrapped,
    "maintained": _maintained,
    "repaired": _repaired,
    "hidden": _hidden,
    "built": _built,
    "saved": _saved,
    "refused": _refused,
    "moved": _moved,
    "stopped": _stopped,
    "charted": _charted,
    "sensed": _sensed,
    "combat": _combat,
    "captured": _captured,
    "terraformed": _terraformed,
    "alliance": _named("who"),
    "declared": _named(),
    "faction-held": _named("held"),
    "dissolved": _named("why"),
    "holding": _named("held"),
    "resigned": _named(),
    "victory": _named("reason"),
}

_BRIEFLY = {
    "moved": _moved_briefly,
    "combat": _combat_briefly,
    "built": _built_briefly,
    "hidden": _as_ordered,
    "repaired": _as_ordered,
    "stopped": _stopped_briefly,
    "holding": _nothing,
    "faction-held": _nothing,
    "declared": _nothing,
    "income": _nothing,
    "maintained": _nothing,
    "saved": _nothing,
}
"""Kinds of which the report of a turn tells less than the full one.

They are ways, dice, the points of the turn before, what came as it was ordered, and what stands with the planets."""
