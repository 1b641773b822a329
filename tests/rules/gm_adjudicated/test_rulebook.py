"""Tests that the rulebook matches the program."""

from __future__ import annotations

import re

from pbem.ruleset import Attachment
from pbem_rules.gm_adjudicated import RULESET
from tests.rules.gm_adjudicated.table import VERBS, new_game, read, rolls, ruled

KEPT = new_game(ledgers={"red": {"gold": 40, "ships": ["Argo"], "title": "Knight"}, "world": {"winter": 1}})
"""A game with the ledgers of the examples."""


def test_the_options_are_explained() -> None:
    """Each campaign option is named in a ruling, with its usual value."""
    rulebook = " ".join(RULESET.rulebook.split())
    for option in RULESET.options:
        usual = {"None": "none", "True": "yes"}.get(str(option.default), option.default)
        assert f"`{option.name}` (usually {usual}" in rulebook, option.name


def test_the_example_sheet_is_taken() -> None:
    """The first example sheet is accepted without an error."""
    lines = re.findall(r"^    ([A-Z].*)$", RULESET.rulebook.partition("## Orders")[0], re.MULTILINE)

    assert len(read(new_game(verbs=VERBS), *lines).orders) == len(lines) == 2


def test_the_example_ruling_is_taken() -> None:
    """The example file for GMs, and each of the commands, are read without an error."""
    shown = RULESET.rulebook.partition("## For the GM")[2]
    red = "\n".join(re.findall(r"^    (.*)$", shown.partition("If the campaign has ledgers")[0], re.MULTILINE))
    commands = [command for command in re.findall(r"^- `(.*?)`", shown, re.MULTILINE) if command != "TURN 4"]

    beside = {
        "pass.png": Attachment("pass.png", "image/png", "a" * 64, 900, 64, 48),
        "rules.pdf": Attachment("rules.pdf", "application/pdf", "b" * 64, 500),
    }
    files = {"red.txt": red, "game.txt": "\n".join(commands)}
    ruling, findings = RULESET.read_ruling(KEPT, files, rolls(), beside)

    assert {each.severity for some in findings.values() for each in some} == {"warning"}
    assert ruling["seats"]["red"]["map"].startswith("Naxos")
    assert [each["name"] for each in ruling["seats"]["red"]["with_map"]] == [*beside]
    assert (ruling["name"], ruling["winners"]) == ("Spring 1902", ["red", "blue"])


def test_the_example_changes_are_taken() -> None:
    """Every example line in brackets does something, without an error."""
    shown = RULESET.rulebook.partition("## For the GM")[2]
    lines = re.findall(r"(?:^    |`)(\[(?:SET|ROLL) [^…]*?\])(?:`|$)", shown, re.MULTILINE)

    ruling = ruled(KEPT, red="\n".join(lines))

    assert len(lines) == 6
    assert len(ruling["changes"]) == 5
