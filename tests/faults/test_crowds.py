"""Tests of simultaneous ticks, and of ticks that are killed one after the other."""

from __future__ import annotations

import random

import pytest

from tests.faults.local import LocalNight, recovered
from tests.faults.night import LATER, NIGHT, tick_in_a_process, ticks_at_once


def test_ticks_at_once_do_the_work_of_one(night: LocalNight) -> None:
    """Of four simultaneous ticks in a home, those that find another at work leave it alone."""
    home = night.copy()
    busy = ticks_at_once(home, 4)

    assert not all(busy)
    assert recovered(home).difference(night.undisturbed) == ""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(8))
def test_kills_again_and_again(night: LocalNight, seed: int) -> None:
    """After five ticks killed at any points, the next ones end as an undisturbed night."""
    home, chance = night.copy(), random.Random(seed)
    for number in range(5):
        tick_in_a_process(home, at=chance.randrange(len(night.passed) // 2), now=NIGHT + number * LATER)

    assert recovered(home, after=NIGHT + 5 * LATER).difference(night.undisturbed) == ""
