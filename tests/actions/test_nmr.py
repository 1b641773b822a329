"""Consequences of missed sheets: counts, warnings, and seats that are opened or removed."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from pbem.actions.status import SeatStatus
from pbem.admin.health import home_status
from pbem.campaign.people import add_standby, get_or_create_person
from pbem.scheduler.tick import run_campaign_now
from pbem.store.models import Seat
from tests.toy.home import Desk, is_report, text_of

ANN, BOB, CYD, DAN, GM = (f"{name}@example.org" for name in ("ann", "bob", "cyd", "dan", "gm"))
WEEK = 168


def begin(desk: Desk, **rules: str) -> None:
    """Start a campaign of three in which no number of missing sheets holds a turn."""
    desk.start(rules={"hold": "off", **rules}, seats=("red", "blue", "green"), rounds="9")


def play(desk: Desk, *players: str) -> None:
    """Run a turn in which only these players send a sheet."""
    for player in players:
        reports = [mail for mail in desk.mails(player) if is_report(mail)]
        desk.reply(reports[-1], "BID 1")
    assert len(desk.tick(hours=WEEK).resolved) == 1


def seat(desk: Desk, name: str) -> SeatStatus:
    """Return a seat as its GM sees it."""
    return next(seat for seat in home_status(desk.app, "toy1").campaigns[0].seats if seat.seat == name)


def notices(desk: Desk, to: str, words: str) -> list[str]:
    """Return the mails to an address with these words in the subject, each as one line."""
    return [" ".join(text_of(mail).split()) for mail in desk.mails(to) if words in mail["Subject"]]


def test_misses_are_counted_and_forgiven(desk: Desk) -> None:
    """A sheet ends the count of misses in a row, not that of all."""
    begin(desk)
    play(desk, ANN, BOB)
    play(desk, ANN, BOB)
    assert (seat(desk, "green").nmr_in_a_row, seat(desk, "green").nmr_total) == (2, 2)
    play(desk, ANN, BOB, CYD)

    assert (seat(desk, "green").nmr_in_a_row, seat(desk, "green").nmr_total) == (0, 2)


def test_of_a_first_miss_without_consequences_the_report_tells_enough(desk: Desk) -> None:
    """A warning is sent only when misses repeat."""
    begin(desk)
    play(desk, ANN, BOB)
    assert notices(desk, CYD, "no orders from you") == []
    play(desk, ANN, BOB)

    assert "You have missed 2 turns in a row." in notices(desk, CYD, "no orders from you")[0]


def test_the_gm_is_told_of_each_miss(desk: Desk) -> None:
    """The GM gets one mail a turn with all who missed, and none if no sheet was missed."""
    begin(desk)
    play(desk, ANN)
    play(desk, ANN, BOB, CYD)

    told = notices(desk, GM, "no orders in turn")
    assert len(told) == 1
    assert "blue: 1 in a row, 1 in all - green: 1 in a row, 1 in all" in told[0]


def test_a_warning_says_what_comes_next(desk: Desk) -> None:
    """If misses have consequences, the first one is followed by a warning."""
    begin(desk, open_after_missed="3")
    play(desk, ANN, BOB)
    play(desk, ANN, BOB)

    first, second = notices(desk, CYD, "no orders from you")
    assert "After 2 more missed turns in a row your seat goes to another player." in first
    assert "After the next missed turn your seat goes to another player." in second


def test_the_consequence_that_comes_first_is_told(desk: Desk) -> None:
    """The warning names the consequence that comes first."""
    begin(desk, open_after_missed="3", remove_after_missed="2")
    play(desk, ANN, BOB)

    assert "After the next missed turn your seat leaves the game." in notices(desk, CYD, "no orders from you")[0]


def test_others_are_told_where_the_campaign_says_so(desk: Desk) -> None:
    """With late-list=players all other players are told who missed, else only the GM."""
    begin(desk)
    play(desk, ANN, BOB)
    desk.set_rules(late_list="players")
    play(desk, ANN, BOB)

    assert len(notices(desk, ANN, "no orders from green")) == 1
    assert "No orders came from green" in notices(desk, BOB, "no orders from green")[0]
    assert notices(desk, CYD, "no orders from green") == []


def test_after_too_many_misses_the_seat_goes_to_the_first_standby(desk: Desk) -> None:
    """The new player has the seat from the next turn on, without the misses before."""
    begin(desk, open_after_missed="2")
    with desk.app.store.writing() as session:
        add_standby(session, 1, get_or_create_person(session, DAN, desk.now), desk.now)
    play(desk, ANN, BOB)
    play(desk, ANN, BOB)

    assert seat(desk, "green").address == DAN
    assert seat(desk, "green").nmr_in_a_row == 0
    assert notices(desk, DAN, ", due") != []
    assert "seat green" in notices(desk, CYD, "")[-1].lower()


def test_a_newcomer_plays_on_with_the_report_he_was_mailed(desk: Desk) -> None:
    """The new player's sheet counts, and a late one of the former player does not."""
    begin(desk, open_after_missed="1")
    with desk.app.store.writing() as session:
        add_standby(session, 1, get_or_create_person(session, DAN, desk.now), desk.now)
    play(desk, ANN, BOB)
    reports = [mail for mail in desk.mails(DAN) if is_report(mail)]
    desk.reply(reports[-1], "BID 2")
    desk.tick()

    assert seat(desk, "green").sheet_version == 1


def test_without_a_standby_the_seat_is_open(desk: Desk) -> None:
    """Without a standby the seat is open; turns do not wait for it, and no more misses are counted."""
    begin(desk, open_after_missed="1")
    play(desk, ANN, BOB)
    play(desk, ANN, BOB)

    assert seat(desk, "green").address == ""
    assert not seat(desk, "green").awaited
    assert seat(desk, "green").nmr_total == 1


def test_after_too_many_misses_the_seat_may_be_removed(desk: Desk) -> None:
    """With remove-after-missed the seat is out of the game."""
    begin(desk, remove_after_missed="2")
    play(desk, ANN, BOB)
    assert seat(desk, "green").playing
    play(desk, ANN, BOB)

    assert not seat(desk, "green").playing
    assert "The seat is removed." in notices(desk, GM, "no orders in turn")[-1]


def test_a_paused_seat_misses_nothing(desk: Desk) -> None:
    """A paused seat is not awaited, so nothing is counted and no one is notified."""
    begin(desk, open_after_missed="1")
    with desk.app.store.writing() as session:
        session.execute(update(Seat).where(Seat.name == "green").values(paused=True))
    play(desk, ANN, BOB)

    assert seat(desk, "green").nmr_total == 0
    assert seat(desk, "green").address == CYD
    assert notices(desk, GM, "no orders in turn") == []


def test_a_turn_that_the_gm_runs_early_has_no_consequences(desk: Desk) -> None:
    """No player is warned, and no seat changes hands, if the GM did not wait for the deadline."""
    begin(desk, open_after_missed="1")
    run_campaign_now(desk.app, "toy1", desk.now)

    assert notices(desk, ANN, "no orders from you") == []
    assert notices(desk, GM, "no orders in turn") == []
    assert seat(desk, "red").address == ANN


def test_the_last_turn_has_no_consequences(desk: Desk) -> None:
    """When the game is over, no player is warned and no seat changes hands."""
    desk.begin(rules={"hold": "off", "open_after_missed": "1"}, rounds="1")
    desk.tick(hours=WEEK)

    assert notices(desk, ANN, "no orders from you") == []
    assert seat(desk, "red").address == ANN


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rule", ["open_after_missed", "remove_after_missed"])
def test_it_is_all_one_transaction_on_every_database(shared: Desk, rule: str) -> None:
    """The run of the turn and its consequences are stored together, on SQLite and PostgreSQL."""
    shared.set_rules(**{rule: "1"})
    shared.tick(hours=WEEK)

    assert [seat(shared, name).nmr_total for name in ("red", "blue")] == [1, 1]
    assert all(seat(shared, name).address == "" or not seat(shared, name).playing for name in ("red", "blue"))
