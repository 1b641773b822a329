"""Whole games, compared line by line with those agreed on."""

from __future__ import annotations

import pytest

from pbem_rules.bubble_singularity.state import VERSION
from tests.rules.bubble_singularity.golden import PATH, again, text


def test_the_golden_games_are_played_as_agreed() -> None:
    """Sheets, findings, events and positions of two whole games are as in golden.txt."""
    assert text() == PATH.read_text()


@pytest.mark.parametrize("edition", range(1, VERSION))
def test_a_campaign_of_an_earlier_version_keeps_its_rules(edition: int) -> None:
    """Sheets of an earlier version's golden games bring the same events as they did then."""
    before, now = again(edition)

    assert now == before
