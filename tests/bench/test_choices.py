"""Tests that the benchmark of choices measures the forms of a game."""

from __future__ import annotations

from bench.choices import row
from pbem.games import installed_games


def test_a_game_has_the_time_and_the_size_of_its_forms() -> None:
    """Views that ask for orders are measured, with the lines that can be tapped and the verbs to be typed."""
    found = row(installed_games()["singularity"], turns=3, count=2)

    assert (found.name, found.count) == ("singularity", 2)
    assert 0 < found.middle <= found.most
    assert found.lines > 1
    assert 0 < found.size <= found.largest
