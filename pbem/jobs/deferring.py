"""Puts work into the queues, within the transaction that gives cause for it: rolled back, there is no job.

A job that still waits does for all that is to be done in its lane, so that
there is no second one. It is held until our transaction ends: nobody begins it
without seeing what we have changed.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import text
from sqlalchemy.orm import Session

from pbem.config import Settings
from pbem.config_values import Pace
from pbem.errors import StoreError
from pbem.jobs.tables import are_queues_there, can_have_queues
from pbem.store.waking import Queue, Waker, Work

if TYPE_CHECKING:
    from procrastinate import App

ATTEMPTS = 5
"""How often it is tried while others put in and take out the same job at the same moment."""

_PRIORITIES = {Queue.POLL: 2, Queue.SEND: 1}
"""What goes before the rest: a deadline counts once a poll has followed it, and answers are not to wait for a night."""

_WAITING = text("SELECT id FROM procrastinate_jobs WHERE queueing_lock = :name AND status = 'todo' FOR SHARE")


def name_of(work: Work) -> str:
    """The name by which no two jobs of the same work wait."""
    return f"{work.queue} {work.lane}".rstrip()


def lock_of(work: Work, pace: Pace) -> str | None:
    """The name by which no two jobs of the same work are under way; None where several at once share it safely."""
    if work.queue == Queue.POLL:
        return work.queue.value
    shared = work == Work(Queue.SEND) and not pace.overall
    return None if shared else name_of(work)


def open_waker(settings: Settings) -> Waker | None:
    """What puts the work of transactions into the queues; None where there can be none."""
    return _Waker(settings.pace) if can_have_queues(settings.database) else None


class _Waker:
    """Puts work in, once it has seen that the queues have been made."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._there = False

    def __call__(self, session: Session, works: Collection[Work]) -> None:
        self._there = self._there or are_queues_there(session)
        if self._there:
            for work in sorted(works):  # in one order for all, so that no two wait for each other
                defer(session, work, self._pace)


def defer(session: Session, work: Work, pace: Pace) -> None:
    """Puts a piece of work into its queue, unless it waits there already."""
    from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

    name = name_of(work)
    for _ in range(ATTEMPTS):
        if session.execute(_WAITING, {"name": name}).first():
            return
        # In a savepoint: that another was faster shall not spoil the transaction.
        with suppress(AlreadyEnqueued), session.begin_nested():
            job = _app().configure_task(
                work.queue.value,
                queue=work.queue.value,
                lock=lock_of(work, pace),
                queueing_lock=name,
                priority=_PRIORITIES.get(work.queue, 0),
                connection=session.connection().connection.driver_connection,
            )
            try:
                job.defer(lane=work.lane)
            except ConnectorException as error:
                raise StoreError(f"no work can be put into the queue {work.queue}: {error.__cause__}") from error
            return


@cache
def _app() -> App:
    """It needs no connection of its own: it is lent those of the transactions."""
    from procrastinate import App, SyncPsycopgConnector

    return App(connector=SyncPsycopgConnector())
