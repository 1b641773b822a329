"""A mail with sheets for two campaigns, killed at each commit, met by two processes, and behind a locked database."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.app import open_app
from pbem.inbox.process import process_messages
from pbem.scheduler.tick import fetch_mail, tick
from pbem.scheduler.work import TickResult
from pbem.store.models import Campaign, InboxMessage, OrderSheet, OutgoingMail, Seat
from tests.faults.local import copy_home
from tests.faults.night import GAMES, LATER, points_of, tick_in_a_process
from tests.faults.trap import lock_database
from tests.sampling import Sampler
from tests.toy.home import MONDAY, open_desk

TAKEN = 2
"""Commits that are killed in a usual run."""

SHEETS = "ORDERS toy1 red\nBID 1\nEND\n\nORDERS toy2 red\nBID 2\nEND\n"


@pytest.fixture(scope="module")
def home(folder: Path) -> Path:
    """Return a home of two campaigns with a mail that has a sheet for each of them."""
    place = folder / "several" / "home"
    with open_desk(place, games=GAMES) as desk:
        for name in ("toy1", "toy2"):
            desk.begin(name=name)
        desk.tick()
        desk.post(SHEETS)
    return place


def after(home: Path) -> list[object]:
    """Return what a home has after further ticks: sheets with their versions, notes, and answers."""
    with open_app(home, GAMES) as app:
        for times in (1, 2):
            tick(app, MONDAY + times * LATER)
        with app.store.reading() as session:
            columns = select(Campaign.name, OrderSheet.version, OrderSheet.text).join(
                Seat, Seat.campaign_id == Campaign.id
            )
            sheets = session.execute(columns.join(OrderSheet, OrderSheet.seat_id == Seat.id)).all()
            answers = select(OutgoingMail.recipient, OutgoingMail.state).where(OutgoingMail.kind == "receipt")
            mails = session.execute(answers).all()
            notes = session.execute(select(InboxMessage.state, InboxMessage.note)).all()
    return [sorted(map(tuple, rows)) for rows in (sheets, mails, notes)]


@pytest.fixture(scope="module")
def wanted(home: Path) -> list[object]:
    """Return what an undisturbed tick leaves: two sheets, and one answer."""
    found = after(copy_home(home, "copy"))
    assert [len(rows) for rows in found] == [2, 1, 1]  # type: ignore[arg-type]
    return found


def test_a_kill_at_any_commit(home: Path, wanted: list[object], sampler: Sampler) -> None:
    """Whatever commit a kill falls into, both sheets are saved once, and one answer is sent."""
    passed = tick_in_a_process(copy_home(home, "copy"), now=MONDAY).passed
    points = points_of("commit", passed)
    assert len(points) > TAKEN
    found = {}
    for at in sampler.sample(points, TAKEN):
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at, now=MONDAY).code == -9
        found[f"{at} {passed[at]}"] = after(copy)

    assert {point: end for point, end in found.items() if end != wanted} == {}


def test_a_database_that_is_locked(home: Path, wanted: list[object], sampler: Sampler) -> None:
    """A mail stays new if the database cannot be written any more, and is answered once by a later tick."""
    passed = tick_in_a_process(copy_home(home, "copy"), now=MONDAY).passed
    for at in sampler.sample([at for at, point in enumerate(passed) if point == "commit: after"], TAKEN):
        copy = copy_home(home, "copy")
        tick_in_a_process(copy, at=at, now=MONDAY, strike=lock_database)

        assert after(copy) == wanted


def test_two_readers_at_once(home: Path, wanted: list[object]) -> None:
    """Of two workers that meet the mail, one answers it, whole."""
    copy = copy_home(home, "copy")
    with open_app(copy, GAMES) as one, open_app(copy, GAMES) as other:
        fetch_mail(one, MONDAY, TickResult())
        readers = [threading.Thread(target=process_messages, args=(app, MONDAY)) for app in (one, other)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()

    assert after(copy) == wanted
