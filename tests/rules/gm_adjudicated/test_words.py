"""Lines as people write them, and how their first words are read (words.txt)."""

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
    """Reads in a campaign with these verbs."""
    return Reader(RULESET, {"": lambda: view(new_game(verbs=VERBS.split()), "red")})


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_a_line_is_read_as_it_is_meant(reader: Reader, row: Row) -> None:
    """What reaches the GM, and what is told of the verb; nothing, where the table says nothing."""
    assert reader.outcome(row) == row.meant
    assert row.said or not row.is_lawful or {found.code for found in reader.parse(row).findings} <= {"free-text"}


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_a_line_as_taken_is_taken_as_the_same(reader: Reader, row: Row) -> None:
    """What the receipt restates, typed back, is the same line."""
    assert reader.outcome(row._replace(typed=row.meant, said="")) == row.meant


def test_the_table_is_long() -> None:
    """There are enough lines."""
    assert len(ROWS) >= LEAST
