"""Tests of times, wrapped lines and tables, as templates use them."""

from __future__ import annotations

import datetime as dt
import textwrap

import pytest

from pbem.report.templates import TEXT_FILTERS, Sandbox, paragraph
from pbem.text import WIDTH, as_sentence, count_noun, format_table, format_time, heading, wrap


@pytest.mark.parametrize(
    ("at", "zone", "told"),
    [
        ("2026-11-27T19:00+00:00", "Europe/Berlin", "Fri 27 Nov 2026 20:00 Europe/Berlin (19:00 UTC)"),
        ("2026-07-03T18:00+00:00", "Europe/Berlin", "Fri 3 Jul 2026 20:00 Europe/Berlin (18:00 UTC)"),
        ("2026-11-27T22:30+00:00", "Asia/Tokyo", "Sat 28 Nov 2026 07:30 Asia/Tokyo (Fri 22:30 UTC)"),
        ("2026-11-27T19:00+00:00", "UTC", "Fri 27 Nov 2026 19:00 UTC"),
        ("2026-11-27T20:00+01:00", "UTC", "Fri 27 Nov 2026 19:00 UTC"),
    ],
)
def test_time_in_both_zones(at: str, zone: str, told: str) -> None:
    """A time is given in the campaign's zone and in UTC, whose day is named only if it differs."""
    assert format_time(dt.datetime.fromisoformat(at), zone) == told


def test_long_text_is_wrapped_under_its_beginning() -> None:
    """Further lines are indented, no line is too long, and no word is lost."""
    text = "word " * 50

    lines = wrap(text, "    ").splitlines()

    assert max(map(len, lines)) <= WIDTH
    assert all(line.startswith("    word") for line in lines[1:])
    assert " ".join(lines).split() == text.split()


def test_long_word_stays_whole() -> None:
    """A hash or an address is never broken."""
    assert "f" * 100 in wrap("see " + "f" * 100)


@pytest.mark.parametrize("width", [4, 7, 12, 25, 40])
def test_lines_are_broken_as_the_standard_library_breaks_them(width: int) -> None:
    """Long words, blanks at the end of a line and single words are wrapped as by textwrap."""
    text = "so it was - whoever-had-come and extraordinarily\u00a0late was told: no, nobody is up a"

    for end in range(1, len(text) + 1):
        words = " ".join(text[:end].split())
        assert wrap(words, width=width).split("\n") == textwrap.wrap(
            words, width, break_long_words=False, break_on_hyphens=False
        )


def test_paragraph_is_one_block() -> None:
    """The lines of a template's block are joined and wrapped again; an empty block leaves nothing."""
    assert paragraph("one\ntwo\n") == "one two\n"
    assert paragraph("\n\n") == ""


def test_columns_are_aligned() -> None:
    """Words are aligned to the left, whole numbers to the right, and no line ends in blanks."""
    table = format_table([("R472", 3, "dark"), ("R9", 12, "")], "Ship", "Damage", "State")

    assert table == "Ship  Damage  State\nR472       3  dark\nR9        12"


def test_table_without_rows_is_its_headings() -> None:
    """An empty table still shows its headings."""
    assert format_table([], "Ship", "State") == "Ship  State"


def test_rows_must_fit_their_headings() -> None:
    """A template whose rows do not match its headings raises an error."""
    with pytest.raises(ValueError, match="Ship, State needs rows of 2"):
        format_table([("R472",)], "Ship", "State")


def test_heading_is_underlined() -> None:
    """A heading is in capitals over a line of its length."""
    assert heading("Map") == "MAP\n---"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("did you mean FIRE?", "Did you mean FIRE?"),
        ("'x' is no order", "'x' is no order."),
        ("Done.", "Done."),
        ("Hi GM,", "Hi GM,"),
    ],
)
def test_sentence(text: str, told: str) -> None:
    """A finding is shown as a sentence, whichever way its game has written it."""
    assert as_sentence(text) == told


def test_numbers_are_told_with_what_they_count() -> None:
    """The plural of a counted noun takes an s, or is given."""
    assert [count_noun(number, "unit") for number in (0, 1, 2)] == ["0 units", "1 unit", "2 units"]
    assert [count_noun(number, "hex", "hexes") for number in (1, 2)] == ["1 hex", "2 hexes"]


@pytest.mark.parametrize(
    ("rows", "pattern", "filled"),
    [
        ([[1, -2, "W"], [3, 4, ""]], "{0},{1}", ["1,-2", "3,4"]),
        ([{"id": "R1", "space": "J1"}], "{id:<4}at {space}", ["R1  at J1"]),
        ([{"id": "<&>"}], "<b>{id}</b> {{}}", ["<b><&></b> {}"]),
        ([], "{id}", []),
    ],
)
def test_rows_are_written_into_a_pattern(rows: list[object], pattern: str, filled: list[str]) -> None:
    """Patterns take positions or keys, and widths; braces are doubled as in Python."""
    assert _rendered("{{ rows | filled(pattern) | join('|') }}", rows, pattern) == "|".join(filled)


def test_what_rows_have_is_escaped_in_html_and_the_pattern_is_not() -> None:
    """In HTML the values of rows are escaped and the pattern is not."""
    source = "{% autoescape true %}{{ rows | filled(pattern) | join }}{% endautoescape %}"

    assert _rendered(source, [{"id": "<&>"}], "<b>{id}</b>") == "<b>&lt;&amp;&gt;</b>"


def _rendered(source: str, rows: list[object], pattern: str) -> str:
    templates = Sandbox()
    templates.filters.update(TEXT_FILTERS)
    return templates.from_string(source).render(rows=rows, pattern=pattern)
