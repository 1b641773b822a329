"""Of several texts in a message the one that was meant is read: no older sheet is taken silently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.app import open_app
from pbem.ruleset import ParsedSheet, View
from pbem.ruleset.order_types import ParsedOrder
from pbem.store.models import OrderSheet
from tests.inbox.trusting import code, token
from tests.mail.letters import mail, multipart, part
from tests.toy.home import Desk, make_home, text_of
from tests.toy.ruleset import Auction, Bid


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def answered(desk: Desk, text: str, **fields: str) -> str:
    """Return the answer to red's reply, on one line."""
    desk.reply(desk.last(), text, **fields)
    desk.answer()
    return " ".join(text_of(desk.last()).split())


def bids(desk: Desk) -> list[int]:
    """Return the coins of all accepted sheets, the oldest first."""
    with desk.app.store.reading() as session:
        kept = session.scalars(select(OrderSheet.orders).where(OrderSheet.accepted).order_by(OrderSheet.id))
        return [order["coins"] for orders in kept for order in orders]


OLD = "ORDERS toy1 red {key}\nBID 1\nEND"
ABOVE = {
    "orders alone": "BID 4\n\n",
    "greeting and farewell": "Hello!\nBID 4\nBye,\nAnn\n\n",
    "a header that nobody knows": "BID 4\n\nPbem => Ann, yesterday\n\n",
    "and a long mail between them": "BID 4\n\n" + "You are too late for that, said he.\n" * 30,
}


@pytest.mark.parametrize("key", ["", "code", "token"])
@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE)
def test_orders_above_a_sheet(desk: Desk, above: str, key: str) -> None:
    """Orders above a sheet count in its place, as it may be an older one; the receipt says so, in its subject too."""
    keys = {"": "", "code": code(desk), "token": token(desk)}

    assert "Only the orders at the top were read" in answered(desk, above + OLD.format(key=keys[key]))
    assert "1 order in the quotation NOT read" in desk.last()["Subject"]
    assert bids(desk) == [4]


def test_a_sheet_below_prose(desk: Desk) -> None:
    """Prose takes nothing from the sheet below it."""
    assert "at the top" not in answered(desk, "Hello!\nHere are my orders:\n\n" + OLD.format(key=""))
    assert bids(desk) == [1]


def test_orders_among_much_else_above_a_sheet(desk: Desk) -> None:
    """In a whole report that was pasted and filled in the sheet counts, and the receipt says which lines do not."""
    text = "You are too late, said he.\n" * 9 + "BID 4\n" + OLD.format(key="")

    assert "lines above the ORDERS line that read as orders" in answered(desk, text)
    assert bids(desk) == [1]


def test_orders_above_the_sheet_of_an_older_report(desk: Desk) -> None:
    """Orders above an older sheet count if the message answers the newest report, whatever key that sheet has."""
    old = code(desk)
    desk.tick(hours=120)
    answered(desk, "BID 4\n\n" + OLD.format(key=old), to=desk.last()["Reply-To"])

    assert bids(desk)[-1:] == [4]


class Chatter(Auction):
    """The toy as a game that accepts any words."""

    free_text = True

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        return ParsedSheet(tuple(ParsedOrder(number, Bid(len(line))) for number, line in lines if line.strip()))


class TestAnyWords:
    """Tests of a game that accepts any words."""

    @pytest.fixture
    def desk(self, tmp_path: Path) -> Iterator[Desk]:
        """Yield a home of that game."""
        with open_app(make_home(tmp_path / "home"), {"toy": Chatter()}) as app:
            yield Desk(app)

    def test_a_greeting_is_no_order(self, desk: Desk) -> None:
        """The sheet counts, since the text above it proves nothing in such a game."""
        answered(desk, "Hello!\nORDERS toy1 red\nBID 1\nEND")

        assert bids(desk) == [len("BID 1")]


def post_file(desk: Desk, typed: str, filed: str) -> None:
    """Post a message of red's with a file."""
    body, content_type = multipart(
        "mixed", part(typed), part(filed, "Content-Disposition: attachment; filename=orders.txt")
    )
    inbox = desk.home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    to = f"To: {desk.last()['Reply-To']}"
    (inbox / "file.eml").write_bytes(mail(body, content_type).replace(b"To: orders@example.org", to.encode()))


@pytest.mark.parametrize(
    ("typed", "filed", "coins", "note"),
    [
        ("Orders attached, see there.", "BID 4", 4, "The orders were read from the attached orders.txt"),
        ("BID 3", "BID 4", 3, "The attached orders.txt was not read: there is no ORDERS line in it"),
        ("BID 3", "Confidential! Do not read.", 3, "The attached orders.txt was not read"),
    ],
)
def test_a_file_without_an_orders_line(desk: Desk, typed: str, filed: str, coins: int, note: str) -> None:
    """A file without an ORDERS line counts only if the mail itself has no orders; the receipt says which was read."""
    post_file(desk, typed, filed)
    desk.answer()

    assert note in " ".join(text_of(desk.last()).split())
    assert bids(desk) == [coins]


def test_a_question_beside_a_file(desk: Desk) -> None:
    """A command in the mail itself is answered, whatever is attached."""
    post_file(desk, "STATUS", "BID 4")
    desk.answer()

    assert "is not an order" not in text_of(desk.last())
    assert bids(desk) == []
