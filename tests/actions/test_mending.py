"""Repair of inconsistent turns, as runs broke them that did not compare what they were computed from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest
from sqlalchemy import delete, update

from pbem.actions.base import run_action, run_query
from pbem.actions.rerun import RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RepairHistory, RollBack, UndoRollback
from pbem.actions.withdrawal import find_inconsistency
from pbem.archive.verify import verify
from pbem.errors import CampaignError
from pbem.store.models import Campaign, Report, Seat, Turn
from tests.actions.history import (
    ANN,
    begin,
    journal,
    live_turns,
    meanwhile,
    play,
    proof,
    rows,
    send,
    snapshot,
    subjects,
)
from tests.toy.home import GAMES, Desk, prepared

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
        found = find_inconsistency(session, snapshot(desk))
    return found.text if found else ""


def numbers(desk: Desk) -> list[int]:
    """Return the numbers of the turns in the history."""
    return [turn.number for turn in live_turns(desk)]


def test_turns_that_hang_together(played: Desk) -> None:
    """Turns that were run, run again, patched or rolled back are consistent, and there is nothing to repair."""
    run_action(played.app, "toy1", RerunTurn(), played.now)
    run_action(played.app, "toy1", RollBack(2), played.now)

    assert wrong(played) == ""
    with pytest.raises(CampaignError, match="the turn history of toy1 is consistent: there is nothing to repair"):
        run_query(played.app, "toy1", RepairHistory(), played.now)


@pytest.mark.parametrize(
    ("to", "live", "text"),
    [
        (3, [0, 1, 2, 3, 5], "turn 3 was not run, but turn 5 follows it"),
        (2, [0, 1, 2, 5], "turn 2 was not run, but turn 5 follows it"),
        (1, [0, 1, 5], "turn 1 was not run, but turn 5 follows it"),
    ],
)
def test_a_run_across_a_rollback_is_mended(played: Desk, to: int, live: list[int], text: str) -> None:
    """After the repair the rolled back turn is open, all before it is consistent, and the campaign goes on."""
    meanwhile(played, roll_to(played, to))
    assert (numbers(played), wrong(played)) == (live, text)

    mended = run_action(played.app, "toy1", RepairHistory(), played.now)
    assert (mended.strays, numbers(played), wrong(played)) == ((5,), list(range(to + 1)), "")
    assert played.tick(hours=24 * 7).problems == []
    assert proof(played).turns == to
    assert verify(played.app.settings.archive, "toy1", games=GAMES).turns == to


def test_a_broken_home_is_told_in_a_sentence(played: Desk) -> None:
    """A tick cannot run the turn, and says what to do."""
    meanwhile(played, roll_to(played, 2))

    said = (
        "the turn history of toy1 is inconsistent: turn 4 was not run. "
        "Repair: pbem rollback toy1 --repair (by mail: ROLLBACK REPAIR)"
    )
    assert said in played.tick(hours=24 * 7).problems[0]


def test_a_run_across_a_second_run_is_mended(played: Desk) -> None:
    """The turn that was run from a withdrawn one is withdrawn too; the rerun's turn is open again."""
    changes = RerunChanges(sheets={"red": [(1, "BID 3")]})
    meanwhile(played, lambda: run_action(played.app, "toy1", RerunTurn(changes), played.now))
    assert wrong(played) == "turn 4 was not run, but turn 5 follows it"

    run_action(played.app, "toy1", RepairHistory(), played.now)
    played.tick(hours=24 * 7)
    assert (numbers(played), wrong(played)) == ([0, 1, 2, 3, 4, 5], "")
    assert proof(played).turns == 4


def test_what_a_mending_would_do_is_told_first(played: Desk) -> None:
    """A dry run of the repair changes nothing."""
    meanwhile(played, roll_to(played, 2))
    mended = run_query(played.app, "toy1", RepairHistory(), played.now)

    assert (mended.wrong, mended.strays, mended.rolled.turn) == ("turn 2 was not run, but turn 5 follows it", (5,), 2)
    assert numbers(played) == [0, 1, 2, 5]


def test_nothing_mended_is_lost(played: Desk) -> None:
    """The stray turn is kept with its reports and the withdrawn turns that it came from, and so is their folder."""
    meanwhile(played, roll_to(played, 2))
    run_action(played.app, "toy1", RepairHistory(), played.now)

    shelves = {turn.number: turn.shelf_id for turn in rows(played, Turn) if turn.shelf_id is not None}
    (stray,) = [turn.id for turn in rows(played, Turn) if turn.number == 5]
    assert sorted(shelves) == [2, 3, 4, 5]
    assert shelves[4] == shelves[5]
    assert len([report for report in rows(played, Report) if report.turn_id == stray]) == 3
    withdrawn = (played.home / "turns" / "toy1" / "withdrawn").iterdir()
    assert sorted(path.name[:4] for path in withdrawn) == ["0002", "0003", "0004"]


def test_a_rollback_can_be_taken_back_after_a_mending(played: Desk) -> None:
    """After the undo the stray run counts again."""
    meanwhile(played, roll_to(played, 2))
    run_action(played.app, "toy1", RepairHistory(), played.now)
    run_action(played.app, "toy1", UndoRollback(), played.now)
    played.tick()

    assert (numbers(played), wrong(played)) == ([0, 1, 2, 3, 4, 5], "")
    assert proof(played).turns == 4


def test_a_rollback_of_a_broken_home_is_not_taken_back(played: Desk) -> None:
    """A rollback that removed an inconsistency cannot be undone."""
    meanwhile(played, roll_to(played, 2))
    run_action(played.app, "toy1", RollBack(2), played.now)

    assert wrong(played) == ""
    with pytest.raises(CampaignError, match="cannot be undone, since turn 2 was not run, but turn 5 follows it"):
        run_action(played.app, "toy1", UndoRollback(), played.now)
    assert numbers(played) == [0, 1, 2]


def test_players_hear_of_a_mending(played: Desk) -> None:
    """Players get the notice of a rollback, the journal has the reason, and the stray turn's reports are not sent."""
    meanwhile(played, roll_to(played, 2))
    run_action(played.app, "toy1", RepairHistory(), played.now)
    played.tick()

    assert "round 2 is open again" in subjects(played, ANN)[-1]
    assert not any("round 5" in subject for subject in subjects(played, ANN))
    assert journal(played)[-1] == (
        "its turn history was inconsistent (turn 2 was not run, but turn 5 follows it); repaired, and turn 2 is open"
    )


def test_a_mended_turn_has_time_and_is_reminded_of(played: Desk) -> None:
    """A deadline that has passed meanwhile is set again, and reminders go out before the new one."""
    meanwhile(played, roll_to(played, 2))
    with played.app.store.writing() as session:
        session.execute(update(Turn).where(Turn.number == 2, Turn.shelf_id.is_(None)).values(reminded_at=played.now))
    played.now += dt.timedelta(days=30)
    run_action(played.app, "toy1", RepairHistory(), played.now)

    mended = live_turns(played)[-1]
    assert mended.deadline is not None
    assert mended.deadline > played.now
    assert mended.reminded_at is None


def test_sheets_missed_in_a_stray_run_were_not_missed(played: Desk) -> None:
    """Misses of a stray run are not counted after the repair."""
    meanwhile(played, roll_to(played, 2))
    before = [seat.nmr_total for seat in rows(played, Seat)]
    run_action(played.app, "toy1", RepairHistory(), played.now)

    assert (before, [seat.nmr_total for seat in rows(played, Seat)]) == ([0, 1, 1], [0, 0, 0])


def test_a_turn_that_led_nowhere_is_open_again(played: Desk) -> None:
    """If a turn is missing, the one before it is opened again, with its reports and sheets."""
    with played.app.store.writing() as session:
        gone = live_turns(played)[3].id
        session.execute(update(Turn).where(Turn.id == gone).values(number=99))
    assert wrong(played) == "turn 3 is missing, but there is a turn 4"

    run_action(played.app, "toy1", RepairHistory(), played.now)
    played.tick()
    send(played, ALL)
    played.tick()
    assert [turn.turn for turn in played.tick(hours=1).resolved] == [2]
    assert (wrong(played), proof(played).turns) == ("", 2)


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
    """A campaign whose open turn is not its last is repaired to its last turn."""
    with played.app.store.writing() as session:
        session.execute(update(Campaign).values(turn=7))
    assert wrong(played) == "it stands at turn 7, but its last turn is 4"

    run_action(played.app, "toy1", RepairHistory(), played.now)
    assert (wrong(played), snapshot(played).turn) == ("", 4)


def test_a_campaign_without_its_set_up(played: Desk) -> None:
    """Without a set-up nothing can be repaired."""
    with played.app.store.writing() as session:
        session.execute(update(Turn).where(Turn.number == 0).values(number=99))

    with pytest.raises(CampaignError, match="toy1 cannot be repaired, since its set-up is missing: restore a backup"):
        run_query(played.app, "toy1", RepairHistory(), played.now)
