"""Tests that the benchmark of several processes compares their reports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.cores import Batch, compared, crowd
from pbem.ruleset import SeatName, View
from pbem_rules.harvester import RULESET


@pytest.mark.in_turn
def test_both_ways_are_timed_and_give_the_same() -> None:
    """Reports of a crowd take some time with one process and with two."""
    one, two = compared(crowd(50), 2, rounds=1)

    assert min(one, two) > 0


def test_different_bytes_are_refused() -> None:
    """Times of different reports are refused."""
    (seat, view), *_ = crowd(4).views

    class Growing:
        turn = 0

        def __iter__(self) -> Iterator[tuple[SeatName, View]]:
            self.turn += 1
            yield seat, {**view, "label": f"turn {self.turn}"}

    with pytest.raises(RuntimeError, match="are not those of one"):
        compared(Batch("growing", RULESET, Growing(), pictures=False), 2, rounds=1)
