"""A slow model of Harvester: one object for each unit, one dictionary entry for each hex.

Written from the rulebook and not from the arrays, to be compared with them.
Only the numbers of hexes are the same, so that states can be compared.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from pbem.ruleset import SeatName
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester.state import CRAGS, DUST, State

WAYS = {"E": (1, 0), "NE": (1, -1), "NW": (0, -1), "W": (-1, 0), "SW": (-1, 1), "SE": (0, 1)}
"""Counter-clockwise from the east."""

BACK = {"E": "W", "NE": "SW", "NW": "SE", "W": "E", "SW": "NE", "SE": "NW"}
SCANNER = {"H": 5, "G": 4, "L": 3, "S": 2, "C": 1}
COMBAT = {"H": 0, "G": 4, "L": 3, "S": 2, "C": 1}
UNITS = ("H", "G", "L1", "L2", "S1", "S2", "S3", "C1", "C2", "C3", "C4")


class Globe:
    """A hexagon of hexes whose sides are joined, hex by hex."""

    def __init__(self, size: int) -> None:
        radius = size - 1
        span = range(-radius, radius + 1)
        self.radius = radius
        self.hexes = [(q, r) for q in span for r in span if abs(q + r) <= radius]
        turned = [(2 * radius + 1, -radius)]
        while len(turned) < 6:
            q, r = turned[-1]
            turned.append((-r, q + r))
        self.copies = [(0, 0), *turned]
        self.number = {spot: (spot[0] - (3 * radius + 1) * spot[1]) % len(self.hexes) for spot in self.hexes}
        self.spot = {number: spot for spot, number in self.number.items()}
        self.near = {
            spot: {way: self.wrap(spot[0] + q, spot[1] + r) for way, (q, r) in WAYS.items()} for spot in self.hexes
        }

    def wrap(self, q: int, r: int) -> Hex:
        """Return the hex of coordinates at most a planet's width away."""
        for dq, dr in self.copies:
            if max(abs(q + dq), abs(r + dr), abs(q + dq + r + dr)) <= self.radius:
                return q + dq, r + dr
        raise AssertionError((q, r))

    def around(self, centre: Hex, radius: int) -> dict[Hex, int]:
        """Return the hexes within a radius, with their distance, by walking."""
        found, edge = {centre: 0}, [centre]
        for distance in range(1, radius + 1):
            edge = [spot for here in edge for spot in self.near[here].values() if spot not in found]
            found.update(dict.fromkeys(edge, distance))
            edge = list(dict.fromkeys(edge))
        return found

    def line(self, start: Hex, end: Hex) -> list[Hex]:
        """Return the hexes from one to another, both included, each the nearest to the straight line."""
        q, r = self._apart(start, end)
        length = max(abs(q), abs(r), abs(q + r))
        here, path = (0, 0), [start]
        for done in range(1, length + 1):
            ideal = Fraction(q * done, length), Fraction(r * done, length)
            ahead = [(here[0] + dq, here[1] + dr) for dq, dr in WAYS.values()]
            ahead = [spot for spot in ahead if _length(q - spot[0], r - spot[1]) == length - done]
            best = min(_off(spot, ideal) for spot in ahead)
            nearest = [spot for spot in ahead if _off(spot, ideal) == best]
            here = nearest[0] if len(nearest) == 1 else _leftmost(nearest)
            path.append(self.wrap(start[0] + here[0], start[1] + here[1]))
        return path

    def _apart(self, start: Hex, end: Hex) -> Hex:
        q, r = end[0] - start[0], end[1] - start[1]
        return next(
            (q + dq, r + dr)
            for dq, dr in [
                *self.copies,
                *((-a, -b) for a, b in self.copies),
                *((a + c, b + d) for a, b in self.copies for c, d in self.copies),
            ]
            if max(abs(q + dq), abs(r + dr), abs(q + dq + r + dr)) <= self.radius
        )


def _length(q: int, r: int) -> int:
    return max(abs(q), abs(r), abs(q + r))


def _off(spot: Hex, ideal: tuple[Fraction, Fraction]) -> Fraction:
    """Return the square of the distance on paper, up to a factor."""
    q, r = spot[0] - ideal[0], spot[1] - ideal[1]
    return q * q + q * r + r * r


def _leftmost(spots: list[Hex]) -> Hex:
    """Return the one of two hexes that lies counter-clockwise of the other, as seen from the start."""
    (aq, ar), (bq, br) = spots
    return spots[0] if aq * br - ar * bq > 0 else spots[1]


@dataclass
class Unit:
    """A unit and its hex; `was` is its hex before the impulse."""

    owner: SeatName
    name: str
    spot: Hex
    was: Hex
    path: list[str] = field(default_factory=list)
    way: str = ""

    @property
    def kind(self) -> str:
        return self.name[0]


@dataclass
class World:
    """A state as objects."""

    globe: Globe
    units: list[Unit]
    rulers: dict[SeatName, SeatName]
    resources: dict[Hex, int]
    ground: dict[Hex, int]
    entered: dict[Hex, set[str]]
    left: set[Hex]
    _lot: Callable[[SeatName], int] = lambda seat: 0

    @classmethod
    def of(cls, state: State) -> World:
        """Return the world of a state."""
        globe = Globe(state.size)
        units = [
            Unit(seat, name, globe.spot[at], globe.spot[at])
            for seat, row in zip(state.seats, state.at.tolist(), strict=True)
            for name, at in zip(UNITS, row, strict=True)
            if at >= 0
        ]
        rulers = {
            seat: state.seats[above]
            for seat, above in zip(state.seats, state.ruler.tolist(), strict=True)
            if above >= 0
        }
        by_number = {globe.spot[number]: number for number in range(len(globe.hexes))}
        traffic = {spot: int(state.traffic[number]) for spot, number in by_number.items()}
        return cls(
            globe,
            units,
            rulers,
            {spot: int(state.resources[number]) for spot, number in by_number.items()},
            {spot: int(state.ground[number]) for spot, number in by_number.items()},
            {spot: {way for bit, way in enumerate(WAYS) if bits >> bit & 1} for spot, bits in traffic.items()},
            {spot for spot, bits in traffic.items() if bits >> 6},
        )

    def above(self, seat: SeatName) -> list[SeatName]:
        """Return the rulers of a seat, the direct ruler first."""
        chain = []
        while seat in self.rulers:
            seat = self.rulers[seat]
            chain.append(seat)
        return chain

    def side(self, seat: SeatName) -> SeatName:
        """Return the top of a seat's chain."""
        return [seat, *self.above(seat)][-1]

    # -- scanners

    def bands(self, seat: SeatName) -> tuple[dict[Hex, int], set[Hex]]:
        """Return the nearest band of every hex in a seat's report, and the dust fields seen from outside."""
        bands: dict[Hex, int] = {}
        for unit in self.units:
            if unit.owner == seat or seat in self.above(unit.owner):
                for spot, distance in self.globe.around(unit.spot, SCANNER[unit.kind]).items():
                    if self._visible(unit.spot, spot, distance):
                        bands[spot] = min(bands.get(spot, 5), max(distance, 1))
        dusty = {spot for spot, band in bands.items() if band > 1 and self.ground[spot] == DUST}
        return {spot: band for spot, band in bands.items() if spot not in dusty}, dusty

    def _visible(self, start: Hex, end: Hex, distance: int) -> bool:
        return distance <= 1 or all(self.ground[spot] != DUST for spot in self.globe.line(start, end)[:-1])

    def facts(self, spot: Hex, band: int) -> list[object]:
        """Return what a band tells of a hex: marked, moved, entered, number, resources, as far as it goes."""
        here = [unit for unit in self.units if unit.spot == spot]
        marked = self.resources[spot] > 0 or any(unit.kind == "H" for unit in here)
        moved = bool(self.entered[spot]) or spot in self.left
        entered = " ".join(way for way in WAYS if way in self.entered[spot])
        return [int(marked), int(moved), entered, len(here), self.resources[spot]][: 6 - band]

    # -- movement

    def march(self, paths: Mapping[tuple[SeatName, str], Iterable[str]], lot: Callable[[int, SeatName], int]) -> None:
        """Play the four impulses of a turn."""
        self.entered, self.left = {spot: set() for spot in self.globe.hexes}, set()
        for unit in self.units:
            unit.path = list(paths.get((unit.owner, unit.name), ()))
        for number in range(1, 5):
            self._impulse(number, lot)

    def _impulse(self, number: int, lot: Callable[[int, SeatName], int]) -> None:
        self._lot = functools.partial(lot, number)
        self._stand()
        sides = self._by_side()
        for unit in self.units:
            unit.was, unit.way = unit.spot, unit.path.pop(0) if unit.path else ""
        self._hold_back()
        conquests: dict[SeatName, tuple[SeatName, int]] = {}
        dead = self._borders(sides, conquests)
        for unit in dead:
            self._wreck(unit)
        for unit in self.units:
            unit.spot = self._aim(unit)
        self._undo_ties(sides)
        for unit in self.units:
            if unit.way:
                self.left.add(unit.was)
                self.entered[unit.spot].add(BACK[unit.way])
        for unit in self._beaten(self._gathered(self.units, lambda unit: unit.spot), sides, conquests):
            self._wreck(unit)
        self._conquer(conquests)

    def _by_side(self) -> dict[SeatName, SeatName]:
        return {unit.owner: self.side(unit.owner) for unit in self.units}

    def _stand(self) -> None:
        """Judge enemies who are together already, as long as that decides anything (ruling 14)."""
        for _ in {unit.owner for unit in self.units}:
            conquests: dict[SeatName, tuple[SeatName, int]] = {}
            dead = self._beaten(self._gathered(self.units, lambda unit: unit.spot), self._by_side(), conquests)
            if not dead and not conquests:
                return
            for unit in dead:
                self._wreck(unit)
            self._conquer(conquests)

    def _undo_ties(self, sides: dict[SeatName, SeatName]) -> None:
        while tied := [
            unit
            for there in self._gathered(self.units, lambda unit: unit.spot)
            if self._strongest(there, sides) is None
            for unit in there
            if unit.way
        ]:
            for unit in tied:
                self._halt(unit)
                unit.spot = unit.was

    def _conquer(self, conquests: dict[SeatName, tuple[SeatName, int]]) -> None:
        for victim in sorted(conquests, key=lambda seat: (-conquests[seat][1], self._lot(seat))):
            conqueror, _ = conquests[victim]
            if self.side(victim) != self.side(conqueror):
                self.rulers[victim] = conqueror

    def _aim(self, unit: Unit) -> Hex:
        return self.globe.near[unit.was][unit.way] if unit.way else unit.was

    def _halt(self, unit: Unit) -> None:
        unit.way, unit.path = "", []

    def _wreck(self, unit: Unit) -> None:
        self.units.remove(unit)
        self.resources[unit.spot] += SCANNER[unit.kind]

    def _hold_back(self) -> None:
        for unit in self.units:
            if unit.way and unit.kind in "HGL" and self.ground[self._aim(unit)] == CRAGS:
                self._halt(unit)
        parked = {unit.was for unit in self.units if unit.kind == "H"}
        for unit in self.units:
            if unit.way and unit.kind == "H" and self._aim(unit) in parked:
                self._halt(unit)
        self._bar()
        self._draw_lots()

    def _draw_lots(self) -> None:
        driving = [unit for unit in self.units if unit.kind == "H" and unit.way]
        losers = []
        for unit in driving:
            rivals = [other for other in driving if self._aim(other) == self._aim(unit) and other.was != unit.was]
            if any(self._lot(other.owner) < self._lot(unit.owner) for other in rivals):
                losers.append(unit)
        for unit in losers:
            self._halt(unit)

    def _bar(self) -> None:
        held: dict[Hex, set[SeatName]] = defaultdict(set)
        for unit in self.units:
            held[unit.was].add(unit.owner)
            held[self._aim(unit)].add(unit.owner)
        barred = [unit for unit in self.units if unit.way and held[self._aim(unit)] & set(self.above(unit.owner))]
        for unit in barred:
            self._halt(unit)

    def _borders(self, sides: dict[SeatName, SeatName], conquests: dict[SeatName, tuple[SeatName, int]]) -> list[Unit]:
        crossing = [unit for unit in self.units if unit.way]
        meetings = [
            there
            for there in self._gathered(
                crossing, lambda unit: frozenset({(unit.was, unit.way), (self._aim(unit), BACK[unit.way])})
            )
            if len({unit.way for unit in there}) == 2
        ]
        dead = self._beaten(meetings, sides, conquests)
        for there in meetings:
            best = self._strongest(there, sides)
            for unit in there:
                if len({sides[each.owner] for each in there}) > 1 and best != sides[unit.owner]:
                    self._halt(unit)
        return dead

    def _gathered(self, units: Iterable[Unit], place: Callable[[Unit], object]) -> list[list[Unit]]:
        places: dict[object, list[Unit]] = defaultdict(list)
        for unit in units:
            places[place(unit)].append(unit)
        return list(places.values())

    def _strongest(self, there: list[Unit], sides: dict[SeatName, SeatName]) -> SeatName | None:
        """Return the side with the highest total; None for a tie."""
        totals: dict[SeatName, int] = defaultdict(int)
        for unit in there:
            totals[sides[unit.owner]] += COMBAT[unit.kind]
        best = max(totals.values())
        leaders = [side for side, total in totals.items() if total == best]
        return leaders[0] if len(leaders) == 1 else None

    def _beaten(
        self, places: list[list[Unit]], sides: dict[SeatName, SeatName], conquests: dict[SeatName, tuple[SeatName, int]]
    ) -> list[Unit]:
        """Return the defence units that fall, and record the Harvesters that are conquered."""
        dead = []
        for there in places:
            best = self._strongest(there, sides)
            losers = [unit for unit in there if best is not None and sides[unit.owner] != best]
            for unit in losers:
                self._stop_for_good(unit)
                if unit.kind == "H":
                    conquests[unit.owner] = self._conqueror(there, sides, best)
                else:
                    dead.append(unit)
        return dead

    def _stop_for_good(self, unit: Unit) -> None:
        unit.path = []

    def _conqueror(
        self, there: list[Unit], sides: dict[SeatName, SeatName], best: SeatName | None
    ) -> tuple[SeatName, int]:
        might: dict[SeatName, int] = defaultdict(int)
        for unit in there:
            if sides[unit.owner] == best:
                might[unit.owner] += COMBAT[unit.kind]
        first = min(might, key=lambda seat: (-might[seat], len(self.above(seat)), self._lot(seat)))
        return first, sum(might.values())
