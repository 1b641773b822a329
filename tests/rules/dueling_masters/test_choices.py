"""The set-up and the moves that a page offers word by word, and what it asks for."""

from __future__ import annotations

import itertools

import pytest

from pbem.ruleset import Dice, SeatName, View
from pbem.ruleset.order_tree import needs
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.board import SQUARES
from pbem_rules.dueling_masters.kinds import KINDS
from pbem_rules.dueling_masters.orders import Ram
from pbem_rules.dueling_masters.state import SEATS, State
from tests.rules.dueling_masters.table import SETUPS, begun, new_game, position, read, turn, view
from tests.rules.taps import is_taken, lines, offered, spots

POSITIONS = {
    "all kinds": position("Z1 C2, W E5, B F4>F8, X1 A1, Y1 D6, ASTEROID1 C4, ASTEROID2 E6", "Y1 E5>F6"),
    "a home planet that moves": position("HOME B2, X1 B3, ASTEROID1 A1, Z1 B5", home_moves=True),
    "only rams": position("X1 A1, ASTEROID1 A2, ASTEROID2 B1"),
}


def put_together(seen: View, dice: Dice) -> list[str]:
    """Return lines for all needs of a set-up, with squares drawn from those offered as their room allows."""
    filled: dict[str, str] = {}
    sheet = []
    for need in RULESET.agenda(seen):
        verb, kind = need.start.split()
        takes = next(choice.takes for choice in offered(RULESET, seen, verb) if choice.word == kind)
        free = [
            choice
            for choice in offered(RULESET, seen, verb, kind)
            if choice.word not in filled or "alone" not in (choice.room, filled[choice.word])
        ]
        drawn = dice.shuffle(free, kind)[: int(takes)]
        filled |= {choice.word: choice.room for choice in drawn}
        sheet.append(" ".join([need.start, *(choice.word for choice in drawn)]))
    return sheet


@pytest.mark.parametrize("state", POSITIONS.values(), ids=POSITIONS)
def test_just_the_moves_are_offered_that_a_sheet_may_order(state: State) -> None:
    """Of all pieces, squares and verbs, those are offered that are accepted, and no others."""
    seen = view(state, "one")
    names = [piece["name"] for piece in seen["own"]]
    every = {f"{verb} {name} TO {square}" for verb, name, square in itertools.product(("MOVE", "RAM"), names, SQUARES)}

    assert set(lines(RULESET, seen)) == {line for line in every if is_taken(RULESET, seen, line)}


def test_every_word_with_a_place_is_one_of_the_picture() -> None:
    """Pieces, squares and the squares on the way are targets for taps."""
    seen = view(begun(), "one")
    words = {word for line in lines(RULESET, seen) for word in line.split()} - {"MOVE", "RAM", "TO"}
    ways = {square for choice in offered(RULESET, seen, "MOVE", "W", "TO") for square in choice.path}

    assert words | ways <= spots(RULESET, seen)


def test_a_leap_is_drawn_over_the_squares_on_its_way() -> None:
    """A W passes two squares before it turns; others fly straight, which needs no path."""
    seen = view(position("W E5, Z1 A1"), "one")

    assert {choice.word: choice.path for choice in offered(RULESET, seen, "MOVE", "W", "TO")}["F7"] == ("E6", "E7")
    assert not any(choice.path for choice in offered(RULESET, seen, "MOVE", "Z1", "TO"))


def test_to_ram_is_apart() -> None:
    """RAM begins lines of its own, which a page asks about once more, and means the same as behind a move."""
    state = position("Z1 C2, ASTEROID1 C4")
    seen = view(state, "one")
    grave = {verb["word"] for verb in RULESET.desk(seen)["verbs"] if verb["grave"]}

    assert [choice.word for choice in offered(RULESET, seen)] == ["MOVE", "RAM"]
    assert grave - {"MOVE"} == {"RAM", "DRAW", "RESIGN"}
    assert (
        read(state, "one", "RAM Z1 TO C5").orders == read(state, "one", "MOVE Z1 C5 RAM").orders == (Ram("Z1", "C5"),)
    )


def test_the_move_is_asked_for_and_by_ram_only_without_another() -> None:
    """The player on move is asked for a move and nothing else."""
    asked = {name: [need.start for need in RULESET.agenda(view(state, "one"))] for name, state in POSITIONS.items()}

    assert asked == {"all kinds": ["MOVE"], "a home planet that moves": ["MOVE"], "only rams": ["RAM"]}


def test_nothing_is_asked_of_who_waits_or_has_finished() -> None:
    """Neither a player who is not on move nor one whose game is over is offered or asked for a move."""
    over, _ = turn(begun(), one=["RESIGN CONFIRM"])

    for seen in (view(begun(), "two"), view(over, "one"), view(over, "two")):
        assert not offered(RULESET, seen)
        assert not needs(RULESET, seen)


@pytest.mark.parametrize("homes", ["1", "3"])
@pytest.mark.parametrize("seat", SEATS)
def test_a_set_up_of_taps_is_complete(seat: SeatName, homes: str) -> None:
    """Squares chosen by dice for all kinds, as their room allows, make a sheet that is taken whole."""
    state = new_game(homes=homes)
    for seed in range(20):
        parsed = read(state, seat, *put_together(view(state, seat), Dice(bytes([seed]))))

        assert not parsed.errors
        assert parsed.complete
        assert len(parsed.orders) == len(KINDS)


def test_a_set_up_of_taps_goes_round_what_stands() -> None:
    """At the second deadline the kinds that lack are asked for, and their squares are those left to them."""
    state, _ = turn(new_game(), one=SETUPS["one"][1:4], two=())
    seen = view(state, "one")
    parsed = read(state, "one", *put_together(seen, Dice(b"taps")))

    assert [need.slot for need in RULESET.agenda(seen)] == ["setup HOME", "setup X", "setup Y", "setup Z"]
    assert RULESET.agenda(seen)[0].rest.endswith("dice place, and it counts as a missed one.")
    assert parsed.complete
    assert {"A7", "A1"}.isdisjoint(choice.word for choice in offered(RULESET, seen, "SETUP", "HOME"))
    assert "A1" in [choice.word for choice in offered(RULESET, seen, "SETUP", "Z")]


def test_a_set_up_that_is_complete_can_be_changed() -> None:
    """Who waits for the other's set-up is asked for nothing, and is offered each kind by lines that are taken."""
    state, _ = turn(new_game(), one=SETUPS["one"], two=())
    seen = view(state, "one")

    assert not RULESET.agenda(seen)
    for kind in offered(RULESET, seen, "SETUP"):
        squares = [choice.word for choice in offered(RULESET, seen, "SETUP", kind.word)]
        assert is_taken(RULESET, seen, " ".join(["SETUP", kind.word, *squares[: int(kind.takes)]]))
        assert set(squares) <= spots(RULESET, seen)
