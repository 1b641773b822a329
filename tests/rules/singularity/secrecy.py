"""Secrets of a seat of Singularity: the opponent's kept replies, and nothing else."""

from __future__ import annotations

import dataclasses
import random

from pbem.ruleset import SeatName
from pbem_rules.singularity.orders import written
from pbem_rules.singularity.state import SEATS, Reply, State, opponent

MOST = 6
LASTING = 3

PUBLIC = (
    "edition",
    "forfeit_after",
    "moves",
    "offer",
    "players.*.misses",
    "size",
)
"""The board: only kept replies are hidden."""


def scramble(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return the same game with other replies kept by the opponent."""
    return _with_kept(state, seat, [_reply(state, rnd) for _ in range(rnd.randrange(MOST))])


def elsewhere(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, dict[SeatName, list[str]]]:
    """Return the same game with other replies kept by the opponent, and further ones on the opponent's sheet.

    None is played at once, whatever the seat orders, and so none shows: those
    kept all wait for a stone that the opponent has not, and the opponent's sheet
    places none.
    """
    free = _free(state)
    if len(free) < 3:
        return _with_kept(state, seat, []), {}
    asleep = [Reply(*rnd.sample(free, 3)) for _ in range(rnd.randrange(MOST))]
    sheet = [written(Reply(*rnd.sample(free, 3))) for _ in range(rnd.randrange(MOST))]
    return _with_kept(state, seat, asleep), {opponent(seat): sheet}


def lasting(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, list[dict[SeatName, list[str]]]]:
    """Return the same game with other replies kept by the opponent, and sheets of several turns that use none.

    Both players place the same stones in all such worlds; all else on the
    opponent's sheets answers cells that stay free.
    """
    free = _free(state)
    stones, others = free[: 2 * LASTING], free[2 * LASTING :]
    turns: list[dict[SeatName, list[str]]] = []
    for number, cell in enumerate(stones):
        mover = SEATS[(len(state.moves) + number) % 2]
        hidden = [written(Reply(*rnd.sample(others, 2))) for _ in range(rnd.randrange(MOST))]
        turns.append({opponent(seat): hidden, seat: [f"IF {others[0]} THEN {others[1]}"]})
        turns[-1][mover] = [*turns[-1][mover], f"PLACE {cell}"]
    return _with_kept(state, seat, [Reply(*rnd.sample(others, 2)) for _ in range(rnd.randrange(MOST))]), turns


def _with_kept(state: State, seat: SeatName, kept: list[Reply]) -> State:
    if state.result is not None:
        return state
    other = opponent(seat)
    player = dataclasses.replace(state.players[other], kept=tuple(dict.fromkeys(kept)))
    return dataclasses.replace(state, players={**state.players, other: player})


def _reply(state: State, rnd: random.Random) -> Reply:
    free = _free(state)
    when, reply, after = (rnd.choice(free) for _ in range(3))
    return Reply(when, reply, rnd.choice((None, after)))


def _free(state: State) -> list[str]:
    return [state.field.names[cell] for cell in state.board().free()]
