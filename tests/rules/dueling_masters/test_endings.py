"""The ends of a game, and turns in which no move is possible."""

from __future__ import annotations

import pytest

from pbem.ruleset import TurnInput
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.orders import Move
from pbem_rules.dueling_masters.state import State
from tests.rules.dueling_masters.table import begun, codes, lost, new_game, own, position, read, told, turn, view


def ended(state: State) -> tuple[tuple[str, ...], str]:
    """Return the winners, and how the game ended."""
    assert state.result is not None
    return state.result.winners, state.result.how


def test_who_keeps_his_home_planet_wins() -> None:
    """The player whose home planet remains wins when the other's is destroyed."""
    after, events = turn(position("Z1 J1>J10", "X1 B1"), one=["MOVE Z1 A1"])

    assert ended(after) == (("one",), "destroyed")
    assert RULESET.standing(after).awaiting == frozenset()
    assert told(events, "two", "ended")[0]["winners"] == ["one"]


def test_a_home_planet_may_be_lost_in_the_own_move() -> None:
    """A judgement that shows the enemy's flight over one's own home planet loses the game."""
    after, _ = turn(position("HOME C5, Z1 J1>J8, Z2 A1", "X1 A5>J5"), one=["MOVE Z1 I8"])

    assert ended(after) == (("two",), "destroyed")


@pytest.mark.parametrize(
    ("one", "two", "drawn"),
    [
        ("Y1 A1, HOME A10", "Y1 J9, HOME J1", False),
        ("Y1 A2, HOME A10", "Y1 J1, HOME J1", False),
        ("Y1 B1, HOME A10", "Y1 J1, HOME J2", False),
        ("Y1 A2, HOME A10", "Y1 J2, HOME J10", True),
        ("Y1 A2, HOME A10", "ASTEROID1 F1, HOME J10", True),
        ("ASTEROID1 A1", "ASTEROID1 F1", True),
        ("W A2", "ASTEROID1 F1", False),
        ("X1 A2", "Y1 J2", False),
    ],
)
def test_a_draw_when_neither_can_reach_the_others_home(one: str, two: str, drawn: bool) -> None:
    """The game is drawn if no piece can reach the other's home; a Y stays on squares of one colour (ruling 8)."""
    after, _ = turn(position(one, two), one=[])

    assert (after.result is not None and ended(after) == ((), "out-of-reach")) is drawn


def test_a_draw_is_seen_when_the_last_pieces_fall() -> None:
    """When the last two fighters destroy each other, the game is drawn in the same turn."""
    after, events = turn(position("Z1 E1>A1, HOME A10", "Z1 C1"), one=["MOVE Z1 A2"])

    assert ended(after) == ((), "out-of-reach")
    assert told(events, "two", "ended")[0]["winners"] == []


def test_who_has_no_piece_to_move_is_passed_over() -> None:
    """A player without a piece that can move is not awaited; the other moves on and both are told."""
    after, events = turn(position("Z1 E1, Z2 E9", "ASTEROID1 F9"), one=["MOVE Z1 A1"])

    assert RULESET.standing(after).awaiting == {"one"}
    assert told(events, "two", "skipped") == [{"kind": "skipped", "who": "two"}]


def test_a_piece_enclosed_by_asteroids_may_still_ram() -> None:
    """A fighter with own asteroids all around still has a move."""
    after, _ = turn(position("Z1 E1, Z2 E9", "Y1 J1, ASTEROID1 I2"), one=["MOVE Z1 A1"])

    assert RULESET.standing(after).awaiting == {"two"}


def test_if_nobody_can_move_the_game_is_drawn() -> None:
    """Two bishops in corners behind their own home planets can never move again."""
    after, _ = turn(position("Y1 A1, HOME B2", "Y1 J10, HOME I9"), one=[])

    assert ended(after) == ((), "no-moves")


def test_who_resigns_loses() -> None:
    """RESIGN gives the game to the opponent, also out of turn, and comes before any move."""
    after, events = turn(begun(), one=["MOVE Z1 F1"], two=["RESIGN CONFIRM"])

    assert ended(after) == (("one",), "resigned")
    assert [event["kind"] for event in told(events, "one")] == ["resigned", "ended"]


def test_who_is_removed_has_resigned() -> None:
    """A player removed by the GM loses, also during the set-up."""
    after, _ = turn(new_game(), one=[], removed=["two"])

    assert ended(after) == (("one",), "removed")


def test_if_both_give_up_nobody_wins() -> None:
    """Two resignations in one turn are a draw."""
    after, _ = turn(begun(), one=["RESIGN CONFIRM"], two=["RESIGN CONFIRM"])

    assert ended(after) == ((), "both-left")


def test_an_offer_accepted_is_a_draw() -> None:
    """DRAW ACCEPT ends the game before any move of that turn."""
    offered, events = turn(begun(), one=["MOVE Z1 F1", "DRAW OFFER"])

    after, _ = turn(offered, two=["DRAW ACCEPT", "MOVE Z1 E3"])

    assert ("draw-offered", "one") in [(event["kind"], event.get("who")) for event in told(events, "two")]
    assert ended(after) == ((), "agreed")


def test_a_move_instead_of_an_answer_declines() -> None:
    """A player who moves while an offer is open has declined it."""
    offered, _ = turn(begun(), one=["MOVE Z1 F1", "DRAW OFFER"])

    after, events = turn(offered, two=["MOVE Z1 E3"])

    assert after.offer is None
    assert told(events, "one")[0] == {"kind": "draw-declined", "who": "two", "how": "played on"}


def test_a_missed_deadline_passes_the_move_and_counts() -> None:
    """Without a sheet the move is passed, and both are told how many were missed in a row."""
    after, events = turn(begun())

    assert (after.mover, after.move) == ("two", 2)
    assert told(events, "two", "missed") == [
        {"kind": "missed", "who": "one", "misses": 1, "limit": 3, "stage": "move"},
    ]


def test_too_many_missed_deadlines_lose() -> None:
    """The number of deadlines set by the campaign, missed in a row, loses the game."""
    state, _ = turn(begun(forfeit_after=2))
    state, _ = turn(state, two=["MOVE Z1 E3"])

    after, _ = turn(state)

    assert ended(after) == (("two",), "forfeit")


def test_player_ones_missed_set_up_is_counted_first() -> None:
    """If both miss their set-ups and one deadline is enough, player one has lost (ruling 12)."""
    after, events = turn(new_game(forfeit_after=1))

    assert ended(after) == (("two",), "forfeit")
    assert [event["who"] for event in told(events, "two", "missed")] == ["one"]


def test_a_move_ends_the_count() -> None:
    """A move in between ends the count of missed deadlines; with forfeit_after 0 no player loses by the clock."""
    state, _ = turn(begun())
    state, _ = turn(state, two=["MOVE Z1 E3"])
    state, _ = turn(state, one=["MOVE Z1 F1"])
    assert state.players["one"].misses == 0

    never = begun(forfeit_after=0)
    for _ in range(8):
        never, _ = turn(never)
    assert never.result is None


@pytest.mark.parametrize("sheet", [["DRAW OFFER"], []])
def test_a_sheet_without_a_move_misses_the_deadline(sheet: list[str]) -> None:
    """A move not made by its deadline is passed and counts, whatever else was sent (ruling 20)."""
    after, events = turn(begun(), one=sheet)

    assert (after.mover, after.move, after.players["one"].misses) == ("two", 2, 1)
    assert [event["stage"] for event in told(events, "two", "missed")] == ["no-move"]


def test_sheets_without_moves_lose_the_game() -> None:
    """Offers of a draw hold the game up for no longer than missed deadlines do (ruling 20)."""
    state = begun(forfeit_after=2)
    state, _ = turn(state, one=["DRAW OFFER"])
    state, _ = turn(state, two=["MOVE Z1 E3"])

    after, _ = turn(state, one=["DRAW OFFER"])

    assert ended(after) == (("two",), "forfeit")


def test_an_offer_goes_with_the_move() -> None:
    """The offer of a player to move is not made without a move, and its player alone is told (ruling 20)."""
    after, events = turn(begun(), one=["DRAW OFFER"])

    assert after.offer is None
    assert [event["line"] for event in told(events, "one", "refused")] == ["DRAW OFFER"]
    assert told(events, "two", "refused", "draw-offered") == []


def test_two_offers_agree_without_a_move() -> None:
    """Where the opponent offers a draw too, both want it, and the game is drawn (rulings 16 and 20)."""
    after, _ = turn(begun(), one=["DRAW OFFER"], two=["DRAW OFFER"])

    assert ended(after) == ((), "agreed")


def test_a_quiet_game_is_drawn() -> None:
    """When nothing was destroyed in as many turns of each player as the option says, it is a draw (ruling 24)."""
    state = begun(quiet_turns=2, forfeit_after=0)
    for _ in range(3):
        state, _ = turn(state)
    assert (state.quiet, state.result) == (3, None)

    after, _ = turn(state)

    assert ended(after) == ((), "quiet")


def test_a_piece_destroyed_begins_the_count_anew() -> None:
    """A judgement that destroys a piece ends the count; ramming, of which one alone knows, does not (ruling 24)."""
    state = position("Z1 E1, Z2 A2, ASTEROID1 C1, X1 A5>E5", "Z1 J1, Y1 D5", move=9, quiet_turns=9)

    rammed, _ = turn(state, one=["MOVE Z1 A1 RAM"])
    judged, _ = turn(state, one=["MOVE X1 E6"])

    assert (rammed.quiet, lost(rammed, "one")) == (9, ["Z1", "ASTEROID1"])
    assert (judged.quiet, lost(judged, "two")) == (0, ["Y1"])


def test_a_win_comes_before_the_end_of_a_quiet_game() -> None:
    """The judgement of the last quiet turn may still win (ruling 24)."""
    state = position("Z1 J1>J10", "X1 B1", move=8, quiet_turns=4)

    after, _ = turn(state, one=["MOVE Z1 A1"])

    assert ended(after) == (("one",), "destroyed")


@pytest.mark.parametrize(
    ("enemy", "square", "gone"), [("X1 B3>E3", "C2", ["ASTEROID1"]), ("X1 J1", "D3", ["B", "ASTEROID1"])]
)
def test_a_ship_flies_on_where_its_asteroid_is_gone(enemy: str, square: str, gone: list[str]) -> None:
    """An own asteroid that falls in the judgement before it was rammed is no longer in the way (ruling 23)."""
    after, _ = turn(position("B E1>E4, ASTEROID1 D3", enemy), one=["MOVE B TO C2 RAM"])

    piece = next(each for each in after.players["one"].pieces if each.name == "B")
    assert (piece.square, sorted(lost(after, "one"))) == (square, sorted(gone))


def test_missed_set_ups_count_too() -> None:
    """A set-up left to the dice is a missed deadline; one completed by its player ends the count."""
    state, _ = turn(new_game())
    assert {seat: state.players[seat].misses for seat in ("one", "two")} == {"one": 1, "two": 1}

    assert begun().players["one"].misses == 0


def test_a_finished_game_stays_as_it_is() -> None:
    """A game that is over does not change, and asks for no sheet."""
    over, _ = turn(begun(), one=["RESIGN CONFIRM"])

    assert RULESET.resolve(over, TurnInput({"one": (Move("Z1", "F1"),)}), None) == (over, ())  # type: ignore[arg-type]
    assert codes(read(over, "two", "MOVE Z1 E3")) == [(1, "game-over")]
    assert RULESET.template(view(over, "one")) == []


def test_all_is_told_at_the_end() -> None:
    """Both players are shown how the other's pieces truly were when the game is over, and not before."""
    running = position("Z1 J1>J10, Z2 E1", "X1 A1>D1, Y1 J5, ASTEROID1 G1")
    over, _ = turn(running, one=["MOVE Z1 I9"])

    assert view(running, "one")["disclosed"] == []
    assert {(piece["name"], piece["square"], piece["fate"]) for piece in view(over, "one")["disclosed"]} == {
        ("HOME", "J10", "destroyed"),
        ("X1", "D1", "in transit"),
        ("Y1", "J5", "stood"),
        ("ASTEROID1", "G1", "stood"),
    }


def test_three_home_planets_count_down() -> None:
    """With three home planets each, the game goes on until the last of them is lost."""
    state = position("Z1 J1>J10, Z2 A1", "HOME1 J5, HOME2 J9, HOME3 F1, X1 I1", homes=3)

    after, _ = turn(state, one=["MOVE Z1 F10"])
    assert (after.result, lost(after, "two")) == (None, ["HOME1", "HOME2"])

    after, _ = turn(after, two=["MOVE X1 I2"])
    after, _ = turn(after, one=["MOVE Z1 F1"])
    after, _ = turn(after, two=["MOVE X1 I3"])
    after, _ = turn(after, one=["MOVE Z1 F5"])
    assert ended(after) == (("one",), "destroyed")


def test_a_home_planet_may_move_like_a_king() -> None:
    """In that variant a home planet moves one square in any direction, and its departure is announced as usual."""
    state = position("HOME B2, Z1 E1", "Z1 J1", home_moves=True)

    after, events = turn(state, one=["MOVE HOME C3"])

    assert own(after, "one", "HOME")["square"] == "C3"
    assert told(events, "two", "departed") == [
        {"kind": "departed", "who": "one", "square": "B2", "mark": 1, "before": None, "type": "HOME"}
    ]
    assert codes(read(state, "one", "MOVE HOME B4"))[-1] == (1, "out-of-reach")


def test_a_home_planet_stays_where_it_is_otherwise() -> None:
    """Without the variant a home planet is immobile."""
    assert codes(read(position("HOME B2, Z1 E1", "Z1 J1"), "one", "MOVE HOME C3"))[-1] == (1, "unknown-name")


def test_a_moving_home_planet_stands_alone() -> None:
    """It moves to no square with a piece of its own side, and does not ram."""
    state = position("HOME B2, Z1 B3, ASTEROID1 C2", "Z1 J1", home_moves=True)

    assert codes(read(state, "one", "MOVE HOME B3"))[-1] == (1, "not-alone")
    assert codes(read(state, "one", "MOVE HOME C2"))[-1] == (1, "not-alone")
    assert codes(read(state, "one", "MOVE HOME C2 RAM"))[-1] == (1, "not-alone")


def test_home_planets_that_meet_are_both_destroyed() -> None:
    """Equals destroy each other: such a meeting of the last ones is a draw."""
    state = position("HOME E5>F5, Z1 A1", "HOME F5, Z1 J1", home_moves=True)

    after, _ = turn(state, one=["MOVE HOME F6"])

    assert ended(after) == ((), "both-destroyed")


@pytest.mark.parametrize("asteroids", ["", "ASTEROID1 A1"])
def test_two_lone_home_planets_are_a_draw(asteroids: str) -> None:
    """Home planets that move can only destroy each other: without fighters the game is drawn (ruling 8)."""
    after, _ = turn(position(asteroids, "", home_moves=True), one=[])

    assert ended(after) == ((), "out-of-reach")


def test_who_has_more_home_planets_may_win_with_them() -> None:
    """Home planets that move destroy each other one for one, so that two may still beat one (ruling 8)."""
    after, _ = turn(position("HOME1 A1, HOME2 A5", "HOME1 J1", home_moves=True, homes=3), one=[])

    assert after.result is None


def test_a_fighter_may_always_reach_a_home_planet_that_moves() -> None:
    """A home planet that moves changes its colour, so that even a Y may reach it (ruling 8)."""
    after, _ = turn(position("Y1 A2", "", home_moves=True), one=[])

    assert after.result is None
