"""Send the outbox: claims, rate limits, and a second attempt for refused mail.

A row is claimed (state "sending") in a commit of its own, then handed to the
transport, then marked. After a crash between the last two it is unknown whether
the mail went out; it is sent again, the same bytes with the same Message-ID, once
its claim has expired.

Rate limits count the mails sent in the outbox itself, in periods that end now.
Nothing sleeps: a mail that is held back is not due before its time.

Mail that was refused for good, or bounced, is sent once more: as text alone if it
was refused for its size or content, else to its reader's second address. Each way
is tried once, and noted in the mail's `reply` before the server's answer. The text
has a Message-ID of its own, for a mailbox may drop a mail whose ID it has seen.
"""

from __future__ import annotations

import time
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from threading import Lock

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from pbem.config_values import SendingLimits
from pbem.errors import MailLost, PermanentMailError, TemporaryMailError, TransportUnavailable
from pbem.log import event
from pbem.mail.compose import text_only
from pbem.mail.connection import is_content_refusal
from pbem.mail.headers import text_id
from pbem.mail.outbox import GIVE_UP, IN_ORDER, LONGEST_WAIT, OUTBOX, DeliveryResult, is_due, provider_of
from pbem.mail.retention import is_masked
from pbem.mail.transport import Transport
from pbem.store.models import OutgoingMail, Person
from pbem.store.session import Store
from pbem.store.types import MailForm, OutgoingState

_INSTEAD = " instead: "


def append_reply(before: str, said: str) -> str:
    """Return the stored reply with a new answer, after the ways that were tried before."""
    return "".join(before.rpartition(_INSTEAD)[:2]) + said


def retry_refused(session: Session, mail: OutgoingMail, now: datetime) -> str:
    """Queue a refused mail another way, by its `reply`; return that way, "" if none is left.

    None is left for a mail whose content has been redacted: sent a week ago, it has
    arrived or is out of date.
    """
    if is_masked(mail.raw):
        return ""
    way = _as_text(mail) or _to_second_address(session, mail)
    if way:
        mail.state, mail.attempts, mail.not_before = OutgoingState.QUEUED, 0, now
        mail.reply = f"{mail.reply}; {way}{_INSTEAD}"
    return way


def retry_bounced(session: Session, mail: OutgoingMail, *, reason: str, recipient: str, now: datetime) -> str:
    """Queue a bounced mail another way; return a note on that, "" if it has bounced for good.

    `recipient` is the address that the delivery report names.
    """
    if mail.state in (OutgoingState.BOUNCED, OutgoingState.SUPERSEDED):
        return ""
    person = _reader(session, mail)
    if person is not None and mail.recipient.lower() != person.key == recipient.lower():
        return f"it has gone to {mail.recipient} since"
    mail.reply = append_reply(mail.reply, reason)
    return retry_refused(session, mail, now)


def _as_text(mail: OutgoingMail) -> str:
    if mail.form == MailForm.TEXT or not is_content_refusal(mail.reply.rpartition(_INSTEAD)[2]):
        return ""
    text = text_only(mail.raw)
    if text == mail.raw:
        return ""
    first, other = (f"\r\nMessage-ID: {id_}".encode() for id_ in (mail.message_id, text_id(mail.message_id)))
    mail.raw = text.replace(first, other, 1)
    mail.form = MailForm.TEXT
    return "sent as text alone"


def _to_second_address(session: Session, mail: OutgoingMail) -> str:
    person = _reader(session, mail)
    if person is None or not person.fallback or mail.recipient.lower() != person.key:
        return ""
    mail.recipient, mail.provider = person.fallback, provider_of(person.fallback)
    return f"sent to {person.fallback}"


def _reader(session: Session, mail: OutgoingMail) -> Person | None:
    return session.get(Person, mail.person_id) if mail.person_id is not None else None


LONGEST_SPAN = timedelta(days=1)

_HOLD = update(OUTBOX).where(OUTBOX.c.id == bindparam("row")).values(not_before=bindparam("until"))


def defer_over_limit(session: Session, pace: SendingLimits, now: datetime) -> int:
    """Defer due mail that the rate limits do not allow now, in order; return the number of mails deferred."""
    slots = RateSlots(pace, now, _list_sent(session, now))
    due = session.execute(select(OUTBOX.c.id, OUTBOX.c.provider).where(is_due(now)).order_by(*IN_ORDER))
    times = [(row, slots.take(domain)) for row, domain in due.all()]
    held = [{"row": row, "until": min(at, now + LONGEST_WAIT)} for row, at in times if at > now]
    if held:
        session.connection().execute(_HOLD, held)
    return len(held)


def _list_sent(session: Session, now: datetime) -> list[tuple[str, datetime]]:
    """Return domain and time of each mail of the last day; claimed mail counts as sent now."""
    sent = select(OUTBOX.c.provider, OUTBOX.c.sent_at).where(
        OUTBOX.c.sent_at > now - LONGEST_SPAN, OUTBOX.c.sent_at <= now
    )
    claimed = select(OUTBOX.c.provider).where(OUTBOX.c.state == OutgoingState.SENDING, ~is_due(now))
    gone = [(domain, at) for domain, at in session.execute(sent)]
    return gone + [(domain, now) for domain in session.scalars(claimed)]


class RateSlots:
    """Times at which mail may be sent. `gone` is the domain and time of each mail sent before."""

    def __init__(self, pace: SendingLimits, now: datetime, gone: Iterable[tuple[str, datetime]]) -> None:
        self._pace = pace
        self._taken: dict[str, list[datetime]] = defaultdict(list)
        self._first: dict[str, datetime] = defaultdict(lambda: now)
        for domain, at in sorted(gone, key=lambda each: each[1]):
            self._put(domain, at)

    def take(self, domain: str) -> datetime:
        """Reserve and return the earliest time at which one more mail may go to a domain."""
        at = self._first[domain]
        while (later := self._next(domain, at)) > at:
            at = later
        self._first[domain] = at
        self._put(domain, at)
        return at

    def _put(self, domain: str, at: datetime) -> None:
        insort(self._taken[""], at)
        if domain in self._pace.domains:
            insort(self._taken[domain], at)

    def _next(self, domain: str, at: datetime) -> datetime:
        """Return `at` if no limit is reached in the spans that end then, else when the first full span has passed."""
        for whose, most, span in self._pace.spans(domain):
            taken = self._taken[whose]
            end = bisect_right(taken, at)
            if end - bisect_right(taken, at - span) >= most:
                return taken[end - most] + span
        return at


BATCH = 25

AHEAD = 250
"""Mails sorted at a time. Mail written meanwhile, answers too, is sent after these."""

CLAIM = timedelta(minutes=15)
"""How long a claimed row is reserved for the sender that claimed it."""

MOST_LOST = 2
"""Mails in a row to which the server gave no reply; then it is taken to be down."""

CLAIM_USED_SECONDS = 60
"""A sender that is this late with its batch releases the rest of it.

The mail being sent may take ten minutes more with a slow server, and its claim must not expire meanwhile.
"""

RETRIES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15), timedelta(hours=1), LONGEST_WAIT)
"""How long to wait after the first, second, … failure; the last holds for all further ones."""

LOST_RETRIES = RETRIES[2:]
"""The same after a mail that the server may have accepted: its reader gets it again each time."""

_NO_PACE = SendingLimits()
_EVENTS = {
    OutgoingState.SENT: ("mail sent", "sent"),
    OutgoingState.QUEUED: ("mail put off", "deferred"),
    OutgoingState.FAILED: ("mail refused", "failed"),
}
"""For each outcome its name in the log, and the count of `DeliveryResult`."""


def deliver_due(
    store: Store,
    carrier: Transport,
    now: datetime,
    *,
    pace: SendingLimits = _NO_PACE,
    connections: int = 1,
    on_sent: Callable[[], None] | None = None,
) -> DeliveryResult:
    """Send all mail that is due and that the rate limits allow; call `on_sent` after each.

    A mail refused for now is tried again after 1, 5, 15, 60 minutes and then
    every 4 hours, for 5 days; one to which the server gives no reply after 15, 60
    minutes and so on, over a new connection; one refused for good goes another way if there is
    one. When the carrier accepts nothing at all, the rest waits for the next
    call, and no mail is given up. Concurrent senders share the work, as do as many
    threads as there are `connections`.
    """
    sender = _Sender(store, carrier, now, on_sent)
    if pace:
        sender.keep(pace)
    sender.send(connections)
    return DeliveryResult(**sender.counts, trouble=sender.trouble)


@dataclass(frozen=True)
class _Claimed:
    id: int
    recipient: str
    provider: str
    raw: bytes
    attempts: int
    reply: str
    created_at: datetime


@dataclass(frozen=True)
class _Outcome:
    """New state of a claimed row; the field names are those of the table."""

    row: int
    state: OutgoingState
    attempts: int
    not_before: datetime
    reply: str
    sent_at: datetime | None = None


# Columns that a claim writes unchanged.
# Without the right to write these, which PostgreSQL grants by column, the claim fails; otherwise a mail whose outcome
# cannot be stored would be sent again and again.
_AS_THEY_ARE = {name: OUTBOX.c[name] for name in ("attempts", "reply", "sent_at")}

# Only rows still claimed: a delivery report may have been processed before its mail is marked as sent.
_MARK = (
    update(OUTBOX)
    .where(OUTBOX.c.id == bindparam("row"), OUTBOX.c.state == OutgoingState.SENDING)
    .values({name: bindparam(name) for name in ("state", "attempts", "not_before", "reply", "sent_at")})
)


class _Sender:
    """One call's work and counts, shared by its threads."""

    def __init__(self, store: Store, carrier: Transport, now: datetime, on_sent: Callable[[], None] | None) -> None:
        self.counts: Counter[str] = Counter()
        self.trouble = ""
        self._store, self._carrier, self._now, self._on_sent = store, carrier, now, on_sent
        self._newest: int | None = None
        self._ahead: list[int] = []
        self._broken = False
        self._lost = 0
        self._lock = Lock()

    def keep(self, pace: SendingLimits) -> None:
        """Hold back mail that the rate limits do not allow; leave mail written later for the next call."""
        with self._store.writing() as session:
            self.counts["delayed"] = defer_over_limit(session, pace, self._now)
            # Later mail has not been checked against the limits.
            self._newest = session.scalar(select(func.max(OUTBOX.c.id))) or 0

    def send(self, connections: int) -> None:
        """Send until no mail is due any more, in this thread and as many others as are needed."""
        if connections == 1:
            self._work()
            return
        with ThreadPoolExecutor(connections - 1) as threads:
            others = [threads.submit(self._work) for _ in range(connections - 1)]
            self._work()
        for other in others:
            other.result()

    def _work(self) -> None:
        try:
            batch = self._finish_and_claim([])
            while batch:
                batch = self._finish_and_claim(self._deliver(batch), claim=not self._stopping)
        except BaseException:
            self._broken = True
            raise

    @property
    def _stopping(self) -> bool:
        return self._broken or bool(self.trouble)

    def _finish_and_claim(self, outcomes: Sequence[_Outcome], *, claim: bool = True) -> list[_Claimed]:
        """Mark the outcomes of a batch and claim the next one, in one commit."""
        with self._lock, self._store.writing() as session:
            if outcomes:
                session.connection().execute(_MARK, [vars(outcome) for outcome in outcomes])
                self._retry_failed(
                    session, [outcome.row for outcome in outcomes if outcome.state == OutgoingState.FAILED]
                )
            return self._claim(session) if claim else []

    def _retry_failed(self, session: Session, failed: Sequence[int]) -> None:
        mails = session.scalars(select(OutgoingMail).where(OutgoingMail.id.in_(failed))) if failed else ()
        for mail in mails:
            if retry_refused(session, mail, self._now):
                self.counts.update(failed=-1, deferred=1)

    def _claim(self, session: Session) -> list[_Claimed]:
        due = is_due(self._now)
        if self._newest is not None:
            due &= OUTBOX.c.id <= self._newest
        while True:
            # To sort all due mail for each batch would take longer with every mail that waits.
            if not self._ahead:
                self._ahead += session.scalars(select(OUTBOX.c.id).where(due).order_by(*IN_ORDER).limit(AHEAD))
            some, self._ahead = self._ahead[:BATCH], self._ahead[BATCH:]
            # Rows that another sender claims at this moment are left to it.
            mine = select(OUTBOX.c.id).where(OUTBOX.c.id.in_(some), due).with_for_update(skip_locked=True)
            claim = (
                update(OUTBOX)
                .where(OUTBOX.c.id.in_(mine))
                .values(state=OutgoingState.SENDING, not_before=self._now + CLAIM, **_AS_THEY_ARE)
                .returning(*(OUTBOX.c[field.name] for field in fields(_Claimed)))
            )
            found = {row.id: _Claimed(*row) for row in session.connection().execute(claim)} if some else {}
            if found or not some:
                return [found[id_] for id_ in some if id_ in found]

    def _deliver(self, batch: Sequence[_Claimed]) -> list[_Outcome]:
        outcomes: list[_Outcome] = []
        started = time.monotonic()
        try:
            for row in batch:
                if self._stopping or time.monotonic() - started > CLAIM_USED_SECONDS:
                    break
                outcomes.append(self._outcome(row))
                self._count(row, outcomes[-1])
        except BaseException:
            # Also at KeyboardInterrupt: mail that is sent but not marked would be sent again.
            self._finish_and_claim(outcomes + self._release(batch[len(outcomes) :]), claim=False)
            raise
        return outcomes + self._release(batch[len(outcomes) :])

    def _outcome(self, row: _Claimed) -> _Outcome:
        now, tries = self._now, row.attempts + 1
        try:
            said = self._carrier.send(row.recipient, row.raw)
        except PermanentMailError as error:
            return _Outcome(row.id, OutgoingState.FAILED, tries, now, append_reply(row.reply, str(error)))
        except TemporaryMailError as error:
            lost = isinstance(error, MailLost)
            self._lost = self._lost + 1 if lost else 0
            # Twice in a row the server loses all mail, not this one.
            down = isinstance(error, TransportUnavailable) or self._lost >= MOST_LOST
            if down:
                self.trouble = str(error)
            # A server that accepts nothing at all says nothing about this mail.
            given_up = now - row.created_at >= GIVE_UP and tries >= len(RETRIES) and not down
            pauses = LOST_RETRIES if lost else RETRIES
            again, state = (
                now + pauses[min(tries, len(pauses)) - 1],
                OutgoingState.FAILED if given_up else OutgoingState.QUEUED,
            )
            return _Outcome(row.id, state, tries, again, append_reply(row.reply, str(error)))
        self._lost = 0
        return _Outcome(row.id, OutgoingState.SENT, tries, now, append_reply(row.reply, said), now)

    def _count(self, row: _Claimed, outcome: _Outcome) -> None:
        name, counted = _EVENTS[outcome.state]
        event(name, mail=row.id, provider=row.provider, tries=outcome.attempts, reply=outcome.reply)
        with self._lock:
            self.counts[counted] += 1
            if outcome.state == OutgoingState.SENT and self._on_sent:
                self._on_sent()

    def _release(self, rows: Iterable[_Claimed]) -> list[_Outcome]:
        return [_Outcome(row.id, OutgoingState.QUEUED, row.attempts, self._now, row.reply) for row in rows]
