"""Ships of a view as marks on the map, for the picture and the text map.

They are read from the view alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pbem.ruleset import View
from pbem_rules.common.hexes import Hex
from pbem_rules.singularity_trap.chart import GRAY, letter_of
from pbem_rules.singularity_trap.space import Space, StarMap, board_of

Kind = Literal["own", "dark", "seen", "allied", "unknown", "old"]

KINDS: tuple[Kind, ...] = ("own", "dark", "seen", "allied", "unknown", "old")
"""Kinds of marks, in the order in which those of one space are listed."""

Planet = Mapping[str, Any]
"""A planet as the view has it."""

_PLACES = {kind: place for place, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Mark:
    """Ships of one kind and owner in one space.

    `name` is the space as players write it, `at` its coordinates. `owner` is a
    colour, or None; `count` is 0 where it is not known. An "old" mark was seen
    `age` turns ago, and is not seen now.
    """

    kind: Kind
    name: str
    at: Space
    owner: str | None = None
    count: int = 0
    age: int = 0

    @property
    def cell(self) -> Hex:
        """The board hex of the mark's space."""
        return self.at[:2]

    @property
    def level(self) -> int:
        """The level of the mark's space."""
        return self.at[2]


class Hop(NamedTuple):
    """A leg of an own ship's way, from space to space; `start` is None where no report told it."""

    start: str | None
    end: str
    jump: bool


def letter(colour: str) -> str:
    """Return the letter of a colour: N for gray, since G is green."""
    return "N" if colour == GRAY else letter_of(colour)


def marks(view: View) -> list[Mark]:
    """Return all marks of a view, in order.

    They go hex by hex; in a hex the highest level comes first, in a space as in `KINDS`, then by owner.
    """
    board = board_of(view)
    found = [Mark(kind, name, board.at(name), owner, count) for kind, name, owner, count in _sightings(view)]
    found += _last_known(view, board)
    return sorted(found, key=lambda mark: (mark.cell, -mark.level, _PLACES[mark.kind], mark.owner or ""))


def by_cell(found: Iterable[Mark]) -> dict[Hex, dict[int, list[Mark]]]:
    """Return the marks of each board hex by level, in the order given."""
    cells: dict[Hex, dict[int, list[Mark]]] = defaultdict(dict)
    for mark in found:
        cells[mark.cell].setdefault(mark.level, []).append(mark)
    return cells


def planets_by_cell(view: View, board: StarMap) -> dict[Hex, dict[int, Planet]]:
    """Return the planets of each board hex by level, the highest first; mostly one."""
    placed = sorted(((board.at(planet["space"]), planet) for planet in view["planets"]), key=lambda pair: -pair[0][2])
    cells: dict[Hex, dict[int, Planet]] = defaultdict(dict)
    for at, planet in placed:
        cells[at[:2]][at[2]] = planet
    return cells


def fights(view: View) -> set[str]:
    """Return the spaces in which the reader saw fighting since the report before."""
    return {event["space"] for event in view["events"] if event["kind"] == "combat"}


def ways(view: View) -> Iterator[list[Hop]]:
    """Yield the ways of the reader's ships since the report before."""
    stood = dict(view.get("memory", {}).get("stood", {}))
    for event in view["events"]:
        if event["kind"] == "built":
            stood[event["ship"]] = event["space"]
        elif event["kind"] == "moved":
            legs = [leg for leg in event["legs"] if leg["how"] != "stay"]
            ends = [leg["space"] for leg in legs]
            yield list(map(Hop, [stood.get(event["ship"]), *ends], ends, [leg["how"] == "jump" for leg in legs]))
            stood[event["ship"]] = event["end"]


def _last_known(view: View, board: StarMap) -> Iterator[Mark]:
    """Yield marks of what is out of sight, by space and owner, as old as the latest sighting."""
    groups: dict[tuple[str, str | None], list[Mapping[str, Any]]] = defaultdict(list)
    for sighting in view.get("memory", {}).get("last_known", ()):
        groups[sighting["space"], sighting.get("owner")].append(sighting)
    shown = {(fleet["space"], fleet["owner"]) for fleet in view["sensors"]["allied"]}
    for (space, owner), found in groups.items():
        # The fleet has a mark of its own.
        if (space, owner) in shown:
            continue
        ships, age = sum("id" in each for each in found), min(view["turn"] - each["turn"] for each in found)
        yield Mark("old", space, board.at(space), owner, ships, age)


def _sightings(view: View) -> Iterator[tuple[Kind, str, str | None, int]]:
    own = Counter((ship["space"], ship["dark"]) for ship in view["ships"])
    for (space, dark), count in own.items():
        yield "dark" if dark else "own", space, view["seat"], count
    sensors = view["sensors"]
    seen = Counter((contact["space"], ship["owner"]) for contact in sensors["contacts"] for ship in contact["ships"])
    for (space, owner), count in seen.items():
        yield "seen", space, owner, count
    for fleet in sensors["allied"]:
        # Ships of an ally that are seen need no second mark.
        if (fleet["space"], fleet["owner"]) not in seen:
            yield "allied", fleet["space"], fleet["owner"], 0
    for space in sensors["unknown"]:
        yield "unknown", space, None, 0
