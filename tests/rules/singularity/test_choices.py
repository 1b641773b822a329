"""The stones and replies that a page offers word by word, and what it asks for."""

from __future__ import annotations

import itertools

from pbem.ruleset.order_tree import needs
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.orders import If
from tests.rules.singularity.table import new_game, position, read, turn, view
from tests.rules.taps import is_taken, lines, offered, spots


def test_just_the_free_cells_are_offered_for_a_stone() -> None:
    """Of all cells those are offered that a sheet may name, each a place of the picture."""
    seen = view(position("d4 e6 b6"), "blue")
    cells = spots(RULESET, seen)

    assert set(lines(RULESET, seen, "PLACE")) == {
        f"PLACE {cell}" for cell in cells if is_taken(RULESET, seen, f"PLACE {cell}")
    }


def test_every_pair_of_cells_offered_is_a_reply() -> None:
    """Any two of the cells offered behind IF make a reply, and no other pair does."""
    seen = view(position("b2 c3", size=3), "blue")
    cells = [choice.word for choice in offered(RULESET, seen, "IF")]
    pairs = {f"IF {when} {reply}" for when, reply in itertools.permutations(spots(RULESET, seen), 2)}

    assert [choice.takes for choice in offered(RULESET, seen) if choice.word == "IF"] == [2]
    assert {f"IF {when} {reply}" for when, reply in itertools.permutations(cells, 2)} == {
        line for line in pairs if is_taken(RULESET, seen, line)
    }


def test_a_reply_in_short_is_the_same_reply() -> None:
    """IF d4 e5 is kept as IF d4 THEN e5, and its line has the slot of the cell that it answers."""
    state = new_game()
    verbs = [verb for verb in RULESET.desk(view(state, "red"))["verbs"] if verb["word"] == "IF"]

    assert read(state, "red", "IF d4 e5").orders == read(state, "red", "IF d4 THEN e5").orders == (If("d4", "e5"),)
    assert {verb["slot"] for verb in verbs} == {"if {when}"}


def test_a_stone_keeps_its_cell_to_itself() -> None:
    """A page does not offer the cell of one's own stone for a reply, as a sheet with both is refused."""
    state = new_game()
    (stone,) = {choice.room for choice in offered(RULESET, view(state, "red"), "PLACE")}
    (reply,) = {choice.room for choice in offered(RULESET, view(state, "red"), "IF")}

    assert (stone, reply) == ("alone", "shared")
    assert read(state, "red", "PLACE d4", "IF e5 d4").errors
    assert not read(state, "red", "PLACE d4", "IF e5 e6", "IF e6 e5").errors


def test_the_stone_is_asked_for() -> None:
    """The player on move must place a stone; the one who waits is asked for nothing, and may keep replies."""
    red, blue = (view(new_game(), seat) for seat in ("red", "blue"))

    assert [(need.slot, need.start, need.must) for need in RULESET.agenda(red)] == [("place", "PLACE", True)]
    assert not needs(RULESET, blue)
    assert [choice.word for choice in offered(RULESET, blue)] == ["IF"]


def test_nothing_is_asked_or_offered_at_the_end() -> None:
    """A game that is over has no stones and no needs."""
    state, _ = turn(new_game(), red=["RESIGN CONFIRM"])

    assert not offered(RULESET, view(state, "blue"))
    assert not needs(RULESET, view(state, "blue"))
