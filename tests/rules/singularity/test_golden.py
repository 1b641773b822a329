"""A whole game, compared line by line with the one agreed on."""

from __future__ import annotations

from tests.rules.singularity.golden import PATH, again, text


def test_the_golden_game_is_played_as_agreed() -> None:
    """Sheets, findings, events, positions and kept replies of a whole game are as in golden.txt."""
    assert text() == PATH.read_text()


def test_a_campaign_of_version_1_keeps_its_rules() -> None:
    """The sheets of version 1's golden game still lead to the same events."""
    before, now = again(1)

    assert now == before
