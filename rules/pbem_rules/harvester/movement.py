"""Movement in four impulses, and the fights that result (rulings 4, 5 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from pbem_rules.harvester import forest
from pbem_rules.harvester.combat import LOST, PEACE, TIED, WON, among, judge
from pbem_rules.harvester.orders import Move
from pbem_rules.harvester.planet import NAMES, Flags, Ints
from pbem_rules.harvester.play import Play
from pbem_rules.harvester.state import CRAGS, LEFT_BIT, NO_COURSE, NOWHERE
from pbem_rules.harvester.units import HARVESTER, KINDS, MOVE, NIMBLE, SLOT, SLOTS
from pbem_rules.harvester.units import NAMES as UNIT_NAMES

IMPULSES = 4
STAY = -1
_WAYS = {name: way for way, name in enumerate(NAMES)}


def move(play: Play) -> None:
    """Move all units, in four impulses."""
    march = _March(play)
    for impulse in range(IMPULSES):
        play.impulse = impulse
        march.take(impulse)


@dataclass(frozen=True)
class _Conquest:
    """A Harvester that lost its hex, its conqueror, and the total of the winning side."""

    victim: int
    conqueror: int
    total: int


class _Battle:
    """All units at one place where sides met, as rows of the march, by player; `side` and `verdict` are the player's.

    `might` is the combat ability of each player there, and `total` that of each side.
    """

    def __init__(self, units: list[int], verdicts: list[int], sides: list[int], strengths: list[int]) -> None:
        self.units: dict[int, list[int]] = {}
        self.verdict, self.side = dict[int, int](), dict[int, int]()
        self.might, self.total = dict[int, int](), dict[int, int]()
        for unit, verdict, side, strength in zip(units, verdicts, sides, strengths, strict=True):
            player = unit // SLOTS
            self.units.setdefault(player, []).append(unit)
            self.verdict[player], self.side[player] = verdict, side
            self.might[player] = self.might.get(player, 0) + strength
            self.total[side] = self.total.get(side, 0) + strength


class _March:
    """The units of all players in one row: unit u is slot u mod SLOTS of player u div SLOTS."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.cells = play.at.reshape(-1)
        self.owner = np.arange(len(self.cells)) // SLOTS
        self.slot = np.arange(len(self.cells)) % SLOTS
        self.strength = play.strengths()
        self.paths = self._paths()
        self.halted = np.zeros(len(self.cells), bool)
        self.conquests: dict[int, _Conquest] = {}

    def _paths(self) -> Ints:
        """Return the direction of every unit in every impulse."""
        play = self.play
        paths = np.full((len(self.cells), IMPULSES), STAY)
        units: list[int] = []
        ways: list[int] = []
        for player, order in play.orders(Move):
            units.append(player * SLOTS + SLOT[order.unit])
            ways += _path(order.steps[:IMPULSES])
        paths[units] = np.array(ways, np.int64).reshape(-1, IMPULSES)
        # Each unit takes as many steps as it moves, one in each impulse.
        paths[np.arange(IMPULSES) >= MOVE[self.slot, None]] = STAY
        # A Harvester steps in the first impulse (ruling 5).
        bound = np.flatnonzero(play.course[:, 0] != NOWHERE)
        start, target = play.course[bound].T
        paths[bound * SLOTS, 0] = play.planet.heading(start, target, play.home[bound])
        return paths

    def take(self, number: int) -> None:
        """Take one step with all units, then judge every hex."""
        self.number = number + 1
        self.sides = self._sides()
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

    def _sides(self) -> Ints:
        """Return the side of every unit, by the top of its player's chain."""
        sides: Ints = forest.tops(self.play.ruler)[self.owner]
        return sides

    # -- enemies who are together already

    def _meet_where_they_stand(self) -> None:
        """Judge enemies left in one hex before any unit takes a step, until none are new (ruling 14).

        A conquest may make enemies of others who stand together. Each round has one at
        least, so there are no more rounds than players.
        """
        self.aims = self.cells.copy()
        for _ in self.play.state.seats:
            alive = np.flatnonzero(self.cells != NOWHERE)
            places = self.cells[alive]
            verdicts = judge(places, self.sides[alive], self.strength[alive])
            # Equals that stand together are told of each other once (ruling 14).
            news = (verdicts != TIED) | ~among(places, np.array(self.play.standoffs, np.int64))
            self.conquests = {}
            self._fight(alive[news], places[news], verdicts[news], border=False)
            self.play.standoffs = tuple(np.unique(places[verdicts == TIED]).tolist())
            if not (verdicts == LOST).any():
                return
            self.play.wreck(self._fallen(alive[verdicts == LOST]))
            self._conquer()
            self.sides = self._sides()

    # -- steps that are not taken

    def _hold_back(self) -> None:
        self._block(self.going & (self.play.state.ground[self.aims] == CRAGS) & ~NIMBLE[self.slot], "crags")
        self._block(self._occupied(), "harvester")
        # A Harvester barred by a ruler's unit draws no lot for the hex (ruling 8).
        self._block(self._barred(), "ruler")
        self._block(self._outdrawn(), "harvester")

    def _block(self, stopped: Flags, why: str) -> None:
        self._stop(stopped)
        for unit in np.flatnonzero(stopped).tolist():
            owner, slot = divmod(unit, SLOTS)
            self.play.tell_at(owner, "blocked", int(self.cells[unit]), slot=slot, unit=UNIT_NAMES[slot], why=why)

    def _stop(self, stopped: Flags) -> None:
        """Keep these units where they are for the rest of the turn."""
        self.going &= ~stopped
        self.halted |= stopped
        self.aims[stopped] = self.cells[stopped]

    def _drivers(self) -> Ints:
        return np.flatnonzero(self.going & (self.slot == HARVESTER))

    def _occupied(self) -> Flags:
        """Flag the Harvesters whose next hex holds another one (ruling 5)."""
        drivers, homes = self._drivers(), self.cells[::SLOTS]
        occupied = self._nobody()
        occupied[drivers[among(self.aims[drivers], homes[homes != NOWHERE])]] = True
        return occupied

    def _outdrawn(self) -> Flags:
        """Flag the Harvesters that lose the draw for a hex that several would enter (ruling 5)."""
        drivers, outdrawn = self._drivers(), self._nobody()
        aims, counts = np.unique(self.aims[drivers], return_counts=True)
        for aim in aims[counts > 1].tolist():
            rivals = drivers[self.aims[drivers] == aim]
            # Lots decide which of several Harvesters enters a hex (ruling 5).
            first = min(rivals.tolist(), key=lambda unit: self._lot(unit // SLOTS))
            outdrawn[rivals[rivals != first]] = True
        return outdrawn

    def _lot(self, player: int) -> int:
        """Draw a player's lot, the same for all purposes of an impulse."""
        return self.play.dice.below(1 << 62, "lot", self.number, self.play.state.seats[player])

    def _barred(self) -> Flags:
        """Flag steps into a hex where a unit of a Harvester above stands, or is about to step (ruling 8)."""
        play, players = self.play, len(self.play.state.seats)
        ruling = among(np.arange(players), play.ruler[play.ruler != forest.NOBODY])
        masters = np.flatnonzero((self.cells != NOWHERE) & ruling[self.owner])
        spots = np.concatenate([self.cells[masters], self.aims[masters]])
        held = spots * players + np.tile(self.owner[masters], 2)
        barred = self._nobody()
        movers = np.flatnonzero(self.going)
        rulers = play.ruler[self.owner[movers]]
        while (under := rulers != forest.NOBODY).any():
            movers, rulers = movers[under], rulers[under]
            met = np.isin(self.aims[movers] * players + rulers, held)
            barred[movers[met]] = True
            movers, rulers = movers[~met], play.ruler[rulers[~met]]
        return barred

    # -- fights

    def _meet_on_borders(self) -> Ints:
        """Judge enemies who would swap hexes, and return the fallen, who fall where they came from (ruling 4)."""
        movers = np.flatnonzero(self.going)
        ways = self.ways[movers]
        # Directions k and k + 3 are opposite: a border is named by the hex on its outward side.
        outward = ways < 3
        borders = np.where(outward, self.cells[movers], self.aims[movers]) * 3 + ways % 3
        met = np.where(outward, among(borders, borders[~outward]), among(borders, borders[outward]))
        movers, borders = movers[met], borders[met]
        verdicts = judge(borders, self.sides[movers], self.strength[movers])
        self._fight(movers, borders, verdicts, border=True)
        stopped = self._nobody()
        stopped[movers[(verdicts == TIED) | (verdicts == LOST)]] = True
        self._stop(stopped)
        return self._fallen(movers[verdicts == LOST])

    def _meet_in_hexes(self) -> Ints:
        """Judge all hexes, and return the fallen; first undo steps into ties, until none is left (ruling 4)."""
        alive = np.flatnonzero(self.cells != NOWHERE)
        while True:
            places = self.aims[alive]
            verdicts = judge(places, self.sides[alive], self.strength[alive])
            # Units that were there already stay in a tie; only those that stepped in go back (ruling 4).
            tied = (verdicts == TIED) & self.going[alive]
            if not tied.any():
                break
            there = among(places, places[tied])
            self._fight(alive[there], places[there], verdicts[there], border=False)
            stepping = self._nobody()
            stepping[alive[tied]] = True
            self._stop(stepping)
        decided = verdicts != TIED
        self._fight(alive[decided], places[decided], verdicts[decided], border=False)
        return self._fallen(alive[verdicts == LOST])

    def _fallen(self, losers: Ints) -> Ints:
        """Return the defence units among the losers; a Harvester is conquered instead."""
        self.halted[losers] = True
        fallen: Ints = losers[self.slot[losers] != HARVESTER]
        return fallen

    def _nobody(self) -> Flags:
        return np.zeros(len(self.cells), bool)

    def _fight(self, units: Ints, places: Ints, verdicts: Ints, *, border: bool) -> None:
        """Tell of the fights at all places where a unit has a verdict other than PEACE, and note conquests."""
        fought = np.flatnonzero(verdicts != PEACE)
        if not len(fought):
            return
        fought = fought[np.lexsort((units[fought], places[fought]))]
        units, places, verdicts = units[fought], places[fought], verdicts[fought]
        columns = [row.tolist() for row in (units, verdicts, self.sides[units], self.strength[units])]
        edges = np.flatnonzero(np.diff(places, prepend=-1, append=-1)).tolist()
        for first, last in pairwise(edges):
            battle = _Battle(*(column[first:last] for column in columns))
            self._tell_battle(battle, border=border)
            self._note_conquest(battle)

    def _tell_battle(self, battle: _Battle, *, border: bool) -> None:
        play, seats = self.play, self.play.state.seats
        winners = sorted(seats[player] for player, verdict in battle.verdict.items() if verdict == WON)
        best = max(battle.total.values())
        crews = sorted(
            (f"{seats[player]} {''.join([KINDS[unit % SLOTS] for unit in units])}", battle.side[player])
            for player, units in battle.units.items()
        )
        for player, units in battle.units.items():
            first, side, verdict = units[0], battle.side[player], battle.verdict[player]
            lost = [UNIT_NAMES[unit % SLOTS] for unit in units if verdict == LOST and unit % SLOTS != HARVESTER]
            play.tell_at(
                player,
                "fought",
                int(self.cells[first] if border else self.aims[first]),
                slot=first % SLOTS,
                way=int(self.ways[first]) if border else 0,
                impulse=self.number,
                border=NAMES[self.ways[first]] if border else None,
                outcome=_OUTCOMES[verdict],
                strength=battle.total[side],
                best=best,
                winners=winners,
                enemies=", ".join([crew for crew, other in crews if other != side]),
                lost=" ".join(lost),
            )

    def _note_conquest(self, battle: _Battle) -> None:
        lost = {player: units[0] for player, units in battle.units.items() if battle.verdict[player] == LOST}
        victims = [player for player, first in lost.items() if first % SLOTS == HARVESTER]
        if not victims:
            return
        side = max(battle.total, key=battle.total.__getitem__)
        victors = [player for player in battle.units if battle.side[player] == side]
        # The most combat ability there, of equals the one higher up, then one by lot (ruling 8).
        conqueror = min(
            victors, key=lambda player: (-battle.might[player], len(self.play.above(player)), self._lot(player))
        )
        for victim in victims:
            self.conquests[victim] = _Conquest(victim, conqueror, battle.total[side])

    # -- what remains

    def _pass(self, fallen: Ints) -> None:
        """Take the steps and record their traces; then wreck the fallen where they fell."""
        play = self.play
        movers = np.flatnonzero(self.going)
        play.traffic[self.cells[movers]] |= LEFT_BIT
        # The step of a unit that falls afterwards counts as movement (ruling 9).
        entries = (1 << ((self.ways[movers] + 3) % 6)).astype(np.uint8)
        np.bitwise_or.at(play.traffic, self.aims[movers], entries)
        self.cells[movers] = self.aims[movers]
        drivers = movers[self.slot[movers] == HARVESTER]
        play.home[drivers // SLOTS] = self.cells[drivers]
        play.wreck(fallen)

    def _conquer(self) -> None:
        """Apply the conquests of one impulse, the strongest first; skip those made needless by others (ruling 8).

        Events follow when all are applied: the rulers of a Harvester do not know which of two came first.
        """
        play, seats = self.play, self.play.state.seats
        before = {victim: play.above(victim) for victim in self.conquests}
        done = []
        for conquest in sorted(self.conquests.values(), key=lambda each: (-each.total, self._lot(each.victim))):
            victim, conqueror = conquest.victim, conquest.conqueror
            # Harvesters that an earlier conquest has put on one side do not conquer each other (ruling 8).
            if [victim, *play.above(victim)][-1] != [conqueror, *play.above(conqueror)][-1]:
                play.ruler[victim] = conqueror
                done.append(conquest)
        for conquest in done:
            victim, by = conquest.victim, seats[conquest.conqueror]
            after = play.above(victim)
            play.tell([victim], "conquered", by=by)
            play.tell([each for each in after if each not in before[victim]], "won-over", who=seats[victim], by=by)
            play.tell([each for each in before[victim] if each not in after], "lost-hold", who=seats[victim])

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


_OUTCOMES = {WON: "won", LOST: "lost", TIED: "tied"}


@cache
def _path(steps: tuple[str, ...]) -> list[int]:
    """Return the directions of a unit with these steps, IMPULSES at the most, in all impulses."""
    return [_WAYS[step] for step in steps] + [STAY] * (IMPULSES - len(steps))
