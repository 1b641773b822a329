"""Fog Patrol with slips of authors planted in it: one class for each, with which the suite has to fail."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pbem.ruleset import (
    Dice,
    Event,
    Json,
    Option,
    Order,
    Panorama,
    ParsedSheet,
    Picture,
    SeatName,
    Seats,
    Standing,
    TurnInput,
    View,
)
from tests.testing.toy import Fire, FogPatrol, Move, Sea

TEMPLATES = Path(__file__).with_name("slip_templates")

Result = tuple[Sea, tuple[Event, ...]]


class SwappedParameters(FogPatrol):
    """Dice and orders come in the other order."""

    def resolve(self, state: Sea, dice: Dice, turn: TurnInput) -> Result:  # type: ignore[override]
        return super().resolve(state, turn, dice)


class ForgottenParameter(FogPatrol):
    """A view is made without the events."""

    def view(self, state: Sea, seat: SeatName) -> View:  # type: ignore[override]
        return super().view(state, seat, ())


class LongLabel(FogPatrol):
    """The label is too long for a heading."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {**super().view(state, seat, events), "label": "the first turn of a long war in the fog"}


class NamedByTitle(FogPatrol):
    """The seat of the view is written as in a heading."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {**super().view(state, seat, events), "seat": seat.capitalize()}


class NoHeading(FogPatrol):
    """The view was made without `heading`, and lacks what the host asks for."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {key: each for key, each in super().view(state, seat, events).items() if key != "awaited"}


class FractionInState(FogPatrol):
    """Half a boat is left."""

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> Sea:
        sea = super().begin(options, seats, dice)
        half = dataclasses.replace(sea.boats[0], hull=1.5)  # type: ignore[arg-type]
        return dataclasses.replace(sea, boats=(half, *sea.boats[1:]))


class FractionInView(FogPatrol):
    """The share of boats afloat is a fraction."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {**super().view(state, seat, events), "share": 1 / 2}


class LateFraction(FogPatrol):
    """The average of a later turn is a fraction."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {**super().view(state, seat, events), "share": state.turn / 2 if state.turn > 3 else 0}


class RareBranch(FogPatrol):
    """The fifth turn asks for a key that is not there."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        if state.turn == 5:
            raise KeyError("reef")
        return super().resolve(state, turn, dice)


class LateFractionInState(FogPatrol):
    """Half a boat is left after the fifth turn."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        sea, events = super().resolve(state, turn, dice)
        if state.turn != 5:
            return sea, events
        half = dataclasses.replace(sea.boats[0], hull=1.5)  # type: ignore[arg-type]
        return dataclasses.replace(sea, boats=(half, *sea.boats[1:])), events


class UndefinedInTemplate(FogPatrol):
    """The report names a key that views have not."""

    templates = TEMPLATES / "undefined"


class StumblingBot(FogPatrol):
    """The bot reads a key that views have not."""

    bots = MappingProxyType({"standard": lambda view, dice: [f"MOVE {view['fleet'][0]} N"]})


class TextBot(FogPatrol):
    """The bot returns its sheet as one text."""

    bots = MappingProxyType({"standard": lambda view, dice: "MOVE R1 N"})  # type: ignore[dict-item, return-value]


class ListParser(FogPatrol):
    """Orders are returned as a list."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> Any:
        return list(super().parse(view, lines).orders)


class FractionInSave(FogPatrol):
    """A save has the average of a later turn, and fractions are lost on another machine."""

    def dump(self, state: Sea) -> Json:
        return {**super().dump(state), "average": state.turn / 2 if state.turn > 3 else 0}

    def read(self, data: Json) -> Sea:
        return super().read({key: each for key, each in data.items() if key != "average"})


class PlainEvents(FogPatrol):
    """Events are dicts."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Any:
        after, events = super().resolve(state, turn, dice)
        return after, tuple({"kind": event.kind} for event in events)


class MutatingResolve(FogPatrol):
    """The state given is changed on the way."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        object.__setattr__(state, "turns", state.turns - 1)
        return super().resolve(state, turn, dice)


class RandomInsteadOfDice(FogPatrol):
    """The wind of a turn is drawn from Python's own chance."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        return super().resolve(state, turn, Dice(random.randbytes(8)))


class RandomBeginning(FogPatrol):
    """Boats lie where Python's own chance puts them."""

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> Sea:
        return super().begin(options, seats, Dice(random.randbytes(8)))


class ClockInView(FogPatrol):
    """A report bears the day on which it was written."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {**super().view(state, seat, events), "date": dt.date.today().isoformat()}  # noqa: DTZ011 - the slip


class CallsHash(FogPatrol):
    """Ties are broken by hash()."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        min(state.seats, key=lambda seat: hash(seat))
        return super().resolve(state, turn, dice)


class Remembering(FogPatrol):
    """Turns are counted in the ruleset itself."""

    count = 0

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        self.count += 1
        return super().resolve(state, turn, dice.within(self.count))


class SharedList(FogPatrol):
    """All views share a list, and each adds to it."""

    readers: list[str] = []  # noqa: RUF012 - the slip

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        self.readers.append(seat)
        return {**super().view(state, seat, events), "readers": self.readers}


class CapitalSeats(FogPatrol):
    """Seats are named as in a heading."""

    seats = Seats(2, 2, ("Red", "Blue"))


class VersionWithoutSave(FogPatrol):
    """The version was raised, and no save of it kept."""

    version = FogPatrol.version + 1


@dataclasses.dataclass(frozen=True, slots=True)
class WindySea(Sea):
    """A state with a field more."""

    wind: str = ""


class MissingUpgrade(FogPatrol):
    """The version was raised for a new field, and no upgrade written."""

    version = FogPatrol.version + 1

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> Sea:
        sea = super().begin(options, seats, dice)
        return WindySea(sea.turn, sea.turns, sea.seats, sea.boats, sea.edition, "calm")

    def read(self, data: Json) -> Sea:
        return WindySea(
            **dataclasses.asdict(super().read({key: data[key] for key in data if key != "wind"})), wind=data["wind"]
        )


class CredulousLoad(FogPatrol):
    """Any version is read as the present one."""

    def load(self, data: Json, version: int) -> Sea:
        return self.read(data)


class ForgetfulLoad(FogPatrol):
    """A state is loaded without damage."""

    def read(self, data: Json) -> Sea:
        sea = super().read(data)
        return dataclasses.replace(sea, boats=tuple(dataclasses.replace(boat, hull=2) for boat in sea.boats))


class StumblingParser(FogPatrol):
    """Numbers are read by int()."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        given = list(lines)
        for _, line in given:
            if line.startswith("FIRE ") and len(line.split()) > 3:
                int(line.split()[3][1:])
        return super().parse(view, given)


class GivesStruckOut(FogPatrol):
    """Signs before an order are passed over, also those by which it is struck out."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        return super().parse(view, [(number, line.lstrip("/ ")) for number, line in lines])


class ReadsTheFirstOrder(FogPatrol):
    """Of several orders on a line the first is read, without a word of the others."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        return super().parse(view, [(number, line.partition(", ")[0]) for number, line in lines])


class PassesOverNot(FogPatrol):
    """Words before a verb are passed over, also those that deny the order."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        return super().parse(view, [(number, line.removeprefix("NOT ")) for number, line in lines])


class StumblesAtTheEnd(FogPatrol):
    """A sheet that comes when the game is over is not answered."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        if view["over"]:
            raise LookupError("no orders now")
        return super().parse(view, lines)


class OrderOfASet(FogPatrol):
    """Of seats that fire at one square, the first of a set is heard by all of them."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        after, events = super().resolve(state, turn, dice)
        aims: dict[str, set[SeatName]] = {}
        for seat, sheet in turn.orders.items():
            for order in sheet:
                if isinstance(order, Fire):
                    aims.setdefault(order.square, set()).add(seat)
        loud = [(square, seats) for square, seats in sorted(aims.items()) if len(seats) > 1]
        heard = (Event("heard", frozenset(seats), {"owner": next(iter(seats))}) for _, seats in loud)
        return after, (*events, *heard)


class SetInPicture(FogPatrol):
    """Marks are drawn in the order of a set."""

    def pictures(self, view: View) -> Sequence[Picture]:
        order = " ".join({boat["name"] for boat in view["boats"]})
        return [dataclasses.replace(picture, title=f"Your boats {order}") for picture in super().pictures(view)]


class FirstSheetCounts(FogPatrol):
    """The first sheet that came has the better dice."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        return super().resolve(state, turn, dice.within(next(iter(turn.orders), "")))


class TupleInView(FogPatrol):
    """The view has a tuple."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {**super().view(state, seat, events), "seats": state.seats}


class NumbersAsKeys(FogPatrol):
    """The view has a table by number."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {**super().view(state, seat, events), "hulls": {1: 2}}


class UntoldEvent(FogPatrol):
    """A kind of event has no sentence."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        after, events = super().resolve(state, turn, dice)
        return after, (*events, Event("storm", frozenset(state.seats)))


class WideTable(FogPatrol):
    """A table of the report is wider than a mail."""

    templates = TEMPLATES / "wide"


class WideMap(FogPatrol):
    """The map is as wide as a terminal, and then indented."""

    def text_map(self, view: View) -> str:
        return "\n".join(row.ljust(79, ".") for row in super().text_map(view).split("\n"))


class UnreasonedEnd(FogPatrol):
    """The game ends without a reason."""

    def standing(self, state: Sea) -> Standing:
        return dataclasses.replace(super().standing(state), reason="")


class RemovedStays(FogPatrol):
    """A seat that the GM took out is awaited still."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> Result:
        return super().resolve(state, dataclasses.replace(turn, removed=frozenset()), dice)


class CarelessBot(FogPatrol):
    """The bot orders what is refused."""

    bots = MappingProxyType({"standard": lambda view, dice: ["MOVE R1 N"] * 2 if view["awaited"] else []})


class UnreadableForm(FogPatrol):
    """A line of the form is no order."""

    def template(self, view: View) -> list[str]:
        return ["MOVE <boat> <step>"]


class LongHeadline(FogPatrol):
    """A headline is a paragraph."""

    def turn_summary(self, view: View) -> Sequence[str]:
        return ["Your boats lie in fog, as they did before, and nobody knows what will come of that. " * 2]


class LostOutcome(FogPatrol):
    """Only the first order has an outcome."""

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> Sequence[str]:
        return ["done"] if orders else []


class OtherFont(FogPatrol):
    """A picture is lettered in a font that is not there."""

    def pictures(self, view: View) -> Sequence[Picture]:
        return [
            dataclasses.replace(picture, svg=picture.svg.replace("DejaVu Sans", "Arial"))
            for picture in super().pictures(view)
        ]


class NoOrderReference(FogPatrol):
    """The rulebook has no place for the orders."""

    rulebook = "# Fog Patrol\n\nBy this project's tests.\n\n1. Boats move, then fire."


class UnexplainedOption(FogPatrol):
    """An option has no help."""

    options = (FogPatrol.options[0], Option("wind", "bool", False, ""))


class StumblesAtBounds(FogPatrol):
    """The largest number of boats has no place."""

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> Sea:
        return super().begin({**options, "boats": {1: 1, 3: 3}[options["boats"]]}, seats, dice)


class ImpossibleDefaults(FogPatrol):
    """A seat without a sheet orders what it may not."""

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        return (Move("R1", "N"), Move("R1", "N"))


class PartialPublic(FogPatrol):
    """A site shows what one seat alone knows."""

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        return Panorama((), {seat: len(view["boats"]) for seat, view in views.items()})
