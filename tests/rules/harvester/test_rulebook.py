"""The rulebook agrees with the program, and names the designer."""

from __future__ import annotations

import re

import pytest

from pbem.ruleset import SetupError
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.units import COMBAT, KIND_NAMES, KINDS, MOVE, SCANNER
from tests.rules.harvester.table import codes, position, read


def test_the_options_are_explained() -> None:
    """Each campaign option is named in a ruling, with its usual value."""
    text = " ".join(RULESET.rulebook.split())
    for option in RULESET.options:
        assert re.search(rf"`{option.name}`[^`]*usually {option.default}\b", text), option.name


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_the_table_of_units_is_that_of_the_program(kind: str) -> None:
    """The rulebook has number, scanners, combat ability and moves of each kind."""
    slot = KINDS.index(kind)
    (row,) = re.findall(rf"^\| {KIND_NAMES[kind]}s? `.*$", RULESET.rulebook, re.MULTILINE)

    numbers = [int(cell) for cell in row.split("|")[2:-1]]

    assert numbers == [KINDS.count(kind), SCANNER[slot], COMBAT[slot], MOVE[slot]]


def test_the_example_sheet_is_taken() -> None:
    """The example sheet is accepted without a finding."""
    lines = re.findall(r"^    ([A-Z].*)$", RULESET.rulebook, re.MULTILINE)
    state = position({"ann": {"G": (0, 0), "S2": (0, 0)}}, resources={(3, -2): 1}, held={"ann": 2})

    parsed = read(state, "ann", *lines)

    assert len(parsed.orders) == len(lines) == 4
    assert codes(parsed) == []


@pytest.mark.parametrize(
    ("name", "text"), [("size", "501"), ("density", "0"), ("drift", "-1"), ("crags", "31"), ("dust", "x")]
)
def test_options_beyond_their_bounds_are_refused(name: str, text: str) -> None:
    """A GM is told the bounds of an option."""
    (option,) = (option for option in RULESET.options if option.name == name)

    with pytest.raises(SetupError, match=f"option {name} cannot be .* a whole number from"):
        option.read(text)
