"""The orders of Harvester."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pbem.ruleset import Kind, Listed, Order, OrderBook, Refused, Whole, Word, bounded
from rules.harvester.planet import NAMES as DIRECTIONS
from rules.harvester.units import KIND_NAMES

FARTHEST_COORDINATE = 99_999


@dataclass(frozen=True)
class Coordinate(Whole):
    """One of the two coordinates of a hex; samples lie around the reader's Harvester."""

    axis: str = "q"

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        centre = view["harvester"][self.axis] if view["harvester"] else 0
        return [str(centre + away) for away in range(-2, 3)]


@dataclass(frozen=True)
class Amount(Kind):
    """A number of resources, of those that the reader's Harvester holds."""

    shown: str = "amount"
    expected: str = "how many resources"
    example: str = "4"

    def read(self, word: str, view: Mapping[str, Any]) -> int:
        if view["harvester"] is None:
            raise Refused("out", "your Harvester is destroyed; you are out of the game")
        most = view["harvester"]["held"]
        expected = f"a whole number from 1 to {most}, as many as your Harvester holds"
        return bounded(word, 1, most, expected, none="your Harvester holds nothing that it could drop")

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        most = view["harvester"]["held"] if view["harvester"] else 0
        return sorted({"1", str((most + 1) // 2), str(most)}) if most else []


def unit_words(unit: str) -> str:
    """A unit in words: "Scout C3"."""
    return f"{KIND_NAMES[unit[0]]} {unit}"


LIVING = Listed("unit", "one of your defence units", "S2", lambda view: [unit["unit"] for unit in view["units"]])
LOST = Listed("unit", "one of your lost defence units", "L2", lambda view: view["lost"])
STEP = Word(DIRECTIONS, shown="direction", expected="a direction (" + ", ".join(DIRECTIONS) + ")", example="NE NE E")
_NUMBERS = f"two whole numbers, q and r, up to {FARTHEST_COORDINATE}"
Q = Coordinate(-FARTHEST_COORDINATE, FARTHEST_COORDINATE, shown="q", expected=_NUMBERS, example="3", axis="q")
R = Coordinate(-FARTHEST_COORDINATE, FARTHEST_COORDINATE, shown="r", expected=_NUMBERS, example="-2", axis="r")
AMOUNT = Amount()


@dataclass(frozen=True, slots=True)
class Move(Order):
    """Move a defence unit, one direction for each step; MOVE S2 TO 3,-2 finds the shortest way there.

    A General takes one step a turn, Lieutenants two, Soldiers three, Scouts four.
    """

    usage = "MOVE unit steps..."
    unit: Annotated[str, LIVING]
    steps: Annotated[tuple[str, ...], STEP]

    def words(self) -> str:
        return f"{unit_words(self.unit)} moves {' '.join(self.steps)}"


@dataclass(frozen=True, slots=True)
class Target(Order):
    """Send your Harvester to a hex with resources, one step a turn in a straight line, until it is there."""

    usage = "TARGET q r"
    q: Annotated[int, Q]
    r: Annotated[int, R]

    def words(self) -> str:
        return f"your Harvester sets out for {self.q},{self.r}"


@dataclass(frozen=True, slots=True)
class Build(Order):
    """Rebuild a lost defence unit; it costs its scanner rating in resources and takes its combat ability in turns."""

    usage = "BUILD unit"
    unit: Annotated[str, LOST]

    def words(self) -> str:
        return f"your Harvester rebuilds {unit_words(self.unit)}"


@dataclass(frozen=True, slots=True)
class Drop(Order):
    """Drop resources in the hex of your Harvester, before it moves on; if it stays, it gathers them again."""

    usage = "DROP amount"
    amount: Annotated[int, AMOUNT]

    def words(self) -> str:
        return f"your Harvester drops {self.amount} of its resources"


@dataclass(frozen=True, slots=True)
class Destroy(Order):
    """Let a defence unit destroy itself; it leaves its scanner rating in resources."""

    usage = "DESTROY unit"
    unit: Annotated[str, LIVING]

    def words(self) -> str:
        return f"{unit_words(self.unit)} destroys itself"


@dataclass(frozen=True, slots=True)
class DestroyHarvester(Order):
    """Destroy your own Harvester and all your units: you are out of the game."""

    usage = "DESTROY HARVESTER CONFIRM"

    def words(self) -> str:
        return "your Harvester and all your units destroy themselves: you are out of the game"


ORDERS = OrderBook((Move, Target, Build, Drop, Destroy, DestroyHarvester))
