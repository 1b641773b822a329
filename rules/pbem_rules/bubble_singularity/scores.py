"""Totals and winners of a game."""

from __future__ import annotations

from pbem.ruleset import SeatName
from pbem_rules.bubble_singularity.state import State

STATION_POINTS = (0, 0, 5, 12, 20, 20)
"""Points at the end for the number of stations held; the Universe is a fifth."""


def station_points(state: State, seat: SeatName) -> int:
    """Return the points for the stations that a player controls."""
    return STATION_POINTS[sum(owner == seat for owner in state.control.values())]


def total(state: State, seat: SeatName) -> int:
    """Return points of chains, one for each bubble in the supply, and those of stations."""
    player = state.players[seat]
    return player.points + len(player.hand) + station_points(state, seat)


def totals(state: State) -> dict[SeatName, int]:
    return {seat: total(state, seat) for seat in state.seats}


def winners(state: State) -> tuple[SeatName, ...]:
    """Return the winners: the best total, then most markers, then most points of chains, then shared (ruling 25)."""
    playing = [seat for seat in state.seats if not state.players[seat].out]
    worth = {seat: (total(state, seat), state.players[seat].markers, state.players[seat].points) for seat in playing}
    return tuple(seat for seat in playing if worth[seat] == max(worth.values()))
