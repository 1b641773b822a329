"""Jobs done one at a time by the test, and workers in processes of their own."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Row, text

from pbem.app import App, open_app
from pbem.log import open_log
from pbem.scheduler.tick import stopped_by_signals
from pbem.scheduler.work import TickResult
from pbem.scheduler.worker import run_job, run_worker, select_queues
from pbem.store.session import JobQueue, QueuedJob, read_clock
from tests.faults.program import Program
from tests.patience import PATIENCE
from tests.toy.home import GAMES, Desk

_WAITING = text("""
    SELECT id, queue_name, args ->> 'campaign' AS campaign FROM procrastinate_jobs
     WHERE status = 'todo' ORDER BY priority DESC, id
""")


def waiting(app: App) -> list[QueuedJob]:
    """Return the jobs that wait, in the order in which they would be taken."""
    return [QueuedJob(JobQueue(row.queue_name), row.campaign) for row in _rows(app)]


def do_one(desk: Desk, pick: Callable[[list[Row[Any]]], Row[Any]] = lambda rows: rows[0]) -> QueuedJob | None:
    """Take a waiting job and do it at the test's time; return it."""
    rows = _rows(desk.app)
    if not rows:
        return None
    row = pick(rows)
    with desk.app.store.writing() as session:
        session.execute(text("DELETE FROM procrastinate_jobs WHERE id = :id"), {"id": row.id})
    work = QueuedJob(JobQueue(row.queue_name), row.campaign)
    run_job(desk.app, work, desk.now)
    return work


def do_all(desk: Desk, *, rnd: random.Random | None = None) -> list[QueuedJob]:
    """Do jobs until none waits: in their order, or in a random one."""
    pick = rnd.choice if rnd else lambda rows: rows[0]
    return list(iter(lambda: do_one(desk, pick), None))


def poll(desk: Desk) -> TickResult:
    """Poll the mailbox, at the test's time."""
    return run_job(desk.app, QueuedJob(JobQueue.POLL), desk.now)


def _rows(app: App) -> list[Row[Any]]:
    with app.store.reading() as session:
        return list(session.execute(_WAITING))


@contextmanager
def at_work(home: Path, *queues: str) -> Iterator[Program]:
    """Run a worker in a process of its own, killed at the end of the block if it has not ended by then."""
    process = Program(work, home, *queues, merged=True)
    try:
        yield process
    finally:
        process.kill()
        process.ended()


def work(home: Path, *chosen: str) -> None:
    """Work in a home until SIGTERM, and print problems."""
    with open_app(home, GAMES) as app, open_log(app.settings.log), stopped_by_signals() as stop:
        queues = select_queues(app, [JobQueue(name) for name in chosen])
        run_worker(app, queues, stop=stop, told=_tell)
    print("stopped", flush=True)


def _tell(done: TickResult) -> None:
    for problem in done.problems:
        print(problem, flush=True)


def end(process: Program) -> str:
    """Stop a worker, and return its output."""
    process.terminate()
    done = process.ended()
    assert done.returncode == 0, done.stdout
    return done.stdout


def wait_until(ready: Callable[[], bool], *workers: Program) -> None:
    """Wait until `ready()` holds; fail if it takes too long, or a worker has ended."""
    limit = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < limit, "the workers do not get on"
        ended = [worker for worker in workers if worker.returncode is not None]
        assert not ended, ended[0].ended().stdout
        time.sleep(0.1)


def now_is_real(desk: Desk) -> None:
    """Set the test's clock to that of workers."""
    with desk.app.store.reading() as session:
        desk.now = read_clock(session)
