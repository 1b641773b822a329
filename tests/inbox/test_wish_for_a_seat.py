"""A player's wish for another seat, and who is awaited while a campaign forms, as their GM learns of them."""

from __future__ import annotations

import pytest

from pbem.actions.base import CLI, run_action, run_query
from pbem.actions.seats import Invite, OpenSeat
from pbem.actions.settings import ShowJournal
from pbem.actions.status import ShowStatus
from pbem.report.small import announcement
from tests.inbox.gms import framed, running
from tests.inbox.people import ANN, BOB, EVE, GM, form, players, reports, words
from tests.toy.home import Desk

__all__ = ["running"]


@pytest.mark.parametrize(
    "text", ["Could I be blue?", "Hi,\n\nI'd rather play blue instead of red, please.\n\nAnn", "may I switch to blue"]
)
def test_a_wish_is_passed_on_with_the_command_that_does_it(running: Desk, text: str) -> None:
    """A reply to a report that wishes for another seat is a question to the GM, who can reply with SWAP."""
    running.reply(reports(running, ANN)[-1], text)
    running.answer()

    assert "Mailed to your GM" in words(running.last(ANN))
    said = words(running.last(GM))
    assert "reply with the first line, or type the second: SWAP red blue pbem swap toy1 red blue" in said
    running.reply(running.last(GM), "SWAP red blue")
    running.answer()
    running.reply(running.last(GM), "YES")
    running.answer()
    assert (players(running)["red"], players(running)["blue"]) == (BOB, ANN)


@pytest.mark.parametrize("text", ["Could I be blue?\nBID 3", "Could I be red?", "Could I be mauve?", "Can I bid 3?"])
def test_what_is_no_wish_for_a_seat_is_read_as_before(running: Desk, text: str) -> None:
    """Orders beside a wish are not lost; one's own seat, or one that there is not, is none to wish for."""
    running.reply(reports(running, ANN)[-1], text)
    running.answer()

    assert "Mailed to your GM" not in words(running.last(ANN))
    if "BID" in text:
        assert "BID 3" in words(running.last(ANN))


def test_the_status_lists_who_is_invited(desk: Desk) -> None:
    """Until they answer, with the seat; the GM is mailed when all seats are taken."""
    form(desk, "red", "blue")
    run_action(desk.app, "toy1", OpenSeat("blue"), desk.now)
    run_action(desk.app, "toy1", Invite(EVE, "blue"), desk.now)
    desk.answer()
    line = f"  invited, no answer yet: {EVE}, for blue"
    assert line in ShowStatus().render(run_query(desk.app, "toy1", ShowStatus(), desk.now), CLI)

    desk.reply(desk.last(EVE), "YES")
    desk.answer()
    assert line not in ShowStatus().render(run_query(desk.app, "toy1", ShowStatus(), desk.now), CLI)
    assert "blue has a new player, and all seats are taken" in desk.last(GM)["Subject"]
    assert "To start: pbem start toy1 (by mail: START)" in words(desk.last(GM))


def test_lines_of_the_journal_fit(running: Desk) -> None:
    """No line of it has more than 100 columns."""
    framed(running, "HOLD " + "a very long reason " * 9)
    lines = ShowJournal().render(run_query(running.app, "toy1", ShowJournal(), running.now), CLI)

    assert max(len(row) for line in lines for row in line.splitlines()) <= 100


def test_the_number_behind_yes_is_told(running: Desk) -> None:
    """It is the open turn, about which the GM was asked."""
    assert "REMOVE red YES 1 The number behind YES is that of the open turn." in words(framed(running, "REMOVE red"))


@pytest.mark.parametrize(
    ("text", "subject"),
    [("*Welcome* to the war.\n- be nice\n- be late", "Welcome to the war."), ("\n# News\n\nRain.", "News")],
)
def test_the_subject_of_an_announcement_is_its_first_words(text: str, subject: str) -> None:
    """It has no marks of Markdown, and nothing of what stands in further lines."""
    assert announcement(gm=GM, to=(), text=text).subject == f"from the GM: {subject}"
