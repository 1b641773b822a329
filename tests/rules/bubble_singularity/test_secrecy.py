"""The scrambled worlds of the suite are fit for their purpose; the suite itself is `pbem.testing`."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pbem.ruleset import Event, SeatName
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.ruleset import BubbleSingularity
from pbem_rules.bubble_singularity.state import Player, State
from pbem_rules.bubble_singularity.views import BubbleView, view_of
from tests.rules.bubble_singularity.secrecy import elsewhere, scramble
from tests.rules.bubble_singularity.table import begun, lay, play, view
from tests.rules.twins import reports


def test_scrambling_changes_only_decks_and_wishes() -> None:
    """In a scrambled world a seat's view is the same, and the decks lie in another order."""
    state = begun(3).state

    worlds = {seat: [scramble(state, seat, random.Random(number)) for number in range(5)] for seat in state.seats}

    assert all(view(world, seat) == view(state, seat) for seat, found in worlds.items() for world in found)
    assert len({str(world.decks) for world in worlds["red"]}) > 1


def test_what_the_mover_wishes_stands_in_no_others_view() -> None:
    """While the mover has a question, other views do not show KEEP and DRAW; the mover's own does."""
    state = play(
        lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"}), "PULL N", "KEEP fusion", "DRAW special reactions"
    ).state

    worlds = [scramble(state, "red", random.Random(number)) for number in range(5)]

    assert len({world.liking for world in worlds}) > 1
    assert all(view(world, "red") == view(state, "red") for world in worlds)
    assert view(state, "blue")["liking"] == ["fusion"]


def telling(state: State, seat: SeatName, events: Sequence[Event]) -> BubbleView:
    """Return a view that shows all standing lists to all, in place of the own one."""
    everything = [word for kept in state.lists.values() for word in kept]
    return {**view_of(state, seat, events), "keeping": everything}


class TellsLists(BubbleSingularity):
    """Ruleset that leaks all standing lists."""

    view = staticmethod(telling)


def differ(ruleset: BubbleSingularity) -> bool:
    """Return True if red's reports of several turns depend on the list that green keeps."""
    state = lay(others={"green": Player(side="E", at="D4")})
    turns = [{"blue": ["MOVE W", "ROTATE CW"]}, {"red": ["PULL S", "KEEP drift"]}, {"green": ["ROTATE CW"]}]
    worlds = [elsewhere(state, "red", random.Random(number))[0] for number in range(4)]
    seen = [list(reports(ruleset, world, "red", turns)) for world in worlds]
    assert len(seen[0]) == len(turns)
    return any(each != seen[0] for each in seen)


def test_what_others_keep_shows_in_no_later_turn() -> None:
    """Over several turns with the same sheets another's standing list changes nothing in a seat's reports."""
    assert not differ(RULESET)


def test_a_leak_of_lists_is_found() -> None:
    """A ruleset that leaks standing lists is caught."""
    assert differ(TellsLists())


def test_what_lies_elsewhere_does_not_come_to_light() -> None:
    """The cards drawn for a pop on a node are the same in all worlds that differ elsewhere."""
    state = lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"})

    drawn = {
        str(play(elsewhere(state, "red", random.Random(number))[0], "PULL N", seat="blue").told("drawn"))
        for number in range(6)
    }

    assert len(drawn) == 1


def test_the_bag_is_no_secret_of_the_state() -> None:
    """The state does not store what the bag will bring: it holds the number of bubbles of each colour."""
    state = begun(3).state

    assert view(state, "red")["bag"] == {
        colour: state.bag.count(colour) for colour in ("red", "green", "blue", "yellow")
    }
