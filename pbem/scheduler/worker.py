"""Workers: processes, on any number of machines, that share the work of a tick as jobs of queues.

A job contains only its campaign; the work to be done is in the database.
Everything is done as of the newest poll until the next one, as a tick does it; so
the mail that came with it was read before a deadline of its time counts.

The loop of procrastinate has a thread of its own: it asks for jobs and sends the
heartbeat of the worker, however long a job takes. The jobs are done in the main
thread, since time limits and signals work only there. Jobs of a worker without a
heartbeat are put back for the others; that is sufficient, since every job may be
done twice (docs/decisions/0022).
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import logging
import os
import platform
import time
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from dataclasses import dataclass, field
from threading import Event

from asgiref.sync import async_to_sync, sync_to_async
from procrastinate import App as QueueApp
from procrastinate import JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException, ProcrastinateException, UniqueViolation
from procrastinate.jobs import Status
from procrastinate.manager import JobManager
from procrastinate.worker import Worker as JobWorker
from psycopg import Error as PostgresError
from sqlalchemy import column, delete, select, table, text

from pbem.admin.health import last_poll, record_poll, require_active
from pbem.app import App
from pbem.errors import CampaignError, ConfigError, PbemError, StoreError, describe_error
from pbem.log import event
from pbem.mail.fetch import open_waiter
from pbem.mail.imap import LONGEST
from pbem.mail.outbox import is_due
from pbem.scheduler.tick import (
    answer_mail,
    mask_tokens,
    run_due,
    send_mail,
    show_dashboard,
    sync_archive,
    try_to_fetch_mail,
)
from pbem.scheduler.work import OpenWork, TickResult, TickTime, find_due, log_problems
from pbem.scheduler.worker_status import LOST_AFTER
from pbem.store.models import Campaign, InboxMessage, OutgoingMail, Worker
from pbem.store.session import AdvisoryLock, JobQueue, QueuedJob, enqueue_on_commit, read_clock
from pbem.store.types import UNREADABLE, MessageState
from pbem.util import ShutdownRequested, redact_secrets


def run_job(app: App, job: QueuedJob, now: dt.datetime) -> TickResult:
    """Do a job and return its result. Raises ConfigError in a home that was restored and not activated since."""
    require_active(app)
    done = TickResult()
    if job.queue == JobQueue.POLL:
        _poll(app, now, done)
    elif job.queue == JobQueue.PROCESS:
        _advance(app, job.campaign, done)
    elif job.queue == JobQueue.SEND:
        send_mail(app, now, done)
    else:
        sync_archive(app, now, done)
        show_dashboard(app, now, done)
    return done


def _poll(app: App, now: dt.datetime, done: TickResult) -> None:
    """Fetch mail and answer all of it, in the order in which it came; then enqueue what is due."""
    readable = try_to_fetch_mail(app, now, done)
    record_poll(app, now, readable=readable)
    answer_mail(app, now, done)
    mask_tokens(app, now, done)
    with app.store.writing() as session:
        if session.scalar(select(OutgoingMail.id).where(is_due(now)).limit(1)) is not None:
            enqueue_on_commit(session, QueuedJob(JobQueue.SEND))
        enqueue_on_commit(session, QueuedJob(JobQueue.ARCHIVE))
        enqueue_on_commit(session, *(QueuedJob(JobQueue.PROCESS, name) for name in _campaigns_due(app)))


def _advance(app: App, campaign: str, done: TickResult) -> None:
    """Run what is due in a campaign, once all messages that came with the newest poll are answered."""
    if (moment := _time_of_poll(app)) is not None:
        run_due(app, moment, done, campaign=campaign)


def _time_of_poll(app: App) -> TickTime | None:
    """Return the time of the newest poll; None before the first, and until its messages are answered."""
    with app.store.reading() as session:
        if (last := last_poll(session)) is None:
            return None
        left = select(InboxMessage.id).where(InboxMessage.state == MessageState.NEW, InboxMessage.id <= last.newest)
        if session.scalar(left.limit(1)) is not None:
            return None
    return TickTime(last.at, readable=not last.watch.failed, outage=last.watch.outage)


def _campaigns_due(app: App) -> set[str]:
    """Return the campaigns in which something is due; all if one cannot be read, as its job will report that."""
    if (moment := _time_of_poll(app)) is None:
        return set()
    try:
        return set(find_due(app, moment, OpenWork.load(app, moment.at)))
    except (*UNREADABLE, CampaignError):
        with app.store.reading() as session:
            return set(session.scalars(select(Campaign.name)))


SIGNS_OF_LIFE = 5
"""Heartbeats of a worker in the time after which it would be taken for dead."""

KEPT_HOURS = 24
"""Hours for which failed jobs are kept."""

LOOK_UP = 0.1
"""Seconds between two checks whether to stop."""

ASKING = 1.0
"""Seconds between two queries for jobs without a notification, as of those that were locked by a transaction."""

OPENING = 5.0
"""Seconds within which the database must accept a connection."""

PAUSE = 1.0
"""Seconds before another try, when the database cannot be used."""

for _name in ("procrastinate", "psycopg.pool"):
    logging.getLogger(_name).addHandler(logging.NullHandler())  # without a handler, warnings go to standard error


def select_queues(app: App, chosen: Collection[JobQueue]) -> tuple[JobQueue, ...]:
    """Return the queues that a worker serves: those chosen, or all; that of the archive only where its folder exists.

    Raises:
        ConfigError: the queue of the archive was chosen, and there is no folder of it.
    """
    archived = app.settings.archive.is_dir()
    if JobQueue.ARCHIVE in chosen and not archived:
        raise ConfigError(f"there is no archive to write to at {app.settings.archive}: create that folder")
    return tuple(
        queue for queue in JobQueue if queue in (chosen or JobQueue) and (archived or queue != JobQueue.ARCHIVE)
    )


def run_worker(
    app: App,
    queues: Collection[JobQueue],
    *,
    stop: Event,
    told: Callable[[TickResult], None],
    lost_after: dt.timedelta = LOST_AFTER,
) -> None:
    """Do the jobs of some queues in this thread, the main one, and pass on each result, until `stop` is set.

    Workers without a heartbeat for `lost_after` are taken for dead; all workers of a database must agree on that time.
    """
    app = dataclasses.replace(app, archives=JobQueue.ARCHIVE in queues)
    with closing(AdvisoryLock(app.store.engine)) as place:
        loop = _Loop(app, tuple(queues), stop, told, lost_after.total_seconds(), place)
        # In a thread of its own, while this one does what `sync_to_async` hands over.
        async_to_sync(loop.serve)()


@dataclass(slots=True)
class _Loop:
    """The loop of a worker, and what its jobs need."""

    app: App
    queues: tuple[JobQueue, ...]
    stop: Event
    told: Callable[[TickResult], None]
    lost_after: float
    place: AdvisoryLock
    trouble: str = ""
    worker: JobWorker = field(init=False)

    async def serve(self) -> None:
        """Take jobs until `stop` is set, also when the database was lost and is back; set it when that ends."""
        polls = [asyncio.to_thread(_poll_regularly, self.app, self.stop)] if JobQueue.POLL in self.queues else []
        await asyncio.gather(self._take_jobs(), *polls)

    async def _take_jobs(self) -> None:
        try:
            while not self.stop.is_set():
                try:
                    await self._serve_once()
                except (ProcrastinateException, PostgresError, OSError, PbemError) as error:
                    self._report_trouble(error)
                await asyncio.to_thread(self.stop.wait, PAUSE)
        finally:
            self.stop.set()

    def _report_trouble(self, error: Exception) -> None:
        """Report why no jobs can be taken; the same reason once, however often it is met."""
        cause = error.__cause__ if isinstance(error, ConnectorException) and error.__cause__ else error
        reason = redact_secrets(" ".join(str(cause).split()) or describe_error(error))
        event("worker waits for the database", level="warning", reason=reason)
        if reason != self.trouble:
            self.trouble = reason
            self.told(TickResult(problems=[f"the database cannot be used by workers: {reason}"]))

    async def _serve_once(self) -> None:
        """Take jobs until the worker is to stop, or the database is lost."""
        # By default SQLAlchemy renders a password as "***".
        url = self.app.store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        queue_app = QueueApp(connector=PsycopgConnector(conninfo=url, min_size=1, max_size=3))
        for queue in JobQueue:
            queue_app.task(name=queue.value, pass_context=True)(self._hand_over)
        try:
            await asyncio.wait_for(queue_app.open_async(), OPENING)
            self.worker = JobWorker(
                queue_app,
                queues=[queue.value for queue in self.queues],
                fetch_job_polling_interval=ASKING,
                # Failed jobs stay, for `pbem status --workers`.
                delete_jobs="successful",
                # The loop is not in the main thread, which alone may install them.
                install_signal_handlers=False,
                update_heartbeat_interval=self.lost_after / SIGNS_OF_LIFE,
                stalled_worker_timeout=self.lost_after,
            )
            running = asyncio.create_task(self.worker.run())  # type: ignore[no-untyped-call] # it has no types there
            await asyncio.sleep(0)  # a worker that has not begun does not hear that it is to stop
            try:
                await self._tend(queue_app.job_manager, running)
            finally:
                self._stop_worker()
                await running
        finally:
            await queue_app.close_async()

    def _stop_worker(self) -> None:
        self.worker.stop()  # type: ignore[no-untyped-call] # procrastinate has no types there

    async def _tend(self, jobs: JobManager, running: asyncio.Task[None]) -> None:
        """Register the worker, and put back the jobs of dead ones, until it is to stop or has ended."""
        await jobs.delete_old_jobs(nb_hours=KEPT_HOURS, include_failed=True)
        due = time.monotonic()
        while not (running.done() or self.stop.is_set()):
            if self.worker.worker_id is not None and time.monotonic() >= due:
                await asyncio.to_thread(self._register, self.worker.worker_id)
                await self._put_back_lost(jobs)
                due = time.monotonic() + self.lost_after / SIGNS_OF_LIFE
            await asyncio.wait({running}, timeout=LOOK_UP)

    def _register(self, number: int) -> None:
        with self.app.store.writing(durable=False) as session:
            # Rows of workers that were pruned by procrastinate.
            session.execute(delete(Worker).where(Worker.id.not_in(select(_HEARD_OF.c.id))))
            if session.get(Worker, number) is None:
                here = {"machine": platform.node(), "process": os.getpid(), "queues": list(self.queues)}
                session.add(Worker(id=number, since=read_clock(session), **here))

    async def _put_back_lost(self, jobs: JobManager) -> None:
        """Have the jobs of dead workers done by others. Of several workers that do so at once, one succeeds."""
        await jobs.prune_stalled_workers(self.lost_after)
        for job in await jobs.get_stalled_jobs(seconds_since_heartbeat=self.lost_after):
            event("job put back", level="warning", job=job.id, queue=job.queue)
            with suppress(ConnectorException):
                try:
                    await jobs.retry_job(job)
                except UniqueViolation:  # another one of its lock waits, and does the work of both
                    await jobs.finish_job(job, Status.SUCCEEDED, delete_job=True)

    async def _hand_over(self, context: JobContext, campaign: str) -> None:
        """Have a job done in the main thread."""
        if (whole := asyncio.current_task()) is not None:
            whole.add_done_callback(self._check_recorded)
        await sync_to_async(self._run_job)(QueuedJob(JobQueue(context.job.queue), campaign))

    def _check_recorded(self, whole: asyncio.Task[None]) -> None:
        """Begin anew if the end of a job could not be recorded: as this worker's job it would keep its lock."""
        if not whole.cancelled() and whole.exception() is not None:
            self._stop_worker()

    def _run_job(self, job: QueuedJob) -> None:
        """Do a job; enqueue it again if it was interrupted, or hindered by what is not its fault."""
        began = time.monotonic()
        done = TickResult()
        try:
            done = run_job(self.app, job, self._wait_for_place())
        except ShutdownRequested:
            self._enqueue_again(job)
        except (StoreError, OSError) as error:  # such as an unreachable database or a full disk
            done.problems.append(describe_error(error))
            self.stop.wait(PAUSE)
            self._enqueue_again(job)
        except Exception as error:
            event("job failed", level="error", fault=error, queue=job.queue, campaign=job.campaign)
            of = f"campaign {job.campaign}: work on it" if job.campaign else f"work of the queue {job.queue}"
            self._tell(TickResult(problems=[f"{of} failed ({describe_error(error)}); see the log"]))
            raise
        self._tell(done)
        event("job ended", queue=job.queue, campaign=job.campaign, seconds=round(time.monotonic() - began, 3))

    def _wait_for_place(self) -> dt.datetime:
        """Return the time once no tick is at work, by the clock of the database: the same for all machines."""
        # A tick has the advisory lock alone, workers share it (docs/decisions/0022).
        while (now := self.place.take()) is None:
            if self.stop.is_set():
                raise ShutdownRequested
        return now

    def _enqueue_again(self, job: QueuedJob) -> None:
        with self.app.store.writing() as session:
            enqueue_on_commit(session, job)

    def _tell(self, done: TickResult) -> None:
        log_problems(done)
        self.told(done)


_HEARD_OF = table("procrastinate_workers", column("id"))
_POLLING = text("SELECT id FROM procrastinate_jobs WHERE queue_name = 'poll' AND status = 'doing' LIMIT 1")


def _poll_regularly(app: App, stop: Event) -> None:
    """Have the mailbox polled every `poll_seconds` of the settings, by any worker, and when mail comes."""
    waiter, seconds = open_waiter(app.settings), app.settings.poll_seconds
    hinted = False
    while not stop.is_set():
        wait = float(seconds)
        with suppress(PbemError):  # trouble with the database is reported by the loop
            wait = _enqueue_poll(app, dt.timedelta(seconds=seconds), at_once=hinted)
        began = time.monotonic()
        waiter.wait(wait, stop)
        hinted = time.monotonic() - began < min(wait, LONGEST) - LOOK_UP


def _enqueue_poll(app: App, pause: dt.timedelta, *, at_once: bool) -> float:
    """Enqueue a poll if it is time for one; return the seconds until the next."""
    with app.store.writing(durable=False) as session:
        last, now = last_poll(session), read_clock(session)
        due = last.at + pause if last and last.at <= now else now  # a poll in the future: the clock was ahead
        if due > now and not at_once:
            return min(due - now, pause).total_seconds()
        # One that other workers have asked for at this moment is not recorded yet.
        if at_once or session.scalar(_POLLING) is None:
            enqueue_on_commit(session, QueuedJob(JobQueue.POLL))
        return pause.total_seconds()
