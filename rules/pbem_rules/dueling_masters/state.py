"""The state of a game."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pbem.ruleset import SeatName
from pbem_rules.dueling_masters.board import flights
from pbem_rules.dueling_masters.kinds import HOME, manner, numbers

SEATS: tuple[SeatName, SeatName] = ("one", "two")
"""The two players; player one owns rows A to E (ruling 1)."""

VERSION = 4


def opponent(seat: SeatName) -> SeatName:
    """Return the other player."""
    return SEATS[1 - SEATS.index(seat)]


@dataclass(frozen=True, slots=True)
class PieceLoss:
    """The loss of a piece: where, in which move, and whether it rammed an own asteroid, which only its owner knows."""

    square: str
    move: int
    rammed: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece, and what the opponent knows of it.

    `square` is where it stands or, in transit, where it is bound for. `course`
    holds the squares the opponent has heard it on, one flight after the other:
    those it departed from, and the one it was met on if it has not left that.
    `mark` is its number on the opponent's board (0: not there), `typed` is True
    if the opponent knows its kind.
    """

    name: str
    kind: str
    square: str
    transit: bool = False
    course: tuple[str, ...] = ()
    typed: bool = False
    mark: int = 0
    loss: PieceLoss | None = None

    @property
    def known(self) -> str | None:
        """The square where the opponent's board shows it; None before it was heard of."""
        return self.course[-1] if self.course else None


@dataclass(frozen=True, slots=True)
class Player:
    """The pieces and counters of one seat.

    `pieces` are those placed so far. `misses` counts missed deadlines in a
    row. `scouted` maps each square judged on a path of the seat to the last move
    in which that was.
    """

    pieces: tuple[Piece, ...] = ()
    misses: int = 0
    scouted: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def alive(self) -> Iterator[Piece]:
        """The pieces not known to be lost."""
        return (piece for piece in self.pieces if piece.loss is None)


@dataclass(frozen=True, slots=True)
class Rules:
    """The campaign's options, and the version of the game in which it began and whose rules it keeps, its `edition`.

    With `reached`, collisions count only as far as a piece came; with `blind`, a departure
    is announced by its square alone. After `quiet_turns` of each player in which nothing was
    destroyed the game is drawn; 0 for never.
    """

    homes: int = 1
    home_moves: bool = False
    reached: bool = False
    forfeit_after: int = 3
    blind: bool = False
    quiet_turns: int = 0
    edition: int = VERSION

    def manner(self, kind: str) -> str:
        """Return how a kind moves; "" if it does not."""
        return manner(kind, home_moves=self.home_moves)

    def path(self, piece: Piece) -> tuple[str, ...]:
        """Return the pending path of a piece in transit; nothing for one at rest."""
        return flights(self.manner(piece.kind), piece.known)[piece.square] if piece.transit and piece.known else ()


@dataclass(frozen=True, slots=True)
class Result:
    """The winners of a game, none for a draw, and the key in `events.ENDS` of how it ended."""

    winners: tuple[SeatName, ...]
    how: str


@dataclass(frozen=True, slots=True)
class State:
    """A game.

    `move` counts the moves from 1 and is 0 during set-up, when `mover` is the player who will move
    first. `offer` is the seat whose offer of a draw is open. `asked_again` is True while the set-up
    is asked for a second time, as one lacked something at its first deadline.
    """

    rules: Rules
    players: Mapping[SeatName, Player] = dataclasses.field(default_factory=lambda: {seat: Player() for seat in SEATS})
    move: int = 0
    mover: SeatName = SEATS[0]
    offer: SeatName | None = None
    result: Result | None = None
    asked_again: bool = False

    @property
    def awaited(self) -> frozenset[SeatName]:
        """The seats whose sheets are awaited: those without a complete set-up, then the mover."""
        if self.result is not None:
            return frozenset()
        if self.move:
            return frozenset({self.mover})
        # During the set-up a player with a complete one is not asked again (ruling 11).
        return frozenset(seat for seat in SEATS if not self.is_placed(seat))

    @property
    def set_up_round(self) -> int:
        """The deadline that the set-up waits for, 1 or 2; 0 in play."""
        return 0 if self.move or self.result else 1 + self.asked_again

    @property
    def quiet(self) -> int:
        """The number of moves in a row, passed ones included, in which no judgement destroyed a piece (ruling 24)."""
        # Of ramming only its owner knows, so it does not count (ruling 10).
        pieces = (piece for player in self.players.values() for piece in player.pieces)
        losses = (piece.loss.move for piece in pieces if piece.loss and not piece.loss.rammed)
        return max(0, self.move - 1 - max(losses, default=0))

    def is_placed(self, seat: SeatName) -> bool:
        """Return True if a seat has placed all its pieces."""
        return len(self.players[seat].pieces) == sum(numbers(self.rules.homes).values())

    def homes(self, seat: SeatName) -> list[Piece]:
        """Return a seat's home planets that are not lost."""
        return [piece for piece in self.players[seat].alive if piece.kind == HOME]
