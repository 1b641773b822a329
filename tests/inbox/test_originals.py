"""Recognition of the lines of a text that are of a mail of ours."""

from __future__ import annotations

from pbem.inbox.quoted_originals import SentText, find_entries, match_ends, match_form_lines, match_lines, spell

OURS = """\
Report for red
WHAT HAPPENED
-------------
Your ship has moved to the gate.
Another one was lost in a storm.
MOVE S1 N 2
MOVE S2 N 2
The next turn is due on Friday at eight.
ORDERS toy1 red abcdefghijklmno7
; one a line
END
Send it soon, please.
""".splitlines()


def found(text: list[str]) -> list[str]:
    """Return the lines of a text that are ours."""
    ours = match_lines(SentText.of(OURS), text, spell(text))
    return [line for at, line in enumerate(text) if at in ours]


def test_a_mail_of_ours_is_known() -> None:
    """All lines of our mail are recognised, except for the sheet in it."""
    assert found(OURS) == [line for line in OURS if line and line not in OURS[8:11]]


def test_a_line_between_ours_is_typed() -> None:
    """A line between ours is the sender's."""
    assert "MOVE S3 N" not in found([*OURS[:4], "MOVE S3 N", *OURS[4:]])


def test_copied_orders_are_typed() -> None:
    """Orders alone that are in our mail are the sender's copy."""
    assert found(["MOVE S1 N 2", "MOVE S2 N 2"]) == []


def test_orders_in_a_quotation_are_not() -> None:
    """Orders within a quotation of our mail are quoted too, even if it was cut."""
    assert "MOVE S1 N 2" in found(OURS[:7])
    assert "MOVE S2 N 2" in found([*OURS[:5], "MOVE S2 N 2", *OURS[7:]])
    assert "MOVE S2 N 2" in found([*OURS[:5], "MOVE S2 N 2"])


def test_a_few_words_prove_nothing() -> None:
    """A line or two may be the same by chance."""
    assert found(["Your ship has moved to the gate."]) == []


def test_a_sheet_as_it_was() -> None:
    """An unedited sheet is recognised by all its words, one that was filled in is not."""
    original = SentText.of(OURS)

    assert match_form_lines(original, OURS[6:]) == {2, 3, 4}
    assert match_form_lines(original, [*OURS[8:10], "MOVE S1 N", "END"]) == frozenset()


RECEIPT = """\
Both orders are in
Toy Auction · toy1 · red · round 1
Nothing else to do: round 1 runs on Friday at eight.
- SAIL brig N
- PACT green YES
To change orders, reply with all of them.
Our company has moved to a new office. Its name is still on the door.
""".splitlines()
FOOTER = RECEIPT[-1]


def typed(text: list[str], *, before: tuple[str, ...] = ()) -> list[str]:
    """Return the lines of a reply to the receipt that are not its own; `before` are lines that were typed before."""
    original = SentText.of(RECEIPT, [*before, *find_entries(RECEIPT)])
    words = spell(text)
    left = match_lines(original, text, words) | match_ends(original, text, words)
    return [line for at, line in enumerate(text) if line and line[0] != ">" and at not in left]


def test_a_receipt_is_known_with_the_orders_it_repeats() -> None:
    """Of a receipt without marks nothing was typed, whatever bullets a program shows."""
    assert typed(RECEIPT) == []
    assert typed([line.replace("- ", "\u2022 ") for line in RECEIPT]) == []


def test_an_order_typed_as_the_receipt_repeats_it() -> None:
    """An order typed above or below a receipt without marks counts, though the receipt has it too."""
    assert typed(["SAIL brig N", *RECEIPT]) == ["SAIL brig N"]
    assert typed([*RECEIPT[:3], *RECEIPT[5:], "SAIL brig N"]) == ["SAIL brig N"]
    assert typed(["- SAIL brig N", *RECEIPT[5:]], before=("- SAIL brig N", FOOTER))[:1] == ["- SAIL brig N"]


def test_a_footer_that_was_sent_before_shows_no_quotation() -> None:
    """Sentences that the sender's own mails end with prove nothing: the orders above them were typed."""
    orders = ["- SAIL brig N", "- PACT green YES", "", FOOTER]

    assert typed(orders, before=(FOOTER,)) == ["- SAIL brig N", "- PACT green YES", FOOTER]


def test_a_line_right_below_a_marked_one_is_its_end_only_in_the_middle_of_a_line() -> None:
    """A program that breaks a marked line leaves its end; a line of its own in our mail was typed."""
    assert typed(["> Nothing else to do: round 1", "runs on Friday at eight."]) == []
    assert typed(["> Nothing else to do: round 1 runs on Friday at eight.", "- SAIL brig N"]) == ["- SAIL brig N"]
    assert typed(["> To change orders, reply with", "SAIL brig N"]) == ["SAIL brig N"]
