"""How players count: their reports' words for turns, where the host has numbers."""

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
"""Of a game with several steps a turn; turn 3 was asked of others."""


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
    """In full, by the beginning, or by the number alone."""
    assert list(match_turns(LABELS, typed)) == meant


def test_the_journal_is_told_in_the_words_of_reports() -> None:
    """A number of the host that a report calls otherwise would name another turn."""
    said = "rolled back from turn 5 to turn 2; turn 3 resolved"

    assert (
        relabel(said, LABELS) == f'rolled back from "turn 2, movement" to "turn 1, combat round 1"; {UNKNOWN} resolved'
    )
    assert relabel("turn 3 resolved", {3: "turn 3"}) == "turn 3 resolved"


def test_a_moment_without_a_report_is_that_of_the_last() -> None:
    """Who was not told in between still is where his last report left him."""
    assert turn_label(LABELS, 3) == "turn 1, combat round 1"
    assert turn_label(LABELS, 0) == "before the first report"
