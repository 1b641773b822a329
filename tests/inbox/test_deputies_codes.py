"""Codes end when rights end: a deputy's code opens the seat during the deputy's time and not after it."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbem.store.models import OrderSheet, Report
from tests.inbox.people import ANN, BOB, EVE, ask, insist, players, question, reports, token
from tests.inbox.people import confirm as agree
from tests.inbox.trusting import TAKEN, told
from tests.toy.home import Desk, prepared, text_of

FRIEND = "friend@example.net"
"""An address that plays no seat."""


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Make Eve Ann's deputy until Thursday of the first week; the turn ends on Friday."""
    desk.start(rules={"authentication": "confirm"})
    ask(desk, f"PLAYER toy1 red {token(desk)}\nDEPUTY eve@example.net UNTIL 2026-11-05\nEND")
    agree(desk, EVE)


def sheets(desk: Desk) -> list[str]:
    """Return the author of each sheet stored."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(OrderSheet.author).order_by(OrderSheet.id)))


def test_a_deputys_report_has_a_code_of_its_own(desk: Desk) -> None:
    """Neither the player's code nor the Message-ID of the player's report is in the deputy's copy."""
    with desk.app.store.reading() as session:
        keys = [key for row in session.execute(select(Report.code, Report.message_id)) for key in row]
    desk.tick(hours=24 * 3)

    (copy,) = reports(desk, EVE)
    assert [key for key in keys if key in copy.as_string()] == []
    assert str(copy["Reply-To"]).partition("+")[2].partition("@")[0] in text_of(copy)


def test_a_new_report_is_copied_with_a_code_of_its_own(desk: Desk) -> None:
    """Copies of turns that open during the deputy's time have codes of their own, too."""
    insist(desk, "DEPUTY eve@example.net UNTIL 2026-11-12")
    agree(desk, EVE)
    desk.tick(hours=24 * 5)
    (own, copy) = reports(desk, ANN)[-1], reports(desk, EVE)[-1]

    assert own["Subject"].rpartition("[")[0] == copy["Subject"].rpartition("[")[0]
    assert own["Reply-To"] != copy["Reply-To"]
    desk.reply(copy, "BID 2", sender=FRIEND)
    assert told(desk).keys() == {ANN, EVE}


@pytest.mark.parametrize("sender", [EVE, FRIEND])
@pytest.mark.parametrize("way", ["to", "subject", "in_reply_to"])
def test_a_reply_of_a_present_deputy_is_their_sheet(desk: Desk, sender: str, way: str) -> None:
    """A reply with the deputy's code is the deputy's sheet, from any address and by any way; both get the receipt."""
    lost = {"to": "orders@example.org", "subject": "Re: your mail", "in_reply_to": "<lost@example.org>"}
    del lost[way]
    desk.reply(reports(desk, EVE)[-1], "BID 3", sender=sender, **lost)

    assert told(desk).keys() == {ANN, EVE}
    assert sheets(desk) == ["deputy"]


def test_a_deputys_receipt_has_their_own_code(desk: Desk) -> None:
    """Player and deputy get receipts with their own codes, and can reply to them."""
    desk.reply(reports(desk, EVE)[-1], "BID 3")
    desk.answer()
    assert desk.last(ANN)["Reply-To"] == reports(desk, ANN)[-1]["Reply-To"]
    assert desk.last(EVE)["Reply-To"] == reports(desk, EVE)[-1]["Reply-To"]

    desk.reply(desk.last(EVE), "BID 4")
    desk.reply(desk.last(ANN), "BID 5")
    desk.answer()
    assert sheets(desk) == ["deputy", "deputy", "player"]


@pytest.mark.parametrize("sender", [EVE, ANN, BOB, FRIEND])
@pytest.mark.parametrize("framed", [True, False])
def test_a_past_deputys_code_is_void(desk: Desk, sender: str, framed: bool) -> None:
    """After the deputy's time the code opens the seat from no address, though the turn is the same."""
    copy = reports(desk, EVE)[-1]
    key = str(copy["Reply-To"]).partition("+")[2].partition("@")[0]
    desk.now = desk.now.replace(day=6, hour=12)
    if framed:
        desk.post(f"ORDERS toy1 red {key}\nBID 3\nEND", sender=sender)
    else:
        desk.reply(copy, "BID 3", sender=sender)
    desk.answer()

    assert sheets(desk) == []
    assert "EVE" not in "".join(players(desk).values())


def test_a_dismissed_deputy_has_nothing_left(desk: Desk) -> None:
    """UNDEPUTE ends the deputy's code; the player's own stays valid, so that a report read before can be answered."""
    copy, own = reports(desk, EVE)[-1], reports(desk, ANN)[-1]
    assert "no longer stands in for red" in insist(desk, "UNDEPUTE")
    desk.reply(copy, "BID 3", sender=FRIEND)
    desk.answer()
    assert sheets(desk) == []

    desk.reply(own, "BID 4")
    assert told(desk)[ANN].startswith(TAKEN)


def test_another_deputy_replaces_the_first(desk: Desk) -> None:
    """Once a second deputy is appointed, the first one's code is no longer valid."""
    first = reports(desk, EVE)[-1]
    insist(desk, f"DEPUTY {FRIEND} UNTIL 2026-11-05")
    agree(desk, FRIEND)
    desk.reply(first, "BID 3", sender="eve2@example.net")
    desk.reply(reports(desk, FRIEND)[-1], "BID 4")
    desk.answer()

    assert sheets(desk) == ["deputy"]


def test_a_deputys_code_asks_for_nothing(desk: Desk) -> None:
    """Commands with the deputy's code are refused to the deputy, from whatever address they come."""
    desk.reply(reports(desk, EVE)[-1], "MUTE blue", sender=FRIEND)

    assert "Everything else is for its player to ask" in told(desk)[EVE]


def test_a_deputys_codes_go_with_the_seat(desk: Desk) -> None:
    """When the seat has another player, its last player's deputy can do nothing for it."""
    copy = reports(desk, EVE)[-1]
    insist(desk, "LEAVE")
    desk.reply(copy, "BID 3", sender=EVE)
    desk.answer()

    assert sheets(desk) == []


def test_a_deputys_form_sent_back_unedited_is_no_sheet(desk: Desk) -> None:
    """The form of the deputy's copy, quoted with its code below a word of thanks, is recognised as unedited."""
    copy = reports(desk, EVE)[-1]
    form_lines = text_of(copy)[text_of(copy).index("ORDERS toy1 red") :]
    desk.post(f"Thank you!\n\n{form_lines}", sender=EVE, to=copy["Reply-To"])
    desk.answer()

    assert sheets(desk) == []


def test_the_player_is_asked_about_a_past_deputys_code(desk: Desk) -> None:
    """A sheet with an expired deputy's code is treated like one without a code: the player is asked about it."""
    copy = reports(desk, EVE)[-1]
    desk.now = desk.now.replace(day=6, hour=12)
    key = str(copy["Reply-To"]).partition("+")[2].partition("@")[0]
    desk.post(f"ORDERS toy1 red {key}\nBID 3\nEND", sender=ANN)
    desk.answer()
    desk.reply(question(desk, ANN), "YES")

    assert told(desk)[ANN].startswith(TAKEN)
