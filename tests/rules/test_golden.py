"""Whole games, compared line by line with those agreed on; each game's `golden.py` plays them."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.rules.bubble_singularity import golden as bubble_singularity
from tests.rules.dueling_masters import golden as dueling_masters
from tests.rules.gm_adjudicated import golden as gm_adjudicated
from tests.rules.harvester import golden as harvester
from tests.rules.singularity import golden as singularity
from tests.rules.singularity_trap import golden as singularity_trap

OTHERS = (gm_adjudicated, singularity_trap)
"""Games whose versions differ in nothing that was played."""

AGREED = (bubble_singularity, dueling_masters, harvester, singularity)


def _game(module: ModuleType) -> str:
    return module.__name__.split(".")[-2]


@pytest.mark.parametrize("golden", [*AGREED, *OTHERS], ids=_game)
def test_a_golden_game_is_played_as_agreed(golden: ModuleType) -> None:
    """Sheets, findings, events and positions of a whole game are as in its golden.txt."""
    assert golden.text() == golden.PATH.read_text()


FORMER = [(each, version) for each in AGREED for version in range(1, each.RULESET.version)]


@pytest.mark.parametrize(("golden", "version"), FORMER, ids=[f"{_game(each)}-{version}" for each, version in FORMER])
def test_a_campaign_of_an_earlier_version_keeps_its_rules(golden: ModuleType, version: int) -> None:
    """The sheets of an earlier version's golden game have the same results still, event by event."""
    before, now = golden.again(version)

    assert now == before
