"""Views: what a player of Harvester may know, as plain JSON data, made in one pass for all.

Coordinates are the reader's own: (0, 0) is the hex where its Harvester started, for good,
q grows to the east and r to the south-east, and every hex is written as near to
(0, 0) as it can be. So a hex keeps its name (ruling 15).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypedDict

import numpy as np

from pbem.ruleset import Event, SeatName
from pbem_rules.harvester import forest
from pbem_rules.harvester.events import by_seat
from pbem_rules.harvester.planet import DIRECTIONS, Flags, Ints
from pbem_rules.harvester.scanners import Scans, Sensors
from pbem_rules.harvester.state import CRAGS, DUST, NOWHERE, State
from pbem_rules.harvester.units import FARTHEST, HARVESTER, KINDS, MOST_HELD, NAMES, SLOTS

SeatContext = list[int]
"""A hex, [q, r]."""

Row = list[Any]
"""A hex and the facts told of it; see GameView."""

_WAYS = tuple(" ".join(name for bit, name in enumerate(DIRECTIONS) if mask >> bit & 1) for mask in range(64))
_ENTERED = 4


class HarvesterView(TypedDict):
    """The reader's own Harvester; `left` steps to its `target`, `waiting` if it was kept from its last one.

    `ahead` is the next hex on the straight line that was drawn when the target was set.
    """

    q: int
    r: int
    held: int
    target: SeatContext | None
    left: int
    ahead: SeatContext | None
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
    crags: list[SeatContext]
    dust: list[SeatContext]
    contacts: list[ContactView]
    winner: SeatName | None


def views_of(state: State, seats: Sequence[SeatName], events: Sequence[Event]) -> Iterator[tuple[SeatName, GameView]]:
    """Yield the views of some seats, in their order; `events` are all of the turn."""
    writer = _Writer(state)
    told = by_seat(events, seats)
    numbers = {seat: number for number, seat in enumerate(state.seats)}
    for chunk, scans in writer.sensors.chunks([numbers[seat] for seat in seats]):
        found = _Found(writer.sensors, chunk, scans)
        for reader, player in enumerate(chunk):
            seat = state.seats[player]
            yield seat, writer.view(player, told[seat], found.of(reader))


class Findings(NamedTuple):
    """The scans of one reader, in the form of a GameView."""

    scan: list[list[Row]]
    quiet: list[list[int]]
    crags: list[SeatContext]
    dust: list[SeatContext]
    contacts: list[ContactView]


class _Writer:
    """Writer of the views of one state."""

    def __init__(self, state: State) -> None:
        self.state, self.sensors = state, Sensors(state)
        self.points = state.points().tolist()
        self.combat = np.minimum(state.combat(), MOST_HELD).tolist()
        self.held = np.minimum(state.held, MOST_HELD).tolist()
        self.ahead = _ahead(state)
        self.over, self.winner = state.over, state.winner
        self.label = f"the end, after turn {state.turn - 1}" if self.over else f"turn {state.turn}"

    def view(self, player: int, told: list[dict[str, Any]], found: Findings) -> GameView:
        """Return the view of a player."""
        state = self.state
        playing = not state.left[player]
        lost = (state.at[player] == NOWHERE).tolist()
        return GameView(
            seat=state.seats[player],
            label=self.label,
            over=self.over,
            awaited=playing and not self.over,
            events=told,
            turn=state.turn,
            size=state.size,
            harvester=self._harvester(player) if playing else None,
            units=self._units(player),
            lost=[name for name, gone in zip(NAMES, lost, strict=True) if gone and playing and name != "H"],
            building=self._building(player),
            points=self._points(player, playing=playing),
            silent=int(state.silent[player]),
            rulers=[state.seats[ruler] for ruler in forest.above(state.ruler, player)],
            subservients=self._subservients(player),
            scan=found.scan,
            quiet=found.quiet,
            crags=found.crags,
            dust=found.dust,
            contacts=found.contacts,
            winner=self.winner if self.over else None,
        )

    def _harvester(self, player: int) -> HarvesterView:
        state, planet = self.state, self.state.planet
        home, target = int(state.at[player, HARVESTER]), int(state.course[player, 1])
        away = (target - home) % planet.count
        bound = target != NOWHERE
        q, r = self._name(player, home)
        return HarvesterView(
            q=q,
            r=r,
            held=self.held[player],
            target=self._name(player, target) if bound else None,
            left=int(planet.distance[away]) if bound else 0,
            ahead=self._name(player, self.ahead[player]) if bound else None,
            waiting=bool(state.waiting[player]),
        )

    def _units(self, player: int) -> list[UnitView]:
        planet, at = self.state.planet, self.state.at[player]
        away = (at - self.state.origin[player]) % planet.count
        spots = zip(NAMES, at.tolist(), planet.q[away].tolist(), planet.r[away].tolist(), strict=True)
        return [
            UnitView(unit=name, q=q, r=r) for name, cell, q, r in spots if cell != NOWHERE and name != NAMES[HARVESTER]
        ]

    def _name(self, player: int, cell: int) -> SeatContext:
        """Return a hex in a player's coordinates."""
        planet = self.state.planet
        away = (cell - int(self.state.origin[player])) % planet.count
        return [int(planet.q[away]), int(planet.r[away])]

    def _building(self, player: int) -> BuildingView | None:
        slot, turns = self.state.build[player].tolist()
        return None if slot == NOWHERE else BuildingView(unit=NAMES[slot], turns=turns)

    def _points(self, player: int, *, playing: bool) -> PointsView:
        held, combat, total = self.held[player], self.combat[player], self.points[player]
        if not playing:
            held = combat = 0
        return PointsView(held=held, combat=combat, subservients=total - held - combat, total=total)

    def _subservients(self, player: int) -> list[SubservientView]:
        below = self.sensors.subjects.below(player)
        return sorted((self._subservient(player, each) for each in below), key=lambda each: each["seat"])

    def _subservient(self, player: int, each: int) -> SubservientView:
        state = self.state
        q, r = self._name(player, int(state.at[each, HARVESTER]))
        return SubservientView(
            seat=state.seats[each],
            ruler=state.seats[state.ruler[each]],
            points=self.points[each],
            q=q,
            r=r,
            held=self.held[each],
            units=self._crew(player, each),
        )

    def _crew(self, player: int, each: int) -> list[Row]:
        """Return the places of a subservient's defence units, in a ruler's coordinates."""
        kinds: dict[tuple[int, ...], str] = {}
        for slot, cell in enumerate(self.state.at[each].tolist()):
            if slot != HARVESTER and cell != NOWHERE:
                spot = tuple(self._name(player, cell))
                kinds[spot] = kinds.get(spot, "") + KINDS[slot]
        return [[*spot, units] for spot, units in sorted(kinds.items())]


def _ahead(state: State) -> list[int]:
    """Return the next hex on the way of each Harvester that has a target, NOWHERE for the others."""
    bound = np.flatnonzero((state.course[:, 1] != NOWHERE) & (state.at[:, HARVESTER] != NOWHERE))
    (start, target), home = state.course[bound].T, state.at[bound, HARVESTER]
    ahead = np.full(len(state.at), NOWHERE)
    ahead[bound] = state.planet.moved(home, state.planet.heading(start, target, home))
    found: list[int] = ahead.tolist()
    return found


class _Found:
    """The scans of a chunk of players as the lists of their views."""

    def __init__(self, sensors: Sensors, chunk: Sequence[int], scans: Scans) -> None:
        self.readers = len(chunk)
        ground = sensors.state.ground[scans.cell]
        spots = np.stack([scans.q, scans.r], axis=1)
        self.crags = self._listed(spots, scans.reader, ground == CRAGS)
        self.dust = self._listed(spots, scans.reader, ground == DUST)
        facts = _facts(sensors, scans)
        telling = facts[:, 2:].any(axis=1)
        self.scan = [
            self._listed(facts[:, : 8 - band], scans.reader, telling & (scans.band == band) & ~scans.dusty)
            for band in range(1, FARTHEST + 1)
        ]
        self.quiet = [
            self._listed(spots, scans.reader, ~telling & (scans.band == band) & ~scans.dusty)
            for band in range(1, FARTHEST + 1)
        ]
        self.contacts = _contacts(sensors, chunk, scans)

    def of(self, reader: int) -> Findings:
        """Return what one of the readers found."""
        return Findings(
            scan=[_with_words(part.of(reader)) for part in self.scan[:3]] + [part.of(reader) for part in self.scan[3:]],
            quiet=[part.flat(reader) for part in self.quiet],
            crags=self.crags.of(reader),
            dust=self.dust.of(reader),
            contacts=self.contacts.get(reader, []),
        )

    def _listed(self, rows: Ints, readers: Ints, wanted: Flags) -> _Rows:
        return _Rows(rows[wanted], np.searchsorted(readers[wanted], np.arange(self.readers + 1)).tolist())


class _Rows(NamedTuple):
    """Rows of all readers, one after the other, and the bounds of each reader's.

    They become lists one reader at a time: so many lists at once would keep the
    garbage collector busy for longer than all the rest takes.
    """

    rows: Ints
    bounds: list[int]

    def of(self, reader: int) -> list[Row]:
        """Return a reader's rows."""
        rows: list[Row] = self.rows[self.bounds[reader] : self.bounds[reader + 1]].tolist()
        return rows

    def flat(self, reader: int) -> list[int]:
        """Return a reader's rows, all in one list."""
        row: list[int] = self.rows[self.bounds[reader] : self.bounds[reader + 1]].reshape(-1).tolist()
        return row


def _with_words(rows: list[Row]) -> list[Row]:
    for row in rows:
        row[_ENTERED] = _WAYS[row[_ENTERED]]
    return rows


def _facts(sensors: Sensors, scans: Scans) -> Ints:
    """Return q, r and the facts of every scan, those of farther bands first; 0 where the band does not tell them."""
    known = [
        sensors.marked[scans.cell].astype(np.int64),
        sensors.moved(scans.cell),
        sensors.entered(scans.cell),
        sensors.counts[scans.cell],
        sensors.state.resources[scans.cell],
    ]
    # A nearer band tells all that the farther ones tell (ruling 9).
    told = [np.where(scans.band <= FARTHEST - place, fact, 0) for place, fact in enumerate(known)]
    return np.stack([scans.q, scans.r, *told], axis=1)


def _contacts(sensors: Sensors, chunk: Sequence[int], scans: Scans) -> dict[int, list[ContactView]]:
    """Return the units of others in hexes of band 1, by reader, hex and owner's name."""
    near = np.flatnonzero((scans.band == 1) & (sensors.counts[scans.cell] > 0))
    cells, units = sensors.by_cell
    first = np.searchsorted(cells, scans.cell[near], "left")
    number = np.searchsorted(cells, scans.cell[near], "right") - first
    row = np.repeat(near, number)
    unit = units[np.repeat(first - np.cumsum(number) + number, number) + np.arange(len(row))]
    foreign = unit // SLOTS != np.array(chunk)[scans.reader[row]]
    row, unit = row[foreign], unit[foreign]
    seats, tops = sensors.state.seats, forest.tops(sensors.state.ruler)
    spots = zip(*(part[row].tolist() for part in (scans.reader, scans.q, scans.r)), strict=True)
    numbers = {seats[each]: each for each in (unit // SLOTS).tolist()}
    found = sorted((*spot, seats[each // SLOTS], each % SLOTS) for spot, each in zip(spots, unit.tolist(), strict=True))
    contacts: dict[int, list[ContactView]] = {}
    for (reader, q, r, owner), group in groupby(found, key=lambda entry: entry[:4]):
        # On one side are all with the same Harvester at the top, rulers or not (ruling 12).
        side = "friend" if tops[numbers[owner]] == tops[chunk[reader]] else "foe"
        contact = ContactView(q=q, r=r, owner=owner, side=side, units="".join(KINDS[slot] for *_, slot in group))
        contacts.setdefault(reader, []).append(contact)
    return contacts
