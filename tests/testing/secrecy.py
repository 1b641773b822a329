"""The secrets of Fog Patrol: the places of unseen boats, and all but place and owner of seen ones."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator

from pbem.ruleset import SeatName
from pbem.testing import SecrecySpec
from tests.testing.toy import HULL, REACH, SIGHT, SQUARES, STEPS, Boat, Sea, apart, moved, sees

KEN = SIGHT + 1
"""How far a seat can see this turn, after its boats have moved."""


def scramble(state: Sea, seat: SeatName, rnd: random.Random) -> Sea:
    """Return another sea that looks the same to the seat."""
    fog = [square for square in SQUARES if not sees(state.boats, seat, square)]
    fixed, loose = [], []
    for boat in state.boats:
        if boat.owner == seat:
            fixed.append(boat)
        elif boat.square in fog:
            loose.append(boat)
        else:
            fixed.append(dataclasses.replace(boat, hull=rnd.randint(1, HULL)))
    return _renumbered(state, [*fixed, *_others(state, seat, fixed, loose, fog, rnd)], rnd)


def elsewhere(state: Sea, seat: SeatName, rnd: random.Random) -> tuple[Sea, dict[SeatName, list[str]]]:
    """Return another sea, changed out of the seat's sight, where boats move and fire at each other."""
    own = [boat.square for boat in state.boats if boat.owner == seat]

    def far(square: str) -> bool:
        return all(apart(square, berth) > KEN + 1 for berth in own)

    waters = [square for square in SQUARES if far(square)]
    fixed = [boat for boat in state.boats if not far(boat.square)]
    loose = [boat for boat in state.boats if far(boat.square)]
    away = list(_others(state, seat, fixed, loose, waters, rnd))
    sea = _renumbered(state, [*fixed, *away], rnd)
    return sea, _skirmish(away, far, rnd)


def _skirmish(boats: list[Boat], far: Callable[[str], bool], rnd: random.Random) -> dict[SeatName, list[str]]:
    sheets: dict[SeatName, list[str]] = {}
    for boat in boats:
        ways = [way for way in STEPS if far(moved(boat.square, way) or boat.square)]
        aims = [other.square for other in boats if apart(other.square, boat.square) <= REACH]
        lines = [f"FIRE {boat.name} AT {rnd.choice(aims)}"]
        if ways and rnd.random() < 0.5:
            lines.append(f"MOVE {boat.name} {rnd.choice(ways)}")
        sheets.setdefault(boat.owner, []).extend(lines)
    return sheets


def _others(
    state: Sea, seat: SeatName, fixed: list[Boat], loose: list[Boat], waters: list[str], rnd: random.Random
) -> Iterator[Boat]:
    """Return the hidden boats moved, some dropped, some added; every seat afloat stays so."""
    if not waters:
        yield from loose
        return
    for owner in sorted({boat.owner for boat in state.boats} - {seat}):
        taken = {boat.name for boat in fixed if boat.owner == owner}
        names = [name for name in (f"{owner[0].upper()}{count}" for count in range(1, 8)) if name not in taken]
        before = sum(boat.owner == owner for boat in loose)
        least = 0 if taken else 1
        for name in sorted(rnd.sample(names, max(least, min(len(names), before + rnd.randint(-1, 1))))):
            yield Boat(0, owner, name, rnd.choice(waters), rnd.randint(1, HULL))


def _renumbered(state: Sea, boats: list[Boat], rnd: random.Random) -> Sea:
    numbers = rnd.sample(range(1_000), len(boats))
    return dataclasses.replace(
        state,
        boats=tuple(dataclasses.replace(boat, number=number) for boat, number in zip(boats, numbers, strict=True)),
    )


SECRECY = SecrecySpec(scramble, elsewhere, public=("edition", "seats", "turn", "turns"))
