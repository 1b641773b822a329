"""Messages of all campaigns are answered by one job, in the order in which they came."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbem.app import App
from pbem.campaign.people import hash_token
from pbem.store.models import Campaign, InboxMessage, OrderSheet, Seat, Turn
from pbem.store.types import MessageState
from tests.scheduler.conftest import Copied
from tests.scheduler.crew import do_all, poll, waiting
from tests.toy.home import Desk, open_desk

ANN, BOB, CYD = "ann@example.org", "bob@example.org", "cyd@example.org"
SHEET = "ORDERS {} {}\nBID {}\nEND"


def post_in_order(desk: Desk, *letters: tuple[str, str]) -> None:
    """Post messages, each with its sender, that came in this order."""
    for sender, text in letters:
        desk.now += dt.timedelta(seconds=1)
        desk.post(text, sender=sender)


@pytest.fixture
def table(desk: Desk) -> Desk:
    """Yield two campaigns, in both of which Ann and Bob play."""
    for name in ("alpha", "beta"):
        desk.begin(name=name)
    do_all(desk)
    return desk


def test_one_job_answers_the_messages_of_all_campaigns(table: Desk) -> None:
    """However many campaigns they are for, one job answers messages, in the order in which they came."""
    sheets = [(ANN, SHEET.format(name, "red", 1)) for name in ("alpha", "beta")]
    post_in_order(table, *sheets, ("spam@example.com", "Buy now!"), *sheets)
    poll(table)

    with table.app.store.reading() as session:
        new = session.scalars(select(InboxMessage.id).where(InboxMessage.state == MessageState.NEW)).all()
        sheets_saved = session.scalars(select(OrderSheet.inbox_id).order_by(OrderSheet.id)).all()
    assert (new, sheets_saved) == ([], [1, 2, 4, 5])


PEOPLE = (ANN, BOB, CYD, "dan@example.org")
GM_TOKEN = "0123456789abcdef0123"
SEATS = {"alpha": ("red", "blue"), "beta": ("red", "green")}
"""Bob and Cyd have a seat each, and need not name it; Ann has two."""


def some_letters(rnd: random.Random) -> list[tuple[str, str]]:
    """Return messages that affect each other: sheets, seats given away and taken, press muted or not."""

    def letter() -> tuple[str, str]:
        campaign, sender = rnd.choice(tuple(SEATS)), rnd.choice(PEOPLE)
        seat, mute = rnd.choice(SEATS[campaign]), rnd.choice(("MUTE", "UNMUTE"))
        gm = f"GM {campaign} {GM_TOKEN}\n{{}}\nEND"
        kinds = (
            *[(sender, SHEET.format(campaign, seat, rnd.randrange(9)))] * 2,
            *[(rnd.choice((BOB, CYD)), f"{mute} red")] * 3,
            *[(sender, f"PLAYER {campaign} {seat}\n{mute} red\nEND")] * 2,
            ("gm@example.org", gm.format(f"SEAT {seat} TO {rnd.choice(PEOPLE)}")),
            ("gm@example.org", gm.format(f"OPEN {seat}")),
            ("gm@example.org", gm.format(f"SHEET {seat}\nBID {rnd.randrange(9)}")),
            ("spam@example.com", f"Look at {campaign}"),
        )
        return rnd.choice(kinds)

    return [letter() for _ in range(20)]


def kept(app: App) -> tuple[object, ...]:
    """Return what is stored of a home's campaigns, without what is drawn at random."""
    with app.store.reading() as session:
        seats = session.execute(select(Seat.id, Seat.status, Seat.muted))
        players = [seat.address for seat in session.scalars(select(Seat).order_by(Seat.id))]
        sheets = select(
            OrderSheet.seat_id,
            OrderSheet.version,
            OrderSheet.text,
            OrderSheet.accepted,
            OrderSheet.author,
            OrderSheet.inbox_id,
        )
        turns = select(Turn.campaign_id, Turn.number, Turn.deadline).order_by(Turn.id)
        return (
            sorted(map(repr, seats)),
            players,
            sorted(map(tuple, session.execute(sheets))),
            [tuple(row) for row in session.execute(turns)],
            sorted(map(tuple, session.execute(select(InboxMessage.id, InboxMessage.state)))),
        )


def test_jobs_in_any_order_have_the_results_of_a_tick(queues_url: str, copied: Copied, tmp_path: Path) -> None:
    """Seats, sheets and deadlines are those of a tick, in whatever order the jobs are done."""
    with open_desk(tmp_path / "home", database=queues_url) as desk:
        for name, seats in SEATS.items():
            desk.begin(name=name, seats=seats)
        with desk.app.store.writing() as session:
            session.execute(update(Campaign).values(gm_token_hash=hash_token(GM_TOKEN)))
        do_all(desk)
        letters = some_letters(random.Random(9))
        post_in_order(desk, *letters)
        desk.app.store.close()
        with copied(queues_url) as url, open_desk(tmp_path / "other", database=url) as other:
            other.now = desk.now - dt.timedelta(seconds=len(letters))
            post_in_order(other, *letters)
            other.tick()
            expected = kept(other.app)
        poll(desk)
        do_all(desk, rnd=random.Random(9))

        assert kept(desk.app) == expected
        assert waiting(desk.app) == []
