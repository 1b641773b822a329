"""Answers to invitations and offers that are killed at each commit: each is acted on once, and nobody is told twice."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.seats import Invite
from pbem.app import open_app
from pbem.campaign.people import hash_token
from pbem.scheduler.tick import tick
from pbem.store.models import Campaign, InboxMessage, JournalEntry, OutgoingMail, Seat
from tests.faults.local import copy_home
from tests.faults.night import GAMES, points_of, tick_in_a_process
from tests.sampling import Sampler
from tests.toy.home import MONDAY, open_desk

ANSWERS = {
    "bob@example.org": "Yes, gladly!\n\nBea",
    "cyd@example.org": "No thanks, no time",
    "eve@example.org": "Who else plays?",
    "zed@example.org": "Yes, but only if Bob plays",
}
TOKEN = "0123456789abcdef0123"
NIGHT = MONDAY + dt.timedelta(hours=1)
TAKEN = 2
"""Commits that are killed in a usual run."""


@pytest.fixture(scope="module")
def home(folder: Path) -> Path:
    """Return a home with an answer of each kind to an invitation, a JOIN in plain words, and a GM's YES to an offer."""
    place = folder / "answers" / "home"
    with open_desk(place, games=GAMES) as desk:
        wanted = NewCampaign(
            name="toy1",
            game="toy",
            gm="gm@example.org",
            seats=[("red", "ann@example.org")],
            deadline="FRI 20:00 UTC",
            options={},
            policy={"signup": "on"},
            open=2,
        )
        create_campaign(desk.app, wanted, MONDAY, seed=b"a seed for tests")
        for address in ANSWERS:
            run_action(desk.app, "toy1", Invite(address), MONDAY)
        with desk.app.store.writing() as session:
            session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))
        desk.post(f"GM toy1 {TOKEN}\nSET grace=12h\nOPEN red\nEND", sender="gm@example.org")
        desk.tick()
        # Twice, as a mail program may send it: it is done once.
        desk.reply(desk.last("gm@example.org"), "YES")
        desk.reply(desk.last("gm@example.org"), "Yes")
        for address, text in ANSWERS.items():
            desk.reply(desk.last(address), text)
        desk.post("Hello, I would like to join toy1 please", sender="new@example.org")
    return place


def after(home: Path) -> list[object]:
    """Return what a home has after further ticks: seats, notes, the journal, and mails without their codes."""
    with open_app(home, GAMES) as app:
        for hours in (1, 2):
            tick(app, NIGHT + dt.timedelta(hours=hours))
        with app.store.reading() as session:
            mails = session.execute(select(OutgoingMail.recipient, OutgoingMail.kind, OutgoingMail.state)).all()
            notes = session.execute(select(InboxMessage.state, InboxMessage.note)).all()
            acts = session.scalars(select(JournalEntry.text)).all()
            seats = session.execute(select(Seat.name, Seat.person_id)).all()
    return [sorted(map(tuple, mails)), sorted(map(tuple, notes)), sorted(acts), sorted(map(str, seats))]


def test_a_kill_at_any_commit_of_answers(home: Path, sampler: Sampler) -> None:
    """Whatever commit a kill falls into, the next tick completes what is left, once."""
    whole = copy_home(home, "copy")
    passed = tick_in_a_process(whole, now=NIGHT).passed
    points = points_of("commit", passed)
    assert len(points) > len(ANSWERS)
    wanted, found = after(whole), {}
    for at in sampler.sample(points, TAKEN):
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at, now=NIGHT).code == -9
        found[f"{at} {passed[at]}"] = after(copy)

    assert {point: end for point, end in found.items() if end != wanted} == {}
