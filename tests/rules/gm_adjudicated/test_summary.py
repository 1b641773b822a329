"""Tests of turn summaries: each line is right, and left out if there is nothing to say."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import Event, SeatName
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import State
from tests.rules.gm_adjudicated.table import new_game, ruled, turn, view


def summary(done: tuple[State, Sequence[Event]], seat: SeatName = "red") -> list[str]:
    """Return the lines of a seat's summary after a turn."""
    return list(RULESET.turn_summary(view(done[0], seat, done[1])))


def test_at_the_beginning_there_is_the_turn_alone() -> None:
    """The first summary has the turn and the last one, or says that the GM ends the game."""
    assert summary((new_game(turns=9), ())) == ["The next turn is turn 1 of 9."]
    assert summary((new_game(turns=1), ())) == ["The next turn is turn 1, the last."]
    assert summary((new_game(turns=0), ())) == ["The next turn is turn 1; the GM says when the game ends."]


def test_a_ruling_is_told_by_its_first_words() -> None:
    """The first line of words to this seat, then of words to all; lines without letters are skipped."""
    state = new_game(turns=9)
    ruling = ruled(state, all="It rained.\nAnd rained.", red="=====\n  Gold!\nNine.")
    done = turn(state, ruling, sheets={"red": ["dig"]})

    assert summary(done) == [
        "The GM has ruled on your sheet of 1 line.",
        "To you: Gold!",
        "To all: It rained.",
        "The next turn is turn 2 of 9.",
    ]
    assert summary(done, "blue") == ["To all: It rained.", "The next turn is turn 2 of 9."]


def test_a_sheet_without_an_answer_is_told_so() -> None:
    """The summary says if the seat got no answer alone, or if there was no ruling."""
    state = new_game()
    silent = turn(state, ruled(state, all="It rained."), sheets={"red": ["dig", "sing"]})
    unruled = turn(state, sheets={"red": ["dig"]})

    assert summary(silent)[0] == "The GM has written nothing to you alone on your sheet of 2 lines."
    assert summary(unruled)[0] == "The GM gave no ruling on your sheet of 1 line; nothing has changed."
    assert summary(unruled, "blue")[0] == "The GM gave no ruling; nothing has changed."


def test_scores_and_who_is_out_are_told() -> None:
    """The summary has the best score and the reader's, and the seats that left with this turn."""
    state = new_game()
    done = turn(state, ruled(state, all="War.", game="SCORE red 7\nSCORE blue 3\nOUT green"))

    assert "Highest score: 7, of you." in summary(done)
    assert "Highest score: 7, of red; you have 3." in summary(done, "blue")
    assert "Out of the game since this turn: green." in summary(done)


def test_secret_scores_are_not_told() -> None:
    """Secret scores are not in the summary."""
    state = new_game(scores=False)

    assert "score" not in " ".join(summary(turn(state, ruled(state, all="War.", game="SCORE red 7"))))


def test_a_turn_with_a_name_is_called_by_it() -> None:
    """A turn is called by the GM's name and its number."""
    state = new_game(turns=9)
    done = turn(state, ruled(state, all="War.", game="LABEL autumn 1805"))

    assert summary(done)[-1] == "Autumn 1805: the next turn is turn 2 of 9."


def test_the_end_tells_who_won_and_why() -> None:
    """The last summary has the winners, if any, and the GM's reason."""
    state = new_game()
    won = turn(state, ruled(state, all="Peace.", game="WINNER blue\nOVER all have signed the peace"))

    assert summary(won)[:2] == ["The game is over; it was won by blue.", "All have signed the peace"]
    assert summary(won, "blue")[0] == "The game is over; it was won by you."
    last = new_game(turns=1)
    assert summary(turn(last, ruled(last, all="Done.")))[0] == "The game is over; nobody has won."


def test_long_words_are_cut_to_a_line() -> None:
    """Long words are cut at a blank, with an ellipsis."""
    state = new_game()

    (line,) = [line for line in summary(turn(state, ruled(state, red="long " * 40))) if line.startswith("To you")]

    assert line.endswith("long …")
    assert len(line) <= 90
