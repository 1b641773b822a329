"""The state of a game, and how it is saved."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import Json, SeatName
from pbem_rules.dueling_masters.board import flights
from pbem_rules.dueling_masters.kinds import HOME, manner, numbers

SEATS: tuple[SeatName, SeatName] = ("one", "two")
"""The two players; player one owns rows A to E (ruling 1)."""

VERSION = 3


def opponent(seat: SeatName) -> SeatName:
    """The other player."""
    return SEATS[1 - SEATS.index(seat)]


@dataclass(frozen=True, slots=True)
class Loss:
    """How a piece was lost: where, in which move, and whether it rammed an own asteroid, which only its owner knows."""

    square: str
    move: int
    rammed: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece, and what the opponent knows of it.

    `square` is where it stands or, in transit, where it is bound for. `course`
    are the squares the opponent has heard it on, one flight after the other:
    those it departed from, and the one it was met on if it has not left that.
    `mark` numbers it on his board (0: not there), `typed` tells whether he knows
    its kind.
    """

    name: str
    kind: str
    square: str
    transit: bool = False
    course: tuple[str, ...] = ()
    typed: bool = False
    mark: int = 0
    loss: Loss | None = None

    @property
    def known(self) -> str | None:
        """Where the opponent's board shows it: in transit, where it departed from; None before he has heard of it."""
        return self.course[-1] if self.course else None


@dataclass(frozen=True, slots=True)
class Player:
    """What is held of one seat.

    `pieces` are those placed so far. `misses` are its missed deadlines in a
    row. `scouted` tells for each square judged on a path of its own in which
    move that was, last.
    """

    pieces: tuple[Piece, ...] = ()
    misses: int = 0
    scouted: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def alive(self) -> Iterator[Piece]:
        """The pieces not lost, as far as anybody knows."""
        return (piece for piece in self.pieces if piece.loss is None)


@dataclass(frozen=True, slots=True)
class Rules:
    """The campaign's options, and the version of the game it began with, whose rules it keeps to its end.

    `reached`: collisions count only as far as a piece came. `blind`: a departure
    is announced by its square alone. In edition 1 a piece was announced only
    after it was judged, and two lone home planets that move played on; up to
    edition 2 a set-up that lacked something was asked for again and again.
    """

    homes: int = 1
    home_moves: bool = False
    reached: bool = False
    forfeit_after: int = 3
    blind: bool = False
    edition: int = VERSION

    def manner(self, kind: str) -> str:
        """How a kind moves; "" if it does not."""
        return manner(kind, home_moves=self.home_moves)

    def path(self, piece: Piece) -> tuple[str, ...]:
        """The pending path of a piece in transit; none for one at rest."""
        return flights(self.manner(piece.kind), piece.known)[piece.square] if piece.transit and piece.known else ()


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. No winners is a draw; `how` is a key of `events.ENDS`."""

    winners: tuple[SeatName, ...]
    how: str


@dataclass(frozen=True, slots=True)
class State:
    """A game. `move` counts the moves from 1 and is 0 during set-up, when `mover` is who will move first.

    `offer` is whose offer of a draw is open. `asked_again`: the set-up is asked
    for a second time, as one lacked something at its first deadline.
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
        """Who is asked for a sheet: whose set-up lacks something, and then who is to move."""
        if self.result is not None:
            return frozenset()
        if self.move:
            return frozenset({self.mover})
        return frozenset(seat for seat in SEATS if not self.is_placed(seat))

    @property
    def set_up_round(self) -> int:
        """Return the deadline that the set-up waits for, 1 or 2; 0 in play, and where there is no second one."""
        return 0 if self.move or self.result or self.rules.edition < 3 else 1 + self.asked_again

    def is_placed(self, seat: SeatName) -> bool:
        """Whether a seat has placed all its pieces."""
        return len(self.players[seat].pieces) == sum(numbers(self.rules.homes).values())

    def homes(self, seat: SeatName) -> list[Piece]:
        """A seat's home planets not lost."""
        return [piece for piece in self.players[seat].alive if piece.kind == HOME]


def from_version_1(data: Json) -> Json:
    """A save of version 1, whose campaigns announce squares alone and only after the judgement."""
    players = {
        seat: {**player, "pieces": [_with_course(piece) for piece in player["pieces"]]}
        for seat, player in data["players"].items()
    }
    return {**data, "rules": {**data["rules"], "blind": True, "edition": 1}, "players": players}


def from_version_2(data: Json) -> Json:
    """Return a save of version 2, whose campaigns ask for a set-up until it is complete, as one of version 3."""
    return {**data, "asked_again": False}


def _with_course(piece: dict[str, Any]) -> dict[str, Any]:
    """A piece of version 1, which kept only the last square heard of."""
    kept = {name: value for name, value in piece.items() if name != "known"}
    return {**kept, "course": [piece["known"]] if piece["known"] else []}
