"""The suite's scrambled worlds are fit for their purpose; the suite itself is pbem.testing."""

from __future__ import annotations

import random

from pbem.ruleset import Dice, Event, TurnInput
from pbem_rules.singularity import RULESET, Singularity
from pbem_rules.singularity.state import SEATS, State
from tests.rules.singularity.secrecy import elsewhere, lasting, scramble
from tests.rules.singularity.table import kept, position, turn, view
from tests.rules.twins import reports


def test_scrambling_changes_only_what_the_opponent_keeps() -> None:
    """In a scrambled world a seat's own view is the same, and other replies are kept across the board."""
    state, _ = turn(position("d4"), red=["IF c8 THEN c9"], blue=["PLACE e5", "IF f6 THEN g7"])

    worlds = [scramble(state, "red", random.Random(number)) for number in range(5)]

    assert all(view(world, "red") == view(state, "red") for world in worlds)
    assert len({tuple(kept(world, "blue")) for world in worlds}) > 1


class TellsLapses(Singularity):
    """A ruleset that leaks: a player whose own reply lapses also hears of the other's."""

    def resolve(self, state: State, turn_input: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        after, events = super().resolve(state, turn_input, dice)
        return after, tuple(
            Event(event.kind, frozenset(SEATS), event.data) if event.kind in ("past", "lapsed") else event
            for event in events
        )


def differ(ruleset: Singularity) -> bool:
    """Return True if reports of several turns differ between worlds in which the opponent keeps other replies."""
    state = position("d4 e5")
    for seat in SEATS:
        worlds = [lasting(state, seat, random.Random(number)) for number in range(4)]
        seen = [list(reports(ruleset, world, seat, sheets)) for world, sheets in worlds]
        assert all(len(each) == len(worlds[0][1]) for each in seen)
        if any(each != seen[0] for each in seen):
            return True
    return False


def test_what_the_opponent_keeps_shows_in_no_later_turn() -> None:
    """Replies that come, lapse and are replaced over several turns change nothing in the other's reports."""
    assert not differ(RULESET)


def test_a_leak_of_later_turns_is_found() -> None:
    """Telling the other of a reply that lapsed is caught."""
    assert differ(TellsLapses())


def test_nothing_kept_elsewhere_is_played_at_once() -> None:
    """Any stone that a seat places is answered by nothing of the world elsewhere."""
    state = position("d4 e5")
    for number, cell in enumerate(("a7", "b8", "c9", "e6")):
        world, sheets = elsewhere(state, "red", random.Random(number))

        after, events = turn(world, red=[f"PLACE {cell}"], blue=sheets["blue"])

        assert after.moves == (*state.moves, cell)
        assert [event.data["cell"] for event in events if "red" in event.audience] == [cell]
