"""Views: what a player of Harvester may know, as plain JSON data, made in one pass for all.

Coordinates are the reader's own: (0, 0) is the hex where its Harvester started, for good,
q grows to the east and r to the south-east, and every hex is written as near to
(0, 0) as it can be. So a hex keeps its name (ruling 15).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypedDict

import numpy as np

from pbem.ruleset import Event, SeatName
from pbem_rules.harvester import forest
from pbem_rules.harvester.events import by_seat
from pbem_rules.harvester.planet import DIRECTIONS, Ints
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
        self.over, self.winner = state.over, state.winner
        self.label = f"the end, after turn {state.turn - 1}" if self.over else f"turn {state.turn}"
        planet, target = state.planet, state.course[:, 1]
        self.steps = planet.distance[(target - state.at[:, HARVESTER]) % planet.count].tolist()
        # Of all players at once: each by itself takes longer.
        places = np.column_stack([state.at, target, _ahead(state)])
        away = (places - state.origin[:, None]) % planet.count
        self.q, self.r, self.placed = planet.q[away].tolist(), planet.r[away].tolist(), (places != NOWHERE).tolist()

    def view(self, player: int, told: Iterable[Event], found: Findings) -> GameView:
        """Return the view of a player."""
        state = self.state
        playing = not state.left[player]
        spots = zip(self.q[player], self.r[player], self.placed[player], strict=True)
        home, *guards, target, ahead = ([q, r] if placed else None for q, r, placed in spots)
        units = list(zip(NAMES[1:], guards, strict=True))
        return GameView(
            seat=state.seats[player],
            label=self.label,
            over=self.over,
            awaited=playing and not self.over,
            events=[{"kind": event.kind, **event.data} for event in told],
            turn=state.turn,
            size=state.size,
            harvester=self._harvester(player, home, target, ahead) if home else None,
            units=[UnitView(unit=name, q=spot[0], r=spot[1]) for name, spot in units if spot],
            lost=[name for name, spot in units if playing and not spot],
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

    def _harvester(
        self, player: int, home: SeatContext, target: SeatContext | None, ahead: SeatContext | None
    ) -> HarvesterView:
        return HarvesterView(
            q=home[0],
            r=home[1],
            held=self.held[player],
            target=target,
            left=self.steps[player] if target else 0,
            ahead=ahead,
            waiting=bool(self.state.waiting[player]),
        )

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


def _ahead(state: State) -> Ints:
    """Return the next hex on the way of each Harvester that has a target, NOWHERE for the others."""
    bound = np.flatnonzero((state.course[:, 1] != NOWHERE) & (state.at[:, HARVESTER] != NOWHERE))
    (start, target), home = state.course[bound].T, state.at[bound, HARVESTER]
    ahead = np.full(len(state.at), NOWHERE)
    ahead[bound] = state.planet.moved(home, state.planet.heading(start, target, home))
    return ahead


class _Found:
    """The scans of a chunk of players as the lists of their views."""

    def __init__(self, sensors: Sensors, chunk: Sequence[int], scans: Scans) -> None:
        readers, ground = len(chunk), sensors.state.ground[scans.cell]
        spots, places = np.stack([scans.q, scans.r], axis=1), scans.reader * FARTHEST + scans.band - 1
        telling = scans.band <= sensors.telling[scans.cell]
        told, quiet = telling & ~scans.dusty, ~telling & ~scans.dusty
        facts = np.column_stack([spots[told], *sensors.facts(scans.cell[told])])
        self.scan = _Rows(facts, places[told], readers * FARTHEST)
        self.quiet = _Rows(spots[quiet].reshape(-1), np.repeat(places[quiet], 2), readers * FARTHEST)
        self.crags, self.dust = (
            _Rows(spots[ground == kind], scans.reader[ground == kind], readers) for kind in (CRAGS, DUST)
        )
        self.contacts = _contacts(sensors, np.array(chunk), scans)

    def of(self, reader: int) -> Findings:
        """Return what one of the readers found."""
        bands = [(band, reader * FARTHEST + band - 1) for band in range(1, FARTHEST + 1)]
        # A nearer band tells all that the farther ones tell (ruling 9).
        scan: list[list[Row]] = [self.scan.at(place)[:, : 3 + FARTHEST - band].tolist() for band, place in bands]
        for row in chain(*scan[:3]):
            row[_ENTERED] = _WAYS[row[_ENTERED]]
        return Findings(
            scan=scan,
            quiet=[self.quiet.at(place).tolist() for _, place in bands],
            crags=self.crags.at(reader).tolist(),
            dust=self.dust.at(reader).tolist(),
            contacts=self.contacts.get(reader, []),
        )


class _Rows:
    """Rows of numbered places, one after the other; `places` has the place of each row, in ascending order.

    They become lists one reader at a time: so many lists at once would keep the
    garbage collector busy for longer than all the rest takes.
    """

    def __init__(self, rows: Ints, places: Ints, count: int) -> None:
        self.rows, self.bounds = rows, np.searchsorted(places, np.arange(count + 1)).tolist()

    def at(self, place: int) -> Ints:
        """Return the rows of a place."""
        return self.rows[self.bounds[place] : self.bounds[place + 1]]


def _contacts(sensors: Sensors, chunk: Ints, scans: Scans) -> dict[int, list[ContactView]]:
    """Return the units of others in hexes of band 1, by reader, hex and owner's name."""
    near = np.flatnonzero((scans.band == 1) & (sensors.counts[scans.cell] > 0))
    number = sensors.counts[scans.cell[near]]
    scan = np.repeat(near, number)
    unit = sensors.units[np.repeat(sensors.ends[scans.cell[near]] - np.cumsum(number), number) + np.arange(len(scan))]
    foreign = unit // SLOTS != chunk[scans.reader[scan]]
    scan, unit = scan[foreign], unit[foreign]
    owner, kinds = unit // SLOTS, "".join(KINDS[slot] for slot in (unit % SLOTS).tolist())
    # On one side are all with the same Harvester at the top, rulers or not (ruling 12).
    friends = sensors.tops[owner] == sensors.tops[chunk[scans.reader[scan]]]
    first = np.flatnonzero((np.diff(scan, prepend=-1) != 0) | (np.diff(owner, prepend=-1) != 0))
    columns = (*(part[scan] for part in (scans.reader, scans.q, scans.r)), owner, friends)
    contacts: dict[int, list[ContactView]] = {}
    ends = [*first.tolist(), len(kinds)][1:]
    for start, end, reader, q, r, seat, friend in zip(
        first.tolist(), ends, *(part[first].tolist() for part in columns), strict=True
    ):
        contact = ContactView(
            q=q, r=r, owner=sensors.state.seats[seat], side="friend" if friend else "foe", units=kinds[start:end]
        )
        contacts.setdefault(reader, []).append(contact)
    return contacts
