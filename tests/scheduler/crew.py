"""Jobs done one at a time by the test, and workers in processes of their own."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Row, text

from pbem.app import App
from pbem.scheduler.work import TickResult
from pbem.scheduler.worker import run_job
from pbem.store.session import JobQueue, QueuedJob, read_clock
from tests.patience import PATIENCE
from tests.toy.home import Desk

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
def at_work(home: Path, *queues: str) -> Iterator[subprocess.Popen[str]]:
    """Run a worker in a process of its own, killed at the end of the block if it has not ended by then."""
    command = [sys.executable, "-m", "tests.scheduler.process", str(home), *queues]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def end(process: subprocess.Popen[str]) -> str:
    """Stop a worker, and return its output."""
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    return said


def wait_until(ready: Callable[[], bool], *workers: subprocess.Popen[str]) -> None:
    """Wait until `ready()` holds; fail if it takes too long, or a worker has ended."""
    limit = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < limit, "the workers do not get on"
        ended = [worker for worker in workers if worker.poll() is not None]
        assert not ended, ended[0].communicate()[0]
        time.sleep(0.1)


def now_is_real(desk: Desk) -> None:
    """Set the test's clock to that of workers."""
    with desk.app.store.reading() as session:
        desk.now = read_clock(session)
