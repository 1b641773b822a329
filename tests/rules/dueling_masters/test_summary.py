"""Summary of a turn in Dueling Masters of Space-Time: it is true, and nothing hidden changes it."""

from __future__ import annotations

import dataclasses

import pytest

from pbem.ruleset import Event, Loss, SeatName
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.board import territory
from pbem_rules.dueling_masters.state import SEATS, Player, State
from tests.rules.dueling_masters.table import HOMES, SETUPS, begun, lost, new_game, position, turn, view


def summary(state: State, seat: SeatName = "one", events: tuple[Event, ...] = ()) -> list[str]:
    """Return the summary in a seat's report."""
    return list(RULESET.turn_summary(view(state, seat, events)))


def test_the_set_up_that_is_awaited_is_told() -> None:
    """Each player is told their rows, and which set-ups are complete or awaited."""
    one_ready, events = turn(new_game(), one=SETUPS["one"], two=SETUPS["two"][:1])

    assert summary(new_game(), "two") == ["Your set-up is awaited, in rows F to J."]
    assert summary(one_ready, "one", events) == ["Your set-up is complete; your opponent's is awaited."]
    assert summary(one_ready, "two", events) == [
        "Your set-up is awaited, in rows F to J; your opponent has sent theirs.",
        "At this deadline dice place what it lacks, and you have missed it.",
    ]


def test_a_set_up_left_incomplete_is_told_to_both() -> None:
    """An incomplete set-up counts as a missed deadline (ruling 1)."""
    state, _ = turn(new_game(), one=SETUPS["one"], two=SETUPS["two"][:1])

    after, events = turn(state, two=SETUPS["two"][1:3])

    told = "left the set-up incomplete: 1 missed in a row"
    assert summary(after, "one", events)[0] == f"Your opponent {told}, and 3 lose the game."
    assert summary(after, "two", events)[0] == f"You {told}, and 3 lose the game."


def test_a_duel_begins_with_all_pieces_and_nothing_searched() -> None:
    """The first summary has eighteen pieces each, and the squares searched."""
    assert summary(begun()) == [
        "You have 18 pieces left, your opponent 18 as far as you know.",
        "Your flights have looked at 0 of the 50 squares of their half.",
    ]


def test_what_collisions_destroyed_is_told_to_both() -> None:
    """Both players are told of a Z fighter that is lost to a B fighter, and that the move is used up."""
    after, events = turn(position("Z1 E1>F1, X1 C2", "B1 F1, X1 J1"), one=["MOVE Z1 E1"])
    assert lost(after, "one") == ["Z1"]

    assert "You lost Z1 on F1." in summary(after, "one", events)
    assert "Your move is used up: the piece ordered had been destroyed." in summary(after, "one", events)
    assert "Your opponent lost a Z fighter on F1." in summary(after, "two", events)
    assert "Your opponent's move is used up: the piece ordered had been destroyed." in summary(after, "two", events)


def test_equals_that_meet_are_lost_on_both_sides() -> None:
    """The losses of both sides are told in one line."""
    after, events = turn(position("X1 E1>F1, Z1 C2", "X1 F1, Z1 J1"), one=["MOVE X1 E1"])

    assert "You lost X1 on F1; your opponent lost an X fighter on F1." in summary(after, "one", events)
    assert "You lost X1 on F1; your opponent lost an X fighter on F1." in summary(after, "two", events)


def test_many_losses_are_counted() -> None:
    """Losses that do not fit a line are told in numbers."""
    flight = position("B E1>E9", "Z1 E2, Z2 E3, Z3 E4, Z4 E5, Y1 E6, Y2 E7, X1 E8, X2 J1")
    after, events = turn(flight, one=["MOVE B E1"])

    assert lost(after, "two") == ["Z1", "Z2", "Z3", "Z4", "Y1", "Y2", "X1"]
    assert "Your opponent lost 7 pieces." in summary(after, "one", events)
    lost_squares = "Z1 on E2, Z2 on E3, Z3 on E4, Z4 on E5, Y1 on E6, Y2 on E7 and X1 on E8"
    assert f"You lost {lost_squares}." in summary(after, "two", events)


def test_pieces_left_are_counted_as_the_reader_knows_them() -> None:
    """The opponent's pieces are counted as all but those known to be destroyed."""
    after, events = turn(position("X1 E1>F1, Z1 C2", "X1 F1, Z1 J1"), one=["MOVE X1 E1"])

    assert "You have 2 pieces left, your opponent 17 as far as you know." in summary(after, "one", events)


def test_a_departure_is_told_with_whom_it_may_meet() -> None:
    """The summary of the opponent's move has mark, kind and square, and own pieces in its way."""
    after, events = turn(position("Z1 C2", "X1 F2", mover="two"), two=["MOVE X1 F9"])

    assert "Enemy 1 left F2, an X fighter; it may meet you on C2." in summary(after, "one", events)


def test_a_flight_that_may_go_over_the_home_planet_is_a_threat() -> None:
    """A rook on the home planet's row or column is a threat; one elsewhere is not."""
    square = HOMES["one"]
    near, events = turn(position("", "X1 F10", mover="two"), two=["MOVE X1 F9"])
    far, heard = turn(position("", "X1 F2", mover="two"), two=["MOVE X1 F9"])

    assert f"Enemy 1 may fly over your home planet on {square}." in summary(near, "one", events)
    assert [line for line in summary(far, "one", heard) if "fly over" in line] == []


def test_the_search_counts_squares_of_the_opponents_half() -> None:
    """Squares on judged flights count in the opponent's half, not in the own one."""
    after, events = turn(position("B D1>H1, Z1 C2", "X1 J3"), one=["MOVE B D1"])
    looked = set(view(after, "one")["scouted"]) & set(territory("two"))

    assert looked == {"F1", "G1", "H1"}
    assert "Your flights have looked at 3 of the 50 squares of their half." in summary(after, "one", events)


def test_a_missed_deadline_is_told_to_both() -> None:
    """Both players are told how many were missed in a row, and how many lose the game."""
    after, events = turn(position("Z1 C2", "Z1 F2"))

    assert "You missed the deadline: 1 in a row, and 3 lose the game." in summary(after, "one", events)
    assert "Your opponent missed the deadline: 1 in a row, and 3 lose the game." in summary(after, "two", events)


@pytest.mark.parametrize("seat", SEATS)
def test_a_quiet_game_is_told_from_ten_turns_before(seat: SeatName) -> None:
    """Both are told how many moves are left, from ten turns of each player before the draw (ruling 24)."""
    told = [summary(position("Z1 E1", "Z1 J1", move=1 + moves, quiet_turns=40), seat) for moves in (59, 60, 79)]

    assert [[line for line in lines if "drawn" in line] for lines in told] == [
        [],
        ["Nothing was destroyed in 60 moves: after 20 more, the game is drawn."],
        ["Nothing was destroyed in 79 moves: after 1 more, the game is drawn."],
    ]


def test_an_offer_of_a_draw_is_told() -> None:
    """One player is told that the offer is open, the other that there is one."""
    after, events = turn(position("Z1 C2", "Z1 F2"), one=["DRAW OFFER", "MOVE Z1 C3"])

    assert summary(after, "one", events)[0] == "Your offer of a draw waits for an answer."
    assert summary(after, "two", events)[0] == "Your opponent offers you a draw."


def test_ramming_is_told_to_its_player_alone() -> None:
    """Ramming is told to its player; the opponent hears of a departure like any other."""
    after, events = turn(position("Z1 C2, ASTEROID1 C5", "X1 J3"), one=["MOVE Z1 C5 RAM"])

    assert "Your Z1 rammed your own asteroid on C5: both are gone." in summary(after, "one", events)
    assert [line for line in summary(after, "two", events) if "ramm" in line or "asteroid" in line] == []
    assert "You have 1 piece left, your opponent 18 as far as you know." in summary(after, "one", events)
    assert "You have 2 pieces left, your opponent 18 as far as you know." in summary(after, "two", events)


def test_the_end_tells_who_won_and_why() -> None:
    """Winner and loser are told the reason, and where the home planet was that was not found."""
    after, events = turn(position("X1 E10>J10", "Z1 F2"), one=["MOVE X1 E10"])

    assert summary(after, "one", events)[0] == "You have won: the opponent's home was destroyed."
    assert summary(after, "two", events)[:2] == [
        "You have lost. Player one wins: the opponent's home was destroyed.",
        f"Your opponent's home planet stood on {HOMES['one']}.",
    ]


def test_a_draw_is_told_as_one() -> None:
    """Both players are told of a draw in the same words."""
    offered, _ = turn(position("Z1 C2", "Z1 F2"), one=["DRAW OFFER", "MOVE Z1 C3"])
    after, events = turn(offered, two=["DRAW ACCEPT"])

    assert {summary(after, seat, events)[0] for seat in ("one", "two")} == {"A draw: the players agreed to a draw."}


def test_home_planets_are_counted_where_there_are_several() -> None:
    """With three home planets each, the summary has how many are left."""
    assert "Home planets left: you 1, your opponent 3." in summary(position("Z1 C2", "Z1 F2", homes=3))


@pytest.mark.parametrize("hidden", ["Z1 F2", "B1 G3, Z2 I9", "Z4 J10, Y1 H4"])
def test_what_stands_hidden_changes_nothing(hidden: str) -> None:
    """The opponent's unknown pieces and searches do not change the summary."""
    searched = position("Z1 C2", hidden)
    two = dataclasses.replace(searched.players["two"], scouted={"A10": 3, "B1": 5})
    players: dict[SeatName, Player] = {"one": searched.players["one"], "two": two}

    assert summary(dataclasses.replace(searched, players=players)) == summary(position("Z1 C2", "X1 J1"))


def test_own_losses_are_marked_as_bad_news() -> None:
    """A lost piece is a loss to its player, and none to the other."""
    after, events = turn(position("Z1 E1>F1, X1 C2", "B1 F1, X1 J1"), one=["MOVE Z1 E1"])

    bad = {seat: [str(line) for line in summary(after, seat, events) if isinstance(line, Loss)] for seat in SEATS}

    assert bad["one"] == ["You lost Z1 on F1.", "Your move is used up: the piece ordered had been destroyed."]
    assert bad["two"] == []


def test_what_happens_without_orders_is_told() -> None:
    """The player to move hears that the move is passed, and how many missed deadlines lose; the other hears nothing."""
    asked, free, last = begun(), begun(forfeit_after=0), begun(forfeit_after=1)

    count = "; then you have missed 1 in a row, and 3 lose the game"
    assert RULESET.without_orders(view(asked, "one")) == f"Without orders your move is passed{count}."
    assert RULESET.without_orders(view(asked, "two")) == ""
    assert RULESET.without_orders(view(free, "one")) == "Without orders your move is passed."
    assert RULESET.without_orders(view(last, "one")).startswith("Without orders you lose the game")
    assert RULESET.without_orders(view(new_game(), "one")).startswith(
        "Without orders dice place what your set-up lacks"
    )
