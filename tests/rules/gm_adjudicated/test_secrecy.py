"""Tests of the scrambled worlds of the secrecy suite; the suite itself is pbem.testing."""

from __future__ import annotations

import random

from tests.rules.gm_adjudicated.secrecy import scramble
from tests.rules.gm_adjudicated.table import new_game, ruled, turn, view


def test_scrambling_changes_only_what_others_know() -> None:
    """A scrambled world changes the files, maps and sheets of other seats, and not the seat's own view."""
    state = new_game(scores=False)
    state, _ = turn(
        state, ruled(state, red="[FILE]\nnine ships", blue="[FILE]\na spy"), sheets={"blue": ["Spy on red"]}
    )

    worlds = [scramble(state, "red", random.Random(number)) for number in range(5)]

    assert all(view(world, "red") == view(state, "red") for world in worlds)
    assert len({view(world, "blue")["file"] for world in worlds}) > 1
    assert len({str(view(world, "blue")["enclosed"]) for world in worlds}) > 1
    assert len({tuple(view(world, "blue")["sheet"]) for world in worlds}) > 1
