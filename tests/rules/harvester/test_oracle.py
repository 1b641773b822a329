"""The arrays compared with the slow model, on many small planets where everything wraps around and meets."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from pbem.ruleset import SeatName, TurnInput
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.orders import Move, Target
from pbem_rules.harvester.planet import DIRECTIONS, course, planet_of
from pbem_rules.harvester.state import CRAGS, DUST, State
from pbem_rules.harvester.units import MOVE, SLOT
from tests.rules.harvester.oracle import UNITS, Globe, World
from tests.rules.harvester.table import DICE, position, view

SIZES = (2, 3, 4, 5, 6, 8)
PLAYERS = 6
WORLDS = 12


def seat_names(count: int = PLAYERS) -> list[SeatName]:
    """Return seats whose names sort in the order of creation."""
    return [f"p{number}" for number in range(count)]


def crowd(size: int, rnd: random.Random) -> State:
    """Build a small planet with units everywhere, some of them in chains of subservience."""
    globe, seats = Globe(size), seat_names(min(PLAYERS, 3 * size * (size - 1) // 2))
    homes = rnd.sample(globe.hexes, len(seats))
    few = rnd.sample(globe.hexes, min(6, len(globe.hexes)))
    units = {
        seat: {"H": home} | {name: rnd.choice(few) for name in UNITS[1:] if rnd.random() < 0.7}
        for seat, home in zip(seats, homes, strict=True)
    }
    return position(
        units,
        size=size,
        seats=seats,
        resources={spot: rnd.randint(1, 3) for spot in globe.hexes if rnd.random() < 0.4},
        crags=[spot for spot in globe.hexes if rnd.random() < 0.1],
        dust=[spot for spot in globe.hexes if rnd.random() < 0.1],
        rulers={
            seat: rnd.choice(seats[:number]) for number, seat in enumerate(seats) if number > 1 and rnd.random() < 0.3
        },
    )


def crowds() -> Iterator[tuple[State, random.Random]]:
    """Yield many such planets."""
    for size in SIZES:
        for number in range(WORLDS):
            rnd = random.Random(f"{size} {number}")
            yield crowd(size, rnd), rnd


@pytest.mark.parametrize("size", SIZES)
def test_every_side_meets_the_opposite_one(size: int) -> None:
    """A step across the rim of the hexagon leads to the hex of the opposite side that is joined there."""
    globe, planet = Globe(size), planet_of(size)
    for spot, near in globe.near.items():
        here = np.array(globe.number[spot])
        assert [int(planet.moved(here, np.array(way))) for way in range(6)] == [
            globe.number[near[way]] for way in DIRECTIONS
        ]


@pytest.mark.parametrize("size", SIZES)
def test_distances_are_those_of_the_shortest_way_around(size: int) -> None:
    """The coordinates of an offset are the nearest, and its distance is the number of steps of a walk."""
    globe, planet = Globe(size), planet_of(size)
    for spot, distance in globe.around((0, 0), size).items():
        number = globe.number[spot]
        assert (int(planet.q[number]), int(planet.r[number])) == spot
        assert int(planet.distance[number]) == distance


@pytest.mark.parametrize("size", SIZES)
def test_lines_are_straight(size: int) -> None:
    """Each step of a Harvester's line is the hex nearest to it, counter-clockwise if two are equally near."""
    globe, planet = Globe(size), planet_of(size)
    start = globe.hexes[0]
    for target in globe.hexes:
        path = globe.line(start, target)
        numbers = [globe.number[spot] for spot in path]
        first, last = np.array([numbers[0]]), np.array([numbers[-1]])
        for here, after in pairwise(numbers):
            at = np.array([here])
            assert int(planet.moved(at, planet.heading(first, last, at))[0]) == after


def test_a_course_in_plain_numbers_is_the_same_line() -> None:
    """The line that sheets and bots foresee is the one that a Harvester drives."""
    planet = planet_of(8)
    for offset in range(1, planet.count):
        ways, at = [], np.array([0])
        while at[0] != offset:
            way = planet.heading(np.array([0]), np.array([offset]), at)
            ways.append(tuple(DIRECTIONS)[way[0]])
            at = planet.moved(at, way)
        assert course(int(planet.q[offset]), int(planet.r[offset])) == ways


def test_long_courses_on_large_planets_are_the_same_lines() -> None:
    """Lines of hundreds of steps are as straight as short ones: numbers do not overflow."""
    planet = planet_of(448)
    for q, r in ((430, -217), (-3, 440), (-223, -224), (-447, 223)):
        target, at, ways = planet.offset(np.array([q]), np.array([r])), np.array([0]), []
        while at[0] != target[0]:
            way = planet.heading(np.array([0]), target, at)
            ways.append(tuple(DIRECTIONS)[way[0]])
            at = planet.moved(at, way)
        assert course(q, r) == ways


@pytest.mark.in_turn
def test_scanners_tell_what_a_look_at_each_hex_tells() -> None:
    """Bands, facts, dust and contents of every hex are those found by walking from each unit."""
    for state, rnd in crowds():
        state.traffic.flags.writeable = True
        state.traffic[:] = [rnd.choice((0, 0, 1, 36, 64, 72)) for _ in state.traffic]
        world = World.of(state)
        for seat in state.seats:
            assert seen(state, seat) == expected(world, state, seat)


def seen(state: State, seat: SeatName) -> dict[str, object]:
    """Return what a view tells of hexes, by canonical coordinates."""
    shown, planet = view(state, seat), state.planet
    facts: dict[Hex, object] = {}
    for band in range(1, 6):
        nothing = [0, 0, "", 0, 0][: 6 - band]
        facts |= {planet.named(q, r, near=(0, 0)): (band, nothing) for q, r in batched(shown["quiet"][band - 1])}
        facts |= {planet.named(row[0], row[1], near=(0, 0)): (band, row[2:]) for row in shown["scan"][band - 1]}
    contacts = {
        (*planet.named(each["q"], each["r"], near=(0, 0)), each["owner"]): each["units"] for each in shown["contacts"]
    }
    ground = {kind: {planet.named(q, r, near=(0, 0)) for q, r in shown[kind]} for kind in ("crags", "dust")}
    return {"facts": facts, "contacts": contacts, **ground}


def batched(flat: list[int]) -> Iterator[Hex]:
    """Return a list q, r, q, r … as hexes."""
    return zip(flat[::2], flat[1::2], strict=True)


def expected(world: World, state: State, seat: SeatName) -> dict[str, object]:
    """Return the same from the slow model."""
    bands, dusty = world.bands(seat)
    contacts: dict[tuple[int, int, SeatName], str] = {}
    for unit in world.units:
        if unit.owner != seat and bands.get(unit.spot) == 1:
            key = (*unit.spot, unit.owner)
            contacts[key] = contacts.get(key, "") + unit.kind
    known = {*bands, *dusty}
    return {
        "facts": {spot: (band, world.facts(spot, band)) for spot, band in bands.items()},
        "contacts": contacts,
        "crags": {spot for spot in known if world.ground[spot] == CRAGS},
        "dust": {spot for spot in known if world.ground[spot] == DUST},
    }


def test_impulses_move_and_fight_as_unit_by_unit() -> None:
    """After random marches units, rulers and traces are those of the slow model."""
    for state, rnd in crowds():
        world, orders = World.of(state), {}
        paths: dict[tuple[SeatName, str], list[str]] = {}
        for number, seat in enumerate(state.seats):
            sheet, own = _marches(state, world, number, rnd)
            orders[seat] = sheet
            paths |= {(seat, unit): path for unit, path in own.items()}
        dice = DICE.within("turn", state.turn)

        after, _ = RULESET.resolve(state, TurnInput(orders), dice)
        world.march(paths, functools.partial(dice.below, 1 << 62, "lot"))

        assert outcome(World.of(after)) == outcome(world)


def _marches(
    state: State, world: World, number: int, rnd: random.Random
) -> tuple[tuple[Move | Target, ...], dict[str, list[str]]]:
    """Return a random sheet, and the directions of its units."""
    own = [unit for unit in world.units if unit.owner == state.seats[number]]
    paths = {
        unit.name: [rnd.choice(list(DIRECTIONS)) for _ in range(rnd.randint(1, int(MOVE[SLOT[unit.name]])))]
        for unit in own
        if unit.kind != "H" and rnd.random() < 0.8
    }
    sheet: list[Move | Target] = [Move(unit, tuple(path)) for unit, path in paths.items()]
    home = own[0].spot
    fields = [spot for spot, amount in world.resources.items() if amount and spot != home]
    if fields:
        target = rnd.choice(fields)
        sheet.append(Target(*target))
        paths["H"] = course(*state.planet.named(target[0] - home[0], target[1] - home[1], near=(0, 0)))[:1]
    return tuple(sheet), paths


def outcome(world: World) -> dict[str, object]:
    """Return a world after its marches, without what Harvesters gather."""
    homes = {unit.spot for unit in world.units if unit.kind == "H"}
    return {
        "units": {(unit.owner, unit.name): unit.spot for unit in world.units},
        "rulers": world.rulers,
        "resources": {spot: amount for spot, amount in world.resources.items() if spot not in homes},
        "entered": world.entered,
        "left": world.left,
    }
