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

GOLDEN = (bubble_singularity, dueling_masters, gm_adjudicated, harvester, singularity, singularity_trap)


def _game(module: ModuleType) -> str:
    return module.__name__.split(".")[-2]


@pytest.mark.parametrize("golden", GOLDEN, ids=_game)
def test_a_golden_game_is_played_as_agreed(golden: ModuleType) -> None:
    """Sheets, findings, events and positions of a whole game are as in its golden.txt."""
    assert golden.text() == golden.PATH.read_text()
