"""Tests of orders as people write them, row by row of each game's `words.txt`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.bubble_singularity import words as bubble_singularity
from tests.rules.dueling_masters import words as dueling_masters
from tests.rules.harvester import words as harvester
from tests.rules.singularity import words as singularity
from tests.rules.singularity_trap import words as singularity_trap
from tests.rules.wordlist import Reader, Row, rows, understood

GAMES = {
    module.READER.ruleset.key: (module.READER, rows(Path(str(module.__file__)).with_name("words.txt")))
    for module in (bubble_singularity, dueling_masters, harvester, singularity, singularity_trap)
}
"""Each game's reader and rows; those of The Umpire's Pen are read otherwise, and tested beside it."""

WRITTEN = [
    pytest.param(reader, row, id=f"{key}: {row.view}: {row.typed}")
    for key, (reader, table) in GAMES.items()
    for row in table
]


@pytest.mark.sampled(430)
@pytest.mark.parametrize(("reader", "row"), WRITTEN)
def test_what_people_write_is_understood(reader: Reader, row: Row) -> None:
    """Each line gives the orders meant, or is refused with a hint whose suggestion is accepted."""
    assert reader.outcome(row) == row.meant
    assert reader.untaken_hints(row) == []


@pytest.mark.parametrize("key", ["harvester", "singularity"])
def test_what_a_receipt_says_typed_back_is_the_same_order(key: str) -> None:
    """The words by which a receipt restates an order give that order again, except for one that needs CONFIRM."""
    reader, written = GAMES[key]
    for row in written:
        for order in reader.parse(row).orders:
            if not order.ends_seat:
                assert reader.parse(row, order.words()).orders == (order,), order.words()


@pytest.mark.parametrize("key", GAMES)
def test_nearly_all_lawful_lines_are_understood(key: str) -> None:
    """At least 95 of 100 lines with a lawful meaning are understood, of at least 120 lines in all."""
    assert understood(*GAMES[key]) >= 0.95
