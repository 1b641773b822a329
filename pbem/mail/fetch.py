"""Fetch new mail into the database, and wait for more by sleeping or by IDLE (RFC 2177).

IDLE is only a hint to poll sooner. If it fails, the next poll happens at its
usual time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from threading import Event
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from pbem.config import Settings
from pbem.errors import MailNotMoved
from pbem.log import event
from pbem.mail.headers import parse_date
from pbem.mail.mailbox import JUNK_DAYS, Mailbox, MailboxFacts, RawMessage, Unmoved, split_mail
from pbem.mail.maildir import MaildirMailbox
from pbem.mail.received import taken_at
from pbem.mail.transport import SmtpTransport
from pbem.store.models import InboxMessage
from pbem.store.session import Store, insert_ignore

if TYPE_CHECKING:
    from pbem.mail.imap import Idler, ImapMailbox


def open_waiter(settings: Settings) -> Sleeper | Idler:
    if settings.inbox_url.scheme == "maildir":
        return Sleeper()
    from pbem.mail.imap import Idler

    return Idler(settings)


class Sleeper:
    """Waiter that does not look at the mailbox."""

    def wait(self, seconds: float, stop: Event) -> None:
        """Return after so many seconds, or when `stop` is set."""
        stop.wait(seconds)


_FIELD = re.compile(rb"^([!-9;-~]++):([^\n]*+(?>(?:\n[ \t][^\n]*+)*))", re.MULTILINE)
# The fields that the sender's program writes; servers and filters add others, among them a missing Date.
_WRITTEN = frozenset(
    {
        *(b"from", b"to", b"cc", b"subject", b"message-id", b"in-reply-to", b"references"),
        *(b"content-type", b"content-transfer-encoding", b"auto-submitted"),
    }
)
# What all copies of a mail have in common, though each server may add a Message-ID of its own. Without In-Reply-To two
# answers that a program sends in one second, for two seats, would be one.
_COPIED = frozenset({b"from", b"date", b"subject", b"in-reply-to"})
_WITHOUT_ID = frozenset({*_COPIED, b"to"})


def fingerprint(raw: bytes) -> str:
    """Return the hex SHA-256 of what the writer sent: chosen fields, and the body.

    A mail without a Message-ID is known by fewer fields, among them its Date, since its copies may be
    delivered in different dress. If it has no Date either every byte counts, since it may have been written twice
    in the same words and be meant twice.
    """
    fields, body = _fields_and_body(raw)
    names = {name for name, _ in fields}
    if not names & {b"message-id", b"date"}:
        return hashlib.sha256(raw).hexdigest()
    return _hash(fields, body, _WRITTEN if b"message-id" in names else _WITHOUT_ID)


def content_hash(raw: bytes) -> str | None:
    """Return what copies of a mail have in common whatever their Message-IDs; None for a mail without a Date."""
    fields, body = _fields_and_body(raw)
    return _hash(fields, body, _COPIED) if any(name == b"date" for name, _ in fields) else None


def _hash(fields: Iterable[tuple[bytes, bytes]], body: bytes, names: Collection[bytes]) -> str:
    # Order, folding and line ends are changed by servers on the way, and by mail stores.
    written = sorted(name + b":" + b" ".join(value.split()) for name, value in fields if name in names)
    return hashlib.sha256(b"\n".join(written) + b"\n\n" + body.replace(b"\r\n", b"\n").rstrip()).hexdigest()


def sender_field(raw: bytes) -> bytes:
    """Return the From field of a mail as it stands there; b"" if there is none."""
    return next((b" ".join(value.split()) for name, value in _fields_and_body(raw)[0] if name == b"from"), b"")


_CLOCK_ERROR = timedelta(minutes=10)
"""Time by which the clock of a writer may be ahead, if their Date is to be believed."""


def written_at(raw: bytes, received_at: datetime) -> datetime | None:
    """Return when a mail was written, by its Date and its writer's clock; None without one, or if it is to come."""
    value = next((value for name, value in _fields_and_body(raw)[0] if name == b"date"), b"")
    written = parse_date(value.decode("ascii", "replace"))
    return written if written and written <= received_at + _CLOCK_ERROR else None


def message_ids(raw: bytes) -> list[bytes]:
    """Return the values of the Message-ID fields of a mail; there should be one."""
    return [value.strip() for name, value in _fields_and_body(raw)[0] if name == b"message-id"]


def _fields_and_body(raw: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the fields of a mail's head, names in lower case, and its body."""
    head, _, body = split_mail(raw)
    return [(name.lower(), value) for name, value in _FIELD.findall(head)], body


def load_raw(session: Session, inbox_id: int) -> bytes:
    """Return a message as it came."""
    return session.scalars(select(InboxMessage.raw).where(InboxMessage.id == inbox_id)).one()


_TABLE = cast(Table, InboxMessage.__table__)


def fetch_messages(
    store: Store, mailbox: Mailbox, now: datetime, unmoved: Unmoved | None = None, *, received_by: str = ""
) -> int:
    """Store all waiting mail; return the number of new messages.

    A mail came when the server `received_by` has taken it, by its own word; or, where that has no
    readable word in it, when it came into the mailbox.

    Each batch is committed before it is moved away. After a crash in between
    the same mails come again, and are recognised by their fingerprints or, from a
    server that gives other bytes each time, by place and Message-ID. What cannot be
    moved is stored all the same: afterwards `mailbox.unmoved_mail()` has it, and a call
    that is given that does not read it again.

    Raises:
        MailError: Mail could not be read; batches stored before stay stored.
    """
    new = 0
    for batch in mailbox.batches(unmoved):
        rows = [_row(mail, now, received_by) for mail in batch]
        with store.writing() as session:
            stored = _insert(session, rows)
            if len(stored) < len(rows):
                stored += _insert(session, _rows_displaced(session, rows))
        if stored:
            event("messages stored", messages=sorted(stored))
        new += len(stored)
        with suppress(MailNotMoved):
            mailbox.finish(batch)
    mailbox.move_again()
    return new


def _insert(session: Session, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Insert messages that are not yet known by fingerprint or place; return their ids."""
    if not rows:
        return []
    statement = insert_ignore(session, _TABLE).returning(_TABLE.c.id)
    return list(session.connection().execute(statement, rows).scalars())


def _rows_displaced(session: Session, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows whose place is taken by another message, as when a server restarts its UIDs.

    Their fingerprints take the place of the UIDs.
    """
    prints = [row["sha256"] for row in rows]
    known = set(session.scalars(select(InboxMessage.sha256).where(InboxMessage.sha256.in_(prints))))
    left = [row for row in rows if row["sha256"] not in known]
    return [{**row, "uid": row["sha256"]} for row in left if not _is_same_message(session, row)]


def _is_same_message(session: Session, row: dict[str, Any]) -> bool:
    """Return True if the message stored in this place has the same Message-ID, or without one the same fingerprint."""
    place = {name: row[name] for name in ("mailbox", "uid_validity", "uid")}
    raw = session.scalars(select(InboxMessage.raw).filter_by(**place)).one()
    return message_ids(raw) == message_ids(row["raw"]) != [] or fingerprint(raw) == row["sha256"]


def _row(mail: RawMessage, now: datetime, received_by: str) -> dict[str, Any]:
    taken = taken_at(mail.raw, received_by) if received_by else None
    return {
        "mailbox": mail.mailbox,
        "uid_validity": mail.uid_validity,
        "uid": mail.uid,
        "sha256": fingerprint(mail.raw),
        "content": content_hash(mail.raw),
        "received_at": min(taken or mail.received_at, now),  # the mail server's clock may be ahead of this one
        "raw": mail.raw,
    }


def open_mailbox(settings: Settings) -> ImapMailbox | MaildirMailbox:
    """Return the inbox of the settings. It connects with the first `batches`."""
    url = settings.inbox_url
    if url.scheme == "maildir":
        folder = settings.home / url.path
        return MaildirMailbox(folder, name=settings.inbox, ours=folder.is_relative_to(settings.home))
    from pbem.mail.imap import ImapMailbox

    return ImapMailbox(settings)


def examine_inbox(settings: Settings, now: datetime) -> MailboxFacts:
    """Return what the doctor asks of the inbox. Change nothing.

    Raises:
        ConfigError: The settings do not allow a login.
        MailError: The inbox cannot be used.
    """
    with closing(open_mailbox(settings)) as mailbox:
        return mailbox.examine(now - timedelta(days=JUNK_DAYS))


def check_transport(settings: Settings) -> None:
    """Connect to the SMTP server of the settings and log in.

    Raises:
        ConfigError: The settings do not allow a login.
        MailError: The server cannot be used.
    """
    with closing(SmtpTransport(settings)) as carrier:
        carrier.greet()
