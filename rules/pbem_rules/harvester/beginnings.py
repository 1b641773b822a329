"""Set-up of a game: the options, the size of the planet, and all starting places (rulings 1 and 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pbem.ruleset import Dice, Option, SeatName, SetupError
from pbem_rules.harvester.draws import draw_many, shuffled
from pbem_rules.harvester.forest import NOBODY
from pbem_rules.harvester.planet import Ints, PlanetMap, least_size, planet_of
from pbem_rules.harvester.state import CRAGS, DUST, NO_COURSE, NOWHERE, PLAIN, VERSION, State
from pbem_rules.harvester.units import SLOTS

LEAST_SIZE, LARGEST_SIZE = 10, 500
LEAST_PLAYERS, MOST_PLAYERS = 4, 10_000
ROOM = 60
"""Hexes for each player on a planet of the default size."""

APART = 6
"""Least distance between Harvesters at the start."""

RICHEST = 3
"""Most resources of a hex at the start."""

OPTIONS = (
    Option(
        "size",
        "int",
        0,
        f"hexes along each side of the planet, from {LEAST_SIZE}; 0 for the smallest with {ROOM} hexes a player",
        low=0,
        high=LARGEST_SIZE,
    ),
    Option("density", "int", 25, "percent of the hexes that hold resources at the beginning", low=1, high=100),
    Option("drift", "int", 5, "new resources a turn for every 1,000 hexes", low=0, high=200),
    Option("crags", "int", 0, "percent of the hexes that only Soldiers and Scouts can enter", low=0, high=30),
    Option("dust", "int", 0, "percent of the hexes that scanners cannot look through", low=0, high=30),
)

_SWEEPS = 8


def begin(options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> State:
    """Return the state before the first turn (rulings 1 and 2).

    Raises:
        SetupError: the size is out of bounds, or has no room for so many players.
    """
    planet = planet_of(_size(options["size"], seats))
    players = len(seats)
    starts = _starts(planet, players, dice)
    return State(
        seats=tuple(seats),
        size=planet.size,
        turn=1,
        drift=options["drift"],
        edition=VERSION,
        standoffs=(),
        at=np.repeat(starts[:, None], SLOTS, axis=1),
        held=np.zeros(players, np.int64),
        origin=starts.copy(),
        course=np.tile(np.array(NO_COURSE), (players, 1)),
        waiting=np.zeros(players, np.int64),
        build=np.tile(np.array([NOWHERE, 0]), (players, 1)),
        ruler=np.full(players, NOBODY),
        silent=np.zeros(players, np.int64),
        left=np.zeros(players, np.int64),
        resources=_resources(planet, starts, options["density"], dice),
        ground=_ground(planet, starts, options["crags"], options["dust"], dice),
        traffic=np.zeros(planet.count, np.uint8),
    )


def _size(wanted: int, seats: Sequence[SeatName]) -> int:
    if 0 < wanted < LEAST_SIZE:
        raise SetupError(
            f"option size cannot be {wanted}: it is {LEAST_SIZE} to {LARGEST_SIZE}, or 0 to fit the players"
        )
    return wanted or max(LEAST_SIZE, least_size(ROOM * len(seats)))


def _starts(planet: PlanetMap, players: int, dice: Dice) -> Ints:
    """Choose the hexes of the Harvesters: sites of a close packing, each then moved about at random."""
    sites = _sites(planet)
    if players > len(sites):
        raise SetupError(
            f"a planet of size {planet.size} has room for {len(sites)} Harvesters {APART} hexes apart,"
            f" not for {players}; size {least_size(ROOM * players)} has"
        )
    shift = dice.below(planet.count, "shift")
    # The shift moves the packing as a whole, so that its rows begin anywhere.
    starts = (sites[shuffled(dice, len(sites), "site")[:players]] + shift) % planet.count
    _jostle(planet, starts, dice)
    return starts


def _sites(planet: PlanetMap) -> Ints:
    """Return hexes at least APART from each other, packed greedily row by row."""
    disc = planet.discs[APART - 1]
    flags = bytearray(planet.count)
    taken = np.frombuffer(flags, np.uint8)
    sites = []
    for cell in np.lexsort((planet.q, planet.r)).tolist():
        if not flags[cell]:
            sites.append(cell)
            taken[(cell + disc) % planet.count] = 1
    return np.array(sites, np.int64)


def _jostle(planet: PlanetMap, starts: Ints, dice: Dice) -> None:
    """Move each start a few times to a random hex nearby, where that keeps it APART from all others."""
    disc = planet.discs[APART - 1]
    near = np.zeros(planet.count, np.int64)
    np.add.at(near, (starts[:, None] + disc) % planet.count, 1)
    for sweep in range(_SWEEPS):
        aims = (starts + disc[draw_many(dice, len(disc), len(starts), "jostle", sweep)]) % planet.count
        for player, (cell, aim) in enumerate(zip(starts.tolist(), aims.tolist(), strict=True)):
            # The aim lies within the start's own disc, which alone counts once there.
            if near[aim] == 1:
                near[(cell + disc) % planet.count] -= 1
                near[(aim + disc) % planet.count] += 1
                starts[player] = aim


def _resources(planet: PlanetMap, starts: Ints, density: int, dice: Dice) -> Ints:
    some = draw_many(dice, 100, planet.count, "resource") < density
    # Each Harvester starts on a hex with a resource, and on plain ground (rulings 2 and 10).
    some[starts] = True
    return np.where(some, 1 + draw_many(dice, RICHEST, planet.count, "amount"), 0)


def _ground(planet: PlanetMap, starts: Ints, crags: int, dust: int, dice: Dice) -> np.typing.NDArray[np.uint8]:
    drawn = draw_many(dice, 100, planet.count, "ground")
    ground = np.where(drawn < crags, CRAGS, np.where(drawn < crags + dust, DUST, PLAIN)).astype(np.uint8)
    ground[starts] = PLAIN
    return ground
