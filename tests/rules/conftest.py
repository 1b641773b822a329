"""The length of the games' soaks."""

from __future__ import annotations

import pytest

from pbem.games import installed_games
from pbem.testing import RulesetSuite
from tests.sampling import Sampler

SHORT_SOAK = 12
"""Turns of a game whose day it is not."""


@pytest.fixture(scope="class", autouse=True)
def _soak(request: pytest.FixtureRequest, sampler: Sampler) -> None:
    """Play one game each day for a long time, the others for some turns."""
    suite = request.cls
    if isinstance(suite, type) and issubclass(suite, RulesetSuite):
        long = sampler.sample(sorted(installed_games()), 1)
        suite.soak_turns = RulesetSuite.soak_turns if suite.ruleset.key in long else SHORT_SOAK
