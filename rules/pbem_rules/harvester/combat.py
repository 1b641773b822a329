"""Combat: who wins where units of several sides meet, and who is conquered (rulings 4 and 8).

A place is a hex or the border between two; both are judged alike, by the total
strength of each side. A crew is a player's units at one place, as bits of their slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from pbem.ruleset import Dice, SeatName
from pbem_rules.harvester import forest
from pbem_rules.harvester.planet import Flags, Ints
from pbem_rules.harvester.units import COMBAT, HARVESTER, KINDS, NAMES, SLOTS

WON, LOST, TIED = "won", "lost", "tied"
"""Verdicts on a crew: its side is the strongest; another side is; several are."""

_HARVESTER = 1 << HARVESTER


def among(values: Ints, wanted: Ints) -> Flags:
    """Return a flag for each of the values that is among the wanted ones.

    Both hold numbers from 0 of moderate size, such as those of hexes: the time and memory grow with the largest.
    """
    flags = np.zeros(1 + int(max(values.max(initial=-1), wanted.max(initial=-1))), bool)
    flags[wanted] = True
    return flags[values]


def contested(places: Ints, sides: Ints) -> Flags:
    """Flag the units at a place with another side."""
    # Any one side at each place: a place holds several sides if a unit there differs from it.
    anyone = np.empty(int(places.max(initial=-1)) + 1, np.int64)
    anyone[places] = sides
    return among(places, places[anyone[places] != sides])


class Contest:
    """The players of a turn, by number, and what is decided between them; `impulse` counts from 0."""

    seats: Sequence[SeatName]
    ruler: MutableSequence[int] | Ints
    dice: Dice
    impulse: int = 0

    def above(self, player: int) -> list[int]:
        """Return all who rule a player, the direct ruler first."""
        return list(forest.above(self.ruler, player))

    def lot(self, player: int) -> int:
        """Draw a player's lot, the same for all purposes of an impulse."""
        return self.dice.below(1 << 62, "lot", self.impulse + 1, self.seats[player])

    def tell(self, players: Iterable[int], kind: str, **data: Any) -> None:
        """Record an event without a place."""
        raise NotImplementedError


class Conquest(NamedTuple):
    """A Harvester that lost its hex, its conqueror, and the total of the winning side."""

    victim: int
    conqueror: int
    total: int


class Battle:
    """The crews of several sides at one place, by player, and the side that wins; `victor` is None for a tie.

    The side with the highest total wins, and all others there lose; if several
    sides share the highest total, all are tied (ruling 4).
    """

    __slots__ = ("best", "crews", "sides", "totals", "victor")

    def __init__(self, crews: Mapping[int, int], tops: Sequence[int]) -> None:
        self.crews = crews
        self.sides = {player: tops[player] for player in crews}
        self.totals: dict[int, int] = {}
        for player, side in self.sides.items():
            self.totals[side] = self.totals.get(side, 0) + _might(crews[player])
        self.best = max(self.totals.values())
        leaders = [side for side, total in self.totals.items() if total == self.best]
        self.victor = leaders[0] if len(leaders) == 1 else None

    def verdict(self, side: int) -> str:
        if self.victor is None:
            return TIED
        return WON if side == self.victor else LOST

    def units(self) -> list[int]:
        """Return the units there, as player × SLOTS + slot."""
        return [player * SLOTS + slot for player, crew in self.crews.items() for slot in _slots(crew)]

    def losers(self) -> list[int]:
        """Return the units on the losing sides."""
        crews = self.crews.items() if self.victor is not None else ()
        lost = [(player, crew) for player, crew in crews if self.sides[player] != self.victor]
        return [player * SLOTS + slot for player, crew in lost for slot in _slots(crew)]

    def fights(self, seats: Sequence[SeatName], impulse: int, borders: Mapping[int, str]) -> Iterator[dict[str, Any]]:
        """Yield the data of the event "fought" for each player; `borders` name the border as each sees it."""
        winners = sorted([seats[player] for player, side in self.sides.items() if side == self.victor])
        crews = sorted(
            [(f"{seats[player]} {kinds_of(crew)}", self.sides[player]) for player, crew in self.crews.items()]
        )
        enemies = {side: ", ".join([crew for crew, other in crews if other != side]) for side in self.totals}
        for player, side in self.sides.items():
            verdict = self.verdict(side)
            yield {
                "impulse": impulse,
                "border": borders.get(player),
                "outcome": verdict,
                "strength": self.totals[side],
                "best": self.best,
                "winners": winners,
                "enemies": enemies[side],
                "lost": _defenders(self.crews[player]) if verdict == LOST else "",
            }

    def conquests(self, field: Contest) -> Iterator[Conquest]:
        """Yield the conquests of the Harvesters that lost."""
        harvesters = [player for player, crew in self.crews.items() if crew & _HARVESTER]
        victims = [player for player in harvesters if self.sides[player] != self.victor]
        if self.victor is None or not victims:
            return
        victors = [player for player, side in self.sides.items() if side == self.victor]
        # The most combat ability there, of equals the one higher up, then one by lot (ruling 8).
        conqueror = min(
            victors, key=lambda player: (-_might(self.crews[player]), len(field.above(player)), field.lot(player))
        )
        yield from (Conquest(victim, conqueror, self.best) for victim in victims)


def conquer(field: Contest, conquests: Mapping[int, Conquest]) -> None:
    """Apply the conquests of one impulse, the strongest first; skip those made needless by others (ruling 8).

    Events follow when all are applied: the rulers of a Harvester do not know which of two came first.
    """
    before = {victim: field.above(victim) for victim in conquests}
    done = []
    for conquest in sorted(conquests.values(), key=lambda each: (-each.total, field.lot(each.victim))):
        victim, conqueror, _ = conquest
        # Harvesters that an earlier conquest has put on one side do not conquer each other (ruling 8).
        if [victim, *field.above(victim)][-1] != [conqueror, *field.above(conqueror)][-1]:
            field.ruler[victim] = conqueror
            done.append(conquest)
    for victim, conqueror, _ in done:
        who, by, after = field.seats[victim], field.seats[conqueror], field.above(victim)
        field.tell([victim], "conquered", by=by)
        field.tell([each for each in after if each not in before[victim]], "won-over", who=who, by=by)
        field.tell([each for each in before[victim] if each not in after], "lost-hold", who=who)


@cache
def first_slot(crew: int) -> int:
    return _slots(crew)[0]


@cache
def _slots(crew: int) -> tuple[int, ...]:
    return tuple(slot for slot in range(SLOTS) if crew >> slot & 1)


@cache
def _might(crew: int) -> int:
    return int(sum(COMBAT[slot] for slot in _slots(crew)))


@cache
def kinds_of(crew: int) -> str:
    """Return the kinds of the units in a crew, a letter each."""
    return "".join(KINDS[slot] for slot in _slots(crew))


@cache
def _defenders(crew: int) -> str:
    """Return the names of the defence units in a crew."""
    return " ".join(NAMES[slot] for slot in _slots(crew & ~_HARVESTER))
