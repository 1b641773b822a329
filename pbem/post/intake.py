"""From a mailbox into the database: a mail is stored before anything is done about it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Table, select
from sqlalchemy.orm import Session

from pbem.log import tell
from pbem.post.fingerprint import fingerprint, message_ids
from pbem.post.incoming import Incoming, Mailbox
from pbem.store.models import InboxMessage
from pbem.store.session import Store, insert_new

_TABLE = cast(Table, InboxMessage.__table__)


def poll(store: Store, mailbox: Mailbox, now: datetime) -> int:
    """Stores all mail that waits; returns how many letters are new. Raises PostError, keeping what is stored.

    Each batch is committed before it is moved away. After a crash in between
    the same mails come again, and are known by their fingerprints or, from a
    server that gives other bytes each time, by place and Message-ID.
    """
    new = 0
    for batch in mailbox.batches():
        with store.writing() as session:
            stored = _store(session, batch, now)
        if stored:
            tell("letters stored", letters=sorted(stored))
        new += len(stored)
        mailbox.done(batch)
    return new


def _store(session: Session, batch: list[Incoming], now: datetime) -> list[int]:
    rows = [_row(mail, now) for mail in batch]
    new = _insert(session, rows)
    return new if len(new) == len(rows) else new + _insert(session, _displaced(session, rows))


def _insert(session: Session, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Inserts what is not known yet by its fingerprint or its place; returns the ids."""
    if not rows:
        return []
    statement = insert_new(session, _TABLE).returning(_TABLE.c.id)
    return list(session.connection().execute(statement, rows).scalars())


def _displaced(session: Session, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The mails whose place is another letter's, as when a server counts its UIDs anew; named by their fingerprints."""
    prints = [row["sha256"] for row in rows]
    known = set(session.scalars(select(InboxMessage.sha256).where(InboxMessage.sha256.in_(prints))))
    left = [row for row in rows if row["sha256"] not in known]
    return [{**row, "uid": row["sha256"]} for row in left if not _is_there(session, row)]


def _is_there(session: Session, row: dict[str, Any]) -> bool:
    """Whether the letter in this mail's place is the same by its Message-ID."""
    place = {name: row[name] for name in ("mailbox", "uid_validity", "uid")}
    raw = session.scalars(select(InboxMessage.raw).filter_by(**place)).one()
    return message_ids(raw) == message_ids(row["raw"]) != []


def _row(mail: Incoming, now: datetime) -> dict[str, Any]:
    return {
        "mailbox": mail.mailbox,
        "uid_validity": mail.uid_validity,
        "uid": mail.uid,
        "sha256": fingerprint(mail.raw),
        "received_at": min(mail.received_at, now),  # the mail server's clock may be ahead of ours
        "raw": mail.raw,
    }
