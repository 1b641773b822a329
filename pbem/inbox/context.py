"""Outcomes of authenticating a message, and the context in which it is processed."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Literal

from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.snapshot import CampaignSnapshot, Context
from pbem.inbox.seat_lookup import DeputyInfo, SeatContext, ShownReport
from pbem.inbox.sheet_finder import SheetHeader
from pbem.mail.authentication import AuthVerdict
from pbem.mail.message import Message
from pbem.report.answers import Doubt, Reason

Proof = Literal["confirmed", "token", "code", "reply", "address"]
"""How a letter shows whose it is.

By the answer of the address that was asked about it, by the key in its ORDERS
line, as a reply, or by nothing but its sender.
"""

Outcome = tuple[str, bool]
"""The note on a message, and True if a sheet was saved."""


@dataclass(frozen=True, slots=True)
class ConfirmedSender:
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
class Accepted:
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
class SeatMismatch:
    """A letter whose text is for one seat and whose reply code for another's report."""

    to: str
    header: SheetHeader | None


@dataclass(frozen=True, slots=True)
class SenderMismatch:
    """A letter for a seat from an address that is not its own, with nothing to prove it.

    `forged`: it is its own or its deputy's, but the receiving server says that the letter did not come from there.
    `guessed`: it shows what might have been a key.
    """

    spot: SeatContext
    forged: bool = False
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class NeedsConfirmation:
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
class DeputyExpired:
    """A letter of somebody who stands in for a seat's player at another time, not now."""

    spot: SeatContext
    stand_in: DeputyInfo


@dataclass(frozen=True, slots=True)
class UnknownSender:
    """Nobody the house knows."""


AuthResult = Accepted | NeedsConfirmation | Declined | SeatMismatch | SenderMismatch | DeputyExpired | UnknownSender


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a letter shows for a seat: the proof it has, if any, and the newest report whose code it has used.

    `guessed`: it shows what might have been a key.
    """

    spot: SeatContext
    proof: Proof | None
    shown: ShownReport | None = None
    notes: tuple[str, ...] = ()
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class MessageContext:
    """A letter on the desk, in its own transaction; `verdict` is what the receiving server says of its sender.

    `key` names the right key that it shows, "" if none (`pbem.inbox.route`). Whoever
    leaves it without an answer that was due says so in `silences`. `confirmed` is
    what the answer to a question has shown of it.
    """

    app: App
    session: Session
    now: dt.datetime
    letter_id: int
    letter: Message
    verdict: AuthVerdict = "none"
    key: str = ""
    silences: list[str] = field(default_factory=list)
    confirmed: ConfirmedSender | None = None

    def campaign_context(self, snapshot: CampaignSnapshot) -> Context:
        """Return the context of an action in a campaign that the letter concerns."""
        return Context(self.session, self.app, snapshot, self.now)

    @property
    def address(self) -> str:
        """The order address."""
        return self.app.settings.address

    @property
    def sender(self) -> str:
        """The sender in lower case, "" if none can be read."""
        return (self.letter.sender or "").lower()

    @property
    def shown_sender(self) -> str:
        """The sender as people are told of him."""
        return self.letter.sender or "an unreadable sender"

    @property
    def account(self) -> str:
        """Whose limits the letter counts against at an address: those of its key, or of all alike that have none."""
        return self.key or self.verdict

    @property
    def proven(self) -> bool:
        """Whether more than a From that anybody can write shows who wrote it."""
        return bool(self.key) or self.verdict == "pass"

    def silent(self, why: str) -> str:
        """Notes that an answer was due and is not given; returns that note."""
        self.silences.append(why)
        return f"not answered: {why}"


def start_of_day_utc(at: dt.datetime) -> dt.datetime:
    """When the day of a moment began (UTC)."""
    return at.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
