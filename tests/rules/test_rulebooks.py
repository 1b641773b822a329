"""Tests of rulebooks that several games have in common; the suite of all games looks at title and designer."""

from __future__ import annotations

import re

import pytest

from pbem.games import installed_games
from pbem.ruleset import AnyRuleset
from tests.games import RULESETS

GAMES = installed_games()


@pytest.mark.parametrize(
    ("key", "credits_"),
    [
        ("bubble_singularity", ["**Syanmil Izhharuddin**"]),
        ("harvester", ["**curufea**", "creativecommons.org/licenses/by-nc-sa/2.5", "stands under the same licence"]),
        ("singularity", ["**Mark Steere**", "marksteeregames.com"]),
    ],
)
def test_the_rulebook_credits_the_designer(key: str, credits_: list[str]) -> None:
    """The rulebook names the designer of the game, and a licence or a site as the designer asks."""
    assert [each for each in credits_ if each not in GAMES[key].rulebook] == []


@pytest.mark.parametrize(
    ("key", "last"), [("bubble_singularity", 39), ("gm_adjudicated", 11), ("harvester", 16), ("singularity", 15)]
)
def test_rulings_are_numbered_without_a_gap(key: str, last: int) -> None:
    """The rulings are numbered without a gap, as receipts, reports and code refer to them."""
    rulings = GAMES[key].rulebook.split("## Rulings")[-1]

    assert [int(number) for number in re.findall(r"^(\d+)\. \*\*", rulings, re.MULTILINE)] == [*range(1, last + 1)]


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
def test_the_order_reference_has_its_place(ruleset: AnyRuleset) -> None:
    """One line is reserved for the reference generated from the orders."""
    assert ruleset.rulebook.splitlines().count("{{ORDERS}}") == 1
