"""Holds: a GM's pause, turns that await the GM's review, and turns whose mail seems lost."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from pbem.actions.base import run_action
from pbem.actions.deadlines import extend, hold, release
from pbem.actions.open_turn import EnterSheet
from pbem.actions.run_turn import run_turn
from pbem.actions.seats import pause_seat
from pbem.campaign.snapshot import Context, load_campaign
from pbem.errors import CampaignError
from pbem.scheduler.tick import run_campaign_now
from pbem.store.types import HoldKind
from tests.toy.home import Desk, is_report, text_of

ANN, BOB, CYD, GM = "ann@example.org", "bob@example.org", "cyd@example.org", "gm@example.org"
WEEK = 168


def begin(desk: Desk, **rules: str) -> None:
    """Start a campaign of three."""
    desk.start(rules=rules, seats=("red", "blue", "green"), rounds="9")


def send(desk: Desk, *players: str) -> None:
    """Answer the newest reports of these players."""
    for player in players:
        reports = [mail for mail in desk.mails(player) if is_report(mail)]
        desk.reply(reports[-1], "BID 1")


def resolved(desk: Desk, *, hours: float = 0) -> list[str]:
    """Tick after these hours, and return the reasons for which turns were resolved."""
    return [turn.reason for turn in desk.tick(hours=hours).resolved]


def pause(desk: Desk, why: str = "") -> bool:
    """Put the campaign on hold."""
    with desk.app.store.writing() as session:
        return hold(Context(session, desk.app, load_campaign(session, "toy1"), desk.now), HoldKind.GM, why)


def go_on(desk: Desk) -> bool:
    """Release the campaign."""
    with desk.app.store.writing() as session:
        return release(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))


def held(desk: Desk) -> str:
    """Return the reason of the hold; "" if turns are run."""
    with desk.app.store.reading() as session:
        return load_campaign(session, "toy1").held


def test_a_paused_campaign_runs_no_turn(desk: Desk) -> None:
    """Neither its deadline nor sheets from all players resolve the turn."""
    begin(desk)
    pause(desk)
    send(desk, ANN, BOB, CYD)

    assert resolved(desk, hours=1) == []
    assert resolved(desk, hours=WEEK) == []
    assert held(desk) == "on hold by the GM"


def test_players_are_told_of_a_pause_and_its_end(desk: Desk) -> None:
    """Players are told the reason, and afterwards when orders are due."""
    begin(desk)
    pause(desk, "I am on a train")
    desk.tick()
    assert "The reason: I am on a train.\n" in text_of(desk.last(ANN))
    go_on(desk)
    desk.tick()

    assert "Due Fri 6 Nov, 20:00 CET\n19:00 UTC. The hold is over." in text_of(desk.last(BOB))


def test_a_turn_due_in_a_pause_runs_when_it_ends(desk: Desk) -> None:
    """After the release a turn that came due in the pause is run."""
    begin(desk)
    pause(desk)
    send(desk, ANN, BOB, CYD)
    desk.tick(hours=WEEK)
    go_on(desk)

    assert resolved(desk) == ["deadline"]


def test_nobody_is_reminded_in_a_pause(desk: Desk) -> None:
    """No reminders are sent in a pause."""
    begin(desk)
    pause(desk)

    assert desk.tick(hours=90).reminded == 0


def test_sheets_are_taken_in_a_pause(desk: Desk) -> None:
    """Sheets are accepted, with receipts, in a pause."""
    begin(desk)
    pause(desk)
    desk.tick()
    send(desk, ANN)
    desk.tick()

    assert text_of(desk.last(ANN)).startswith("Your order is in\n")


@pytest.mark.parametrize("hours", [1, WEEK])
def test_what_is_told_in_a_pause_speaks_of_no_deadline(desk: Desk, hours: int) -> None:
    """Receipts, STATUS and a sheet that the GM enters say that the turn waits, before its deadline and after it."""
    begin(desk)
    pause(desk)
    desk.tick(hours=hours)
    send(desk, ANN)
    desk.tick()
    receipt = text_of(desk.last(ANN))
    desk.post("STATUS\n", sender=ANN)
    desk.tick()
    status = text_of(desk.last(ANN))
    desk.reply(desk.last(ANN), "BID 1\nBID many")
    desk.tick()
    partly = text_of(desk.last(ANN))
    run_action(desk.app, "toy1", EnterSheet("red", [(1, "BID 2")]), desk.now)
    desk.tick()

    for told in (receipt, status, partly, text_of(desk.last(ANN))):
        assert "The turn waits for a word of" in " ".join(told.split())
        assert not re.search(r"\b(deadline|due|Nov|before the)\b", told)


def test_a_campaign_is_held_once(desk: Desk) -> None:
    """A second hold changes nothing, not even the reason, nor does a second release."""
    begin(desk)

    assert [pause(desk, "one"), pause(desk, "two")] == [True, False]
    assert held(desk) == 'on hold by the GM: "one"'
    assert [go_on(desk), go_on(desk)] == [True, False]


def test_a_campaign_may_be_paused_again_at_once(desk: Desk) -> None:
    """Two pauses in the same minute are two notices."""
    begin(desk)
    for _ in range(2):
        pause(desk)
        go_on(desk)
    desk.tick()

    assert len([mail for mail in desk.mails(ANN) if "on hold" in mail["Subject"]]) == 2


def test_a_campaign_without_an_open_turn_cannot_be_held(desk: Desk) -> None:
    """A finished game cannot be put on hold."""
    desk.begin(rounds="1")
    run_turn(desk.app, "toy1", desk.now, reason="test")

    with pytest.raises(CampaignError, match="campaign toy1 is over: it has no open turn"):
        pause(desk)


def test_the_gm_may_run_a_held_turn(desk: Desk) -> None:
    """`pbem run` runs a held turn, and ends the hold."""
    begin(desk)
    pause(desk)

    assert [turn.turn for turn in run_campaign_now(desk.app, "toy1", desk.now).resolved] == [1]
    assert held(desk) == ""


def test_a_hold_overtakes_a_run_that_is_being_computed(desk: Desk) -> None:
    """A turn that was found due is not run if it is held meanwhile."""
    begin(desk)
    pause(desk)

    assert run_turn(desk.app, "toy1", desk.now, reason="deadline") is None


def test_a_mass_of_missing_sheets_holds_the_turn(desk: Desk) -> None:
    """Two of three missing are more than sixty percent: the GM alone is notified, and only once."""
    begin(desk)
    send(desk, ANN)
    desk.tick()
    before = len(desk.mails(BOB))

    assert resolved(desk, hours=120) == []
    assert resolved(desk, hours=24) == []
    assert held(desk) == "on hold: 2 of 3 sheets missing"
    mails = desk.mails(GM)
    assert len(mails) == 1
    assert "- Without a sheet: blue and green\n" in text_of(mails[0])
    assert len(desk.mails(BOB)) == before


def test_releasing_a_mass_lets_the_turn_run_at_once(desk: Desk) -> None:
    """After the release the turn is run, and is not held for the same sheets again."""
    begin(desk)
    desk.tick(hours=120)
    go_on(desk)

    assert resolved(desk) == ["deadline"]


def test_extending_a_mass_is_a_release(desk: Desk) -> None:
    """An extended turn is held again at its new deadline if sheets are still missing."""
    begin(desk)
    desk.tick(hours=120)
    with desk.app.store.writing() as session:
        extend(Context(session, desk.app, load_campaign(session, "toy1"), desk.now), dt.timedelta(days=2))

    assert held(desk) == ""
    assert resolved(desk, hours=47) == []
    assert resolved(desk, hours=1) == []
    assert held(desk) == "on hold: 3 of 3 sheets missing"


def test_one_of_three_missing_is_no_mass(desk: Desk) -> None:
    """A single missing sheet does not hold the turn."""
    begin(desk)
    send(desk, ANN, BOB)

    assert resolved(desk, hours=120) == ["deadline"]


def test_two_who_forget_are_no_mass(desk: Desk) -> None:
    """A game of two that has never had a sheet is run at its deadline."""
    desk.begin()

    assert resolved(desk, hours=120) == ["deadline"]


def test_how_many_are_a_mass_is_a_house_rule(desk: Desk) -> None:
    """With hold=off, no number of missing sheets holds a turn."""
    begin(desk, hold="off")

    assert resolved(desk, hours=120) == ["deadline"]


def test_a_silent_mailbox_holds_the_turn(desk: Desk) -> None:
    """After a turn with sheets, the turn is held if the home has received no mail at all since."""
    desk.start(rounds="9")
    send(desk, ANN, BOB)
    desk.tick()
    assert resolved(desk, hours=1) == ["all_in"]

    assert resolved(desk, hours=120) == []
    assert held(desk) == "on hold: no mail has come in since the turn opened"
    assert "No mail has come in" in text_of(desk.last(GM)).replace("\n", " ")


def test_a_mailbox_with_other_letters_is_not_silent(desk: Desk) -> None:
    """Any message shows that mail comes in; then two missing sheets do not hold the turn."""
    desk.start(rounds="9")
    send(desk, ANN, BOB)
    desk.tick()
    desk.tick(hours=1)
    desk.post("HELP", sender="eve@example.org")

    assert resolved(desk, hours=120) == ["deadline"]


def test_a_letter_after_the_release_does_not_hold_it_anew(desk: Desk) -> None:
    """The GM is asked once for a deadline, whatever the reason."""
    begin(desk, hold="60%")
    send(desk, ANN, BOB, CYD)
    desk.tick()
    desk.tick(hours=1)
    desk.tick(hours=120)
    go_on(desk)
    send(desk, ANN)

    assert resolved(desk) == ["deadline"]


@pytest.mark.parametrize("players", [(ANN, BOB, CYD), (ANN, BOB)])
def test_a_reviewed_turn_waits_for_its_gm(desk: Desk, players: tuple[str, ...]) -> None:
    """With hold=always a due turn is held, with all sheets or not, and runs when it is released."""
    begin(desk, hold="always")
    send(desk, *players)
    desk.tick()

    assert resolved(desk, hours=120) == []
    assert held(desk) == "on hold: needs your review"
    told = text_of(desk.last(GM))
    assert "You asked to see each turn" in told
    assert "pbem preview toy1 --to FOLDER" in told
    assert "PREVIEW, which brings all reports as files" in " ".join(told.split())
    go_on(desk)
    assert len(resolved(desk)) == 1


def test_each_turn_is_reviewed(desk: Desk) -> None:
    """A release is for one turn; the next is held again."""
    begin(desk, hold="always")
    send(desk, ANN, BOB, CYD)
    desk.tick()
    desk.tick(hours=1)
    go_on(desk)
    desk.tick()
    send(desk, ANN, BOB, CYD)
    desk.tick()

    assert resolved(desk, hours=1) == []
    assert len([mail for mail in desk.mails(GM) if "on hold" in mail["Subject"]]) == 2


@pytest.mark.sampled(1)
def test_a_turn_is_held_on_every_database(shared: Desk) -> None:
    """SQLite and PostgreSQL hold a turn by the same guarded update."""
    shared.set_rules(hold="always")

    assert resolved(shared, hours=120) == []
    assert held(shared) == "on hold: needs your review"


def test_a_table_without_players_does_not_play_itself(desk: Desk) -> None:
    """If every seat is paused, no turn is run, even at the deadline, until the GM releases it."""
    begin(desk)
    with desk.app.store.writing() as session:
        snapshot = load_campaign(session, "toy1")
        for place in snapshot.places:
            pause_seat(Context(session, desk.app, snapshot, desk.now), place, paused=True)
    before = [resolved(desk, hours=1), resolved(desk, hours=WEEK)]
    told = [mail for mail in desk.mails(GM) if mail["Subject"].startswith("[toy1] turn 1 on hold: ")]
    go_on(desk)

    assert (before, len(told)) == ([[], []], 1)
    assert resolved(desk) == ["deadline"]
