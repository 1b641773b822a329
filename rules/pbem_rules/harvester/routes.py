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
class Route:
    """A way to a hex, other ways as short, and whether known crags lie on the straight line there."""

    way: Way
    others: tuple[Way, ...]
    around: bool


def written(spot: Hex) -> str:
    """Return a hex as players write it."""
    return f"{spot[0]},{spot[1]}"


def route_to(atlas: Atlas, unit: str, start: Hex, goal: Hex) -> Route:
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
            return Route(way, tuple(other for other in ways if other != way), straight not in ways)
    text = f"known crags leave {unit_words(unit)} no way to {written(goal)} that it could go in a turn"
    raise FieldError("crags", text, "only Soldiers and Scouts enter crags")


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
