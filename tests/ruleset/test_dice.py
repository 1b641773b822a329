"""Keyed dice: fair, repeatable, independent of each other."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.ruleset import Dice, seed_hash
from pbem.ruleset import dice as dice_module

DICE = Dice(b"a seed").within("turn", 3)
ROLLS = [6, 3, 6, 2, 6, 3, 6, 4]
BIG = 711268335476657615718215735742162384183054439853809859138955
SEAL = "0bbf1526fb965f5770a5704590022c2a29edc7cf7070ec0dde5a58c52da7a9b1"


def test_draws_are_pinned() -> None:
    """Archives are proved by drawing again, so these values hold for every later version."""
    assert [DICE.roll(6, "fire", "F1", "F2", shot) for shot in range(8)] == ROLLS
    assert DICE.below(10**60, "big") == BIG
    assert "".join(DICE.shuffle("abcdefgh", "deck")) == "ebfcgahd"
    assert DICE.pick(("red", "green", "blue"), "who") == "red"
    assert seed_hash(b"a seed") == SEAL


def test_a_draw_is_a_hash_anyone_can_repeat() -> None:
    """SHA-256 of the seed and of the JSON of scope, key and attempt, as a number, modulo the outcomes."""
    drawn = hashlib.sha256(b"a seed" + b'[["turn",3],["fire","F1"],0]').digest()

    assert DICE.below(1_000, "fire", "F1") == int.from_bytes(drawn, "big") % 1_000


def test_a_draw_has_one_outcome_however_often_it_is_made() -> None:
    """Other draws in between, or another order of draws, change nothing."""
    first = DICE.roll(6, "a")
    for key in range(10):
        DICE.roll(6, key)

    assert DICE.roll(6, "a") == first


def test_keys_scopes_and_seeds_make_other_draws() -> None:
    """No draw can be predicted from another: each part of its key counts, also its type and position."""
    keys: list[tuple[str | int, ...]] = [("a", "b"), ("b", "a"), ("ab",), ("a", "b", ""), (1,), ("1",), ()]
    draws = [DICE.below(10**18, *key) for key in keys]
    draws += [Dice(b"a seed").below(10**18, "a"), Dice(b"other").below(10**18, "a"), DICE.below(10**18, "a")]
    draws += [DICE.within("fleet").below(10**18, "a"), Dice(b"a seed").within("turn", 4).below(10**18, "a")]

    assert len(set(draws)) == len(draws)


def test_campaign_dice_forget_the_turn() -> None:
    """Dice of the campaign draw the same in every turn."""
    assert DICE.campaign == Dice(b"a seed")
    assert DICE.campaign.roll(6, "exit") == Dice(b"a seed").within("turn", 9).campaign.roll(6, "exit")


def test_scopes_add_up() -> None:
    """A scope within a scope contains both."""
    assert DICE.within("combat").scope == ("turn", 3, "combat")


@given(st.integers(1, 10**70), st.text(max_size=5))
def test_draws_stay_below_their_limit(limit: int, key: str) -> None:
    """Draws range from 0 to one less than the limit."""
    assert 0 <= DICE.below(limit, key) < limit


@pytest.mark.parametrize("limit", [0, -1])
def test_a_draw_among_nothing_is_refused(limit: int) -> None:
    """A die needs a side."""
    with pytest.raises(ValueError, match="at least one outcome"):
        DICE.below(limit, "a")


@pytest.mark.parametrize("sides", [2, 3, 6, 7])
def test_dice_are_fair(sides: int) -> None:
    """Over many rolls each side comes about equally often (chi-squared, one in a million)."""
    rolls = 6_000
    count = Counter(DICE.roll(sides, "fair", number) for number in range(rolls))
    expected = rolls / sides

    assert set(count) == set(range(1, sides + 1))
    assert sum((seen - expected) ** 2 / expected for seen in count.values()) < 40


def test_numbers_beyond_the_last_whole_round_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without rejection the first outcomes would be more frequent; with a span of 256 and a limit of 7 it shows."""
    monkeypatch.setattr(dice_module, "_SPAN", 256)
    numbers = itertools.chain([252, 255], itertools.repeat(251))
    monkeypatch.setattr(Dice, "_number", lambda self, key, attempt: next(numbers))

    assert DICE.below(7, "a") == 251 % 7


def test_a_chance_is_an_exact_fraction() -> None:
    """Of the equally likely numbers below the denominator, exactly those below the numerator succeed."""
    keys = range(300)

    assert [DICE.chance(2, 7, key) for key in keys] == [DICE.below(7, key) < 2 for key in keys]
    assert not any(DICE.chance(0, 5, key) for key in keys)
    assert all(DICE.chance(5, 5, key) for key in keys)


def test_a_shuffle_keeps_every_item() -> None:
    """A shuffled deck has the same cards; the list given is unchanged."""
    deck = ["a", "b", "c", "d"]

    shuffled = {tuple(DICE.shuffle(deck, "deck", number)) for number in range(400)}

    assert shuffled == set(itertools.permutations(deck))
    assert deck == ["a", "b", "c", "d"]


def test_picking_from_nothing_is_refused() -> None:
    """An empty list has no item to pick."""
    with pytest.raises(ValueError, match="at least one outcome"):
        DICE.pick([], "a")


def test_a_seal_tells_nothing_and_proves_the_seed() -> None:
    """The seal is a hash of the seed with a prefix of its own, so no draw equals it."""
    assert seed_hash(b"a seed") == hashlib.sha256(b"pbem dice seal\0a seed").hexdigest()
    assert seed_hash(b"a seed") != seed_hash(b"another")
