"""Tests of receipts: accepted and refused lines, and the sheet that counts now."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

from pbem.report.answers import Receipt, compare, restate, tell_findings
from tests.report.toy import Fair, reporter, seen

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
        "orders": restate(parsed, Fair.orders),
        "findings": tell_findings(parsed.findings, lines),
        "deadline": dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC),
        "zone": "Europe/Berlin",
    }
    return Receipt(**(usual | changes))


def told(lines: list[tuple[int, str]] = SHEET, **changes: Any) -> str:
    """Return the text of that receipt."""
    return reporter().write(receipt(lines, **changes)).text


def test_verdict_is_the_first_line() -> None:
    """The first line says how many orders were accepted and how many lines are in error."""
    assert told().splitlines()[0] == "Sheet 2 taken: 2 orders, 1 line in error."


def test_an_order_restated_is_typed_back_as_the_same() -> None:
    """The line below an order in words, wrapped as in a sheet, is parsed as that order again."""
    talk = " ".join(["deal"] * 40)
    text = told([(1, "whis BLUE " + talk), (2, "bid 3")])
    below = text.partition("YOUR ORDERS, BY LINE")[2].partition("\n\n")[0].splitlines()
    first = next(at for at, line in enumerate(below) if "WHISPER" in line)
    copied = [line for line in below[first:] if line.startswith("      ") and "prize" not in line]

    again = Fair().parse(seen(), list(enumerate(copied, 1)))
    assert [order.words() for order in again.orders] == [f"whisper to blue: {talk}", "bid 3 for the prize"]
    assert max(map(len, below)) <= 78


def test_verdict_of_a_good_sheet() -> None:
    """A sheet without errors is simply taken."""
    assert receipt([(1, "BID 3")]).verdict == "Sheet 2 taken: 1 order."


def test_verdict_of_an_empty_sheet() -> None:
    """An empty sheet is an answer too."""
    assert receipt([]).verdict == "Sheet 2 taken: no orders, as you sent it."


def test_line_with_two_errors_counts_once() -> None:
    """The verdict counts lines, not findings."""
    finding = receipt().errors[0]

    assert "1 line in error" in replace(receipt(), findings=(finding, finding)).verdict


def test_orders_are_restated_with_their_lines() -> None:
    """Every order is shown in words beside the number of its line."""
    assert "   1  Bid 3 for the prize.\n      BID 3\n   4  Bid 77 for the prize.\n      BID 77\n" in told()


def test_error_names_line_fault_and_nearest_word() -> None:
    """An error shows its line number, the line, what is wrong, and the nearest valid word."""
    block = "Line 3: WHSIPER blue deal\n    There is no order WHSIPER.\n    Perhaps: WHISPER blue deal.\n"

    assert f"NOT TAKEN\n---------\n{block}" in told()


def test_warning_stands_apart_from_errors() -> None:
    """A line that was taken with a warning is not counted among those in error."""
    block = "Line 4: BID 77\n    77 coins are more than your purse holds.\n    You have 11.\n"

    assert f"PLEASE LOOK AT\n--------------\n{block}" in told()


def test_continued_line_is_shown_whole() -> None:
    """A finding on a line that continues on the next shows both as one, under the first number."""
    text = told([(1, "WHISPER blue \\"), (2, "howdy")])

    assert "Line 1: WHISPER blue  howdy\n" in text


def test_version_and_digest_are_shown() -> None:
    """The receipt names the sheet by its number and twelve hex digits."""
    assert "sheet 2, digest 0123456789ab." in told()


def test_replacement_shows_the_difference() -> None:
    """A later sheet replaces the earlier one; dropped and added orders are listed."""
    fair, view = Fair(), seen()
    before, now = fair.parse(view, [(1, "BID 5"), (2, "BID 3")]).orders, fair.parse(view, SHEET).orders

    text = told(replaces=compare(1, before, now, fair.orders))

    assert "It replaces your sheet 1; dropped (-) and added (+) were:\n  - BID 5\n  + BID 77\n" in text


def test_replacement_by_the_same() -> None:
    """A sheet sent twice is said to ask for the same."""
    fair = Fair()
    orders = fair.parse(seen(), SHEET).orders

    assert "replaces your sheet 1 and asks for the same." in told(replaces=compare(1, orders, orders, fair.orders))


def test_replacement_in_another_sequence() -> None:
    """The sequence of orders may matter, so a change of it is told."""
    fair = Fair()
    orders = fair.parse(seen(), SHEET).orders

    assert "the same orders in another sequence" in told(replaces=compare(1, orders[::-1], orders, fair.orders))


def test_repeated_orders_are_counted() -> None:
    """Of an order written twice and now once, one is dropped."""
    fair = Fair()
    (order,) = fair.parse(seen(), [(1, "BID 3")]).orders

    assert compare(1, [order, order], [order], fair.orders).dropped == ("BID 3",)


def test_sheet_of_errors_leaves_the_good_one() -> None:
    """A sheet with nothing but errors is refused, and the receipt says which sheet still counts."""
    text = told([(1, "FIGHT")], counts=1)

    assert text.startswith("Sheet 2 not taken: 1 line in error, and no order besides.\n")
    assert "A mail with the word HELP brings all orders with examples." in " ".join(text.split())
    assert "Your sheet 1 still counts, unchanged." in text
    assert "YOUR ORDERS" not in text


def test_sheet_of_errors_with_none_before() -> None:
    """If no earlier sheet counts, the player learns that too."""
    assert "No sheet of yours counts yet." in told([(1, "FIGHT")])


def test_wait_and_final_are_told() -> None:
    """The receipt says whether the turn may be run early, and how to change that."""
    assert "You said WAIT" in told(wait=True)
    assert "This sheet is final" in told()


def test_deadline_in_both_zones() -> None:
    """The deadline is given in the campaign's zone and in UTC."""
    assert "Orders are due Fri 27 Nov 2026 20:00 Europe/Berlin (19:00 UTC).\n" in told()


def test_cleaning_is_told() -> None:
    """Changes made when the mail was cleaned are listed."""
    text = told(notes=("a signature was left out",))

    assert text.endswith("ABOUT YOUR MAIL\n---------------\n- A signature was left out.\n")


def test_open_ends_are_told() -> None:
    """Open ends of the sheet are listed."""
    assert "TO KNOW\n-------\n- Ship R1 has no order.\n" in told(missing=("ship R1 has no order",))


def test_receipt_fits_a_mail() -> None:
    """No line of a receipt is longer than a mail's width, unless the player's own was."""
    text = told([(1, "WHISPER blue" + " deal" * 40)])

    assert max(map(len, text.splitlines())) <= 78
