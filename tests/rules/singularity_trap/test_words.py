"""Lines as real players write them, and the orders that they mean: the table in words.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.ruleset import View
from pbem_rules.singularity_trap import RULESET
from tests.rules.singularity_trap.builders import dark, ship, view, world
from tests.rules.wordlist import Reader, Row, rows, understood

ROWS = rows(Path(__file__).with_name("words.txt"))


def mailed() -> View:
    """Return red's view of a fleet of all types, some damaged and one dark, with green ships beside it and an ally."""
    state = world(
        ship("R101", "J10"),
        ship("R102", "J10", "Scout"),
        ship("R103", "J10", "Terraformer"),
        ship("R104", "J13", weapons=0, drive=1, armor=1),
        dark("R105", "J13", "Basestar"),
        ship("R106", "J2+9"),
        ship("G101", "J13", "Scout"),
        ship("G102", "J13"),
        seats=("red", "green", "cyan", "blue"),
        owners={"J10+0": "red"},
        allies=[("red", "cyan")],
        planets_to_win=3,
    )
    return view(state, "red")


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Return a reader by that view."""
    return Reader(RULESET, {"": mailed})


@pytest.mark.parametrize("row", ROWS, ids=[row.typed for row in ROWS])
def test_what_people_write_is_understood(reader: Reader, row: Row) -> None:
    """Each line is read as the orders meant, or refused with a hint that helps; an order in a hint is accepted."""
    assert reader.outcome(row) == row.meant
    assert reader.untaken_hints(row) == []


def test_nearly_all_lawful_lines_are_understood(reader: Reader) -> None:
    """At least 95 of 100 lines that mean something lawful are taken as that, of at least 120 lines in all."""
    assert understood(reader, ROWS) >= 0.95
