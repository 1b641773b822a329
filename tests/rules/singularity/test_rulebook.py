"""The rulebook says what the program does, and whose game it is."""

from __future__ import annotations

import re

import pytest

from pbem.ruleset import SetupError
from pbem_rules.singularity import RULESET
from tests.rules.singularity.table import new_game, read, remarks


def test_the_options_are_explained() -> None:
    """Each campaign option is named in a ruling, with its usual value."""
    for option in RULESET.options:
        assert re.search(rf"`{option.name}`[^)]*usually {option.default}\b", RULESET.rulebook), option.name


def test_the_example_sheet_is_taken() -> None:
    """The sheet shown for conditional orders is taken without a remark."""
    lines = re.findall(r"^    ([A-Z].*)$", RULESET.rulebook, re.MULTILINE)

    parsed = read(new_game(), "red", *lines)

    assert len(parsed.orders) == len(lines) == 4
    assert remarks(parsed) == []


@pytest.mark.parametrize(("name", "text"), [("size", "2"), ("size", "27"), ("forfeit_after", "-1")])
def test_options_beyond_their_bounds_are_refused(name: str, text: str) -> None:
    """A board has 3 to 26 cells a side, and deadlines are counted from 0."""
    (option,) = (option for option in RULESET.options if option.name == name)

    with pytest.raises(SetupError, match=name):
        option.read(text)
