"""Whole games, compared line by line with those agreed on."""

from __future__ import annotations

from tests.rules.bubble_singularity.golden import PATH, again, text


def test_the_golden_games_are_played_as_agreed() -> None:
    """Sheets, findings, events and positions of two whole games are as in golden.txt."""
    assert text() == PATH.read_text()


def test_a_campaign_of_version_1_keeps_its_rules() -> None:
    """What came of the sheets of version 1's golden games comes of them still, event by event."""
    before, now = again(1)

    assert now == before
