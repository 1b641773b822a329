"""Orders behind a semicolon: it begins a remark, so they are refused by name and hold the turn."""

from __future__ import annotations

import pytest

from pbem.actions.base import run_action
from pbem.actions.start import StartCampaign
from tests.inbox.letters import FREE, GAMES, good_orders, receive
from tests.inbox.people import ANN, ask, form, words
from tests.inbox.test_untouched import link_in
from tests.toy.home import Desk


@pytest.mark.parametrize("key", [key for key in GAMES if key != FREE])
def test_an_order_behind_a_semicolon_is_told(key: str) -> None:
    """Of "A; B" A counts, and B is an error with its words, in every game."""
    first, other, *_ = ("PLACE E5", "PLACE F5") if key == "singularity" else good_orders(key)

    reading = receive(key, [f"{first}; {other}"]).reading

    assert len(reading.parsed.entries) == 1
    (error,) = reading.parsed.errors
    assert error.line == 1
    assert other in error.text
    assert "one order a line" in error.hint


@pytest.mark.parametrize("key", [key for key in GAMES if key != FREE])
@pytest.mark.parametrize("remark", ["; as agreed", " ; to the gate, I hope", "; ", " ;;; ---", " // the other way"])
def test_a_remark_stays_a_remark(key: str, remark: str) -> None:
    """Words behind a semicolon that are no order are no error."""
    order = next(iter(good_orders(key)))

    reading = receive(key, [f"{order}{remark}"]).reading

    assert reading.parsed.errors == ()
    assert len(reading.parsed.entries) == 1


def test_a_second_sheet_of_a_mail_is_named_in_the_subject(desk: Desk) -> None:
    """A sheet below another, for another campaign, is not read, and the subject of the receipt says so first."""
    for name in ("toy1", "toy2"):
        form(desk, "red", "blue", name=name, hold="off")
        run_action(desk.app, name, StartCampaign(), desk.now)
    desk.answer()

    ask(desk, "ORDERS toy1 red\nBID 3\nEND\n\nORDERS toy2 red\nBID 4\nEND")

    assert "sheet for toy2 red NOT read" in desk.last(ANN)["Subject"]
    assert "The sheet for toy2 red was NOT read: send one sheet a mail. " in words(desk.last(ANN))
    assert "Nothing else to do" not in words(desk.last(ANN))


def test_the_corrected_sheet_keeps_the_order_before_a_semicolon(desk: Desk) -> None:
    """Of "A; B" the link that corrects the sheet has A as an order, and the whole line as a comment."""
    form(desk, "red", "blue", hold="off")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()

    desk.reply(desk.last(ANN), "BID 3; BID 4")
    desk.answer()

    link = link_in(desk.last(ANN), "Correct my orders")
    assert "\nBID 3\n; not possible so far: BID 3; BID 4\nEND" in link
