"""Daily limits of messages, order sheets, wrong keys and answers.

A limit belongs to an account: to the right key that a message shows, or else to
its sender as far as the receiving server vouches for them. So forged messages use
up nothing of a key that their sender does not have.

A stranger, who has no key, gets a few answers of a kind and day, and a few more of
all kinds; the last says that it is the last. Only so many strangers are answered in
a day: counted for each kind apart, and apart for those for whose address the
receiving server vouches, so that forged messages of one kind use up nothing but
that. To ask to join one campaign is a kind.

No table is needed. Messages are counted in the inbox, mails in the outbox; a wrong
key is entered into the journal, where the GM sees it and players do not.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Boolean, Select, and_, bindparam, func, literal_column, not_, select

from pbem.campaign.notices import first_free, host_mailer
from pbem.campaign.snapshot import add_entry
from pbem.inbox.context import MessageContext, start_of_day_utc
from pbem.inbox.seat_lookup import SeatContext
from pbem.mail.outbox import provider_of
from pbem.store.models import InboxMessage, JournalEntry, OrderSheet, OutgoingMail
from pbem.util import CODE_CHARACTERS, TOKEN_BYTES

MESSAGES_A_DAY = 200
"""Messages of one account; more are quarantined."""

SHEETS_A_TURN = 100
"""Sheets of one account, for one seat and turn: no person sends more."""

UNPROVEN_SHEETS_A_DAY = 20
"""Sheets for one seat with no proof but a sender: each brings its player a receipt."""

GUESSES_A_DAY = 10
"""Wrong keys for one seat after which its player and the GM are warned."""

_DAY, _EVER = dt.timedelta(days=1), dt.datetime.fromtimestamp(0, dt.UTC)

_KEY = re.compile(rf"[0-9a-f]{{{2 * TOKEN_BYTES}}}|[a-z2-7]{{{CODE_CHARACTERS}}}", re.IGNORECASE)


def _up_to(rows: Select[Any]) -> Select[int]:
    """Count rows, up to `number`, so that the database reads no more of them."""
    return select(func.count()).select_from(rows.limit(bindparam("number")).subquery())


_FROM = InboxMessage.sender == bindparam("address")
_ACCOUNT = and_(InboxMessage.key == bindparam("key"), InboxMessage.verdict == bindparam("verdict"))
_MESSAGES = _up_to(
    select(InboxMessage.id).where(
        _FROM,
        _ACCOUNT,
        InboxMessage.received_at >= bindparam("midnight"),
        InboxMessage.received_at < bindparam("next_midnight"),
        InboxMessage.received_at > bindparam("a_day_ago"),
        InboxMessage.id != bindparam("inbox_id"),
    )
)
_SHEETS = (
    select(OrderSheet.id)
    .join(InboxMessage, InboxMessage.id == OrderSheet.inbox_id)
    .where(OrderSheet.turn_id == bindparam("turn"), OrderSheet.seat_id == bindparam("seat"), _ACCOUNT)
    .where(OrderSheet.received_at >= bindparam("since"))
)
_OWN_SHEETS, _OTHER_SHEETS = _up_to(_SHEETS.where(_FROM)), _up_to(_SHEETS.where(not_(_FROM)))
"""Statements of every message, built once: building them takes longer than running them."""


class RateLimitExceeded(Exception):
    """Raised when an account has sent so much that this message or sheet is left alone; the text says how much.

    `told` is the note on those who were warned.
    """

    def __init__(self, said: str, told: str) -> None:
        super().__init__(said)
        self.told = told


def message_limit_reached(context: MessageContext, received_at: dt.datetime) -> bool:
    """Return True if the message's account has had its share of the message's day (UTC), within the last 24 hours.

    Automatic mail is never answered, and so is not counted.
    """
    if context.message.written_by_program:
        return False
    began = start_of_day_utc(received_at)
    return _reaches(
        context,
        _MESSAGES,
        MESSAGES_A_DAY,
        address=context.sender,
        inbox_id=context.inbox_id,
        midnight=began,
        next_midnight=began + _DAY,
        a_day_ago=context.now - _DAY,
    )


def sheet_limit(context: MessageContext, place: SeatContext, sent: int) -> int:
    """Return the limit that the message's account has reached with its sheets for the seat; 0 if none.

    `sent` counts the sheets of all accounts: while they are few, no account is looked up.
    """
    if sent < min(SHEETS_A_TURN, UNPROVEN_SHEETS_A_DAY):
        return 0
    address = place.address.lower()
    counted = _OWN_SHEETS if context.sender == address else _OTHER_SHEETS
    same = {"address": address, "turn": place.turn_id, "seat": place.seat_id}
    if _reaches(context, counted, SHEETS_A_TURN, **same, since=_EVER):
        return SHEETS_A_TURN
    unproven = not context.proven and _reaches(
        context, counted, UNPROVEN_SHEETS_A_DAY, **same, since=start_of_day_utc(context.now)
    )
    return UNPROVEN_SHEETS_A_DAY if unproven else 0


def _reaches(context: MessageContext, counted: Select[int], number: int, **which: Any) -> bool:
    """Return True if the message's account has as many rows as `number`."""
    found = context.session.connection().execute(
        counted, {"number": number, "key": context.key, "verdict": context.verdict, **which}
    )
    return found.scalar_one() >= number


def is_guess(key: str) -> bool:
    """Return True if a word looks like a token or a reply code, so that it may be a guess."""
    return _KEY.fullmatch(key) is not None


def count_guess(context: MessageContext, place: SeatContext) -> bool:
    """Enter a wrong key for a seat into the journal; return True if player and GM are to be warned of this one."""
    words = f"a wrong key was tried for the seat {place.seat}, by"
    guessed = len(entered_today(context, place.campaign_id, words))
    if guessed < GUESSES_A_DAY:
        add_entry(
            context.session,
            place.campaign_id,
            context.now,
            actor="pbem",
            text=f"{words} {context.shown_sender}",
            secret=True,
        )
    return guessed + 1 == GUESSES_A_DAY


def entered_today(context: MessageContext, campaign_id: int, begins: str) -> Sequence[str]:
    """Return the secret entries of today (UTC) in a campaign's journal that begin so."""
    today = (
        JournalEntry.campaign_id == campaign_id,
        JournalEntry.secret,
        JournalEntry.at >= start_of_day_utc(context.now),
    )
    entries = select(JournalEntry.text).where(*today, JournalEntry.text.startswith(begins, autoescape=True))
    return context.session.scalars(entries).all()


ANSWERS_A_DAY = 20
"""Answers for a known address, or for a key."""

WARNINGS_A_DAY = 3
"""Warnings of one kind about one seat or campaign."""

PASSED_ON_A_DAY = 5
"""Words of one person about one thing that are passed on to a GM."""

STRANGERS_A_DAY = 100
"""Answers of one kind to unknown addresses for which the receiving server does not vouch."""

STRANGERS_OF_DOMAIN_A_DAY = 30
"""Answers of one kind to unknown addresses of one domain, vouched for or not."""

STRANGER_A_DAY = 3
"""Answers of one kind to an unknown address."""

STRANGER_OF_ALL_KINDS_A_DAY = 10
"""Answers of all kinds to an unknown address."""

STRANGER = "stranger"
"""The kind of mail that answers an unknown sender."""

# Written as in the partial index `ix_outgoing_stranger`: with a parameter, databases could not use it.
_IS_TO_STRANGER = literal_column(f"outgoing.kind = '{STRANGER}'", Boolean)


def ids_today(context: MessageContext, most: int, *about: str | int, account: Sequence[str] = ()) -> list[str]:
    """Return the Message-IDs of the mails `about` something that may be sent in a day (UTC).

    They are unique in the outbox, so that two processes at once cannot exceed the limit.
    """
    mailer, day = host_mailer(context.app, context.session), context.now.date().isoformat()
    return [mailer.id_of(*about, day, *account, place) for place in range(most)]


def was_sent(context: MessageContext, topic: str) -> bool:
    """Return True if a mail of this topic was queued before."""
    return context.session.scalar(select(OutgoingMail.id).where(OutgoingMail.topic == topic).limit(1)) is not None


def sent_today(context: MessageContext, begins: str, to: str) -> int:
    """Count the mails to an address whose topics begin so, queued in the last 24 hours."""
    return _count_mails(context, OutgoingMail.created_at > context.now - _DAY, begins=begins, to=to)


def _count_strangers(context: MessageContext, *which: Any, begins: str = "", to: str = "") -> int:
    today = OutgoingMail.created_at >= start_of_day_utc(context.now)
    return _count_mails(context, _IS_TO_STRANGER, today, *which, begins=begins, to=to)


def _count_mails(context: MessageContext, *which: Any, begins: str, to: str) -> int:
    """Count the mails with topics that begin so, and to an address if one is given."""
    found = select(func.count()).select_from(OutgoingMail).where(*which)
    if begins:
        found = found.where(OutgoingMail.topic.startswith(begins, autoescape=True))
    if to:  # by the provider too, for which there is an index
        found = found.where(OutgoingMail.provider == provider_of(to), func.lower(OutgoingMail.recipient) == to.lower())
    return context.session.scalar(found) or 0


def reply_limit_reason(context: MessageContext, to: str, kind: str) -> str:
    """Return why no unknown address, or none like this one, gets an answer of a kind now; "" if it may have one.

    A sender who forges addresses would make the program write to all of them.
    """
    if context.verdict == "fail":
        return f"by the receiving server's word it did not come from {to}"
    alike, provider = _topic_prefix(context, kind), provider_of(to)
    if context.verdict != "pass" and _count_strangers(context, begins=alike) >= STRANGERS_A_DAY:
        return f"{to} is unknown, and {STRANGERS_A_DAY} such were answered today"
    if _count_strangers(context, OutgoingMail.provider == provider, begins=alike) >= STRANGERS_OF_DOMAIN_A_DAY:
        return f"{to} is unknown, and {STRANGERS_OF_DOMAIN_A_DAY} such of {provider} were answered today"
    return ""


@dataclass(frozen=True, slots=True)
class StrangerPlace:
    """One of the few answers of its kind that an unknown address gets in a day; `last`: no other follows today."""

    message_id: str
    topic: str
    last: bool


def stranger_place(context: MessageContext, to: str, kind: str, about: str = "") -> StrangerPlace | str:
    """Return the place for one more answer of a kind to an unknown address, or why it gets none today.

    `about` tells several answers of one kind to a message apart.
    """
    if why := reply_limit_reason(context, to, kind):
        return why
    ids = ids_today(context, STRANGER_A_DAY, STRANGER, kind, to.lower())
    free, sent = first_free(context.session, ids), _count_strangers(context, to=to)
    if not free:
        return f"{to} is unknown and has had {STRANGER_A_DAY} such answers today"
    if sent >= STRANGER_OF_ALL_KINDS_A_DAY:
        return f"{to} is unknown and has had {STRANGER_OF_ALL_KINDS_A_DAY} answers today"
    # A topic for each mail: queued mails of one topic supersede each other.
    which = hashlib.sha256(f"{context.inbox_id} {about}".encode()).hexdigest()[:24]
    last = free == ids[-1] or sent + 1 >= STRANGER_OF_ALL_KINDS_A_DAY
    return StrangerPlace(free, f"{_topic_prefix(context, kind)}{which}", last)


def _topic_prefix(context: MessageContext, kind: str) -> str:
    """Return the beginning of the topics of answers of a kind to senders like that of the message."""
    return f"{STRANGER} {kind} {context.verdict} "
