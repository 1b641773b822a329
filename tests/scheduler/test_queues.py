"""Jobs are enqueued by the transactions that make them due, and the tables of the queues exist."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from pbem.errors import ConfigError
from pbem.store.migrate import downgrade, migrate
from pbem.store.models import KeyValue
from pbem.store.queue import create_queue_tables, require_queues
from pbem.store.session import JobQueue, QueuedJob, Store, enqueue_on_commit
from tests.patience import PATIENCE
from tests.scheduler.crew import waiting
from tests.toy.home import Desk, make_home, open_desk

TOY = QueuedJob(JobQueue.PROCESS, "toy1")


class Overboard(Exception):
    """Raised to roll a transaction back."""


def test_a_job_is_there_when_its_transaction_is_committed(desk: Desk) -> None:
    """A job is enqueued by the commit, once, however often it is requested while it waits."""
    for _ in range(2):
        with desk.app.store.writing() as session:
            enqueue_on_commit(session, TOY, QueuedJob(JobQueue.SEND))
            enqueue_on_commit(session, TOY)
            assert waiting(desk.app) in ([], [QueuedJob(JobQueue.SEND), TOY])

    assert waiting(desk.app) == [QueuedJob(JobQueue.SEND), TOY]


def test_a_transaction_that_is_rolled_back_leaves_no_job(desk: Desk) -> None:
    """A transaction that is rolled back enqueues no job."""

    def act() -> None:
        with desk.app.store.writing() as session:
            enqueue_on_commit(session, TOY)
            raise Overboard

    with pytest.raises(Overboard):
        act()
    assert waiting(desk.app) == []


def test_a_mail_brings_the_job_that_sends_it(desk: Desk) -> None:
    """Queued mail brings the job that sends it, whatever command has written it."""
    desk.begin()

    assert QueuedJob(JobQueue.SEND) in waiting(desk.app)


def test_a_job_that_waits_is_held_until_those_who_rely_on_it_are_through(desk: Desk) -> None:
    """A waiting job that a transaction requests again cannot be taken before its commit, to see its changes."""
    with desk.app.store.writing() as session:
        enqueue_on_commit(session, TOY)
    taken = "SELECT id FROM procrastinate_fetch_job_v2(NULL, NULL)"
    with desk.app.store.writing() as session:
        enqueue_on_commit(session, TOY)
        desk.app.store._waker(session, [TOY])  # type: ignore[misc] # as at the end of the block
        with desk.app.store.writing() as other:
            assert other.scalar(text(taken)) is None
    with desk.app.store.writing() as other:
        assert other.scalar(text(taken)) is not None


def test_two_who_put_in_the_same_work_at_once(desk: Desk) -> None:
    """Of two transactions that enqueue the same job, the second waits for the first, and both succeed."""
    store, begun, go_on = desk.app.store, threading.Event(), threading.Event()

    def first() -> None:
        with store.writing() as session:
            store._waker(session, [TOY])  # type: ignore[misc] # before the block ends
            begun.set()
            go_on.wait(PATIENCE)

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait(PATIENCE)
    threading.Timer(0.2, go_on.set).start()
    with store.writing() as session:
        session.add(KeyValue(name="second", data={}))
        enqueue_on_commit(session, TOY)
    thread.join()

    with store.reading() as session:
        assert session.get(KeyValue, "second") is not None
    assert waiting(desk.app) == [TOY]


def test_a_home_of_files_has_no_queues(tmp_path: Path) -> None:
    """On SQLite no jobs are enqueued, and a worker is refused with what to do instead."""
    with open_desk(tmp_path / "home") as desk:
        desk.begin()
        with pytest.raises(ConfigError, match="workers need PostgreSQL, and the database is SQLite: use pbem serve"):
            require_queues(desk.app.store)


def test_a_database_without_queues_is_refused(migrated_postgres_url: str, tmp_path: Path) -> None:
    """Campaigns on a database without queues run by ticks; a worker is refused with the command to migrate."""
    with open_desk(tmp_path / "home", database=migrated_postgres_url) as desk:
        desk.start()
        with pytest.raises(ConfigError, match="no queues for workers, or older ones; run: pbem migrate"):
            require_queues(desk.app.store)


_OF_THE_LAST_STEP = "procrastinate_trigger_function_status_events_update_v1"


def test_queues_are_brought_up_to_the_package(queues_url: str) -> None:
    """Steps that the tables lack are taken from the package; after a downgrade and an upgrade they are left alone."""
    store = Store(queues_url)
    with store.writing() as session:
        before = session.get_one(KeyValue, "queues").data["newest"]
        session.execute(text(f"DROP FUNCTION {_OF_THE_LAST_STEP} CASCADE"))
        session.get_one(KeyValue, "queues").data = {"newest": "03.04.00_01_pre_add_retry_failed_job_procedure.sql"}
    with pytest.raises(ConfigError, match="older ones"):
        require_queues(store)
    create_queue_tables(queues_url)
    require_queues(store)
    with store.reading() as session:
        assert session.scalar(text(f"SELECT '{_OF_THE_LAST_STEP}'::regproc")) is not None
    downgrade(queues_url, "base")
    migrate(queues_url)
    create_queue_tables(queues_url)
    require_queues(store)

    with store.reading() as session:
        assert session.get_one(KeyValue, "queues").data["newest"] == before
    store.close()


@pytest.mark.parametrize("job", [*(QueuedJob(queue) for queue in JobQueue if queue != JobQueue.PROCESS), TOY])
def test_two_jobs_of_the_same_work_are_not_done_at_once(desk: Desk, job: QueuedJob) -> None:
    """Work that comes while such work is done waits until that has ended."""
    fetch = text("SELECT id FROM procrastinate_fetch_job_v2(CAST(:queues AS varchar[]), NULL)")
    taken = []
    for _ in range(2):
        with desk.app.store.writing() as session:
            enqueue_on_commit(session, job)
        with desk.app.store.writing() as session:
            taken.append(session.scalar(fetch, {"queues": [job.queue.value]}))

    assert taken[0] is not None
    assert (taken[1], waiting(desk.app)) == (None, [job])


_WITHOUT = "import sys; sys.modules.update(procrastinate=None, psycopg_pool=None); from pbem.cli import main; main()"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("database", "said"),
    [
        ("", "workers need PostgreSQL, and the database is SQLite. Use pbem serve or pbem tick there."),
        ("queues_url", "workers need the package procrastinate. Install it with: pip install 'pbem[postgresql]'"),
    ],
)
def test_a_home_without_the_package(database: str, said: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """A home without the package runs ticks, even on a database with queues; only a worker is refused."""
    home = make_home(tmp_path / "home", database=request.getfixturevalue(database) if database else "")
    ran = [
        subprocess.run([sys.executable, "-c", _WITHOUT, "--home", home, *words], capture_output=True, text=True)
        for words in (["migrate"], ["tick"], ["serve", "--queue", "send"])
    ]

    assert [(done.returncode, done.stdout) for done in ran[:2]] == [
        (0, "Done: the database is of this version.\n"),
        (0, "Nothing to do.\n"),
    ]
    assert (ran[2].returncode, ran[2].stderr) == (1, f"Not done: {said}\n")
