"""Outcomes of authenticating a message, and the context in which it is processed."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.snapshot import CampaignSnapshot, Context
from pbem.inbox.codes import Code, Codes
from pbem.inbox.frames import GmFrame, SheetHeader, SheetText
from pbem.inbox.seat_lookup import DeputyInfo, SeatContext
from pbem.mail.authentication import AuthVerdict
from pbem.mail.message import Message
from pbem.mail.reply_parser import is_routine
from pbem.report.answers import Doubt, Reason
from pbem.store.models import InboxMessage

if TYPE_CHECKING:
    from pbem.inbox.gm_commands import Wishes
    from pbem.inbox.replies import HeldAnswer

Proof = Literal["confirmed", "token", "code", "reply", "address"]
"""Proof of a message's origin.

An answer of the address that was asked about it, the token or the code in its
ORDERS line, a reply, or nothing but its sender.
"""

Outcome = tuple[str, int]
"""The note on a message, and the number of sheets that were saved."""


@dataclass(frozen=True, slots=True)
class ConfirmedSender:
    """Confirmation by its sender that a message is their own.

    `by` is the address that has answered: the player's or the deputy's. `seat_id` is
    None for what concerns no seat; `report_id` is the newest report of the seat when
    the message came. `meant`: the sheet was shown to the sender as it was read, and
    they want it taken so; `adds`: besides the orders that count, not instead of them.
    """

    by: str
    seat_id: int | None
    report_id: int
    meant: bool
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Accepted:
    """The message may send a sheet for this seat's open turn.

    `deputy` is the address of the deputy who wrote it, "" if the player did.
    """

    place: SeatContext
    notes: tuple[str, ...] = ()
    proof: Proof = "address"
    deputy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """A known sender cannot be served; `to` is the address that is told why."""

    reason: Reason
    to: str
    place: SeatContext | None = None
    typed: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class SeatMismatch:
    """Message whose text is for one seat and whose reply code for another's report."""

    to: str
    header: SheetHeader | None


@dataclass(frozen=True, slots=True)
class SenderMismatch:
    """Message for a seat from an address that is not its own, without proof.

    `forged`: it is the seat's or its deputy's address, but the receiving server says that the message did not come
    from there. `guessed`: it has a word that may be a guessed key.
    """

    place: SeatContext
    forged: bool = False
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class NeedsConfirmation:
    """Message that waits until the address `to` confirms it: anyone could have written it.

    `place` is None for what concerns no seat. `orders`: it is a sheet, for the open
    turn. `weighty`: its commands can give the seat away, or speak for its player.
    `pressed`: an unsubscribe button of a mail program has sent it. `leaves`: its
    player asks to leave. `ends_seat`: it gives the seat up, whoever wrote it. `at` is
    the line on which its commands begin. `doubt`: the sender is proved, but the sheet
    may not be meant.
    """

    place: SeatContext | None
    to: str
    orders: bool = False
    weighty: bool = False
    pressed: bool = False
    leaves: bool = False
    ends_seat: bool = False
    at: int = 0
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True)
class DeputyExpired:
    """Message of a person who is a deputy for the seat at another time, not now."""

    place: SeatContext
    stand_in: DeputyInfo


@dataclass(frozen=True, slots=True)
class UnknownSender:
    """Message of a sender who is not known here."""


AuthResult = Accepted | NeedsConfirmation | Declined | SeatMismatch | SenderMismatch | DeputyExpired | UnknownSender


@dataclass(frozen=True, slots=True)
class Evidence:
    """Proof that a message has for a seat, if any, and the newest report whose code it shows.

    `guessed`: it has a word that may be a guessed key.
    """

    place: SeatContext
    proof: Proof | None
    shown: Code | None = None
    notes: tuple[str, ...] = ()
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class MessageContext:
    """A message while it is processed, in its own transaction.

    `verdict` is that of the receiving server on the sender. `shown` are the reports whose codes are in the recipients
    or the subject. `key` names the valid key that the message shows, "" if none (`pbem.inbox.route`). `silences` are
    the reasons why answers that were due are not given. `confirmed` is set once the sender has confirmed the message.
    `answers` is the code of ours that the message shows, "" if none. `together` are the answers so far to its sheets,
    if it has several: those to one address go in one mail.
    """

    app: App
    session: Session
    now: dt.datetime
    inbox_id: int
    message: Message
    verdict: AuthVerdict = "none"
    codes: Codes = field(default_factory=Codes)
    key: str = ""
    silences: list[str] = field(default_factory=list)
    confirmed: ConfirmedSender | None = None
    answers: str = ""
    together: list[HeldAnswer] | None = None

    snapshot: ClassVar[None] = None
    """No campaign: which one a message concerns is found out, and there may be several."""

    def campaign_context(self, snapshot: CampaignSnapshot) -> Context:
        """Return the context of an action in a campaign that the message concerns."""
        return Context(self.session, self.app, snapshot, self.now)

    @property
    def address(self) -> str:
        return self.app.settings.address

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the sender on the text; none on what is left out of most replies, if more was typed."""
        typed = self.message.text.strip()
        return tuple(note for note in self.message.notes if not (typed and is_routine(note)))

    @property
    def sender(self) -> str:
        """The sender in lower case, "" if none can be read."""
        return (self.message.sender or "").lower()

    @property
    def shown_sender(self) -> str:
        return self.message.came_from or self.message.sender or "an unreadable sender"

    @property
    def account(self) -> str:
        """The account to whose limits the message counts: its key, or the verdict if it has none."""
        return self.key or self.verdict

    @property
    def proven(self) -> bool:
        """True if the sender is proved by more than a From line."""
        return bool(self.key) or self.verdict == "pass"

    def silent(self, why: str) -> str:
        """Record why an answer that was due is not given; return the note on it."""
        self.silences.append(why)
        return f"not answered: {why}"


@dataclass(frozen=True, slots=True)
class OpenedMessage:
    """A message in its transaction, with the frames found in it; `wishes` are those of a GM's commands with files."""

    context: MessageContext
    sheet: SheetText
    gm_sheet: GmFrame | None
    wishes: Wishes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A message that is to be processed now, because its sender has confirmed it.

    `kept` is the row of a message that was kept; without it, it is the answer itself that is processed. `then` ends
    the note on the answer.
    """

    context: MessageContext
    kept: InboxMessage | None = None
    then: str = ""

    def conclude(self, outcome: Outcome) -> Outcome:
        """Return what to note of the answer, and note of the kept message what came of it."""
        note, is_sheet = outcome
        if self.kept is None:
            return outcome
        self.kept.note = f"its owner's, as message {self.context.inbox_id} says: {note}"
        return f"says that message {self.kept.id} is theirs{self.then}", is_sheet


def start_of_day_utc(at: dt.datetime) -> dt.datetime:
    """Return the beginning of a moment's day (UTC)."""
    return at.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
