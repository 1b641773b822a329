"""Tests of a seat's scores over the turns, as a line of its report."""

from __future__ import annotations

import functools

from pbem.report.facts import format_scores
from pbem.ruleset import Json, append_score


def remembered(*turns: tuple[int, int]) -> Json:
    """Return the scores that reports of these turns leave in memory."""
    none: Json = {}
    memory = functools.reduce(
        lambda before, turn: {"scores": append_score(before, "planets", "turn", *turn)}, turns, none
    )
    return memory["scores"]


def told(*turns: tuple[int, int]) -> tuple[str, str] | None:
    """Return the line of these scores in a report."""
    return format_scores(remembered(*turns))


def test_scores_turn_by_turn() -> None:
    """The line has every score and its turns, and bars from the lowest score to the highest."""
    assert told((3, 4), (4, 6), (5, 18)) == ("Your planets by turn, 3 to 5: 4, 6, 18.", "▁▂█")
    assert told((3, -4), (4, -4)) == ("Your planets by turn, 3 to 4: -4, -4.", "▁▁")


def test_turns_without_a_report_are_left_out() -> None:
    """If reports of some turns are missing, the line lists the turns of the scores."""
    assert told((3, 4), (5, 6)) == ("Your planets by turn, 3, 5: 4, 6.", "▁█")


def test_a_turn_has_one_score() -> None:
    """Of several reports of a turn, the last one counts."""
    assert told((3, 4), (4, 5), (4, 6)) == ("Your planets by turn, 3 to 4: 4, 6.", "▁█")


def test_only_the_last_scores_are_told_and_kept() -> None:
    """A long game has a short line as well, and its memory stops growing."""
    line = told(*((turn, turn) for turn in range(1, 301)))

    assert line is not None
    assert line[0].startswith("Your planets by turn, 289 to 300: 289, 290,")
    assert len(remembered(*((turn, turn) for turn in range(1, 301)))["turns"]) == 200


def test_nothing_to_compare_is_not_told() -> None:
    """One score alone, or none, makes no line."""
    assert told((3, 4)) is None
    assert format_scores(None) is None
