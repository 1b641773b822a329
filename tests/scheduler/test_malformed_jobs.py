"""Rows of the queues that no program of ours has written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import text

from pbem.store.session import JobQueue, QueuedJob, enqueue_on_commit
from tests.scheduler.crew import at_work, end, wait_until
from tests.toy.home import Desk

_FORGED = text("""
    INSERT INTO procrastinate_jobs (queue_name, task_name, priority, args, status, lock)
    VALUES (:queue, :task, 9, CAST(:args AS jsonb), CAST(:status AS procrastinate_job_status), :lock)
""")
_LEFT = text("SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')")
_FAILED = text("SELECT count(*) FROM procrastinate_jobs WHERE status = 'failed'")

ARGUMENTS: tuple[Any, ...] = (
    *([], None, "x", 3, {}, {"other": 1}, {"lane": 5}, {"lane": None}, {"lane": {"a": 1}}, {"lane": ["x"]}, True),
    *({"lane": "x", "more": 1}, {"lane": "toy1", "context": 1}, {"lane": "abc", "timestamp": "x"}, {"self": 1}),
    *({"lane": "\N{SNOWMAN}" * 9000}, [["lane", "x"]], {"lane": 1e308}),
)
QUEUES = ("process", "send", "archive")


@pytest.mark.parametrize("status", ["todo", "doing"])
def test_malformed_jobs_end_as_failed(desk: Desk, status: str) -> None:
    """Each malformed job is reported, and none holds up well-formed jobs that wait for the same lock."""
    desk.begin()
    with desk.app.store.writing() as session:
        enqueue_on_commit(session, *(QueuedJob(JobQueue(queue)) for queue in QUEUES))
        for queue in QUEUES:
            for number, arguments in enumerate(ARGUMENTS):
                # At most one job for each lock may be "doing"; these have no worker that could be asked for them.
                lock = queue if status == "todo" or not number else None
                values = {"queue": queue, "task": queue, "status": status, "lock": lock}
                session.execute(_FORGED, values | {"args": json.dumps(arguments)})
        session.execute(_FORGED, {"queue": "send", "task": "unknown", "args": "{}", "status": status, "lock": None})
    with at_work(desk.home) as worker:
        wait_until(lambda: count(desk, _LEFT) == 0, worker)
        said = end(worker).splitlines()

    forged = len(QUEUES) * len(ARGUMENTS) + 1
    assert count(desk, _FAILED) == forged
    assert sum("is not of a kind that pbem puts in; it counts as failed" in line for line in said) == forged
    assert "Traceback (most recent call last):" not in said


def count(desk: Desk, query: Any) -> int:
    """Return the number of jobs that a query finds."""
    with desk.app.store.reading() as session:
        return int(session.scalar(query) or 0)
