"""Which lines of a text are a mail of ours."""

from __future__ import annotations

from pbem.inbox.quoted_originals import SentText, match_form_lines, match_lines

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
    """The lines of a text that are ours."""
    ours = match_lines(SentText.of(OURS), text)
    return [line for at, line in enumerate(text) if at in ours]


def test_a_mail_of_ours_is_known() -> None:
    """All its lines are, but for the sheet in it."""
    assert found(OURS) == [line for line in OURS if line and line not in OURS[8:11]]


def test_what_stands_between_is_typed() -> None:
    """A line that somebody has put between ours is his."""
    assert "MOVE S3 N" not in found([*OURS[:4], "MOVE S3 N", *OURS[4:]])


def test_copied_orders_are_typed() -> None:
    """Orders alone that stand in our mail are of whoever has copied them."""
    assert found(["MOVE S1 N 2", "MOVE S2 N 2"]) == []


def test_orders_in_a_quotation_are_not() -> None:
    """Where the mail around them is quoted, they are quoted too, even if that was cut."""
    assert "MOVE S1 N 2" in found(OURS[:7])
    assert "MOVE S2 N 2" in found([*OURS[:5], "MOVE S2 N 2", *OURS[7:]])
    assert "MOVE S2 N 2" in found([*OURS[:5], "MOVE S2 N 2"])


def test_a_few_words_prove_nothing() -> None:
    """A line or two may be the same by chance."""
    assert found(["Your ship has moved to the gate."]) == []


def test_a_sheet_as_it_was() -> None:
    """A sheet that nobody has touched is known by all its words, one that was filled in is not."""
    original = SentText.of(OURS)

    assert match_form_lines(original, OURS[6:]) == {2, 3, 4}
    assert match_form_lines(original, [*OURS[8:10], "MOVE S1 N", "END"]) == frozenset()
