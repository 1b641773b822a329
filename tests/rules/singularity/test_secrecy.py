"""The suite's scrambled worlds are fit for their purpose; the suite itself is pbem.ruleset.testing."""

from __future__ import annotations

import random

from tests.rules.singularity.secrecy import elsewhere, scramble
from tests.rules.singularity.table import kept, position, turn, view


def test_scrambling_changes_only_what_the_opponent_keeps() -> None:
    """In a scrambled world a seat's own view is the same, and other replies are kept across the board."""
    state, _ = turn(position("d4"), red=["IF c8 THEN c9"], blue=["PLACE e5", "IF f6 THEN g7"])

    worlds = [scramble(state, "red", random.Random(number)) for number in range(5)]

    assert all(view(world, "red") == view(state, "red") for world in worlds)
    assert len({tuple(kept(world, "blue")) for world in worlds}) > 1


def test_nothing_kept_elsewhere_is_played_at_once() -> None:
    """Whatever stone a seat places, nothing of the world elsewhere answers it."""
    state = position("d4 e5")
    for number, cell in enumerate(("a7", "b8", "c9", "e6")):
        world, sheets = elsewhere(state, "red", random.Random(number))

        after, events = turn(world, red=[f"PLACE {cell}"], blue=sheets["blue"])

        assert after.moves == (*state.moves, cell)
        assert [event.data["cell"] for event in events if "red" in event.audience] == [cell]
