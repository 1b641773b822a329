"""The page for players of other programs as its readers obey it: each of its points is played."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.inbox.letters import receive
from tests.inbox.people import ANN, BOB, reports, words
from tests.toy.home import Desk

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "coming-from-other-games.md").read_text()


def orders(*lines: str) -> tuple[list[str], list[str]]:
    """Return the orders of Harvester that lines are taken for, and the lines with errors."""
    received = receive("harvester", lines)
    return [order.typed for order in received.reading.restated], received.wrong


@pytest.fixture
def begun(desk: Desk) -> Desk:
    """Return a desk with a campaign that lets players write each other."""
    desk.start(rules={"press": "signed", "authentication": "code"})
    return desk


def answer(desk: Desk, text: str) -> str:
    """Reply to Ann's report; return the answer in words."""
    desk.reply(reports(desk, ANN)[-1], text)
    desk.answer()
    return words(desk.last(ANN))


def test_the_page_has_the_points_that_are_tested_here() -> None:
    """Eight points, and no more; the player's guide links to the page."""
    assert len(re.findall(r"^- \*\*", PAGE, re.MULTILINE)) == 8
    assert "(coming-from-other-games.md)" in (ROOT / "docs" / "player-guide.md").read_text()


def test_a_reply_needs_no_frame_and_no_password(begun: Desk) -> None:
    """Orders at the top of a reply are in, where an address alone is no proof."""
    assert "Your order is in" in answer(begun, "BID 3")


def test_each_line_names_its_unit() -> None:
    """A line for a unit is an order; UNIT, and a number in brackets, are errors."""
    assert orders("MOVE S2 W") == (["MOVE S2 W"], [])
    assert orders("UNIT S2", "MOVE W") == ([], ["UNIT S2", "MOVE W"])
    assert orders("MOVE S2[17] W") == ([], ["MOVE S2[17] W"])


def test_a_sheet_replaces_the_last_one(begun: Desk) -> None:
    """The receipt names what a new sheet dropped, ADD adds, and CLEAR ORDERS takes all out."""
    answer(begun, 'BID 3\nWHISPER blue "hello"')

    assert "WHISPER" in answer(begun, "BID 4")
    assert "added to the orders of your sheet 2" in answer(begun, 'ADD\nWHISPER blue "hello"')
    assert "orders" in answer(begun, "CLEAR ORDERS")
    assert "BID 4" in words(begun.last(ANN))


def test_orders_are_for_one_turn(begun: Desk) -> None:
    """@ and DEFAULT make no order, and the next turn begins without the orders of the last."""
    assert orders("@MOVE S2 W", "DEFAULT MOVE S2 W")[0] == []
    answer(begun, "BID 3")
    begun.tick(hours=24 * 7)
    begun.tick(hours=24)

    assert "Dropped" not in answer(begun, "BID 4")
    assert "round 2" in words(begun.last(ANN)) or "turn 2" in words(begun.last(ANN))


@pytest.mark.parametrize("mark", [";", "#", "//"])
def test_remarks_are_no_orders(mark: str) -> None:
    """The words behind a sign are a remark; behind a ; an order is one, behind the others it is an error."""
    assert orders(f"MOVE S2 W {mark} to the mountains") == (["MOVE S2 W"], [])
    line = f"MOVE S2 W {mark} MOVE S3 W"
    assert orders(line) == ((["MOVE S2 W", "MOVE S3 W"], []) if mark == ";" else (["MOVE S2 W"], [line]))


def test_a_template_and_a_joined_line() -> None:
    """Orders below #end count and are told; a backslash joins two lines."""
    assert orders("MOVE S2 W", "#end", "MOVE S3 W") == (["MOVE S2 W", "MOVE S3 W"], ["#end"])
    assert orders("MOVE S2 \\", "W") == (["MOVE S2 W"], [])


def test_verbs_may_be_cut() -> None:
    """Three letters of a verb are enough."""
    assert orders("MOV S2 W") == (["MOVE S2 W"], [])


@pytest.mark.parametrize("end", ["END", "ENDPRESS", "SIGNOFF"])
def test_letters_go_in_a_mail_of_their_own(begun: Desk, end: str) -> None:
    """A letter goes to its reader without the line that ends it."""
    assert "goes by mail at once to blue" in answer(begun, f"PRESS TO blue\nLet us deal.\n{end}")
    assert "Let us deal." in words(begun.last(BOB))
    assert end not in words(begun.last(BOB)).split()


def test_letters_among_orders_and_supports_are_errors() -> None:
    """A letter, a support and a convoy are refused, and the orders around them count."""
    strange = ["PRESS TO seat2", "S1 S S2 - NE", "C1 C C2 - W"]

    assert orders(*strange, "MOVE S2 W") == (["MOVE S2 W"], strange)


def test_the_receipt_comes_at_once(begun: Desk) -> None:
    """It restates the orders, names the lines that are none, and says which of WAIT and FINAL counts."""
    receipt = answer(begun, "Hello,\nBID 3\nBIDD x\nWAIT\nFINAL")

    assert "BID 3" in receipt
    assert '"Hello,"' in receipt
    assert "BIDD x" in receipt
    assert "the last of them counts, FINAL." in receipt
