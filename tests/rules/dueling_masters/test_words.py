"""Orders as people write them, row by row of `words.txt`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.ruleset import View
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.state import State
from tests.rules.dueling_masters.table import new_game, position, view
from tests.rules.wordlist import Reader, Row, rows, understood

ROWS = rows(Path(__file__).with_name("words.txt"))


def playing() -> State:
    """Build a position with squares in reach of one piece or of several, and with a piece in transit."""
    one = "HOME B8, ASTEROID1 A7, ASTEROID2 C9, W C1, B A1, X1 A2, X2 E10, Y1 D6, Z1 E1, Z2 E1, Z3 E9, Z4 A10>F10"
    return position(one, "HOME I3, Z1 J1, X1 F6")


VIEWS: Mapping[str, Callable[[], View]] = {
    "set-up": lambda: view(new_game(), "one"),
    "play": lambda: view(playing(), "one"),
    "waiting": lambda: view(playing(), "two"),
    "offered": lambda: view(replace(playing(), offer="two"), "one"),
}


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return a reader for those views."""
    return Reader(RULESET, VIEWS)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.view}: {row.typed}" for row in ROWS])
def test_what_people_write_is_understood(reader: Reader, row: Row) -> None:
    """Each line gives the orders meant, or is refused with a hint whose suggestion is accepted."""
    assert reader.outcome(row) == row.meant
    assert reader.untaken_hints(row) == []


def test_nearly_all_lawful_lines_are_understood(reader: Reader) -> None:
    """At least 95 of 100 lines with a lawful meaning are understood, of at least 120 lines in all."""
    assert understood(reader, ROWS) >= 0.95
