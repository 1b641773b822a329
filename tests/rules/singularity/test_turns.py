"""Turns: the player on move, the course of a turn, and the ends of a game."""

from __future__ import annotations

import pytest

from pbem.ruleset import Dice, SetupError, TurnInput
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.orders import Place
from pbem_rules.singularity.state import State
from tests.rules.singularity.table import new_game, position, told, turn, view

ALMOST_SURROUNDED = "a6 d7 b5 e6 c4 f5 d4 e5 e3 d6 f3 e4"
"""Size 4: red lacks only g3 to surround the black stone; blue has stones to the south."""


def ended(state: State) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the winners, and how the game ended."""
    assert state.result is not None
    return state.result.winners, state.result.how


def test_the_board_is_empty_but_for_the_black_stone() -> None:
    """A game begins with the black stone and nothing else."""
    start = view(new_game(), "red")

    assert (start["black"], start["moves"]) == ("f1", [])


def test_red_starts() -> None:
    """Red is awaited first, and only red."""
    assert RULESET.standing(new_game()).awaiting == {"red"}


def test_players_take_turns() -> None:
    """One stone a turn: after red's stone blue is awaited, after blue's red."""
    after_red = position("d4")
    after_blue = position("d4 e5")

    assert RULESET.standing(after_red).awaiting == {"blue"}
    assert RULESET.standing(after_blue).awaiting == {"red"}
    assert [(stone["who"], stone["cell"]) for stone in view(after_blue, "red")["moves"]] == [
        ("red", "d4"),
        ("blue", "e5"),
    ]


def test_both_are_told_of_every_turn() -> None:
    """After each turn both players get a report."""
    assert RULESET.standing(position("d4")).told is None


@pytest.mark.parametrize("seats", [(), ("red",), ("blue", "red"), ("red", "green")])
def test_singularity_is_for_red_and_blue(seats: tuple[str, ...]) -> None:
    """The game is for exactly two, red first."""
    with pytest.raises(SetupError, match="red and blue"):
        RULESET.setup({}, seats, Dice(b"test"))


def test_a_stone_needs_a_free_cell() -> None:
    """A stone on an occupied cell is refused when the turn is resolved, even if a sheet got it past its receipt."""
    before = position("d4")

    after, events = RULESET.resolve(before, TurnInput({"blue": (Place("d4"),)}), Dice(b"test"))

    assert after.moves == before.moves
    assert [event.kind for event in events if event.audience == {"blue"}] == ["refused"]
    assert told(events, "red") == [("missed", "blue")]


def test_surrounding_the_black_stone_wins() -> None:
    """The player whose group surrounds the black stone wins at once."""
    after, events = turn(position(ALMOST_SURROUNDED, size=4), red=["PLACE g3"])

    assert ended(after) == (("red",), ("surround",))
    assert told(events, "blue") == [("placed", "red g3"), ("ended", "")]
    assert RULESET.standing(after).awaiting == frozenset()


def test_forming_a_y_wins() -> None:
    """The player whose group forms a Y wins at once, blue as well as red."""
    before = position("d2 a6 c3 b5 d3 c4 b4 d4 d5 e3 c5 f2 b6", size=4)

    after, _ = turn(before, blue=["PLACE g2"])

    assert ended(after) == (("blue",), ("y",))


def test_a_win_can_be_both() -> None:
    """One stone may make a group that surrounds the black stone and forms a Y; the end tells of both."""
    red, blue = "a6 b5 c4 e3 f3 g3 d5 d6 d7 e2 e1", "a4 a5 a7 b7 c7 e6 f5 g4 g1 c2 e5"
    moves = " ".join(f"{one} {two}" for one, two in zip(red.split(), blue.split(), strict=True))

    after, _ = turn(position(moves, size=4), red=["PLACE d4"])

    assert ended(after) == (("red",), ("surround", "y"))
    assert RULESET.standing(after).reason == "surrounded the black stone and formed a Y"


def test_a_full_board_without_winner_is_a_draw() -> None:
    """If the board fills without a winner, the game is drawn."""
    moves = "a3 c2 a4 c3 a5 c4 b2 c5 b3 d2 b4 d3 b5 e1 d1 e2 d4"

    after, events = turn(position(moves, size=3), blue=["PLACE e3"])

    assert ended(after) == ((), ("full",))
    assert told(events, "red")[-1] == ("ended", "")
    assert RULESET.standing(after).reason == "the board is full and nobody has won"


def test_a_finished_game_stays_as_it_is() -> None:
    """Nothing happens any more once the game is over."""
    over, _ = turn(new_game(), red=["RESIGN CONFIRM"])

    assert RULESET.resolve(over, TurnInput({"blue": (Place("d4"),)}), Dice(b"test")) == (over, ())


def test_who_resigns_loses() -> None:
    """RESIGN gives the game to the opponent, also out of turn, and comes before any stone of the turn."""
    after, events = turn(position("d4"), red=["RESIGN CONFIRM"], blue=["PLACE e5"])

    assert ended(after) == (("blue",), ("resigned",))
    assert told(events, "blue") == [("resigned", "red"), ("ended", "")]
    assert after.moves == ("d4",)


def test_who_is_removed_has_resigned() -> None:
    """A player taken out by the GM loses."""
    after, _ = turn(position("d4"), removed=["blue"])

    assert ended(after) == (("red",), ("removed",))


def test_if_both_give_up_nobody_wins() -> None:
    """Two resignations in one turn are a draw."""
    after, _ = turn(position("d4"), red=["RESIGN CONFIRM"], blue=["RESIGN CONFIRM"])

    assert ended(after) == ((), ("both-left",))


def test_an_offer_waits_for_its_answer() -> None:
    """An offer of a draw is told to both and stands, also beyond a turn in which the other sends nothing."""
    offered, events = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])
    later, _ = turn(offered)

    assert ("draw-offered", "red") in told(events, "blue")
    assert (offered.offer, later.offer) == ("red", "red")


def test_an_accepted_offer_is_a_draw() -> None:
    """DRAW ACCEPT ends the game before any stone of that turn is placed."""
    offered, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])

    after, _ = turn(offered, blue=["DRAW ACCEPT", "PLACE e5"])

    assert ended(after) == ((), ("agreed",))
    assert after.moves == ("d4",)


def test_a_declined_offer_is_gone() -> None:
    """DRAW DECLINE takes the offer off the table, and the game goes on."""
    offered, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])

    after, events = turn(offered, blue=["DRAW DECLINE"])

    assert after.offer is None
    assert told(events, "red") == [("draw-declined", "blue"), ("missed", "blue")]


def test_a_stone_instead_of_an_answer_declines() -> None:
    """A player whose sheet places a stone while an offer waits for an answer has declined it."""
    offered, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])

    after, events = turn(offered, blue=["PLACE e5"])

    assert after.offer is None
    assert told(events, "red") == [("draw-declined", "blue"), ("placed", "blue e5")]


def test_a_stone_of_the_same_turn_does_not_decline() -> None:
    """An offer sent while the other is on move is answered in a later turn, since the other did not know of it."""
    after, _ = turn(position("d4"), red=["DRAW OFFER"], blue=["PLACE e5"])

    assert after.offer == "red"


def test_a_kept_reply_does_not_decline() -> None:
    """A kept reply leaves the offer standing: it was written before."""
    before, _ = turn(position("d4"), blue=["PLACE c5", "IF e5 THEN f6"])

    after, _ = turn(before, red=["PLACE e5", "DRAW OFFER"])

    assert after.moves[-1] == "f6"
    assert after.offer == "red"


def test_two_offers_agree() -> None:
    """If both offer a draw in one turn, or one answers an offer by an offer, the game is drawn."""
    after, _ = turn(position("d4"), red=["DRAW OFFER"], blue=["DRAW OFFER"])

    assert ended(after) == ((), ("agreed",))


def test_a_missed_deadline_places_nothing() -> None:
    """Without a sheet nothing is placed, the seat stays on move, and both are told."""
    after, events = turn(new_game())

    assert (after.moves, after.mover) == ((), "red")
    assert told(events, "blue") == told(events, "red") == [("missed", "red")]
    assert RULESET.defaults(view(after, "red"), ()) == ()


def test_too_many_missed_deadlines_lose() -> None:
    """A player who misses as many deadlines in a row as the campaign allows loses the game."""
    state = new_game(forfeit_after=2)
    once, _ = turn(state)
    twice, events = turn(once)

    assert once.result is None
    assert ended(twice) == (("blue",), ("forfeit",))
    assert told(events, "blue") == [("missed", "red"), ("resigned", "red"), ("ended", "")]


def test_a_stone_ends_the_count() -> None:
    """Only deadlines in a row count: after a stone the count is 0 again."""
    state, _ = turn(new_game(forfeit_after=2))
    state, _ = turn(state, red=["PLACE d4"])

    assert state.players["red"].misses == 0


def test_a_sheet_without_a_stone_is_a_missed_deadline() -> None:
    """A sheet does not save the deadline if the stone awaited is not in it: no player can stall for ever."""
    state, _ = turn(new_game())
    state, events = turn(state, red=["IF d4 THEN e5"])

    assert state.players["red"].misses == 2
    assert told(events, "red") == [("missed", "red")]


def test_a_sheet_without_the_stone_awaited_is_not_complete() -> None:
    """The turn is not run early on the strength of a sheet that lacks the stone, but on one that has it."""
    asked = view(new_game(), "red")

    assert not RULESET.parse(asked, [(1, "DRAW OFFER")]).complete
    assert RULESET.parse(asked, [(1, "PLACE d4")]).complete
    assert RULESET.parse(view(new_game(), "blue"), [(1, "IF d4 THEN e5")]).complete


def test_deadlines_may_be_missed_for_ever() -> None:
    """With forfeit_after 0 no number of missed deadlines loses."""
    state = new_game(forfeit_after=0)
    for _ in range(5):
        state, _ = turn(state)

    assert (state.result, state.players["red"].misses) == (None, 5)
