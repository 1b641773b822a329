"""Turns that are due, and reminders."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import text as sql

from pbem.campaign.deadlines import due_turns, open_turns
from tests.toy.home import Desk, text_of

ANN, BOB = "ann@example.org", "bob@example.org"


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def send(desk: Desk, to: str, text: str) -> None:
    """Answer the first report of a player."""
    desk.reply(desk.mails(to)[1], text)


def reasons(desk: Desk, *, hours: float) -> list[str]:
    """Tick some hours later; return the reasons of the runs."""
    return [turn.reason for turn in desk.tick(hours=hours).resolved]


def test_a_turn_is_resolved_at_its_deadline(desk: Desk) -> None:
    """Friday 20:00 in Berlin is 106 hours after Monday 9:00 in London; the turn runs not a minute earlier."""
    assert reasons(desk, hours=106 - 1 / 60) == []
    assert reasons(desk, hours=1 / 60) == ["deadline"]


def test_all_in_resolves_after_settling(desk: Desk) -> None:
    """When all awaited sheets are in, half an hour is left for second thoughts."""
    send(desk, ANN, "BID 1")
    send(desk, BOB, "BID 2")

    assert reasons(desk, hours=1) == []
    assert reasons(desk, hours=0.49) == []
    assert reasons(desk, hours=0.01) == ["all_in"]


def test_a_new_sheet_begins_the_settling_anew(desk: Desk) -> None:
    """The half hour counts from the last sheet accepted."""
    send(desk, ANN, "BID 1")
    send(desk, BOB, "BID 2")
    desk.tick(hours=1)
    send(desk, ANN, "BID 3")

    assert reasons(desk, hours=0.4) == []
    assert reasons(desk, hours=0.4) == []
    assert reasons(desk, hours=0.1) == ["all_in"]


def test_sheets_that_came_while_the_clock_was_ahead(desk: Desk) -> None:
    """Once the clock is right again, the turn does not wait for the wrong times of its sheets."""
    desk.now += dt.timedelta(days=2)
    send(desk, ANN, "BID 1")
    send(desk, BOB, "BID 2")
    desk.tick()
    desk.now -= dt.timedelta(days=2)

    assert reasons(desk, hours=0.1) == ["all_in"]


def test_one_sheet_missing_holds_the_turn(desk: Desk) -> None:
    """A turn is not run early while an awaited sheet is missing, or has nothing but errors."""
    send(desk, ANN, "BID 1")
    send(desk, BOB, "nonsense")
    desk.tick()

    assert reasons(desk, hours=5) == []


def test_wait_holds_the_turn_until_final(desk: Desk) -> None:
    """WAIT keeps the time until the deadline; FINAL takes it back."""
    send(desk, ANN, "BID 1\nWAIT")
    send(desk, BOB, "BID 2")
    desk.tick()
    assert reasons(desk, hours=5) == []
    send(desk, ANN, "FINAL")
    desk.tick()

    assert reasons(desk, hours=0.5) == ["all_in"]


def test_a_refused_line_holds_the_turn_until_corrected(desk: Desk) -> None:
    """While a line of a sheet is refused the turn does not run early; half an hour after the correction it does."""
    send(desk, ANN, "BID 1\nWHISPR blue deal")
    send(desk, BOB, "BID 2")
    desk.tick()
    assert reasons(desk, hours=5) == []
    send(desk, ANN, "BID 1\nWHISPER blue deal")
    desk.tick()

    assert reasons(desk, hours=0.5) == ["all_in"]


@pytest.mark.parametrize("final", ["FINAL", "BID 1\nWHISPR blue deal\nFINAL", "ORDERS toy1 red FINAL\nBID 1\nX\nEND"])
def test_final_lets_a_sheet_with_a_refused_line_run(desk: Desk, final: str) -> None:
    """FINAL, alone or in the sheet with the refused line, lets the turn run with what was accepted."""
    send(desk, ANN, "BID 1\nWHISPR blue deal")
    send(desk, BOB, "BID 2")
    desk.tick()
    send(desk, ANN, final)
    desk.tick()

    assert reasons(desk, hours=0.5) == ["all_in"]


def test_a_sheet_of_which_nothing_is_accepted_holds_the_turn(desk: Desk) -> None:
    """The turn waits for the newest sheet's correction, though the one before counts; FINAL alone ends that."""
    send(desk, BOB, "BID 2")
    send(desk, ANN, "BID 1")
    desk.tick()
    send(desk, ANN, "BIT 1\nFINAL")
    desk.tick()
    assert reasons(desk, hours=5) == []
    send(desk, ANN, "FINAL")
    desk.tick()

    assert reasons(desk, hours=0.5) == ["all_in"]


def test_a_refused_line_does_not_move_the_deadline(desk: Desk) -> None:
    """At the deadline the turn is run with what was accepted."""
    send(desk, ANN, "BID 1\nWHISPR blue deal")
    send(desk, BOB, "BID 2")

    assert reasons(desk, hours=106) == ["deadline"]


def test_final_does_not_stand_for_an_order_that_is_asked(desk: Desk) -> None:
    """A sheet that lacks the order awaited waits for its deadline, whatever else it says."""
    send(desk, ANN, "WHISPER blue deal\nWHISPR\nFINAL")
    send(desk, BOB, "BID 2")
    desk.tick()

    assert reasons(desk, hours=5) == []


def test_cleared_orders_leave_no_sheet_to_correct(desk: Desk) -> None:
    """CLEAR ORDERS after a refused line, and a good sheet after that: the turn runs early."""
    for text in ("BID 1\nWHISPR blue deal", "CLEAR ORDERS", "BID 1"):
        send(desk, ANN, text)
        desk.tick()
    send(desk, BOB, "BID 2")
    desk.tick()

    assert reasons(desk, hours=0.5) == ["all_in"]


def test_wait_does_not_move_the_deadline(desk: Desk) -> None:
    """At the deadline the turn is run whatever the sheets say."""
    send(desk, ANN, "BID 1\nWAIT")

    assert reasons(desk, hours=106) == ["deadline"]


def test_a_mailbox_that_cannot_be_read_holds_deadlines(desk: Desk) -> None:
    """Sheets may wait in the mailbox, so the turn waits; it is run once the mail can be read."""
    inbox = desk.home / "post" / "inbox"
    inbox.rename(inbox.with_name("aside"))
    inbox.write_text("not a folder")
    done = desk.tick(hours=107)
    inbox.unlink()

    assert done.resolved == []
    assert "turns wait for it, even past their deadlines" in done.problems[0]
    assert reasons(desk, hours=0) == ["deadline"]


def test_turns_with_all_sheets_in_do_not_wait_for_the_mailbox(desk: Desk) -> None:
    """Only deadlines need the mailbox: with all sheets in, the turn runs."""
    send(desk, ANN, "BID 1")
    send(desk, BOB, "BID 1")
    desk.tick()
    desk.tick(hours=0)

    found = due_turns(open_turns(desk.app), desk.now.replace(hour=12), by_deadline=False)

    assert [turn.reason for turn in found] == ["all_in"]


def test_seats_without_a_sheet_are_reminded_once(desk: Desk) -> None:
    """A day before the deadline, awaited seats whose sheet is missing or bad get one reminder."""
    send(desk, ANN, "BID 1")
    assert desk.tick(hours=81).reminded == 0
    done = [desk.tick(hours=1), desk.tick(hours=1)]

    assert [tick.reminded for tick in done] == [1, 0]
    assert "Toy Auction · toy1 · blue · round 1\n\nDue Fri 6 Nov, 20:00 CET\n" in text_of(desk.last(BOB))


def test_a_reply_to_a_reminder_is_a_sheet(desk: Desk) -> None:
    """A reminder has the reply code of its report."""
    desk.tick(hours=83)
    desk.reply(desk.last(BOB), "BID 2", to="orders@example.org", in_reply_to="<lost@example.org>")
    desk.tick()

    assert text_of(desk.last(BOB)).startswith("Your order is in\nToy Auction · toy1 · blue · round 1\n")


def test_short_turns_are_reminded_halfway(desk: Desk) -> None:
    """With less than two days to play, the reminder comes after half of the time."""
    desk.start(name="toy2", deadline="EVERY 12h")

    assert [desk.tick(hours=hours).reminded for hours in (5, 1)] == [0, 2]


def test_a_seat_whose_sheet_holds_the_turn_is_reminded(desk: Desk) -> None:
    """Players who said WAIT, or left out an awaited order, are told a day before that the turn waits for them."""
    send(desk, ANN, "WHISPER blue deal")
    send(desk, BOB, "BID 1\nWAIT")

    assert desk.tick(hours=83).reminded == 2
    assert "The turn waits for its deadline because of your sheet 1" in text_of(desk.last(ANN))


def test_a_seat_with_a_refused_line_is_told_what_is_open(desk: Desk) -> None:
    """Its reminder has the errors, and the word that goes on without; FINAL is not named where nothing counts."""
    send(desk, ANN, "BID 1\nWHISPR blue deal")
    send(desk, BOB, "BIT 1")

    assert desk.tick(hours=83).reminded == 2
    ann, bob = (" ".join(text_of(desk.last(to)).split()) for to in (ANN, BOB))
    assert "The turn waits for your correction of sheet 1: 1 line was not accepted." in ann
    assert "- There is no order WHISPR. Perhaps: WHISPER blue deal" in ann
    assert "FINAL" in ann
    assert "Nothing in your sheet 1 counts: 1 line was not accepted. - There is no order BIT." in bob
    assert "FINAL" not in bob


def test_reminders_are_counted_beside_a_campaign_that_cannot_be_read(desk: Desk) -> None:
    """A tick that goes through campaigns one by one, as one is damaged, counts the reminders of all others."""
    for name in ("toy2", "toy3"):
        desk.begin(name=name)
    with desk.app.store.writing() as session:
        session.execute(sql("UPDATE campaign SET policy = '[]' WHERE name = 'toy1'"))

    assert desk.tick(hours=82).reminded == 4
