"""Sign-up by mail: an address is confirmed, and gets a seat or a place on the standby list."""

from __future__ import annotations

import dataclasses
import datetime as dt
import threading

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.seats import OpenSeat
from pbem.actions.settings import SetHouseRule
from pbem.actions.start import StartCampaign
from pbem.campaign.people import list_standbys
from pbem.errors import CampaignError
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.ruleset import Seats
from pbem.store.models import Person, Standby
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
from tests.toy.home import Desk, text_of
from tests.toy.ruleset import Auction

DAN = "dan@example.org"


def join(desk: Desk, address: str, line: str = "JOIN toy1") -> str:
    """Join and confirm; return the text of the answer."""
    desk.post(line, sender=address)
    desk.answer()
    return confirm(desk, address)


def test_a_stranger_is_asked_to_confirm(desk: Desk) -> None:
    """JOIN brings a mail with a code, and nothing else is done."""
    form(desk, "red", signup="on")

    text = ask(desk, "JOIN toy1 AS blue\nI played it in 1989.", EVE)

    assert "You asked to join toy1 as blue." in text
    assert players(desk) == {"red": ANN, "blue": ""}
    assert [mail["Subject"] for mail in desk.mails(GM)] == ["[toy1] created, not started yet"]


def test_a_confirmed_address_gets_its_seat(desk: Desk) -> None:
    """With the code the seat is given, and the GM hears of it."""
    form(desk, "red", open_seats=2, signup="on")

    text = join(desk, EVE, "JOIN toy1 AS green")

    assert "You play green in toy1" in text
    assert players(desk) == {"red": ANN, "blue": "", "green": EVE}
    assert "It is eve@example.net." in words(desk.last(GM))


@pytest.mark.parametrize("said", ["YES", "yes, please", "Confirmed!", "CONFIRM", "ok"])
def test_a_yes_in_reply_confirms(desk: Desk, said: str) -> None:
    """A YES in reply to the mail with the code is enough."""
    form(desk, "red", signup="on")
    ask(desk, "JOIN toy1", EVE)
    desk.reply(desk.last(EVE), said)
    desk.answer()

    assert players(desk)["blue"] == EVE


def test_a_no_in_reply_confirms_nothing(desk: Desk) -> None:
    """Other words in reply do not bring a seat."""
    form(desk, "red", signup="on")
    ask(desk, "JOIN toy1", EVE)
    desk.reply(desk.last(EVE), "No, that was not me.")
    desk.answer()

    assert players(desk)["blue"] == ""


def test_a_taken_wish_is_told(desk: Desk) -> None:
    """A person who asked for a taken seat gets another and is told so."""
    form(desk, "red", open_seats=1, signup="on")

    assert "The seat red, which you asked for, is not free." in join(desk, EVE, "JOIN toy1 AS red")
    assert players(desk)["blue"] == EVE


def test_an_unknown_wish_names_the_nearest(desk: Desk) -> None:
    """A seat that the campaign does not have is refused, with the nearest one."""
    form(desk, "red", signup="on")

    assert 'toy1 has no seat "bleu". Did you mean blue?' in ask(desk, "JOIN toy1 AS bleu", EVE)


def test_a_full_campaign_lists(desk: Desk) -> None:
    """Without a free seat one gets a number on the standby list; the GM gets the text of the mail."""
    form(desk, "red", "blue", signup="on")

    assert "You are number 1 on its standby list" in join(desk, CYD)
    assert "You are number 2 on its standby list" in join(desk, EVE, "JOIN toy1\nI can stay\nfor years.")
    assert "They wrote: I can stay for years." in words(desk.last(GM))
    assert "toy1: you are number 2 on the standby list" in ask(desk, "STATUS", EVE)


def test_a_standby_who_withdraws_waits_no_longer(desk: Desk) -> None:
    """After WITHDRAW the next on the list moves up; a person who joins again is at its end."""
    form(desk, "red", "blue", signup="on")
    join(desk, CYD)
    join(desk, EVE)
    desk.now += dt.timedelta(minutes=1)

    assert "You are off the standby list of toy1." in insist(desk, "WITHDRAW toy1", CYD)
    assert "number 1 on the standby list" in ask(desk, "STATUS", EVE)
    assert "You are number 2" in join(desk, CYD)


def test_campaigns_closed_and_unknown_are_told_alike(desk: Desk) -> None:
    """A stranger cannot find out what campaigns there are, but for those that take players, which are offered."""
    form(desk, "red", "blue", name="toy1")
    form(desk, "red", "blue", name="toy3", signup="on")

    closed, unknown = ask(desk, "JOIN toy1", EVE), ask(desk, "JOIN toy2", "eva@example.net")

    assert "No campaign called toy1 takes players by mail now." in closed
    assert closed.replace("toy1", "toy2") == unknown
    assert "Perhaps: toy3. Which game would you like to join?" in closed


def test_a_code_works_once(desk: Desk) -> None:
    """A code that was used is not known any more, from any sender."""
    form(desk, "red", open_seats=2, signup="on")
    ask(desk, "JOIN toy1", EVE)
    sent = code(desk.last(EVE))
    ask(desk, f"CONFIRM {sent}", EVE)

    assert "was used already" in ask(desk, f"CONFIRM {sent}", ANN)
    assert list(players(desk).values()).count(EVE) == 1


def test_a_code_holds_for_two_weeks(desk: Desk) -> None:
    """A code expires after two weeks."""
    form(desk, "red", signup="on")
    ask(desk, "JOIN toy1", EVE)
    desk.now += dt.timedelta(days=15)

    assert "is not known here" in confirm(desk, EVE)
    assert players(desk)["blue"] == ""


def test_a_code_is_in_no_answer(desk: Desk) -> None:
    """The answer to a confirmation does not have the code."""
    form(desk, "red", signup="on")
    ask(desk, "JOIN toy1", EVE)
    sent = code(desk.last(EVE))
    ask(desk, f"CONFIRM {sent}", EVE)

    assert sent not in text_of(desk.last(EVE))


def test_codes_are_limited(desk: Desk) -> None:
    """Messages without proof bring an address three codes a day; the last mail to a stranger says so."""
    form(desk, "red", signup="on")
    form(desk, "red", "blue", name="toy2", signup="on")
    for _ in range(15):
        desk.post("JOIN toy1", sender=EVE)
        desk.post("JOIN toy1", sender=BOB)
    desk.answer()

    last = ["This is the last answer today" in words(mail) for mail in desk.mails(EVE)]
    assert last == [False, False, True]
    assert sum("TO CONFIRM: reply with YES." in words(mail) for mail in desk.mails(BOB)) == 3


def test_one_identity_in_several_campaigns(desk: Desk) -> None:
    """An address, in whatever case it is written, is one person everywhere."""
    form(desk, "red", signup="on")
    form(desk, "red", name="toy2", signup="on")
    join(desk, EVE)
    desk.post("JOIN toy2", sender="EVE@Example.net")
    desk.answer()
    confirm(desk, EVE)

    with desk.app.store.reading() as session:
        assert len(session.scalars(select(Person).where(Person.key == EVE)).all()) == 1
    assert "toy1 (Toy Auction), seat blue" in ask(desk, "STATUS", EVE)
    assert "toy2 (Toy Auction), seat blue" in words(desk.last(EVE))


def test_a_player_cannot_join_again(desk: Desk) -> None:
    """A player who joins again is told of their seat."""
    form(desk, "red", open_seats=2, signup="on")

    assert "you play in toy1 already, as red." in ask(desk, "JOIN toy1", ANN)


def test_a_player_is_told_of_their_seat_where_nobody_can_join(desk: Desk) -> None:
    """Whoever plays in a campaign that takes no players is told so, not that no seat of theirs is named."""
    desk.start()
    desk.reply(desk.last(ANN), "JOIN toy1 AS purple")
    desk.answer()

    assert "you play in toy1 already, as red." in words(desk.last(ANN))


def test_a_campaign_starts_when_enough_are_seated(desk: Desk) -> None:
    """With too few players the start is refused; with enough, vacant seats are left out."""
    form(desk, "red", open_seats=2, signup="on")
    with pytest.raises(CampaignError, match="is for 2 to 4 players, and toy1 has 1"):
        run_action(desk.app, "toy1", StartCampaign(), desk.now)
    join(desk, EVE, "JOIN toy1 AS green")

    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()

    assert players(desk) == {"red": ANN, "green": EVE}
    assert len(reports(desk, EVE)) == 1


def test_an_open_seat_of_a_running_game_is_taken_over(desk: Desk) -> None:
    """A person who joins a running game gets a token and the newest report."""
    form(desk, "red", "blue", signup="on")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    insist(desk, "LEAVE", BOB)
    join(desk, EVE)

    assert players(desk)["blue"] == EVE
    assert len(reports(desk, EVE)) == 1
    assert ask(desk, f"ORDERS toy1 blue {token(desk, EVE)}\nBID 1\nEND", DAN) == ""
    assert version_taken(words(desk.last(EVE))) == 1


def test_a_campaign_that_closed_meanwhile_takes_no_players(desk: Desk) -> None:
    """The code of a campaign that no longer takes players brings an apology."""
    form(desk, "red", signup="on")
    ask(desk, "JOIN toy1", EVE)
    run_action(desk.app, "toy1", SetHouseRule({"signup": "off"}), desk.now)

    assert "takes no more players now" in confirm(desk, EVE)


class Nameless(Auction):
    """The toy without names of its own for seats."""

    seats = Seats(2, 4)


def test_seats_without_names_are_named_by_their_players(desk: Desk) -> None:
    """Before the start, a wish names the seat where the game does not; without a wish it has a number."""
    desk.app = dataclasses.replace(desk.app, games={"toy": Nameless()})
    form(desk, open_seats=3, signup="on")
    join(desk, EVE, "JOIN toy1 AS owls")
    join(desk, CYD)
    join(desk, DAN, "JOIN toy1 AS Owls")

    assert players(desk) == {"owls": EVE, "seat2": CYD, "seat3": DAN}


def test_a_player_who_leaves_before_the_start_makes_room(desk: Desk) -> None:
    """A seat given up while the campaign forms goes to the next standby."""
    form(desk, "red", "blue", signup="on")
    join(desk, EVE)
    insist(desk, "LEAVE", ANN)

    assert players(desk) == {"red": EVE, "blue": BOB}


@pytest.mark.sampled(1)
def test_two_newcomers_never_get_one_seat(shared: Desk) -> None:
    """On either database, of two confirmations processed at once one gets the seat and the other is listed."""
    run_action(shared.app, "toy1", SetHouseRule({"signup": "on"}), shared.now)
    run_action(shared.app, "toy1", OpenSeat("red"), shared.now)
    for address in (CYD, EVE):
        ask(shared, "JOIN toy1", address)
    for address in (CYD, EVE):
        shared.post(f"CONFIRM {code(shared.last(address))}", sender=address)
    fetch_messages(shared.app.store, open_mailbox(shared.app.settings), shared.now)
    desks = [threading.Thread(target=process_messages, args=(shared.app, shared.now)) for _ in range(2)]
    for each in desks:
        each.start()
    for each in desks:
        each.join()

    with shared.app.store.reading() as session:
        assert sorted(session.scalars(select(Standby.status))) == ["seated", "waiting"]
        assert len(list_standbys(session, snapshot(shared).id)) == 1
    assert players(shared)["red"] in (CYD, EVE)
