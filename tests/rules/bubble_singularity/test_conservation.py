"""Nothing is lost or doubled: random games against an independent account of each turn (ruling 35)."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from pbem.ruleset import Dice, TurnInput
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.orders import Resign
from pbem_rules.bubble_singularity.state import State
from tests.rules.bubble_singularity.ledger import Ledger, audited
from tests.rules.bubble_singularity.random_games import keep_line, lines_for, played, table, turns
from tests.rules.bubble_singularity.table import lay
from tests.sampling import Sampler

GAMES = 30


@pytest.mark.in_turn
@pytest.mark.parametrize("options", [{}, {"scoreless": 2}, {"beginner": True, "scoreless": 2}, {"rounds": "5"}])
def test_each_turn_is_as_an_independent_account_has_it(options: dict[str, Any]) -> None:
    """After each turn bubbles, cards, questions and the end agree with an independent account of its events."""
    ends, asked = set(), 0
    for seed in range(GAMES):
        for before, after, events, seat, words in turns(random.Random(seed), 12, **options):
            assert audited(before, after, events, words) == [], (seed, seat)
            ends.add(after.result.how if after.result else "")
            asked += after.question is not None

    assert ends >= {"", "markers", *({"scoreless", "rounds"} & options.keys() or {"bag"})}
    assert asked or "beginner" in options


def test_no_bubble_is_lost_when_the_bag_runs_out_during_a_choice() -> None:
    """Bubbles on the table when the game ends by an empty bag are still among the 60 bubbles (ruling 35)."""
    state = lay(
        blue="B2",
        red="D4",
        hand="bb",
        bag="rgb",
        held=["harvest", "fusion"],
        lying={"B1": "bb", "A2": "b"},
        stations=True,
    )
    after, events = played(state, "blue", ["MOVE N W", "USE RESEARCH"], 0)

    assert after.result is not None
    assert after.result.how == "bag"
    assert [wrong for wrong in audited(state, after, events, ()) if wrong.startswith("bubbles")] == []


def twins(state: State, lines: list[str], keep: str, number: int) -> tuple[State, State, int]:
    """Play a turn with KEEP in its sheet, and with KEEP as the answer by mail.

    Return both states, and True if the second was asked.
    """
    seat, sheet = state.mover or "", [*lines, keep]
    listed, _ = played(state, seat, sheet, number)
    mailed, _ = played(state, seat, lines, number)
    asked = mailed.question is not None
    while listed.question is not None:
        listed, _ = played(listed, seat, [keep], number)
    while mailed.question is not None:
        mailed, _ = played(mailed, seat, [keep], number)
    return listed, mailed, asked


def told_alike(state: State) -> State:
    """Return the state without the wishes of players."""
    return dataclasses.replace(state, lists={}, liking=())


def points_alike(state: State) -> tuple[object, ...]:
    """Return the result, the scores and the markers of a finished game."""
    return state.result, RULESET.standing(state).scores, {seat: each.markers for seat, each in state.players.items()}


def test_a_list_and_an_answer_by_mail_bring_the_same(sampler: Sampler) -> None:
    """A KEEP in advance and the same KEEP as an answer lead to the same state, or to the same end of the game."""
    asked = 0
    for number in sampler.sample(range(8 * GAMES), 2 * GAMES):
        rnd = random.Random(number)
        state = dataclasses.replace(table(rnd), lists={})
        listed, mailed, was_asked = twins(state, lines_for(state, rnd, number), keep_line(rnd), number)

        assert (listed.result is None) == (mailed.result is None)
        if listed.result is None:
            assert told_alike(listed) == told_alike(mailed)
        else:
            assert points_alike(listed) == points_alike(mailed)
        asked += was_asked

    assert asked > GAMES / 12


@pytest.mark.in_turn
@pytest.mark.parametrize("leaving", ["resigned", "removed"])
def test_a_player_who_leaves_takes_no_bubble_along(leaving: str) -> None:
    """After a player leaves there are sixty bubbles, also while a choice is open (rulings 31 and 35)."""
    rnd, open_ones = random.Random(5), 0
    for number in range(GAMES):
        for _, state, _, _, _ in turns(rnd, 6):
            if state.result is not None:
                continue
            open_ones += state.question is not None
            seat = rnd.choice(state.order)
            orders = {seat: (Resign(),)}
            turn = TurnInput(orders) if leaving == "resigned" else TurnInput({}, removed=frozenset({seat}))
            after, _ = RULESET.resolve(state, turn, Dice(b"fate").within(number))
            assert after.players[seat].out
            assert Ledger(after).total() == 60

    assert open_ones
