"""Workers in processes of their own share a home."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, text

from pbem.campaign.archive_sync import prove_archive
from pbem.cli import main
from pbem.store.models import InboxMessage, OutgoingMail, Turn
from pbem.store.session import JobQueue, QueuedJob, enqueue_on_commit
from pbem.store.types import MessageState, OutgoingState
from tests.scheduler.crew import at_work, do_all, end, now_is_real, poll, wait_until
from tests.toy.home import GAMES, Desk

CAMPAIGNS = ("toy1", "toy2", "toy3")
SHEETS = (("red", "ann@example.org"), ("blue", "bob@example.org"))


def pbem(desk: Desk, *words: str) -> Result:
    """Run a command in the test's home, with its games."""
    return CliRunner().invoke(main, ["--home", str(desk.home), *words], obj=GAMES)


@pytest.fixture
def due(desk: Desk) -> Desk:
    """Yield three campaigns whose deadline has passed, with a sheet from every seat in the mailbox."""
    for name in CAMPAIGNS:
        desk.begin(name=name, deadline="EVERY 1h")
    now_is_real(desk)
    for name in CAMPAIGNS:
        for seat, sender in SHEETS:
            desk.post(f"ORDERS {name} {seat}\nBID 1\nEND", sender=sender)
    return desk


def runs(desk: Desk) -> Counter[tuple[int, int]]:
    """Count the runs of each turn after the set-up, by campaign and number."""
    done = select(Turn.campaign_id, Turn.number).where(Turn.resolved_at.is_not(None), Turn.number > 0)
    with desk.app.store.reading() as session:
        return Counter((campaign, number) for campaign, number in session.execute(done))


def is_through(desk: Desk) -> bool:
    """Return True if everything is done: messages answered, turns run, mail sent."""
    with desk.app.store.reading() as session:
        letters = set(session.scalars(select(InboxMessage.state)))
        mails = set(session.scalars(select(OutgoingMail.state)))
        left = session.scalar(text("SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"))
    settled = (
        letters == {MessageState.PROCESSED} and mails <= {OutgoingState.SENT, OutgoingState.SUPERSEDED} and not left
    )
    return settled and len(runs(desk)) == len(CAMPAIGNS)


def test_two_workers_share_a_night(due: Desk) -> None:
    """Every turn runs once, every mail goes out once, the archives are whole; and SIGTERM ends both with code 0."""
    with at_work(due.home) as one, at_work(due.home) as other:
        wait_until(lambda: is_through(due), one, other)
        shown = pbem(due, "status", "--workers").output
        ticked, ran = pbem(due, "tick"), pbem(due, "run", "toy1", "--yes")
        wait_until(lambda: (1, 2) in runs(due), one, other)
        said = [end(one), end(other)]

    assert set(runs(due).values()) == {1}
    ids = [mail["Message-ID"] for mail in due.mails()]
    assert len(ids) == len(set(ids))
    for name in CAMPAIGNS:
        prove_archive(due.app, name)
    assert shown.count("serves poll, process, send, archive since") == 2
    assert ticked.output == "Nothing done: another tick or a worker is running.\n"
    assert ran.output == "Done: turn 2 of toy1 is run as soon as all messages are read.\n"
    assert said == ["stopped\n", "stopped\n"]
    assert "No workers running" in pbem(due, "status", "--workers").output


def test_workers_poll_after_the_clock_was_ahead(desk: Desk) -> None:
    """A recorded poll of a later time does not keep workers from polling now."""
    desk.begin(name="toy1")
    now_is_real(desk)
    desk.now += dt.timedelta(days=3)
    poll(desk)
    do_all(desk)
    now_is_real(desk)
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    with at_work(desk.home) as worker:
        wait_until(lambda: letters(desk) == {MessageState.PROCESSED}, worker)
        end(worker)


def letters(desk: Desk) -> set[MessageState]:
    """Return the states of the messages that were fetched."""
    with desk.app.store.reading() as session:
        return set(session.scalars(select(InboxMessage.state)))


def test_the_archive_is_written_where_it_lies(due: Desk, tmp_path: Path) -> None:
    """A machine without the archive's folder makes none; turns are archived once a worker with the folder runs."""
    second = tmp_path / "second"
    shutil.copytree(due.home, second, symlinks=True, ignore=shutil.ignore_patterns("turns", "post", "log"))
    settings = (second / "pbem.toml").read_text()
    (second / "pbem.toml").write_text(settings.replace("maildir:", f"maildir:{due.home}/"))
    with at_work(second) as worker:
        wait_until(lambda: len(runs(due)) == len(CAMPAIGNS), worker)
        end(worker)
    left = _unarchived(due)
    with at_work(due.home, "archive") as worker:
        wait_until(lambda: not _unarchived(due), worker)
        end(worker)

    assert left == len(CAMPAIGNS)
    assert not (second / "turns").exists()
    assert all((due.home / "turns" / name / "0001").is_dir() for name in CAMPAIGNS)


def _unarchived(desk: Desk) -> int:
    with desk.app.store.reading() as session:
        left = select(Turn.id).where(Turn.resolved_at.is_not(None), Turn.archived_at.is_(None))
        return len(session.scalars(left).all())


def test_the_jobs_of_a_dead_worker_are_taken_up(due: Desk) -> None:
    """The jobs of a worker without a heartbeat are done by another."""
    with due.app.store.writing() as session:
        enqueue_on_commit(session, QueuedJob(JobQueue.PROCESS, "toy1"), QueuedJob(JobQueue.POLL))
    with due.app.store.writing() as session:
        session.execute(_DEAD)
        session.execute(_TAKEN)
    shown = pbem(due, "status", "--workers").output
    with at_work(due.home) as worker:
        wait_until(lambda: is_through(due), worker)
        end(worker)

    assert "mars, process 7: serves poll since 2026-01-01 00:00, not heard of for 6" in shown
    assert " s; working on: send, poll, process toy1\n" in shown
    assert "process: 0 jobs waiting; no worker serves it" in shown


_DEAD = text("""
    WITH dead AS (
      INSERT INTO procrastinate_workers (last_heartbeat) VALUES (clock_timestamp() - interval '60 s') RETURNING id)
    INSERT INTO worker (id, machine, process, queues, since) SELECT id, 'mars', 7, '["poll"]', '2026-01-01Z' FROM dead
""")
_TAKEN = text("UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT id FROM worker)")


def test_failed_jobs_are_shown(due: Desk) -> None:
    """Failed jobs are shown by status for a day."""
    with due.app.store.writing() as session:
        enqueue_on_commit(session, QueuedJob(JobQueue.PROCESS, "toy1"))
    with due.app.store.writing() as session:
        session.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
        session.execute(text("UPDATE procrastinate_jobs SET status = 'failed'"))

    shown = pbem(due, "status", "--workers").output
    today = dt.datetime.now(dt.UTC).strftime("%Y-%m-")
    assert f"process toy1: failed 1 time, last {today}" in shown


def test_a_worker_begins_when_a_tick_has_ended(due: Desk) -> None:
    """While a tick runs on the database, workers wait."""
    with ExitStack() as ending:
        with due.app.store.alone():
            worker = ending.enter_context(at_work(due.home))
            wait_until(lambda: "working on: " in pbem(due, "status", "--workers").output, worker)
            meanwhile = len(due.mails())
        wait_until(lambda: is_through(due), worker)
        end(worker)

    assert meanwhile == 0


def test_the_command_works_until_it_is_told_to_stop(desk: Desk) -> None:
    """The command names the queues that it serves, and ends with code 0."""
    (desk.home / "turns").mkdir()
    command = [sys.executable, "-c", "from pbem.cli import main; main()", "--home", str(desk.home), "serve"]
    chosen = ["--queue", "archive", "--queue", "process"]
    with subprocess.Popen([*command, *chosen], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        begun = process.stdout.readline()
        process.terminate()
        rest = process.stdout.read()

    assert begun == f"Working on process, archive for {desk.home}.\n"
    assert (rest, process.returncode) == ("Stopped.\n", 0)


def test_an_archive_that_is_not_there_cannot_be_chosen(desk: Desk) -> None:
    """A worker for the archive is refused where there is no folder."""
    refused = pbem(desk, "serve", "--queue", "archive")

    said = f"there is no archive to write to at {desk.home}/turns. Create that folder."
    assert (refused.exit_code, refused.output) == (1, f"Not done: {said}\n")


_REFUSED = (
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$",
    "CREATE TRIGGER refused BEFORE DELETE ON procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION refuse()",
)


def test_a_job_whose_end_cannot_be_recorded_is_done_again(due: Desk) -> None:
    """What a worker has done and could not record is done again, by the same worker, once the database takes it."""

    def execute(*statements: str) -> None:
        with due.app.store.writing() as session:
            for statement in statements:
                session.execute(text(statement))

    execute(*_REFUSED)
    with at_work(due.home) as worker:
        wait_until(lambda: letters(due) == {MessageState.PROCESSED}, worker)
        execute("DROP TRIGGER refused ON procrastinate_jobs")
        wait_until(lambda: is_through(due), worker)
        said = end(worker)

    assert set(runs(due).values()) == {1}
    assert "Traceback" not in said
