"""Queue of unprocessed messages, with counted attempts, so that a fatal message is quarantined.

An attempt is recorded before it is made. Messages are first tried in batches; if
the process is killed meanwhile, none of them is charged, as it may have been any
of them, or something outside. From then on they are tried one by one, in their
order among the others, and an attempt is charged to the message being read.
"""

from __future__ import annotations

import datetime as dt
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import ColumnElement, bindparam, select, update
from sqlalchemy.orm import Session, aliased

from pbem.app import App
from pbem.errors import StoreError, describe_error
from pbem.inbox.context import MessageContext
from pbem.inbox.replies import MessageQuarantined, ProcessingFailed, answer, notify
from pbem.inbox.seat_lookup import is_known
from pbem.log import event
from pbem.mail.message import UNREADABLE, Message, parse_headers
from pbem.store.models import Campaign, InboxMessage
from pbem.store.session import Store, flushed_connection
from pbem.store.types import CampaignState, MessageState
from pbem.util import TimeLimitExceeded, redact_all, run_with_time_limit

AT_ONCE = 20
"""Messages tried, and held in memory, at a time."""

SUSPECTED = 1
"""Attempts recorded of messages tried together: if the process is killed then, most of them are not to blame."""

MOST_ATTEMPTS = SUSPECTED + 2
"""Attempts recorded of a message that has killed its process twice, and is not tried again by itself."""

GLOBAL = ""
"""The partition of messages of no one campaign: each is processed by itself, in its order among all others."""


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A new message, with the recorded attempts (`SUSPECTED`, `MOST_ATTEMPTS`) in which the process was killed."""

    id: int
    attempts: int
    received_at: dt.datetime


def load_new_messages(session: Session, lane: str | None = None) -> list[QueuedMessage]:
    """Return all new messages, oldest first.

    With a `lane`, only the messages of that partition that need not wait for an older one of another.
    """
    if lane is None:
        return [QueuedMessage(*row) for row in flushed_connection(session).execute(_ALL_NEW)]
    in_the_way = InboxMessage.lane != GLOBAL if lane == GLOBAL else InboxMessage.lane == GLOBAL
    came = select(InboxMessage.received_at, InboxMessage.id).where(_NEW, in_the_way)
    first = session.execute(came.order_by(*_AS_THEY_CAME).limit(1)).first()
    return _select_new(session, InboxMessage.lane == lane, *([_came_before(*first)] if first else []))


def _came_before(at: dt.datetime, letter_id: int) -> ColumnElement[bool]:
    return (InboxMessage.received_at < at) | ((InboxMessage.received_at == at) & (InboxMessage.id < letter_id))


def load_raw(session: Session, letter_id: int) -> bytes:
    """Return a message as it came."""
    return session.scalars(select(InboxMessage.raw).where(InboxMessage.id == letter_id)).one()


def load_unpartitioned(session: Session) -> list[QueuedMessage]:
    """Return the new messages that have no partition yet, oldest first."""
    return _select_new(session, InboxMessage.lane.is_(None))


_NEW = InboxMessage.state == MessageState.NEW
_AS_THEY_CAME = (InboxMessage.received_at, InboxMessage.id)

_ALL_NEW = select(InboxMessage.id, InboxMessage.attempts, InboxMessage.received_at).where(_NEW).order_by(*_AS_THEY_CAME)


def _select_new(session: Session, *which: ColumnElement[bool]) -> list[QueuedMessage]:
    return [QueuedMessage(*row) for row in session.execute(_ALL_NEW.where(*which))]


def group_messages(letters: Sequence[QueuedMessage]) -> Iterator[tuple[int, list[QueuedMessage]]]:
    """Yield groups of messages in their order, each with the number of messages before it.

    Messages that were never tried are in batches, others by themselves.
    """
    done = 0
    for tried, some in groupby(letters, key=lambda letter: letter.attempts > 0):
        alike = list(some)
        size = 1 if tried else AT_ONCE
        for at in range(0, len(alike), size):
            yield done + at, alike[at : at + size]
        done += len(alike)


@contextmanager
def counted_attempt(store: Store, letters: Sequence[QueuedMessage]) -> Iterator[None]:
    """Record an attempt at some messages, all tried equally often; undo that if the block raises.

    If the process is killed in the block, the attempt stays recorded.
    """
    ids, before = [letter.id for letter in letters], letters[0].attempts
    _record_attempts(store, ids, SUSPECTED if len(letters) > 1 else max(before, SUSPECTED) + 1)
    try:
        yield
    except BaseException:
        with suppress(Exception):  # the database may be at fault
            _record_attempts(store, ids, before)
        raise


def _record_attempts(store: Store, ids: Sequence[int], attempts: int) -> None:
    # A power cut is not a message's fault, so it may undo the record.
    with store.writing(durable=False) as session:
        still_new = update(InboxMessage).where(InboxMessage.id.in_(ids), InboxMessage.state == MessageState.NEW)
        session.connection().execute(still_new.values(attempts=attempts))


KILLS = "reading it has ended this program twice, as when it takes more memory than there is; it was not tried again"

_LONGEST_NOTE = 4_000
"""Characters from the end of a traceback, where it says what went wrong."""

# Only a message that is new is closed: of two processes that have it, one finds nothing to update.
_CLOSE = (
    update(InboxMessage)
    .where(InboxMessage.id == bindparam("letter"), InboxMessage.state == MessageState.NEW)
    .returning(InboxMessage.id)
)


def close_message(session: Session, letter_id: int, state: str, note: str) -> bool:
    """Close a new message; return False if another process was faster."""
    values = {"letter": letter_id, "state": state, "note": note}
    return session.connection().execute(_CLOSE, values).first() is not None


COPY_HOURS = 24
"""Hours within which copies of a mail come."""

_THIS, _OTHER = aliased(InboxMessage), aliased(InboxMessage)
_SAME = (
    (_THIS.id == bindparam("letter"))
    & (_OTHER.content == _THIS.content)
    & (_OTHER.id != _THIS.id)
    & _OTHER.received_at.between(bindparam("since"), bindparam("until"))
)
# One that was quarantined did nothing.
_COUNTS = (_OTHER.state == MessageState.PROCESSED) | ((_OTHER.state == MessageState.NEW) & (_OTHER.id < _THIS.id))
_ORIGINAL = select(_OTHER.id).where(_SAME, _COUNTS).order_by(_OTHER.id).limit(1)


def find_original(session: Session, letter_id: int, received_at: dt.datetime) -> int | None:
    """Return the message of which another is a copy, as when a mail came to two addresses of ours; None if it is none.

    Copies have the same From, Date, Subject and body, whatever Message-IDs servers gave them.
    """
    hours = dt.timedelta(hours=COPY_HOURS)
    which = {"letter": letter_id, "since": received_at - hours, "until": received_at + hours}
    return session.connection().execute(_ORIGINAL, which).scalar()


def quarantine(app: App, now: dt.datetime, letter_id: int, raw: bytes, error: Exception | TimeLimitExceeded) -> bool:
    """Quarantine a message that could not be processed, and notify those concerned.

    Return False if another process has closed it before.
    """
    event("message quarantined", level="error", fault=error, letter=letter_id)
    problem = _time_limit_problem(app) if isinstance(error, TimeLimitExceeded) else describe_error(error)
    trace = redact_all("".join(traceback.format_exception(error)))[-_LONGEST_NOTE:]
    note = f"{trace}{problem}" if isinstance(error, TimeLimitExceeded) else trace
    letter = _parse_head(app, raw)
    try:
        with app.store.writing() as session:
            if not close_message(session, letter_id, MessageState.QUARANTINED, note):
                return False
            case = MessageContext(app, session, now, letter_id, letter)
            _notify_gms(case, problem)
            _notify_sender(case)
    except StoreError:
        raise  # the message stays new for the next tick
    except Exception:
        # If the notices cannot be written either, the caller reports that; the message is quarantined all the same.
        with app.store.writing() as session:
            close_message(session, letter_id, MessageState.QUARANTINED, note)
        raise
    return True


def quarantine_unread(app: App, now: dt.datetime, letter_id: int) -> bool:
    """Quarantine a message that has killed the process; return False if another process has closed it before.

    Its headers are parsed last, when nothing else can be lost by it; if that succeeds, the sender is notified.
    """
    event("message quarantined", level="error", letter=letter_id, text=KILLS)
    with app.store.writing() as session:
        if not close_message(session, letter_id, MessageState.QUARANTINED, KILLS):
            return False
        _notify_gms(MessageContext(app, session, now, letter_id, UNREADABLE), KILLS)
        raw = load_raw(session, letter_id)
    letter = _parse_head(app, raw)
    with app.store.writing() as session:
        _notify_sender(MessageContext(app, session, now, letter_id, letter))
    return True


def _time_limit_problem(app: App) -> str:
    return f"reading and answering it took more than {app.settings.letter_seconds:g} seconds of the processor's time"


def _parse_head(app: App, raw: bytes) -> Message:
    """Return the sender and subject of a message, as far as they can be parsed within a message's time limit."""
    try:
        return run_with_time_limit(app.settings.letter_seconds, lambda: parse_headers(raw))
    except (Exception, TimeLimitExceeded):  # noqa: BLE001 - it may be what could not be read
        return UNREADABLE


def _notify_gms(case: MessageContext, problem: str) -> None:
    letter = case.letter
    page = MessageQuarantined(
        letter=case.letter_id,
        sender=letter.sender or "",
        subject=redact_all(letter.subject),
        problem=redact_all(problem),
    )
    for gm in case.session.scalars(select(Campaign.gm).where(Campaign.status == CampaignState.RUNNING).distinct()):
        notify(case, gm, f"message {case.letter_id} quarantined", page)


def _notify_sender(case: MessageContext) -> None:
    sender = case.letter.sender
    if sender is not None and not case.letter.machine.kind and is_known(case.session, sender):
        answer(case, sender, ProcessingFailed(address=case.address))
