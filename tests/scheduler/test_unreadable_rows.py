"""A row that cannot be read stops the jobs of its own campaign alone."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import select, text

from pbem.store.models import Turn
from tests.scheduler.crew import at_work, do_all, end, now_is_real, poll, wait_until
from tests.toy.home import Desk

STATEMENTS = (
    "UPDATE campaign SET policy = '[]' WHERE id = 1",
    "UPDATE campaign SET status = 'odd' WHERE id = 1",
    "UPDATE campaign SET schedule = 'soon' WHERE id = 1",
    "UPDATE turn SET awaited = '[', deadline = 'infinity' WHERE campaign_id = 1",
    "UPDATE turn SET state = 'x' WHERE campaign_id = 1",
    "UPDATE seat SET muted = '7' WHERE campaign_id = 1",
    "UPDATE fact SET data = '[]'",
)


def begin(desk: Desk) -> None:
    """Two campaigns, with sheets of both in the mailbox."""
    for name in ("toy1", "toy2"):
        desk.begin(name=name, deadline="EVERY 1h")
    for name in ("toy1", "toy2"):
        desk.post(f"ORDERS {name} red\nBID 1\nEND")


def spoil(desk: Desk, statement: str) -> None:
    """Change rows behind the program's back."""
    with desk.app.store.writing() as session:
        session.execute(text(statement))


def turns_of_toy2(desk: Desk) -> list[int]:
    """Return the turns of toy2 that were run, except its set-up."""
    done = select(Turn.number).where(Turn.campaign_id == 2, Turn.number > 0, Turn.resolved_at.is_not(None))
    with desk.app.store.reading() as session:
        return list(session.scalars(done.order_by(Turn.number)))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_jobs_of_the_other_campaign_are_done(desk: Desk, statement: str) -> None:
    """The other campaign's messages are answered and its turns are run, until no job is left."""
    begin(desk)
    spoil(desk, statement)
    for _ in range(2):
        desk.now += dt.timedelta(hours=2)
        poll(desk)
        do_all(desk)

    mails = desk.mails("ann@example.org")
    assert turns_of_toy2(desk) == [1, 2]
    assert any("toy2" in mail["Subject"] and "made of your sheet 1" in mail.as_string() for mail in mails)


def test_a_worker_goes_on_and_tells(desk: Desk) -> None:
    """A worker names the campaign whose row cannot be read, and goes on."""
    begin(desk)
    now_is_real(desk)
    spoil(desk, STATEMENTS[0])
    with at_work(desk.home) as worker:
        wait_until(lambda: turns_of_toy2(desk) == [1], worker)
        said = end(worker)

    assert "campaign toy1 could not be looked after" in said
    assert "Traceback" not in said
