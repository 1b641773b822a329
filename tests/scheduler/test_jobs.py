"""Jobs, one at a time: they do what a tick does, and no more than the newest poll allows."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.run_turn import RequestRun
from pbem.admin.health import record_poll
from pbem.scheduler.tick import fetch_mail
from pbem.scheduler.work import TickResult
from pbem.scheduler.worker import run_job
from pbem.store.models import Turn
from pbem.store.session import JobQueue, QueuedJob
from tests.scheduler.crew import do_all, poll, waiting
from tests.toy.home import Desk

TOY = QueuedJob(JobQueue.PROCESS, "toy1")
DEADLINE = dt.timedelta(hours=107)
"""From the beginning to the end of the first turn, and some minutes more."""


@pytest.fixture
def begun(desk: Desk) -> Desk:
    """Yield a campaign whose first turn is open, with no job left."""
    desk.begin()
    poll(desk)
    do_all(desk)
    return desk


def resolved(desk: Desk) -> list[int]:
    """Return the numbers of the turns that were run."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(Turn.number).where(Turn.resolved_at.is_not(None)).order_by(Turn.number)))


def test_a_deadline_counts_when_a_poll_has_followed_it(begun: Desk) -> None:
    """A deadline counts only after a poll, since a sheet sent in time may lie in the mailbox."""
    begun.post("ORDERS toy1 red\nBID 1\nEND")
    begun.now += DEADLINE
    run_job(begun.app, TOY, begun.now)
    before = resolved(begun)
    poll(begun)
    do_all(begun)

    assert (before, resolved(begun)) == ([0], [0, 1])
    assert "made of your sheet 1" in begun.last().as_string()


def test_a_mailbox_that_cannot_be_read(begun: Desk) -> None:
    """Deadlines wait for the mailbox; a turn whose sheets are all in does not."""
    for seat, sender in (("red", "ann@example.org"), ("blue", "bob@example.org")):
        begun.post(f"ORDERS toy1 {seat}\nBID 1\nEND", sender=sender)
    poll(begun)
    do_all(begun)
    (begun.home / "post" / "inbox").rename(begun.home / "post" / "aside")
    (begun.home / "post" / "inbox").write_text("not a folder")
    begun.now += dt.timedelta(hours=1)
    problems = poll(begun).problems
    do_all(begun)
    in_time = resolved(begun)
    begun.now += 2 * DEADLINE
    poll(begun)
    do_all(begun)

    assert "turns wait for it" in problems[0]
    assert (in_time, resolved(begun)) == ([0, 1], [0, 1])


def test_a_turn_waits_for_messages_from_before_its_deadline(begun: Desk) -> None:
    """A turn waits until all messages that came with the newest poll are answered, and then follows by itself."""
    begun.now += DEADLINE
    begun.post("ORDERS toy1 red\nBID 1\nEND")
    fetch_mail(begun.app, begun.now, TickResult())  # by a poll that is killed before it has answered the message
    record_poll(begun.app, begun.now, readable=True)
    run_job(begun.app, TOY, begun.now)
    before = resolved(begun)
    poll(begun)
    do_all(begun)

    assert (before, resolved(begun)) == ([0], [0, 1])
    assert "made of your sheet 1" in begun.last().as_string()


def test_a_gm_has_a_turn_run(begun: Desk) -> None:
    """A GM's request enqueues the campaign, and the turn runs as it is."""
    run_action(begun.app, "toy1", RequestRun(), begun.now)

    assert do_all(begun)[:1] == [TOY]
    assert resolved(begun) == [0, 1]


def test_a_reminder_goes_out(begun: Desk) -> None:
    """A poll a day before the deadline has reminders sent."""
    begun.now += dt.timedelta(hours=90)
    poll(begun)
    do_all(begun)

    assert "no orders yet, due" in begun.last()["Subject"]


def test_a_home_without_the_archive_leaves_it_to_others(begun: Desk) -> None:
    """A home without the archive writes no folder, and enqueues the job for another one."""
    app = dataclasses.replace(begun.app, archives=False)
    begun.now += DEADLINE
    poll(begun)
    with begun.app.store.writing() as session:
        session.connection().exec_driver_sql("DELETE FROM procrastinate_jobs")
    run_job(app, TOY, begun.now)
    folders = [(begun.home / "turns" / "toy1" / f"{number:04}").is_dir() for number in (0, 1)]
    assert QueuedJob(JobQueue.ARCHIVE) in waiting(begun.app)
    do_all(begun)

    assert folders == [True, False]
    assert (begun.home / "turns" / "toy1" / "0001").is_dir()


def test_lost_jobs_are_enqueued_by_the_next_poll(begun: Desk) -> None:
    """Jobs have no data of their own, so the next poll enqueues lost ones again."""
    begun.post("ORDERS toy1 red\nBID 1\nEND")
    begun.now += DEADLINE
    poll(begun)
    with begun.app.store.writing() as session:
        session.connection().exec_driver_sql("DELETE FROM procrastinate_jobs")
    begun.now += dt.timedelta(minutes=1)
    poll(begun)
    do_all(begun)

    assert resolved(begun) == [0, 1]
    assert "made of your sheet 1" in begun.last().as_string()
