"""Tests of the lines of turn summaries."""

from __future__ import annotations

import pytest

from pbem_rules.common.summary import counted, headline, headlines, named, sentence


def test_headlines_are_five_at_most_and_cut_at_a_word() -> None:
    """Of too much news the last is left out; lines begin with a capital, and names with hyphens stay whole."""
    assert headlines(map(str, range(9)), ["last"]) == ["0", "1", "2", "3", "last"]
    line = headline("one two " * 10 + "half-hearted-words")
    assert line == "One two " + "one two " * 9 + "…"


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
    """Of many names the first are listed, with the number of the others."""
    assert named(names) == told


def test_numbers_and_capitals() -> None:
    """A number has the right plural, and only the first letter is capitalised."""
    assert [counted(1, "unit"), counted(2, "unit")] == ["1 unit", "2 units"]
    assert sentence("the GM says") == "The GM says"
