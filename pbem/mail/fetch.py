"""Fetches new mail into the database, and waits for more by sleeping or by IDLE (RFC 2177).

IDLE is only a hint to poll sooner. If it fails, the next poll happens at its
usual time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from threading import Event
from typing import Any, Protocol, cast

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from pbem.config import Settings
from pbem.log import event
from pbem.mail.imap import Idler, ImapMailbox
from pbem.mail.mailbox import Mailbox, RawMessage
from pbem.mail.maildir import MaildirMailbox
from pbem.mail.transport import SmtpTransport
from pbem.store.models import InboxMessage
from pbem.store.session import Store, insert_ignore


class Waiter(Protocol):
    """Waits between two polls."""

    def wait(self, seconds: float, stop: Event) -> None:
        """Returns after so many seconds, when `stop` is set, or when there may be new mail. Never raises."""


def open_waiter(settings: Settings) -> Waiter:
    """The way to wait for mail in the inbox of the settings."""
    return Sleeper() if settings.inbox_url.scheme == "maildir" else Idler(settings)


class Sleeper:
    """Waits without looking at the mailbox."""

    def wait(self, seconds: float, stop: Event) -> None:
        """Returns after so many seconds, or when `stop` is set."""
        stop.wait(seconds)


_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(rb"^([!-9;-~]++):([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.MULTILINE)
_WRITTEN = frozenset(
    {
        *(b"from", b"to", b"cc", b"subject", b"message-id", b"in-reply-to", b"references"),
        *(b"content-type", b"content-transfer-encoding", b"auto-submitted"),
    }
)
"""The fields that come from a mail's writer; servers and filters on its way add others, among them a missing Date."""


def fingerprint(raw: bytes) -> str:
    """The hex SHA-256 of what a mail's writer sent: chosen fields and all that follows the head.

    A mail without a Message-ID may have been written twice in the same words
    and be meant twice; of such a one every byte counts.
    """
    fields, body = _split_mail(raw)
    if not any(name == b"message-id" for name, _ in fields):
        return hashlib.sha256(raw).hexdigest()
    written = sorted(name + b":" + b" ".join(value.split()) for name, value in fields if name in _WRITTEN)
    return hashlib.sha256(b"\n".join(written) + b"\n\n" + body.replace(b"\r\n", b"\n").rstrip()).hexdigest()


def message_ids(raw: bytes) -> list[bytes]:
    """What stands in the Message-ID fields of a mail; there should be one."""
    return [value.strip() for name, value in _split_mail(raw)[0] if name == b"message-id"]


def _split_mail(raw: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The fields of a mail's head, their names in lower case, and what follows the head."""
    end = _END_OF_HEAD.search(raw)
    head, body = (raw[: end.start()], raw[end.end() :]) if end else (raw, b"")
    return [(name.lower(), value) for name, value in _FIELD.findall(head)], body


_TABLE = cast(Table, InboxMessage.__table__)


def fetch_messages(store: Store, mailbox: Mailbox, now: datetime) -> int:
    """Stores all mail that waits; returns how many letters are new. Raises MailError, keeping what is stored.

    Each batch is committed before it is moved away. After a crash in between
    the same mails come again, and are known by their fingerprints or, from a
    server that gives other bytes each time, by place and Message-ID.
    """
    new = 0
    for batch in mailbox.batches():
        rows = [_row(mail, now) for mail in batch]
        with store.writing() as session:
            stored = _insert(session, rows)
            if len(stored) < len(rows):
                stored += _insert(session, _rows_displaced(session, rows))
        if stored:
            event("letters stored", letters=sorted(stored))
        new += len(stored)
        mailbox.done(batch)
    return new


def _insert(session: Session, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Inserts what is not known yet by its fingerprint or its place; returns the ids."""
    if not rows:
        return []
    statement = insert_ignore(session, _TABLE).returning(_TABLE.c.id)
    return list(session.connection().execute(statement, rows).scalars())


def _rows_displaced(session: Session, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The mails whose place is another letter's, as when a server counts its UIDs anew; named by their fingerprints."""
    prints = [row["sha256"] for row in rows]
    known = set(session.scalars(select(InboxMessage.sha256).where(InboxMessage.sha256.in_(prints))))
    left = [row for row in rows if row["sha256"] not in known]
    return [{**row, "uid": row["sha256"]} for row in left if not _is_same_message(session, row)]


def _is_same_message(session: Session, row: dict[str, Any]) -> bool:
    """Whether the letter in this mail's place is the same by its Message-ID."""
    place = {name: row[name] for name in ("mailbox", "uid_validity", "uid")}
    raw = session.scalars(select(InboxMessage.raw).filter_by(**place)).one()
    return message_ids(raw) == message_ids(row["raw"]) != []


def _row(mail: RawMessage, now: datetime) -> dict[str, Any]:
    return {
        "mailbox": mail.mailbox,
        "uid_validity": mail.uid_validity,
        "uid": mail.uid,
        "sha256": fingerprint(mail.raw),
        "received_at": min(mail.received_at, now),  # the mail server's clock may be ahead of ours
        "raw": mail.raw,
    }


def open_mailbox(settings: Settings) -> Mailbox:
    """The inbox of the settings. It is not looked at before `batches` is called."""
    url = settings.inbox_url
    if url.scheme == "maildir":
        folder = settings.home / url.path
        return MaildirMailbox(folder, name=settings.inbox, ours=folder.is_relative_to(settings.home))
    return ImapMailbox(settings)


def count_waiting(settings: Settings) -> int:
    """Opens the inbox; how many mails the next tick will find there. Raises ConfigError or MailError."""
    with closing(open_mailbox(settings)) as mailbox:
        assert isinstance(mailbox, ImapMailbox | MaildirMailbox)
        return mailbox.waiting()


def check_transport(settings: Settings) -> None:
    """Connects to the SMTP server of the settings and logs in. Raises ConfigError or MailError."""
    with closing(SmtpTransport(settings)) as carrier:
        carrier.greet()
