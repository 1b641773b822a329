"""Turns of games for two, and messages between the players besides moves: offers of a draw, and resignation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pbem.ruleset import ChoicePattern, Event, FieldError, KeywordField, Order, Pattern, SeatName, TurnInput, View


@dataclass(frozen=True)
class Saying(KeywordField):
    """A word about a draw; a page offers those that fit the open offer, by the view's `offer` and `seat`."""

    def form(self, view: View) -> Pattern:
        return ChoicePattern(sayings(view))


def sayings(view: View) -> tuple[str, ...]:
    """Return the words about a draw that are possible now; none while one's own offer waits for its answer."""
    if view["offer"] is None:
        return ("OFFER",)
    return () if view["offer"] == view["seat"] else ("ACCEPT", "DECLINE")


@dataclass(frozen=True, slots=True)
class Draw(Order):
    """Offer a draw, or accept or decline the one you were offered. An offer stands until it is answered."""

    usage = "DRAW what"
    slot = "draw"
    grave = True
    what: Annotated[str, Saying(("OFFER", "ACCEPT", "DECLINE"))]

    def words(self) -> str:
        return {"OFFER": "you offer a draw", "ACCEPT": "you accept the draw", "DECLINE": "you decline the draw"}[
            self.what
        ]


@dataclass(frozen=True, slots=True)
class Resign(Order):
    """Give up the game: your opponent wins."""

    usage = "RESIGN CONFIRM"
    slot = "resign"
    grave = True
    ends_seat = "the game would end, and your opponent win"

    def words(self) -> str:
        return "you resign: your opponent wins"


@dataclass(frozen=True, slots=True)
class Parley:
    """The outcome of one turn's offers of a draw.

    `agreed` ends the game. `offer` is the seat whose offer now waits for an answer,
    `offered` are the seats that made one this turn; `declined` says how the offer
    before ended: "declined", "played on", or "" if it did not.
    """

    agreed: bool
    offer: SeatName | None = None
    offered: tuple[SeatName, ...] = ()
    declined: str = ""


def parley(
    turn: TurnInput,
    *,
    seats: tuple[SeatName, SeatName],
    offer: SeatName | None,
    playing_on: frozenset[SeatName] = frozenset(),
) -> Parley:
    """Resolve the DRAW lines of a turn; `offer` is the seat whose offer was open.

    A seat in `playing_on` makes a move by its sheet, and so declines an offer that
    it does not answer. Two offers agree.
    """
    said = {seat: _words(turn, seat) for seat in seats}
    asked = None if offer is None else _other(seats, offer)
    if asked is not None and said[asked] & {"ACCEPT", "OFFER"}:
        return Parley(agreed=True)
    declined = ""
    if asked is not None and (said[asked] or asked in playing_on):
        declined = "declined" if said[asked] else "played on"
    offered = tuple(seat for seat in seats if "OFFER" in said[seat] and (seat != offer or declined))
    if len(offered) == len(seats):
        return Parley(agreed=True)
    standing = None if declined else offer
    return Parley(agreed=False, offer=offered[0] if offered else standing, offered=offered, declined=declined)


def leaving(turn: TurnInput, seats: tuple[SeatName, SeatName]) -> Mapping[SeatName, str]:
    """Return the seats that leave in a turn, and how: "removed" by the GM or "resigned"."""
    gone = {seat: "removed" for seat in seats if seat in turn.removed}
    resigned = (seat for seat in seats if any(isinstance(order, Resign) for order in turn.orders.get(seat, ())))
    return dict.fromkeys(resigned, "resigned") | gone


OneOrder = TypeVar("OneOrder", bound=Order)


class DuelTurn:
    """A turn of a game for two while it is resolved: its orders, its events, and the ends that are agreed or given up.

    `offer` is the seat whose offer of a draw is open. Games add their positions, and what an end changes.
    """

    def __init__(self, turn: TurnInput, seats: tuple[SeatName, SeatName], offer: SeatName | None) -> None:
        self.turn, self.seats, self.offer = turn, seats, offer
        self.events: list[Event] = []

    def end(self, how: str, winner: SeatName | None = None) -> None:
        """End the game; without a winner it is a draw."""
        raise NotImplementedError

    def orders(self, seat: SeatName, kind: type[OneOrder]) -> list[OneOrder]:
        """Return a seat's orders of one kind, as written."""
        return [order for order in self.turn.orders.get(seat, ()) if isinstance(order, kind)]

    def tell(self, kind: str, **data: Any) -> None:
        """Record an event that both players hear of."""
        self.events.append(Event(kind, frozenset(self.seats), data))

    def confide(self, seat: SeatName, kind: str, **data: Any) -> None:
        """Record an event that one player alone hears of."""
        self.events.append(Event(kind, frozenset({seat}), data))

    def take_out(self) -> None:
        """Let players who resign, or were removed by the GM, lose; if both do, the game is drawn."""
        gone = leaving(self.turn, self.seats)
        for seat in self.seats:
            if seat in gone:
                self.tell("resigned", who=seat, how=gone[seat])
        if len(gone) == len(self.seats):
            self.end("both-left")
            return
        for seat, how in gone.items():
            self.end(how, _other(self.seats, seat))

    def settle_draw(self, playing_on: frozenset[SeatName], *, held: SeatName | None = None) -> None:
        """Accept, decline and make offers of a draw; a seat in `playing_on` declines what it does not answer.

        An offer of the seat that is `held` is not made, unless it agrees to another.
        """
        talk = parley(self.turn, seats=self.seats, offer=self.offer, playing_on=playing_on)
        if talk.agreed:
            self.end("agreed")
            return
        if talk.declined and self.offer is not None:
            self.tell("draw-declined", who=_other(self.seats, self.offer), how=talk.declined)
        if held in talk.offered:
            self.confide(held, "refused", line="DRAW OFFER", why="an offer goes with your move, and none came")
            return
        for seat in talk.offered:
            self.tell("draw-offered", who=seat)
        self.offer = talk.offer


def check_draw(order: Draw, *, other: SeatName, offer: SeatName | None) -> None:
    """Raise FieldError if a DRAW line does not fit the open offer; `other` is the opponent of its seat."""
    if order.what != "OFFER":
        if offer != other:
            raise FieldError("no-offer", f"{other} has offered no draw", "to offer one yourself, write: DRAW OFFER")
    elif offer == other:
        raise FieldError("offered", f"{other} has offered a draw already", "write: DRAW ACCEPT")
    elif offer is not None:
        raise FieldError("offered", "you have offered a draw already, and it waits for an answer")


def _words(turn: TurnInput, seat: SeatName) -> set[str]:
    return {order.what for order in turn.orders.get(seat, ()) if isinstance(order, Draw)}


def _other(seats: tuple[SeatName, SeatName], seat: SeatName) -> SeatName:
    return seats[1 - seats.index(seat)]
