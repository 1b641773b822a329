"""Legal moves, as far as a player's own board tells, for receipts, turns and bots alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.ruleset import FieldError, View
from pbem_rules.dueling_masters.board import distance, flights
from pbem_rules.dueling_masters.kinds import ASTEROID, FIGHTERS, HOME, MANNER_WORDS, WORDS, manner
from pbem_rules.dueling_masters.state import Piece

HINTED = 4


def check_time(view: View) -> None:
    """Raise FieldError if the reader may not move a piece now."""
    if view["stage"] == "set-up":
        hint = "write: SETUP <kind> <square>..."
        raise FieldError("set-up-first", "nothing moves before both players have placed all pieces", hint)
    if not view["awaited"]:
        raise FieldError(
            "not-your-move", f"it is player {view['mover']}'s move", "you will be asked when it is your move"
        )


class Own(NamedTuple):
    """A piece as its owner believes it to be: in transit, it counts as arrived."""

    name: str
    kind: str
    square: str


class Fleet:
    """A player's pieces on their own board."""

    def __init__(self, pieces: Iterable[Own], *, home_moves: bool) -> None:
        self.pieces = {piece.name: piece for piece in pieces}
        self.home_moves = home_moves
        self._on: dict[str, list[Own]] = {}
        for piece in self.pieces.values():
            self._on.setdefault(piece.square, []).append(piece)

    @classmethod
    def of_view(cls, view: View) -> Fleet:
        """Return the fleet of a view's reader."""
        pieces = (Own(piece["name"], piece["kind"], piece["square"]) for piece in view["own"])
        return cls(pieces, home_moves=view["home_moves"])

    @classmethod
    def of_pieces(cls, pieces: Iterable[Piece], *, home_moves: bool) -> Fleet:
        """Return the fleet of a state's pieces, those not lost."""
        return cls((Own(piece.name, piece.kind, piece.square) for piece in pieces), home_moves=home_moves)

    def flights(self, piece: Own) -> Mapping[str, tuple[str, ...]]:
        """Return every square within a piece's reach on an empty board, with the path to it."""
        return flights(manner(piece.kind, home_moves=self.home_moves), piece.square)

    def movable(self) -> list[Own]:
        """Return the pieces that have a move, ramming included."""
        return [piece for piece in self.pieces.values() if any(self.moves(piece)) or self.rams(piece)]

    def moves(self, piece: Own) -> dict[str, tuple[str, ...]]:
        """Return the moves of a piece that need no ramming: each destination with its path."""
        return {end: path for end, path in self.flights(piece).items() if not self._blocked(piece, path)}

    def rams(self, piece: Own) -> list[str]:
        """Return the destinations for which a piece has to ram an own asteroid, and may (ruling 3)."""
        # Home planets do not ram (ruling 19).
        paths = self.flights(piece).items() if piece.kind in FIGHTERS else ()
        return [end for end, path in paths if self.first(ASTEROID, path) and not self.first(HOME, path)]

    def first(self, kind: str, path: Sequence[str]) -> str | None:
        """Return the first square of a path with an own piece of a kind; None if there is none."""
        return next((square for square in path if any(piece.kind == kind for piece in self._on.get(square, ()))), None)

    def check(self, name: str, square: str, *, ram: bool) -> None:
        """Raise FieldError if a move may not be ordered (rulings 2 and 3)."""
        piece = self.pieces[name]
        path = self.flights(piece).get(square, ())
        if not path:
            raise self._unreachable(piece, square)
        home, asteroid = self.first(HOME, path), self.first(ASTEROID, path)
        if home:
            raise FieldError(
                "home-in-the-way", f"your own home planet on {home} is in the way", self._near(piece, square)
            )
        if piece.kind == HOME and self._on.get(square):
            text = f"a home planet stands alone, and {self._on[square][0].name} is on {square}"
            raise FieldError("not-alone", text, self._near(piece, square))
        if asteroid and not ram:
            hint = f"write: MOVE {name} TO {square} RAM to destroy them both"
            raise FieldError("asteroid-in-the-way", f"your own asteroid on {asteroid} is in the way", hint)
        if ram and not asteroid:
            raise FieldError("nothing-to-ram", f"none of your asteroids is on the way to {square}", "leave out RAM")

    def _blocked(self, piece: Own, path: Sequence[str]) -> bool:
        # A home planet stands alone, also when it moves (ruling 19).
        crowded = piece.kind == HOME and path[-1] in self._on
        return crowded or bool(self.first(HOME, path) or self.first(ASTEROID, path))

    def _unreachable(self, piece: Own, square: str) -> FieldError:
        how = MANNER_WORDS[manner(piece.kind, home_moves=self.home_moves)]
        if piece.square == square:
            text = f"{piece.name} is on {square} already"
        else:
            text = f"{square} is out of reach: {piece.name}, your {WORDS[piece.kind]} on {piece.square}, {how}"
        return FieldError("out-of-reach", text, self._near(piece, square))

    def _near(self, piece: Own, square: str) -> str:
        """Return a hint with squares near the one wanted that the piece can go to."""
        near = sorted(self.moves(piece), key=lambda end: (distance(end, square), end))[:HINTED]
        return f"near it, {piece.name} can go to {', '.join(near)}" if near else ""
