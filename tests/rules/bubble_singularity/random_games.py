"""Random games: sheets of bots and well-formed nonsense, from tables where bags run out and markers are near."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.ruleset import Dice, Event, SeatName, TurnInput
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES
from pbem_rules.bubble_singularity.state import COLOURS, State, in_order
from pbem_rules.bubble_singularity.table import category_of
from tests.rules.bubble_singularity.table import begun, read, view

Step = tuple[State, State, tuple[Event, ...], SeatName, tuple[str, ...]]
"""A turn: the states before and after it, its events, its player and the list that counted."""


def table(rnd: random.Random, **options: Any) -> State:
    """Build a game in its middle: many bubbles on the board, few in the bag, cards held, markers won."""
    seats = rnd.choice((2, 2, 3, 4))
    stations = rnd.random() < 0.8
    state = begun(seats, stations=stations, advanced=rnd.random() < 0.3, **options).state
    bag = list(state.bag)
    rnd.shuffle(bag)
    kept = rnd.choice((0, 2, 3, 4, 6, len(bag)))
    lying = {place: list(found) for place, found in state.bubbles.items()}
    for colour in bag[kept:]:
        lying.setdefault(rnd.choice(sorted(state.cards)), []).append(colour)
    state = dataclasses.replace(
        state, bag=in_order(bag[:kept]), bubbles={place: in_order(found) for place, found in lying.items()}
    )
    return _with_players(state, rnd)


def _with_players(state: State, rnd: random.Random) -> State:
    """Give the players cards and markers, and control of stations."""
    limit = state.rules.markers_to_end
    cards = rnd.sample(sorted(ABILITIES), len(ABILITIES))
    if rnd.random() < 0.7:  # Energy Harvest draws from the bag
        cards = ["harvest", *(card for card in cards if card != "harvest")]
    players = {}
    for seat in (state.mover or "", *(seat for seat in state.seats if seat != state.mover)):
        held: dict[str, str] = {}
        for card in [] if state.rules.beginner else cards[:3]:
            held.setdefault(category_of(card), card)
        cards = [card for card in cards if card not in held.values()]
        markers = rnd.choice((0, 0, limit - 1, limit))
        hand = tuple(held[category] for category in CATEGORIES if category in held)
        players[seat] = dataclasses.replace(state.players[seat], cards=hand, markers=markers)
    decks = {category: tuple(card for card in cards if category_of(card) == category) for category in CATEGORIES}
    kinds = {card.kind for card in state.cards.values()}
    mover = state.mover or ""
    control: dict[str, SeatName] = {
        kind: mover for kind in ("research", "energy") if kind in kinds and rnd.random() < 0.7
    }
    return dataclasses.replace(
        state, players={seat: players[seat] for seat in state.seats}, decks=decks, control=control
    )


def keep_line(rnd: random.Random) -> str:
    """Return a KEEP line: all cards and colours, some of them, or two colours."""
    words = [*ABILITIES, *COLOURS]
    kind = rnd.randrange(5)
    if kind == 0:
        chosen = rnd.sample(words, rnd.randrange(1, 8))
    elif kind == 1:
        chosen = [*rnd.sample(sorted(ABILITIES), 12), *rnd.choices(COLOURS, k=2)]
    else:
        chosen = rnd.sample(words, len(words))
    return "KEEP " + " ".join(chosen)


def lines_for(state: State, rnd: random.Random, turn: int) -> list[str]:
    """Return a sheet for a turn, without KEEP; often with uses of the research station."""
    seat = state.mover or ""
    lines = RULESET.bots["random"](view(state, seat), Dice(b"sheet").within(turn, rnd.randrange(10**6)))
    if rnd.random() < 0.6:
        ways = " ".join(rnd.choice("NESW") for _ in range(rnd.randrange(1, 4)))
        lines = [f"MOVE {ways}", "USE RESEARCH", "USE SELECT " + " ".join(rnd.choices(COLOURS, k=3)), *lines]
    return [line for line in lines if not line.startswith(("KEEP", "RESIGN"))]


def turns(rnd: random.Random, most: int, **options: Any) -> Iterator[Step]:
    """Yield the turns of a game, questions included."""
    state = table(rnd, **options)
    for number in range(most):
        if state.result is not None:
            return
        seat = state.mover or ""
        if state.question is None:
            lines = lines_for(state, rnd, number) + ([keep_line(rnd)] if rnd.random() < 0.5 else [])
        else:
            lines = [keep_line(rnd)] if rnd.random() < 0.7 else []
        after, events = played(state, seat, lines, number)
        yield state, after, events, seat, listed(state, after, seat)
        state = after


def played(state: State, seat: SeatName, lines: Sequence[str], number: int) -> tuple[State, tuple[Event, ...]]:
    """Resolve a turn with the lines of a sheet that are accepted."""
    orders = read(state, *lines, seat=seat).orders
    return RULESET.resolve(state, TurnInput({seat: orders}), Dice(b"fate").within(number))


def listed(state: State, after: State, seat: SeatName) -> tuple[str, ...]:
    """Return the list that counts for a turn: the standing one after it."""
    return after.lists.get(seat, ()) if state.question is None else ()
