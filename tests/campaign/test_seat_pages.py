"""Reports as pages for a browser: their recipients, and their reply codes."""

from __future__ import annotations

import json
import re
from email.message import EmailMessage
from typing import Any

import pytest

from tests.inbox.people import ANN, BOB, EVE, ask, confirm, reports, token
from tests.toy.home import Desk


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def page(mail: EmailMessage) -> str:
    """Return the page attached to a mail, or ""."""
    files = [part for part in mail.iter_attachments() if part.get_content_type() == "text/html"]
    return "".join(str(file.get_content()) for file in files)


def seat_of(found: str) -> Any:
    """Return the data of a page for its script."""
    data = re.search(r'<script type="application/json" id="seat">(.*?)</script>', found)
    assert data
    return json.loads(data[1])


def test_nobody_gets_a_page_unasked(desk: Desk) -> None:
    """Reports come without a page, unless the house rules or the player say otherwise."""
    assert page(desk.last(ANN)) == ""


def test_a_player_who_wants_pages_gets_them(desk: Desk) -> None:
    """FORMAT PAGE is for that player alone, and NOPAGE ends it."""
    ask(desk, "FORMAT PAGE")
    desk.tick(hours=24 * 7)
    with_page, without = desk.last(ANN), desk.last(BOB)
    ask(desk, "FORMAT NOPAGE")
    desk.tick(hours=24 * 7)

    (file,) = [part for part in with_page.iter_attachments() if part.get_content_type() == "text/html"]
    assert file.get_filename() == "toy1-red.html"
    assert "<title>" in page(with_page)
    assert page(without) == page(desk.last(ANN)) == ""


def test_the_house_rules_may_give_pages_to_all(desk: Desk) -> None:
    """A player's FORMAT takes precedence over the house rules, and mail as text alone has no page."""
    desk.set_rules(page="attached")
    ask(desk, "FORMAT NOPAGE", BOB)
    desk.tick(hours=24 * 7)
    assert (page(desk.last(ANN)) == "", page(desk.last(BOB)) == "") == (False, True)

    ask(desk, "FORMAT PLAIN", ANN)
    desk.tick(hours=24 * 7)
    assert page(desk.last(ANN)) == ""


def test_a_page_writes_the_sheets_of_its_report(desk: Desk) -> None:
    """The data of a page have the sheet's first line and its address, as the report does."""
    ask(desk, "FORMAT PAGE")
    desk.tick(hours=24 * 7)
    report = desk.last(ANN)
    seat = seat_of(page(report))

    code = str(report["Reply-To"]).partition("+")[2].partition("@")[0]
    assert seat["header"] == f"ORDERS toy1 red {code}"
    assert seat["address"] == str(report["Reply-To"]).replace(f"+{code}", "")
    assert [verb["word"] for verb in seat["desk"]["verbs"]] == ["BID", "WHISPER"]


def test_a_report_that_is_sent_again_brings_its_page_again(desk: Desk) -> None:
    """A page is not stored, but made again from stored data."""
    ask(desk, "FORMAT PAGE")
    desk.tick(hours=24 * 7)
    first = page(desk.last(ANN))
    ask(desk, "RESEND")

    assert page(reports(desk, ANN)[-1]) == first != ""


def test_a_deputys_page_has_a_code_of_its_own(desk: Desk) -> None:
    """The player's code is not in the page of the deputy."""
    ask(desk, "FORMAT PAGE")
    ask(desk, f"PLAYER toy1 red {token(desk)}\nDEPUTY eve@example.net UNTIL 2026-11-20\nEND")
    confirm(desk, EVE)
    desk.tick(hours=24 * 7)
    own, copy = page(reports(desk, ANN)[-1]), page(reports(desk, EVE)[-1])
    codes = [seat_of(each)["header"].split()[-1] for each in (own, copy)]

    assert (codes[0] in copy, codes[1] in copy) == (False, True)
    assert copy.replace(codes[1], codes[0]) == own
