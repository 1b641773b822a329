"""Work that a transaction gives others to do: told to them when it is committed, and never when it is rolled back.

Who tells them is not known here. Where one process does all the work nobody is told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.orm import Session

_KEY = "pbem_work"


class Queue(StrEnum):
    """The kinds of work, by the names that `pbem worker --queue` takes."""

    POLL = "poll"
    CAMPAIGNS = "campaigns"
    SEND = "send"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True, order=True)
class Work:
    """Something to be done: `lane` is the campaign or the provider, "" for all others."""

    queue: Queue
    lane: str = ""


Waker = Callable[[Session, Collection[Work]], None]
"""Tells others of work, within the transaction of a session that is about to be committed."""


def wake(session: Session, *works: Work) -> None:
    """Has others told of work, if and when the session's transaction is committed."""
    session.info.setdefault(_KEY, set()).update(works)


def awaited(session: Session) -> Collection[Work]:
    """The work of which others are to be told."""
    found: set[Work] = session.info.get(_KEY, set())
    return found
