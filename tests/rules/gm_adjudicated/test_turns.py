"""Tests of turns: events for all, events for one seat, and the end of the game."""

from __future__ import annotations

import pytest

from pbem.ruleset import Dice, SetupError
from pbem_rules.gm_adjudicated import RULESET
from tests.rules.gm_adjudicated.table import SEATS, VERBS, new_game, read, ruled, told, turn, view


def test_each_seat_hears_what_is_for_it() -> None:
    """A result is heard by its reader alone, words to all are heard by all (ruling 4)."""
    state = new_game()

    _, events = turn(state, ruled(state, all="It rained.", red="You found gold.", blue="You were robbed."))

    assert told(events, "red") == [("public", {"text": "It rained."}), ("result", {"text": "You found gold."})]
    assert told(events, "blue") == [("public", {"text": "It rained."}), ("result", {"text": "You were robbed."})]
    assert told(events, "green") == [("public", {"text": "It rained."})]


def test_a_turn_without_a_ruling_passes() -> None:
    """Everyone is told that nothing was decided, and the next turn begins (ruling 7)."""
    state = new_game(briefing={"red": "nine ships"})

    after, events = turn(state)

    assert told(events, "green") == [("unruled", {})]
    assert (view(after, "red")["file"], view(after, "red")["label"]) == ("nine ships", "turn 2")


def test_a_player_sees_his_last_sheet_and_nobody_elses() -> None:
    """A report has the lines of its reader's last sheet, and of no other (ruling 4)."""
    after, _ = turn(new_game(), sheets={"red": ["Ask the abbot"], "blue": ["Burn it"]})

    assert [view(after, seat)["sheet"] for seat in SEATS] == [["Ask the abbot"], ["Burn it"], []]


def test_secret_scores_are_shown_to_nobody() -> None:
    """If scores are secret, no report has any, not even one's own (ruling 4)."""
    state = new_game(scores=False)
    after, _ = turn(state, ruled(state, game="SCORE red 9"))

    assert [view(after, seat)["scores"] for seat in SEATS] == [None] * 3
    assert RULESET.standing(after).scores["red"] == 9


def test_who_was_taken_out_by_the_host_has_left() -> None:
    """A removed seat is no longer awaited, and all are told."""
    after, events = turn(new_game(), removed=["blue"])

    assert ("left", {"who": "blue"}) in told(events, "red")
    assert RULESET.standing(after).awaiting == {"red", "green"}


def test_the_last_turn_ends_the_game() -> None:
    """After the last turn the game is over, with or without a ruling (ruling 10)."""
    after, events = turn(new_game(turns=1))

    assert RULESET.standing(after).over
    assert told(events, "red")[-1] == ("ended", {"winners": [], "reason": "the last turn has been played"})
    assert turn(after) == (after, ())


def test_a_game_without_a_last_turn_goes_on() -> None:
    """With 0 turns only the GM ends the game (ruling 10)."""
    state = new_game(turns=0)
    for _ in range(60):
        state, _ = turn(state)

    assert not RULESET.standing(state).over


def test_the_digest_has_every_seat_in_order() -> None:
    """The digest has each sheet under its seat, and the seats without one; long lines are wrapped."""
    state = new_game(verbs=VERBS)
    orders = {"green": read(state, "build " + "a wall " * 20).orders, "red": read(state, "mar").orders, "blue": ()}

    digest = RULESET.digest(state, orders, frozenset({"blue"}))

    assert digest.startswith("RED\n  mar\n\nBLUE\n  no sheet came\n\nGREEN\n  BUILD a wall")
    assert max(map(len, digest.splitlines())) <= 76


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"verbs": "MARCH"}, "must be a list"),
        ({"verbs": ["MARCH", 7]}, "must be a list"),
        ({"verbs": ["say"]}, "'say' cannot be a verb: it means something else"),
        ({"verbs": ["go to"]}, "'go to' cannot be a verb"),
        ({"verbs": ["Go", "GO"]}, "'GO' is there twice"),
        ({"verbs": [f"GO{number}" for number in range(61)]}, "60 at the most"),
        ({"briefing": ["x"]}, "must be an object"),
        ({"briefing": {"rde": "x"}}, "did you mean red"),
        ({"briefing": {"all": "x" * 50_000}}, "40000 are the most"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options: dict[str, object], said: str) -> None:
    """A GM's files of verbs and briefings are checked before the game begins, and errors are named."""
    with pytest.raises(SetupError, match=said):
        new_game(**options)


@pytest.mark.parametrize("name", ["all", "game", "digest"])
def test_a_seat_has_no_name_of_a_file(name: str) -> None:
    """A seat cannot be called "all", or it would read the words for all."""
    with pytest.raises(SetupError, match=f"cannot be called '{name}'"):
        RULESET.setup({}, ["red", name], Dice(b"test"))
