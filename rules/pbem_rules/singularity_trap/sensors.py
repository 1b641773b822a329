"""Sensors of ships (ruling 25): the one place that decides who may know of whose ships."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

from pbem.ruleset import SeatName
from pbem_rules.singularity_trap.chart import Chart
from pbem_rules.singularity_trap.space import LARGEST_RADIUS, Space, within
from pbem_rules.singularity_trap.state import Ship
from pbem_rules.singularity_trap.view_types import AlliedView, ContactView, SeenShip, SensorsView

# Wide enough for a board and the reach of sensors beyond its edge: no two spaces have the same code.
_ROW = 2 * LARGEST_RADIUS + 8
_LEVEL = _ROW * _ROW


def _code(space: Space) -> int:
    """Return a space as one number, such that the code of a sum is the sum of the codes."""
    return space[0] + space[1] * _ROW + space[2] * _LEVEL


@functools.cache
def _codes_within(reach: int) -> frozenset[int]:
    return frozenset(map(_code, within(reach)))


class Watch:
    """The ships in play at one moment, arranged once to be read by every player's sensors."""

    def __init__(self, chart: Chart, ships: Iterable[Ship], allied: Callable[[SeatName, SeatName], bool]) -> None:
        self._chart, self._allied = chart, allied
        self._spaces: dict[int, Space] = {}
        self._ships: dict[int, list[Ship]] = {}
        self._fleets: dict[SeatName, dict[int, int]] = {}
        for ship in ships:
            # A dark ship sees nothing, and only its owner knows of it.
            if not ship.dark:
                self._add(ship)

    def _add(self, ship: Ship) -> None:
        code = _code(ship.space)
        self._spaces[code] = ship.space
        self._ships.setdefault(code, []).append(ship)
        fleet = self._fleets.setdefault(ship.owner, {})
        # The best sensor of a fleet counts.
        fleet[code] = max(fleet.get(code, 0), ship.sensor_range)

    def sensors(self, seat: SeatName) -> SensorsView:
        """Return all that a player's sensors and allies' fleets show."""
        return {"contacts": self._contacts(seat), "unknown": self._unknown(seat), "allied": self._allied_fleets(seat)}

    def encountered(self, seat: SeatName, space: Space) -> bool:
        """Return True if a space holds a ship of a player who is not an ally (ruling 13)."""
        return any(self._hostile(seat, ship.owner) for ship in self._ships.get(_code(space), ()))

    def enemies(self, seat: SeatName, space: Space) -> list[SeenShip]:
        """Return the ships in a space that a player can fire at, by id."""
        here = self._ships.get(_code(space), ())
        return self._seen_ships(ship for ship in here if self._hostile(seat, ship.owner))

    def _hostile(self, a: SeatName, b: SeatName) -> bool:
        return a != b and not self._allied(a, b)

    def _contacts(self, seat: SeatName) -> list[ContactView]:
        contacts: list[ContactView] = []
        for code in self._sorted(self._fleets.get(seat, ())):
            ships = self._seen_ships(ship for ship in self._ships[code] if ship.owner != seat)
            if ships:
                contacts.append({"space": self._name(code), "ships": ships})
        return contacts

    def _unknown(self, seat: SeatName) -> list[str]:
        own = self._fleets.get(seat, {})
        # Allies' fleets are marked as theirs, not as unknown ships (ruling 31).
        hostile = {code for other, fleet in self._fleets.items() if self._hostile(seat, other) for code in fleet}
        unseen = hostile - own.keys()
        found: set[int] = set()
        for code, reach in own.items():
            found |= {code + offset for offset in _codes_within(reach)} & unseen
        return [self._name(code) for code in self._sorted(found)]

    def _allied_fleets(self, seat: SeatName) -> list[AlliedView]:
        return [
            {"owner": other, "space": self._name(code)}
            for other in sorted(self._fleets)
            if other != seat and self._allied(seat, other)
            for code in self._sorted(self._fleets[other])
        ]

    def _seen_ships(self, ships: Iterable[Ship]) -> list[SeenShip]:
        return [
            {"id": ship.id, "owner": ship.owner, "type": ship.type, "damage": self._damage(ship)}
            for ship in sorted(ships, key=lambda ship: ship.id)
        ]

    def _damage(self, ship: Ship) -> int:
        return self._chart.type_by_name[ship.type].cost - sum(ship.left)

    def _sorted(self, codes: Iterable[int]) -> list[int]:
        return sorted(codes, key=self._spaces.__getitem__)

    def _name(self, code: int) -> str:
        return self._chart.board.name(self._spaces[code])
