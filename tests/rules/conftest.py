"""The length of the games' soaks."""

from __future__ import annotations

import pytest

from pbem.games import installed_games
from pbem.testing import RulesetSuite
from tests.sampling import make_sampler

SHORT_SOAK = 12
"""Turns of a game whose day it is not."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Play one game each day for a long time, the others for some turns."""
    games = sorted(installed_games())
    short = set(games) - set(make_sampler(config).sample(games, 1))
    for suite in {getattr(item, "cls", None) for item in items}:
        if suite and issubclass(suite, RulesetSuite) and suite.ruleset.key in short:
            suite.soak_turns = SHORT_SOAK
