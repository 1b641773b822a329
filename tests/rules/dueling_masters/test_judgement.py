"""Delayed and recursive judgement of flights: meetings, losses, and their announcement."""

from __future__ import annotations

import pytest

from pbem_rules.dueling_masters.kinds import dies
from pbem_rules.dueling_masters.state import State
from tests.rules.dueling_masters.table import lost, meetings, own, position, told, turn, view, with_rules


def the_example() -> State:
    """Play the author's example: an X on C2, a Z from E1 to A1, and then the enemy's Y from D3 to B1."""
    state = position("X1 C2, Z1 E1>A1, Z2 D10", "Y1 D3, B J1", mover="two")
    state, _ = turn(state, two=["MOVE Y1 B1"])
    return state


def test_the_authors_example() -> None:
    """Z never came from E1 to A1, for the Y bound for B1; nor did the Y, for the X on C2: Z and Y both die."""
    after, events = turn(the_example(), one=["MOVE Z1 A5"])

    assert meetings(events, "one") == ["B1 Z1 Y -+", "C2 X1 Y +-"]
    assert (lost(after, "one"), lost(after, "two")) == (["Z1"], ["Y1"])


def test_the_authors_example_as_he_might_change_it() -> None:
    """With collisions = reached only the Y is destroyed, for it never came to B1; the Z flies on."""
    after, events = turn(with_rules(the_example(), reached=True), one=["MOVE Z1 A5"])

    assert meetings(events, "one") == ["C2 X1 Y +-"]
    assert (lost(after, "one"), lost(after, "two")) == ([], ["Y1"])
    assert own(after, "one", "Z1")["origin"] == "A1"


@pytest.mark.parametrize(
    ("kind", "other", "kind_dies", "other_dies"),
    [
        ("W", "B", False, True),
        ("B", "X", False, True),
        ("X", "Y", False, True),
        ("Y", "Z", False, True),
        ("Z", "HOME", False, True),
        ("W", "Z", False, True),
        ("X", "X", True, True),
        ("HOME", "HOME", True, True),
        ("ASTEROID", "W", True, True),
        ("ASTEROID", "Z", True, True),
        ("ASTEROID", "HOME", True, True),
    ],
)
def test_strength(kind: str, other: str, kind_dies: bool, other_dies: bool) -> None:
    """Of W, B, X, Y, Z, home planet the stronger destroys the weaker; equals and asteroids both die."""
    assert (dies(kind, other), dies(other, kind)) == (kind_dies, other_dies)


def test_nothing_happens_before_a_piece_is_ordered_again() -> None:
    """A flight into an enemy's path decides nothing yet, and neither player is told."""
    after, events = turn(position("Z1 E1, Z2 D9", "X1 G1"), one=["MOVE Z1 J1"])

    assert meetings(events, "one") == meetings(events, "two") == []
    assert (lost(after, "one"), lost(after, "two")) == ([], [])
    assert own(after, "one", "Z1")["square"] == "J1"


def test_a_flight_is_judged_against_where_the_enemy_is_now() -> None:
    """An enemy that came onto the path afterwards is met; one that has left it is not."""
    flown = position("Z1 E1>J1", "X1 G5, Y1 F1", mover="two")
    came, _ = turn(flown, two=["MOVE X1 G1"])
    left, _ = turn(position("Z1 E1>J1", "X1 G5, Y1 F1", mover="two"), two=["MOVE Y1 G2"])

    assert meetings(turn(came, one=["MOVE Z1 J2"])[1], "one") == ["F1 Z1 Y -+", "G1 Z1 X -+"]
    assert meetings(turn(left, one=["MOVE Z1 J2"])[1], "one") == []


def test_a_piece_in_transit_is_taken_at_its_destination() -> None:
    """An enemy in transit is met at its destination, and neither where it departed nor on its way."""
    state = position("Z1 E5>A5, Z2 E9>E3", "X1 C8>C5, X2 E10>J10")

    _, events = turn(state, one=["MOVE Z1 A6"])
    _, others = turn(state, one=["MOVE Z2 E2"])

    assert meetings(events, "one") == ["C5 Z1 X -+"]
    assert meetings(others, "one") == []


def test_a_judged_piece_does_not_stop_at_its_first_meeting() -> None:
    """Every collision on the whole path happens, also beyond the one that destroyed the piece."""
    after, events = turn(position("Y1 E5>A1, Z2 E1", "X1 C3, Z1 B2"), one=["MOVE Y1 B2"])

    assert meetings(events, "one") == ["B2 Y1 Z +-", "C3 Y1 X -+"]
    assert (lost(after, "one"), lost(after, "two")) == (["Y1"], ["Z1"])


def test_with_reached_a_judged_piece_stops_where_it_is_destroyed() -> None:
    """In the author's other reading a piece meets nothing beyond the square of its end."""
    after, events = turn(position("Y1 E5>A1, Z2 E1", "X1 C3, Z1 B2", reached=True), one=["MOVE Y1 B2"])

    assert meetings(events, "one") == ["C3 Y1 X -+"]
    assert lost(after, "two") == []


def test_with_reached_who_is_being_judged_counts_as_arrived() -> None:
    """Of two that fly onto each other, the one met is judged first and destroyed on its way."""
    after, events = turn(position("X1 E1>B1, Z2 E9", "X2 A1>D1, X1 J1", reached=True), one=["MOVE X1 B2"])

    assert meetings(events, "one") == ["B1 X1 X --"]
    assert (lost(after, "one"), lost(after, "two")) == (["X1"], ["X2"])


def test_several_enemies_on_one_square_each_collide() -> None:
    """Two fighters that share a square are both met."""
    after, events = turn(position("X1 E1>A1, Z2 E3", "Y1 C1, Z1 C1"), one=["MOVE X1 A5"])

    assert meetings(events, "one") == ["C1 X1 Y +-", "C1 X1 Z +-"]
    assert lost(after, "two") == ["Y1", "Z1"]


def test_judgement_goes_on_from_piece_to_piece() -> None:
    """Each piece met in transit is judged on its own path, and so are those that it meets, to the end."""
    state = position("Z1 E1>A1, X1 F2>C2, Z2 F3", "Y1 D3>B1, W G3>E2, Z1 J1")

    after, events = turn(state, one=["MOVE Z1 A2"])

    assert meetings(events, "one") == ["B1 Z1 Y -+", "C2 X1 Y +-", "E2 X1 W -+", "F3 Z2 W -+"]
    assert (lost(after, "one"), lost(after, "two")) == (["Z1", "X1", "Z2"], ["Y1"])


def test_two_that_fly_onto_each_other_meet_on_both_squares() -> None:
    """If each is bound for a square on the other's path, both meetings are found, and no more."""
    after, events = turn(position("X1 E1>A1, Z2 E9", "Y1 E5>B2, X2 C5>C1, X1 J1"), one=["MOVE X1 A2"])
    _, swapped = turn(position("X1 E1>B1, Z2 E9", "X2 A1>D1, X1 J1"), one=["MOVE X1 B2"])

    assert meetings(events, "one") == ["C1 X1 X --"]
    assert lost(after, "two") == ["X2"]
    assert meetings(swapped, "one") == ["B1 X1 X --", "D1 X1 X --"]


def test_an_asteroid_and_whatever_hits_it_both_die() -> None:
    """Even a W is destroyed by an asteroid, and the asteroid by it."""
    after, _ = turn(position("W E5>G6, Z1 A1", "ASTEROID1 F5, Z1 J1"), one=["MOVE W H8"])

    assert (lost(after, "one"), lost(after, "two")) == (["W"], ["ASTEROID1"])


@pytest.mark.parametrize("square", ["F5", "G5", "G6"])
def test_a_w_can_be_met_on_three_squares(square: str) -> None:
    """A W flies two squares straight, then one sideways, and can be met on all three."""
    _, events = turn(position("W E5>G6, Z1 A1", f"Z1 {square}, Z2 J1"), one=["MOVE W H8"])

    assert meetings(events, "one") == [f"{square} W Z +-"]


def test_the_square_departed_from_is_not_on_the_path() -> None:
    """Pieces on the square departed from are not met."""
    _, events = turn(position("Z1 E5>E1, Z2 A1", "X1 E5"), one=["MOVE Z1 D1"])

    assert meetings(events, "one") == []


def test_an_order_to_a_destroyed_piece_is_the_move() -> None:
    """If the piece ordered turns out to be destroyed, the turn is used up."""
    after, events = turn(the_example(), one=["MOVE Z1 A5"])

    assert after.mover == "two"
    assert [event["kind"] for event in told(events, "two")] == ["departed", "collision", "collision", "spent"]
    assert told(events, "one", "spent") == [{"kind": "spent", "who": "one", "type": "Z"}]


def test_a_piece_that_survives_departs_anew() -> None:
    """A piece that survives its judgement departs as ordered."""
    after, events = turn(position("X1 E1>A1, Z2 E3", "Z1 C1, Z2 J1"), one=["MOVE X1 A5"])

    assert told(events, "two", "departed")[0]["square"] == "A1"
    assert (own(after, "one", "X1")["origin"], own(after, "one", "X1")["square"]) == ("A1", "A5")


def test_meetings_are_told_to_both() -> None:
    """Each player hears of squares and kinds, own pieces by name, enemy ones by number if they have one."""
    _, events = turn(the_example(), one=["MOVE Z1 A5"])

    assert meetings(events, "one") == ["B1 Z1 Y -+", "C2 X1 Y +-"]
    assert meetings(events, "two") == ["B1 Y1 Z +-", "C2 Y1 X -+"]
    assert [event["enemy"]["mark"] for event in told(events, "one", "collision")] == [1, 1]
    assert [event["enemy"]["mark"] for event in told(events, "two", "collision")] == [2, 3]


def test_a_clear_flight_is_not_told() -> None:
    """A judgement that finds nothing shows only in the new departure of the piece."""
    _, events = turn(position("Z1 E1>A1", "X1 C3"), one=["MOVE Z1 A5"])

    assert [event["kind"] for event in told(events, "two")] == ["departed"]
    assert [event["kind"] for event in told(events, "one")] == ["moved"]


def test_a_piece_met_is_known_to_stand_there() -> None:
    """A survivor that was met at rest is marked on the other's board with its kind, and judged no more."""
    after, _ = turn(the_example(), one=["MOVE Z1 A5"])

    (mark,) = view(after, "two")["enemy"]
    assert (mark["mark"], mark["square"], mark["standing"], mark["kind"]) == (3, "C2", True, "X")
    assert (mark["reach"], mark["kinds"]) == ([], ["X"])


def test_a_path_is_judged_once() -> None:
    """A survivor of a meeting is in transit no more: pieces that come onto its old path are safe (ruling 14)."""
    state = position("Z1 E1>A1, Z2 E5, Z3 E9", "X1 C8>C1, Z1 F9")
    state, _ = turn(state, one=["MOVE Z1 A5"])
    state, _ = turn(state, two=["MOVE Z1 F8"])
    state, _ = turn(state, one=["MOVE Z2 C5"])

    after, events = turn(state, two=["MOVE X1 J1"])

    assert meetings(events, "two") == []
    assert [event["before"] for event in told(events, "one", "departed")] == ["C1"]
    assert own(after, "two", "X1")["origin"] == "C1"


def test_destroying_the_home_planet_wins_at_once() -> None:
    """A flight over the home planet wins when it is judged; the new move is not made."""
    after, events = turn(position("Z1 J1>J10", "X1 A1"), one=["MOVE Z1 A1"])

    assert after.result is not None
    assert (after.result.winners, after.result.how) == (("one",), "destroyed")
    assert [event["kind"] for event in told(events, "two")] == ["departed", "collision", "ended"]


def test_a_home_planet_is_destroyed_even_by_a_piece_that_is_destroyed() -> None:
    """A Z that met an X before, or an asteroid, destroys the home planet all the same."""
    after, _ = turn(position("Z1 J1>J10", "X1 J4, ASTEROID1 J6"), one=["MOVE Z1 I9"])

    assert after.result is not None
    assert after.result.winners == ("one",)
    assert lost(after, "one") == ["Z1"]


def test_both_home_planets_in_one_judgement_are_a_draw() -> None:
    """If one judgement destroys both home planets, the game is drawn."""
    after, _ = turn(position("HOME C5, Z1 J1>J10, Z2 A1", "X1 A5>J5"), one=["MOVE Z1 I9"])

    assert after.result is not None
    assert (after.result.winners, after.result.how) == ((), "both-destroyed")


def test_squares_on_judged_flights_are_remembered() -> None:
    """A player's board keeps the squares of their judged flights and when; the enemy's flights stay unknown."""
    after, _ = turn(position("Z1 E1>A1", "X1 J3>F3", move=9), one=["MOVE Z1 A5"])

    assert view(after, "one")["scouted"] == {"D1": 9, "C1": 9, "B1": 9, "A1": 9}
    assert view(after, "two")["scouted"] == {}
