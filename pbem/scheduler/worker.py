"""Workers, which take jobs from the queues and do them in the main thread.

A job contains only its partition; the work to be done is in the database.
Everything is done as of the newest poll until the next one, as a tick does it; so
the mail that came with it was read before a deadline of its time counts.

A thread of its own asks the database for jobs and sends the heartbeat of the
worker, however long a job takes. The jobs are done in the main thread, since time
limits and signals work only there. Jobs of a worker without a heartbeat are put
back for the others; that is sufficient, since every job may be done twice
(docs/decisions/0022).
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import logging
import os
import platform
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Thread

from procrastinate import App as QueueApp
from procrastinate import JobContext, PsycopgConnector
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import ConnectorException, ProcrastinateException, UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.worker import Worker as JobWorker
from psycopg import Error as PostgresError
from sqlalchemy import column, delete, select, table
from sqlalchemy.orm import Session

from pbem.admin.health import LastPoll, last_poll, record_poll, require_active
from pbem.app import App
from pbem.campaign.damaged_rows import UNREADABLE
from pbem.errors import CampaignError, ConfigError, PbemError, StoreError, describe_error
from pbem.log import event
from pbem.mail.fetch import open_waiter
from pbem.mail.imap import LONGEST
from pbem.mail.outbox import is_due, partition_of
from pbem.scheduler.tick import (
    OpenWork,
    TickResult,
    TickTime,
    answer_mail,
    find_due,
    log_problems,
    mask_tokens,
    run_due,
    send_mail,
    show_dashboard,
    sync_archive,
    try_to_fetch_mail,
)
from pbem.scheduler.worker_status import LOST_AFTER
from pbem.store.models import Campaign, InboxMessage, OutgoingMail, Worker
from pbem.store.session import AdvisoryLock, JobQueue, QueuedJob, enqueue_on_commit, read_clock
from pbem.store.types import MessageState
from pbem.util import ShutdownRequested, redact_secrets

Given = Callable[[], None]


class MainThreadExecutor:
    """Runs callables from the loop of another thread on the main thread, one after the other."""

    def __init__(self) -> None:
        self._given: SimpleQueue[tuple[Given, Future[None]] | None] = SimpleQueue()

    async def do(self, work: Given) -> None:
        """Run a callable from the loop of another thread and wait for it; raise what it raises."""
        future: Future[None] = Future()
        self._given.put((work, future))
        await asyncio.wrap_future(future)

    def work(self) -> None:
        """Run callables until `rest` is called."""
        while (given := self._given.get()) is not None:
            work, future = given
            if future.set_running_or_notify_cancel():
                _run_into(work, future)

    def rest(self) -> None:
        """End `work` once all callables given before are done."""
        self._given.put(None)


def _run_into(work: Given, future: Future[None]) -> None:
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - the caller raises it
        future.set_exception(error)
    else:
        future.set_result(None)


AT_ONCE = "at once"
"""Partition of a poll that does not wait for its time, since there is new mail."""

MOST_WOKEN = 50
"""Jobs enqueued in one transaction, so that the first can begin before the last is enqueued."""

JobHandler = Callable[[App, str, dt.datetime, TickResult], None]


def run_job(app: App, work: QueuedJob, now: dt.datetime) -> TickResult:
    """Do a job and return its result. Raises ConfigError in a home that was restored and not activated since."""
    require_active(app)
    done = TickResult()
    _JOBS[work.queue](app, work.lane, now, done)
    return done


def _poll(app: App, lane: str, now: dt.datetime, done: TickResult) -> None:
    """Fetch mail, and enqueue jobs for all that is due; unless another worker has just done so."""
    if lane != AT_ONCE and _was_just_polled(app, now):
        return
    readable = try_to_fetch_mail(app, now, done)
    record_poll(app, now, readable=readable)
    enqueue_all(app, now)
    mask_tokens(app, now, done)


def _was_just_polled(app: App, now: dt.datetime) -> bool:
    """Return True if the last poll is so recent that two workers must have asked for it."""
    with app.store.reading() as session:
        last = last_poll(session)
    return last is not None and last.at <= now < last.at + dt.timedelta(seconds=app.settings.poll_seconds / 2)


def _process(app: App, campaign: str, now: dt.datetime, done: TickResult) -> None:
    """Answer messages, in the order in which they came; with a campaign, run what is due in it once that is done."""
    with app.store.reading() as session:
        last = last_poll(session)
        ready = last is not None and (not campaign or _is_answered(session, last))
    if last is None or not ready:
        return
    if campaign:
        run_due(app, _tick_time(last), done, campaign=campaign)
        return
    answer_mail(app, last.at, done)
    # Campaigns that waited for messages go on.
    enqueue_all(app, now)


def _archive(app: App, _lane: str, now: dt.datetime, done: TickResult) -> None:
    sync_archive(app, now, done)
    show_dashboard(app, now, done)


_JOBS: Mapping[JobQueue, JobHandler] = {
    JobQueue.POLL: _poll,
    JobQueue.PROCESS: _process,
    JobQueue.SEND: lambda app, lane, now, done: send_mail(app, now, done, lane=lane),
    JobQueue.ARCHIVE: _archive,
}


def _tick_time(last: LastPoll) -> TickTime:
    return TickTime(last.at, readable=not last.watch.failed, outage=last.watch.outage)


def _is_answered(session: Session, last: LastPoll) -> bool:
    """Return True if all messages that came with the newest poll were processed."""
    left = select(InboxMessage.id).where(InboxMessage.state == MessageState.NEW, InboxMessage.id <= last.newest)
    return session.scalar(left.limit(1)) is None


def enqueue_all(app: App, now: dt.datetime) -> None:
    """Enqueue all jobs that are due now, also those that were lost from the queues."""
    works = sorted(_find_jobs(app, now))
    for start in range(0, len(works), MOST_WOKEN):
        with app.store.writing() as session:
            enqueue_on_commit(session, *works[start : start + MOST_WOKEN])


def _find_jobs(app: App, now: dt.datetime) -> set[QueuedJob]:
    with app.store.reading() as session:
        last = last_poll(session)
        new = session.scalar(select(InboxMessage.id).where(InboxMessage.state == MessageState.NEW).limit(1))
        providers = session.scalars(select(OutgoingMail.provider).where(is_due(now)).distinct())
        found = {QueuedJob(JobQueue.SEND, partition_of(provider, app.settings.pace)) for provider in providers}
    if new is not None:
        # Campaigns wait for it, and are enqueued at its end.
        found.add(QueuedJob(JobQueue.PROCESS))
    elif last is not None:
        found |= {QueuedJob(JobQueue.PROCESS, campaign) for campaign in _campaigns_due(app, _tick_time(last))}
    return found | {QueuedJob(JobQueue.ARCHIVE)}


def _campaigns_due(app: App, moment: TickTime) -> set[str]:
    """Return the campaigns in which something is due; all if one cannot be read, as its job will report that."""
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

LONGEST_LANE = 254
"""Characters of a partition, which is the name of a campaign or of a provider."""

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
    """Do the jobs of some queues, and pass on each result, until `stop` is set.

    Workers without a heartbeat for `lost_after` are taken for dead; all workers of a database must agree on that time.
    """
    app = dataclasses.replace(app, archives=JobQueue.ARCHIVE in queues)
    with closing(AdvisoryLock(app.store.engine)) as place:
        executor = MainThreadExecutor()
        loop = WorkerLoop(app, tuple(queues), stop, told, lost_after.total_seconds(), place, executor)
        threads = [Thread(target=loop.serve, name="jobs")]
        if JobQueue.POLL in queues:
            threads.append(Thread(target=_poll_regularly, args=(app, stop), name="time"))
        for thread in threads:
            thread.start()
        # In this thread, the main one: it alone gets the signals by which time limits work.
        executor.work()
        for thread in threads:
            thread.join()


@dataclass(slots=True)
class WorkerLoop:
    """Shared state of the threads of one worker. `in_hand` are the ids of the jobs that it is doing."""

    app: App
    queues: tuple[JobQueue, ...]
    stop: Event
    told: Callable[[TickResult], None]
    lost_after: float
    place: AdvisoryLock
    executor: MainThreadExecutor
    in_hand: set[int] = field(default_factory=set)
    let_go: set[int] = field(default_factory=set)
    trouble: str = ""

    def serve(self) -> None:
        """Take jobs, in a thread of its own; when that ends, however it does, all other threads end too."""
        try:
            asyncio.run(self._serve())
        finally:
            self.stop.set()
            self.executor.rest()

    async def _serve(self) -> None:
        while not self.stop.is_set():
            try:
                await self._serve_once()
            except (ProcrastinateException, PostgresError, OSError, PbemError) as error:
                self._report_trouble(error)
            await self._sleep(PAUSE)

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
        queue_app = self._queue_app()
        async with _open_queues(queue_app):
            worker = JobWorker(
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
            tending = [
                asyncio.create_task(part)
                for part in (self._stop_when_told(worker), self._keep_alive(queue_app, worker))
            ]
            try:
                await _run(worker)
            finally:
                for task in tending:
                    task.cancel()
                await asyncio.gather(*tending, return_exceptions=True)

    def _queue_app(self) -> QueueApp:
        url = self.app.store.engine.url.set(drivername="postgresql")
        # By default SQLAlchemy renders a password as "***".
        conninfo = url.render_as_string(hide_password=False)
        queue_app = QueueApp(connector=PsycopgConnector(conninfo=conninfo, min_size=1, max_size=3))
        queue_app.job_manager = _Jobs(queue_app.connector, self._report_refused)
        for queue in JobQueue:
            queue_app.task(name=queue.value, pass_context=True)(self._hand_over)
        return queue_app

    def _report_refused(self, job: Job) -> None:
        event("job refused", level="error", job=job.id, queue=job.queue)
        said = "is not of a kind that pbem puts in; it counts as failed"
        self.told(TickResult(problems=[f"job {job.id} of the queue {job.queue} {said}"]))

    async def _sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self.stop.is_set() and time.monotonic() < end:
            await asyncio.sleep(LOOK_UP)

    async def _stop_when_told(self, worker: JobWorker) -> None:
        while not self.stop.is_set():
            await asyncio.sleep(LOOK_UP)
        _stop(worker)

    async def _hand_over(self, context: JobContext, lane: str) -> None:
        number = context.job.id
        assert number is not None
        self.in_hand.add(number)
        try:
            await self.executor.do(lambda: self._run_job(QueuedJob(JobQueue(context.job.queue), lane)))
        finally:
            self.in_hand.discard(number)

    def _run_job(self, work: QueuedJob) -> None:
        """Do a job, in the main thread; put it back if it was interrupted, or hindered by what is not its fault."""
        began = time.monotonic()
        done = TickResult()
        try:
            done = run_job(self.app, work, self._wait_for_place())
        except ShutdownRequested:
            self._put_back(work)
        except (StoreError, OSError) as error:  # such as an unreachable database or a full disk
            done.problems.append(describe_error(error))
            self.stop.wait(PAUSE)
            self._put_back(work)
        except Exception as error:
            event("job failed", level="error", fault=error, queue=work.queue, lane=work.lane)
            self._tell(TickResult(problems=[f"{_describe_job(work)} failed ({describe_error(error)}); see the log"]))
            raise
        self._tell(done)
        event("job ended", queue=work.queue, lane=work.lane, seconds=round(time.monotonic() - began, 3))

    def _wait_for_place(self) -> dt.datetime:
        """Return the time once no tick is at work, by the clock of the database: the same for all machines."""
        # A tick has the advisory lock alone, workers share it (docs/decisions/0022).
        while (now := self.place.take()) is None:
            if self.stop.is_set():
                raise ShutdownRequested
        return now

    def _put_back(self, work: QueuedJob) -> None:
        with self.app.store.writing() as session:
            enqueue_on_commit(session, work)

    def _tell(self, done: TickResult) -> None:
        log_problems(done)
        self.told(done)

    async def _keep_alive(self, queue_app: QueueApp, worker: JobWorker) -> None:
        """Register the worker, and put back the jobs of dead ones, as long as it runs."""
        while worker.worker_id is None:
            await asyncio.sleep(LOOK_UP)
        try:
            await queue_app.job_manager.delete_old_jobs(nb_hours=KEPT_HOURS, include_failed=True)
            while True:
                await asyncio.to_thread(self._register, worker.worker_id)
                await self._put_back_lost(queue_app, worker.worker_id)
                await asyncio.sleep(self.lost_after / SIGNS_OF_LIFE)
        except (ProcrastinateException, PostgresError, PbemError) as error:
            self._report_trouble(error)
            _stop(worker)  # `_serve` starts another when the database can be used again

    def _register(self, number: int) -> None:
        with self.app.store.writing(durable=False) as session:
            # Rows of workers that were pruned by procrastinate.
            session.execute(delete(Worker).where(Worker.id.not_in(select(_HEARD_OF.c.id))))
            if session.get(Worker, number) is None:
                here = {"machine": platform.node(), "process": os.getpid(), "queues": list(self.queues)}
                session.add(Worker(id=number, since=read_clock(session), **here))

    async def _put_back_lost(self, queue_app: QueueApp, number: int) -> None:
        manager = queue_app.job_manager
        await manager.prune_stalled_workers(self.lost_after)
        lost = await manager.get_stalled_jobs(seconds_since_heartbeat=self.lost_after)
        # Jobs of this worker that it is not doing: their end could not be recorded. One that is being recorded at this
        # moment looks the same, so a job is put back only when it was seen twice.
        ours = [job for job in await _taken_jobs(queue_app, number) if job.id not in self.in_hand]
        await _put_back(queue_app, [*lost, *(job for job in ours if job.id in self.let_go)])
        self.let_go = {job.id for job in ours if job.id is not None}


class _Jobs(JobManager):
    """Jobs of the queues; those whose rows are malformed are marked as failed when they are fetched."""

    def __init__(self, connector: BaseConnector, refuse: Callable[[Job], None]) -> None:
        super().__init__(connector)
        self._refuse = refuse

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Return the next job that can be done, or None."""
        while (job := await super().fetch_job(queues, worker_id)) is not None:
            if _is_well_formed(job):
                return job
            # procrastinate raises on some malformed rows and leaves them "doing", with all that waits for their
            # locks.
            await self.finish_job(job, Status.FAILED, delete_job=False)
            self._refuse(job)
        return None


def _is_well_formed(job: Job) -> bool:
    """Return True if a job has the form in which `pbem` enqueues jobs, so that its partition can be trusted."""
    arguments: object = job.task_kwargs
    if not isinstance(arguments, dict) or arguments.keys() != {"lane"} or job.task_name != job.queue:
        return False
    lane = arguments["lane"]
    return isinstance(lane, str) and len(lane) <= LONGEST_LANE


_HEARD_OF = table("procrastinate_workers", column("id"))


@asynccontextmanager
async def _open_queues(queue_app: QueueApp) -> AsyncIterator[None]:
    try:
        await asyncio.wait_for(queue_app.open_async(), OPENING)
        yield
    finally:
        await queue_app.close_async()


async def _run(worker: JobWorker) -> None:
    await worker.run()  # type: ignore[no-untyped-call] # procrastinate has no types there


def _stop(worker: JobWorker) -> None:
    worker.stop()  # type: ignore[no-untyped-call] # procrastinate has no types there


async def _taken_jobs(queue_app: QueueApp, number: int) -> Iterable[Job]:
    """Return the jobs that a worker has taken and not finished."""
    return await queue_app.job_manager.list_jobs_async(status=Status.DOING.value, worker_id=number)


async def _put_back(queue_app: QueueApp, jobs: Iterable[Job]) -> None:
    for job in jobs:
        event("job put back", level="warning", job=job.id, queue=job.queue)
        try:
            await queue_app.job_manager.retry_job(job)
        except UniqueViolation:  # another one of its lock is queued, and does the work of both
            await queue_app.job_manager.finish_job(job, Status.SUCCEEDED, delete_job=True)
        except ConnectorException as error:
            event("job put back by another", reason=str(error.__cause__))


def _poll_regularly(app: App, stop: Event) -> None:
    """Have the mailbox polled every `poll_seconds` of the settings, by any worker, and when mail comes."""
    waiter, seconds = open_waiter(app.settings), app.settings.poll_seconds
    hinted = False
    while not stop.is_set():
        wait = float(seconds)
        with suppress(PbemError):  # trouble with the database is reported by the other thread
            wait = _enqueue_poll(app, dt.timedelta(seconds=seconds), at_once=hinted)
        began = time.monotonic()
        waiter.wait(wait, stop)
        hinted = time.monotonic() - began < min(wait, LONGEST) - LOOK_UP


def _enqueue_poll(app: App, pause: dt.timedelta, *, at_once: bool) -> float:
    """Enqueue a poll if it is time for one; return the seconds until the next."""
    with app.store.writing(durable=False) as session:
        last, now = last_poll(session), read_clock(session)
        due = last.at + pause if last and last.at <= now else now  # a poll in the future: the clock was ahead
        if at_once or due <= now:
            enqueue_on_commit(session, QueuedJob(JobQueue.POLL, AT_ONCE if at_once else ""))
            return pause.total_seconds()
        return min(due - now, pause).total_seconds()


def _describe_job(work: QueuedJob) -> str:
    of_campaign = work.queue == JobQueue.PROCESS and work.lane
    return f"campaign {work.lane}: work on it" if of_campaign else f"work of the queue {work.queue}"
