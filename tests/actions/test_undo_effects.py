"""Undoing a change asks as the direct command would, and leaves the players the least time for their orders."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from pbem.actions.base import Change as Deed
from pbem.actions.base import attempt, run_action, run_query
from pbem.actions.deadlines import ExtendDeadline, HoldCampaign
from pbem.actions.rollback import RollBack
from pbem.actions.seats import GiveSeat, RemoveSeat
from pbem.actions.settings import SetHouseRule, ShowJournal
from pbem.actions.undo import UndoChange
from pbem.campaign.deadlines import OpenTurnStatus, open_turns
from pbem.campaign.people import hash_token
from pbem.cli import main
from pbem.errors import CampaignError
from pbem.store.models import Campaign
from tests.actions.acts import TOKEN
from tests.actions.history import begin, play, send, subjects
from tests.toy.home import ADDRESSES, GAMES, Desk, prepared, text_of

LEAST = dt.timedelta(hours=12)
"""The least time by the house rules."""

GM = "gm@example.org"

LONG: dict[str, Deed[Any]] = {"extension": ExtendDeadline("10d"), "hold": HoldCampaign("on a train")}
"""Changes that let the deadline of a turn pass."""


@pytest.fixture
@prepared
def running(desk: Desk) -> Desk:
    """Return a campaign with turn 2 open, whose mails are all sent; it holds no turn for missing sheets."""
    begin(desk, rounds="9", rules={"hold": "off"})
    play(desk, {"red": "BID 2", "blue": "BID 1", "green": "BID 0"})
    desk.tick()
    return desk


def act(desk: Desk, deed: Deed[Any]) -> Any:
    """Do an action as on the command line, without being asked."""
    return run_action(desk.app, "toy1", deed, desk.now)


def turn(desk: Desk) -> OpenTurnStatus:
    """Return the open turn."""
    (found,) = open_turns(desk.app)
    return found


def deadline(desk: Desk) -> dt.datetime:
    """Return the deadline of the open turn."""
    found = turn(desk).deadline
    assert found is not None
    return found


def pass_deadline(desk: Desk, deed: Deed[Any], *, told: bool) -> dt.datetime:
    """Do a change, and let the deadline before it pass; return that. With `told`, its mail goes out."""
    before = deadline(desk)
    act(desk, deed)
    if told:
        desk.tick()
    desk.now = before + dt.timedelta(hours=2)
    return before


def asked(desk: Desk, entry: int | None = None) -> tuple[str, ...]:
    """Return what is told of the undoing of a change, which is asked about, and not done yet."""
    tried = attempt(desk.app, "toy1", UndoChange(None if entry is None else str(entry)), desk.now)
    assert tried.read_set is not None
    return tried.facts.notes


@pytest.mark.parametrize("told", [False, True], ids=["queued", "sent"])
@pytest.mark.parametrize("kind", LONG)
def test_the_turn_is_not_run_by_an_undo(running: Desk, kind: str, told: bool) -> None:
    """It is asked about, whether players were mailed or not; then each player has the least time, and is told when."""
    pass_deadline(running, LONG[kind], told=told)
    assert len(asked(running)) == 1
    act(running, UndoChange())
    running.tick()

    assert (turn(running).turn, deadline(running), turn(running).held) == (2, running.now + LEAST, "")
    for address in ADDRESSES.values():
        assert "due Sat 7 Nov" in subjects(running, address)[-1]


def test_a_near_deadline_does_not_count_again(running: Desk) -> None:
    """Also if it is still to come, a restored deadline leaves players the least time."""
    running.now = deadline(running) - dt.timedelta(hours=1)
    act(running, ExtendDeadline("3d"))
    assert len(asked(running)) == 1
    act(running, UndoChange())

    assert deadline(running) == running.now + LEAST


def test_an_extension_that_ends_soon_is_kept(running: Desk) -> None:
    """Where the least time ends later than the turn, nothing is undone; the command that runs the turn is named."""
    pass_deadline(running, ExtendDeadline("8h"), told=True)
    before = deadline(running)
    with pytest.raises(CampaignError, match=r"players have at least 12 hours\. To run it now: pbem run toy1"):
        act(running, UndoChange())

    assert deadline(running) == before
    assert not any(entry.undoable for entry in run_query(running.app, "toy1", ShowJournal(), running.now).entries)


def test_a_turn_with_all_sheets_is_run_once_its_hold_is_undone(running: Desk) -> None:
    """No player is waited for, so the deadline stays, as by the release."""
    send(running, {"red": "BID 2", "blue": "BID 1", "green": "BID 0"})
    running.tick()
    pass_deadline(running, HoldCampaign(), told=False)
    act(running, UndoChange())
    running.tick()

    assert turn(running).turn == 3


def test_a_player_who_waits_has_the_least_time(running: Desk) -> None:
    """A sheet that is to wait for its deadline counts as one that may still be changed."""
    send(running, {"red": "BID 2\nWAIT", "blue": "BID 1", "green": "BID 0"})
    running.tick()
    pass_deadline(running, HoldCampaign(), told=False)

    assert len(asked(running)) == 1


def test_a_rollback_is_undone_to_a_deadline_that_leaves_time(running: Desk) -> None:
    """The turn that is the last again is not due within the least time."""
    due = deadline(running)
    act(running, RollBack(1))
    running.now = due - dt.timedelta(minutes=5)
    act(running, UndoChange())

    assert (turn(running).turn, deadline(running)) == (2, running.now + LEAST)


def test_less_proof_is_asked_about(running: Desk) -> None:
    """Undoing a stricter house rule is asked about like setting the laxer one, though no mail was sent of it."""
    act(running, SetHouseRule({"authentication": "token"}))

    assert asked(running) == ("Less proof is then asked of who sends orders.",)


def test_a_second_seat_is_asked_about(running: Desk) -> None:
    """A player who was given another seat meanwhile would have two by the undoing of their removal."""
    act(running, RemoveSeat("green"))
    entry = newest(running)
    act(running, GiveSeat("red", ADDRESSES["green"]))

    assert asked(running, entry) == ("cyd@example.org then plays green, and red too.",)


def newest(desk: Desk) -> int:
    """Return the number of the newest change that can be undone."""
    entries = run_query(desk.app, "toy1", ShowJournal(), desk.now).entries
    return max(each.entry for each in entries if each.undoable)


def test_the_command_line_shows_the_deadline_first(running: Desk) -> None:
    """Without --yes nothing is undone, and the new deadline is shown with the one before."""
    before = pass_deadline(running, HoldCampaign(), told=False)
    line = ["--home", str(running.home), "undo", "toy1", "--now", running.now.isoformat()]
    first = CliRunner().invoke(main, line, obj=GAMES)
    said = " ".join(first.output.split())

    assert (first.exit_code, turn(running).held) == (3, "on hold by the GM")
    assert "Turn 2 is then due Sat 7 Nov 2026 10:00 Europe/Berlin (09:00 UTC), not Fri 6 Nov" in said
    assert CliRunner().invoke(main, [*line, "--yes"], obj=GAMES).exit_code == 0
    assert deadline(running) == running.now + LEAST > before


def test_a_mail_shows_the_deadline_first(running: Desk) -> None:
    """The GM replies YES to that, and has the least time counted from then."""
    with running.app.store.writing() as session:
        session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))
    pass_deadline(running, HoldCampaign(), told=False)
    running.post(f"GM toy1 {TOKEN}\nUNDO\nEND", sender=GM)
    running.tick()
    assert (turn(running).held, "Turn 2 is then due" in text_of(running.last(GM))) == ("on hold by the GM", True)
    running.now += dt.timedelta(hours=1)
    running.reply(running.last(GM), "YES")
    running.tick()

    assert (turn(running).held, deadline(running)) == ("", running.now + LEAST)
