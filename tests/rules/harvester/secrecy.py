"""The secrets of Harvester, stated without its views.

A seat knows its own affairs; its rulers; the Harvesters below it, with their
points and what they hold; what the scanners of all these tell, band by
band; and of units close by, whether they are on the reader's side. Everything
else may differ, also the order of the seats and the place of it all on the
planet.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pbem.ruleset import SeatName
from pbem_rules.harvester.state import ARRAYS, NO_COURSE, NOWHERE, State
from pbem_rules.harvester.units import HARVESTER, MOVE, NAMES, SLOTS
from tests.rules.harvester.oracle import SCANNER, Globe, Unit, World

LEFT = 1 << 6
BY_HEX = ("resources", "ground", "traffic")
REACH = 6
"""No unit moves and then scans farther than this from where it stands."""

LASTING = 2
"""Turns in which a Harvester that heads for a mark at the rim of its scanners learns nothing more about it."""

PUBLIC = (
    "drift",
    "edition",
    "size",
    "turn",
)
"""The turn, and the options, which all players know."""


def scramble(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return another world that looks the same to the seat."""
    draft = _Draft(state, seat, rnd)
    draft.resources()
    draft.traffic()
    draft.ground()
    draft.units()
    draft.affairs()
    draft.rule()
    world = draft.world()
    if world.over != state.over:
        return renumbered(state, rnd)
    return _turned(renumbered(world, rnd), rnd)


def elsewhere(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, dict[SeatName, list[str]]]:
    """Return another world beyond the seat's reach, where units move and fight, with the sheets; others near it rest.

    Players that the seat might conquer this turn stay as they are, for the conqueror learns all about them; and no unit
    comes upon the Harvesters of those above the seat, for it would hear of that.
    """
    draft = _Draft(state, seat, rnd)
    sheets, _ = _acts(draft, 1)
    return renumbered(draft.world(), rnd), sheets


def lasting(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, list[dict[SeatName, list[str]]]] | None:
    """Return another world that stays out of the seat's sight for `LASTING` turns, and the sheets of these.

    The seat probes a far mark, by sending its Harvester there. What makes the mark, a
    resource or another Harvester, is not known before a scanner is nearer than
    these turns bring one. None if there is no such mark.
    """
    draft = _Draft(state, seat, rnd)
    mark = draft.far_mark()
    if mark is None:
        return None
    sheets, strangers = _acts(draft, LASTING)
    if strangers and rnd.random() < 0.5:
        draft.put(rnd.choice(strangers), HARVESTER, mark)
        draft.set_resources(mark, 0)
    asking = [
        f"TARGET {draft.name(mark)}",
        *(f"TARGET {draft.name(other)}" for other in sorted(draft.globe.hexes)[::40]),
    ]
    return renumbered(draft.world(), rnd), [{**sheets, seat: asking}, *({seat: asking} for _ in range(1, LASTING))]


def _acts(draft: _Draft, turns: int) -> tuple[dict[SeatName, list[str]], list[int]]:
    """Place others beyond the seat's reach for some turns anywhere else, where they march and fight in the first.

    Returns their sheets, and the players whose Harvesters are that far away.
    """
    state, rnd = draft.state, draft.rnd
    draft.arrays["course"][~draft.is_mine()] = NO_COURSE
    away, movers = draft.beyond(turns)
    taken = {spots[HARVESTER] for spots in draft.spots.values()}
    for spot in away:
        draft.arrays["resources"][draft.globe.number[spot]] = rnd.choice((0, 0, 0, 1, 2))
    sheets: dict[SeatName, list[str]] = {}
    strangers = [number for number in movers if draft.spots[number][HARVESTER] in away]
    for number in movers:
        free = sorted(away - taken)
        if free and number in strangers:
            taken.add(draft.put(number, HARVESTER, rnd.choice(free)))
        sheets[state.seats[number]] = _marches(draft, number, sorted(away), rnd) if away else []
    return sheets, strangers


def _marches(draft: _Draft, number: int, away: Sequence[tuple[int, int]], rnd: random.Random) -> list[str]:
    """Move distant units, lose or restore some, and return marches that stay at that distance."""
    lines = []
    for slot in range(1, SLOTS):
        here = draft.spots[number].get(slot)
        if here is not None and here not in away:
            continue
        if rnd.random() < 0.2:
            draft.drop(number, slot)
            continue
        here = draft.put(number, slot, rnd.choice(away))
        path = []
        for _ in range(int(MOVE[slot])):
            ways = [way for way, spot in draft.globe.near[here].items() if spot in away]
            if not ways:
                break
            path.append(rnd.choice(ways))
            here = draft.globe.near[here][path[-1]]
        if path:
            lines.append(f"MOVE {NAMES[slot]} {' '.join(path)}")
    return lines


@dataclass
class _Draft:
    """A world that is altered where the seat does not see it."""

    state: State
    seat: SeatName
    rnd: random.Random
    arrays: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        state = self.state
        self.arrays = {name: getattr(state, name).copy() for name in ARRAYS}
        self.globe, self.old = Globe(state.size), World.of(state)
        self.bands, self.dusty = self.old.bands(self.seat)
        self.above = set(self.old.above(self.seat))
        self.mine = {each for each in state.seats if each == self.seat or self.seat in self.old.above(each)}
        self.spots: dict[int, dict[int, tuple[int, int]]] = {
            number: {slot: self.globe.spot[at] for slot, at in enumerate(row) if at != NOWHERE}
            for number, row in enumerate(state.at.tolist())
            if not state.left[number]
        }

    def is_mine(self) -> Any:
        """Return a flag for the seat and each one below it."""
        return np.array([each in self.mine for each in self.state.seats])

    def others(self) -> list[int]:
        """Return all others still in play."""
        return [number for number in self.spots if self.state.seats[number] not in self.mine]

    def put(self, number: int, slot: int, spot: tuple[int, int]) -> tuple[int, int]:
        """Place a unit."""
        self.arrays["at"][number, slot] = self.globe.number[spot]
        self.spots[number][slot] = spot
        return spot

    def drop(self, number: int, slot: int) -> None:
        """Destroy a unit."""
        self.arrays["at"][number, slot] = NOWHERE
        self.spots[number].pop(slot, None)

    def world(self) -> State:
        """Return the altered state."""
        return dataclasses.replace(self.state, **self.arrays)

    def name(self, spot: tuple[int, int]) -> str:
        """Return a hex as the seat writes it."""
        planet = self.state.planet
        origin = int(self.state.origin[self.state.seats.index(self.seat)])
        offset = (self.globe.number[spot] - origin) % planet.count
        return f"{planet.q[offset]},{planet.r[offset]}"

    def far_mark(self) -> tuple[int, int] | None:
        """Return a mark in band 5 that is a resource without units, if the Harvester may be sent to it."""
        number = self.state.seats.index(self.seat)
        if self.state.over or number not in self.spots or self.state.course[number, 1] != NOWHERE:
            return None
        rim = self.globe.around(self.spots[number][HARVESTER], 5)
        held = {unit.spot for unit in self.old.units}
        marks = (spot for spot in sorted(rim) if self.band(spot) == 5 and self._marked(spot) and spot not in held)
        return next(marks, None)

    def set_resources(self, spot: tuple[int, int], amount: int) -> None:
        """Set the resources of a hex."""
        self._set("resources", spot, amount)

    def band(self, spot: tuple[int, int]) -> int:
        """Return the band, 1 to 5, or 6 where nothing is told."""
        return self.bands.get(spot, 6)

    # -- what scanners do not tell

    def resources(self) -> None:
        """Fill unseen hexes with anything; give marked ones anything that keeps the mark."""
        for spot in self.globe.hexes:
            if self.band(spot) == 6:
                self._set("resources", spot, self.rnd.choice((0, 0, 0, 1, 2, 3)))
            elif self.band(spot) > 1 and self._marked(spot):
                self._set("resources", spot, self.rnd.randint(1, 4))

    def _marked(self, spot: tuple[int, int]) -> bool:
        return bool(self.old.facts(spot, 5)[0])

    def _set(self, name: str, spot: tuple[int, int], value: int) -> None:
        self.arrays[name][self.globe.number[spot]] = value

    def traffic(self) -> None:
        """Change movement that scanners do not tell: entries show up to band 3, movement as such in band 4."""
        for spot in self.globe.hexes:
            was = int(self.state.traffic[self.globe.number[spot]])
            if self.band(spot) >= 5:
                self._set("traffic", spot, self.rnd.choice((0, 0, 1, 36, LEFT)))
            elif self.band(spot) == 4 and was:
                self._set("traffic", spot, self.rnd.choice((1, 36, LEFT, LEFT | 8)))
            elif was & ~LEFT:
                self._set("traffic", spot, was & ~LEFT | self.rnd.choice((0, LEFT)))

    def ground(self) -> None:
        """Change the ground beyond all scanners, and crags that dust hides."""
        within: set[tuple[int, int]] = set()
        for unit in self.old.units:
            if unit.owner in self.mine:
                within |= self.globe.around(unit.spot, SCANNER[unit.kind]).keys()
        for spot in self.globe.hexes:
            if spot not in within:
                self._set("ground", spot, self.rnd.choice((0, 0, 1, 2)))
            elif self.band(spot) == 6 and spot not in self.dusty and self.old.ground[spot] != 2:
                self._set("ground", spot, self.rnd.choice((0, 1)))

    def units(self) -> None:
        """Place others' units that are not close by anywhere, in any number, but as many as band 2 counts."""
        loose = [(number, slot) for number in self.others() for slot in range(SLOTS) if self._is_loose(number, slot)]
        quota = {spot: 0 for spot, band in self.bands.items() if band == 2}
        for number, slot in loose:
            spot = self.spots[number].pop(slot, None)
            if spot in quota:
                quota[spot] += 1
            self.arrays["at"][number, slot] = NOWHERE
        self._place_harvesters([number for number, slot in loose if slot == HARVESTER], quota)
        units = [(number, slot) for number, slot in loose if slot != HARVESTER]
        self.rnd.shuffle(units)
        for spot, count in quota.items():
            for _ in range(count):
                self.put(*units.pop(), spot)
        anywhere = [spot for spot in self.globe.hexes if self.band(spot) > 2]
        for number, slot in units:
            if anywhere and self.rnd.random() < 0.7:
                self.put(number, slot, self.rnd.choice(anywhere))

    def _is_loose(self, number: int, slot: int) -> bool:
        spot = self.spots[number].get(slot)
        return spot is None or self.band(spot) > 1

    def _place_harvesters(self, players: list[int], quota: dict[tuple[int, int], int]) -> None:
        """Place Harvesters where nothing is told, or on a mark, which they may be the reason for."""
        taken = {spots.get(HARVESTER) for spots in self.spots.values()}
        for number in players:
            free = [spot for spot in self.globe.hexes if spot not in taken and self._may_hide(spot, quota)]
            spot = self.put(number, HARVESTER, self.rnd.choice(free))
            taken.add(spot)
            if spot in quota:
                quota[spot] -= 1
            if self.band(spot) > 1:
                self._set("resources", spot, self.rnd.choice((0, 1, 2)))

    def _may_hide(self, spot: tuple[int, int], quota: Mapping[tuple[int, int], int]) -> bool:
        band = self.band(spot)
        return band == 6 or (band > 1 and self._marked(spot) and quota.get(spot, 1) > 0)

    # -- others' affairs

    def affairs(self) -> None:
        """Change what others hold, build, aim at and miss; what those below hold stays, as their points are known."""
        rnd = self.rnd
        for number, seat in enumerate(self.state.seats):
            if seat == self.seat or number not in self.spots:
                continue
            if seat not in self.mine:
                self.arrays["held"][number] = rnd.randint(0, 20)
            self.arrays["origin"][number] = rnd.randrange(self.state.planet.count)
            self.arrays["silent"][number] = rnd.randint(0, 5)
            self.arrays["waiting"][number] = rnd.randint(0, 1)
            at = self.arrays["at"][number]
            bound = rnd.randrange(self.state.planet.count) if rnd.random() < 0.5 else at[HARVESTER]
            self.arrays["course"][number] = NO_COURSE if bound == at[HARVESTER] else (at[HARVESTER], bound)
            lost = [slot for slot in range(1, SLOTS) if at[slot] == NOWHERE]
            busy = lost and rnd.random() < 0.5
            self.arrays["build"][number] = (rnd.choice(lost), rnd.randint(1, 4)) if busy else (NOWHERE, 0)

    def rule(self) -> None:
        """Give those neither above nor below the seat any ruler or none, except one below it.

        For those with units close by it is known whether they are on the seat's side.
        """
        friends = [number for number in self.others() if self.state.seats[number] in self.above]
        foes: list[int] = []
        for number in self.others():
            if self.state.seats[number] in self.above:
                continue
            friendly = self._is_friend(number) if self._is_near(number) else self.rnd.random() < 0.4
            if friendly and friends:
                self.arrays["ruler"][number] = self.rnd.choice(friends)
                friends.append(number)
            else:
                self.arrays["ruler"][number] = self.rnd.choice([NOWHERE, NOWHERE, *foes])
                foes.append(number)

    def _is_friend(self, number: int) -> bool:
        return self.old.side(self.state.seats[number]) == self.old.side(self.seat)

    def _is_near(self, number: int) -> bool:
        """Return True if a unit of the player is in band 1, which shows its owner."""
        return any(self.band(spot) == 1 for spot in self.spots[number].values())

    # -- what is out of reach

    def beyond(self, turns: int) -> tuple[set[tuple[int, int]], list[int]]:
        """Return the hexes that no player whom the seat may meet can reach, and the players that may act there.

        For more turns than one, only Harvesters move.
        """
        exposed = {
            self.state.seats[number]
            for number, spots in self.spots.items()
            if any(self._reaches(unit, spots[HARVESTER]) for unit in self.old.units if unit.owner in self.mine)
        }
        known = self.mine | exposed | {each for each in self.state.seats if exposed & set(self.old.above(each))}
        away = set(self.globe.hexes)
        for unit in self.old.units:
            if unit.owner in known:
                away -= self.globe.around(unit.spot, REACH + turns - 1).keys()
        away -= {spots[HARVESTER] for number, spots in self.spots.items() if self.state.seats[number] in self.above}
        return away, [number for number in self.others() if self.state.seats[number] not in known | self.above]

    def _reaches(self, unit: Unit, spot: tuple[int, int]) -> bool:
        """Return True if a unit might reach a hex this turn."""
        return spot in self.globe.around(unit.spot, int(MOVE[NAMES.index(unit.name)]))


def renumbered(state: State, rnd: random.Random) -> State:
    """Return the same world with its players in another order."""
    order = list(range(len(state.seats)))
    rnd.shuffle(order)
    arrays = {name: getattr(state, name)[order] for name in ARRAYS if name not in BY_HEX}
    place = {old: new for new, old in enumerate(order)} | {NOWHERE: NOWHERE}
    arrays["ruler"] = np.array([place[ruler] for ruler in arrays["ruler"].tolist()])
    return dataclasses.replace(state, seats=tuple(state.seats[old] for old in order), **arrays)


def _turned(state: State, rnd: random.Random) -> State:
    """Return the same world somewhere else on the planet."""
    count = state.planet.count
    by = rnd.randrange(count)
    shifted: dict[str, Any] = {
        name: np.where(getattr(state, name) == NOWHERE, NOWHERE, (getattr(state, name) + by) % count)
        for name in ("at", "course", "origin")
    }
    shifted["standoffs"] = tuple((cell + by) % count for cell in state.standoffs)
    return dataclasses.replace(state, **shifted, **{name: np.roll(getattr(state, name), by) for name in BY_HEX})
