"""The secrets of a game: where the lanterns of the others are, and how many they have found.

The suite compares all that is mailed to a seat in worlds made here. A scrambler
that leaves a secret as it is hides its leak, so change everything hidden; the suite
names each part of the state that stays the same and is not said to be public.
"""

import random
from dataclasses import replace

from pbem.ruleset import SeatName

from mygame.state import REACH, State


PUBLIC = ("turn", "turns", "caves", "players.*.playing")
"""The parts of the state that every seat knows, as paths."""


def scramble(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return the same game with every other lantern and score another."""
    return _with_others(state, seat, range(1, state.caves + 1), rnd)


def elsewhere(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, dict[SeatName, list[str]]]:
    """Return such a world, and sheets of the others of which the seat hears nothing, whatever it orders itself.

    All others are out of its reach, stay there, and search nothing.
    """
    own = state.players[seat].cave
    far = [cave for cave in range(1, state.caves + 1) if abs(cave - own) > REACH]
    world = _with_others(state, seat, far, rnd)
    sheets = {
        other: [f"HIDE IN {rnd.choice([cave for cave in world.near(player.cave) if cave in far])}"]
        for other, player in world.players.items()
        if other != seat
    }
    return world, sheets


def _with_others(state: State, seat: SeatName, caves: range | list[int], rnd: random.Random) -> State:
    others = {
        other: replace(player, cave=rnd.choice(caves), score=rnd.randrange(10))
        for other, player in state.players.items()
        if other != seat
    }
    return replace(state, players={**state.players, **others})
