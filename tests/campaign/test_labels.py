"""Labels of turns: the words of players' reports for the numbers of the host."""

from __future__ import annotations

import pytest

from pbem.campaign.history import UNKNOWN, match_turns, relabel, turn_label

LABELS = {
    1: "turn 1, movement",
    2: "turn 1, combat round 1",
    4: "turn 1, building",
    5: "turn 2, movement",
    8: "set-up",
    9: "set-up",
}
"""Labels of a game with several steps a turn; the seat was not awaited in turn 3."""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("turn 1, combat round 1", [2]),
        ("TURN 1 combat", [2]),
        ("turn 2", [5]),
        ("2", [5]),
        ("1", [1, 2, 4]),
        ("turn 1", [1, 2, 4]),
        ("set-up", [9]),
        ("turn 3", []),
        ("combat", []),
        ("", []),
        ("\u0663", []),
    ],
)
def test_turns_are_found_by_what_they_are_called(typed: str, meant: list[int]) -> None:
    """A turn is found by its label in full, by the beginning of it, or by its number alone."""
    assert list(match_turns(LABELS, typed)) == meant


def test_the_journal_is_told_in_the_words_of_reports() -> None:
    """The journal has the labels of the reader's reports, since a number of the host could name another turn there."""
    said = "rolled back from turn 5 to turn 2; turn 3 resolved"

    assert (
        relabel(said, LABELS) == f'rolled back from "turn 2, movement" to "turn 1, combat round 1"; {UNKNOWN} resolved'
    )
    assert relabel("turn 3 resolved", {3: "turn 3"}) == "turn 3 resolved"


def test_a_moment_without_a_report_is_that_of_the_last() -> None:
    """For a seat without a report in between, a moment has the label of its last report."""
    assert turn_label(LABELS, 3) == "turn 1, combat round 1"
    assert turn_label(LABELS, 0) == "before the first report"
