"""Lines as people write them, and what comes of each (words.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.ruleset import Parsed
from rules.harvester import RULESET
from rules.harvester.orders import DestroyHarvester
from tests.rules.harvester.table import position, view
from tests.rules.words import Row, hinted, outcome, rows

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


def typed(line: str) -> Parsed:
    """What a sheet with this one line comes to."""
    return RULESET.parse(VIEW, [(1, line)])


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_a_line_is_understood_as_it_is_meant(row: Row) -> None:
    """What is typed comes to exactly the orders of the table, and what is told of it says what it must."""
    parsed = typed(row.typed)

    assert outcome(parsed, RULESET.orders) == (row.refused, row.orders)
    assert row.said in " ".join(f"{found.text} {found.hint}" for found in parsed.findings)


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_a_hint_typed_in_is_taken(row: Row) -> None:
    """Where the answer to a line says what to write, that is taken."""
    for line in hinted(row.typed, typed(row.typed)):
        assert (line, typed(line).errors) == (line, ())


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_what_a_receipt_says_typed_back_is_the_same_order(row: Row) -> None:
    """The words by which a receipt restates an order bring that order again, but for the one that needs CONFIRM."""
    for order in typed(row.typed).orders:
        if not isinstance(order, DestroyHarvester):
            assert (order.words(), typed(order.words()).orders) == (order.words(), (order,))


def test_the_table_is_long_and_nearly_all_of_it_is_understood() -> None:
    """There are at least 120 lines, and of those that are meant as orders at least 95 in 100 are taken."""
    meant = [row for row in ROWS if row.orders]

    assert len(ROWS) >= 120
    assert len([row for row in meant if typed(row.typed).orders]) >= 0.95 * len(meant)
