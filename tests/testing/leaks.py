"""Fog Patrol with leaks planted in it: one class for each mistake that real games have made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbem.ruleset import (
    Bot,
    Dice,
    Event,
    Finding,
    Json,
    Need,
    Order,
    Panorama,
    ParsedSheet,
    Picture,
    SeatName,
    TapTarget,
    TurnInput,
    View,
    box,
)
from tests.testing.toy import Fire, FogPatrol, Sea, spot


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


class Peeking(FogPatrol):
    """Base of games in which the state last looked at is remembered, as by a cache."""

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        self.sea = state
        return super().view(state, seat, events)

    def hidden(self, view: View) -> int:
        """Return the number of all damage at sea, which nobody knows."""
        return sum(boat.hull for boat in self.sea.boats)


class PeekingHeadline(Peeking):
    """A headline counts the damage at sea; the subject shows it."""

    def turn_summary(self, view: View) -> Sequence[str]:
        return [f"All boats together can take {self.hidden(view)} hits."]


class PeekingMap(Peeking):
    """The map as text counts the damage at sea."""

    def text_map(self, view: View) -> str:
        return f"{super().text_map(view)}\n{self.hidden(view)}"


class PeekingReminder(Peeking):
    """A reminder counts the damage at sea."""

    def without_orders(self, view: View) -> str:
        return f"Without orders your boats lie among {self.hidden(view)} others."


class PeekingSite(Peeking):
    """The page for strangers counts the damage at sea."""

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        return Panorama((), {"all": self.hidden({})})


class PeekingMemory(Peeking):
    """The memory of a seat has the damage at sea."""

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        return {"damage": self.hidden(view)}


class PeekingBot(Peeking):
    """The bot knows where boats lie in the fog; who plays with it sees its orders."""

    def __init__(self) -> None:
        self.bots: Mapping[str, Bot] = {"standard": self._aim}

    def _aim(self, view: View, dice: Dice) -> list[str]:
        return [f"FIRE {view['boats'][0]['name']} AT {self.sea.boats[-1].square}"]


class PeekingDefaults(Peeking):
    """A seat without a sheet fires at a boat in the fog."""

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        return tuple(Fire(boat["name"], self.sea.boats[-1].square) for boat in view["boats"][:1])


class PeekingOutcome(Peeking):
    """The outcome of an order tells of boats far away."""

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> Sequence[str]:
        return [f"done among {self.hidden(view)}" for _ in orders]
