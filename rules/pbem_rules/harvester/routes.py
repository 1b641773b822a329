"""Routes of a unit to a hex: the shortest that known crags allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pbem.ruleset import FieldError
from pbem_rules.common.hexes import Hex, step
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.orders import unit_words
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.units import MOVE, NIMBLE, SLOT

Way = tuple[str, ...]


@dataclass(frozen=True)
class ShortestWay:
    """A way to a hex, other ways as short, and whether known crags lie on the straight line there."""

    way: Way
    others: tuple[Way, ...]
    around: bool


def written(spot: Hex) -> str:
    """Return a hex as players write it."""
    return f"{spot[0]},{spot[1]}"


def route_to(atlas: Atlas, unit: str, start: Hex, goal: Hex) -> ShortestWay:
    """Return the route of a unit to a hex. Raise FieldError if there is none for this turn."""
    goal = atlas.named(goal)
    far, most = atlas.distance(start, goal), int(MOVE[SLOT[unit]])
    shut = frozenset() if NIMBLE[SLOT[unit]] else atlas.crags
    if not far:
        raise FieldError("there-already", f"{unit_words(unit)} is there already, at {written(goal)}")
    if goal in shut:
        text = f"{unit_words(unit)} cannot enter the crags at {written(goal)}"
        raise FieldError("crags", text, "only Soldiers and Scouts enter crags")
    if far > most:
        raise _too_far(unit, atlas.course(start, goal)[:most], goal, far)
    for length in range(far, most + 1):
        ways = tuple(_ways(atlas, start, goal, length, shut))
        if ways:
            straight = tuple(atlas.course(start, goal))
            way = straight if straight in ways else ways[0]
            return ShortestWay(way, tuple(other for other in ways if other != way), straight not in ways)
    text = f"known crags leave {unit_words(unit)} no way to {written(goal)} that it could go in a turn"
    raise FieldError("crags", text, "only Soldiers and Scouts enter crags")


def reach(atlas: Atlas, unit: str, start: Hex) -> Iterator[tuple[Way, list[Hex]]]:
    """Yield the ways that `route_to` takes to all hexes in a unit's reach, nearest first, with the hexes on them."""
    shut = frozenset() if NIMBLE[SLOT[unit]] else atlas.crags
    found, last = {start}, [((), [])]  # type: set[Hex], list[tuple[Way, list[Hex]]]
    for _ in range(int(MOVE[SLOT[unit]])):
        ahead = []
        # In the order of directions, so the first way found to a hex is the first that `route_to` would find.
        for way, path in last:
            for name, direction in DIRECTIONS.items():
                there = atlas.named(step(path[-1] if path else start, direction))
                if there not in shut and there not in found:
                    found.add(there)
                    ahead.append(((*way, name), [*path, there]))
        yield from (_straightened(atlas, start, way, path, shut) for way, path in ahead)
        last = ahead


def _straightened(atlas: Atlas, start: Hex, way: Way, path: list[Hex], shut: frozenset[Hex]) -> tuple[Way, list[Hex]]:
    """Return the straight line to the end of a way, if it is as short and open; else the way itself."""
    line = atlas.line(start, path[-1])
    if len(line) == len(path) and shut.isdisjoint(line):
        return tuple(atlas.course(start, path[-1])), line
    return way, path


def _too_far(unit: str, way: list[str], goal: Hex, far: int) -> FieldError:
    text = f"{written(goal)} is {far} steps from {unit_words(unit)}, which takes {len(way)} at the most"
    return FieldError("too-far", text, f"as far as it gets: MOVE {unit} {' '.join(way)}")


def _ways(atlas: Atlas, start: Hex, goal: Hex, length: int, shut: frozenset[Hex]) -> Iterator[Way]:
    """Yield all ways of a length that enter no closed hex."""
    if not length:
        if start == goal:
            yield ()
        return
    for name, direction in DIRECTIONS.items():
        here = atlas.named(step(start, direction))
        if here not in shut and atlas.distance(here, goal) < length:
            yield from ((name, *rest) for rest in _ways(atlas, here, goal, length - 1, shut))
