"""The state of a game."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from pbem.ruleset import SeatName
from pbem_rules.singularity.board import Board
from pbem_rules.singularity.field import Grid, field_of

SEATS: tuple[SeatName, SeatName] = ("red", "blue")
"""The two players; red places the first stone (ruling 2)."""

VERSION = 2


def opponent(seat: SeatName) -> SeatName:
    """Return the other player."""
    return SEATS[1 - SEATS.index(seat)]


@dataclass(frozen=True, slots=True)
class Reply:
    """A kept reply: when the opponent plays `when` next, `reply` is played at once (ruling 6).

    With `after`, it sleeps until its owner has a stone there (ruling 8).
    """

    when: str
    reply: str
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Player:
    """The record of one seat: its kept replies, known to no other player, and its missed deadlines in a row."""

    kept: tuple[Reply, ...] = ()
    misses: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game. No winners is a draw; `how` are keys of `events.ENDS`."""

    winners: tuple[SeatName, ...]
    how: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A game: its stones in the order placed (red's first, then in turn), and what is recorded of each seat.

    `offer` is the seat whose offer of a draw waits for an answer. `edition` is the
    version under which the game began, whose rules it keeps.
    """

    size: int
    forfeit_after: int
    moves: tuple[str, ...] = ()
    players: Mapping[SeatName, Player] = dataclasses.field(default_factory=lambda: {seat: Player() for seat in SEATS})
    offer: SeatName | None = None
    result: Result | None = None
    edition: int = VERSION

    @property
    def field(self) -> Grid:
        """The empty board."""
        return field_of(self.size)

    @property
    def mover(self) -> SeatName:
        """The seat to place the next stone."""
        return SEATS[len(self.moves) % 2]

    def board(self) -> Board:
        """Return the position."""
        cells = self.field.cells
        return Board(self.field, [cells[name] for name in self.moves])
