"""The state of a game, and how it is saved."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import Json, SaveError, Seat
from rules.dueling_masters.board import flights
from rules.dueling_masters.kinds import HOME, manner, numbers

SEATS: tuple[Seat, Seat] = ("one", "two")
"""The two players; player one owns rows A to E and moves first (ruling 1)."""

VERSION = 1


def opponent(seat: Seat) -> Seat:
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

    `square` is where it stands or, in transit, where it is bound for. `known`
    is where the opponent's board shows it: the square it last departed from
    while it is in transit, else where it was met; None before anything is known
    of it. `mark` numbers it on his board (0: not there), `typed` tells whether
    he has met it and so knows its kind.
    """

    name: str
    kind: str
    square: str
    transit: bool = False
    known: str | None = None
    typed: bool = False
    mark: int = 0
    loss: Loss | None = None


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
    """The campaign's options; see `ruleset.OPTIONS`. `reached`: collisions count only as far as a piece came."""

    homes: int = 1
    home_moves: bool = False
    reached: bool = False
    forfeit_after: int = 3

    def manner(self, kind: str) -> str:
        """How a kind moves; "" if it does not."""
        return manner(kind, home_moves=self.home_moves)

    def path(self, piece: Piece) -> tuple[str, ...]:
        """The pending path of a piece in transit; none for one at rest."""
        return flights(self.manner(piece.kind), piece.known)[piece.square] if piece.transit and piece.known else ()


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. No winners is a draw; `how` is a key of `events.ENDS`."""

    winners: tuple[Seat, ...]
    how: str


@dataclass(frozen=True, slots=True)
class State:
    """A game. `move` counts the moves from 1 and is 0 during set-up; `offer` is whose offer of a draw is open."""

    rules: Rules
    players: Mapping[Seat, Player] = dataclasses.field(default_factory=lambda: {seat: Player() for seat in SEATS})
    move: int = 0
    mover: Seat = SEATS[0]
    offer: Seat | None = None
    result: Result | None = None

    @property
    def awaited(self) -> frozenset[Seat]:
        """Who is asked for a sheet: whose set-up lacks something, and then who is to move."""
        if self.result is not None:
            return frozenset()
        if self.move:
            return frozenset({self.mover})
        return frozenset(seat for seat in SEATS if not self.is_placed(seat))

    def is_placed(self, seat: Seat) -> bool:
        """Whether a seat has placed all its pieces."""
        return len(self.players[seat].pieces) == sum(numbers(self.rules.homes).values())

    def homes(self, seat: Seat) -> list[Piece]:
        """A seat's home planets not lost."""
        return [piece for piece in self.players[seat].alive if piece.kind == HOME]


def dump(state: State) -> Json:
    """The state as JSON data."""
    return {
        "rules": dataclasses.asdict(state.rules),
        "players": {seat: _player_data(player) for seat, player in state.players.items()},
        "move": state.move,
        "mover": state.mover,
        "offer": state.offer,
        "result": state.result and {"winners": list(state.result.winners), "how": state.result.how},
    }


def load(data: Json, version: int) -> State:
    """The state of a save of any released version. Raises SaveError."""
    if not 1 <= version <= VERSION:
        raise SaveError(
            f"this save is of version {version} of Dueling Masters of Space-Time; this program reads 1 to {VERSION}"
        )
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError) as error:
        raise SaveError(f"this is not a save of Dueling Masters of Space-Time: {error!r}") from None


def _player_data(player: Player) -> Json:
    return {
        "pieces": [dataclasses.asdict(piece) for piece in player.pieces],
        "misses": player.misses,
        "scouted": dict(player.scouted),
    }


def _read(data: Mapping[str, Any]) -> State:
    result = data["result"]
    return State(
        rules=Rules(**data["rules"]),
        players={seat: _player(data["players"][seat]) for seat in SEATS},
        move=data["move"],
        mover=data["mover"],
        offer=data["offer"],
        result=result and Result(tuple(result["winners"]), result["how"]),
    )


def _player(data: Mapping[str, Any]) -> Player:
    return Player(tuple(map(_piece, data["pieces"])), data["misses"], dict(data["scouted"]))


def _piece(data: Mapping[str, Any]) -> Piece:
    return Piece(**{**data, "loss": data["loss"] and Loss(**data["loss"])})
