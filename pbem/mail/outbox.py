"""The outbox: enqueue, withdraw and supersede outgoing mail.

All mail of a campaign to one player names the same first mail in References, so
that mail programs show it as one thread. All fields added here follow from the
reader's own seats alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, cast
from urllib.parse import quote

from sqlalchemy import ColumnElement, Row, Table, bindparam, case, insert, select, update
from sqlalchemy.orm import Session

from pbem.config import Settings
from pbem.mail.compose import NewMail, compose, with_recipient
from pbem.mail.headers import message_id
from pbem.store.models import OutgoingMail, Person, Seat
from pbem.store.session import JobQueue, QueuedJob, enqueue_on_commit
from pbem.store.types import UNSENT_STATES, MailForm, OutgoingState

_ReaderRow = Row[str, int, bool, bool, int, str]
# Built once: building it takes longer than running it. With all seats of these people: restricted to one campaign,
# SQLite would scan all seats of that.
_READERS = (
    select(Person.key, Person.id, Person.plain, Person.calendar, Seat.campaign_id, Seat.name)
    .outerjoin(Seat, Seat.person_id == Person.id)
    .where(Person.key.in_(bindparam("keys", expanding=True)))
    .order_by(Seat.id.desc())
)


@dataclass(frozen=True, slots=True)
class MailingCampaign:
    """The campaign that mails belong to, with the key of its Message-IDs."""

    id: int
    name: str
    mail_key: bytes


def welcome_id(campaign: str, seat: str, *later: str) -> tuple[str, ...]:
    """Return the parts of the Message-ID of a seat's first welcome, the root of its thread, or of a `later` one."""
    return ("welcome", campaign, seat, *later)


def _rows(
    session: Session, mails: Sequence[NewMail], settings: Settings, campaign: MailingCampaign | None, now: datetime
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the outbox for mails of a campaign, or of none."""
    keys = {"keys": list({mail.recipient.lower() for mail in mails})}
    readers = {}
    # A person's first seat comes last in the query, and so stays in the dict.
    seats = {}
    for reader in session.connection().execute(_READERS, keys).all():
        readers[reader.key] = reader
        if campaign is not None and reader.campaign_id == campaign.id:
            seats[reader.key] = reader.name
    for mail in mails:
        key = mail.recipient.lower()
        own = _add_campaign_headers(mail, campaign, seats.get(key), settings) if campaign else mail
        yield _row(own, readers.get(key), campaign, settings, now)


def _for_reader(mail: NewMail, reader: _ReaderRow) -> NewMail:
    """Return a mail without what its reader does not want."""
    if reader.plain or not reader.calendar:
        mail = replace(mail, parts=tuple(part for part in mail.parts if not part.is_calendar))
    if reader.plain and mail.kind == "report":  # other mail has files because they were asked for
        return replace(mail, html="", parts=())
    if reader.plain and not any(part.content_id for part in mail.parts):
        return replace(mail, html="")
    return mail


def _add_campaign_headers(mail: NewMail, campaign: MailingCampaign, seat: str | None, settings: Settings) -> NewMail:
    list_id = f"<{campaign.name}.{settings.domain}>"
    if seat is None:
        return replace(mail, list_id=list_id)
    root = message_id(campaign.mail_key, settings.domain, *welcome_id(campaign.name, seat))
    thread = (root, *(id_ for id_ in mail.references if id_ != root)) if mail.message_id != root else mail.references
    # The button alone gives no seat away: the player is asked to confirm (`pbem.inbox.run_commands`).
    leave = f"mailto:{settings.address}?subject={quote(f'Leave {campaign.name} {seat}')}"
    return replace(mail, list_id=list_id, references=thread, unsubscribe=leave)


OUTBOX = cast(Table, OutgoingMail.__table__)

LONGEST_WAIT = timedelta(hours=4)
"""The longest time for which a mail is deferred at once."""

GIVE_UP = timedelta(days=5)
"""How long a mail is tried after it was written (RFC 5321, 4.5.4.1); longer if there were only a few attempts."""

PROMPT = ("receipt", "answer", "question", "stranger", "warning")
"""Kinds of mail that are sent before all others: their readers have just written, and wait for an answer.

All other mail goes to many readers, and would delay such an answer for hours
where a provider accepts little mail. They cannot crowd out reports: there is at
most one for each message received.
"""

IN_ORDER = (OUTBOX.c.attempts, case((OUTBOX.c.kind.in_(PROMPT), 0), else_=1), OUTBOX.c.id)
"""The order of sending: what failed before comes last; answers first, then as written."""


def is_due(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a mail is to be sent now: it is queued, or the claim on it has expired."""
    # A time further ahead than any deferral was stored while the clock was ahead.
    when = (OUTBOX.c.not_before <= now) | (OUTBOX.c.not_before > now + LONGEST_WAIT)
    return OUTBOX.c.state.in_(UNSENT_STATES) & when


def provider_of(address: str) -> str:
    """Return the domain of an address, as stored in `OutgoingMail.provider`."""
    return address.rpartition("@")[2].lower()


_PUT = insert(OUTBOX)

DICE = "dice"
"""The kind of mail that asks for a dice word, until the campaign starts."""

TEST = "test"
"""The kind and topic of the mail by which an operator tests the way to an address and back."""

OVERTAKEN = ("reminder", "late", "problem", DICE)
"""Kinds of mail that speak of an open turn, and are void once it is run."""


def topic_of(kind: str, campaign: str, turn: int, whose: str) -> str:
    """Return the topic of a mail, which is unique to its reader: `whose` is a seat, or "gm"."""
    return f"{kind} {campaign} {turn} {whose}"


def enqueue(
    session: Session, mails: Iterable[NewMail], settings: Settings, *, campaign: MailingCampaign | None, now: datetime
) -> None:
    """Write mails of a campaign, or of none, into the outbox in the order in which they are to be sent.

    They are sent once the session's transaction is committed. Queued mail on one of their topics is superseded.
    """
    ready = list(mails)
    rows = list(_rows(session, ready, settings, campaign, now))
    # Before the insert, or the new mails would be superseded as well.
    withdraw_topics(session, {mail.topic for mail in ready if mail.topic})
    if rows:
        session.connection().execute(_PUT, rows)
        _observed_changes(session).queued.extend(mail.message_id for mail in ready)
        enqueue_on_commit(session, QueuedJob(JobQueue.SEND))


def withdraw_turn_mail(session: Session, campaign: str, turn: int, seats: Iterable[str]) -> None:
    """Withdraw queued mail that speaks of a turn as open: the turn has been run.

    `seats` are all seats of the campaign.
    """
    withdraw_topics(session, (topic_of(kind, campaign, turn, whose) for whose in ("gm", *seats) for kind in OVERTAKEN))


def withdraw_mails(session: Session, message_ids: Iterable[str]) -> None:
    """Withdraw those of these mails that are still queued."""
    _supersede(session, OUTBOX.c.message_id.in_(list(message_ids)))


def end_gm_codes(session: Session, campaign_id: int) -> None:
    """End the codes by which replies to the mails to a campaign's GM take commands, as its token is renewed."""
    given = (OUTBOX.c.campaign_id == campaign_id) & (OUTBOX.c.code != "")
    session.execute(update(OUTBOX).where(given).values(code=""))


def press_topic(campaign: str, seat: str, press_id: int | None = None) -> str:
    """Return the topic of the mail with a press message to a seat; without an id, the beginning of all such topics."""
    return f"press {campaign} {seat} {'' if press_id is None else press_id}"


def redirect_press(session: Session, campaign: str, seat: str, person: Person | None) -> None:
    """Redirect queued press of a seat to the player who has it now; withdraw it if there is none."""
    theirs = OUTBOX.c.topic.startswith(press_topic(campaign, seat), autoescape=True)
    if person is None:
        _supersede(session, theirs)
        return
    waiting = select(OUTBOX.c.id, OUTBOX.c.raw).where(theirs, OUTBOX.c.state == OutgoingState.QUEUED)
    database = session.connection()
    for id_, raw in database.execute(waiting).all():
        values = {"recipient": person.address, "provider": provider_of(person.address), "person_id": person.id}
        mail = update(OUTBOX).where(OUTBOX.c.id == id_)
        database.execute(mail.values(raw=with_recipient(raw, person.address), **values))


# Built once: it runs for every mail with a topic.
_ON_TOPICS = (
    update(OUTBOX)
    .where(OUTBOX.c.topic.in_(bindparam("topics", expanding=True)), OUTBOX.c.state == OutgoingState.QUEUED)
    .values(state=OutgoingState.SUPERSEDED)
    .returning(OUTBOX.c.id)
)

# Topics in a statement; databases limit its parameters.
_AT_ONCE = 1_000


def withdraw_topics(session: Session, topics: Iterable[str]) -> None:
    """Withdraw queued mail of topics, which its readers are no longer to have."""
    all_ = list(topics)
    for start in range(0, len(all_), _AT_ONCE):
        found = session.connection().execute(_ON_TOPICS, {"topics": all_[start : start + _AT_ONCE]})
        _observed_changes(session).superseded.extend(found.scalars())


def _supersede(session: Session, which: ColumnElement[bool]) -> Sequence[int]:
    waiting = update(OUTBOX).where(which, OUTBOX.c.state == OutgoingState.QUEUED)
    found = session.connection().execute(waiting.values(state=OutgoingState.SUPERSEDED).returning(OUTBOX.c.id))
    ids = found.scalars().all()
    _observed_changes(session).superseded.extend(ids)
    return ids


@dataclass(slots=True)
class OutboxChanges:
    """Message-IDs of the mails that a session has queued, and ids of those that it has withdrawn, since `observe`."""

    queued: list[str] = field(default_factory=list)
    superseded: list[int] = field(default_factory=list)


_OBSERVED = "pbem_outbox"


def observe(session: Session) -> OutboxChanges:
    """Return the changes that the session makes in the outbox from now on: they are added to the result."""
    changes = session.info[_OBSERVED] = OutboxChanges()
    return changes


def _observed_changes(session: Session) -> OutboxChanges:
    changes: OutboxChanges = session.info.get(_OBSERVED) or OutboxChanges()
    return changes


def drop_queued(session: Session, ids: Collection[int]) -> Collection[int]:
    """Withdraw those of these mails that are still queued; return their ids."""
    return _supersede(session, OUTBOX.c.id.in_(ids))


def queue_again(session: Session, ids: Collection[int]) -> None:
    """Queue mails again that were withdrawn."""
    theirs = update(OUTBOX).where(OUTBOX.c.id.in_(ids), OUTBOX.c.state == OutgoingState.SUPERSEDED)
    session.connection().execute(theirs.values(state=OutgoingState.QUEUED))
    enqueue_on_commit(session, QueuedJob(JobQueue.SEND))


def _row(
    mail: NewMail, reader: _ReaderRow | None, campaign: MailingCampaign | None, settings: Settings, now: datetime
) -> dict[str, Any]:
    mail = _for_reader(mail, reader) if reader else mail
    plain = reader is not None and reader.plain and mail.kind == "report"
    return {
        "campaign_id": campaign.id if campaign else None,
        "person_id": reader.id if reader else None,
        "kind": mail.kind,
        "topic": mail.topic or None,
        "recipient": mail.recipient,
        "provider": provider_of(mail.recipient),
        "form": MailForm.TEXT if plain else MailForm.FULL,
        "message_id": mail.message_id,
        "code": mail.code,
        "raw": compose(mail, sender=settings.address, sender_name=settings.sender_name, at=now),
        "state": OutgoingState.QUEUED,
        "attempts": 0,
        "not_before": now,
        "created_at": now,
        "reply": "",
    }


def deputy_topic(topic: str) -> str:
    """Return the topic of a deputy's copy of a mail, by the topic of the mail."""
    return topic and f"{topic} deputy"


@dataclass(frozen=True)
class DeliveryResult:
    """Counts of the mails that were due. `delayed` wait for their provider's rate limit.

    `trouble` is the sentence why sending stopped early, or "".
    """

    sent: int = 0
    deferred: int = 0
    failed: int = 0
    delayed: int = 0
    trouble: str = ""
