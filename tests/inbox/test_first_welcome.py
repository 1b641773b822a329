"""Tests of the first welcome, which a player gets before the game starts."""

from __future__ import annotations

from email.message import EmailMessage

from pbem.actions.base import run_action
from pbem.actions.seats import OpenSeat
from pbem.actions.settings import SetHouseRule
from tests.inbox.people import EVE, ask, form, reports
from tests.toy.home import Desk, text_of


def test_the_first_welcome_says_who_plays_and_when_it_starts(desk: Desk) -> None:
    """The other players, the free seats, the GM and the schedule stand above the dice."""
    form(desk, "red", "blue")
    desk.answer()
    text = " ".join(text_of(desk.mails("ann@example.org")[0]).split())

    assert "WITH YOU PLAY blue. gm@example.org, your GM, starts the game. Turns are then due" in text
    assert text.index("WITH YOU PLAY") < text.index("FAIR DICE")


def mails_of_yes(desk: Desk, line: str) -> list[EmailMessage]:
    """Return the mails that a stranger's YES to the answer to JOIN brings them."""
    ask(desk, line, EVE)
    before = len(desk.mails(EVE))
    desk.reply(desk.last(EVE), "YES")
    desk.answer()
    return desk.mails(EVE)[before:]


def test_one_yes_brings_one_mail(desk: Desk) -> None:
    """Before the start the welcome is the answer: it names the seat, how many are free, and one that was not."""
    form(desk, "red", open_seats=2, signup="on")
    desk.answer()

    (mail,) = mails_of_yes(desk, "JOIN toy1 AS red")

    assert mail["Subject"].startswith("[toy1] welcome: you play blue, first report at the start")
    text = " ".join(text_of(mail).split())
    assert "The seat red, which you asked for, is not free." in text
    assert "red. 1 seat is still free. gm@example.org, your GM, starts the game." in text


def test_in_a_running_game_the_welcome_is_followed_by_the_report(desk: Desk) -> None:
    """A YES to a seat that is free brings what is to be kept, the welcome, and what is to be answered, the report."""
    desk.start()
    run_action(desk.app, "toy1", SetHouseRule({"signup": "on"}), desk.now)
    run_action(desk.app, "toy1", OpenSeat("red"), desk.now)
    desk.answer()

    welcome, report = mails_of_yes(desk, "JOIN toy1")

    assert welcome["Subject"] == "[toy1] welcome: you play red"
    assert "Its newest report comes in a mail of its own: answer that." in " ".join(text_of(welcome).split())
    assert [report] == reports(desk, EVE)
