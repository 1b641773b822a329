"""Lines as people write them, and the orders that they mean (words.txt)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pbem.ruleset import View
from pbem_rules.singularity import RULESET
from tests.rules.singularity.table import position, turn, view
from tests.rules.wordlist import Reader, Row, rows, understood

ROWS = rows(Path(__file__).with_name("words.txt"))
MOVE = position("d4 e5 c8 g6")
VIEWS: Mapping[str, Callable[[], View]] = {
    "move": lambda: view(MOVE, "red"),
    "offered": lambda: view(turn(position("d4 e5 c8"), blue=["PLACE g6", "DRAW OFFER"])[0], "red"),
    "kept": lambda: view(
        turn(MOVE, red=["IF e4 THEN e6", "IF e7 THEN e9", "IF e8 THEN c4 AFTER e6"], blue=[])[0],
        "red",
    ),
    "waiting": lambda: view(position("d4 e5 c8"), "red"),
}


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return a reader by those views."""
    return Reader(RULESET, VIEWS)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.view}: {row.typed}" for row in ROWS])
def test_what_people_write_is_understood(reader: Reader, row: Row) -> None:
    """Each line is read as the orders meant, or refused with a hint that helps; an order in a hint is accepted."""
    assert reader.outcome(row) == row.meant
    assert reader.untaken_hints(row) == []


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.view}: {row.typed}" for row in ROWS])
def test_what_a_receipt_says_typed_back_is_the_same_order(reader: Reader, row: Row) -> None:
    """The words by which a receipt restates an order bring that order again, but for the one that needs CONFIRM."""
    for order in reader.parse(row).orders:
        if not order.ends_seat:
            again = reader.parse(row, order.words())
            assert (order.words(), again.orders) == (order.words(), (order,))


def test_nearly_all_lawful_lines_are_understood(reader: Reader) -> None:
    """At least 95 of 100 lines that mean something lawful are taken as that, of at least 120 lines in all."""
    assert understood(reader, ROWS) >= 0.95
