"""Rows of the queues that no program of ours has written."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from tests.scheduler.crew import at_work, end, wait_until
from tests.toy.home import Desk

_FORGED = text("""
    INSERT INTO procrastinate_jobs (queue_name, task_name, priority, args, status, lock)
    VALUES (:queue, :task, 9, CAST(:args AS jsonb), CAST(:status AS procrastinate_job_status), :lock)
""")
_LEFT = text("SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')")
_FAILED = text("SELECT count(*) FROM procrastinate_jobs WHERE status = 'failed'")

MALFORMED = [
    ("process", '{"lane": "toy1"}'),
    ("send", "{}"),
    ("archive", '{"campaign": "", "more": 1}'),
    ("other", "{}"),
]
"""Tasks with arguments that they do not have, as another version may leave them, and a task that there is not."""


def test_malformed_jobs_end_as_failed(desk: Desk) -> None:
    """A job that another version has put in ends as failed, and holds up no job that waits for the same lock."""
    desk.begin()
    with desk.app.store.writing() as session:
        for task, arguments in MALFORMED:
            values = {"queue": "send" if task == "other" else task, "task": task, "args": arguments, "status": "todo"}
            session.execute(_FORGED, values | {"lock": task})
    with at_work(desk.home) as worker:
        wait_until(lambda: count(desk, _LEFT) == 0 and desk.mails() != [], worker)
        said = end(worker).splitlines()

    assert count(desk, _FAILED) == len(MALFORMED)
    assert "Traceback (most recent call last):" not in said


def count(desk: Desk, query: Any) -> int:
    """Return the number of jobs that a query finds."""
    with desk.app.store.reading() as session:
        return int(session.scalar(query) or 0)
