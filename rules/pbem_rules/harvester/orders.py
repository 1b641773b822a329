"""The orders of Harvester, and the types of their arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pbem.ruleset import (
    ChoicePattern,
    Field,
    FieldError,
    FreePattern,
    IntegerField,
    KeywordField,
    NameField,
    NumberPattern,
    Order,
    OrderMark,
    OrderParser,
    Pattern,
    parse_bounded,
    show_word,
)
from pbem_rules.common.hexes import Hex, step
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.planet import NAMES as WAYS
from pbem_rules.harvester.units import KIND_NAMES, SCANNER, SLOT

FARTHEST_COORDINATE = 99_999


@dataclass(frozen=True)
class Coordinate(IntegerField):
    """One of the two coordinates of a hex; samples lie around the reader's Harvester."""

    axis: str = "q"

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        centre = view["harvester"][self.axis] if view["harvester"] else 0
        return [str(centre + away) for away in range(-2, 3)]


@dataclass(frozen=True)
class HeldAmount(Field):
    """A number of resources, up to what the reader's Harvester holds."""

    shown: str = "amount"
    expected: str = "how many resources"
    example: str = "4"

    def read(self, word: str, view: Mapping[str, Any]) -> int:
        if view["harvester"] is None:
            raise FieldError("out", "your Harvester is destroyed; you are out of the game")
        most = view["harvester"]["held"]
        expected = f"a whole number from 1 to {most}, as many as your Harvester holds"
        return parse_bounded(word, 1, most, expected, none="your Harvester holds nothing that it could drop")

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        most = _resources_aboard(view)
        return sorted({"1", str((most + 1) // 2), str(most)}) if most else []

    def form(self, view: Mapping[str, Any]) -> Pattern:
        return NumberPattern(1, _resources_aboard(view))


def _resources_aboard(view: Mapping[str, Any]) -> int:
    return view["harvester"]["held"] if view["harvester"] else 0


@dataclass(frozen=True)
class LostUnit(NameField):
    """A lost unit; a page offers those that the resources held can pay for."""

    def form(self, view: Mapping[str, Any]) -> Pattern:
        return ChoicePattern(tuple(payable(view)))


def payable(view: Mapping[str, Any]) -> list[str]:
    """Return the lost units that the resources held can pay for."""
    # A unit costs its scanner rating (ruling 6).
    return [unit for unit in view["lost"] if SCANNER[SLOT[unit]] <= _resources_aboard(view)]


_HEX = re.compile(r"([+-]?[0-9]{1,5}),([+-]?[0-9]{1,5})")


@dataclass(frozen=True)
class Place(Field):
    """A hex in one word, "3,-2".

    Samples are hexes with something to gather; without `rich`, first those of other players' units. If scanners
    show none, samples lie next to the reader's units.
    """

    rich: bool = False
    shown: str = "hex"
    expected: str = "a hex, by two whole numbers such as 3,-2"
    example: str = "3,-2"
    # One word, so that a tap on the picture can fill in the field.
    glue: str = ","

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        found = _HEX.fullmatch(word)
        if found is None:
            raise FieldError("no-hex", f"{show_word(word)} is not {self.expected}", word=word)
        return f"{int(found[1])},{int(found[2])}"

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        atlas = Atlas(view)
        goals = [spot for spot in atlas.marked if spot != atlas.home]
        if not self.rich:
            goals = [(each["q"], each["r"]) for each in view["contacts"]] + goals
            goals = goals or [atlas.named(step((unit["q"], unit["r"]), DIRECTIONS["E"])) for unit in view["units"]]
        return [f"{q},{r}" for q, r in dict.fromkeys(goals)]

    def form(self, view: Mapping[str, Any]) -> Pattern:
        return FreePattern(tuple(self.samples(view)), "[+-]?[0-9]{1,5},[+-]?[0-9]{1,5}")


def hex_of(place: str) -> Hex:
    """Return the coordinates of a hex in the form of `Place`."""
    q, r = place.split(",")
    return int(q), int(r)


def unit_words(unit: str) -> str:
    """Return the kind and the name of a unit: "Scout C3"."""
    return f"{KIND_NAMES[unit[0]]} {unit}"


LIVING = NameField(
    "unit",
    "one of your defence units",
    "S2",
    lambda view: [unit["unit"] for unit in view["units"]],
    unknown="you have no unit {}",
)
LOST = LostUnit("unit", "one of your lost defence units", "L2", lambda view: view["lost"])
STEP = KeywordField(WAYS, shown="direction", expected="a direction (" + ", ".join(WAYS) + ")", example="NE NE E")
_NUMBERS = f"two whole numbers, q and r, up to {FARTHEST_COORDINATE}"
Q = Coordinate(-FARTHEST_COORDINATE, FARTHEST_COORDINATE, shown="q", expected=_NUMBERS, example="3", axis="q")
R = Coordinate(-FARTHEST_COORDINATE, FARTHEST_COORDINATE, shown="r", expected=_NUMBERS, example="-2", axis="r")
AMOUNT = HeldAmount()

OF_UNIT, COURSE = "unit {unit}", "harvester"
"""The slots of what a unit does, and of where the Harvester goes (ruling 3)."""


@dataclass(frozen=True, slots=True)
class Move(Order):
    """Move a defence unit, one direction for each step: E, NE, NW, W, SW or SE.

    A General takes one step a turn, Lieutenants two, Soldiers three, Scouts four.
    """

    usage = "MOVE unit steps..."
    slot = OF_UNIT
    mark = OrderMark("note", of="unit")
    unit: Annotated[str, LIVING]
    steps: Annotated[tuple[str, ...], STEP]

    def words(self) -> str:
        return f"{unit_words(self.unit)} moves {' '.join(self.steps)}"


class Shorthand(Order):
    """Base of orders that a sheet replaces by others, from what its player knows; none is ever carried out as such."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class MoveTo(Shorthand):
    """Move a defence unit to a hex by the shortest way that known crags leave it; the receipt says which."""

    usage = "MOVE unit TO hex"
    slot = OF_UNIT
    mark = OrderMark("path", of="unit", at="hex")
    unit: Annotated[str, LIVING]
    hex: Annotated[str, Place()]

    def words(self) -> str:
        return f"{unit_words(self.unit)} moves to {self.hex}"


@dataclass(frozen=True, slots=True)
class Target(Order):
    """Send your Harvester to a hex with resources, one step a turn in a straight line, until it is there."""

    usage = "TARGET q r"
    slot = COURSE
    mark = OrderMark("note")
    q: Annotated[int, Q]
    r: Annotated[int, R]

    def words(self) -> str:
        return f"your Harvester sets out for {self.q},{self.r}"


@dataclass(frozen=True, slots=True)
class TargetHex(Shorthand):
    """The same, with the hex in one word."""

    usage = "TARGET hex"
    slot = COURSE
    mark = OrderMark("path", at="hex")
    hex: Annotated[str, Place(rich=True)]

    def words(self) -> str:
        return f"your Harvester sets out for {self.hex}"


@dataclass(frozen=True, slots=True)
class Build(Order):
    """Rebuild a lost defence unit; it costs its scanner rating in resources and takes its combat ability in turns."""

    usage = "BUILD unit"
    slot = "build"
    mark = OrderMark("note")
    unit: Annotated[str, LOST]

    def words(self) -> str:
        return f"your Harvester rebuilds {unit_words(self.unit)}"


@dataclass(frozen=True, slots=True)
class Drop(Order):
    """Drop resources in the hex of your Harvester, before it moves on; if it stays, it gathers them again."""

    usage = "DROP amount"
    slot = "drop"
    mark = OrderMark("note")
    amount: Annotated[int, AMOUNT]

    def words(self) -> str:
        return f"your Harvester drops {self.amount} of its resources"


@dataclass(frozen=True, slots=True)
class Destroy(Order):
    """Let a defence unit destroy itself; it leaves its scanner rating in resources."""

    usage = "DESTROY unit"
    slot = OF_UNIT
    mark = OrderMark("cross", of="unit")
    grave = True
    unit: Annotated[str, LIVING]

    def words(self) -> str:
        return f"{unit_words(self.unit)} destroys itself"


@dataclass(frozen=True, slots=True)
class DestroyHarvester(Order):
    """Destroy your own Harvester and all your units: you are out of the game."""

    usage = "RESIGN CONFIRM"
    grave = True
    ends_seat = "your Harvester and all your units would destroy themselves, and you be out of the game"
    # The rules name it so, and reports of earlier versions offer it.
    also_ends_seat = ("DESTROY HARVESTER CONFIRM",)

    def words(self) -> str:
        return "your Harvester and all your units destroy themselves: you are out of the game"


ORDERS = OrderParser((Move, MoveTo, Target, TargetHex, Build, Drop, Destroy, DestroyHarvester))
