"""Outcome of a sheet's economic orders, as far as its player can tell.

The orders are applied as the resolver will apply them: scrap, maintenance,
repair, hide, build. The rest of the sheet is checked against the ships as they
will then be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pbem.ruleset import Finding, Order, ParsedOrder
from pbem_rules.common.summary import counted
from pbem_rules.singularity_trap.chart import UNITS
from pbem_rules.singularity_trap.economy import MENDING
from pbem_rules.singularity_trap.orders import MOST_BUILT, Build, Hide, Repair, Scrap, View, new_name

AnOrder = TypeVar("AnOrder", bound=Order)


@dataclass
class Prospect:
    """An own ship as the sheet will have it; `lost` and `unpaid` say why it will be gone, "" if it will not.

    `met`: a ship of a player not allied is seen in its space. `was_dark`: it was
    dark in the view, and saw nothing of what is around it.

    Orders for a ship that cannot be paid for are accepted all the same, with a warning.
    """

    name: str
    type: str
    space: str
    left: dict[str, int]
    full: dict[str, int]
    met: bool
    repaired: bool = False
    hiding: bool = False
    was_dark: bool = False
    lost: str = ""
    unpaid: str = ""

    @property
    def gone(self) -> str:
        """The reason why it will be gone; "" if it will not."""
        return self.lost or self.unpaid

    @property
    def dark(self) -> bool:
        """True if it will have no system."""
        return not self.left["system"]

    @property
    def encounter(self) -> bool:
        """True if it will be in an encounter, should those it meets stay; a dark ship meets no other (ruling 13)."""
        return self.met and not self.dark

    @property
    def shots(self) -> int:
        """The shots a round: one per weapon with undamaged multifire, else one with any weapon."""
        return self.left["weapons"] if self.left["multifire"] else min(self.left["weapons"], 1)

    def damaged(self, units: Iterable[str]) -> list[str]:
        """Return the damaged units of some kinds, one entry a point."""
        return [unit for unit in units for _ in range(self.full.get(unit, 0) - self.left.get(unit, 0))]


def problems(line: int, found: Sequence[tuple[str, str]], *, of: int) -> list[Finding]:
    """Return findings (code, text) on ships of an order: errors if they are on all of them, else warnings."""
    severity = "error" if len(found) == of else "warning"
    return [Finding(line, severity, code, text) for code, text in found]


class Outlook:
    """The fleet and the points that a sheet makes of a view; `findings` are those of its economic lines."""

    def __init__(self, view: View, entries: Sequence[ParsedOrder]) -> None:
        self.view = view
        self.types = {kind["name"]: kind for kind in view["rules"]["types"]}
        self._met = frozenset(spaces_met(view))
        self.ships = {ship["id"]: self._prospect(ship) for ship in view["ships"]}
        self.purse = view["points"] + view["income"]
        self.findings: list[Finding] = []
        self._entries = entries
        if view["section"] in ("turn", "economic"):
            for step in (self._scrap, self._maintain, self._repair, self._hide, self._build, self._save):
                step()

    def missing(self, name: str) -> str:
        """Return why a ship that an order names will not be there; empty if it will."""
        ship = self.ships.get(name)
        if ship is None:
            return f"no accepted line of this sheet builds {name}"
        return f"{name} is {ship.gone}" if ship.gone else ""

    def _lines(self, kind: type[AnOrder]) -> Iterator[tuple[int, AnOrder]]:
        return ((entry.line, entry.order) for entry in self._entries if isinstance(entry.order, kind))

    def _find(self, line: int, severity: str, code: str, text: str, hint: str = "") -> None:
        self.findings.append(Finding(line, severity, code, text, hint))

    def _scrap(self) -> None:
        for line, order in self._lines(Scrap):
            twice = [("gone", f"{name} is scrapped already") for name in order.ships if self.ships[name].lost]
            self.findings += problems(line, twice, of=len(order.ships))
            for name in order.ships:
                self.ships[name].lost = "scrapped on this sheet"

    def _maintain(self) -> None:
        cost = sum(not ship.lost for ship in self.ships.values())
        if cost > self.purse:
            purse, fleet = counted(self.purse, "point"), counted(cost, "ship")
            text = f"{purse} cannot pay for {fleet}: {cost - self.purse} will be scrapped"
            self._find(0, "warning", "unpaid", text, "dark ships go first, then the cheapest, then the highest number")
            unpaid = sorted((ship for ship in self.ships.values() if not ship.lost), key=self._first_given_up)
            for ship in unpaid[: cost - self.purse]:
                ship.unpaid = "scrapped, as its upkeep cannot be paid"
        self.purse = max(0, self.purse - cost)

    def _first_given_up(self, ship: Prospect) -> tuple[bool, int, int]:
        # Dark ships go first, then the cheapest, then the highest number (ruling 8).
        return not ship.dark, self.types[ship.type]["cost"], -int(ship.name[1:])

    def _repair(self) -> None:
        for line, order in self._lines(Repair):
            ship = self.ships[order.ship]
            if ship.unpaid:
                self._find(line, "warning", "gone", f"{ship.name} is {ship.unpaid}")
                continue
            units = ship.damaged(dict.fromkeys(order.units) or (UNITS[unit] for unit in MENDING))[: order.points]
            if ship.lost or not units:
                why = f"is {ship.lost}" if ship.lost else "has nothing of that damaged"
                self._find(line, "error", "gone" if ship.lost else "nothing-damaged", f"{ship.name} {why}")
                continue
            if not self.purse:
                self._find(line, "error", "too-dear", "no point is left for a repair")
                continue
            if len(units) > self.purse:
                text = f"that takes {counted(len(units), 'point')}, with {self.purse} left: only so much will be mended"
                self._find(line, "warning", "too-dear", text)
            for unit in units[: self.purse]:
                ship.left[unit] += 1
                ship.repaired = True
            self.purse = max(0, self.purse - len(units))

    def _hide(self) -> None:
        for line, order in self._lines(Hide):
            ships = [self.ships[name] for name in order.ships]
            found = [("cannot-hide", why) for ship in ships if (why := _cannot_hide(ship))]
            self.findings += problems(line, found, of=len(ships))
            for ship in ships:
                if ship.unpaid:
                    self._find(line, "warning", "gone", f"{ship.name} is {ship.unpaid}")
                if not _cannot_hide(ship):
                    ship.left["system"], ship.hiding = 0, True

    def _build(self) -> None:
        following = 1
        for line, order in self._lines(Build):
            first = order.first or following
            if first < following:
                hint = f"the next is {new_name(following)}"
                self._find(line, "error", "number-taken", f"{new_name(first)} is another ship of this sheet", hint)
            elif first + order.number > MOST_BUILT + 1:
                self._find(line, "error", "too-many", f"one sheet can order {MOST_BUILT} ships at the most")
            else:
                self._lay_down(line, order, first)
                following = first + order.number

    def _lay_down(self, line: int, order: Build, first: int) -> None:
        paid = self._pay(line, order)
        names = [new_name(first + number) for number in range(order.number)]
        full = {unit: self.types[order.type]["units"].get(unit, 0) for unit in UNITS}
        for at, name in enumerate(names):
            unpaid = "" if at < paid else "not built, for want of points"
            met = order.space in self._met
            self.ships[name] = Prospect(name, order.type, order.space, dict(full), full, met, unpaid=unpaid)
        if paid and self.view["section"] == "turn":
            they, to = ("it is", "") if len(names) == 1 else ("they are", f" to {names[-1]}")
            self._find(line, "note", "new-name", f"on this sheet {they} called {names[0]}{to}")

    def _pay(self, line: int, order: Build) -> int:
        """Take the price of some ships from the points, and return the number that is paid for."""
        price = self.types[order.type]["cost"]
        paid: int = min(order.number, self.purse // price)
        if not paid:
            text = f"one {order.type} costs {counted(price, 'point')}, with {self.purse} left"
            self._find(line, "error", "too-dear", text, self._payable())
        elif paid < order.number:
            cost = counted(order.number * price, "point")
            text = f"that costs {cost}, with {self.purse} left: {paid} of {order.number} will be built"
            self._find(line, "warning", "too-dear", text)
        self.purse -= paid * price
        return paid

    def _payable(self) -> str:
        types = [f"{kind['name']} ({kind['cost']})" for kind in self.types.values() if kind["cost"] <= self.purse]
        return f"possible: {', '.join(types)}" if types else "no ship costs so little"

    def _save(self) -> None:
        # Line 0 is the sheet as a whole.
        self._find(0, "note", "points", f"{counted(self.purse, 'point')} will be left to save")

    def _prospect(self, ship: View) -> Prospect:
        left = dict.fromkeys(UNITS, 0) | {unit["unit"]: unit["left"] for unit in ship["units"]}
        full = dict.fromkeys(UNITS, 0) | {unit["unit"]: unit["full"] for unit in ship["units"]}
        met, was_dark = ship["space"] in self._met, not left["system"]
        return Prospect(ship["id"], ship["type"], ship["space"], left, full, met, was_dark=was_dark)


def spaces_met(view: View) -> Iterator[str]:
    """Yield the spaces in which ships of players not allied are seen."""
    friends = {player["colour"] for player in view["players"] if player["ally"]}
    for contact in view["sensors"]["contacts"]:
        if any(ship["owner"] not in friends for ship in contact["ships"]):
            yield contact["space"]


def _cannot_hide(ship: Prospect) -> str:
    if ship.lost:
        return f"{ship.name} is {ship.lost}"
    if ship.repaired:
        return f"{ship.name} is repaired this turn, so it cannot hide"
    return f"{ship.name} is dark already" if ship.dark else ""
