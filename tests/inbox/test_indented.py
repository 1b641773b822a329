"""A mail of ours that is quoted by indentation, or without marks, orders nothing; what the sender typed does."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest
from sqlalchemy import select

from pbem.store.models import OrderSheet
from tests.inbox.trusting import ANN, version_taken
from tests.toy.home import Desk, is_report, text_of


def taken(desk: Desk) -> list[object]:
    """Return the orders of the sheets that count, one after the other."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(OrderSheet.orders).where(OrderSheet.accepted).order_by(OrderSheet.version)))


def asked(desk: Desk, text: str) -> str:
    """Return the answer to a message from Ann."""
    desk.post(text)
    desk.answer()
    return text_of(desk.last())


BROUGHT: dict[str, Callable[[Desk], object]] = {
    "welcome": lambda desk: None,
    "guide": lambda desk: asked(desk, "HELP"),
    "refusal": lambda desk: asked(desk, "hello?"),
    "receipt": lambda desk: asked(desk, "ORDERS toy1 red\nBID 3\nBOD 4\nEND"),
    "answer": lambda desk: asked(desk, "STATUS"),
    "report": lambda desk: asked(desk, "RESEND"),
    "rules": lambda desk: asked(desk, "RULES"),
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("indent", ["    ", "\t", ""], ids=["blanks", "tab", "nothing"])
@pytest.mark.parametrize("mail", BROUGHT)
def test_thanks_that_quote_a_mail_of_ours(desk: Desk, mail: str, indent: str) -> None:
    """The good sheet still counts, whichever mail is quoted, with its token, its code or its example."""
    desk.start()
    asked(desk, "ORDERS toy1 red\nBID 3\nEND")
    BROUGHT[mail](desk)
    answered = desk.mails(ANN)[0] if mail == "welcome" else desk.last()
    report = next(each for each in desk.mails(ANN) if is_report(each))
    thanks = f"Thank you!\n\n{textwrap.indent(text_of(answered), indent)}"
    desk.reply(answered, thanks, to=report["Reply-To"])
    desk.answer()

    assert [orders for orders in taken(desk) if orders != [{"order": "bid", "coins": 3}]] == []


TYPED = {
    "indented orders": "    BID 4",
    "indented orders above a quotation": "    BID 4\n\n{quoted}",
    "indented orders below it": "Thank you!\n\n{quoted}\n\n    BID 4",
    "a whole sheet, indented": "Thank you!\n\n    ORDERS toy1 red\n    BID 4\n    END",
    "the example filled in": "Thank you!\n\n{filled}",
}


@pytest.mark.parametrize("text", TYPED.values(), ids=TYPED)
def test_typed_orders_are_kept(desk: Desk, text: str) -> None:
    """Indented orders above, below or inside a quotation are orders."""
    desk.start()
    report = desk.last()
    quoted = textwrap.indent(asked(desk, "hello?"), "    ")
    filled = quoted.replace("; your orders, one a line", "BID 4").replace(" red TOKEN", " red")
    desk.reply(report, text.format(quoted=quoted, filled=filled), in_reply_to=desk.last()["Message-ID"])
    desk.answer()

    assert taken(desk)[-1:] == [[{"order": "bid", "coins": 4}]]


def test_omitted_lines_are_no_errors(desk: Desk) -> None:
    """The receipt names no error in lines that were left out."""
    desk.start()
    receipt = asked(desk, "ORDERS toy1 red\nBID 3\nEND")
    desk.reply(desk.last(), "BID 4\n\n" + textwrap.indent(receipt, "    "))
    desk.answer()

    told = " ".join(text_of(desk.last()).split())
    assert version_taken(told) == 2
    assert "not accepted" not in told


def test_words_to_others_may_quote_us(desk: Desk) -> None:
    """Indented text in press is passed on, though it is in the mail that is answered, once its writer says YES."""
    desk.start()
    refusal = textwrap.indent(asked(desk, "hello?"), "    ")
    desk.reply(desk.last(), f"PRESS TO blue\nThey say to me:\n\n{refusal}")
    desk.answer()
    desk.reply(desk.last(), "YES")
    desk.answer()

    assert "|     No orders in your mail\n" in text_of(desk.last("bob@example.org"))
