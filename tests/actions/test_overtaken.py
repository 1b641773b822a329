"""An action meant for one turn is not done to another, nor to a turn for which it is no longer wanted."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import Any

import pytest

from pbem.actions.base import run_action
from pbem.actions.deadlines import extend, hold
from pbem.actions.rerun import RerunTurn, read_edit
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.actions.run_turn import RequestRun, is_requested, run_turn
from pbem.campaign.deadlines import DueTurn, due_turns, open_turns
from pbem.campaign.snapshot import Context, locked_campaign
from pbem.errors import CampaignError
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.scheduler.review import run_condition
from pbem.scheduler.tick import run_campaign_now
from pbem.store.types import HoldKind
from tests.actions.history import begin, live_turns, play, send, snapshot
from tests.actions.meeting import KEEPING, Points
from tests.toy.home import Desk, prepared
from tests.toy.ruleset import Auction

ALL = {"red": "BID 2", "blue": "BID 1", "green": "BID 0"}
WEEK = dt.timedelta(days=7)


@pytest.fixture
@prepared
def played(desk: Desk) -> Desk:
    """Return a campaign with two turns run; turn 3 is open, and all sheets are in."""
    begin(desk, rounds="9")
    for _ in range(2):
        play(desk, ALL)
    send(desk, ALL)
    desk.tick()
    desk.now += dt.timedelta(hours=1)
    return desk


def runs(desk: Desk, turn: DueTurn) -> bool:
    """Return True if a turn that was found due is run."""
    still = run_condition(turn)
    return run_turn(desk.app, "toy1", desk.now, reason=turn.reason, number=turn.turn, still=still) is not None


def test_a_turn_that_is_due_still(played: Desk) -> None:
    """A turn is run if nothing was done since it was found due."""
    (found,) = due_turns(open_turns(played.app), played.now)

    assert (found.reason, runs(played, found)) == ("all_in", True)


def test_a_turn_for_which_somebody_says_wait(played: Desk) -> None:
    """A turn that was found due with all sheets in is not run after a WAIT."""
    (found,) = due_turns(open_turns(played.app), played.now)
    send(played, {"red": "BID 3\nWAIT"})
    played.tick()

    assert not runs(played, found)


@pytest.mark.parametrize(("sheet", "run"), [("BID 3\nBIT 4", False), ("BIT 4", False), ("BID 3\nBIT 4\nFINAL", True)])
def test_a_turn_for_which_a_line_is_refused(played: Desk, sheet: str, *, run: bool) -> None:
    """A turn that was found due with all sheets in is not run after a sheet with a refused line, unless it is FINAL."""
    (found,) = due_turns(open_turns(played.app), played.now)
    send(played, {"red": sheet})
    played.tick()
    played.now += dt.timedelta(minutes=30)

    assert [turn.turn for turn in open_turns(played.app)] == [found.turn]
    assert runs(played, found) is run


def test_a_correction_while_a_turn_is_found_due(played: Desk) -> None:
    """A corrected sheet that comes after its deadline's run was decided is the one that is used, once."""
    send(played, {"red": "BIT 4"})
    played.tick()
    played.now += WEEK
    (found,) = due_turns(open_turns(played.app), played.now)
    send(played, {"red": "BID 4"})
    fetch_messages(played.app.store, open_mailbox(played.app.settings), played.now)
    process_messages(played.app, played.now)

    assert (found.reason, runs(played, found), runs(played, found)) == ("deadline", True, False)


def arriving(desk: Desk, sheet: str) -> Auction:
    """Return an auction in which a sheet of red arrives, and is answered, while a turn is first resolved."""

    class Interrupted(Auction):
        def resolve(self, *given: Any) -> Any:
            if not arrived:
                arrived.append(True)
                send(desk, {"red": sheet})
                fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
                process_messages(desk.app, desk.now)
            return super().resolve(*given)

    arrived: list[bool] = []
    return Interrupted()


def test_a_refused_line_that_arrives_while_its_turn_is_computed(played: Desk) -> None:
    """A run computed with all sheets in is not kept; the turn waits for the correction."""
    (found,) = due_turns(open_turns(played.app), played.now)
    during = replace(played, app=replace(played.app, games={"toy": arriving(played, "BID 3\nBIT 4")}))

    assert not runs(during, found)
    assert [turn.is_held_by("red") for turn in open_turns(played.app)] == [True]


def test_a_correction_that_arrives_while_its_turn_is_computed(played: Desk) -> None:
    """At the deadline the turn is computed again with the corrected sheet, and run once."""
    send(played, {"red": "BID 2\nBIT 4"})
    played.tick()
    played.now += WEEK
    (found,) = due_turns(open_turns(played.app), played.now)
    during = replace(played, app=replace(played.app, games={"toy": arriving(played, "BID 4")}))

    assert (found.reason, runs(during, found), runs(during, found)) == ("deadline", True, False)
    assert json.loads(live_turns(played)[-2].record or b"{}")["orders"]["red"] == [{"order": "bid", "coins": 4}]


def test_a_turn_whose_deadline_is_moved(played: Desk) -> None:
    """A turn that was found due by its deadline is not run after an extension."""
    played.now += WEEK
    run_action(played.app, "toy1", RollBack(2), played.now - WEEK)
    (found,) = due_turns(open_turns(played.app), played.now)
    with played.app.store.writing() as session:
        extend(Context(session, played.app, locked_campaign(session, "toy1"), played.now), WEEK)

    assert (found.reason, runs(played, found)) == ("deadline", False)


def test_a_turn_that_is_held(played: Desk) -> None:
    """A pause holds a turn that was found due before."""
    (found,) = due_turns(open_turns(played.app), played.now)
    with played.app.store.writing() as session:
        hold(Context(session, played.app, locked_campaign(session, "toy1"), played.now), HoldKind.GM)

    assert not runs(played, found)


def test_a_turn_that_is_to_be_reviewed(played: Desk) -> None:
    """A house rule that was set meanwhile holds the turn, as it would at the next tick."""
    (found,) = due_turns(open_turns(played.app), played.now)
    played.set_rules(hold="always")

    assert not runs(played, found)


def test_a_run_that_a_rollback_overtakes(played: Desk) -> None:
    """The turn that the GM wanted to run is gone: the GM is told so, and the open one is not run instead."""
    points = Points(KEEPING, lambda: run_action(played.app, "toy1", RollBack(2), played.now))
    with points.watched():
        done = run_campaign_now(played.app, "toy1", played.now)

    said = "campaign toy1: turn 3 was not run, since the campaign has changed at this very moment; "
    assert (done.resolved, done.problems) == ([], [f"{said}look at it, and try again"])
    assert (snapshot(played).turn, len(live_turns(played))) == (2, 3)


def test_a_run_that_was_asked_for_by_mail(played: Desk) -> None:
    """A run is requested for the turn as it was, not for one to which a rerun of the turn before has led."""
    run_action(played.app, "toy1", RequestRun(), played.now)
    with played.app.store.reading() as session:
        before = is_requested(Context(session, played.app, snapshot(played), played.now))
    run_action(played.app, "toy1", RerunTurn(), played.now)

    with played.app.store.reading() as session:
        assert (before, is_requested(Context(session, played.app, snapshot(played), played.now))) == (True, False)


def test_a_second_run_that_a_run_overtakes(played: Desk) -> None:
    """A GM's sheet for turn 2 is not used for turn 3, which is the last one run by now."""
    points = Points(KEEPING, lambda: run_campaign_now(played.app, "toy1", played.now))
    with points.watched(), pytest.raises(CampaignError, match="toy1 has changed at this very moment, and is at turn 4"):
        run_action(played.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 3")]})), played.now)

    assert [turn.withdrawal_id for turn in live_turns(played)] == [None] * 5


def test_an_edit_of_a_state_that_is_no_more(played: Desk) -> None:
    """A change made for the state of turn 3 is not applied to that of turn 4."""
    with played.app.store.reading() as session:
        context = Context(session, played.app, snapshot(played), played.now)
        edit = read_edit(context, [{"op": "replace", "path": "/purses/1", "value": 40}])
    run_campaign_now(played.app, "toy1", played.now)

    said = (
        r"the state of toy1 has changed since you edited it; to see it as it is now: pbem state toy1 \(by mail: STATE\)"
    )
    with pytest.raises(CampaignError, match=said):
        run_action(played.app, "toy1", RerunTurn(edit.changes), played.now)
