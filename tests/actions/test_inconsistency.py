"""Inconsistent turns, such as a run that did not compare what it was computed from would leave, are named."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import delete, update

from pbem.actions.base import run_action
from pbem.actions.rerun import RerunTurn
from pbem.actions.rollback import RollBack
from pbem.actions.undo import UndoChange
from pbem.actions.withdrawal import find_inconsistency
from pbem.errors import CampaignError
from pbem.store.models import Campaign, Report, Turn
from tests.actions.history import (
    begin,
    live_turns,
    meanwhile,
    play,
    send,
    snapshot,
)
from tests.toy.home import Desk, prepared

ALL = {"red": "BID 2", "blue": "BID 1", "green": "BID 0"}


@pytest.fixture
@prepared
def played(desk: Desk) -> Desk:
    """Return a campaign with three turns run; turn 4 is open, with one sheet."""
    begin(desk, rounds="9", rules={"hold": "off"})
    for _ in range(3):
        play(desk, ALL)
    send(desk, {"red": "BID 1"})
    desk.tick()
    return desk


def roll_to(desk: Desk, number: int) -> Callable[[], object]:
    """Return a rollback to this turn, to be called."""
    return lambda: run_action(desk.app, "toy1", RollBack(number), desk.now)


def wrong(desk: Desk) -> str:
    """Return the inconsistency that the doctor finds, "" for none."""
    with desk.app.store.reading() as session:
        return find_inconsistency(session, snapshot(desk)) or ""


def numbers(desk: Desk) -> list[int]:
    """Return the numbers of the turns in the history."""
    return [turn.number for turn in live_turns(desk)]


def test_turns_that_hang_together(played: Desk) -> None:
    """Turns that were run, run again or rolled back are consistent."""
    run_action(played.app, "toy1", RerunTurn(), played.now)
    run_action(played.app, "toy1", RollBack(2), played.now)

    assert wrong(played) == ""


def test_a_broken_home_is_told_in_a_sentence(played: Desk) -> None:
    """A tick cannot run the turn, and says what to do."""
    meanwhile(played, roll_to(played, 2))

    said = "the turn history of toy1 is inconsistent: turn 4 was not run. Restore a backup: pbem restore FILE DIR"
    assert said in played.tick(hours=24 * 7).problems[0]


def test_a_rollback_of_a_broken_home_is_not_taken_back(played: Desk) -> None:
    """A rollback that removed an inconsistency cannot be undone."""
    meanwhile(played, roll_to(played, 2))
    run_action(played.app, "toy1", RollBack(2), played.now)

    assert wrong(played) == ""
    with pytest.raises(CampaignError, match="cannot be undone, since turn 2 was not run, but turn 5 follows it"):
        run_action(played.app, "toy1", UndoChange(), played.now)
    assert numbers(played) == [0, 1, 2]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"state": b"{}"}, "turn 3 has another state than turn 2 led to"),
        ({"state_hash": "0"}, "turn 3 has another state than turn 2 led to"),
        ({"record": b"{}"}, "turn 3 was run, but not after what turn 2 is now"),
        ({"resolved_at": None}, "turn 3 was not run, but turn 4 follows it"),
    ],
)
def test_each_turn_hangs_on_the_one_before(played: Desk, values: dict[str, object], text: str) -> None:
    """Each turn must fit the one before by state and record, and that must have been run."""
    with played.app.store.writing() as session:
        session.execute(update(Turn).where(Turn.number == 3).values(values))

    assert wrong(played) == text


def test_a_report_that_is_gone(played: Desk) -> None:
    """A missing report is an inconsistency: without it no sheet of its seat could be read."""
    with played.app.store.writing() as session:
        session.execute(delete(Report).where(Report.turn_id == live_turns(played)[-1].id, Report.seat_id == 2))

    assert wrong(played) == "turn 4 lacks the report of blue"


def test_a_campaign_that_stands_elsewhere(played: Desk) -> None:
    """A campaign whose open turn is not its last is inconsistent."""
    with played.app.store.writing() as session:
        session.execute(update(Campaign).values(turn=7))
    assert wrong(played) == "it stands at turn 7, but its last turn is 4"
