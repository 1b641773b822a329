"""A report's own form, sent back as it came: orders when it is sent on purpose, nothing when it is quoted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.app import open_app
from pbem.ruleset import View
from pbem.store.models import OrderSheet
from tests.inbox.trusting import ANN, code, told
from tests.toy.home import Desk, make_home, text_of
from tests.toy.ruleset import Auction


class Suggesting(Auction):
    """The toy with a form that has an order in it already."""

    def template(self, view: View) -> list[str]:
        return ["; a modest bid", "BID 2"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Yield a home of that game, with a campaign that has begun."""
    with open_app(make_home(tmp_path / "home"), {"toy": Suggesting()}) as app:
        desk = Desk(app)
        desk.begin()
        desk.tick()
        yield desk


def form(desk: Desk, orders: str = "BID 2") -> str:
    """Return the form at the end of red's report."""
    return f"ORDERS toy1 red {code(desk)}\n; a modest bid\n{orders}\nEND"


def sheets(desk: Desk) -> int:
    """Return the number of sheets stored."""
    with desk.app.store.reading() as session:
        return len(session.scalars(select(OrderSheet.id)).all())


def test_the_form_stands_in_the_report(desk: Desk) -> None:
    """The form that these tests send back is that of the report, with the orders as comments."""
    assert form(desk, "; BID 2") in text_of(desk.last())


QUOTED = {
    "below words": "thank you\n{form}",
    "below words and an unknown attribution": "thank you\n\nFeladó: Play by Email\n{form}",
    "below a divider, with nothing above": "\n-----Original Message-----\nFrom: us\n\n{form}",
    "in other blanks and letters": "hi\n{small}",
}


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED.keys())
def test_a_quoted_form_is_no_sheet(desk: Desk, text: str) -> None:
    """A reply with nothing but the quoted form orders nothing, and its sender is told so."""
    desk.reply(desk.last(), text.format(form=form(desk), small=form(desk, " bid   2 ")))
    answer = told(desk)[ANN]

    assert "The only orders in your mail are those that your report came with" in answer
    assert sheets(desk) == 0


MEANT = {
    "alone": "{form}",
    "filled in otherwise": "thank you\n{other}",
    "with WAIT": "thank you\n{waiting}",
    "with the line typed above": "ORDERS toy1 red\nBID 2\nEND",
    "with the same line typed above the form": "BID 2\n\n{form}",
}


@pytest.mark.parametrize("text", MEANT.values(), ids=MEANT.keys())
def test_a_form_sent_on_purpose_is_a_sheet(desk: Desk, text: str) -> None:
    """The form as the whole mail, changed, or with a word of the host's own is a sheet."""
    forms = {"form": form(desk), "other": form(desk, "BID 3"), "waiting": form(desk, "BID 2\nWAIT")}
    desk.reply(desk.last(), text.format_map(forms))

    assert told(desk)[ANN].startswith("Sheet 1 taken")


def test_a_program_that_sends_the_form_back_sends_nothing(desk: Desk) -> None:
    """The unedited form in automatic mail is no sheet, even if the mail has nothing else."""
    desk.post(form(desk), headers={"Auto-Submitted": "auto-replied"})

    assert told(desk) == {}
    assert sheets(desk) == 0


def test_the_sheet_that_counts_still_does(desk: Desk) -> None:
    """The answer says that the earlier sheet still counts."""
    desk.reply(desk.last(), "BID 1")
    desk.tick()
    desk.reply(desk.last(), f"thank you\n{form(desk)}")

    assert "Your sheet 1 still counts." in told(desk)[ANN]
