"""Movement in four impulses, and the fights that result (rulings 4, 5 and 8)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import islice

import numpy as np

from pbem_rules.harvester import forest
from pbem_rules.harvester.combat import Battle, Conquest, among, conquer, contested, first_slot
from pbem_rules.harvester.orders import Move
from pbem_rules.harvester.planet import NAMES, Ints
from pbem_rules.harvester.play import Play
from pbem_rules.harvester.state import CRAGS, LEFT_BIT, NO_COURSE, NOWHERE
from pbem_rules.harvester.units import HARVESTER, MOVE, NIMBLE, SLOT, SLOTS
from pbem_rules.harvester.units import NAMES as UNIT_NAMES

IMPULSES = 4
STAY = -1
_WAYS = {name: way for way, name in enumerate(NAMES)}

# Bits of a step in the code of a path.
_BITS = 3


def move(play: Play) -> None:
    """Move all units, in four impulses."""
    march = _March(play)
    for impulse in range(IMPULSES):
        play.impulse = impulse
        march.take(impulse)


class _March:
    """The units of all players in one row: unit u is slot u mod SLOTS of player u div SLOTS."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.cells = play.at.reshape(-1)
        self.owner = np.arange(len(self.cells)) // SLOTS
        self.slot = np.arange(len(self.cells)) % SLOTS
        self.clumsy = ~NIMBLE[self.slot]
        self.paths = self._paths()
        self.halted = np.zeros(len(self.cells), bool)
        self.conquests: dict[int, Conquest] = {}
        self._take_sides()

    def _paths(self) -> Ints:
        """Return the direction of every unit in every impulse."""
        play = self.play
        paths = np.full((len(self.cells), IMPULSES), STAY)
        units, codes = list[int](), list[int]()
        for player, order in play.orders(Move):
            units.append(player * SLOTS + SLOT[order.unit])
            codes.append(_code(order.steps))
        paths[units] = (np.array(codes, np.int64)[:, None] >> _BITS * np.arange(IMPULSES) & (1 << _BITS) - 1) + STAY
        # Each unit takes as many steps as it moves, one in each impulse.
        paths[np.arange(IMPULSES) >= MOVE[self.slot, None]] = STAY
        # A Harvester steps in the first impulse (ruling 5).
        bound = np.flatnonzero(play.course[:, 0] != NOWHERE)
        start, target = play.course[bound].T
        paths[bound * SLOTS, 0] = play.planet.heading(start, target, play.home[bound])
        return paths

    def take(self, number: int) -> None:
        """Take one step with all units, then judge every hex."""
        self._meet_where_they_stand()
        self.ways = self.paths[:, number]
        self.going = (self.cells != NOWHERE) & ~self.halted & (self.ways != STAY)
        self.aims = np.where(self.going, self.play.planet.moved(self.cells, np.maximum(self.ways, 0)), self.cells)
        self.conquests = {}
        start = self.play.home.copy()
        self._hold_back()
        fallen = self._meet_on_borders()
        self.play.wreck(fallen)
        fallen = self._meet_in_hexes()
        self._pass(fallen)
        self._conquer()
        if number == 0:
            self._arrive(start)

    def _take_sides(self) -> None:
        """Find the side of every player and unit, by the top of the player's chain."""
        tops = forest.tops(self.play.ruler)
        self.tops, self.sides = tops.tolist(), tops[self.owner]

    # -- enemies who are together already

    def _meet_where_they_stand(self) -> None:
        """Judge enemies left in one hex before any unit takes a step, until none are new (ruling 14).

        A conquest may make enemies of others who stand together. Each round has one at
        least, so there are no more rounds than players.
        """
        for _ in self.play.state.seats:
            alive = np.flatnonzero(self.cells != NOWHERE)
            battles = self._judge(alive, self.cells[alive])
            # Equals that stand together are told of each other once (ruling 14).
            known = set(self.play.standoffs)
            self.play.standoffs = tuple(place for place, battle in battles.items() if battle.victor is None)
            self.conquests = {}
            for place, battle in battles.items():
                if battle.victor is not None or place not in known:
                    self._fight(battle, place)
            if len(battles) == len(self.play.standoffs):
                return
            self.play.wreck(self._fallen(battles.values()))
            self._conquer()

    # -- steps that are not taken

    def _hold_back(self) -> None:
        crags = self.play.state.ground[self.aims] == CRAGS
        self._block(np.flatnonzero(self.going & self.clumsy & crags), "crags")
        self._block(self._occupied(), "harvester")
        # A Harvester barred by a ruler's unit draws no lot for the hex (ruling 8).
        self._block(self._barred(), "ruler")
        self._block(self._outdrawn(), "harvester")

    def _block(self, units: Ints, why: str) -> None:
        self._stop(units)
        for unit in units.tolist():
            owner, slot = divmod(unit, SLOTS)
            self.play.tell_at(owner, "blocked", int(self.cells[unit]), slot=slot, unit=UNIT_NAMES[slot], why=why)

    def _stop(self, units: Ints) -> None:
        """Keep these units where they are for the rest of the turn."""
        self.going[units] = False
        self.halted[units] = True
        self.aims[units] = self.cells[units]

    def _drivers(self) -> Ints:
        return np.flatnonzero(self.going[HARVESTER::SLOTS]) * SLOTS

    def _occupied(self) -> Ints:
        """Return the Harvesters whose next hex holds another one (ruling 5)."""
        drivers, homes = self._drivers(), self.cells[HARVESTER::SLOTS]
        occupied: Ints = drivers[among(self.aims[drivers], homes[homes != NOWHERE])]
        return occupied

    def _outdrawn(self) -> Ints:
        """Return the Harvesters that lose the draw for a hex that several would enter (ruling 5)."""
        drivers, outdrawn = self._drivers(), list[int]()
        aims, counts = np.unique(self.aims[drivers], return_counts=True)
        for aim in aims[counts > 1].tolist():
            rivals = drivers[self.aims[drivers] == aim]
            # Lots decide which of several Harvesters enters a hex (ruling 5).
            first = min(rivals.tolist(), key=lambda unit: self.play.lot(unit // SLOTS))
            outdrawn += [unit for unit in rivals.tolist() if unit != first]
        return np.array(sorted(outdrawn), np.int64)

    def _barred(self) -> Ints:
        """Return the units kept out of a hex where one of a Harvester above stands, or is about to step (ruling 8)."""
        play, players = self.play, len(self.play.state.seats)
        ruling = among(np.arange(players), play.ruler[play.ruler != forest.NOBODY])
        masters = np.flatnonzero((self.cells != NOWHERE) & ruling[self.owner])
        spots = np.concatenate([self.cells[masters], self.aims[masters]])
        held = np.sort(spots * players + np.tile(self.owner[masters], 2))
        movers = np.flatnonzero(self.going)
        movers = movers[among(self.aims[movers], spots)]
        barred = [movers[:0]]
        rulers = play.ruler[self.owner[movers]]
        while (under := rulers != forest.NOBODY).any():
            movers, rulers = movers[under], rulers[under]
            wanted = self.aims[movers] * players + rulers
            # NumPy's isin would sort what is held anew for each rank of rulers.
            met = held[np.searchsorted(held, wanted) % len(held)] == wanted
            barred.append(movers[met])
            movers, rulers = movers[~met], play.ruler[rulers[~met]]
        return np.sort(np.concatenate(barred))

    # -- fights

    def _meet_on_borders(self) -> Ints:
        """Judge enemies who would swap hexes, and return the fallen, who fall where they came from (ruling 4)."""
        movers = np.flatnonzero(self.going)
        ways = self.ways[movers]
        # Directions k and k + 3 are opposite: a border is named by the hex on its outward side.
        outward = ways < 3
        borders = np.where(outward, self.cells[movers], self.aims[movers]) * 3 + ways % 3
        swapped = np.where(outward, among(borders, borders[~outward]), among(borders, borders[outward]))
        battles = self._judge(movers[swapped], borders[swapped]).values()
        for battle in battles:
            self._fight(battle)
            self._stop(np.array(battle.units() if battle.victor is None else battle.losers()))
        return self._fallen(battles)

    def _meet_in_hexes(self) -> Ints:
        """Judge all hexes, and return the fallen; first undo steps into ties, until none is left (ruling 4)."""
        units = alive = np.flatnonzero(self.cells != NOWHERE)
        battles: dict[int, Battle] = {}
        while True:
            battles |= self._judge(units, self.aims[units])
            tied = {place: battle.units() for place, battle in battles.items() if battle.victor is None}
            # Units that were there already stay in a tie; only those that stepped in go back (ruling 4).
            stepped = [(place, unit) for place, there in tied.items() for unit in there if self.going[unit]]
            if not stepped:
                break
            for place in sorted({place for place, _ in stepped}):
                self._fight(battles.pop(place), place)
            places, back = np.array(stepped).T
            self._stop(back)
            # What has changed is where they would have been, and where they are.
            units = alive[among(self.aims[alive], np.concatenate([places, self.cells[back]]))]
        for place in sorted(battles):
            if battles[place].victor is not None:
                self._fight(battles[place], place)
        return self._fallen(battles.values())

    def _judge(self, units: Ints, places: Ints) -> dict[int, Battle]:
        """Return the battles at the places where some units, in ascending order, meet those of other sides."""
        met = np.flatnonzero(contested(places, self.sides[units]))
        if not len(met):
            return {}
        met = met[np.argsort(places[met], kind="stable")]
        places, owners, bits = places[met], self.owner[units[met]], 1 << self.slot[units[met]]
        new_place = np.diff(places, prepend=-1) != 0
        first = np.flatnonzero(new_place | (np.diff(owners, prepend=-1) != 0))
        crews = zip(owners[first].tolist(), np.bitwise_or.reduceat(bits, first).tolist(), strict=True)
        counts = np.diff(np.flatnonzero(new_place[first]), append=len(first)).tolist()
        return {
            place: Battle(dict(islice(crews, count)), self.tops)
            for place, count in zip(places[new_place].tolist(), counts, strict=True)
        }

    def _fallen(self, battles: Iterable[Battle]) -> Ints:
        """Halt the units that lost, and return the defence units among them; a Harvester is conquered instead."""
        losers = np.array([unit for battle in battles for unit in battle.losers()], np.int64)
        self.halted[losers] = True
        fallen: Ints = losers[losers % SLOTS != HARVESTER]
        return fallen

    def _fight(self, battle: Battle, place: int | None = None) -> None:
        """Tell of a battle in a hex, or on the border that its units would cross, and note conquests."""
        play = self.play
        slots = {player: first_slot(crew) for player, crew in battle.crews.items()}
        ways: dict[int, int] = {}
        if place is None:
            ways = {player: int(self.ways[player * SLOTS + slot]) for player, slot in slots.items()}
        told = battle.fights(play.seats, play.impulse + 1, {player: NAMES[way] for player, way in ways.items()})
        for (player, slot), data in zip(slots.items(), told, strict=True):
            cell = int(self.cells[player * SLOTS + slot]) if place is None else place
            play.record(player, "fought", cell, slot, ways.get(player, 0), data)
        for conquest in battle.conquests(play):
            self.conquests[conquest.victim] = conquest

    # -- what remains

    def _pass(self, fallen: Ints) -> None:
        """Take the steps and record their traces; then wreck the fallen where they fell."""
        play = self.play
        movers = np.flatnonzero(self.going)
        play.traffic[self.cells[movers]] |= LEFT_BIT
        # The step of a unit that falls afterwards counts as movement (ruling 9).
        for way in range(len(NAMES)):
            play.traffic[self.aims[movers[self.ways[movers] == way]]] |= 1 << (way + 3) % len(NAMES)
        self.cells[movers] = self.aims[movers]
        drivers = movers[self.slot[movers] == HARVESTER]
        play.home[drivers // SLOTS] = self.cells[drivers]
        play.wreck(fallen)

    def _conquer(self) -> None:
        """Apply the conquests of one impulse."""
        if self.conquests:
            conquer(self.play, self.conquests)
            self._take_sides()

    def _arrive(self, start: Ints) -> None:
        """After the first impulse, end courses and mark Harvesters that were kept waiting (ruling 5)."""
        play = self.play
        bound = play.course[:, 1] != NOWHERE
        arrived = bound & (play.course[:, 1] == play.home)
        for player in np.flatnonzero(arrived).tolist():
            play.tell_at(player, "arrived", int(play.home[player]))
        play.course[arrived] = NO_COURSE
        # Only a Harvester that was kept from its step may be given another target (ruling 5).
        play.waiting[:] = bound & ~arrived & (play.home == start)


@cache
def _code(steps: tuple[str, ...]) -> int:
    """Return steps as one number, with _BITS for each, the first lowest; of a step that is not taken they are 0."""
    return sum(_WAYS[step] - STAY << _BITS * at for at, step in enumerate(steps[:IMPULSES]))
