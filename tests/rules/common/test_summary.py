"""Lines of a turn in brief."""

from __future__ import annotations

import pytest

from pbem_rules.common.summary import counted, fitted, named, sentence


def test_lines_are_eight_at_most_and_cut_at_a_word() -> None:
    """Empty ones do not count; a line begins with a capital, and names with hyphens stay whole."""
    assert fitted(["", *map(str, range(9))]) == list("01234567")
    (line,) = fitted(["one two " * 8 + "half-hearted-words"])
    assert line == "One two " + "one two " * 7 + "…"


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], ""),
        (["bob"], "bob"),
        (["bob", "cyd"], "bob and cyd"),
        (["bob", "cyd", "dan"], "bob, cyd and dan"),
        (["bob", "cyd", "dan", "eve"], "bob, cyd and 2 more"),
    ],
)
def test_of_many_names_the_first_are_told(names: list[str], told: str) -> None:
    """And how many more there are."""
    assert named(names) == told


def test_numbers_and_capitals() -> None:
    """One unit, two units; only the first letter changes."""
    assert [counted(1, "unit"), counted(2, "unit")] == ["1 unit", "2 units"]
    assert sentence("the GM says") == "The GM says"
