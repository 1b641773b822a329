"""Tap targets of the charts: hexes, by the names of what their player knows to be in them."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pbem.ruleset import Point, TapTarget, View
from pbem_rules.common.hexes import Hex, outline
from pbem_rules.common.summary import counted, listed
from pbem_rules.singularity_trap.space import StarMap, board_of
from pbem_rules.singularity_trap.tokens import Sheet


class _Occupant(NamedTuple):
    """Something in a space: the ids by which it may be named, if any, and its description."""

    names: tuple[str, ...]
    words: str


class Contents:
    """The contents of the board as a view knows them, column by column and level by level."""

    def __init__(self, view: View) -> None:
        self._board: StarMap = board_of(view)
        self._found: dict[Hex, dict[int, list[_Occupant]]] = defaultdict(lambda: defaultdict(list))
        for space, found in _all(view):
            q, r, level = self._board.at(space)
            self._found[q, r][level].append(found)

    def hex_spot(self, cell: Hex, blank: TapTarget) -> TapTarget:
        """Return the target of a hex with all its levels; `blank` is the one of an empty hex there.

        Its names are ships by their ids, then its spaces, those with anything in them first.
        """
        if cell not in self._found:
            return blank
        levels = sorted(self._found[cell], reverse=True)
        ships = [name for level in levels for found in self._found[cell][level] for name in found.names]
        known = [self._name(cell, level) for level in levels]
        told = "; ".join(self._words(cell, level) for level in levels)
        return TapTarget(tuple(dict.fromkeys((*ships, *known, *blank.names))), told, blank.points)

    def space_spot(self, cell: Hex, level: int, points: tuple[Point, ...]) -> TapTarget:
        ships = dict.fromkeys(name for found in self._found[cell][level] for name in found.names)
        return TapTarget((*ships, self._name(cell, level)), self._words(cell, level), points)

    def _words(self, cell: Hex, level: int) -> str:
        return f"{self._name(cell, level)}: {', '.join(found.words for found in self._found[cell][level])}"

    def _name(self, cell: Hex, level: int) -> str:
        return self._board.name((*cell, level))


@functools.lru_cache(maxsize=64)
def blank_spots(board: StarMap, sheet: Sheet, top: int) -> dict[Hex, TapTarget]:
    """Return the targets of a sheet's hexes if nothing is known to be in them; `top` is where it begins."""
    places = {cell: sheet.at(cell) for cell in sheet.cells}
    return {cell: _blank(board, cell, outline(x, top + y, sheet.edge)) for cell, (x, y) in places.items()}


def _blank(board: StarMap, cell: Hex, points: tuple[Point, ...]) -> TapTarget:
    levels = sorted(range(-board.levels, board.levels + 1), key=lambda level: (abs(level), level))
    spaces = tuple(board.name((*cell, level)) for level in levels)  # those nearest to the middle level first
    return TapTarget(spaces, f"{spaces[0].removesuffix('+0')}: nothing known", points)


def _all(view: View) -> Iterator[tuple[str, _Occupant]]:
    """Yield everything of a view that is in a space: planets, own ships, others in sight, and others out of sight."""
    for planet in view["planets"]:
        yield planet["space"], _Occupant((), _planet(planet, view["seat"]))
    yield from _own(view["ships"])
    seen = [(contact["space"], ship) for contact in view["sensors"]["contacts"] for ship in contact["ships"]]
    yield from ((space, _Occupant((ship["id"],), _ship(ship))) for space, ship in seen)
    owners = {(space, ship["owner"]) for space, ship in seen}
    fleets = [(fleet["space"], fleet["owner"]) for fleet in view["sensors"]["allied"]]
    yield from (
        (space, _Occupant((), f"a fleet of {owner}")) for space, owner in fleets if (space, owner) not in owners
    )
    yield from ((space, _Occupant((), "unknown ships")) for space in view["sensors"]["unknown"])
    yield from _out_of_sight(view)


def _own(ships: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, _Occupant]]:
    there: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for ship in ships:
        there[ship["space"]].append(ship)
    for space, found in there.items():
        words = listed([ship["id"] + (" (dark)" if ship["dark"] else "") for ship in found])
        yield space, _Occupant(tuple(ship["id"] for ship in found), f"your {words}")


def _out_of_sight(view: View) -> Iterator[tuple[str, _Occupant]]:
    for sighting in view.get("memory", {}).get("last_known", ()):
        ago = f"{counted(view['turn'] - sighting['turn'], 'turn')} ago"
        if "id" in sighting:
            yield sighting["space"], _Occupant((sighting["id"],), f"{_ship(sighting)}, seen {ago}")
        else:
            what = f"a fleet of {sighting['owner']}" if "owner" in sighting else "unknown ships"
            yield sighting["space"], _Occupant((), f"{what}, seen {ago}")


def _planet(planet: Mapping[str, Any], seat: str) -> str:
    owner = "yours" if planet["owner"] == seat else f"owned by {planet['owner']}" if planet["owner"] else "unowned"
    return f"planet {planet['name']} ({planet['colour']}, {owner})"


def _ship(ship: Mapping[str, Any]) -> str:
    return f"{ship['id']} ({ship['owner']} {ship['type']})"
