"""A turn that opens with orders that were kept for it, killed at each commit, and run by two processes at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.app import open_app
from pbem.scheduler.tick import tick
from pbem.store.models import LaterSheet, OrderSheet, OutgoingMail
from pbem.store.types import OutgoingState
from tests.faults.local import copy_home
from tests.faults.night import GAMES, LATER, NIGHT, POISON, begin, letter, points_of, tick_in_a_process, ticks_at_once
from tests.sampling import Sampler
from tests.toy.home import MONDAY, make_home

TAKEN = 3
"""Commits that are killed in a usual run."""

Found = tuple[list[tuple[object, ...]], list[OutgoingState], list[int | None]]


def make(folder: Path, text: str) -> Path:
    """Return a home in which Ann's mail waits, and the deadline of turn 1 has passed."""
    home = make_home(folder)
    with open_app(home, GAMES) as app:
        begin(app, "due", MONDAY)
        tick(app, MONDAY)
    (home / "post" / "inbox" / "new").mkdir(parents=True, exist_ok=True)
    (home / "post" / "inbox" / "new" / "1").write_bytes(letter(1, "ann", text))
    return home


@pytest.fixture(scope="module")
def home(folder: Path) -> Path:
    """Return a home with a mail that has orders for the turn that opens with the next tick."""
    return make(folder / "kept" / "home", "ORDERS due red\nBID 1\nTURN 2\nBID 2\nWHISPER pink deal\nEND\n")


def after(home: Path) -> Found:
    """Return what a home has after further ticks: sheets, mails on kept orders, and the turns of which they are."""
    with open_app(home, GAMES) as app:
        for times in (1, 2):
            tick(app, NIGHT + times * LATER)
        with app.store.reading() as session:
            sheets = session.execute(select(OrderSheet.text, OrderSheet.accepted).order_by(OrderSheet.id)).all()
            mails = select(OutgoingMail.state).where(OutgoingMail.kind == "receipt").order_by(OutgoingMail.id)
            found = [tuple(row) for row in sheets], list(session.scalars(mails))
            return *found, list(session.scalars(select(LaterSheet.used)))


@pytest.fixture(scope="module")
def wanted(home: Path) -> Found:
    """Return what an undisturbed tick leaves: a sheet for each turn, with its receipt."""
    found = after(copy_home(home, "copy"))
    assert [len(rows) for rows in found] == [2, 2, 1]
    assert found[2] == [2]
    return found


def test_a_kill_at_any_commit(home: Path, wanted: Found, sampler: Sampler) -> None:
    """Whatever commit a kill falls into, the orders are kept once, used once, and mailed back once."""
    passed = tick_in_a_process(copy_home(home, "copy")).passed
    points = points_of("commit", passed)
    found = {}
    for at in sampler.sample(points, TAKEN):
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at).code == -9
        found[f"{at} {passed[at]}"] = after(copy)

    assert {point: end for point, end in found.items() if end != wanted} == {}


def test_two_ticks_at_once(home: Path, wanted: Found) -> None:
    """Two processes at the same moment use what was kept once."""
    copy = copy_home(home, "copy")
    ticks_at_once(copy, 2)

    assert after(copy) == wanted


def test_a_game_that_raises_stops_no_turn(folder: Path) -> None:
    """Kept orders at which the game raises are mailed back, and the turn opens without them."""
    copy = make(folder / "poison" / "home", "ORDERS due red\nTURN 2\nBID 2\nEND\n")
    with open_app(copy, GAMES) as app:
        tick(app, MONDAY + LATER)
        with app.store.writing() as session:
            session.scalars(select(LaterSheet)).one().text = POISON
    sheets, _, used = after(copy)
    with open_app(copy, GAMES) as app, app.store.reading() as session:
        told = [mail for mail in session.scalars(select(OutgoingMail)) if b"not given: what you kept" in mail.raw]

    assert (sheets, used, len(told)) == ([], [2], 1)
