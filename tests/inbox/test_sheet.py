"""The sheet in a text: its frame, its lines, and the host's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.inbox.frames import MOST_SHEETS, SheetHeader, SheetText, find_sheet


def find(text: str, *campaigns: str) -> SheetText:
    """Return the sheet in a text, in a home with these campaigns."""
    return find_sheet(text.splitlines(), (campaigns or ("trap7",)))


def test_text_around_the_frame_is_ignored() -> None:
    """Greetings before ORDERS and signatures after END are no order lines."""
    sheet = find("Hello!\nORDERS trap7 red tok3n\nMOVE a\n\nMOVE b\nEND\nBye\nMOVE c")

    assert sheet.header == SheetHeader("trap7", "red", "tok3n")
    assert sheet.lines == ((1, "MOVE a"), (2, ""), (3, "MOVE b"))
    assert sheet.notes == ()


def test_a_plain_reply_is_all_lines() -> None:
    """Without a frame every line of the text counts from 1."""
    sheet = find("MOVE a\nMOVE b")

    assert sheet.header is None
    assert sheet.lines == ((1, "MOVE a"), (2, "MOVE b"))


def test_a_missing_end_is_noted() -> None:
    """Without END everything after ORDERS is read, and a note says so."""
    sheet = find("orders trap7 red\nMOVE a")

    assert sheet.lines == ((1, "MOVE a"),)
    assert "no END line" in sheet.notes[0]


def test_each_sheet_of_a_text_is_found() -> None:
    """A further frame for another campaign or seat is a sheet of its own, also one with a misspelt name and an END."""
    sheet = find("ORDERS trap7 red\nMOVE a\nEND\nhi\nORDERS trap8 red WAIT\nMOVE b\nEND\nbye")

    assert (sheet.lines, sheet.below, sheet.notes) == (((1, "MOVE a"),), ("hi",), ())
    assert [(each.header, each.lines, each.wait, each.below) for each in sheet.others] == [
        (SheetHeader("trap8", "red"), ((1, "MOVE b"),), True, ("bye",))
    ]


@pytest.mark.parametrize(("again", "read"), [("MOVE a", 2), ("MOVE c", 1)])
def test_a_second_sheet_for_a_seat(again: str, read: int) -> None:
    """The same sheet once more is none; another one may be older, and nothing from there on is read."""
    sheet = find(f"ORDERS trap7 red\nMOVE a\nEND\nORDERS trap7 red\n{again}\nEND\nORDERS trap7 blue\nMOVE b\nEND")

    assert len([sheet, *sheet.others]) == read
    assert any("Only the first sheet for trap7 red" in note for note in sheet.notes) == (read == 1)


def test_a_mail_has_a_few_sheets() -> None:
    """Of very many sheets the first eight are read, and a note says so."""
    sheet = find("\n".join(f"ORDERS trap7 s{number}\nMOVE a\nEND" for number in range(1_000)))

    assert len(sheet.others) == MOST_SHEETS - 1
    assert "first 8 sheets" in sheet.notes[0]


@pytest.mark.parametrize(
    "line", ["Orders for this week", "orders are below, sorry", "ORDERS", "orders to follow soon my friend"]
)
def test_prose_about_orders_is_no_header(line: str) -> None:
    """A line counts as a header if its campaign is known or an END follows."""
    assert find(f"{line}\nMOVE a").header is None


def test_a_header_of_an_unknown_campaign_counts_with_its_end() -> None:
    """A header with a misspelt campaign is found if END follows."""
    assert find("ORDERS trap8 red\nMOVE a\nEND").header == SheetHeader("trap8", "red")


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("ORDERS trap7 red\nMOVE a\nEND", None),
        ("ORDERS trap7 red\nMOVE a\nWAIT\nEND", True),
        ("ORDERS trap7 red tok3n wait\nMOVE a\nEND", True),
        ("ORDERS trap7 red WAIT\nMOVE a\nEND", True),
        ("ORDERS trap7 red wait\nMOVE a\nFinal ; ready\nEND", False),
        ("WAIT\nMOVE a", True),
        ("FINAL", False),
        ("WAIT for me", None),
    ],
)
def test_the_words_wait_and_final_are_the_hosts(text: str, wait: bool | None) -> None:
    """WAIT and FINAL are on a line of their own or end the header; the last one counts."""
    sheet = find(text)

    assert sheet.wait is wait
    assert not any(line.upper().startswith(("WAIT", "FINAL")) for _, line in sheet.lines if "me" not in line)


def test_names_in_a_header_are_case_blind() -> None:
    """Names in a header may be in capitals."""
    assert find("ORDERS Trap7 RED\nEND") == find("ORDERS trap7 red\nEND")


def test_the_text_kept_has_no_key() -> None:
    """The key of a sheet is masked in what is stored and archived."""
    text = find("hi\nORDERS trap7 red tok3n WAIT\nMOVE a\nEND\nbye").text()

    assert text == "ORDERS trap7 red ******** WAIT\nMOVE a\nEND\n"


@pytest.mark.parametrize(("text", "empty"), [("", True), ("; later", True), ("WAIT", True), ("MOVE", False)])
def test_a_sheet_of_comments_and_host_words_is_empty(text: str, empty: bool) -> None:
    """Only order lines ask for anything."""
    assert find(text).empty is empty


@given(st.lists(st.text(max_size=30) | st.sampled_from(["ORDERS trap7 red", "END", "WAIT", 'orders "'])))
def test_any_lines_make_a_sheet(lines: list[str]) -> None:
    """No text raises, and lines are numbered upwards from 1."""
    sheet = find_sheet(lines, {"trap7"})

    numbers = [number for number, _ in sheet.lines]
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= len(lines) for number in numbers)


def test_a_sheet_ends_where_the_next_begins() -> None:
    """Without END between them, the orders of one sheet are not taken for another's."""
    sheet = find("ORDERS trap7 red\nMOVE a\n\nORDERS trap7 blue\nMOVE b\nEND")

    assert sheet.lines == ((1, "MOVE a"), (2, ""))
    assert [each.lines for each in sheet.others] == [((1, "MOVE b"),)]


@pytest.mark.parametrize(("second", "others"), [("trap8 red", ["trap8"]), ("trap7 blue", ["trap7"]), ("trap7 red", [])])
def test_a_sheet_names_the_frames_of_other_seats_below_it(second: str, others: list[str]) -> None:
    """A further frame for another campaign or seat is known, wherever it stands below the first."""
    sheet = find(f"ORDERS trap7 red\nMOVE a\nEND\nand now\n\nORDERS {second}\nMOVE b\nEND", "trap7", "trap8")

    assert [each.header.campaign for each in sheet.others if each.header] == others
