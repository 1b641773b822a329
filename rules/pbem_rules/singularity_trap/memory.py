"""Memory of a seat from its former reports: ships out of sight, earlier spaces of its own ships, planets held.

A report tells of more than one moment: the readings of sensors after each
section, the ships in each round of combat, and the present. All are read in that
order, each over what was known before. What may be elsewhere by now is forgotten
as soon as the view itself shows so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from pbem.ruleset import Json, View, append_score
from pbem_rules.singularity_trap.space import board_of, distance
from pbem_rules.singularity_trap.view_types import MemoryView, SightingView

KEPT_TURNS = 5
"""Turns after which what is out of sight is forgotten: by then a ship may be anywhere."""

MOST = 40
"""Sightings kept, the latest: the memory of the largest game stays small."""

# The moment of a reading of sensors, by the section it ends.
_AFTER = {"economic": "before movement", "movement": "after movement", "combat": "after combat"}

Known = dict[str, SightingView]
"""Sightings by what they are of, the latest last."""


def carry_memory(view: View, before: Mapping[str, Json]) -> MemoryView:
    """Return the memory of a seat, made of the view of a report and of the memory of the report before."""
    shown = _new_sightings(view)
    past = [each for key, each in _read(view, before).items() if key not in shown]
    known = [*_still_known(view, past), *shown.values()][-MOST:]
    hidden = max(0, len(known) - len(shown))
    moved = {event["ship"] for event in view["events"] if event["kind"] == "moved"}
    return {
        "scores": append_score(before, "planets", "turn", view["turn"], _count_planets(view)),
        "last_known": known[:hidden],
        "shown": known[hidden:],
        "stood": {ship: space for ship, space in before.get("stand", {}).items() if ship in moved},
        "stand": {ship["id"]: ship["space"] for ship in view["ships"]},
    }


def _count_planets(view: View) -> int:
    return sum(planet["owner"] == view["seat"] for planet in view["planets"])


def _new_sightings(view: View) -> Known:
    known: Known = {}
    _sense(known, view["sensors"], view["turn"], _moment(view))
    return known


def _moment(view: View) -> str:
    """Return when in its turn a view is made; "" at the beginning."""
    if view["section"] == "combat":
        return f"after combat round {view['round'] - 1}" if view["round"] > 1 else _AFTER["movement"]
    return {"movement": _AFTER["economic"], "ecopolitical": _AFTER["combat"]}.get(view["section"], "")


def _read(view: View, before: Mapping[str, Json]) -> Known:
    """Return the sightings known before, updated by the events since then."""
    known = {_key(each): each for each in (*before.get("last_known", ()), *before.get("shown", ()))}
    # At the start of a turn the events are those of the turn before.
    turn = view["turn"] - (view["section"] in ("turn", "economic"))
    for event in view["events"]:
        if event["kind"] == "sensed":
            _sense(known, event, turn, _AFTER[event["after"]])
        elif event["kind"] == "combat":
            others = [ship for ship in event["ships"] if ship["owner"] != view["seat"]]
            # The report of a round names every ship there that is not dark.
            _forget(known, {event["space"]})
            _meet(known, event["space"], others, turn, f"combat round {event['round']}")
            for loss in event["lost"]:
                known.pop(loss["ship"], None)
    return known


def _sense(known: Known, sensed: Mapping[str, Any], turn: int, when: str) -> None:
    """Add a reading of sensors to what was known."""
    fleets = {(fleet["owner"], fleet["space"]) for fleet in sensed["allied"]}
    met = {(ship["owner"], contact["space"]) for contact in sensed["contacts"] for ship in contact["ships"]}
    _forget(known, {contact["space"] for contact in sensed["contacts"]}, fleets)
    for contact in sensed["contacts"]:
        _meet(known, contact["space"], contact["ships"], turn, when)
    for space in sensed["unknown"]:
        _put(known, {"space": space, "turn": turn, "when": when})
    for fleet in sensed["allied"]:
        # Of a fleet that is met the ships themselves are known.
        if (fleet["owner"], fleet["space"]) not in met:
            _put(known, {"space": fleet["space"], "turn": turn, "when": when, "owner": fleet["owner"]})


def _forget(known: Known, spaces: AbstractSet[str], fleets: AbstractSet[tuple[str, str]] = frozenset()) -> None:
    """Drop what was known of spaces with own ships in them, and of allies' ships where their fleets are not."""
    allies = {owner for owner, _ in fleets}
    for key, each in list(known.items()):
        away = each.get("owner") in allies and (each["owner"], each["space"]) not in fleets
        if away or each["space"] in spaces:
            del known[key]


def _meet(known: Known, space: str, ships: Iterable[Mapping[str, Any]], turn: int, when: str) -> None:
    """Add ships in a space that an own ship is in."""
    for ship in ships:
        facts = SightingView(
            id=ship["id"],
            owner=ship["owner"],
            type=ship["type"],
            damage=ship["damage"],
            space=space,
            turn=turn,
            when=when,
        )
        _put(known, facts)


def _put(known: Known, sighting: SightingView) -> None:
    key = _key(sighting)
    # The latest sighting comes last.
    known.pop(key, None)
    known[key] = sighting


def _key(sighting: SightingView) -> str:
    """Return the subject of a sighting: a ship, an ally's fleet in a space, or unknown ships there."""
    return sighting.get("id") or f"{sighting.get('owner', '')} {sighting['space']}"


def _still_known(view: View, past: Iterable[SightingView]) -> list[SightingView]:
    """Return those past sightings, not shown now, that may still hold; none once the war is over."""
    recent = [each for each in past if view["turn"] - each["turn"] <= KEPT_TURNS]
    if view["over"] or not recent:
        return []
    watch = _SensorReach(view)
    return [each for each in recent if watch.leaves_open(each)]


class _SensorReach:
    """The reach of a view's sensors, by which sightings that it does not show are judged."""

    def __init__(self, view: View) -> None:
        self._board = board_of(view)
        self._reading = view["round"] <= 1
        self._unknown = set(view["sensors"]["unknown"])
        self._fleets = {(fleet["owner"], fleet["space"]) for fleet in view["sensors"]["allied"]}
        self._allies = {player["colour"] for player in view["players"] if player["ally"]}
        self._out = {player["colour"] for player in view["players"] if not player["playing"]}
        self._reach: dict[str, int] = {}
        for ship in view["ships"]:
            if not ship["dark"]:
                self._reach[ship["space"]] = max(_reach(ship), self._reach.get(ship["space"], 0))
        self._eyes = [(self._board.at(space), reach) for space, reach in self._reach.items()]
        self._cover: dict[str, bool] = {}

    def leaves_open(self, sighting: SightingView) -> bool:
        """Return True if the ships seen may still be there.

        Their owner is in the war, and no sensor reaches their space without showing them.
        """
        owner, space = sighting.get("owner"), sighting["space"]
        if owner in self._out or space in self._reach:
            return False
        # Between rounds of combat sensors are not read (ruling 39).
        if not self._reading:
            return True
        if owner in self._allies:
            return (owner, space) in self._fleets
        return space in self._unknown or not self._covers(space)

    def _covers(self, space: str) -> bool:
        if space not in self._cover:
            at = self._board.at(space)
            self._cover[space] = any(distance(at, eye) <= reach for eye, reach in self._eyes)
        return self._cover[space]


def _reach(ship: Mapping[str, Any]) -> int:
    # A sensor unit sees 2 spaces far instead of 1 (rulebook, "Ships").
    return 1 + any(unit["unit"] == "sensor" and unit["left"] for unit in ship["units"])
