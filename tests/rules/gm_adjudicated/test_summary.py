"""Tests of turn summaries: each line is right, and left out if there is nothing to say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pbem.ruleset import Event, SeatName
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import State
from tests.rules.gm_adjudicated.table import new_game, ruled, turn, view


def summary(done: tuple[State, Sequence[Event]], seat: SeatName = "red") -> list[str]:
    """Return the lines of a seat's summary after a turn."""
    return list(RULESET.turn_summary(view(done[0], seat, done[1])))


def test_at_the_beginning_there_are_the_turns_alone() -> None:
    """The first summary has the turns that are left, where the GM has set a last one."""
    assert summary((new_game(turns=9), ())) == ["8 turns are left after this one."]
    assert summary((new_game(turns=1), ())) == ["This is the last turn, unless your GM says otherwise."]
    assert summary((new_game(turns=0), ())) == []


def test_a_ruling_is_told_by_its_first_words() -> None:
    """The first sentence to this seat, or else to all; lines without letters are skipped."""
    state = new_game(turns=9)
    ruling = ruled(state, all="It rained.\nAnd rained.", red="=====\n  Gold and\nsilver! Nine.")
    done = turn(state, ruling, sheets={"red": ["dig"]})

    assert summary(done) == [
        "To you: Gold and silver!",
        "7 turns are left after this one.",
    ]
    assert summary(done, "blue") == ["To all: It rained.", "7 turns are left after this one."]


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        ("# The *fifth* night\n\nLong ago.", "To you: The fifth night"),
        ("- You hold **six** planets, `all` _yours_.", "To you: You hold six planets, all yours."),
        ("snake_case stays.", "To you: snake_case stays."),
        ("| a | table |\n|---|---|", ""),
        ("See [the map](https://example.org).", ""),
    ],
)
def test_a_headline_has_no_markup(text: str, headline: str) -> None:
    """Marks of Markdown are left out; what is no sentence is left to the report."""
    state = new_game(turns=0)

    assert summary(turn(state, ruled(state, red=text), sheets={"red": ["dig"]})) == [headline][: len(headline)]


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

    assert "You lead with 7; blue 3, green 0." in summary(done)
    assert "Red leads with 7; you have 3, green 0." in summary(done, "blue")
    assert "Out of the game since this turn: green." in summary(done)
    assert summary(done, "green")[0] == "You are out of the game since this turn."


def test_secret_scores_are_not_told() -> None:
    """Secret scores are not in the summary."""
    state = new_game(scores=False)

    assert "score" not in " ".join(summary(turn(state, ruled(state, all="War.", game="SCORE red 7"))))


def test_the_end_tells_who_won_and_why() -> None:
    """The last summary has the winners, if any, and the GM's reason."""
    state = new_game()
    won = turn(state, ruled(state, all="Peace.", game="WINNER blue\nOVER all have signed the peace"))

    assert summary(won)[:2] == ["The game is over; it was won by blue.", "All have signed the peace"]
    assert summary(won, "blue")[0] == "The game is over; it was won by you."
    last = new_game(turns=1)
    assert summary(turn(last, ruled(last, all="Done.")))[0] == "The game is over; nobody has won."


def test_no_sentence_is_cut() -> None:
    """Words too long for a headline are left to the report."""
    state = new_game(turns=0)

    assert summary(turn(state, ruled(state, red="long " * 40, all="Rain."))) == ["To all: Rain."]
