"""Recognition of the lines of a text that are of a mail of ours."""

from __future__ import annotations

from pbem.inbox.quoted_originals import SentText, match_form_lines, match_lines, spell

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
