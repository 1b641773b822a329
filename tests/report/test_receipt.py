"""Tests of receipts: accepted and refused lines, and the sheet that counts now."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pbem.report.answers import FindingWithLine, Receipt, compare, restate, tell_findings
from pbem.report.facts import OrderOutcome
from pbem.report.mailto import MOST_CHARACTERS
from pbem.report.notices import MailFrame
from tests.report.toy import Fair, reporter, seen

HEADER = "ORDERS fair1 red k3v7mq2xw5n4tzpa"
SHEET = [(1, "BID 3"), (2, "; a remark"), (3, "WHSIPER blue deal"), (4, "BID 77")]


def receipt(lines: list[tuple[int, str]] = SHEET, **changes: Any) -> Receipt:
    """Return the receipt of a sheet of these lines, as the inbox would make it."""
    parsed = Fair().parse(seen(), lines)
    usual: dict[str, Any] = {
        "campaign": "fair1",
        "seat": "red",
        "label": "round 2",
        "version": 2,
        "digest": "0123456789abcdef" * 4,
        "accepted": bool(parsed.entries) or not parsed.errors,
        "orders": restate(parsed, Fair.orders, lines),
        "findings": tell_findings(parsed.findings, lines),
        "deadline": dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC),
        "zone": "Europe/Berlin",
        "code": "k3v7mq2xw5n4tzpa",
    }
    return Receipt(**(usual | changes))


def told(lines: list[tuple[int, str]] = SHEET, **changes: Any) -> str:
    """Return the text of that receipt."""
    return reporter().write(receipt(lines, **changes)).text


def colour_of(made: Receipt) -> str:
    """Return the kind of the panel of a receipt."""
    found = re.search(r'<div class="r (\w+)"', reporter().write(made).html)
    assert found
    return found[1]


def link_lines(label: str, **changes: Any) -> list[str]:
    """Return the lines of the mail that a link of the receipt writes; none if there is no such link."""
    frame = MailFrame(reply_to="orders+k3v7mq2xw5n4tzpa@example.org", campaign="fair1")
    html = reporter().write(receipt(**changes), frame).html
    found = re.search(rf'href="([^"]*)"[^>]*>{label}<', html)
    return parse_qs(urlsplit(unescape(found[1])).query)["body"][0].split("\r\n") if found else []


def test_the_verdict_comes_first() -> None:
    """Subject, heading and first paragraph say how many orders were not accepted, and that the others count."""
    made = receipt()

    assert made.subject == "1 line NOT accepted, round 2"
    assert told().startswith("1 of 3 orders not accepted; the other 2 count\nred · round 2\n\nRound 2 runs on ")


def test_verdict_of_a_good_sheet() -> None:
    """A sheet without errors is simply in."""
    good = receipt([(1, "BID 3")])

    assert (good.verdict, good.subject) == ("Your order is in.", "orders in: 1 of 1, round 2")


def test_a_warning_is_told_before_all_else() -> None:
    """Subject, heading and colour of a sheet with a warning are not those of one with which all is well."""
    finding = FindingWithLine(1, "warning", "BID 3", "only 2 of 3 will be paid", "")
    warned = receipt([(1, "BID 3")], findings=(FindingWithLine(1, "note", "BID 3", "the first bid", ""), finding))
    text = reporter().write(warned).text

    assert (warned.verdict, warned.subject) == ("Your order is in, with 1 warning.", "1 order in, 1 warning, round 2")
    assert "Look at the warning below. Round 2 runs on" in text
    assert "- BID 3\n  WARNING: only 2 of 3 will be paid; the first bid\n" in text
    assert [colour_of(each) for each in (warned, receipt([(1, "BID 3")]), receipt())] == ["du", "ok", "no"]


def test_a_turn_that_waits_is_not_all_well() -> None:
    """A sheet that lacks what the turn asks for is shown in the colour of what is due."""
    assert colour_of(receipt([(1, "BID 3")], waits="missing", missing=("no price is named",))) == "du"


def test_a_warning_of_the_whole_sheet_is_marked() -> None:
    """A warning on no line is called one, too."""
    finding = FindingWithLine(0, "warning", "", "red wins if all pass", "")

    assert "\n- Warning: red wins if all pass.\n" in told([(1, "BID 3")], findings=(finding,))


def test_verdict_of_an_empty_sheet() -> None:
    """An empty sheet is an answer too."""
    assert receipt([]).verdict == "No orders this turn, as you sent it."
    assert receipt([]).subject == "no orders, round 2"


def test_line_with_two_errors_counts_once() -> None:
    """The verdict counts lines, not findings."""
    finding = receipt().errors[0]

    assert replace(receipt(), findings=(finding, finding)).verdict == "1 of 3 orders not accepted; the other 2 count."


def test_orders_are_restated() -> None:
    """Every accepted order is shown as a line; in words too where its player wrote it otherwise."""
    assert "\n- BID 3\n- BID 77\n  WARNING: 77 coins are more than your purse holds; you have 11\n" in told()
    assert "\n- BID 3\n  bid 3 for the prize\n" in told([(1, "please bid 3")])


def test_error_shows_line_fault_and_corrected_line() -> None:
    """An error shows the line as typed, what is wrong, and the line as it was probably meant."""
    assert "\n\nWHSIPER blue deal\n\nThere is no order WHSIPER. Perhaps: WHISPER blue deal\n" in told()


def test_continued_line_is_shown_whole() -> None:
    """A finding on a line that continues on the next shows both as one."""
    assert "\n\nWHISPER blue  howdy\n" in told([(1, "WHISPER blue \\"), (2, "howdy")])


def test_version_and_digest_are_shown() -> None:
    """The receipt names the sheet by its number and twelve hex digits."""
    assert "Sheet 2, 0123456789ab." in told()


def test_replacement_shows_the_difference() -> None:
    """A later sheet replaces the earlier one; dropped and added orders are listed."""
    fair, view = Fair(), seen()
    before, now = fair.parse(view, [(1, "BID 5"), (2, "BID 3")]).orders, fair.parse(view, SHEET).orders

    text = told(replaces=compare(1, before, now, fair.orders))

    assert "Compared with your last sheet: added BID 77; dropped BID 5.\n" in text


def test_replacement_by_the_same() -> None:
    """A sheet sent twice is said to ask for the same."""
    fair = Fair()
    orders = fair.parse(seen(), SHEET).orders

    assert "\nThe same orders as before.\n" in told(replaces=compare(1, orders, orders, fair.orders))


def test_replacement_in_another_sequence() -> None:
    """The sequence of orders may matter, so a change of it is told."""
    fair = Fair()
    orders = fair.parse(seen(), SHEET).orders

    assert "in another sequence" in told(replaces=compare(1, orders[::-1], orders, fair.orders))


def test_repeated_orders_are_counted() -> None:
    """Of an order written twice and now once, one is dropped."""
    fair = Fair()
    (order,) = fair.parse(seen(), [(1, "BID 3")]).orders

    assert compare(1, [order, order], [order], fair.orders).dropped == ("BID 3",)


def test_sheet_of_errors_leaves_the_good_one() -> None:
    """A sheet with nothing but errors is refused, and the receipt says which orders still count."""
    before = (OrderOutcome("BID 3", "of your 5 coins", "BID 3"),)
    text = told([(1, "FIGHT")], counts=1, counts_at=dt.datetime(2026, 11, 24, 9, 1, tzinfo=dt.UTC), counting=before)

    assert receipt([(1, "FIGHT")]).subject == "NOTHING accepted, round 2"
    assert text.startswith("Nothing new accepted\n")
    assert "Your orders of Tue 24 Nov, 10:01 CET count:\n\n- BID 3\n  of your 5 coins\n" in text
    assert "What counts" not in text


def test_sheet_of_errors_with_none_before() -> None:
    """If no earlier sheet counts, the player learns that too."""
    assert "No orders of yours count. " in told([(1, "FIGHT")])


def test_wait_and_final_are_told() -> None:
    """The receipt says whether the turn may be run early, and one tap changes that and keeps the orders."""
    good = [(1, "BID 3")]

    assert "Round 2 runs on Fri 27 Nov, 20:00 CET, or sooner once all players' orders are in." in told(good)
    assert "You said WAIT: round 2 runs at its deadline, Fri 27 Nov, 20:00 CET." in told(good, waits="word")
    assert link_lines("WAIT for the deadline", lines=good) == [HEADER, "WAIT", "END"]
    assert link_lines("I am ready", lines=good, waits="word") == [HEADER, "FINAL", "END"]


def test_a_correction_that_is_awaited_is_told() -> None:
    """The receipt says until when the turn waits, and by which word, or tap, it goes on without the refused lines."""
    until = "The turn waits for your correction until Fri 27 Nov, 20:00 CET"
    some, none = " ".join(told(waits="correction").split()), [(1, "FIGHT")]

    assert f"{until}. To go on without: FINAL." in some
    assert f"{until}. FINAL alone, if they are all." in " ".join(told(none, waits="correction", counts=1).split())
    assert "No orders of yours count. The turn waits until Fri 27 Nov, 20:00 CET." in " ".join(
        told(none, waits="correction").split()
    )
    assert link_lines("This is all: FINAL", waits="correction") == [HEADER, "FINAL", "END"]
    assert link_lines("This is all: FINAL", lines=none, waits="correction") == []


def test_the_corrected_sheet_is_a_tap_away() -> None:
    """It has all lines in their order: as accepted, as corrected, and as a comment where no correction is known."""
    lines = [(1, "BID 3"), (2, "WHSIPER blue deal"), (3, "FIGHT")]

    assert link_lines("Correct my orders", lines=lines) == [
        HEADER,
        "BID 3",
        "WHISPER blue deal",
        "; not possible so far: FIGHT",
        "END",
    ]
    assert link_lines("Change these orders", lines=[(1, "bid 3")], wait=False) == [HEADER, "BID 3", "END"]


def test_wait_is_offered_only_where_it_keeps_a_turn_open() -> None:
    """After the deadline, without one, and where something is missing anyway, the receipt does not name WAIT."""
    good = [(1, "BID 3")]

    for changes in ({"late": True}, {"deadline": None}, {"waits": "missing"}):
        assert "To change orders, reply with all of them.\n" in told(good, **changes)
        assert "WAIT" not in told(good, **changes)


def test_a_sheet_too_long_for_a_link_has_none() -> None:
    """A link with a part of the orders would drop the others, so there is none."""
    talk = [(number, "WHISPER blue" + " deal" * 40) for number in range(1, MOST_CHARACTERS // 200 + 1)]

    assert receipt(talk).errors == ()
    assert link_lines("Change these orders", lines=talk) == []
    assert "To change orders, reply with all of them." in told(talk)


def test_notes_and_courtesies_are_told() -> None:
    """The parts cleaned from the mail are told, and below them what was read as words to a person."""
    text = told(notes=("a signature was left out",), courtesies=("Hi,", "Thanks, Ann"))

    assert "\nA signature was left out.\n" in text
    assert text.partition("\n-- \n")[2].count('Not orders: "Hi,", "Thanks, Ann".') == 1


def test_open_ends_are_told() -> None:
    """Open ends of the sheet are listed."""
    assert "\n- Ship R1 has no order.\n" in told(missing=("ship R1 has no order",))
