"""Processing of incoming messages: each completely or not at all, in a transaction of its own.

A message is in the partition of a campaign if everything it can cause is stored
there: it names that campaign alone, by a frame, a reply code or the mail that it
answers, and it requests nothing that is stored for a person, such as another
address. Messages of a partition are answered in their order. All others are in
the partition "" (`GLOBAL`): those of strangers, those without evidence, those that
concern several campaigns, those that cannot be read. Of a message there and one of
a campaign, the earlier one is answered first, whatever they say.

So no two messages that can affect each other change places: either they are in
one partition, or one of them is global. Messages are assigned in the order in
which they came, and each only after all that were fetched before it
(docs/decisions/0022 and 0024).
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from pbem.actions.arguments import PlayerCommand
from pbem.app import App
from pbem.errors import StoreError
from pbem.inbox import ProcessResult
from pbem.inbox.bounce_replies import find_bounced_mail
from pbem.inbox.command_parser import CommandList, Rules, Status, find_commands
from pbem.inbox.context import MessageContext, OpenedMessage
from pbem.inbox.frames import Names, find_gm_frame, find_sheet
from pbem.inbox.gm_messages import OFFER, FilesNeeded, examine_files
from pbem.inbox.message_queue import (
    GLOBAL,
    MOST_ATTEMPTS,
    QueuedMessage,
    close_message,
    counted_attempt,
    find_original,
    group_messages,
    load_new_messages,
    load_unpartitioned,
    quarantine,
    quarantine_unread,
)
from pbem.inbox.quoted_originals import strip_our_text
from pbem.inbox.rate_limits import LETTERS_A_DAY, RateLimitExceeded, message_limit_reached
from pbem.inbox.replies import ECHO, bare_subject, tell_of_echo, warn_message_limit
from pbem.inbox.route import (
    ParsedMail,
    QueuedMail,
    handle,
    open_message,
    parse_mail,
)
from pbem.inbox.seat_lookup import shown_by_code, shown_by_reference
from pbem.log import event
from pbem.mail.bounces import parse_bounce
from pbem.mail.fetch import sender_field, written_at
from pbem.mail.message import Message, find_reply_codes, parse_message
from pbem.store.models import Campaign, InboxMessage, PendingRequest
from pbem.store.session import JobQueue, QueuedJob, enqueue_on_commit
from pbem.store.types import MessageState
from pbem.util import Progress, TimeLimitExceeded, no_progress, run_with_time_limit

_SAVE = update(InboxMessage).where(InboxMessage.id == bindparam("letter"))
"""Sets the columns that are named among its parameters."""


@dataclass(frozen=True, slots=True)
class MessageResult:
    """Result of one message: its note, and why an answer that was due was not given. `sheet`: a sheet was saved."""

    note: str = ""
    sheet: bool = False
    state: MessageState = MessageState.PROCESSED
    silences: Sequence[str] = ()


def process_messages(
    app: App, now: dt.datetime, *, lane: str | None = None, most: int | None = None, progress: Progress = no_progress
) -> ProcessResult:
    """Process every new message, oldest first; with a `lane`, those of that partition that may go now.

    After `most` bytes the other messages are left for the next call. None takes more
    than its time limit, or is charged with a third attempt.
    """
    tally, size = ProcessResult(), 0
    with app.store.reading() as session:
        waiting = load_new_messages(session, lane)
        if not waiting:
            return tally
        known = frozenset(session.scalars(select(Campaign.name)))
    for at, group in group_messages(waiting):
        if most is not None and size >= most:
            tally.left, tally.read_until = len(waiting) - at, group[0].received_at
            break
        # Quarantined unread: one more attempt would kill the process again.
        if group[0].attempts >= MOST_ATTEMPTS:
            tally.messages += 1
            tally.quarantined += quarantine_unread(app, now, group[0].id)
            continue
        with counted_attempt(app.store, group):
            for mail in _load_mails(app, group):
                size += len(mail.raw)
                _process_or_quarantine(app, now, mail, known, tally)
                progress("answering", tally.messages, len(waiting))
    return tally


def _load_mails(app: App, letters: Sequence[QueuedMessage]) -> list[QueuedMail]:
    """Return some messages as they came, in the order given."""
    ids = [letter.id for letter in letters]
    columns = select(InboxMessage.id, InboxMessage.raw, InboxMessage.received_at)
    with app.store.reading() as session:
        rows = {row.id: QueuedMail(*row) for row in session.execute(columns.where(InboxMessage.id.in_(ids)))}
    return _in_written_order([rows[letter_id] for letter_id in ids])


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


def _process_or_quarantine(app: App, now: dt.datetime, mail: QueuedMail, known: Names, tally: ProcessResult) -> None:
    tally.messages += 1
    try:
        result = run_with_time_limit(app.settings.letter_seconds, lambda: _process(app, now, mail, known))
    except StoreError:
        raise  # the message is not to blame; it stays new for the next tick
    except (Exception, TimeLimitExceeded) as error:  # noqa: BLE001 - an unforeseen message must not stop the others
        tally.quarantined += quarantine(app, now, mail.id, mail.raw, error)
    else:
        tally.sheets += result.sheet
        tally.quarantined += result.state == MessageState.QUARANTINED
        tally.unanswered += bool(result.silences)


def _process(app: App, now: dt.datetime, mail: QueuedMail, known: Names) -> MessageResult:
    read = parse_mail(app, mail, known)
    try:
        return _process_once(app, now, read, known)
    except IntegrityError:  # another process has just written the same row, such as an answer; now it is seen
        return _process_once(app, now, read, known)
    except FilesNeeded as needed:
        return _process_once(app, now, replace(read, wishes=examine_files(app, needed)), known)


def _process_once(app: App, now: dt.datetime, read: ParsedMail, known: Names) -> MessageResult:
    """Answer a message, if it is still new, and record the result."""
    # A power cut may undo the commit: then the message is still new, and its answer was not sent.
    with app.store.writing(durable=False) as session:
        # Before anything else, so that another process with the same message waits here, and then finds it closed.
        if not close_message(session, read.mail.id, MessageState.PROCESSED, ""):
            return MessageResult()
        found = open_message(app, session, now, read, known)
        if original := find_original(session, read.mail.id, read.mail.received_at):
            result = MessageResult(f"a second copy of message {original}: nothing was done")
        else:
            result = _handle(found, read.mail.received_at, known)
        _save_result(found.case, result, is_original=not original)
    event("letter answered", letter=read.mail.id, note=result.note)
    return result


def _handle(found: OpenedMessage, received_at: dt.datetime, known: Names) -> MessageResult:
    case = found.case
    try:
        _check_message_limit(case, received_at)
        note, is_sheet = handle(found, known)
    except RateLimitExceeded as many:
        told = f"; {many.told}" if many.told else ""
        left_alone = f"not processed: {many}; it can be tried again later{told}"
        return MessageResult(left_alone, state=MessageState.QUARANTINED)
    told = f"; {tell_of_echo(case)}" if ECHO in case.silences else ""
    return MessageResult(f"{note}{told}".removesuffix("; "), is_sheet, silences=tuple(case.silences))


def _check_message_limit(case: MessageContext, received_at: dt.datetime) -> None:
    if message_limit_reached(case, received_at):
        said = f"{LETTERS_A_DAY} messages like it came from {case.shown_sender} that day"
        raise RateLimitExceeded(said, warn_message_limit(case, LETTERS_A_DAY))


def _save_result(case: MessageContext, result: MessageResult, *, is_original: bool) -> None:
    """Record the result of a message, and what limits count. What programs send counts to no account."""
    row = {
        "letter": case.letter_id,
        "state": result.state,
        "note": result.note,
        "sender": case.sender,
        "verdict": case.verdict,
        "key": case.key or ("automatic" if case.letter.written_by_program else ""),
        "unanswered": bool(result.silences),
    }
    if not is_original or (case.letter.machine.kind and not result.sheet):
        row["content"] = None  # it did nothing, so that another copy is no second one of it
    case.session.connection().execute(_SAVE, row)


_NAME = re.compile(r"[a-z0-9-]+")

_KEEPING_NOTHING = (Status, Rules)
"""Commands about no seat that change nothing."""


def partition_messages(app: App) -> int:
    """Assign each fetched message to its partition, oldest first, and enqueue jobs for them; return how many.

    None takes more than a message's time limit. One that kills the process, or cannot be read, becomes global.
    """
    with app.store.reading() as session:
        waiting = load_unpartitioned(session)
        known = frozenset(session.scalars(select(Campaign.name))) if waiting else frozenset()
    for _, group in group_messages(waiting):
        if group[0].attempts >= MOST_ATTEMPTS:
            _save_partitions(app, group, [GLOBAL])
            continue
        with counted_attempt(app.store, group):
            _save_partitions(app, group, [_partition_in_time(app, mail, known) for mail in _load_mails(app, group)])
    return len(waiting)


def _save_partitions(app: App, letters: Sequence[QueuedMessage], lanes: Sequence[str]) -> None:
    """Store the partitions of some messages, and that parsing them has killed no process this time."""
    # After a power cut the messages are partitioned again.
    with app.store.writing(durable=False) as session:
        rows = [
            {"letter": letter.id, "lane": lane, "attempts": letter.attempts}
            for letter, lane in zip(letters, lanes, strict=True)
        ]
        session.connection().execute(_SAVE, rows)
        enqueue_on_commit(session, *(QueuedJob(JobQueue.PROCESS, lane) for lane in set(lanes)))


def _partition_in_time(app: App, mail: QueuedMail, known: frozenset[str]) -> str:
    try:
        return run_with_time_limit(app.settings.letter_seconds, lambda: _find_partition(app, mail.raw, known))
    except StoreError:
        raise
    except (Exception, TimeLimitExceeded) as error:  # noqa: BLE001 - its error is reported when it is answered
        event("letter not sorted", level="warning", fault=error, letter=mail.id)
        return GLOBAL


def _find_partition(app: App, raw: bytes, known: frozenset[str]) -> str:
    letter = parse_message(raw)
    with app.store.reading() as session:
        if letter.machine.kind and (returned := parse_bounce(raw)) is not None:
            mail = find_bounced_mail(session, returned)
            campaign_id = mail.campaign_id if mail else None
            return session.scalar(select(Campaign.name).where(Campaign.id == campaign_id)) or GLOBAL
        return _Partitioner(session, letter, app.settings.address, known).lane()


@dataclass(frozen=True, slots=True)
class _Partitioner:
    """Assigns a message to its partition; `known` are the names of all campaigns."""

    session: Session
    letter: Message
    address: str
    known: frozenset[str]

    def lane(self) -> str:
        """Return the one campaign that the message concerns and gives evidence of; else `GLOBAL`."""
        asked = self._pending_requests()
        shown = {*self._shown_campaigns(), *(each.campaign for each in asked)}
        # A campaign that is only named may be concerned too, so that the message does not belong to one alone.
        concerned = shown | self._named_campaigns()
        # Confirmations and commands without a seat may change a person, who may have seats in other campaigns.
        personal = not all(each.is_sheet for each in asked) or any(map(_is_personal, self._find_commands()))
        return shown.pop() if shown and len(concerned) == 1 and not personal else GLOBAL

    def _shown_campaigns(self) -> Iterator[str]:
        """Yield the campaigns that a frame is for, whose keys are in it, and whose reports the message answers."""
        lines, known = self.letter.lines, self.known
        sheet, gm_sheet, request = find_sheet(lines, known), find_gm_frame(lines), find_commands(lines, known)
        headers = [each.header for each in (sheet, request) if each is not None and each.header is not None]
        yield from ({each.campaign for each in headers} | ({gm_sheet.campaign} if gm_sheet else set())) & self.known
        keys = [each.key.lower() for each in headers if each.key]
        by_code = shown_by_code(self.session, [*keys, *find_reply_codes(self.letter, self.address)])
        yield from (each.campaign for each in by_code.values())
        yield from (each.campaign for each in shown_by_reference(self.session, self.letter.references))

    def _pending_requests(self) -> list[_Confirmable]:
        """Return the pending requests that the message may confirm, by their codes or the mails that it answers."""
        codes, mails = find_reply_codes(self.letter, self.address), self.letter.references
        if not (codes or mails):
            return []
        rows = self.session.execute(
            select(PendingRequest.kind, PendingRequest.data, Campaign.name)
            .outerjoin(Campaign, Campaign.id == PendingRequest.campaign_id)
            .where(PendingRequest.code.in_(codes) | PendingRequest.message_id.in_(mails))
        )
        return [
            _Confirmable(kind == OFFER or (kind == "message" and data["orders"]), name or GLOBAL)
            for kind, data, name in rows
        ]

    def _named_campaigns(self) -> frozenset[str]:
        """Return the campaigns whose names are anywhere in the message, as words."""
        text = "\n".join([self.letter.subject, *self.letter.lines]).lower()
        return self.known & set(_NAME.findall(text))

    def _find_commands(self) -> Iterator[CommandList]:
        """Yield the commands of the message, with what it quotes and without; in its subject too."""
        texts = [
            self.letter.lines,
            strip_our_text(self.session, self.letter).lines,
            [bare_subject(self.letter.subject)],
        ]
        for lines in texts:
            if (found := find_commands(lines, self.known)) is not None:
                yield found


@dataclass(frozen=True, slots=True)
class _Confirmable:
    """A pending request; `is_sheet`: it is about a sheet or commands of a GM, which concern its campaign alone."""

    is_sheet: bool
    campaign: str


def _is_personal(request: CommandList) -> bool:
    orders = request.parse().orders
    return any(
        isinstance(order, PlayerCommand) and not order.needs_seat and not isinstance(order, _KEEPING_NOTHING)
        for order in orders
    )
