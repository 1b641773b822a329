"""Lines as people write them, and their orders (words.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem_rules.harvester import RULESET
from tests.rules.harvester.table import position, view
from tests.rules.wordlist import Reader, Row, rows, understood

ROWS = rows(Path(__file__).with_name("words.txt"))
STATE = position(
    {
        "ann": {
            "G": (0, 0),
            "L1": (0, 0),
            "S1": (1, 0),
            "S2": (0, 0),
            "S3": (-1, 2),
            "C1": (0, 0),
            "C2": (2, -1),
            "C4": (-2, 0),
        }
    },
    resources={(3, -2): 2, (0, 3): 1},
    crags=[(0, -1)],
    held={"ann": 9},
)
VIEW = view(STATE, "ann")


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return a reader for that view."""
    return Reader(RULESET, {"": lambda: VIEW})


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_what_people_write_is_understood(reader: Reader, row: Row) -> None:
    """Each line gives the orders meant, or is refused with a hint whose suggestion is accepted."""
    assert reader.outcome(row) == row.meant
    assert reader.untaken_hints(row) == []


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_what_a_receipt_says_typed_back_is_the_same_order(reader: Reader, row: Row) -> None:
    """The words by which a receipt restates an order give that order again, except for one that needs CONFIRM."""
    for order in reader.parse(row).orders:
        if not order.ends_seat:
            again = reader.parse(row, order.words())
            assert (order.words(), again.orders) == (order.words(), (order,))


def test_nearly_all_lawful_lines_are_understood(reader: Reader) -> None:
    """At least 95 of 100 lines with a lawful meaning are understood, of at least 120 lines in all."""
    assert understood(reader, ROWS) >= 0.95
