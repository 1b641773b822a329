"""The suite's scrambled worlds are fit for their purpose; the suite itself is pbem.ruleset.testing."""

from __future__ import annotations

import random

from tests.rules.bubble_singularity.secrecy import elsewhere, scramble
from tests.rules.bubble_singularity.table import begun, lay, play, view


def test_scrambling_changes_only_the_order_of_decks() -> None:
    """In a scrambled world every seat's view is the same, and the decks lie otherwise."""
    state = begun(3).state

    worlds = [scramble(state, "red", random.Random(number)) for number in range(5)]

    assert all(view(world, seat) == view(state, seat) for world in worlds for seat in state.seats)
    assert len({str(world.decks) for world in worlds}) > 1


def test_what_the_mover_wishes_stands_in_no_others_view() -> None:
    """While the mover is asked, other views do not tell what KEEP and DRAW said; the mover's own does."""
    state = play(
        lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"}), "PULL N", "KEEP fusion", "DRAW special reactions"
    ).state

    worlds = [scramble(state, "red", random.Random(number)) for number in range(5)]

    assert len({world.liking for world in worlds}) > 1
    assert all(view(world, "red") == view(state, "red") for world in worlds)
    assert view(state, "blue")["liking"] == ["fusion"]


def test_what_lies_elsewhere_does_not_come_to_light() -> None:
    """The cards drawn for a pop on a node are the same in all worlds elsewhere."""
    state = lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"})

    drawn = {
        str(play(elsewhere(state, "red", random.Random(number))[0], "PULL N", seat="blue").told("drawn"))
        for number in range(6)
    }

    assert len(drawn) == 1


def test_the_bag_is_no_secret_of_the_state() -> None:
    """What the bag will bring is nowhere stored: the state holds how many bubbles of each colour there are."""
    state = begun(3).state

    assert view(state, "red")["bag"] == {
        colour: state.bag.count(colour) for colour in ("red", "green", "blue", "yellow")
    }
