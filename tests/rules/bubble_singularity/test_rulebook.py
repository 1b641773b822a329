"""The rulebook agrees with the program, and names the designer."""

from __future__ import annotations

import re
from pathlib import Path

from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.abilities import ABILITIES
from pbem_rules.bubble_singularity.cards import KINDS
from tests.rules.bubble_singularity.table import lay, read

CODE = Path(__file__).parents[3] / "rules" / "pbem_rules" / "bubble_singularity"


def test_the_code_names_rulings_that_there_are() -> None:
    """Every ruling that the code cites is in the rulebook."""
    named = [
        int(number)
        for file in CODE.glob("*.py")
        for text in re.findall(r"\(rulings? ([\d, andto]+)\)", file.read_text())
        for number in re.findall(r"\d+", text)
    ]

    assert named
    assert all(1 <= number <= 39 for number in named)


def test_all_cards_and_options_are_explained() -> None:
    """The rulebook has every ability, special card and campaign option."""
    words = RULESET.rulebook

    assert [
        ability.title for ability in ABILITIES.values() if f"| {ability.key} | {ability.title} |" not in words
    ] == []
    assert [kind for kind in KINDS if kind not in words.lower()] == []
    assert [option.name for option in RULESET.options if f"`{option.name}`" not in words] == []


def test_the_example_sheet_is_taken() -> None:
    """The example sheet is accepted as a whole, on a table where it fits."""
    lines = re.findall(r"^    ([A-Z].*)$", RULESET.rulebook.split("## Rulings")[0], re.MULTILINE)
    state = lay(blue="A2", hand="bbrr", lying={"C1": "r", "C2": "rb"}, cards={"C1": "NW"})

    parsed = read(state, *lines)

    assert len(lines) == 6
    assert parsed.errors == ()
