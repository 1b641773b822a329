"""A report or receipt of ours, quoted in any form: nothing of it is ordered, and what was typed around it is."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.press import AnnounceInReport
from pbem.inbox.quoted_originals import SentText, match_lines, spell
from pbem.mail.html_text import html_to_text
from pbem.store.models import OrderSheet
from tests.toy.home import Desk, prepared, text_of


@pytest.fixture(autouse=True)
@prepared
def _campaign(desk: Desk) -> None:
    desk.start()
    desk.reply(desk.last(), "BID 1\nWHISPER blue deal")
    desk.answer()


def bids(desk: Desk) -> list[object]:
    """Return the orders of all accepted sheets after the first."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(OrderSheet.orders).where(OrderSheet.accepted).order_by(OrderSheet.id)))[1:]


BID_4 = [{"order": "bid", "coins": 4}]


def wrapped(text: str) -> str:
    """Return a text as wrapped by a simple program."""
    return "\n".join(textwrap.fill(line, 60) if line.strip() else "" for line in text.split("\n"))


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "indented": lambda text: textwrap.indent(text, "    "),
    "wrapped": wrapped,
    "without blank lines": lambda text: "\n".join(filter(str.strip, text.split("\n"))),
    "with bars": lambda text: textwrap.indent(text, "| ", lambda _: True),
    "with initials": lambda text: textwrap.indent(text, "PbE> ", lambda _: True),
    "without its end": lambda text: text[: len(text) // 2].rpartition("\n")[0],
    "without its beginning": lambda text: text[len(text) // 3 :].partition("\n")[2],
    "without its middle": lambda text: "\n".join(line for at, line in enumerate(text.split("\n")) if not 8 <= at <= 12),
}
PLACES = {
    "above": "BID 4\n\n{quoted}",
    "above, with a header that nobody knows": "BID 4\n\nPbem => Ann\n\n{quoted}",
    "above, with one that is known": "BID 4\n\nOn Fri, 20 Nov 2026, Orders <orders@example.org> wrote:\n\n{quoted}",
    "below": "{quoted}\n\nBID 4",
    "below, with a header that is known": "On Fri, 20 Nov 2026, Orders <orders@example.org> wrote:\n{quoted}\nBID 4\n",
}
MAILS = {"report": 1, "receipt": 2}


@pytest.mark.parametrize("mail", MAILS.values(), ids=MAILS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.sampled(len(WAYS) * len(PLACES) * len(MAILS) // 6)
def test_orders_around_a_mail_of_ours(desk: Desk, way: Callable[[str], str], place: str, mail: int) -> None:
    """All that was typed is taken, and no order that is in the mail itself."""
    answered = desk.mails("ann@example.org")[mail]
    quoted = way(text_of(answered).replace("\n-- \n", "\n").rstrip("\n"))
    desk.reply(answered, place.format(quoted=quoted), to=desk.mails("ann@example.org")[1]["Reply-To"])
    desk.answer()

    assert bids(desk) == [BID_4]


def test_orders_between_the_lines(desk: Desk) -> None:
    """Text typed inside an original without marks is found, as telephones let one answer."""
    report = desk.mails("ann@example.org")[1]
    lines = text_of(report).replace("\n-- \n", "\n").split("\n")
    lines[6:6] = ["BID 4"]
    attribution = "On Fri, 20 Nov 2026 at 10:00, Orders <orders@example.org> wrote:"
    desk.reply(report, "\n".join([attribution, *lines]))
    desk.answer()

    assert bids(desk) == [BID_4]


def test_orders_copied_from_a_receipt(desk: Desk) -> None:
    """Orders copied from a mail of ours are the sender's."""
    receipt = desk.mails("ann@example.org")[2]
    desk.reply(receipt, "BID 1\nWHISPER blue deal\n", to=desk.mails("ann@example.org")[1]["Reply-To"])
    desk.answer()

    assert [len(orders) for orders in bids(desk) if isinstance(orders, list)] == [2]


@pytest.mark.parametrize("below", ["> Delete the ; in front of an order", "> TO SEND ORDERS: reply with one order"])
def test_orders_of_an_earlier_receipt_typed_below_a_marked_line(desk: Desk, below: str) -> None:
    """The orders of an earlier receipt, typed again right below a line of the report, all count."""
    orders = "WHISPER blue hello deal\nBID 1"
    for text in (orders, "BID 2", f"{below}\n{orders}\n> END\n"):
        desk.reply(desk.mails("ann@example.org")[1], text)
        desk.answer()

    assert [len(orders) for orders in bids(desk) if isinstance(orders, list)] == [2, 1, 2]


BANNER = """Our company has moved to a new office. Please note that this mail may be confidential.
You can find all that we sell in our shop in the High Street, next to the old town hall.
"""


@pytest.mark.parametrize("form", ["{banner}\n{orders}", "{orders}\n\n{banner}"], ids=["banner", "footer"])
def test_orders_beside_sentences_that_every_mail_has(desk: Desk, form: str) -> None:
    """Sentences beside the orders, which the receipt of the last mail has refused too, take no order away."""
    for _ in range(2):
        desk.reply(desk.mails("ann@example.org")[1], form.format(banner=BANNER, orders="BID 2\nWHISPER blue hello"))
        desk.answer()

    assert [len(orders) for orders in bids(desk) if isinstance(orders, list)] == [2, 2]


@pytest.mark.parametrize("pasted", ["BID 4\n\n{report}", "{report}\nBID 4"])
def test_a_report_that_was_pasted(desk: Desk, pasted: str) -> None:
    """Of a message that answers no mail, the code in it shows which report it quotes."""
    report = desk.mails("ann@example.org")[1]
    desk.post(pasted.format(report=text_of(report).replace("\n-- \n", "\n")), to=report["Reply-To"])
    desk.answer()

    assert bids(desk) == [BID_4]


TEXT = """\
**Offers of the day:** all of them are for sale, and none of them is mine.
**BID** 9

- BID 8
- WHISPER red now

*BID 7* `BID 6`

| BID | 5 |
|---|---|
| BID | 3 |

# BID 2
"""
BOLD = re.compile(r"</?(?:strong|b|em)>")
SHOWN: dict[str, Callable[[str], str]] = {
    "as the HTML reads": html_to_text,
    "without marks": lambda html: html_to_text(html).replace("> ", ""),
    "with stars for bold letters": lambda html: html_to_text(BOLD.sub("*", html)).replace("> ", ""),
    "without its end": lambda html: html_to_text(html).replace("> ", "").partition("YOUR ORDERS")[0],
}


def test_orders_in_text_of_others_are_not_taken(desk: Desk) -> None:
    """A text of the GM's in a report is not ordered, however a mail program makes text of the report's HTML.

    It is recognised by the words of the report's text alone, too, which is all that is kept of it for long.
    """
    run_action(desk.app, "toy1", AnnounceInReport(TEXT), desk.now)
    desk.tick(hours=24 * 5)
    report = desk.last()
    body = report.get_body(("html",))
    assert body is not None
    assert "<strong>BID</strong> 9" in body.get_content()
    text = SentText.of(text_of(report).split("\n"))
    for show in SHOWN.values():
        lines = ["BID 4", *show(body.get_content()).split("\n")]
        typed = [line for at, line in enumerate(lines) if at not in match_lines(text, lines, spell(lines))]
        assert [line for line in typed if line.startswith(("BID", "- BID"))] == ["BID 4"]
        desk.reply(report, "\n".join(lines))
        desk.answer()

    assert bids(desk) == [BID_4] * len(SHOWN)
