"""The view of a seat, built by adding what it may know; the only way out of a state.

What that is says the rulebook's "Who knows what", with rulings 25, 31, 32, 38 and 39.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any, cast

from pbem.ruleset import Event, SeatName, events_for
from pbem_rules.singularity_trap.chart import COLOURS, GRAY, UNITS, ShipType, letter_of
from pbem_rules.singularity_trap.sensors import Watch
from pbem_rules.singularity_trap.state import Faction, Ship, State
from pbem_rules.singularity_trap.view_types import (
    CombatView,
    FactionView,
    PlanetView,
    PlayerView,
    RulesView,
    Section,
    SensorsView,
    ShipView,
    TrapView,
    TypeView,
    UnitsView,
)

LARGEST_FACTIONS = {2: 0, 3: 0, 4: 2, 5: 2, 6: 3}
"""The most members that a faction may have, by number of players at the start."""


def views(state: State, seats: Sequence[SeatName], events: Sequence[Event]) -> Iterator[tuple[SeatName, TrapView]]:
    """Yield the views of several seats; what is alike for all is computed once."""
    maker = _Maker(state)
    for seat in seats:
        yield seat, maker.view(seat, events)


class _Maker:
    """Maker of the views of one state."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.watch = Watch(state.chart, state.ships.values(), state.allied)
        self.name = functools.cache(state.chart.board.name)

    def view(self, seat: SeatName, events: Sequence[Event]) -> TrapView:
        state = self.state
        planets = self._planets(seat)
        ships = [ship for ship in state.ships.values() if ship.owner == seat]
        factions = [_faction(faction) for faction in state.factions]
        return {
            "seat": seat,
            "label": _label(state),
            "over": state.result is not None,
            "awaited": seat in state.awaited,
            "turn": state.turn,
            "section": "turn" if state.house.pace == "turn" else cast(Section, state.section),
            "round": state.round + 1 if state.section == "combat" else 0,
            "points": state.players[seat].points,
            "income": sum(planet["worth"] for planet in planets if planet["owner"] == seat),
            "upkeep": len(ships),
            "players": [self._player(seat, other) for other in state.seats],
            "planets": planets,
            "ships": [self._ship(ship) for ship in sorted(ships, key=lambda ship: ship.id)],
            "sensors": self._sensors(seat),
            "charts": [
                {"entry": self.name(entry), "exit": self.name(end)} for entry, end in state.players[seat].charts
            ],
            "faction": next((faction for faction in factions if seat in faction["members"]), None),
            "factions": factions,
            "combats": self._combats(seat, ships) if seat in state.awaited else [],
            "rules": self._rules,
            "events": _place_by_place([_event_view(event, seat) for event in events_for(events, seat)]),
            "result": {"winners": list(state.result.winners), "reason": state.result.reason} if state.result else None,
        }

    def _sensors(self, seat: SeatName) -> SensorsView:
        """Return the reading at the end of the last section; between rounds only ships sharing a space (ruling 39)."""
        sensed = self.watch.sensors(seat)
        if self.state.section == "combat" and self.state.round:
            return {"contacts": sensed["contacts"], "unknown": [], "allied": []}
        return sensed

    def _player(self, seat: SeatName, other: SeatName) -> PlayerView:
        player = self.state.players[other]
        return {
            "colour": other,
            "letter": letter_of(other),
            "playing": player.playing,
            "planets": self._owned[other],
            "ally": self.state.allied(seat, other),
            # Alliance settings are their player's alone; those of others are not told.
            "wish": other in self.state.players[seat].wishes,
            "held": player.held,
        }

    @functools.cached_property
    def _owned(self) -> dict[SeatName, int]:
        owners = [planet.owner for planet in self.state.planets.values()]
        return {seat: owners.count(seat) for seat in self.state.seats}

    def _planets(self, seat: SeatName) -> list[PlanetView]:
        chart = self.state.chart
        return [
            {
                "space": self.name(site.space),
                "name": site.name,
                "colour": planet.colour,
                "owner": planet.owner,
                "worth": chart.worth_to(seat, planet.colour),
            }
            for site in chart.sites
            for planet in (self.state.planets[site.space],)
        ]

    def _ship(self, ship: Ship) -> ShipView:
        full = self.state.chart.type_by_name[ship.type]
        return {
            "id": ship.id,
            "type": ship.type,
            "space": self.name(ship.space),
            "dark": ship.dark,
            "moved": ship.moved,
            "encounter": not ship.dark and self.watch.encountered(ship.owner, ship.space),
            "damage": full.cost - sum(ship.left),
            "units": [
                _unit(unit, left, most) for unit, left, most in zip(UNITS, ship.left, full.units, strict=True) if most
            ],
        }

    def _combats(self, seat: SeatName, ships: Sequence[Ship]) -> list[CombatView]:
        """Return the spaces in which the seat has a real choice of targets (ruling 24)."""
        if self.state.section != "combat":
            return []
        combats: list[CombatView] = []
        for space in sorted({ship.space for ship in ships if ship.shots}):
            own = sorted((ship for ship in ships if ship.shots and ship.space == space), key=lambda ship: ship.id)
            enemies = self.watch.enemies(seat, space)
            # With a single target there is no choice.
            if len(enemies) > 1:
                combats.append(
                    {
                        "space": self.name(space),
                        "round": self.state.round + 1,
                        "own": [ship.id for ship in own],
                        "enemies": enemies,
                        "shots": sum(ship.shots for ship in own),
                    }
                )
        return combats

    @functools.cached_property
    def _rules(self) -> RulesView:
        house, chart = self.state.house, self.state.chart
        return {
            "planets_to_win": house.planets_to_win,
            "turns_to_hold": house.turns_to_hold,
            "faction_sizes": {str(count): most for count, most in LARGEST_FACTIONS.items()},
            "largest_faction": house.largest_faction,
            "empire_planets": house.empire_planets,
            "alliances": house.alliances,
            "pace": "section" if house.pace == "section" else "turn",
            "radius": chart.board.radius,
            "levels": chart.board.levels,
            "colours": list(COLOURS),
            "gray": GRAY,
            "types": [_type(kind) for kind in chart.types],
        }


def _event_view(event: dict[str, Any], seat: SeatName) -> dict[str, Any]:
    """Return an event as a player may know it: a combat tells units and fates of own ships only (ruling 38)."""
    if event["kind"] != "combat":
        return event
    own = {ship["id"] for ship in event["ships"] if ship["owner"] == seat}
    return {
        **{key: event[key] for key in ("kind", "space", "round")},
        "ships": [ship if ship["id"] in own else _ship_view(ship) for ship in event["ships"]],
        "shots": [{**shot, "unit": shot["unit"] if shot["at"] in own else None} for shot in event["shots"]],
        # Only its owner knows whether a ship that vanished is dark or destroyed (ruling 38).
        "lost": [loss if loss["ship"] in own else {"ship": loss["ship"], "how": "vanished"} for loss in event["lost"]],
    }


def _place_by_place(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events with the rounds of each combat together, and all others as they happened."""
    rounds = iter(sorted((event for event in events if event["kind"] == "combat"), key=lambda event: event["space"]))
    return [next(rounds) if event["kind"] == "combat" else event for event in events]


def _ship_view(ship: dict[str, Any]) -> dict[str, Any]:
    return {key: ship[key] for key in ("id", "owner", "type", "damage")}


def _label(state: State) -> str:
    if state.result is not None:
        return "the end"
    if state.house.pace == "turn":
        return f"turn {state.turn}"
    combat = state.section == "combat"
    return f"turn {state.turn}, combat round {state.round + 1}" if combat else f"turn {state.turn}, {state.section}"


def _unit(name: str, left: int, full: int) -> UnitsView:
    return {"unit": name, "left": left, "full": full}


def _type(kind: ShipType) -> TypeView:
    units = {unit: count for unit, count in zip(UNITS, kind.units, strict=True) if count}
    return {"name": kind.name, "letter": kind.letter, "ship_class": kind.ship_class, "units": units, "cost": kind.cost}


def _faction(faction: Faction) -> FactionView:
    return {
        "kind": "empire" if faction.dominant else "faction",
        "members": list(faction.members),
        "dominant": faction.dominant,
        "held": faction.held,
    }
