"""Fog Patrol with leaks planted in it: one class for each mistake that real games have made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from pbem.ruleset import (
    Dice,
    Event,
    Finding,
    Json,
    Need,
    ParsedSheet,
    Picture,
    SeatName,
    TapTarget,
    TurnInput,
    View,
    box,
)
from tests.testing.toy import FogPatrol, Sea, spot


class GlobalCounter(FogPatrol):
    """The program's own numbers are in reports: a reader of 7 and 9 knows of 8."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        view = {**super().view(state, seat, events)}
        ids = {boat.name: boat.number for boat in state.boats if boat.owner == seat}
        return view | {"boats": [boat | {"id": ids[boat["name"]]} for boat in view["boats"]]}


class SortedByNumber(FogPatrol):
    """Contacts are listed in the order in which the program made the boats."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        in_order = dataclasses.replace(state, boats=tuple(sorted(state.boats, key=lambda boat: boat.number)))
        return {**super().view(state, seat, events), "contacts": self.contacts(in_order, seat)}


class Total(FogPatrol):
    """The header counts all boats at sea."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        return {**super().view(state, seat, events), "label": f"turn {state.turn}, {len(state.boats)} boats at sea"}


class Hulls(FogPatrol):
    """A contact shows how damaged it is, which cannot be seen from afar."""

    def contacts(self, state: Sea, seat: SeatName) -> list[dict[str, Any]]:
        hulls = {boat.square: boat.hull for boat in state.boats}
        return [seen | {"hull": hulls[seen["square"]]} for seen in super().contacts(state, seat)]


class FramedPicture(FogPatrol):
    """The picture is cut to where any boats are."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        self.frame = 40 * max((1 + max(spot(boat.square)) for boat in state.boats), default=1)
        return super().view(state, seat, events)

    def pictures(self, view: View) -> Sequence[Picture]:
        return [dataclasses.replace(picture, width=self.frame) for picture in super().pictures(view)]


class Occupied(FogPatrol):
    """A move to a square with an unseen boat is refused in the receipt."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        self.occupied = {boat.square for boat in state.boats}
        return super().view(state, seat, events)

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        parsed = super().parse(view, lines)
        aims = [(entry.line, getattr(entry.order, "square", "")) for entry in parsed.entries]
        told = [Finding(line, "note", "occupied", f"{aim} is occupied") for line, aim in aims if aim in self.occupied]
        return dataclasses.replace(parsed, findings=(*parsed.findings, *told))


class Stream(Dice):
    """Dice of the usual kind: each draw depends on how many there were before."""

    def __init__(self, dice: Dice) -> None:
        super().__init__(dice.seed, dice.scope)
        object.__setattr__(self, "drawn", [])

    drawn: list[int]
    __slots__ = ("drawn",)

    def below(self, limit: int, *key: str | int) -> int:
        self.drawn.append(limit)
        return super().below(limit, "next", len(self.drawn))


class SharedStream(FogPatrol):
    """A fight far away changes the dice of a seat's own fights."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> tuple[Sea, tuple[Event, ...]]:
        return super().resolve(state, turn, Stream(dice))


class EventNumbers(FogPatrol):
    """Events have a running number, whose gaps tell how many were not heard."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> tuple[Sea, tuple[Event, ...]]:
        after, events = super().resolve(state, turn, dice)
        return after, tuple(
            dataclasses.replace(event, data={**event.data, "number": number}) for number, event in enumerate(events)
        )


class Noise(FogPatrol):
    """A sinking boat is heard from squares that none of the reader's boats sees."""

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> tuple[Sea, tuple[Event, ...]]:
        after, events = super().resolve(state, turn, dice)
        everyone = frozenset(state.seats)
        return after, tuple(
            dataclasses.replace(event, audience=everyone) if event.kind == "sunk" else event for event in events
        )


class Telepathy(FogPatrol):
    """The order form suggests an aim that its reader cannot see."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        self.aim = min(boat.square for boat in state.boats)
        return super().view(state, seat, events)

    def template(self, view: View) -> list[str]:
        return [*super().template(view), f"; FIRE R1 AT {self.aim}"]


class Clairvoyance(FogPatrol):
    """A page offers to fire where boats are, seen or not."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        self.aims = sorted({boat.square for boat in state.boats})
        return super().view(state, seat, events)

    def desk(self, view: View) -> Json:
        desk = super().desk(view)
        desk["kinds"]["square"]["form"]["values"] = self.aims
        return desk


class GuidedInFog(FogPatrol):
    """A page asks first for the shots at boats that its reader cannot see."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        self.unseen = sorted({boat.square for boat in state.boats})
        return super().view(state, seat, events)

    def agenda(self, view: View) -> Sequence[Need]:
        return [Need("", "FIRE", f"Shots at {square}") for square in self.unseen]


class TappedInFog(FogPatrol):
    """A picture can be tapped where boats lie unseen."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        self.squares = sorted({boat.square for boat in state.boats})
        return super().view(state, seat, events)

    def pictures(self, view: View) -> Sequence[Picture]:
        spots = tuple(TapTarget((square,), square, box(0, 0, 40, 40)) for square in self.squares)
        return [dataclasses.replace(picture, spots=spots) for picture in super().pictures(view)]


class Gossip(FogPatrol):
    """The summary of a turn names the players by their addresses."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        gossip = [{"kind": "moved", "boat": f"{other}.player@example.org", "square": "A1"} for other in state.seats]
        view = super().view(state, seat, events)
        return {**view, "events": [*view["events"], *gossip]}
