"""Views: what a player of Harvester may know, as plain JSON data, made in one pass for all.

Coordinates are the reader's own: (0, 0) is the hex where its Harvester started, for good,
q grows to the east and r to the south-east, and every hex is written as near to
(0, 0) as it can be. So a hex keeps its name (ruling 15).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypedDict

import numpy as np

from pbem.ruleset import Event, SeatName
from pbem_rules.harvester import forest
from pbem_rules.harvester.combat import kinds_of
from pbem_rules.harvester.events import by_seat
from pbem_rules.harvester.planet import DIRECTIONS, Flags, Ints
from pbem_rules.harvester.scanners import Scans, Sensors
from pbem_rules.harvester.state import CRAGS, DUST, NOWHERE, State
from pbem_rules.harvester.units import FARTHEST, HARVESTER, MOST_HELD, NAMES, SLOTS

Hex = list[int]
"""A hex, [q, r]."""

Row = list[Any]
"""A hex and the facts told of it; see GameView."""

_WAYS = tuple(" ".join(name for bit, name in enumerate(DIRECTIONS) if mask >> bit & 1) for mask in range(64))
_ENTERED = 4
_SIDES = "foe", "friend"
_GUARDS = tuple(enumerate(NAMES))[1:]
_TARGET, _AHEAD = SLOTS, SLOTS + 1
"""The places behind those of a player's units."""


class HarvesterView(TypedDict):
    """The reader's own Harvester; `left` steps to its `target`, `waiting` if it was kept from its last one.

    `ahead` is the next hex on the straight line that was drawn when the target was set.
    """

    q: int
    r: int
    held: int
    target: Hex | None
    left: int
    ahead: Hex | None
    waiting: bool


class UnitView(TypedDict):
    """A living defence unit of the reader."""

    unit: str
    q: int
    r: int


class BuildingView(TypedDict):
    """A unit that is being rebuilt; with `turns` 1 it is ready at the end of this turn."""

    unit: str
    turns: int


class PointsView(TypedDict):
    """Victory points: for resources, combat abilities and subservients, and their sum."""

    held: int
    combat: int
    subservients: int
    total: int


class SubservientView(TypedDict):
    """A Harvester below the reader's: its direct ruler, victory points, place, resources and units.

    `units` are [q, r, kinds], a letter for each unit (G, L, S, C).
    """

    seat: SeatName
    ruler: SeatName
    points: int
    q: int
    r: int
    held: int
    units: list[Row]


class ContactView(TypedDict):
    """Units of another player in a hex of band 1: their kinds, a letter each (H, G, L, S, C).

    `side` is "friend" if its player is on the reader's side, so that neither fights
    the other, else "foe" (ruling 12).
    """

    q: int
    r: int
    owner: SeatName
    side: str
    units: str


class GameView(TypedDict):
    """The view of a seat.

    `scan` has a list for each band, 1 to 5, of the hexes in which the band's facts tell of anything:
    band 5 [q, r, marked], band 4 [… moved], band 3 [… entered], band 2 [… number], band 1 [… resources].
    `marked` is 1 for a Harvester or a resource, `moved` 1 where anything moved in or out,
    `entered` names the directions from which something came ("E SW"), `number` counts units, the reader's own
    included. `quiet` has a list for each band of the other hexes perceived, as q, r, q, r … `crags` and `dust`
    are the hexes of such ground; of dust beyond distance 1 nothing else is told.
    """

    seat: SeatName
    label: str
    over: bool
    awaited: bool
    events: list[dict[str, Any]]
    turn: int
    size: int
    harvester: HarvesterView | None
    units: list[UnitView]
    lost: list[str]
    building: BuildingView | None
    points: PointsView
    silent: int
    rulers: list[SeatName]
    subservients: list[SubservientView]
    scan: list[list[Row]]
    quiet: list[list[int]]
    crags: list[Hex]
    dust: list[Hex]
    contacts: list[ContactView]
    winner: SeatName | None


def views_of(state: State, seats: Sequence[SeatName], events: Sequence[Event]) -> Iterator[tuple[SeatName, GameView]]:
    """Yield the views of some seats, in their order; `events` are all of the turn."""
    writer = _ViewWriter(state)
    told = by_seat(events, seats)
    numbers = {seat: number for number, seat in enumerate(state.seats)}
    for crews, scans in writer.sensors.chunks([numbers[seat] for seat in seats]):
        players = [crew[0] for crew in crews]
        found = _Found(writer.sensors, players, scans)
        rows = zip(players, writer.places(players), writer.subservients(crews), strict=True)
        for reader, (player, places, subservients) in enumerate(rows):
            seat = state.seats[player]
            yield seat, writer.view(player, told[seat], places, subservients, found.of(reader))


class Places(NamedTuple):
    """The places of a player's units by slot, of the Harvester's target, and the next one on its way."""

    q: list[int]
    r: list[int]
    known: list[bool]


class Findings(NamedTuple):
    """The scans of one reader, in the form of a GameView."""

    scan: list[list[Row]]
    quiet: list[list[int]]
    crags: list[Hex]
    dust: list[Hex]
    contacts: list[ContactView]


class _ViewWriter:
    """Writer of the views of one state."""

    def __init__(self, state: State) -> None:
        self.state, self.planet, self.sensors = state, state.planet, Sensors(state)
        self.points = state.points().tolist()
        self.combat = np.minimum(state.combat(), MOST_HELD).tolist()
        self.held = np.minimum(state.held, MOST_HELD).tolist()
        self.over, self.winner = state.over, state.winner
        self.label = f"the end, after turn {state.turn - 1}" if self.over else f"turn {state.turn}"
        self.left, self.ruler, self.silent = state.left.tolist(), state.ruler.tolist(), state.silent.tolist()
        self.waiting, (self.build, self.turns) = state.waiting.tolist(), state.build.T.tolist()
        planet, target = self.planet, state.course[:, 1]
        self.steps = planet.distance[(target - state.at[:, HARVESTER]) % planet.count].tolist()
        self.spots = np.column_stack([state.at, target, _ahead(state)])

    def places(self, players: Sequence[int]) -> Iterable[Places]:
        """Return the places of some players: at once, since each by itself takes longer."""
        spots, planet = self.spots[players], self.planet
        away = (spots - self.state.origin[players, None]) % planet.count
        return map(Places, planet.q[away].tolist(), planet.r[away].tolist(), (spots != NOWHERE).tolist())

    def view(
        self,
        player: int,
        told: Iterable[Event],
        places: Places,
        subservients: list[SubservientView],
        found: Findings,
    ) -> GameView:
        state, playing = self.state, not self.left[player]
        q, r, placed = places
        return {
            "seat": state.seats[player],
            "label": self.label,
            "over": self.over,
            "awaited": playing and not self.over,
            "events": [{"kind": event.kind, **event.data} for event in told],
            "turn": state.turn,
            "size": state.size,
            "harvester": self._harvester(player, places) if placed[HARVESTER] else None,
            "units": [{"unit": unit, "q": q[slot], "r": r[slot]} for slot, unit in _GUARDS if placed[slot]],
            "lost": [unit for slot, unit in _GUARDS if not placed[slot]] if playing else [],
            "building": self._building(player),
            "points": self._points(player, playing=playing),
            "silent": self.silent[player],
            "rulers": [state.seats[ruler] for ruler in forest.above(self.ruler, player)],
            "subservients": subservients,
            "scan": found.scan,
            "quiet": found.quiet,
            "crags": found.crags,
            "dust": found.dust,
            "contacts": found.contacts,
            "winner": self.winner if self.over else None,
        }

    def _harvester(self, player: int, places: Places) -> HarvesterView:
        q, r, placed = places
        bound = placed[_TARGET]
        return {
            "q": q[HARVESTER],
            "r": r[HARVESTER],
            "held": self.held[player],
            "target": [q[_TARGET], r[_TARGET]] if bound else None,
            "left": self.steps[player] if bound else 0,
            "ahead": [q[_AHEAD], r[_AHEAD]] if placed[_AHEAD] else None,
            "waiting": bool(self.waiting[player]),
        }

    def _building(self, player: int) -> BuildingView | None:
        slot = self.build[player]
        return None if slot == NOWHERE else {"unit": NAMES[slot], "turns": self.turns[player]}

    def _points(self, player: int, *, playing: bool) -> PointsView:
        held, combat, total = self.held[player], self.combat[player], self.points[player]
        if not playing:
            held = combat = 0
        return {"held": held, "combat": combat, "subservients": total - held - combat, "total": total}

    def subservients(self, crews: Sequence[Sequence[int]]) -> Iterator[list[SubservientView]]:
        """Yield the subservients of the first player of each crew, by name; the others of the crew are these."""
        state, seats = self.state, self.state.seats
        below = [sorted(each, key=seats.__getitem__) for _, *each in crews]
        pairs = [(crew[0], each) for crew, them in zip(crews, below, strict=True) for each in them]
        ruler, member = np.array(pairs, np.int64).reshape(-1, 2).T
        ranks = self.planet.rank[(state.at[member] - state.origin[ruler, None]) % self.planet.count]
        homes = iter(self.planet.spots(ranks[:, HARVESTER]).tolist())
        units = iter(self._units(ranks, state.at[member]))
        for them in below:
            yield [self._subservient(each, next(homes), next(units)) for each in them]

    def _subservient(self, each: int, home: Hex, units: list[Row]) -> SubservientView:
        return {
            "seat": self.state.seats[each],
            "ruler": self.state.seats[self.ruler[each]],
            "points": self.points[each],
            "q": home[0],
            "r": home[1],
            "held": self.held[each],
            "units": units,
        }

    def _units(self, ranks: Ints, at: Ints) -> list[list[Row]]:
        """Return the crews of each row of units, without the Harvester: hexes by rank, and a letter for each unit."""
        row, guard = np.nonzero(at[:, 1:] != NOWHERE)
        places, slots = row * self.planet.count + ranks[row, guard + 1], guard + 1
        order = np.argsort(places, kind="stable")
        first = np.flatnonzero(np.diff(places[order], prepend=-1))
        kinds = map(kinds_of, np.bitwise_or.reduceat(1 << slots[order], first).tolist())
        row, rank = np.divmod(places[order][first], self.planet.count)
        spots: list[Row] = self.planet.spots(rank).tolist()
        rows = [[*spot, letters] for spot, letters in zip(spots, kinds, strict=True)]
        bounds = np.searchsorted(row, np.arange(len(at) + 1)).tolist()
        return [rows[a:b] for a, b in pairwise(bounds)]


def _ahead(state: State) -> Ints:
    """Return the next hex on the way of each Harvester that has a target, NOWHERE for the others."""
    bound = np.flatnonzero((state.course[:, 1] != NOWHERE) & (state.at[:, HARVESTER] != NOWHERE))
    (start, target), home = state.course[bound].T, state.at[bound, HARVESTER]
    ahead = np.full(len(state.at), NOWHERE)
    ahead[bound] = state.planet.moved(home, state.planet.heading(start, target, home))
    return ahead


class _Found:
    """The scans of a chunk of players as the lists of their views.

    Rows become lists one reader at a time: so many lists at once would keep the
    garbage collector busy for longer than all the rest takes.
    """

    def __init__(self, sensors: Sensors, chunk: Sequence[int], scans: Scans) -> None:
        spots, ground = sensors.planet.spots, sensors.state.ground[scans.cell]
        telling = scans.band <= sensors.telling[scans.cell]
        told, self.told = _parts(telling & ~scans.dusty, scans.bounds)
        facts = np.array([*spots(scans.rank[told]).T, *sensors.facts(scans.cell[told])], np.int32).T
        # A nearer band tells all that the farther ones tell (ruling 9).
        self.facts = [facts[:, : 3 + FARTHEST - band] for band in range(1, FARTHEST + 1)]
        quiet, self.quiets = _parts(~telling & ~scans.dusty, scans.bounds)
        self.quiet = spots(scans.rank[quiet]).reshape(-1).tolist()
        self.grounds = {}
        for kind in (CRAGS, DUST):
            here, bounds = _parts(ground == kind, scans.bounds[::FARTHEST])
            self.grounds[kind] = spots(scans.rank[here]), bounds
        self.contacts = _contacts(sensors, np.array(chunk), scans)

    def of(self, reader: int) -> Findings:
        """Return what one of the readers found."""
        bands = slice(reader * FARTHEST, (reader + 1) * FARTHEST + 1)
        told, quiets = pairwise(self.told[bands]), pairwise(self.quiets[bands])
        scan: list[list[Row]] = [facts[a:b].tolist() for facts, (a, b) in zip(self.facts, told, strict=True)]
        for row in chain(*scan[:3]):
            row[_ENTERED] = _WAYS[row[_ENTERED]]
        return Findings(
            scan=scan,
            quiet=[self.quiet[2 * a : 2 * b] for a, b in quiets],
            crags=self._ground(CRAGS, reader),
            dust=self._ground(DUST, reader),
            contacts=self.contacts[reader],
        )

    def _ground(self, kind: int, reader: int) -> list[Hex]:
        spots, bounds = self.grounds[kind]
        first, last = bounds[reader : reader + 2]
        return spots[first:last].tolist() if first < last else []


def _parts(flags: Flags, bounds: Ints) -> tuple[Ints, list[int]]:
    """Return the indexes of flagged entries, and the bounds of parts of the array among these alone."""
    found = np.flatnonzero(flags)
    return found, np.searchsorted(found, bounds).tolist()


def _contacts(sensors: Sensors, chunk: Ints, scans: Scans) -> list[list[ContactView]]:
    """Return the units of others in hexes of band 1, for each reader, by hex and owner's name."""
    crews, seats = sensors.crews, sensors.state.seats
    near = np.flatnonzero(scans.band == 1)
    first, last = crews.bounds[scans.cell[near]], crews.bounds[scans.cell[near] + 1]
    number = last - first
    scan = np.repeat(near, number)
    crew = np.repeat(last - np.cumsum(number), number) + np.arange(len(scan))
    foreign = crews.owners[crew] != chunk[scans.reader[scan]]
    scan, crew = scan[foreign], crew[foreign]
    owner, reader = crews.owners[crew], scans.reader[scan]
    # On one side are all with the same Harvester at the top, rulers or not (ruling 12).
    friends = sensors.tops[owner] == sensors.tops[chunk[reader]]
    sides, kinds = [_SIDES[friend] for friend in friends.tolist()], [crews.kinds[number] for number in crew.tolist()]
    spots, owners = sensors.planet.spots(scans.rank[scan]).tolist(), [seats[player] for player in owner.tolist()]
    contacts: list[ContactView] = [
        {"q": q, "r": r, "owner": name, "side": side, "units": units}
        for (q, r), name, side, units in zip(spots, owners, sides, kinds, strict=True)
    ]
    return [contacts[a:b] for a, b in pairwise(np.searchsorted(reader, np.arange(len(chunk) + 1)).tolist())]
