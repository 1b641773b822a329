"""Processing of incoming messages: each completely or not at all, in a transaction of its own.

All are answered in the order in which they came, by one process at a time; where a
second one runs, of two with the same message one finds it closed (docs/decisions/0048).

An attempt is recorded before it is made. Messages are first tried in batches; if
the process is killed meanwhile, none of them is charged, as it may have been any
of them, or something outside. From then on they are tried one by one, in their
order among the others, and an attempt is charged to the message being read.
"""

from __future__ import annotations

import datetime as dt
import traceback
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased

from pbem.app import App
from pbem.campaign.notices import post
from pbem.errors import StoreError, describe_error
from pbem.inbox import ProcessResult
from pbem.inbox.context import MessageContext
from pbem.inbox.frames import Names
from pbem.inbox.gm_messages import FilesNeeded, examine_files
from pbem.inbox.rate_limits import MESSAGES_A_DAY, RateLimitExceeded, message_limit_reached
from pbem.inbox.replies import ECHO, answer, tell_of_echo, warn_message_limit
from pbem.inbox.route import QueuedMail, handle, open_message, parse_mail
from pbem.inbox.seat_lookup import FIRST_ADDRESS, is_known
from pbem.log import event
from pbem.mail.fetch import load_raw, sender_field, written_at
from pbem.mail.message import UNREADABLE, Message, parse_headers
from pbem.report import small
from pbem.store.models import Campaign, InboxMessage
from pbem.store.session import Store
from pbem.store.types import CampaignState, MessageState
from pbem.util import Progress, TimeLimitExceeded, no_progress, redact_all, run_with_time_limit

AT_ONCE = 20
"""Messages tried, and held in memory, at a time."""

SUSPECTED = 1
"""Attempts recorded of messages tried together: if the process is killed then, most of them are not to blame."""

MOST_ATTEMPTS = SUSPECTED + 2
"""Attempts recorded of a message that has killed its process twice, and is not tried again by itself."""

COPY_HOURS = 24
"""Hours within which copies of a mail come."""


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A new message, with the recorded attempts (`SUSPECTED`, `MOST_ATTEMPTS`) in which the process was killed."""

    id: int
    attempts: int
    received_at: dt.datetime


@dataclass(frozen=True, slots=True)
class MessageResult:
    """Result of one message: its note, the number of sheets saved, and why an answer that was due was not given."""

    note: str = ""
    sheets: int = 0
    state: MessageState = MessageState.PROCESSED
    silences: Sequence[str] = ()


def process_messages(
    app: App, now: dt.datetime, *, most: int | None = None, progress: Progress = no_progress
) -> ProcessResult:
    """Process every new message, oldest first.

    After `most` bytes the other messages are left for the next call. None takes more
    than its time limit, or is charged with a third attempt.
    """
    tally, size = ProcessResult(), 0
    with app.store.reading() as session:
        waiting = [QueuedMessage(*row) for row in session.connection().execute(_ALL_NEW)]
        if not waiting:
            return tally
        known = frozenset(session.scalars(select(Campaign.name)))
    for at, group in _group_messages(waiting):
        if most is not None and size >= most:
            tally.left, tally.read_until = len(waiting) - at, group[0].received_at
            break
        # Quarantined unread: one more attempt would kill the process again.
        if group[0].attempts >= MOST_ATTEMPTS:
            tally.messages += 1
            tally.quarantined += _quarantine_unread(app, now, group[0].id)
            continue
        with _counted_attempt(app.store, group):
            for mail in _load_mails(app, group):
                try:
                    result = run_with_time_limit(
                        app.settings.letter_seconds, partial(process_one, app, now, mail, known)
                    )
                except StoreError:
                    raise  # the message is not to blame; it stays new for the next tick
                except (Exception, TimeLimitExceeded) as error:  # noqa: BLE001 - it must not stop the others
                    result = _quarantine(app, now, mail, error)
                size += len(mail.raw)
                _count(tally, result)
                progress("answering", tally.messages, len(waiting))
    return tally


def _count(tally: ProcessResult, result: MessageResult) -> None:
    tally.messages += 1
    tally.sheets += result.sheets
    tally.quarantined += result.state == MessageState.QUARANTINED
    tally.unanswered += bool(result.silences)


_ALL_NEW = (
    select(InboxMessage.id, InboxMessage.attempts, InboxMessage.received_at)
    .where(InboxMessage.state == MessageState.NEW)
    .order_by(InboxMessage.received_at, InboxMessage.id)
)


def _group_messages(messages: Sequence[QueuedMessage]) -> Iterator[tuple[int, list[QueuedMessage]]]:
    """Yield groups of messages in their order, each with the number of messages before it.

    Messages that were never tried are in batches, others by themselves.
    """
    done = 0
    for tried, some in groupby(messages, key=lambda message: message.attempts > 0):
        alike = list(some)
        size = 1 if tried else AT_ONCE
        for at in range(0, len(alike), size):
            yield done + at, alike[at : at + size]
        done += len(alike)


@contextmanager
def _counted_attempt(store: Store, messages: Sequence[QueuedMessage]) -> Iterator[None]:
    """Record an attempt at some messages, all tried equally often; undo that if the block raises.

    If the process is killed in the block, the attempt stays recorded.
    """
    ids, before = [message.id for message in messages], messages[0].attempts
    _record_attempts(store, ids, SUSPECTED if len(messages) > 1 else max(before, SUSPECTED) + 1)
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


def _load_mails(app: App, messages: Sequence[QueuedMessage]) -> list[QueuedMail]:
    """Return some messages as they came, in the order given."""
    ids = [message.id for message in messages]
    columns = select(InboxMessage.id, InboxMessage.raw, InboxMessage.received_at)
    with app.store.reading() as session:
        rows = {row.id: QueuedMail(*row) for row in session.execute(columns.where(InboxMessage.id.in_(ids)))}
    return _in_written_order([rows[inbox_id] for inbox_id in ids])


def _in_written_order(mails: Sequence[QueuedMail]) -> list[QueuedMail]:
    """Return the mails with those of one sender in the order in which they were written, in the same places.

    Of two sheets that came together the later one counts, whichever was delivered first. A sender that
    cannot be believed orders no mails but those with the same From.
    """
    ordered, places = list(mails), defaultdict[bytes, list[tuple[dt.datetime, int]]](list)
    for at, mail in enumerate(mails if len(mails) > 1 else ()):
        if written := written_at(mail.raw, mail.received_at):
            places[sender_field(mail.raw)].append((written, at))
    for dates in places.values():
        for (_, source), target in zip(sorted(dates), sorted(at for _, at in dates), strict=True):
            ordered[target] = mails[source]
    return ordered


def process_one(app: App, now: dt.datetime, mail: QueuedMail, known: Names) -> MessageResult:
    """Answer a message, if it is still new, and record the result; `known` are the names of all campaigns."""
    read, tried = parse_mail(app, mail, known), False
    while True:
        try:
            # A power cut may undo the commit: then the message is still new, and its answer was not sent.
            with app.store.writing(durable=False) as session:
                # Before anything else, so that another process with the same message waits here, and then finds it
                # closed.
                if (locked := lock_message(session, mail, read.message.sender)) is None:
                    return MessageResult()
                original, sender = locked
                own = replace(read, message=replace(read.message, sender=sender, came_from=read.message.sender))
                found = open_message(app, session, now, own, known)
                try:
                    _check_message_limit(found.context, mail.received_at)
                    note, sheets = (_COPY.format(original), 0) if original else handle(found, known)
                    silences = tuple(found.context.silences)
                    echo = f"; {tell_of_echo(found.context)}" if ECHO in silences else ""
                    result = MessageResult(f"{note}{echo}".removesuffix("; "), sheets, silences=silences)
                except RateLimitExceeded as many:
                    result = _note_limit(many)
                _save_result(found.context, result, is_original=original is None)
        # Another process has just written the same row, such as an answer, and now it is seen; or files are needed.
        except (IntegrityError, FilesNeeded) as error:
            if tried:
                raise
            tried = True
            if isinstance(error, FilesNeeded):
                read = replace(read, wishes=examine_files(app, error))
        else:
            event("message answered", message=mail.id, note=result.note)
            return result


# Only a message that is new is closed: of two processes that have it, one finds nothing to update.
_CLOSE = (
    update(InboxMessage)
    .where(InboxMessage.id == bindparam("inbox_id"), InboxMessage.state == MessageState.NEW)
    .returning(InboxMessage.id)
)


def close_message(session: Session, inbox_id: int, state: str, note: str) -> bool:
    """Close a new message; return False if another process was faster."""
    values = {"inbox_id": inbox_id, "state": state, "note": note}
    return session.connection().execute(_CLOSE, values).first() is not None


_COPY = "a second copy of message {}: nothing was done"

_THIS, _OTHER = aliased(InboxMessage), aliased(InboxMessage)
_SAME = (
    (_OTHER.content == _THIS.content)
    & (_OTHER.id != _THIS.id)
    & _OTHER.received_at.between(bindparam("since"), bindparam("until"))
)
# One that was quarantined did nothing.
_COUNTS = (_OTHER.state == MessageState.PROCESSED) | ((_OTHER.state == MessageState.NEW) & (_OTHER.id < _THIS.id))
_ORIGINAL = select(_OTHER.id).where(_SAME, _COUNTS).order_by(_OTHER.id).limit(1).correlate(_THIS).scalar_subquery()
_LOCK = (
    select(_ORIGINAL.label("original"), FIRST_ADDRESS.label("sender"))
    .select_from(_THIS)
    .where(_THIS.id == bindparam("inbox_id"), _THIS.state == MessageState.NEW)
    .with_for_update(of=_THIS)
)


def lock_message(session: Session, mail: QueuedMail, sender: str | None) -> tuple[int | None, str | None] | None:
    """Lock a message; return the one of which it is a copy, if any, and the first address of its sender.

    None if it is no longer new. A mail may come to two addresses of ours. Copies have the same From, Date, Subject and
    body, whatever Message-IDs servers gave them.
    """
    hours = dt.timedelta(hours=COPY_HOURS)
    when = {"since": mail.received_at - hours, "until": mail.received_at + hours}
    row = session.connection().execute(_LOCK, {"inbox_id": mail.id, "key": (sender or "").lower(), **when}).first()
    return row and (row.original, row.sender or sender)


def _note_limit(many: RateLimitExceeded) -> MessageResult:
    told = f"; {many.told}" if many.told else ""
    return MessageResult(f"not processed: {many}; it can be tried again later{told}", state=MessageState.QUARANTINED)


_SAVE = update(InboxMessage).where(InboxMessage.id == bindparam("inbox_id"))
"""Sets the columns that are named among its parameters."""


def _check_message_limit(context: MessageContext, received_at: dt.datetime) -> None:
    if message_limit_reached(context, received_at):
        said = f"{MESSAGES_A_DAY} messages like it came from {context.shown_sender} that day"
        raise RateLimitExceeded(said, warn_message_limit(context, MESSAGES_A_DAY))


def _save_result(context: MessageContext, result: MessageResult, *, is_original: bool) -> None:
    """Record the result of a message, and what limits count. What programs send counts to no account."""
    row = {
        "inbox_id": context.inbox_id,
        "state": result.state,
        "note": result.note,
        "sender": context.sender,
        "verdict": context.verdict,
        "key": context.key or ("automatic" if context.message.written_by_program else ""),
        "unanswered": bool(result.silences),
    }
    if not is_original or (context.message.machine.kind and not result.sheets):
        row["content"] = None  # it did nothing, so that another copy is no second one of it
    context.session.connection().execute(_SAVE, row)


KILLS = "reading it has ended this program twice, as when it takes more memory than there is; it was not tried again"

_LONGEST_NOTE = 4_000
"""Characters from the end of a traceback, where it says what went wrong."""


def _quarantine(app: App, now: dt.datetime, mail: QueuedMail, error: Exception | TimeLimitExceeded) -> MessageResult:
    """Quarantine a message that could not be processed, and notify those concerned.

    The result is empty if another process has closed it before.
    """
    event("message quarantined", level="error", fault=error, message=mail.id)
    slow = f"reading and answering it took more than {app.settings.letter_seconds:g} seconds of the processor's time"
    problem = slow if isinstance(error, TimeLimitExceeded) else describe_error(error)
    trace = redact_all("".join(traceback.format_exception(error)))[-_LONGEST_NOTE:]
    note = f"{trace}{problem}" if isinstance(error, TimeLimitExceeded) else trace
    message = _parse_head(app, mail.raw)
    try:
        with app.store.writing() as session:
            if not close_message(session, mail.id, MessageState.QUARANTINED, note):
                return MessageResult()
            context = MessageContext(app, session, now, mail.id, message)
            _notify_gms(context, problem)
            _notify_sender(context)
    except StoreError:
        raise  # the message stays new for the next tick
    except Exception:
        # If the notices cannot be written either, the caller reports that; the message is quarantined all the same.
        with app.store.writing() as session:
            close_message(session, mail.id, MessageState.QUARANTINED, note)
        raise
    return MessageResult(state=MessageState.QUARANTINED)


def _quarantine_unread(app: App, now: dt.datetime, inbox_id: int) -> bool:
    """Quarantine a message that has killed the process; return False if another process has closed it before.

    Its headers are parsed last, when nothing else can be lost by it; if that succeeds, the sender is notified.
    """
    event("message quarantined", level="error", message=inbox_id, text=KILLS)
    with app.store.writing() as session:
        if not close_message(session, inbox_id, MessageState.QUARANTINED, KILLS):
            return False
        _notify_gms(MessageContext(app, session, now, inbox_id, UNREADABLE), KILLS)
        raw = load_raw(session, inbox_id)
    message = _parse_head(app, raw)
    with app.store.writing() as session:
        _notify_sender(MessageContext(app, session, now, inbox_id, message))
    return True


def _parse_head(app: App, raw: bytes) -> Message:
    """Return the sender and subject of a message, as far as they can be parsed within a message's time limit."""
    try:
        return run_with_time_limit(app.settings.letter_seconds, partial(parse_headers, raw))
    except (Exception, TimeLimitExceeded):  # noqa: BLE001 - it may be what could not be read
        return UNREADABLE


def _notify_gms(context: MessageContext, problem: str) -> None:
    message = context.message
    page = small.quarantined(
        number=context.inbox_id,
        sender=message.sender or "",
        subject=redact_all(message.subject),
        problem=redact_all(problem),
    )
    for gm in context.session.scalars(select(Campaign.gm).where(Campaign.status == CampaignState.RUNNING).distinct()):
        post(context, gm, page, id_=("notice", gm.lower(), context.inbox_id))


def _notify_sender(context: MessageContext) -> None:
    sender = context.message.sender
    if sender is not None and not context.message.machine.kind and is_known(context.session, sender):
        answer(context, sender, small.not_processed(address=context.address))
