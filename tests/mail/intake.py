"""A mailbox in memory, and what was stored of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from sqlalchemy import select

from pbem.errors import MailNotMoved
from pbem.mail.mailbox import RawMessage, Unmoved
from pbem.store.models import InboxMessage
from pbem.store.session import Store

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


def incoming(uid: str, raw: bytes, at: dt.datetime = NOON - HOUR, validity: str = "1") -> RawMessage:
    """Return a mail in the inbox."""
    return RawMessage("imaps://orders@example.org/INBOX", validity, uid, at, raw)


class ListMailbox:
    """Mailbox with batches in memory; `done` fails for as long as it is told to."""

    def __init__(self, *batches: list[RawMessage], failing: bool = False) -> None:
        self.waiting = list(batches)
        self.failing = failing

    def batches(self, unmoved: Unmoved | None = None) -> Iterator[list[RawMessage]]:
        yield from list(self.waiting)

    def finish(self, batch: list[RawMessage]) -> None:
        if self.failing:
            raise MailNotMoved("no right to insert")
        self.waiting.remove(batch)

    def move_again(self) -> None:
        pass

    def unmoved_mail(self) -> Unmoved | None:
        return None

    def list_foreign(self) -> list[str]:
        return []

    def close(self) -> None:
        pass


def stored(store: Store) -> list[bytes]:
    """Return all messages, by id."""
    with store.reading() as session:
        return list(session.scalars(select(InboxMessage.raw).order_by(InboxMessage.id)))
