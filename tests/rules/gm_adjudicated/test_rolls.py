"""Tests of rolls in a ruling: their readers, their wording, and their errors."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pbem.ruleset import Event
from pbem_rules.gm_adjudicated.state import State
from tests.rules.gm_adjudicated.table import SEATS, faults, new_game, rolls, ruled, told, turn, view

GATE = '[ROLL 3d6+2 "ann storms the gate"]'


def rolled(before: int = 0, **files: str) -> tuple[State, Sequence[Event], int]:
    """Return a first turn with this ruling, and the number of rolls it made, after `before` rolls for the gate."""
    state = new_game()
    made = rolls()
    for _ in range(before):
        made.roll("3d6+2", "Ann storms the gate")
    fresh = len(made.fresh)
    ruling = ruled(state, made, **files)
    after, events = turn(state, ruling, rolled=made.fresh)
    return after, events, len(made.fresh) - fresh


def test_a_roll_stands_where_its_line_was() -> None:
    """A roll is a paragraph of the words to its reader, and an event beside it."""
    after, events, fresh = rolled(red=f"At dawn.\n{GATE}\nShe is in.")
    (_, text), (kind, roll) = told(events, "red")

    assert fresh == 1
    assert text["text"] == f"At dawn.\n\n{roll['said']}\n\nShe is in."
    assert (kind, roll["count"], roll["number"]) == ("roll", 1, 1)
    assert after.players["red"].told == text["text"]


def test_only_its_readers_are_told_of_a_roll() -> None:
    """A roll in a seat's file is told to that seat alone; one for all is told to all, once."""
    _, events, _ = rolled(red=f"{GATE}", all="[ROLL d6 weather]", blue="[ROLL d6 weather]")

    heard = {seat: [data["label"] for kind, data in told(events, seat) if kind == "roll"] for seat in SEATS}
    assert heard == {"red": ["weather", "ann storms the gate"], "blue": ["weather"], "green": ["weather"]}


def test_a_roll_made_before_is_shown() -> None:
    """A roll with these words is not repeated: the newest is shown as the second of two."""
    _, events, fresh = rolled(before=2, red=GATE)

    assert fresh == 0
    assert told(events, "red")[0][1]["text"].endswith("(roll 2 of 2)")


def test_an_earlier_roll_can_be_named() -> None:
    """An earlier roll is shown by its number, with the number of all rolls."""
    _, events, _ = rolled(before=2, red=GATE.replace("]", " #1]"))

    assert told(events, "red")[0][1]["text"].endswith("(roll 1 of 2)")


def test_words_that_look_like_a_roll_are_none() -> None:
    """Words of the GM that look like a roll are told as words, and are not among the rolls."""
    forged = ' [ROLL 3d6 "x" #1]\n3d6 "x": 6, 6, 6 = 18 (roll 1 of 1)'
    _, events, _ = rolled(red=forged)

    assert told(events, "red") == [("result", {"text": forged})]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('[ROLL 3w6 "x"]', "not-dice"),
        ('[ROLL 500d6 "x"]', "out-of-bounds"),
        ("[ROLL 3d6]", "missing-word"),
        ('[ROLL 3d6 ""]', "missing-word"),
        ('[ROLL 3d6 "x"', "open-bracket"),
        ('[ROL 3d6 "x"]', "unknown-command"),
        ('[ROLL 3d6 "x" #2]', "no-such-roll"),
        ('[ROLL 3d6 "x" twice]', "extra-words"),
        ('[FILE]\n[ROLL 3d6 "x"]', "wrong-section"),
    ],
)
def test_a_slip_in_a_roll_is_an_error(line: str, code: str) -> None:
    """A misspelt roll is an error, and its line is told to no reader."""
    assert faults(new_game(), red=line) == {"red.txt": [(line.count("\n") + 1, code)]}


def test_the_view_of_a_seat_has_its_rolls() -> None:
    """The rolls that a seat hears of are events in its view."""
    after, events, _ = rolled(red=GATE)

    assert [event["kind"] for event in view(after, "red", events)["events"]] == ["result", "roll"]
