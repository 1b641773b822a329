"""Whole games, compared line by line with those agreed on."""

from __future__ import annotations

from tests.rules.bubble_singularity.golden import PATH, text


def test_the_golden_games_are_played_as_agreed() -> None:
    """Sheets, findings, events and positions of two whole games are as in golden.txt."""
    assert text() == PATH.read_text()
