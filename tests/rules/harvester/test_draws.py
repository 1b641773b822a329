"""Bulk draws, and the forest of rulers."""

from __future__ import annotations

import hashlib

import numpy as np

from pbem.ruleset import Dice
from pbem_rules.harvester import forest
from pbem_rules.harvester.draws import draw_many, shuffled

DICE = Dice(b"draws")


def test_a_draw_can_be_repeated_by_hand() -> None:
    """Word i of a table is number i mod 8 in the SHA-256 of its seed and the number of its block."""
    seed = DICE.below(1 << 256, "audit", 0).to_bytes(32, "big")
    block = hashlib.sha256(seed + (1).to_bytes(8, "little")).digest()

    assert draw_many(DICE, 1 << 32, 16, "audit")[10] == int.from_bytes(block[8:12], "little")


def test_a_draw_depends_on_its_place_alone() -> None:
    """A longer table begins with the shorter one."""
    assert np.array_equal(draw_many(DICE, 7, 1000, "table")[:30], draw_many(DICE, 7, 30, "table"))


def test_every_outcome_is_as_likely() -> None:
    """60,000 draws of a die fall evenly, within what chance allows."""
    counts = np.bincount(draw_many(DICE, 6, 60_000, "die"))

    assert len(counts) == 6
    assert abs(counts - 10_000).max() < 400


def test_words_beyond_the_last_multiple_are_drawn_again() -> None:
    """With a limit of three quarters of the words, a quarter is rejected, so that no outcome gets a second share."""
    limit = 3 << 30
    drawn = draw_many(DICE, limit, 30_000, "reject")

    assert drawn.max() < limit
    assert abs((drawn < 1 << 30).mean() - 1 / 3) < 0.02


def test_a_shuffle_holds_everything_once() -> None:
    """Shuffled numbers are all the numbers, in another order with other dice."""
    one, other = shuffled(DICE, 100, "a"), shuffled(DICE, 100, "b")

    assert sorted(one.tolist()) == sorted(other.tolist()) == list(range(100))
    assert one.tolist() != other.tolist()


def test_the_top_of_a_long_chain_is_found() -> None:
    """Ten thousand Harvesters in one chain have one top."""
    rulers = np.arange(-1, 9_999)

    assert (forest.tops(rulers) == 0).all()
    assert forest.points(rulers, np.ones(10_000, np.int64))[0] == 10_000
