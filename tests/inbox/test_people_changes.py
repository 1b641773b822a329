"""Changes that players make by mail: they leave, pause, name deputies, and move to other addresses."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.start import StartCampaign
from pbem.store.models import JournalEntry, Person
from tests.inbox.people import (
    ANN,
    BOB,
    CYD,
    EVE,
    GM,
    ask,
    code,
    confirm,
    form,
    insist,
    players,
    reports,
    snapshot,
    token,
    words,
)
from tests.inbox.trusting import version_taken
from tests.toy.home import Desk, prepared


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red, blue and green in which anyone may ask for a seat."""
    form(desk, "red", "blue", "green", signup="on", hold="off")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()


def journal(desk: Desk) -> list[str]:
    """Return the entries that players may read."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(JournalEntry.text).where(~JournalEntry.secret).order_by(JournalEntry.id)))


def test_leaving_opens_the_seat(desk: Desk) -> None:
    """LEAVE opens the seat; its player, the GM and the others are told."""
    assert "You have given up the seat red in toy1." in insist(desk, "LEAVE")

    assert players(desk)["red"] == ""
    assert "Seat red of toy1 has no player now: its player has left." in words(desk.last(BOB))
    assert "pbem give toy1 red to ADDRESS" in words(desk.last(GM))
    assert "seat red is open: its player has left" in journal(desk)


@pytest.mark.parametrize("text", ["LEAVE", f"DEPUTY {EVE} UNTIL 2026-11-20"])
def test_a_forged_sender_gives_no_seat_away(desk: Desk, text: str) -> None:
    """Commands that give a seat or its secrets away need more than a From: the player is asked under any house rule."""
    assert "TO CONFIRM: reply with YES." in ask(desk, text)
    assert players(desk)["red"] == ANN
    assert desk.mails(EVE) == []


@pytest.mark.parametrize("text", ["LEAVE\nSTATUS", "LEAVE\nHIM ALONE", "PLAYER toy1 red\nLEAVE\nBID 3\nEND"])
def test_leave_must_stand_alone(desk: Desk, text: str) -> None:
    """LEAVE in a mail with anything else is not done."""
    assert "LEAVE must stand alone" in ask(desk, text)
    assert players(desk)["red"] == ANN


def test_a_player_who_left_has_no_valid_key(desk: Desk) -> None:
    """Token, code and report are of no use after LEAVE."""
    report, key = desk.last(ANN), token(desk)
    insist(desk, "LEAVE")

    desk.reply(report, "BID 3")
    desk.post(f"ORDERS toy1 red {key}\nBID 3\nEND")
    desk.post("ORDERS toy1 red\nBID 3\nEND")
    desk.answer()

    assert not any("Sheet" in words(mail) for mail in desk.mails())
    assert "You play in no campaign now" in ask(desk, "STATUS")


def test_the_first_standby_gets_the_seat(desk: Desk) -> None:
    """The standby gets a token and the newest report with a new code; all are told that the seat has a new player."""
    old = desk.last(ANN)
    ask(desk, "JOIN toy1", EVE)
    confirm(desk, EVE)
    insist(desk, "LEAVE")

    (report,) = reports(desk, EVE)
    assert players(desk)["red"] == EVE
    assert report["Subject"].rpartition("[")[0] == old["Subject"].rpartition("[")[0]
    assert report["Reply-To"] != old["Reply-To"]
    assert "The seat red of toy1 has a new player" in words(desk.last(BOB))
    assert "eve" not in words(desk.last(BOB))
    desk.reply(report, "BID 2")
    desk.answer()
    assert version_taken(words(desk.last(EVE))) == 1


def test_sheets_in_the_old_code_are_refused_after_a_takeover(desk: Desk) -> None:
    """The former player's report opens the seat from no address."""
    old = desk.last(ANN)
    ask(desk, "JOIN toy1", EVE)
    confirm(desk, EVE)
    insist(desk, "LEAVE")
    desk.reply(old, "BID 9")
    desk.reply(old, "BID 9", sender=CYD)
    desk.answer()

    assert not any("Sheet 1" in words(mail) for mail in desk.mails())


def test_a_paused_seat_is_not_waited_for(desk: Desk) -> None:
    """The turn runs when the others' sheets are in; the journal has PAUSE, and RESUME ends it."""
    assert "turns no longer wait for you, and the game's defaults are used" in insist(desk, "PAUSE")
    for seat, address in (("blue", BOB), ("green", CYD)):
        desk.post(f"ORDERS toy1 {seat}\nBID 1\nEND", sender=address)
    desk.answer()

    assert [turn.reason for turn in desk.tick(hours=1).resolved] == ["all_in"]
    assert "Your pause is over" in insist(desk, "RESUME")
    assert "was not paused" in insist(desk, "RESUME")
    assert "seat red is paused: turns do not wait for it" in journal(desk)


def test_a_deputy_has_to_confirm(desk: Desk) -> None:
    """The deputy is asked at their address, both are told when it is settled, and the deputy gets the newest report."""
    assert "eve@example.net was asked to stand in for you" in insist(desk, "DEPUTY eve@example.net UNTIL 2026-11-20")
    assert "ann@example.org asks you to stand in for red in toy1" in words(desk.last(EVE))

    confirm(desk, EVE)

    assert "eve@example.net stands in for your seat red in toy1" in words(desk.last(ANN))
    assert len(reports(desk, EVE)) == 1
    assert "eve@example.net stands in for you." in ask(desk, "STATUS")
    assert "you stand in for the seat red" in ask(desk, "STATUS", EVE)


def test_a_deputy_gets_the_reports_of_their_time(desk: Desk) -> None:
    """Each new report during the deputy's time goes to the deputy too; afterwards none does."""
    insist(desk, "DEPUTY eve@example.net UNTIL 2026-11-10")
    confirm(desk, EVE)
    desk.tick(hours=24 * 5)
    assert len(reports(desk, EVE)) == 2
    desk.tick(hours=24 * 7)

    assert len(reports(desk, EVE)) == 2
    assert len(reports(desk, ANN)) == 3


def test_a_deputy_is_dismissed(desk: Desk) -> None:
    """UNDEPUTE ends a deputy's time, and withdraws a request that was not confirmed."""
    insist(desk, "DEPUTY eve@example.net UNTIL 2026-11-20")
    asked = code(desk.last(EVE))
    assert "red in toy1 has no deputy" in insist(desk, "UNDEPUTE")
    assert "is not known here" in ask(desk, f"CONFIRM {asked}", EVE)

    insist(desk, "DEPUTY eve@example.net UNTIL 2026-11-20")
    confirm(desk, EVE)
    assert "eve@example.net no longer stands in for red" in insist(desk, "UNDEPUTE")
    assert "You no longer stand in for the seat red of toy1." in words(desk.last(EVE))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("DEPUTY eve@example.net UNTIL 2026-11-01", "from today to a day at most 90 days ahead"),
        ("DEPUTY eve@example.net UNTIL 2027-11-01", "from today to a day at most 90 days ahead"),
        ("DEPUTY ann@example.org UNTIL 2026-11-20", "that is your own address"),
        ("DEPUTY orders@example.org UNTIL 2026-11-20", "orders are sent there"),
        ("DEPUTY noreply@example.org UNTIL 2026-11-20", "taken for a program's"),
    ],
)
def test_a_deputy_that_cannot_be(desk: Desk, line: str, said: str) -> None:
    """Impossible days and addresses are refused with the reason, and no deputy is mailed."""
    assert said in insist(desk, line)
    assert desk.mails(EVE) == []


def test_a_player_of_the_campaign_cannot_be_a_deputy(desk: Desk) -> None:
    """A player of the campaign is refused on confirming; the one who asked is not told, and so not who plays."""
    insist(desk, "DEPUTY bob@example.org UNTIL 2026-11-20")
    before = len(desk.mails(ANN))

    assert "so you cannot stand in for another seat" in confirm(desk, BOB)
    assert len(desk.mails(ANN)) == before


def test_an_address_is_changed_from_the_old_one(desk: Desk) -> None:
    """A code goes to the registered address, then one to the new; with both all campaigns change, and both are told."""
    form(desk, "red", name="toy2", open_seats=1)
    desk.answer()
    ask(desk, "ADDRESS anna@example.com")
    assert desk.mails("anna@example.com") == []

    assert "Once it is confirmed from there, you play from it" in confirm(desk, ANN)
    assert players(desk)["red"] == ANN
    confirm(desk, "anna@example.com")

    assert (players(desk)["red"], players(desk, "toy2")["red"]) == ("anna@example.com",) * 2
    assert "You play from anna@example.com from now on" in words(desk.last(ANN))
    assert "no longer from ann@example.org" in words(desk.last("anna@example.com"))
    assert "seat red" in ask(desk, "STATUS", "anna@example.com")
    assert not any("anna@" in text for text in journal(desk))


def test_a_known_address_cannot_be_taken_over(desk: Desk) -> None:
    """A known address cannot be taken over; only its owner learns that it is known here."""
    ask(desk, "ADDRESS BOB@example.org")
    confirm(desk, ANN)

    asked = code(desk.last("BOB@example.org"))
    assert "in use here" in ask(desk, f"CONFIRM {asked}", BOB)
    assert (players(desk)["red"], players(desk)["blue"]) == (ANN, BOB)


def test_a_change_of_address_tells_nothing_of_others(desk: Desk) -> None:
    """The answers are the same whether or not the new address plays here."""
    said = []
    for address in (BOB, "dan@example.org"):
        before = len(desk.mails(ANN))
        ask(desk, f"ADDRESS {address}")
        confirm(desk, ANN)
        new = [words(mail).replace(address, "X") for mail in desk.mails(ANN)[before:]]
        said.append([re.sub(r"CONFIRM \S+", "", text) for text in new])

    assert said[0] == said[1]


def test_a_forged_change_of_address_changes_nothing(desk: Desk) -> None:
    """A forger cannot read the code, and the player is warned by it."""
    desk.post("ADDRESS eve@example.net", sender=ANN)
    desk.answer()

    assert players(desk)["red"] == ANN
    assert "If it was not you" in words(desk.last(ANN))
    assert desk.mails(EVE) == []


def test_a_second_address_is_confirmed_too(desk: Desk) -> None:
    """FALLBACK is confirmed as ADDRESS is, and one's own address ends it."""
    ask(desk, "FALLBACK ann@example.com")
    confirm(desk, ANN)

    with desk.app.store.reading() as session:
        assert session.scalars(select(Person.fallback).where(Person.key == ANN)).one() == "ann@example.com"
    ask(desk, "FALLBACK ann@example.org")
    assert "You have no second address now" in confirm(desk, ANN)


def test_reports_may_come_as_text_alone(desk: Desk) -> None:
    """FORMAT is stored with the person."""
    assert "as text alone from now on" in ask(desk, "FORMAT plain")

    with desk.app.store.reading() as session:
        assert session.scalars(select(Person.plain).where(Person.key == ANN)).one()


def test_a_newcomer_inherits_no_arrangements(desk: Desk) -> None:
    """Pause, deputy and mutings of the former player end."""
    ask(desk, "JOIN toy1", EVE)
    confirm(desk, EVE)
    insist(desk, "PAUSE")
    insist(desk, "DEPUTY dan@example.net UNTIL 2026-11-20")
    confirm(desk, "dan@example.net")
    insist(desk, f"PLAYER toy1 red {token(desk)}\nLEAVE\nEND")
    desk.now += dt.timedelta(minutes=1)

    assert not any(place.paused for place in snapshot(desk).places)
    assert "stands in" not in ask(desk, "STATUS", EVE)
