"""What a sheet will do, as far as its player's report tells: the forecast of a receipt.

It is made of the orders kept and of the view, and says what is certain, what
holds if nobody comes in the way, and what only if nothing stops them that scanners do not tell, or foes they do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from pbem.ruleset import Finding, Order
from rules.harvester.atlas import UNKNOWN, Atlas
from rules.harvester.orders import Build, Destroy, DestroyHarvester, Drop, Move, Target
from rules.harvester.planet import DIRECTIONS
from rules.harvester.routes import written
from rules.harvester.units import COMBAT, HARVESTER, MOST_HELD, NIMBLE, SCANNER, SLOT
from rules.harvester.units import NAMES as UNITS
from rules.kit.hexes import Hex, step

H = UNITS[HARVESTER]
OrderT = TypeVar("OrderT", bound=Order)


@dataclass(frozen=True)
class Place:
    """Where a unit will be; `sure` if only others who come there could change it, `foes` if some are on its way."""

    unit: str
    spot: Hex
    sure: bool
    foes: bool


class Outlook:
    """The forecast for the orders kept from a sheet."""

    def __init__(self, atlas: Atlas, orders: Sequence[Order]) -> None:
        self.view, self.orders, self.atlas = atlas.view, orders, atlas
        view = self.view
        self.at: dict[str, Hex] = {unit["unit"]: (unit["q"], unit["r"]) for unit in view["units"]}
        self.own = Counter([*self.at.values(), self.atlas.home])
        self.foes = {(each["q"], each["r"]) for each in view["contacts"] if each["side"] == "foe"}

    def findings(self) -> Iterator[Finding]:
        """The forecast, as notes on the whole sheet."""
        if self._of(DestroyHarvester):
            if len(self.orders) > 1:
                yield _note("nothing-else", "Harvester and units are gone before any other order is carried out")
            return
        yield from (_note("treasury", text) for text in self._treasury())
        if places := self._moving():
            yield from (_note("outlook", f"if nobody comes in the way: {told}") for told in _told(places, sure=True))
            yield from (_note("outlook-unseen", f"if nothing stops them: {told}") for told in _told(places, sure=False))
        yield from self._idle()
        yield from self._driving()

    def _of(self, kind: type[OrderT]) -> list[OrderT]:
        return [order for order in self.orders if isinstance(order, kind)]

    # -- resources and building

    @property
    def spent(self) -> int:
        """The resources that the sheet gives away."""
        return sum(order.amount for order in self._of(Drop)) + sum(map(_price, self._of(Build)))

    def _treasury(self) -> Iterator[str]:
        held = self.view["harvester"]["held"]
        told = [f"{order.amount} dropped" for order in self._of(Drop)]
        told += [f"{_price(order)} paid for {order.unit}" for order in self._of(Build)]
        if told:
            yield f"of {held} resources, {' and '.join(told)}: {held - self.spent} left before your Harvester gathers"
        for unit, turns in self._works():
            last = self.view["turn"] + turns - 1
            when = "this turn" if turns == 1 else f"turn {last}"
            yield f"{unit} is ready at the end of {when}, and stands with your Harvester then"

    def _works(self) -> Iterator[tuple[str, int]]:
        """The unit being rebuilt and the turns that takes, this one counted."""
        if self.view["building"] is not None:
            yield self.view["building"]["unit"], self.view["building"]["turns"]
        for order in self._of(Build):
            yield order.unit, int(COMBAT[SLOT[order.unit]])

    # -- defence units

    @cached_property
    def _gone(self) -> set[str]:
        return {order.unit for order in self._of(Destroy)}

    def _moving(self) -> list[Place]:
        return [self._place(order) for order in self._of(Move)]

    def _place(self, order: Move) -> Place:
        """Where a march ends: before the first crags known that the unit cannot enter, else where it leads."""
        here = self.at[order.unit]
        sure, foes = not self.view["rulers"], here in self.foes
        for way in order.steps:
            there = self.atlas.named(step(here, DIRECTIONS[way]))
            if there in self.atlas.crags and not NIMBLE[SLOT[order.unit]]:
                break
            here = there
            sure, foes = sure and self._is_clear(here), foes or here in self.foes
        return Place(order.unit, here, sure and not foes, foes)

    def _is_clear(self, spot: Hex) -> bool:
        """Whether scanners tell that no unit of an enemy is in a hex, and that anyone can enter it."""
        seen = self.atlas.sightings.get(spot)
        if seen is None or seen.number == UNKNOWN or spot in self.foes:
            return False
        return seen.band == 1 or seen.number == self.own[spot]

    def _idle(self) -> Iterator[Finding]:
        ordered = {order.unit for order in self._of(Move)} | self._gone
        idle = [unit for unit in self.at if unit not in ordered]
        if idle and len(idle) < len(self.at):
            yield _note("idle", f"without an order, and so where {_are(idle)}: {', '.join(idle)}")

    # -- the Harvester

    def _driving(self) -> Iterator[Finding]:
        """Where the Harvester will be, what it gathers there, and what it holds then."""
        start, goal = self.atlas.home, self._goal()
        there = start if goal is None else self._next(goal)
        if there is None:
            assert goal is not None
            left = self.view["harvester"]["left"] - 1
            yield _note("outlook-unseen", f"{_UNSEEN}, your Harvester is {left} steps from {written(goal)} then")
            return
        free = not self.view["rulers"] and start not in self.foes and (there == start or self._is_open(there))
        code, marked = ("outlook", "if nobody comes in its way") if free else ("outlook-unseen", _UNSEEN)
        where = f"stays at {written(there)}" if there == start else f"comes to {written(there)}"
        if found := self._found(there):
            held = self.view["harvester"]["held"] - self.spent
            gathered = min(found, MOST_HELD - held)
            where += f", gathers {gathered} and holds {held + gathered} then"
        elif there == start and goal is None:
            return
        yield _note(code, f"{marked}, your Harvester {where}")

    def _goal(self) -> Hex | None:
        targets = self._of(Target)
        if targets:
            return self.atlas.named((targets[0].q, targets[0].r))
        target = self.view["harvester"]["target"]
        return (target[0], target[1]) if target else None

    def _next(self, goal: Hex) -> Hex | None:
        """The next hex on the way; None if the report does not tell where a line begun before goes on."""
        course = self.atlas.course(self.atlas.home, goal)
        if not self._of(Target) and len(set(course)) > 1:
            return None
        there = self.atlas.named(step(self.atlas.home, DIRECTIONS[course[0]]))
        return self.atlas.home if there in self.atlas.crags else there

    def _is_open(self, spot: Hex) -> bool:
        """Whether the Harvester surely gets into a hex: nobody else is there, nor next to it to come there as well."""
        around = [spot, *(self.atlas.named(step(spot, way)) for way in DIRECTIONS.values())]
        return all(self._strangers(each) == 0 for each in around)

    def _strangers(self, spot: Hex) -> int:
        """How many units of others are in a hex; -1 if that is not told."""
        seen = self.atlas.sightings.get(spot)
        return -1 if seen is None or seen.number == UNKNOWN else seen.number - self.own[spot]

    def _found(self, spot: Hex) -> int:
        """What will lie in a hex next to the Harvester, or in its own, when it gathers."""
        seen = self.atlas.sightings[spot]
        dropped = sum(order.amount for order in self._of(Drop)) if spot == self.atlas.home else 0
        wrecks = sum(int(SCANNER[SLOT[unit]]) for unit in self._gone if self.at[unit] == spot)
        return max(seen.resources, 0) + dropped + wrecks


_UNSEEN = "if nothing is in its way"


def _price(order: Build) -> int:
    return int(SCANNER[SLOT[order.unit]])


def _are(units: Sequence[str]) -> str:
    return "they are" if len(units) > 1 else "it is"


def _told(places: Iterable[Place], *, sure: bool) -> list[str]:
    """The places of one certainty in words, if there are any."""
    told = [
        f"{place.unit} at {written(place.spot)}{' (foes on the way)' if place.foes else ''}"
        for place in places
        if place.sure == sure
    ]
    return ["; ".join(told)] if told else []


def _note(code: str, text: str) -> Finding:
    return Finding(0, "note", code, text)
