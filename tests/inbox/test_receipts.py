"""Order sheets and their receipts."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbem.store.models import OrderSheet
from tests.toy.home import Desk, text_of


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.begin()
    desk.tick()


def send(desk: Desk, text: str) -> str:
    """Reply to red's newest mail, tick, and return the text of the answer."""
    desk.reply(desk.last(), text)
    desk.tick()
    return text_of(desk.last())


def sheets(desk: Desk) -> list[OrderSheet]:
    """Return all sheets."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(OrderSheet).order_by(OrderSheet.id)))


def test_a_receipt_restates_orders_and_findings(desk: Desk) -> None:
    """A receipt has every order in words, every finding with its line, and the deadline in zone and UTC."""
    text = send(desk, "BID 40\nWHISPR blue deal\nWHISPER blue deal deal")

    assert "2 orders, 1 line in error" in text
    assert (
        "   1  Bid 40 for the prize.\n      BID 40\n   3  Whisper to blue: deal deal.\n      WHISPER blue deal deal\n"
        in text
    )
    assert "Line 2: WHISPR blue deal\n    There is no order WHISPR.\n    Perhaps: WHISPER blue deal.\n" in text
    assert "Line 1: BID 40\n    40 coins are more than your purse holds.\n" in text
    assert "Orders are due Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)." in text


def test_words_to_a_person_are_left_alone(desk: Desk) -> None:
    """A greeting above the orders and a closing below are no errors; a line that may be a slip is one."""
    text = send(desk, "Hi there,\nBID 4\n\nThanks and best wishes!\nAnn")
    doubtful = send(desk, "BID 5\nThanks\nWHISPR")

    assert text.startswith("Sheet 1 taken: 1 order.\n")
    assert 'Not orders: "Hi there,", "Thanks and best wishes!", "Ann".\n' in text
    assert "Did you mean WHISPER?" in doubtful


def test_a_command_among_orders_is_told_where_it_belongs(desk: Desk) -> None:
    """A command among orders is an error with a hint, and not taken for a similar order."""
    text = send(desk, "BID 4\nPress to blue")

    assert "Line 2: Press to blue\n" in text
    assert "    PRESS is a command: send it as the first line of a mail of its own.\n" in text


def test_thanks_alone_are_no_sheet(desk: Desk) -> None:
    """A reply with nothing but kind words does not drop the orders."""
    send(desk, "BID 4")

    assert "Your sheet 1 still counts" in send(desk, "Thanks, a nice game so far\nAnn")


def test_a_receipt_is_threaded_under_its_sheet(desk: Desk) -> None:
    """In-Reply-To names the sheet's mail, the report is in the thread, and the code is included."""
    report = desk.last()
    send(desk, "BID 1")
    receipt = desk.last()

    assert receipt["In-Reply-To"] == "<letter0@example.org>"
    assert receipt["References"].split()[-2:] == [report["Message-ID"], "<letter0@example.org>"]
    assert receipt["Reply-To"] == report["Reply-To"]
    assert receipt["Subject"] == f"Re: {report['Subject']}"
    assert receipt["Auto-Submitted"] == "auto-replied"


def test_a_later_sheet_replaces_the_earlier(desk: Desk) -> None:
    """The receipt says that the sheet replaces one, and shows what changed."""
    send(desk, "BID 1\nWHISPER blue hello")
    text = send(desk, "BID 2\nWHISPER blue hello")

    assert "It replaces your sheet 1; dropped (-) and added (+) were:\n  - BID 1\n  + BID 2\n" in text


def test_a_sheet_of_errors_never_replaces_a_good_one(desk: Desk) -> None:
    """A sheet without good orders is answered and stored, but the accepted one still counts."""
    send(desk, "BID 1")
    text = send(desk, "thanks a lot!\nBIT 4\nBIT 5")

    assert text.startswith("Sheet 2 not taken: 2 lines in error, and no order besides.")
    assert "Your sheet 1 still counts, unchanged." in text
    assert [sheet.accepted for sheet in sheets(desk)] == [True, False]


def test_an_empty_frame_is_an_empty_sheet(desk: Desk) -> None:
    """ORDERS and END with nothing between order nothing, and the receipt says so."""
    text = send(desk, "ORDERS toy1 red\nEND")

    assert text.startswith("Sheet 1 taken: no orders, as you sent it.")


def test_an_empty_reply_is_no_sheet(desk: Desk) -> None:
    """Pressing Reply and Send by accident drops nothing."""
    send(desk, "BID 1")
    text = " ".join(send(desk, "\n> BID coins\n").split())

    assert "so nothing was taken" in text
    assert "Your sheet 1 still counts." in text
    assert len(sheets(desk)) == 1


def test_wait_alone_keeps_the_orders(desk: Desk) -> None:
    """WAIT or FINAL with nothing else changes only that, and the receipt says so."""
    send(desk, "BID 1")
    text = " ".join(send(desk, "WAIT").split())

    assert "Your mail says WAIT and nothing else: the orders of your sheet 1 were kept." in text
    assert [(sheet.wait, sheet.orders) for sheet in sheets(desk)] == [
        (False, [{"order": "bid", "coins": 1}]),
        (True, [{"order": "bid", "coins": 1}]),
    ]


def test_wait_before_any_sheet_is_answered(desk: Desk) -> None:
    """WAIT before any sheet is refused with what to send."""
    assert "No orders were found in your mail" in send(desk, "WAIT")
    assert sheets(desk) == []


def test_a_sheet_is_read_against_the_mailed_view(desk: Desk) -> None:
    """The findings of a receipt come from what the player was mailed, so that it discloses nothing else."""
    text = send(desk, "WHISPER green deal")

    assert "green is not another seat" in " ".join(text.split()).lower()


def test_the_receipt_tells_what_was_cleaned(desk: Desk) -> None:
    """The receipt names quotations left out and a missing END."""
    text = " ".join(send(desk, "ORDERS toy1 red\nBID 1\n> old\n").split())

    assert "There is no END line" in text
    assert "1 quoted line was left out" in text


def test_the_text_kept_holds_no_token_or_code(desk: Desk) -> None:
    """Keys are masked in what is stored and archived."""
    code = str(desk.last()["Reply-To"]).partition("+")[2].partition("@")[0]
    send(desk, f"ORDERS toy1 red {code}\nBID 1 ; {code}\nEND")

    assert sheets(desk)[0].text == "ORDERS toy1 red ********\nBID 1 ; ********\nEND\n"


def test_the_digest_is_told_again_by_the_report(desk: Desk) -> None:
    """Receipt and report name the same version and digest, so that it is clear which sheet was used."""
    digest = send(desk, "BID 1").partition("digest ")[2].partition(".")[0]
    desk.tick(hours=24 * 5)

    assert f"resolved with your sheet 1 (digest {digest})" in text_of(desk.last())


def test_a_hundred_sheets_a_turn_are_enough(desk: Desk) -> None:
    """A machine that answers receipts with receipts is not answered for ever."""
    report = desk.last()
    for number in range(102):
        desk.reply(report, f"BID {number % 9}")
    done = desk.tick()

    assert done.answered.letters == 102
    assert len(sheets(desk)) == 100


def test_a_sheet_that_is_not_complete_waits_for_the_deadline(desk: Desk) -> None:
    """A sheet without the orders that its seat is awaited for is stored but does not let the turn run early."""
    text = send(desk, "WHISPER blue deal")

    assert "What your seat is asked for is not in this sheet." in text
    assert [(sheet.accepted, sheet.wait) for sheet in sheets(desk)] == [(True, True)]


def test_the_sheet_of_a_quoted_report_is_no_empty_sheet(desk: Desk) -> None:
    """Orders above a report quoted without marks are taken, and not dropped for the empty sheet at its end."""
    send(desk, "BID 1")
    report = text_of(desk.mails("ann@example.org")[1]).replace("\n-- \n", "\n")
    text = " ".join(send(desk, f"BID 2\n\nFeladó: Play by Email\n{report}").split())

    assert text.startswith("Sheet 2 taken: 1 order")
    assert [sheet.orders for sheet in sheets(desk)][-1] == [{"order": "bid", "coins": 2}]


def test_an_empty_sheet_below_a_greeting_is_noted(desk: Desk) -> None:
    """An empty sheet is taken, and its receipt says what was not read."""
    text = " ".join(send(desk, "Hello!\nORDERS toy1 red\nEND").split())

    assert text.startswith("Sheet 1 taken: no orders, as you sent it.")
    assert "what stands above ORDERS was not read" in text
