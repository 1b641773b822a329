"""Order sheets and their receipts."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from pbem.actions.base import Change, run_action
from pbem.actions.deadlines import HoldCampaign
from pbem.actions.seats import PauseSeat
from pbem.actions.start import StartCampaign
from pbem.store.models import OrderSheet
from tests.inbox.letters import GAMES
from tests.inbox.people import form
from tests.inbox.trusting import version_taken
from tests.toy.home import Desk, open_desk, text_of


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def send(desk: Desk, text: str) -> str:
    """Reply to red's newest mail, tick, and return the text of the answer."""
    desk.reply(desk.last(), text)
    desk.answer()
    return text_of(desk.last())


STILL = "Your orders of Mon 2 Nov, 10:00 CET still count."


def code_of(mail: EmailMessage) -> str:
    """Return the reply code at the end of a mail's subject, in its brackets."""
    return "[" + str(mail["Subject"]).rpartition("[")[2]


def sheets(desk: Desk) -> list[OrderSheet]:
    """Return all sheets."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(OrderSheet).order_by(OrderSheet.id)))


def test_a_receipt_restates_orders_and_findings(desk: Desk) -> None:
    """A receipt has every order in words, every finding with its line, and the deadline."""
    text = send(desk, "BID 40\nWHISPR blue deal\nWHISPER blue deal deal")
    until = "The turn waits for your correction until Fri 6 Nov, 20:00 CET. To go on without: FINAL."

    assert text.startswith("1 of 3 orders not accepted; the other 2 count\n")
    assert until in " ".join(text.split())
    assert "\nWHISPR blue deal\n\nThere is no order WHISPR. Perhaps: WHISPER blue deal\n" in text
    assert "- BID 40\n  WARNING: 40 coins are more than your purse holds; you have 15\n- WHISPER blue" in text


def test_words_to_a_person_are_left_alone(desk: Desk) -> None:
    """A greeting above the orders and a closing below are no errors; a line that may be a slip is one."""
    text = send(desk, "Hi there,\nBID 4\n\nThanks and best wishes!\nAnn")
    doubtful = send(desk, "BID 5\nThanks\nWHISPR")

    assert version_taken(text) == 1
    assert 'Not orders: "Hi there,", "Thanks and best wishes!", "Ann".' in text
    assert "\nWHISPR\n\nThere is no order WHISPR." in doubtful


def test_a_command_among_orders_is_told_where_it_belongs(desk: Desk) -> None:
    """A command among orders is named with a hint, and not taken for a similar order."""
    text = send(desk, "BID 4\nPress to blue")

    assert '- "Press to blue": PRESS is a command: send it as the first line of a mail of its own.\n' in text
    assert "- BID 4\n" in text


def test_thanks_alone_are_no_sheet(desk: Desk) -> None:
    """A reply with nothing but kind words does not drop the orders."""
    send(desk, "BID 4")

    assert STILL in send(desk, "Thanks, a nice game so far\nAnn")


def test_a_receipt_is_threaded_under_its_sheet(desk: Desk) -> None:
    """In-Reply-To names the sheet's mail, the report is in the thread, and the code is included."""
    report = desk.last()
    send(desk, "BID 1")
    receipt = desk.last()

    assert receipt["In-Reply-To"] == "<letter0@example.org>"
    assert receipt["References"].split()[-2:] == [report["Message-ID"], "<letter0@example.org>"]
    assert receipt["Reply-To"] == report["Reply-To"]
    assert receipt["Subject"] == f"[toy1] orders in: 1 of 1, round 1 {code_of(report)}"
    assert receipt["Auto-Submitted"] == "auto-replied"


def test_a_later_sheet_replaces_the_earlier(desk: Desk) -> None:
    """The receipt says that the sheet replaces one, and shows what changed."""
    send(desk, "BID 1\nWHISPER blue hello")
    text = send(desk, "BID 2\nWHISPER blue hello")

    assert "Compared with your last sheet: added BID 2; dropped BID 1.\n" in text


def test_a_sheet_of_errors_never_replaces_a_good_one(desk: Desk) -> None:
    """A sheet without good orders is answered and stored, but the accepted one still counts."""
    send(desk, "BID 1")
    text = send(desk, "thanks a lot!\nBIT 4\nBIT 5")

    assert text.startswith("Nothing new accepted\n")
    assert "NOTHING accepted, round 1" in desk.last()["Subject"]
    assert "Your orders of Mon 2 Nov, 10:00 CET count:\n\n- BID 1\n" in text
    assert [sheet.accepted for sheet in sheets(desk)] == [True, False]


def test_words_like_no_order_are_no_sheet(desk: Desk) -> None:
    """A reply without a line like an order changes nothing and holds no turn; it is answered three times, no more."""
    send(desk, "BID 1")
    text = " ".join(send(desk, "Monday is a holiday here.\nBob told me that it rains there").split())
    for _ in range(2):
        send(desk, "Monday is a holiday here.\nBob told me that it rains there")
    before = len(desk.mails("ann@example.org"))
    send(desk, "Monday is a holiday here.\nBob told me that it rains there")

    assert text.startswith("No orders in your mail ")
    assert STILL in text
    assert '"Monday is a holiday here.", "Bob told me that it rains there".' in text
    assert [(sheet.accepted, sheet.wait) for sheet in sheets(desk)] == [(True, False)]
    assert len(desk.mails("ann@example.org")) == before


@pytest.mark.parametrize("word", ["YES", "FYI", "LOL!", "BTW", "BTW 2 coins?! nice", "ASAP please"])
def test_a_yes_to_nothing_is_no_sheet(desk: Desk, word: str) -> None:
    """YES in reply to a report, or what else people write in capitals, answers no question and orders nothing."""
    assert send(desk, word).startswith("No orders in your mail\n")
    assert sheets(desk) == []


@pytest.mark.parametrize(
    "line", ["BIDD 4", "I bid many", "GEBOT 4", "OFFER FOUR", "BTW BID 4", "R12 N", "no bid", "quit"]
)
def test_a_line_like_an_order_makes_a_sheet(desk: Desk, line: str) -> None:
    """Beside prose a line that may be an order stays a sheet with errors, which holds the turn."""
    text = send(desk, f"Monday is a holiday here.\n{line}")

    assert text.startswith("Nothing accepted yet\n")
    assert [(sheet.accepted, sheet.wait) for sheet in sheets(desk)] == [(False, True)]


def test_an_empty_frame_is_an_empty_sheet(desk: Desk) -> None:
    """ORDERS and END with nothing between order nothing, and the receipt says so."""
    text = send(desk, "ORDERS toy1 red\nEND")

    assert text.startswith("No orders, as you sent it")


def test_an_empty_reply_is_no_sheet(desk: Desk) -> None:
    """Pressing Reply and Send by accident drops nothing."""
    send(desk, "BID 1")
    text = " ".join(send(desk, "\n> BID coins\n").split())

    assert text.startswith("No orders in your mail ")
    assert STILL in text
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
    """WAIT before any sheet says for what the turn waits, what comes without orders, and what to send."""
    text = " ".join(send(desk, "Hi,\n\nWAIT\n\nAnn").split())

    assert text.startswith("WAIT, but no orders yet ")
    assert "round 1 waits for them anyway, until its deadline, Fri 6 Nov, 20:00 CET. Without orders nothing is" in text
    assert "Write WAIT below your orders" in text
    assert "To give none, send NO ORDERS." in text
    assert sheets(desk) == []


@pytest.mark.parametrize("action", [HoldCampaign(), PauseSeat("red")])
def test_wait_of_a_seat_that_no_turn_waits_for_names_no_deadline(desk: Desk, action: Change[Any]) -> None:
    """A turn does not wait for a seat on pause, and none runs that is on hold."""
    report = desk.last()
    run_action(desk.app, "toy1", action, desk.now)
    desk.answer()
    desk.reply(report, "WAIT")
    desk.answer()
    text = " ".join(text_of(desk.last()).split())

    assert "You said WAIT, and have no orders yet. To give none, send NO ORDERS." in text


def test_a_sheet_is_read_against_the_mailed_view(desk: Desk) -> None:
    """The findings of a receipt come from what the player was mailed, so that it discloses nothing else."""
    text = send(desk, "WHISPER green deal")

    assert "green is not another seat" in " ".join(text.split()).lower()


def test_the_receipt_tells_what_was_cleaned(desk: Desk) -> None:
    """The receipt names a missing END, and no quotation without orders."""
    text = " ".join(send(desk, "ORDERS toy1 red\nBID 1\n> old\n").split())

    assert "There is no END line" in text
    assert "left out" not in text


@pytest.mark.parametrize("beside", ["> BID 2", "Sent from my iPhone\n> > BID 2", "-- \nBID 2"])
def test_orders_that_were_left_out_are_told(desk: Desk, beside: str) -> None:
    """Orders in a quotation or a signature are not read, and the receipt says so, with these lines alone."""
    text = " ".join(send(desk, f"BID 1\n\n{beside}\n").split())

    assert 'NOT read, as your mail program quoted or added it: "BID 2". Write orders at the top of your reply.' in text
    assert "iPhone" not in text


@pytest.mark.parametrize(
    ("beside", "read"),
    [("-- \nAnn", 0), (4 * "> Well played!\n", 1), ("> BID 2", 1)],
    ids=["a signature", "a quotation", "an order"],
)
def test_our_own_mail_is_read_again_only_for_what_may_quote_it(desk: Desk, beside: str, read: int) -> None:
    """A signature alone is compared with no mail of ours, each of which takes longer to read than most messages."""
    report, statements = desk.last(), list[str]()
    desk.reply(report, f"ORDERS toy1 red\nBID 1\nEND\n{beside}\n")
    event.listen(desk.app.store.engine, "before_cursor_execute", lambda *about: statements.append(about[2]))
    desk.answer()

    assert sum("SELECT outgoing.raw" in each for each in statements) == read


def test_quoting_a_whole_report_is_not_worth_a_word(desk: Desk) -> None:
    """The orders that our own mails tell of, and the line that a telephone adds, are not mentioned."""
    report = "\n".join(f"> {line}" for line in send(desk, "BID 1").splitlines())
    text = send(desk, f"BID 2\n\nSent from my iPhone\n\n{report}")

    assert "left out" not in text
    assert "NOT read" not in text


def test_a_reply_of_nothing_but_a_quotation_is_told_of_it(desk: Desk) -> None:
    """The answer says what was left out if nothing was typed."""
    assert "1 quoted line was left out." in send(desk, "> BID 2\n")


def test_the_text_kept_holds_no_token_or_code(desk: Desk) -> None:
    """Keys are masked in what is stored and archived."""
    code = str(desk.last()["Reply-To"]).partition("+")[2].partition("@")[0]
    send(desk, f"ORDERS toy1 red {code}\nBID 1 ; {code}\nEND")

    assert sheets(desk)[0].text == "ORDERS toy1 red ********\nBID 1 ; ********\nEND\n"


def test_the_digest_is_told_again_by_the_report(desk: Desk) -> None:
    """Receipt and report name the same version and digest, so that it is clear which sheet was used."""
    said = send(desk, "BID 1").partition("Sheet 1, ")[2].partition(".")[0]
    desk.tick(hours=24 * 5)

    assert f"Sheet 1, {said}." in text_of(desk.last())


def test_a_hundred_sheets_a_turn_are_enough(desk: Desk) -> None:
    """A machine that answers receipts with receipts is not answered for ever."""
    report = desk.last()
    for number in range(102):
        desk.reply(report, f"BID {number % 9}")
    done = desk.answer()

    assert done.processed.messages == 102
    assert len(sheets(desk)) == 100


def test_a_sheet_that_is_not_complete_waits_for_the_deadline(desk: Desk) -> None:
    """A sheet without the orders that its seat is awaited for is stored but does not let the turn run early."""
    text = send(desk, "WHISPER blue deal")

    assert "Something that round 1 asks of you is not in it, so the turn waits for its deadline" in text
    assert [(sheet.accepted, sheet.wait) for sheet in sheets(desk)] == [(True, True)]


def test_the_sheet_of_a_quoted_report_is_no_empty_sheet(desk: Desk) -> None:
    """Orders above a report quoted without marks are taken, and not dropped for the empty sheet at its end."""
    send(desk, "BID 1")
    report = text_of(desk.mails("ann@example.org")[1]).replace("\n-- \n", "\n")
    text = " ".join(send(desk, f"BID 2\n\nFeladó: Play by Email\n{report}").split())

    assert text.startswith("Your order is in ")
    assert "left out" not in text
    assert [sheet.orders for sheet in sheets(desk)][-1] == [{"order": "bid", "coins": 2}]


def test_an_empty_sheet_below_a_greeting_is_noted(desk: Desk) -> None:
    """An empty sheet is taken, and its receipt says what was not read."""
    text = " ".join(send(desk, "Hello!\nORDERS toy1 red\nEND").split())

    assert text.startswith("No orders, as you sent it")
    assert "what stands above ORDERS was not read" in text


def test_status_says_that_a_sheet_is_to_be_corrected(desk: Desk) -> None:
    """STATUS tells which sheet counts, that the turn waits for a correction, and the word that ends that."""
    send(desk, "BID 1\nBIT 2")
    partly = " ".join(send(desk, "STATUS").split())
    send(desk, "BIT 3")
    nothing = " ".join(send(desk, "STATUS").split())
    send(desk, "FINAL")

    assert "and the turn waits for your correction until its deadline: 1 line of it was not accepted. FINAL" in partly
    assert "Your sheet 1 counts" in nothing
    assert "nothing in your sheet 2 was accepted. FINAL" in nothing
    assert "waits" not in send(desk, "STATUS")


def test_a_receipt_of_final_promises_no_time_to_correct(desk: Desk) -> None:
    """A sheet that says FINAL counts as it is, and the receipt says that the turn may run early."""
    text = " ".join(send(desk, "BID 1\nBIT 2\nFINAL").split())

    assert "the other counts" in text
    assert "Round 1 runs on Fri 6 Nov, 20:00 CET, or sooner" in text
    assert [sheet.wait for sheet in sheets(desk)] == [False]


def test_the_receipt_of_a_seat_that_no_turn_waits_for_names_no_wait(desk: Desk) -> None:
    """No turn waits for a paused seat, neither for its correction nor for its WAIT."""
    send(desk, "PAUSE")
    send(desk, "YES")

    for sheet in ("BID 1\nBIT 2", "BIT 1", "BID 1\nWAIT"):
        assert "Round 1 runs on Fri 6 Nov, 20:00 CET, or sooner" in " ".join(send(desk, sheet).split())


def test_a_refused_sheet_takes_back_neither_orders_nor_wait(desk: Desk) -> None:
    """Beside FINAL a sheet of which nothing is accepted still holds the turn; its receipt says what is open."""
    send(desk, "BID 1")
    text = " ".join(send(desk, "BIT 2\nFINAL").split())

    assert "- BID 1 The turn waits for your correction until Fri 6 Nov, 20:00 CET. FINAL alone, if they" in text
    assert [(sheet.accepted, sheet.wait) for sheet in sheets(desk)] == [(True, False), (False, True)]


def test_a_refused_line_keeps_the_wait_of_the_sheet_before(desk: Desk) -> None:
    """While a correction is awaited the receipt does not say that a turn without WAIT may run."""
    send(desk, "BID 1\nWAIT")

    assert "may run before its deadline" not in " ".join(send(desk, "BID 1\nBIT 2").split())


def test_orders_of_weight_are_told_first(tmp_path: Path) -> None:
    """RESIGN or DRAW that counts is named first in what still counts; RESIGN alone is told the way without a loss."""
    with open_desk(tmp_path / "weighty", games=GAMES) as desk:
        form(desk, "red", "blue", name="stones", game="singularity")
        run_action(desk.app, "stones", StartCampaign(), desk.now)
        desk.answer()
        send(desk, "PLACE E5\nDRAW OFFER")
        refused, thanks, leaving = (
            " ".join(send(desk, text).split()) for text in ("PLACE Z99", "Thanks, got it", "RESIGN")
        )

    first = "What counts is DRAW. CLEAR ORDERS withdraws it. Your orders of Mon 2 Nov, 10:00 CET "
    assert f"{first}count: - PLACE e5 - DRAW OFFER" in refused
    assert "places no stone" not in refused
    assert f"{first}still count." in thanks
    assert "RESIGN CONFIRM; or LEAVE, in a mail of its own, and your seat goes to someone else." in leaving
