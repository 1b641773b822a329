"""Receipts that come back, and sheets that are mostly errors: neither replaces a good sheet without a question."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from pbem.store.models import InboxMessage, OrderSheet
from tests.inbox.trusting import ANN
from tests.toy.home import Desk, prepared, text_of

STILL = "Your orders of Mon 2 Nov, 10:00 CET still count."


@pytest.fixture
@prepared
def sheets(desk: Desk) -> Desk:
    """Return a campaign in which red has sent three sheets, the last of them for five coins."""
    desk.start()
    report = desk.last()
    for orders in ("BID 3\nWHISPER blue deal", "BID 4", "BID 5\nWHISPER blue hello"):
        desk.reply(report, orders)
        desk.answer()
    return desk


def counted(desk: Desk) -> int:
    """Return red's bid in the sheet that counts."""
    with desk.app.store.reading() as session:
        last = select(OrderSheet).where(OrderSheet.accepted).order_by(OrderSheet.version.desc()).limit(1)
        return int(next(order["coins"] for order in session.scalars(last).one().orders if "coins" in order))


def question(desk: Desk) -> EmailMessage:
    """Return the newest question to red whether a sheet is meant."""
    return [mail for mail in desk.mails(ANN) if "NOT changed: reply YES" in mail["Subject"]][-1]


def receipts(desk: Desk) -> list[str]:
    """Return the texts of all receipts to red, oldest first."""
    return [text_of(mail) for mail in desk.mails(ANN) if " orders in: " in mail["Subject"]]


COMING_BACK: dict[str, Callable[[str], str]] = {
    "below a vacation text": lambda receipt: f"I am in Rome until Monday.\nIn urgent cases call Bob.\n\n{receipt}",
    "alone": lambda receipt: receipt,
    "its end cut off": lambda receipt: receipt[: receipt.index("To change orders")],
    "its beginning cut off": lambda receipt: receipt[receipt.index("Nothing else to do") :],
    "a few lines of it": lambda receipt: receipt[receipt.index("- BID") : receipt.index("The line WAIT")],
    "indented": lambda receipt: textwrap.indent(receipt, "        "),
    "indented by tabs": lambda receipt: textwrap.indent(receipt, "\t"),
    "with other bullets": lambda receipt: receipt.replace("\n- ", "\n\u2022 "),
    "with blanks that do not break": lambda receipt: receipt.replace(" ", "\xa0"),
    "marked with other bullets": lambda receipt: textwrap.indent(
        receipt.replace("\n- ", "\n\u2022 "), "> ", lambda line: True
    ),
    "behind bars": lambda receipt: textwrap.indent(receipt, "| ", lambda line: True),
    "broken anew": lambda receipt: "\n".join(textwrap.wrap(receipt, 60, replace_whitespace=False)),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("form", COMING_BACK.values(), ids=COMING_BACK.keys())
def test_an_older_receipt_is_no_new_sheet(sheets: Desk, form: Callable[[str], str], number: int) -> None:
    """The newest sheet still counts when a receipt comes back, whatever a program made of it."""
    sheets.reply(sheets.last(ANN), form(receipts(sheets)[number]))
    sheets.answer()

    assert counted(sheets) == 5


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", COMING_BACK.values(), ids=COMING_BACK.keys())
def test_orders_above_an_older_receipt_are_the_sheet(sheets: Desk, form: Callable[[str], str]) -> None:
    """What is typed on top of a receipt that comes back counts, and no line of the receipt does."""
    sheets.reply(sheets.last(ANN), f"BID 6\n\n{form(receipts(sheets)[0])}")
    sheets.answer()

    assert counted(sheets) == 6


def test_lines_of_an_older_receipt_count_if_their_player_says_so(sheets: Desk) -> None:
    """The question says what the text is, and the answer YES takes it."""
    lines = COMING_BACK["a few lines of it"](receipts(sheets)[1])
    sheets.reply(sheets.last(ANN), lines)
    sheets.answer()
    asked = question(sheets)

    assert "stands in the receipt of an earlier sheet" in " ".join(text_of(asked).split())
    assert STILL in text_of(asked)
    sheets.reply(asked, "YES")
    sheets.answer()
    assert counted(sheets) == 4


@pytest.mark.parametrize("again", ["", "the same lines"], ids=["without words", "the same again"])
def test_a_machine_does_not_confirm_an_older_receipt(sheets: Desk, again: str) -> None:
    """A machine that sends the question back too does not say YES: the newest sheet still counts."""
    lines = COMING_BACK["a few lines of it"](receipts(sheets)[1])
    sheets.reply(sheets.last(ANN), lines)
    sheets.answer()
    sheets.reply(question(sheets), lines if again else "")
    sheets.answer()

    assert counted(sheets) == 5


MEANT = {
    "the order alone": "BID 3\nWHISPER blue deal",
    "indented as there": "      BID 3\n      WHISPER blue deal",
    "with a greeting": "Hello,\n\nBID 3\nWHISPER blue deal\n\nThanks,\nAnn",
    "in a frame": "ORDERS toy1 red\nBID 3\nWHISPER blue deal\nEND",
}


@pytest.mark.parametrize("text", MEANT.values(), ids=MEANT.keys())
def test_old_orders_written_anew_are_a_new_sheet(sheets: Desk, text: str) -> None:
    """Orders of an earlier sheet that were typed or copied, without its receipt, are a new sheet."""
    sheets.reply(sheets.last(ANN), text)
    sheets.answer()

    assert counted(sheets) == 3


MOSTLY_ERRORS = "\n".join(["BID 9", *(f"line {number} of a letter to the editor" for number in range(22)), "BID 7"])


def test_a_sheet_of_errors_replaces_no_good_one_without_a_question(sheets: Desk) -> None:
    """With errors in 22 of 24 lines the player is asked, and told what still counts and what to do."""
    sheets.reply(sheets.last(ANN), MOSTLY_ERRORS)
    sheets.answer()
    asked = question(sheets)
    told = " ".join(text_of(asked).split())

    assert counted(sheets) == 5
    assert "22 of its 24 lines" in told
    assert STILL in told
    assert "TO CONFIRM: reply with YES, before the turn runs." in told
    sheets.reply(asked, "yes")
    sheets.answer()
    assert counted(sheets) == 9


def test_a_sheet_of_errors_can_be_mended_in_the_answer(sheets: Desk) -> None:
    """A sheet in the answer counts instead of the one asked about."""
    sheets.reply(sheets.last(ANN), MOSTLY_ERRORS)
    sheets.answer()
    sheets.reply(question(sheets), "BID 8")
    sheets.answer()

    assert counted(sheets) == 8


def test_a_sheet_of_errors_is_taken_where_nothing_counts(desk: Desk) -> None:
    """A sheet of errors that replaces nothing is taken, and its receipt lists the errors."""
    desk.start()
    desk.reply(desk.last(), MOSTLY_ERRORS)
    desk.answer()

    assert counted(desk) == 9


def other_words(number: int) -> str:
    """Return errors that were not sent before."""
    return MOSTLY_ERRORS.replace("editor", "x" * number).replace("letter", "y" * number)


def test_an_unanswerable_question_is_told(sheets: Desk) -> None:
    """Beyond the number of questions a day, a doubtful sheet is not taken, and its player is told."""
    newest = sheets.last(ANN)
    for number in range(1, 13):
        sheets.reply(newest, other_words(number))
        sheets.answer()

    assert counted(sheets) == 5
    with sheets.app.store.reading() as session:
        note = session.scalars(select(InboxMessage.note).order_by(InboxMessage.id.desc())).first()
    assert "answered ann@example.org" in str(note)
    assert STILL in text_of(sheets.last(ANN))
