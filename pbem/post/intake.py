"""From a mailbox into the database: a mail is stored before anything is done about it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from pbem.post.incoming import Incoming, Mailbox
from pbem.store import Store
from pbem.store.models import Letter

_TABLE = cast(Table, Letter.__table__)
_INSERTS: dict[str, Any] = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}


def poll(store: Store, mailbox: Mailbox, now: datetime) -> int:
    """Stores all mail that waits; returns how many letters are new. Raises PostError, keeping what is stored.

    Each batch is committed before it is moved away. After a crash in between
    the same mails come again, and are known by their SHA-256 and their place.
    """
    new = 0
    for batch in mailbox.batches():
        with store.writing() as session:
            new += _store(session, batch, now)
        mailbox.done(batch)
    return new


def _store(session: Session, batch: list[Incoming], now: datetime) -> int:
    if not batch:
        return 0
    insert = _INSERTS[session.get_bind().dialect.name]
    statement = insert(_TABLE).on_conflict_do_nothing().returning(_TABLE.c.id)
    return len(session.connection().execute(statement, [_row(mail, now) for mail in batch]).all())


def _row(mail: Incoming, now: datetime) -> dict[str, Any]:
    return {
        "mailbox": mail.mailbox,
        "uid_validity": mail.uid_validity,
        "uid": mail.uid,
        "sha256": hashlib.sha256(mail.raw).hexdigest(),
        "received_at": min(mail.received_at, now),
        "raw": mail.raw,
    }
