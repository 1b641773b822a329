"""What a letter may do: the outcomes of judging it, each with what its answer needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbem.desk.seats import SeatContext, Shown, StandIn
from pbem.desk.sheet import Header
from pbem.report.answers import Doubt, Reason

Proof = Literal["confirmed", "token", "code", "reply", "address"]
"""How a letter shows whose it is.

By the answer of the address that was asked about it, by the key in its ORDERS
line, as a reply, or by nothing but its sender.
"""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What somebody has said of a letter by his answer: that it is his.

    `by` is the address that has answered: the player's, or that of who stands
    in. `seat_id` is None for what concerns no seat; `report_id` is the report
    that the seat had last when the letter came. `meant`: a sheet was shown as it
    is, and is to be taken so.
    """

    by: str
    seat_id: int | None
    report_id: int
    meant: bool


@dataclass(frozen=True, slots=True)
class Seated:
    """The letter may send a sheet for this seat's open turn.

    `deputy` is the address of who stands in for its player, if he wrote it.
    """

    spot: SeatContext
    notes: tuple[str, ...] = ()
    proof: Proof = "address"
    deputy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """Somebody known cannot be served; `to` is the address that is told why."""

    reason: Reason
    to: str
    spot: SeatContext | None = None
    typed: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Disagreeing:
    """A letter whose text is for one seat and whose reply code for another's report."""

    to: str
    header: Header | None


@dataclass(frozen=True, slots=True)
class Impostor:
    """A letter for a seat from an address that is not its own, with nothing to prove it.

    `forged`: it is its own or its deputy's, but the receiving server says that the letter did not come from there.
    `guessed`: it shows what might have been a key.
    """

    spot: SeatContext
    forged: bool = False
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Unproven:
    """A letter that is kept until the address `to` says that it is its own: anybody could have written it.

    `spot` is None for what concerns no seat. `orders`: it is a sheet, for the
    open turn. `weighty`: what it asks can give the seat away, or speaks for its
    player. `pressed`: a mail program's button to unsubscribe has sent it.
    `leaves`: it is its player's, who asks to leave. `at` is the line on which
    begins what it asks. `doubt`: it shows whose it is, but may not be meant.
    """

    spot: SeatContext | None
    to: str
    orders: bool = False
    weighty: bool = False
    pressed: bool = False
    leaves: bool = False
    at: int = 0
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True)
class Lapsed:
    """A letter of somebody who stands in for a seat's player at another time, not now."""

    spot: SeatContext
    stand_in: StandIn


@dataclass(frozen=True, slots=True)
class Stranger:
    """Nobody the house knows."""


Claim = Seated | Unproven | Declined | Disagreeing | Impostor | Lapsed | Stranger


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a letter shows for a seat: the proof it has, if any, and the newest report whose code it has used.

    `guessed`: it shows what might have been a key.
    """

    spot: SeatContext
    proof: Proof | None
    shown: Shown | None = None
    notes: tuple[str, ...] = ()
    guessed: bool = False
