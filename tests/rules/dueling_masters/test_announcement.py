"""Announcements of departures, and what follows from them."""

from __future__ import annotations

from pbem.ruleset import Dice, View
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.state import State
from tests.rules.dueling_masters.table import SETUPS, lost, meetings, new_game, position, told, turn, view


def marks(state: State, seat: str) -> list[View]:
    """Return the enemy pieces that a seat knows of."""
    return list(view(state, seat)["enemy"])


def test_the_announcement_names_the_piece() -> None:
    """The opponent hears which kind departs from which square, and sees it on the board (ruling 4)."""
    after, events = turn(position("Y1 D3, Z1 E1", "Z1 J1"), one=["MOVE Y1 B1"])

    assert told(events, "two", "departed")[0] | {"mark": 1} == {
        "kind": "departed", "who": "one", "square": "D3", "mark": 1, "before": None, "type": "Y",
    }  # fmt: skip
    assert [(mark["square"], mark["kind"], mark["standing"]) for mark in marks(after, "two")] == [("D3", "Y", False)]


def test_a_later_move_is_known_as_the_same_pieces() -> None:
    """The mark of a piece moves along, so that each of two Y is known from the other (ruling 4)."""
    state, _ = turn(position("Y1 D3, Y2 E5", "Z1 J1, Z2 F1"), one=["MOVE Y1 B1"])
    state, _ = turn(state, two=["MOVE Z2 F2"])

    after, _ = turn(state, one=["MOVE Y1 C2"])

    assert [(mark["mark"], mark["course"]) for mark in marks(after, "two")] == [(1, ["D3", "B1"])]


def test_in_the_blind_variant_the_square_is_all_that_is_heard() -> None:
    """With announce = square the kind stays unknown until pieces meet (ruling 4)."""
    after, events = turn(position("Y1 D3, Z1 E1", "Z1 J1", blind=True), one=["MOVE Y1 B1"])

    assert "type" not in told(events, "two", "departed")[0]
    assert [mark["kind"] for mark in marks(after, "two")] == [None]


def test_pieces_are_announced_by_default() -> None:
    """A campaign without options plays the author's rule, and `announce=square` the blind one (ruling 4)."""
    assert [new_game().rules.blind, new_game(announce="square").rules.blind] == [False, True]


def test_the_square_is_announced_before_the_judgement() -> None:
    """In the author's example the opponent hears of A1, though the Z never came there (ruling 6)."""
    state, _ = turn(position("X1 C2, Z1 E1>A1, Z2 D10", "Y1 D3, B J1", mover="two"), two=["MOVE Y1 B1"])

    after, events = turn(state, one=["MOVE Z1 A5"])

    assert [event["kind"] for event in told(events, "two")] == ["departed", "collision", "collision", "spent"]
    assert told(events, "two", "departed")[0]["square"] == "A1"
    assert lost(after, "one") == ["Z1"]


def test_a_judgement_that_ends_the_game_is_announced_too() -> None:
    """The square is announced first, also if the judgement ends the game (ruling 6)."""
    _, events = turn(position("Z1 J1>J10, Z2 A1", "X1 B5"), one=["MOVE Z1 I10"])

    assert [event["kind"] for event in told(events, "two")] == ["departed", "collision", "ended"]


def test_the_first_player_is_drawn_from_the_seed_or_set() -> None:
    """Player one has no right to the first move: the seed decides, or the option `first` (ruling 21)."""
    games = [RULESET.setup({}, ("one", "two"), dice) for dice in (Dice(bytes([number])) for number in range(20))]

    assert {game.mover for game in games} == {"one", "two"}
    assert new_game(first="two").mover == "two"


def test_both_hear_during_the_set_up_who_moves_first() -> None:
    """Players know during the set-up who will move first (ruling 21)."""
    state = new_game(first="two")

    begun, events = turn(state, one=SETUPS["one"], two=SETUPS["two"])

    assert view(state, "one")["mover"] == "two"
    assert (begun.mover, told(events, "one", "begun")) == ("two", [{"kind": "begun", "mover": "two"}])


def test_known_flights_are_listed_with_what_follows() -> None:
    """A known Y that flew I3 - G1 may now be bound for nine squares (ruling 22)."""
    state, _ = turn(position("X1 A2", "Y1 I3, Z1 J1", mover="two"), two=["MOVE Y1 G1"])
    state, _ = turn(state, one=["MOVE X1 A3"])

    after, _ = turn(state, two=["MOVE Y1 F2"])

    (mark,) = marks(after, "one")
    assert mark["course"] == ["I3", "G1"]
    assert mark["reach"] == ["A7", "B6", "C5", "D4", "E3", "F2", "H2", "I3", "J4"]
    assert mark["meets"] == []
    assert view(after, "one")["crossed"] == ["G1", "H2", "I3"]


def test_an_own_piece_in_reach_is_named() -> None:
    """The squares of own pieces that an enemy in transit may meet on its way are listed (ruling 22)."""
    state = position("X1 C2, HOME A1", "Y1 D3, Z1 J1", mover="two")

    after, _ = turn(state, two=["MOVE Y1 B1"])

    assert marks(after, "one")[0]["meets"] == ["C2"]


def test_in_the_blind_variant_flights_tell_of_kinds() -> None:
    """A piece that flew D3 - B1 cannot be an X or a W, nor of a kind that is lost (ruling 22)."""
    state, _ = turn(position("X1 A9, Z1 A3", "Y1 D3, Z1 J1", mover="two", blind=True), two=["MOVE Y1 B1"])
    state, _ = turn(state, one=["MOVE X1 A8"])

    after, _ = turn(state, two=["MOVE Y1 C2"])

    assert [mark["kinds"] for mark in marks(after, "one")] == [["B", "Y", "Z"]]


def test_a_piece_that_never_arrived_has_crossed_nothing() -> None:
    """A flight that failed is not told as having gone anywhere (ruling 22)."""
    state = position("Z1 A1, X1 H2", "Y1 I3>G1, Z1 J1", mover="two")

    after, events = turn(state, two=["MOVE Y1 F2"])

    assert meetings(events, "one") == ["H2 X1 Y +-"]
    assert view(after, "one")["crossed"] == ["I3"]
