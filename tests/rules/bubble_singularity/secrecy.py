"""What a seat of Bubble Singularity may not know: in which order the cards lie in the decks, and nothing else.

What the bag will bring is not stored at all: the dice decide when a bubble is drawn.
"""

from __future__ import annotations

import dataclasses
import random

from pbem.ruleset import Seat
from rules.bubble_singularity.state import State

DRAWN_AT_ONCE = 2
"""Cards that are drawn for one pop on a node, perhaps from one deck."""


def scramble(state: State, seat: Seat, rnd: random.Random) -> State:
    """The same table with the decks shuffled."""
    return dataclasses.replace(
        state, decks={category: _shuffled(cards, 0, rnd) for category, cards in state.decks.items()}
    )


def elsewhere(state: State, seat: Seat, rnd: random.Random) -> tuple[State, dict[Seat, list[str]]]:
    """The same table with the decks shuffled below what the next turn may bring to light."""
    fixed = _reach(state, seat)
    decks = {category: _shuffled(cards, fixed, rnd) for category, cards in state.decks.items()}
    return dataclasses.replace(state, decks=decks), {}


def _reach(state: State, seat: Seat) -> int:
    """How many cards of a deck may be seen in the next turn.

    A mover without a sheet is asked after the first pair; a sheet may answer
    beforehand for any number of pops on nodes, and so bring all cards to light.
    """
    whole = sum(map(len, state.decks.values()))
    return whole if state.phase == "turn" and seat == state.mover else DRAWN_AT_ONCE * (state.pending + 1)


def _shuffled(cards: tuple[str, ...], fixed: int, rnd: random.Random) -> tuple[str, ...]:
    loose = list(cards[fixed:])
    rnd.shuffle(loose)
    return (*cards[:fixed], *loose)
