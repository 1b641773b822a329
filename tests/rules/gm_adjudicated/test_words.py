"""Tests of lines as people write them, and of the reading of their first words (words.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem_rules.gm_adjudicated import RULESET
from tests.rules.gm_adjudicated.table import new_game, view
from tests.rules.wordlist import LEAST, Reader, Row, rows

ROWS = rows(Path(__file__).with_name("words.txt"))
VERBS = (
    "MARCH BUILD MARRY ALLY FORTIFY SAIL SEEK ATTACK NEGOTIATE HOLD THREATEN WITHDRAW SPY RECRUIT NOTIFY OUTFIT "
    "ARREST LETTER ANDOR BUTCHER NOMINATE HISTORY HERALD HASTEN CANCEL MAYOR RE-ARM"
)


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return a reader for a campaign with these verbs."""
    return Reader(RULESET, {"": lambda: view(new_game(verbs=VERBS.split()), "red")})


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_a_line_is_read_as_it_is_meant(reader: Reader, row: Row) -> None:
    """A line reaches the GM as the table says, with the finding about its verb that the table says."""
    assert reader.outcome(row) == row.meant
    assert row.said or not row.is_lawful or {found.code for found in reader.parse(row).findings} <= {"free-text"}


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_a_line_as_taken_is_taken_as_the_same(reader: Reader, row: Row) -> None:
    """A line as restated in a receipt is read again as the same."""
    assert reader.outcome(row._replace(typed=row.meant, said="")) == row.meant


def test_the_table_is_long() -> None:
    """The table has enough lines."""
    assert len(ROWS) >= LEAST
