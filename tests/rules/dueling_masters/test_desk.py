"""The order form of a page, and the targets for taps on the board."""

from __future__ import annotations

from pbem.ruleset import Json, View
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.board import territory
from tests.rules.dueling_masters.table import begun, new_game, position, turn, view


def offered(seen: View) -> set[str]:
    """Return the orders of a form."""
    return {verb["name"] for verb in RULESET.desk(seen)["verbs"]}


def values(seen: View, shown: str) -> Json:
    """Return the choices of an argument of a form, by the word that stands for it in usages."""
    kinds = RULESET.desk(seen)["kinds"].values()
    return next(kind["form"]["values"] for kind in kinds if kind["shown"] == shown)


def told(seen: View, square: str) -> tuple[tuple[str, ...], str]:
    """Return the names and the title of the target on a square."""
    picture, _ = RULESET.pictures(seen)
    return next((spot.names, spot.title) for spot in picture.spots if square in spot.names)


def test_pieces_are_set_up_in_the_own_half() -> None:
    """During the set-up SETUP is offered, for squares of the own half, and no move."""
    seen = view(new_game(), "one")

    assert offered(seen) == {"setup", "draw", "resign"}
    assert values(seen, "square") == list(territory("one"))


def test_who_is_on_move_is_offered_pieces_that_can_move_and_where_to() -> None:
    """The player on move is offered pieces that can move and their squares, and RAM only if an asteroid is there."""
    free, barred = (view(position(pieces), "one") for pieces in ("Z1 C2, ASTEROID1 J1", "Z1 C2, ASTEROID1 C4"))

    assert offered(free) == {"move", "draw", "resign"}
    assert values(free, "piece") == ["Z1"]
    assert "C10" in values(free, "square")
    assert "D5" not in values(free, "square")
    assert "ram" in offered(barred)


def test_who_waits_may_leave_or_speak_of_a_draw() -> None:
    """A player who is not on move is offered RESIGN and DRAW."""
    assert offered(view(begun(), "two")) == {"draw", "resign"}


def test_nothing_is_offered_at_the_end() -> None:
    """A game that is over takes no orders."""
    state, _ = turn(begun(), one=["RESIGN CONFIRM"])

    assert offered(view(state, "two")) == set()


def test_a_square_tells_what_is_known_to_be_there() -> None:
    """The title of a square names own pieces, also in transit, and enemies by their marks."""
    seen = view(position("Z1 C2, X1 A1>A7", "Y1 E5>F6"), "one")

    assert told(seen, "C2") == (("Z1", "C2"), "C2: your Z1")
    assert told(seen, "A7") == (("X1", "A7"), "A7: your X1 in transit to here")
    assert told(seen, "E5")[1].startswith("E5: enemy 1 left here, ")
    assert told(seen, "C9") == (("C9",), "C9: nothing known")


def test_pieces_have_no_names_to_tap_before_they_move() -> None:
    """During the set-up a target names its square alone, as orders name kinds and squares."""
    assert told(view(new_game(), "one"), "B8")[0] == ("B8",)
