"""The turn in brief of Singularity: what it states is so, and no kept reply of the opponent's changes it."""

from __future__ import annotations

import re

import pytest

from pbem.ruleset import Dice, Event, SeatName, TurnInput
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.orders import Place
from pbem_rules.singularity.state import SEATS, State
from tests.rules.singularity.table import new_game, position, turn, view

ALMOST_SURROUNDED = "a6 d7 b5 e6 c4 f5 d4 e5 e3 d6 f3 e4"
"""Size 4, red to place: a stone on g3 surrounds the black stone."""


def summary(state: State, seat: SeatName = "red", events: tuple[Event, ...] = ()) -> list[str]:
    """Return the summary that a seat is sent."""
    return list(RULESET.turn_summary(view(state, seat, events)))


def winning(state: State) -> set[str]:
    """Return the cells on which the next stone ends the game for its player, found by placing it."""
    names = state.field.names
    free = set(names) - set(state.moves) - {view(state, "red")["black"]}
    after = {
        cell: RULESET.resolve(state, TurnInput({state.mover: (Place(cell),)}), Dice(b"test"))[0].result for cell in free
    }
    return {cell for cell, result in after.items() if result and result.winners}


def test_before_the_first_stone_only_who_is_to_place_is_told() -> None:
    """There is nothing else to tell."""
    assert summary(new_game()) == ["Stone 1 is yours to place."]
    assert summary(new_game(), "blue") == ["Stone 1 is red's to place."]


def test_the_cells_that_win_now_are_named_to_both() -> None:
    """Each cell named wins, and no other does: to red they are a chance, to blue a threat."""
    state = position(ALMOST_SURROUNDED, size=4)
    (line,) = (line for line in summary(state) if "win" in line)

    assert "g3" in winning(state)
    assert set(re.findall(r"\b[a-g][1-7]\b", line)) == winning(state)
    assert line.startswith("You can win now on ")
    assert line.replace("You", "Red") in summary(state, "blue")


def test_a_win_on_the_stone_after_next_is_a_threat() -> None:
    """With blue on move, red only threatens."""
    state, _ = turn(position(ALMOST_SURROUNDED, size=4), red=["PLACE e2"])
    threats = [line for line in summary(state, "blue") if "win" in line]

    assert [line.split(" on ")[0] for line in threats] == ["Red threatens to win"]
    assert any(line.startswith("You threaten to win on ") for line in summary(state))


def test_no_threat_is_told_where_there_is_none() -> None:
    """On an open board no player is a stone from winning."""
    assert [line for line in summary(position("d4 e5")) if "win" in line] == []


def test_stones_are_told_with_those_of_kept_replies() -> None:
    """Both players' stones of the turn are named, and the owner of a reply hears that it was played."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])
    after, events = turn(before, blue=["PLACE d4"])

    assert "You placed e5; blue placed d4." in summary(after, "red", events)
    assert "1 reply of yours was played." in summary(after, "red", events)
    assert "Red placed e5; you placed d4." in summary(after, "blue", events)
    assert [line for line in summary(after, "blue", events) if "repl" in line] == []


def test_kept_replies_are_counted_to_their_owner_alone() -> None:
    """Red keeps two; blue's summary is the same with and without them."""
    kept, events = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5", "IF c4 THEN e5"])
    plain, heard = turn(new_game(), red=["PLACE f6"])

    assert "2 replies of yours are kept." in summary(kept, "red", events)
    assert summary(kept, "blue", events) == summary(plain, "blue", heard)


def test_replies_to_another_stone_are_laid_aside() -> None:
    """Replies hold for the next stone only."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])
    after, events = turn(before, blue=["PLACE c4"])

    assert "1 reply of yours was laid aside." in summary(after, "red", events)


def test_a_missed_deadline_is_told_to_both() -> None:
    """Both read how many are missed in a row, and how many lose the game."""
    after, events = turn(new_game())

    assert "You missed the deadline: 1 in a row, and 3 lose the game." in summary(after, "red", events)
    assert "Red missed the deadline: 1 in a row, and 3 lose the game." in summary(after, "blue", events)


def test_an_offer_of_a_draw_comes_first() -> None:
    """One player waits for its answer, the other is asked."""
    after, events = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])

    assert summary(after, "red", events)[0] == "Your offer of a draw waits for an answer."
    assert summary(after, "blue", events)[0] == "Red offers you a draw."


def test_the_end_tells_who_won_and_how() -> None:
    """The winner and the loser read the result, each in their words; no player is to place any more."""
    after, events = turn(position(ALMOST_SURROUNDED, size=4), red=["PLACE g3"])

    assert summary(after, "red", events) == ["You have won: surrounded the black stone.", "You placed g3."]
    assert summary(after, "blue", events) == ["You have lost. Red wins: surrounded the black stone.", "Red placed g3."]


@pytest.mark.parametrize("seat", SEATS)
def test_a_draw_is_told_as_one(seat: SeatName) -> None:
    """Neither player has won or lost."""
    offered, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])
    after, events = turn(offered, blue=["DRAW ACCEPT"])

    assert summary(after, seat, events)[0] == "A draw: the players agreed to a draw."


def test_without_a_stone_the_missed_deadlines_in_a_row_are_counted() -> None:
    """A reminder says what happens without orders: no stone, and at the limit the end of the game."""
    once, _ = turn(new_game())
    twice, _ = turn(once)

    assert RULESET.without_orders(view(once, "red")).endswith("that would be 2 in a row, and 3 lose the game.")
    assert RULESET.without_orders(view(twice, "red")) == "Without a stone of yours by then you lose the game."


def test_own_losses_are_marked_as_such() -> None:
    """A missed deadline of one's own is a loss, that of the opponent is not."""
    after, events = turn(new_game())

    assert [getattr(line, "bad", False) for line in RULESET.turn_summary(view(after, "red", events))] == [True, False]
    assert [getattr(line, "bad", False) for line in RULESET.turn_summary(view(after, "blue", events))] == [False, False]
