"""Saves of all games; those that are frozen, and what else is no save, are tested game by game."""

from __future__ import annotations

import pytest

from pbem.ruleset import AnyRuleset, Dice, SaveError
from pbem.testing.play import SEED, default_options, usual_seats
from tests.games import RULESETS


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
@pytest.mark.parametrize("of", ["older than any", "newer than known"])
def test_other_versions_are_refused(ruleset: AnyRuleset, of: str) -> None:
    """A save of a version this code does not know is refused by its number."""
    state = ruleset.setup(default_options(ruleset), usual_seats(ruleset), Dice(SEED))
    version = ruleset.version - 1 if of == "older than any" else ruleset.version + 1

    with pytest.raises(SaveError, match=f"version {version} of .* this program reads {ruleset.version}$"):
        ruleset.load(ruleset.dump(state), version)
