"""The state of a campaign: frozen records, and their form as JSON data.

Nothing here knows a rule beyond the meaning of a record. Tuples of records are
kept sorted by name, so that equal states have equal data.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import SeatName
from pbem_rules.singularity_trap.chart import (
    DRIVE,
    JUMP,
    MULTIFIRE,
    SENSOR,
    SLIP,
    SYSTEM,
    TERRAFORM,
    WEAPONS,
    Chart,
    Units,
    read_chart,
    write_chart,
)
from pbem_rules.singularity_trap.space import Space

Pair = tuple[SeatName, SeatName]
"""Two players, in alphabetical order."""


def pair(a: SeatName, b: SeatName) -> Pair:
    """Return two players as a pair, whichever is named first."""
    return (a, b) if a < b else (b, a)


@dataclass(frozen=True, slots=True)
class House:
    """The options of a campaign (ruling 26)."""

    planets_to_win: int
    turns_to_hold: int
    largest_faction: int
    empire_planets: int
    alliances: bool
    pace: str


@dataclass(frozen=True, slots=True)
class Ship:
    """A ship. `left` holds its undamaged units; `moved` is true if it was given a move this turn."""

    id: str
    owner: SeatName
    type: str
    space: Space
    left: Units
    moved: bool = False

    @property
    def number(self) -> int:
        """The number in the id, for orders of precedence (rulings 8 and 18)."""
        return int(self.id[1:])

    @property
    def dark(self) -> bool:
        """True if the ship has no undamaged system: it is out of play."""
        return self.left[SYSTEM] == 0

    @property
    def drive(self) -> int:
        """The number of undamaged drive units."""
        return self.left[DRIVE]

    @property
    def weapons(self) -> int:
        """The number of undamaged weapons."""
        return self.left[WEAPONS]

    @property
    def can_slip(self) -> bool:
        """True if the slip unit is undamaged."""
        return self.left[SLIP] > 0

    @property
    def can_jump(self) -> bool:
        """True if the jump unit is undamaged."""
        return self.left[JUMP] > 0

    @property
    def can_terraform(self) -> bool:
        """True if the ship is stationary, not dark, and its terraforming unit is undamaged."""
        return self.left[TERRAFORM] > 0 and not self.dark and not self.moved

    @property
    def sensor_range(self) -> int:
        """The number of spaces that it sees; 0 when dark."""
        return 0 if self.dark else 1 + (self.left[SENSOR] > 0)

    @property
    def shots(self) -> int:
        """The shots a round: one per weapon with undamaged multifire, else one with any weapon."""
        if self.dark:
            return 0
        return self.weapons if self.left[MULTIFIRE] else min(self.weapons, 1)

    def with_unit(self, unit: int, change: int) -> Ship:
        """Return the ship with one kind of unit repaired (+) or damaged (−)."""
        left = (*self.left[:unit], self.left[unit] + change, *self.left[unit + 1 :])
        return dataclasses.replace(self, left=left)


@dataclass(frozen=True, slots=True)
class Planet:
    """A planet's changing part: its colour and owner."""

    space: Space
    colour: str
    owner: SeatName | None


@dataclass(frozen=True, slots=True)
class Player:
    """A player's own affairs.

    `numbers` are those of all ships that the player ever built, in that order; `charts` the
    jumps made; `wishes` the players wanted as allies; `held` the successive turn starts at
    which the player alone had the winning number of planets.
    """

    seat: SeatName
    points: int
    playing: bool = True
    held: int = 0
    numbers: tuple[int, ...] = ()
    charts: tuple[tuple[Space, Space], ...] = ()
    wishes: tuple[SeatName, ...] = ()


@dataclass(frozen=True, slots=True)
class Faction:
    """A declared faction; an empire has a dominant member. `held` counts turn starts, as for players."""

    members: tuple[SeatName, ...]
    dominant: SeatName | None
    held: int

    @property
    def kind(self) -> str:
        """ "faction" or "empire"."""
        return "empire" if self.dominant else "faction"


@dataclass(frozen=True, slots=True)
class Result:
    """The end of the game: its winners, and why."""

    winners: tuple[SeatName, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class State:
    """The whole state. `seats` are in the order of the wheel; `told` are the seats that get a report now."""

    house: House
    chart: Chart
    turn: int
    section: str
    round: int
    seats: tuple[SeatName, ...]
    players: Mapping[SeatName, Player]
    planets: Mapping[Space, Planet]
    ships: Mapping[str, Ship]
    allies: frozenset[Pair] = frozenset()
    factions: tuple[Faction, ...] = ()
    result: Result | None = None
    awaited: frozenset[SeatName] = frozenset()
    told: frozenset[SeatName] | None = None

    def allied(self, a: SeatName, b: SeatName) -> bool:
        """Return True if two players are allies."""
        return pair(a, b) in self.allies


def dump(state: State) -> dict[str, Any]:
    """Return the state as JSON data, with spaces as players write them."""
    name = state.chart.board.name
    return {
        "house": dataclasses.asdict(state.house),
        "chart": write_chart(state.chart),
        "turn": state.turn,
        "section": state.section,
        "round": state.round,
        "seats": list(state.seats),
        "players": [_dump_player(state.players[seat], name) for seat in state.seats],
        "planets": [[name(planet.space), planet.colour, planet.owner] for planet in state.planets.values()],
        "ships": [_dump_ship(state.ships[key], name) for key in sorted(state.ships)],
        "allies": [list(allies) for allies in sorted(state.allies)],
        "factions": [[list(each.members), each.dominant, each.held] for each in state.factions],
        "result": {"winners": list(state.result.winners), "reason": state.result.reason} if state.result else None,
        "awaited": sorted(state.awaited),
        "told": None if state.told is None else sorted(state.told),
    }


def _dump_player(player: Player, name: Callable[[Space], str]) -> dict[str, Any]:
    return {
        "seat": player.seat,
        "points": player.points,
        "playing": player.playing,
        "held": player.held,
        "numbers": list(player.numbers),
        "charts": [[name(entry), name(end)] for entry, end in player.charts],
        "wishes": list(player.wishes),
    }


def _dump_ship(ship: Ship, name: Callable[[Space], str]) -> list[Any]:
    return [ship.id, ship.owner, ship.type, name(ship.space), list(ship.left), ship.moved]


def read(data: Any) -> State:
    """Return the state of JSON data that `dump` has made."""
    chart = read_chart(data["chart"])
    space = _space_reader(chart)
    planets = [Planet(space(at), colour, owner) for at, colour, owner in data["planets"]]
    ships = [
        Ship(key, owner, kind, space(at), tuple(left), moved) for key, owner, kind, at, left, moved in data["ships"]
    ]
    return State(
        house=House(**data["house"]),
        chart=chart,
        turn=data["turn"],
        section=data["section"],
        round=data["round"],
        seats=tuple(data["seats"]),
        players={entry["seat"]: _load_player(entry, space) for entry in data["players"]},
        planets={planet.space: planet for planet in planets},
        ships={ship.id: ship for ship in ships},
        allies=frozenset(pair(a, b) for a, b in data["allies"]),
        factions=tuple(Faction(tuple(members), dominant, held) for members, dominant, held in data["factions"]),
        result=Result(tuple(data["result"]["winners"]), data["result"]["reason"]) if data["result"] else None,
        awaited=frozenset(data["awaited"]),
        told=None if data["told"] is None else frozenset(data["told"]),
    )


def _space_reader(chart: Chart) -> Callable[[str], Space]:
    known: dict[str, Space] = {}

    def read(word: str) -> Space:
        if word not in known:
            space = chart.board.read(word)
            if space is None:
                raise ValueError(f"{word!r} is not a space")
            known[word] = space
        return known[word]

    return read


def _load_player(data: Mapping[str, Any], space: Callable[[str], Space]) -> Player:
    charts = tuple((space(entry), space(end)) for entry, end in data["charts"])
    numbers, wishes = tuple(data["numbers"]), tuple(data["wishes"])
    return Player(data["seat"], data["points"], data["playing"], data["held"], numbers, charts, wishes)
