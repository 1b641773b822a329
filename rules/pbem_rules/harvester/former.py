"""Views of version 1 in the form of the present version.

In version 1 hexes were counted from each Harvester's way, around the planet and on,
so that one hex had many names; and contacts had no `side`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from pbem.ruleset import SeatName, View
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester.planet import planet_of


def renewed(view: View) -> View:
    """Return a view of any version in the form of this one, each hex by the one name it has now."""
    if "memory" in view:  # of version 1 none has one
        return view
    return _Renewed(view).view()


class _Renewed:
    def __init__(self, view: View) -> None:
        self._view = view
        self._planet = planet_of(view["size"])
        self._harvesters = {each["owner"]: each for each in view["contacts"] if "H" in each["units"]}

    def view(self) -> View:
        old = self._view
        return {
            **old,
            "harvester": self._harvester(),
            "units": list(map(self._placed, old["units"])),
            "events": list(map(self._placed, old["events"])),
            "subservients": list(map(self._subservient, old["subservients"])),
            "contacts": [{"side": self._side(each["owner"]), **self._placed(each)} for each in old["contacts"]],
            "scan": list(map(self._rows, old["scan"])),
            "quiet": [list(chain(*map(self._name, spots[::2], spots[1::2]))) for spots in old["quiet"]],
            "crags": self._rows(old["crags"]),
            "dust": self._rows(old["dust"]),
        }

    def _name(self, q: int, r: int) -> Hex:
        return self._planet.named(q, r, near=(0, 0))

    def _rows(self, rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
        return [[*self._name(q, r), *told] for q, r, *told in rows]

    def _placed(self, thing: Mapping[str, Any]) -> dict[str, Any]:
        if "q" not in thing:
            return dict(thing)
        q, r = self._name(thing["q"], thing["r"])
        return {**thing, "q": q, "r": r}

    def _harvester(self) -> dict[str, Any] | None:
        harvester = self._view["harvester"]
        if harvester is None:
            return None
        target = harvester["target"]
        return {**self._placed(harvester), "target": target and list(self._name(*target))}

    def _side(self, owner: SeatName) -> str:
        """Return "friend" or "foe"; subservients of the same ruler beside the reader cannot be told from foes."""
        below = (each["seat"] for each in self._view["subservients"])
        return "friend" if owner in (*self._view["rulers"], *below) else "foe"

    def _subservient(self, each: Mapping[str, Any]) -> dict[str, Any]:
        """Add the place of a subservient's Harvester, from its contact; what it held was not in the view."""
        harvester = self._placed(self._harvesters[each["seat"]])
        return {"held": 0, "units": [], **each, "q": harvester["q"], "r": harvester["r"]}
