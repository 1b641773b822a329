"""The secrets of Bubble Singularity: the order of cards in the decks, and the wishes of others.

What the bag will bring is not stored at all: the dice decide when a bubble is drawn.
"""

from __future__ import annotations

import dataclasses
import random

from pbem.ruleset import SeatName
from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES
from pbem_rules.bubble_singularity.state import State

PUBLIC = (
    "bag",
    "bubbles",
    "cards",
    "control",
    "edition",
    "first",
    "last_round",
    "mover",
    "nodes",
    "order",
    "players",
    "quiet",
    "round",
    "rules",
    "seats",
    "unscored",
)
"""All that lies on the table: only decks and wishes are hidden."""


def scramble(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return the same table with the decks shuffled, and with other wishes except the seat's own."""
    decks = {category: _shuffled(cards, 0, rnd) for category, cards in state.decks.items()}
    return wishing(dataclasses.replace(state, decks=decks), seat, rnd)


def wishing(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return the same table with other wishes except a seat's own."""
    state = listing(state, seat, rnd=rnd)
    if state.phase != "question" or state.mover == seat:
        return state
    return dataclasses.replace(state, liking=_list(rnd), wish=(rnd.choice(CATEGORIES), rnd.choice(CATEGORIES)))


def listing(state: State, *spared: SeatName | None, rnd: random.Random) -> State:
    """Return the same table with other standing lists, except those of some seats."""
    lists = {seat: _list(rnd) for seat in state.seats if seat not in spared}
    return dataclasses.replace(state, lists={**state.lists, **lists})


def elsewhere(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, dict[SeatName, list[str]]]:
    """Return the same table with the decks shuffled below the cards that the next turn may reveal.

    Standing lists differ, except the mover's, which the cards drawn may reveal.
    """
    fixed = _reach(state)
    decks = {category: _shuffled(cards, fixed, rnd) for category, cards in state.decks.items()}
    world = dataclasses.replace(state, decks=decks)
    return listing(world, seat, state.mover, rnd=rnd), {}


def _list(rnd: random.Random) -> tuple[str, ...]:
    return tuple(rnd.sample(sorted(ABILITIES), 3))


def _reach(state: State) -> int:
    """Return how many cards of a deck the next turn may reveal.

    All of them for a turn, which may have any number of pops on nodes; none for an answer.
    """
    return sum(map(len, state.decks.values())) if state.phase == "turn" else 0


def _shuffled(cards: tuple[str, ...], fixed: int, rnd: random.Random) -> tuple[str, ...]:
    loose = list(cards[fixed:])
    rnd.shuffle(loose)
    return (*cards[:fixed], *loose)
