"""The last word on a further address, killed at each commit and read by two processes at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.app import open_app
from pbem.inbox.process import process_messages
from pbem.scheduler.tick import fetch_mail, tick
from pbem.scheduler.work import TickResult
from pbem.store.models import InboxMessage, OutgoingMail, Person
from tests.faults.local import copy_home
from tests.faults.night import GAMES, LATER, points_of, tick_in_a_process
from tests.inbox.people import ANN, ask, code, confirm
from tests.sampling import Sampler
from tests.toy.home import MONDAY, open_desk

WORK = "ann@work.example"
TAKEN = 2
"""Commits that are killed in a usual run."""

Found = tuple[list[tuple[str, str]], list[str], list[str]]


@pytest.fixture(scope="module")
def home(folder: Path) -> Path:
    """Return a home with the mail by which Ann's other address confirms that it is hers."""
    place = folder / "address" / "home"
    with open_desk(place, games=GAMES) as desk:
        desk.start()
        ask(desk, f"ALSO {WORK}")
        confirm(desk, ANN)
        desk.post(f"CONFIRM {code(desk.last(WORK))}", sender=WORK)
    return place


def after(home: Path) -> Found:
    """Return what a home has after further ticks: addresses, states of messages, and the mails on it."""
    with open_app(home, GAMES) as app:
        for times in (1, 2):
            tick(app, MONDAY + times * LATER)
        with app.store.reading() as session:
            people = session.execute(select(Person.key, Person.also).where(Person.key.startswith("ann"))).all()
            states = session.scalars(select(InboxMessage.state)).all()
            mails = session.scalars(select(OutgoingMail.recipient).where(OutgoingMail.recipient.contains("work"))).all()
            return sorted((key, also) for key, also in people), sorted(map(str, states)), sorted(mails)


@pytest.fixture(scope="module")
def wanted(home: Path) -> Found:
    """Return what an undisturbed tick leaves: the address is Ann's."""
    found = after(copy_home(home, "copy"))
    assert found[0] == [(ANN, ""), (WORK, ANN)]
    return found


def test_a_kill_at_any_commit(home: Path, wanted: Found, sampler: Sampler) -> None:
    """Whatever commit a kill falls into, the address is one person's, and each mail is sent once."""
    passed = tick_in_a_process(copy_home(home, "copy"), now=MONDAY).passed
    points = points_of("commit", passed)
    assert len(points) > TAKEN
    found = {}
    for at in sampler.sample(points, TAKEN):
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at, now=MONDAY).code == -9
        found[f"{at} {passed[at]}"] = after(copy)

    assert {point: end for point, end in found.items() if end != wanted} == {}


def test_two_readers_at_once(home: Path, wanted: Found) -> None:
    """Of two workers that meet the mail, one does what it says."""
    copy = copy_home(home, "copy")
    with open_app(copy, GAMES) as one, open_app(copy, GAMES) as other:
        fetch_mail(one, MONDAY, TickResult())
        readers = [threading.Thread(target=process_messages, args=(app, MONDAY)) for app in (one, other)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()

    assert after(copy) == wanted
