"""Lines as people write them, and what comes of each (words.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.ruleset import Parsed
from rules.singularity import RULESET
from tests.rules.singularity.table import position, turn, view
from tests.rules.words import Row, hinted, outcome, rows

ROWS = rows(Path(__file__).with_name("words.txt"))
MOVE = position("d4 e5 c8 g6")
VIEWS = {
    "move": view(MOVE, "red"),
    "offered": view(turn(position("d4 e5 c8"), blue=["PLACE g6", "DRAW OFFER"])[0], "red"),
    "kept": view(
        turn(MOVE, red=["IF e4 THEN e6", "IF e7 THEN e9", "IF e8 THEN c4 AFTER e6"], blue=[])[0],
        "red",
    ),
    "waiting": view(position("d4 e5 c8"), "red"),
}


def read_row(row: Row, typed: str = "") -> Parsed:
    """What a sheet with this one line, or another one in its place, comes to."""
    return RULESET.parse(VIEWS[row.view], [(1, typed or row.typed)])


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.view}: {row.typed}" for row in ROWS])
def test_a_line_is_understood_as_it_is_meant(row: Row) -> None:
    """What is typed comes to exactly the orders of the table, and what is told of it says what it must."""
    parsed = read_row(row)

    assert outcome(parsed, RULESET.orders) == (row.refused, row.orders)
    assert row.said in " ".join(f"{found.text} {found.hint}" for found in parsed.findings)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.view}: {row.typed}" for row in ROWS])
def test_a_hint_typed_in_is_taken(row: Row) -> None:
    """Where the answer to a line says what to write, that is taken."""
    for line in hinted(row.typed, read_row(row)):
        assert (line, read_row(row, line).errors) == (line, ())


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.view}: {row.typed}" for row in ROWS])
def test_what_a_receipt_says_typed_back_is_the_same_order(row: Row) -> None:
    """The words by which a receipt restates an order bring that order again."""
    for order in read_row(row).orders:
        assert (order.words(), read_row(row, order.words()).orders) == (order.words(), (order,))


def test_the_table_is_long_and_nearly_all_of_it_is_understood() -> None:
    """There are at least 120 lines, and of those that are meant as orders at least 95 in 100 are taken."""
    meant = [row for row in ROWS if row.orders]

    assert len(ROWS) >= 120
    assert len([row for row in meant if read_row(row).orders]) >= 0.95 * len(meant)
