"""Lines as people write them, and how their first words are read (words.txt)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.ruleset import Parsed
from rules.gm_adjudicated import RULESET
from tests.rules.gm_adjudicated.table import new_game, view
from tests.rules.words import Row, outcome, rows

ROWS = rows(Path(__file__).with_name("words.txt"))
VERBS = (
    "MARCH BUILD MARRY ALLY FORTIFY SAIL SEEK ATTACK NEGOTIATE HOLD THREATEN WITHDRAW SPY RECRUIT NOTIFY OUTFIT "
    "ARREST LETTER ANDOR BUTCHER NOMINATE HISTORY HERALD HASTEN CANCEL MAYOR RE-ARM"
)
VIEW = view(new_game(verbs=VERBS.split()), "red")


def typed(line: str) -> Parsed:
    """What a sheet with this one line comes to."""
    return RULESET.parse(VIEW, [(1, line)])


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_a_line_is_read_as_it_is_meant(row: Row) -> None:
    """What reaches the GM, and what is told of the verb; nothing, where the table says nothing."""
    parsed = typed(row.typed)

    assert outcome(parsed, RULESET.orders) == (row.refused, row.orders)
    assert row.said in " ".join(f"{found.text} {found.hint}" for found in parsed.findings)
    assert row.said or {found.code for found in parsed.findings} <= {"free-text"}


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_a_line_as_taken_is_taken_as_the_same(row: Row) -> None:
    """What the receipt restates, typed back, is the same line."""
    for line in row.orders:
        assert outcome(typed(line), RULESET.orders) == (False, (line,))


def test_the_table_is_long() -> None:
    """There are at least 120 lines."""
    assert len(ROWS) >= 120
