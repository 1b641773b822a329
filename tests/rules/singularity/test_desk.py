"""The order form of Singularity: orders that the player may give now, and cells to tap."""

from __future__ import annotations

from pbem.ruleset import Json, View
from pbem_rules.singularity import RULESET
from tests.rules.singularity.table import new_game, position, turn, view


def offered(seen: View) -> set[str]:
    """Return the names of the orders of a form."""
    return {verb["name"] for verb in RULESET.desk(seen)["verbs"]}


def values(seen: View, order: str, field: str) -> Json:
    """Return the values that may be chosen for a field of an order."""
    desk = RULESET.desk(seen)
    (parts,) = (verb["parts"] for verb in desk["verbs"] if verb["name"] == order)
    flat = [inner for part in parts for inner in part.get("optional", [part])]
    (kind,) = (part["kind"] for part in flat if part.get("field") == field)
    return desk["kinds"][kind]["form"]["values"]


def test_who_is_on_move_may_place_a_stone() -> None:
    """Only the player on move may place a stone; the opponent may keep replies all the same."""
    assert offered(view(new_game(), "red")) == {"place", "if", "if-short", "draw", "resign"}
    assert offered(view(new_game(), "blue")) == {"if", "if-short", "draw", "resign"}


def test_free_cells_are_offered_and_own_stones_to_wait_for() -> None:
    """A stone goes to a free cell; the stone that a reply waits for may be there already."""
    seen = view(position("d4 e6 e5"), "blue")

    assert not {"d4", "e6", "f1"} & set(values(seen, "place", "cell"))
    assert {"e6", "d4"} & set(values(seen, "if", "after")) == {"e6"}


def test_kept_replies_can_be_forgotten() -> None:
    """FORGET is offered for the cells that are answered, and not before there are any."""
    state, _ = turn(new_game(), red=["PLACE d4", "IF e6 THEN e7"])

    assert values(view(state, "red"), "forget", "when") == ["e6"]


def test_an_offer_of_a_draw_is_answered_or_made() -> None:
    """A player who has made an offer can but wait."""
    state, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])

    assert values(view(new_game(), "red"), "draw", "what") == ["OFFER"]
    assert values(view(state, "blue"), "draw", "what") == ["ACCEPT", "DECLINE"]
    assert "draw" not in offered(view(state, "red"))


def test_nothing_is_offered_at_the_end() -> None:
    """A game that is over takes no orders."""
    state, _ = turn(new_game(), red=["RESIGN CONFIRM"])

    assert offered(view(state, "blue")) == set()


def test_every_cell_can_be_tapped() -> None:
    """The tap target of a cell says what lies there."""
    (picture,) = RULESET.pictures(view(position("d4 a6"), "red"))
    told = {spot.names[0]: spot.title for spot in picture.spots}

    assert len(told) == 91
    assert [told[name] for name in ("d4", "a6", "f1", "e5")] == [
        "d4: stone 1, red",
        "a6: stone 2, blue, on the perimeter",
        "f1: the black stone, on the perimeter",
        "e5: free",
    ]
