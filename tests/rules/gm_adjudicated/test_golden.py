"""Test of a whole game, compared line by line with the stored one."""

from __future__ import annotations

from tests.rules.gm_adjudicated.golden import PATH, text


def test_the_golden_game_is_played_as_agreed() -> None:
    """Sheets, findings, digests, events and views of a whole game are as in golden.txt."""
    assert text() == PATH.read_text()
