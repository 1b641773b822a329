"""Movement of pieces, what is in their way, and what the opponent hears of it."""

from __future__ import annotations

import itertools

import pytest

from pbem.ruleset import Dice, TurnInput
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.board import SQUARES, colour, flights
from pbem_rules.dueling_masters.orders import Move, Ram
from tests.rules.dueling_masters.table import begun, codes, lost, own, position, read, told, turn, view


def ends(manner: str, origin: str) -> set[str]:
    """Return the squares in reach."""
    return set(flights(manner, origin))


def test_the_board() -> None:
    """The board has rows A to J and columns 1 to 10; neighbours differ in colour."""
    assert (len(SQUARES), SQUARES[0], SQUARES[-1]) == (100, "A1", "J10")
    assert all(colour(f"C{column}") != colour(f"C{column + 1}") for column in range(1, 10))


def test_x_moves_like_a_rook() -> None:
    """An X moves any number of squares along its row or column."""
    assert ends("rook", "C4") == {f"C{column}" for column in range(1, 11)} ^ {f"{row}4" for row in "ABCDEFGHIJ"}


def test_y_moves_like_a_bishop() -> None:
    """A Y moves any number of squares diagonally, and so always on one colour."""
    assert ends("bishop", "B2") == {"A1", "A3", "C1", *(f"{row}{at}" for at, row in enumerate("CDEFGHIJ", 3))}
    assert {colour(square) for square in ends("bishop", "E7")} == {colour("E7")}


@pytest.mark.parametrize("origin", ["A1", "E5", "J4"])
def test_b_and_z_move_like_queens(origin: str) -> None:
    """A queen moves like rook and bishop together."""
    assert ends("queen", origin) == ends("rook", origin) | ends("bishop", origin)


def test_w_moves_like_a_knight() -> None:
    """A W moves two squares straight and one sideways, within the board."""
    assert ends("leap", "E5") == {"C4", "C6", "D3", "D7", "F3", "F7", "G4", "G6"}
    assert ends("leap", "A1") == {"B3", "C2"}


def test_paths_hold_every_square_after_the_departure() -> None:
    """A path begins beside the square departed from and ends with the destination, square by square."""
    assert flights("queen", "A1")["D4"] == ("B2", "C3", "D4")
    assert flights("rook", "J10")["J7"] == ("J9", "J8", "J7")
    assert flights("leap", "E5")["G6"] == ("F5", "G5", "G6")
    assert flights("leap", "E5")["D7"] == ("E6", "E7", "D7")


@pytest.mark.parametrize("manner", ["queen", "rook", "bishop", "leap", "king"])
def test_paths_have_no_gaps(manner: str) -> None:
    """From any square to the next of a path is one step of a king."""
    for origin in SQUARES:
        for path in flights(manner, origin).values():
            for one, other in itertools.pairwise((origin, *path)):
                assert other in ends("king", one)


def test_own_fighters_may_be_crossed_and_joined() -> None:
    """Fighters fly over own fighters and share squares with them."""
    after, _ = turn(position("Z1 E1, Z2 D1, X1 C1", "Z1 J1"), one=["MOVE Z1 C1"])

    assert own(after, "one", "Z1")["square"] == own(after, "one", "X1")["square"] == "C1"


@pytest.mark.parametrize("target", ["D1", "C1"])
def test_no_piece_crosses_its_own_asteroid_or_home_planet(target: str) -> None:
    """A piece moves neither beyond an own asteroid or home planet nor to its square."""
    asteroid = position("Z1 E1, ASTEROID1 D1", "Z1 J1")
    home = position("Z1 E1, HOME D1", "Z1 J1")

    assert codes(read(asteroid, "one", f"MOVE Z1 {target}"))[-1] == (1, "asteroid-in-the-way")
    assert codes(read(home, "one", f"MOVE Z1 {target}"))[-1] == (1, "home-in-the-way")


def test_ramming_destroys_ship_and_asteroid() -> None:
    """With RAM a ship may fly into an own asteroid, the first on its path; both are lost at once."""
    state = position("Z1 E1, Z2 A9, ASTEROID1 D1, ASTEROID2 C1", "Z1 J1")

    after, events = turn(state, one=["MOVE Z1 B1 RAM"])

    assert lost(after, "one") == ["Z1", "ASTEROID1"]
    assert [(piece["name"], piece["square"]) for piece in view(after, "one")["own_lost"]] == [
        ("Z1", "D1"),
        ("ASTEROID1", "D1"),
    ]
    assert told(events, "one", "rammed") == [{"kind": "rammed", "piece": "Z1", "origin": "E1", "square": "D1"}]


def test_ramming_sounds_like_any_departure() -> None:
    """The opponent hears the same of a ship that rams as of one that flies away."""
    state = position("Z1 E1, Z2 A9, ASTEROID1 D1", "Z1 J1")

    rammed, loud = turn(state, one=["MOVE Z1 C1 RAM"])
    flown, quiet = turn(state, one=["MOVE Z1 E5"])

    assert view(rammed, "two", loud) == view(flown, "two", quiet)
    assert [(mark["square"], mark["standing"]) for mark in view(rammed, "two")["enemy"]] == [("E1", False)]


def test_a_ship_that_rams_is_judged_before() -> None:
    """If its flight before has destroyed the ship, the asteroid stays."""
    after, _ = turn(position("Z1 E1>E5, Z2 A9, ASTEROID1 D5", "X1 E3"), one=["MOVE Z1 C5 RAM"])

    assert lost(after, "one") == ["Z1"]


def test_a_flight_that_ended_in_ramming_is_never_met() -> None:
    """A ship that rammed is gone, and no flight of the enemy meets it."""
    state, _ = turn(position("Z1 E1, Z2 A9, ASTEROID1 D1", "X1 D10>D1, X2 J5"), one=["MOVE Z1 C1 RAM"])

    _, events = turn(state, two=["MOVE X1 J1"])

    assert told(events, "two", "collision") == []


def test_the_opponent_does_not_hear_where_to() -> None:
    """The announcement is the same wherever a piece goes and, in the blind variant, whatever piece it is."""
    state = position("Z1 E1, X1 E1, W E1", "Z1 J1", blind=True)
    moves = ["MOVE Z1 A1", "MOVE Z1 E9", "MOVE X1 J1", "MOVE W G2"]

    views = [view(after, "two", events) for after, events in (turn(state, one=[line]) for line in moves)]

    assert all(other == views[0] for other in views)
    assert views[0]["events"] == [{"kind": "departed", "who": "one", "square": "E1", "mark": 1, "before": None}]


def test_the_opponents_board_keeps_the_last_departures() -> None:
    """A piece that departs again keeps its mark; another piece gets the next one."""
    state, _ = turn(position("Z1 E1, Z2 E9", "Z1 J1, Z2 J2"), one=["MOVE Z1 A1"])
    state, _ = turn(state, two=["MOVE Z1 J5"])
    state, _ = turn(state, one=["MOVE Z2 A9"])
    state, _ = turn(state, two=["MOVE Z1 F5"])

    after, events = turn(state, one=["MOVE Z1 A5"])

    assert [(mark["mark"], mark["square"]) for mark in view(after, "two")["enemy"]] == [(1, "A1"), (2, "E9")]
    assert told(events, "two", "departed") == [
        {"kind": "departed", "who": "one", "square": "A1", "mark": 1, "before": "E1", "type": "Z"}
    ]


def test_players_take_turns_and_one_begins() -> None:
    """Player one moves first, then the two in turn, one move each."""
    state = begun()
    assert RULESET.standing(state).awaiting == {"one"}

    state, _ = turn(state, one=["MOVE Z1 F1"])
    assert RULESET.standing(state).awaiting == {"two"}

    state, _ = turn(state, two=["MOVE Z1 E3"])
    assert RULESET.standing(state).awaiting == {"one"}
    assert state.move == 3


def test_both_are_told_of_every_turn() -> None:
    """After each turn both players get a report."""
    assert RULESET.standing(begun()).told is None


@pytest.mark.parametrize("order", [Move("Z1", "G2"), Move("Z9", "F1"), Move("HOME", "A1"), Ram("Z1", "C1")])
def test_what_cannot_be_done_is_refused(order: Move) -> None:
    """An order that got past its receipt is refused when the turn is resolved, and only its player is told why."""
    before = position("Z1 E1", "Z1 J1")

    after, events = RULESET.resolve(before, TurnInput({"one": (order,)}), Dice(b"test"))

    assert after.players["one"].pieces == before.players["one"].pieces
    assert [event["kind"] for event in told(events, "one")] == ["refused", "missed"]
    assert [event["kind"] for event in told(events, "two")] == ["missed"]
