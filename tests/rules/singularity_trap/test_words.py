"""Lines as real players write them, and what must come of each: the table in words.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.ruleset import Parsed, View
from rules.singularity_trap import RULESET
from rules.singularity_trap.orders import BOOK
from tests.rules.singularity_trap.builders import dark, ship, view, world

REFUSED = "refused: "


def _rows() -> list[tuple[str, str]]:
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    rows = (line.partition(" | ") for line in text.splitlines() if line and not line.startswith("#"))
    return [(typed, meant) for typed, _, meant in rows]


ROWS = _rows()
LAWFUL = [(typed, meant) for typed, meant in ROWS if not meant.startswith(REFUSED)]


@pytest.fixture(scope="module")
def mailed() -> View:
    """Red's view of a fleet of all types, some damaged and one dark, with a green fleet beside it and cyan as ally."""
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


def _read(mailed: View, typed: str) -> Parsed:
    return RULESET.parse(mailed, [(1, typed)])


@pytest.mark.parametrize(("typed", "meant"), ROWS, ids=[typed for typed, _ in ROWS])
def test_a_line_as_people_write_it(mailed: View, typed: str, meant: str) -> None:
    """It is the order meant, or is refused with words that help."""
    parsed = _read(mailed, typed)

    if meant.startswith(REFUSED):
        assert parsed.orders == ()
        assert meant.removeprefix(REFUSED) in " ".join(f"{each.text}; {each.hint}" for each in parsed.errors)
    else:
        assert " / ".join(BOOK.line(order) for order in parsed.orders) == meant
        assert parsed.errors == ()


def test_the_table_is_long_and_its_lawful_lines_are_understood(mailed: View) -> None:
    """At least 120 lines, and at least 95 of 100 that are meant as orders are taken as those orders."""
    taken = [" / ".join(BOOK.line(order) for order in _read(mailed, typed).orders) == meant for typed, meant in LAWFUL]

    assert len(ROWS) >= 120
    assert sum(taken) * 100 >= 95 * len(taken)
