"""Combat on arrays: who wins where units of several sides meet (rulings 4 and 8).

A place is a hex or the border between two; both are judged alike, by the total
strength of each side.
"""

from __future__ import annotations

import numpy as np

from pbem_rules.harvester.planet import Flags, Ints

PEACE, WON, LOST, TIED = range(4)
"""Verdicts on a unit: no enemy is there; its side is the strongest; another side is; several are."""


def among(values: Ints, wanted: Ints) -> Flags:
    """Return a flag for each of the values that is among the wanted ones.

    Both hold numbers from 0 of moderate size, such as those of hexes: the time and memory grow with the largest.
    """
    flags = np.zeros(1 + int(max(values.max(initial=-1), wanted.max(initial=-1))), bool)
    flags[wanted] = True
    return flags[values]


def judge(places: Ints, sides: Ints, strengths: Ints) -> Ints:
    """Return the verdict on each unit, given its place, side and combat ability (ruling 4).

    The side with the highest total wins, and all others there lose; if several
    sides share the highest total, they are TIED.
    """
    verdicts = np.full(len(places), PEACE)
    contested = np.flatnonzero(_contested(places, sides))
    if len(contested):
        verdicts[contested] = _verdicts(places[contested], sides[contested], strengths[contested])
    return verdicts


def _contested(places: Ints, sides: Ints) -> Flags:
    """Flag the units at a place with another side; most are not, and need no sorting."""
    # Any one side at each place: a place holds several sides if a unit there differs from it.
    anyone = np.empty(int(places.max(initial=-1)) + 1, np.int64)
    anyone[places] = sides
    return among(places, places[anyone[places] != sides])


def _verdicts(places: Ints, sides: Ints, strengths: Ints) -> Ints:
    """Return the verdicts on units that are all at places with several sides."""
    order = np.argsort(places * (int(sides.max()) + 1) + sides)
    place, side = places[order], sides[order]
    new_place = _changes(place)
    groups = np.flatnonzero(new_place | _changes(side))
    totals = np.add.reduceat(strengths[order], groups)
    firsts = np.flatnonzero(new_place[groups])
    contenders = np.diff(np.append(firsts, len(groups)))
    best = np.repeat(np.maximum.reduceat(totals, firsts), contenders)
    leaders = np.repeat(np.add.reduceat((totals == best).astype(np.int64), firsts), contenders)
    verdict = np.where(leaders > 1, TIED, np.where(totals == best, WON, LOST))
    judged = np.empty_like(order)
    judged[order] = np.repeat(verdict, np.diff(np.append(groups, len(order))))
    return judged


def _changes(values: Ints) -> Flags:
    """Flag the entries of a sorted list that differ from the one before; the first counts as different."""
    changed = np.ones(len(values), bool)
    changed[1:] = values[1:] != values[:-1]
    return changed
