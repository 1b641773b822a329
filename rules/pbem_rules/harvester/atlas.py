"""A view's scans, indexed by hex for sheets, maps, pictures and bots."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from pbem.ruleset import View
from pbem_rules.common.hexes import Hex, distance, step
from pbem_rules.harvester.planet import DIRECTIONS, course, planet_of

UNKNOWN = -1


class Sighting(NamedTuple):
    """The facts that a view gives of a hex; `band` is 1 to 5, and facts of nearer bands are UNKNOWN.

    `entered` names directions ("E SW"). `number` counts the reader's own units too.
    """

    band: int
    marked: bool
    moved: int = UNKNOWN
    entered: str = ""
    number: int = UNKNOWN
    resources: int = UNKNOWN


# The facts of a clear hex, by band.
_NOTHING = (
    Sighting(1, marked=False, moved=0, number=0, resources=0),
    Sighting(2, marked=False, moved=0, number=0),
    Sighting(3, marked=False, moved=0),
    Sighting(4, marked=False, moved=0),
    Sighting(5, marked=False),
)


class Atlas:
    """The hexes of a view, by the coordinates of its reader."""

    def __init__(self, view: View) -> None:
        self.view = view
        home = view["harvester"]
        self.home: Hex = (home["q"], home["r"]) if home else (0, 0)
        self.planet = planet_of(view["size"])

    @cached_property
    def quiet(self) -> dict[Hex, Sighting]:
        """The hexes that scanners show to be clear."""
        found: dict[Hex, Sighting] = {}
        for nothing, spots in zip(_NOTHING, self.view["quiet"], strict=True):
            found.update(dict.fromkeys(zip(spots[::2], spots[1::2], strict=True), nothing))
        return found

    @cached_property
    def traces(self) -> dict[Hex, Sighting]:
        """The other scanned hexes, except dust fields seen from outside."""
        return {
            (q, r): Sighting(band, bool(marked), *facts)
            for band, rows in enumerate(self.view["scan"], 1)
            for q, r, marked, *facts in rows
        }

    @cached_property
    def sightings(self) -> dict[Hex, Sighting]:
        """Every scanned hex, except dust fields seen from outside."""
        return self.quiet | self.traces

    @cached_property
    def marked(self) -> dict[Hex, int]:
        """The hexes that may hold a resource, with their number: those counted in band 1, else marked (ruling 9)."""
        near, *far = self.view["scan"]
        marked = {(row[0], row[1]): row[6] for row in near if row[6]}
        return marked | {(row[0], row[1]): UNKNOWN for rows in far for row in rows if row[2]}

    @cached_property
    def near(self) -> dict[Hex, int]:
        """The resources of the hexes in band 1."""
        quiet = self.view["quiet"][0]
        clear = dict.fromkeys(zip(quiet[::2], quiet[1::2], strict=True), 0)
        return clear | {(row[0], row[1]): row[6] for row in self.view["scan"][0]}

    @cached_property
    def numbers(self) -> dict[Hex, int]:
        """The units in the hexes of band 2."""
        quiet = self.view["quiet"][1]
        clear = dict.fromkeys(zip(quiet[::2], quiet[1::2], strict=True), 0)
        return clear | {(row[0], row[1]): row[5] for row in self.view["scan"][1]}

    @cached_property
    def units(self) -> dict[str, Hex]:
        """The hexes of the reader's living defence units."""
        return {unit["unit"]: (unit["q"], unit["r"]) for unit in self.view["units"]}

    @cached_property
    def crags(self) -> frozenset[Hex]:
        return frozenset((q, r) for q, r in self.view["crags"])

    def named(self, spot: Hex) -> Hex:
        """Return the one name of a hex in this view, for coordinates counted on around the planet (ruling 15)."""
        q, r = spot
        # As nearly all are named. Twice their distance from 0,0 is compared.
        if abs(q) + abs(r) + abs(q + r) < 2 * self.planet.size:
            return spot
        return self.planet.named(*spot, near=(0, 0))

    def away(self, spot: Hex) -> Hex:
        """Return the shortest offset to a hex from the reader's Harvester."""
        return self.planet.named(spot[0] - self.home[0], spot[1] - self.home[1], near=(0, 0))

    def beyond_seam(self, spot: Hex, direction: Hex) -> bool:
        """Return True if the neighbour of a hex in a direction lies beyond the seam of the chart (ruling 15)."""
        return distance(step(spot, direction), (0, 0)) >= self.planet.size

    def distance(self, a: Hex, b: Hex) -> int:
        """Return the steps between two hexes, around the planet if that is shorter."""
        return distance(self.planet.named(b[0] - a[0], b[1] - a[1], near=(0, 0)), (0, 0))

    def line(self, start: Hex, end: Hex) -> list[Hex]:
        """Return the hexes of the straight line that a Harvester drives, without the first (ruling 5)."""
        here, passed = start, []
        for name in self.course(start, end):
            here = self.named(step(here, DIRECTIONS[name]))
            passed.append(here)
        return passed

    def course(self, start: Hex, end: Hex) -> list[str]:
        """Return the directions of the straight line between two hexes."""
        return course(*self.planet.named(end[0] - start[0], end[1] - start[1], near=(0, 0)))
