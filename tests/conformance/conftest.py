"""Every test that asks for a `ruleset` runs once for each game."""

from __future__ import annotations

import pytest

from pbem.ruleset import AnyRuleset
from tests.conformance.games import GAMES


@pytest.fixture(params=GAMES, ids=lambda ruleset: ruleset.key)
def ruleset(request: pytest.FixtureRequest) -> AnyRuleset:
    """One game after the other."""
    game: AnyRuleset = request.param
    return game
