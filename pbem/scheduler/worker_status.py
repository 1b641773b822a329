"""Status of the workers and their queues, as stored in the database."""

from __future__ import annotations

import datetime as dt
import fcntl
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.store.models import Worker
from pbem.store.queue import require_queues
from pbem.store.session import JobQueue

LOST_AFTER = dt.timedelta(seconds=15)
"""Time without a heartbeat after which a worker is taken for dead, and others do its jobs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerInfo:
    """A worker: its machine and process, its queues, its start, the seconds since its last heartbeat, and its jobs.

    `silent`: it is taken for dead.
    """

    machine: str
    process: int
    queues: tuple[str, ...]
    since: dt.datetime
    seconds: float
    silent: bool
    doing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedJobs:
    """Failed jobs of the last day, of a campaign or of none (""): their number, and the time of the newest."""

    campaign: str
    times: int
    last: dt.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStatus:
    """A queue: the number of jobs waiting, and those failed. `served`: a worker that is not silent serves it."""

    queue: str
    waiting: int
    served: bool
    failed: tuple[FailedJobs, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkersStatus:
    """All workers, in the order of their starts, and all queues."""

    workers: tuple[WorkerInfo, ...]
    queues: tuple[QueueStatus, ...]


_WORKERS = text("""
    SELECT worker.machine, worker.process, worker.queues::jsonb AS queues, worker.since,
           extract(epoch FROM clock_timestamp() - heard.last_heartbeat)::float AS seconds,
           array_remove(array_agg(trim(job.queue_name || ' ' || coalesce(job.args ->> 'campaign', ''))), NULL) AS doing
      FROM worker
      JOIN procrastinate_workers heard ON heard.id = worker.id
      LEFT JOIN procrastinate_jobs job ON job.worker_id = worker.id AND job.status = 'doing'
     GROUP BY worker.id, heard.id
     ORDER BY worker.id
""")
_WAITING = text("SELECT queue_name, count(*) FROM procrastinate_jobs WHERE status = 'todo' GROUP BY queue_name")
_FAILED = text("""
    SELECT job.queue_name, coalesce(job.args ->> 'campaign', '') AS campaign, count(*) AS times, max(event.at) AS last
      FROM procrastinate_jobs job
      JOIN procrastinate_events event ON event.job_id = job.id AND event.type = 'failed'
     WHERE job.status = 'failed' AND event.at > clock_timestamp() - interval '1 day'
     GROUP BY 1, 2
     ORDER BY 1, 2
""")


def load_worker_status(app: App) -> WorkersStatus:
    """Load the status of workers, waiting jobs and failed jobs. Raises ConfigError for a database without queues."""
    require_queues(app.store)
    with app.store.reading() as session:
        workers = _load_workers(session)
        waiting = {row[0]: row[1] for row in session.execute(_WAITING)}
        failed = defaultdict(list)
        for queue, campaign, times, last in session.execute(_FAILED):
            failed[queue].append(FailedJobs(campaign=campaign, times=times, last=last))
    served = {queue for worker in workers if not worker.silent for queue in worker.queues}
    queues = (
        QueueStatus(queue=queue, waiting=waiting.get(queue, 0), served=queue in served, failed=tuple(failed[queue]))
        for queue in JobQueue
    )
    return WorkersStatus(workers=workers, queues=tuple(queues))


def _load_workers(session: Session) -> tuple[WorkerInfo, ...]:
    return tuple(
        WorkerInfo(
            machine=row.machine,
            process=row.process,
            queues=tuple(row.queues),
            since=row.since,
            seconds=row.seconds,
            silent=row.seconds > LOST_AFTER.total_seconds(),
            doing=tuple(row.doing),
        )
        for row in session.execute(_WORKERS)
    )


def has_workers(app: App) -> bool:
    """Return True if a worker that is not silent does the jobs of the queues."""
    # The queues exist on PostgreSQL alone (decision 22).
    if app.store.engine.dialect.name != "postgresql":
        return False
    with app.store.reading() as session:
        # Without a worker the tables of procrastinate may be missing.
        return session.scalar(select(Worker.id).limit(1)) is not None and any(
            not worker.silent for worker in _load_workers(session)
        )


SERVING = "serve.lock"
"""The file in a home that a service keeps locked while it runs."""


@contextmanager
def serving(app: App) -> Iterator[None]:
    """Let others know in the block that a service runs in the home; the mark ends with the process. Raises OSError."""
    with (app.settings.home / SERVING).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def is_served(app: App) -> bool:
    """Return True if a service runs in the home, or workers on its database: what is due is done without a tick."""
    return _is_locked(app.settings.home / SERVING) or has_workers(app)


def _is_locked(path: Path) -> bool:
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no service has run here, or its mark may not be read
        return False
    return False
