"""The orders of Dueling Masters of Space-Time, and the types of their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pbem.ruleset import (
    ChoicePattern,
    Field,
    FieldError,
    KeywordField,
    NameField,
    Order,
    OrderMark,
    OrderParser,
    Pattern,
    match_name,
)
from pbem_rules.common.negotiation import Draw, Resign
from pbem_rules.dueling_masters.board import SQUARES, territory
from pbem_rules.dueling_masters.kinds import FIGHTERS, HOME, KINDS, WORDS
from pbem_rules.dueling_masters.moves import Fleet
from pbem_rules.dueling_masters.reading import rewrite, square_of


@dataclass(frozen=True)
class Square(Field):
    """A square of the board; samples are all, or with `own` those of the reader's own half.

    A page offers those of the own half, or else those that a piece can go to.
    """

    example: str
    own: bool = False
    shown: str = "square"
    expected: str = "a square from A1 to J10"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        return square_of(word)

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return territory(view["seat"]) if self.own else SQUARES

    def form(self, view: Mapping[str, Any]) -> Pattern:
        if self.own:
            return ChoicePattern(territory(view["seat"]))
        fleet = Fleet.of_view(view)
        ends = {end for piece in fleet.movable() for end in (*fleet.moves(piece), *fleet.rams(piece))}
        return ChoicePattern(tuple(square for square in SQUARES if square in ends))


class PieceKind(KeywordField):
    """A kind of piece, also in the plural."""

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        plural = word.upper().endswith("S") and len(word) > 1
        return match_name(word[:-1] if plural else word, self.words, self.expected)


KIND = PieceKind(KINDS, shown="kind")


@dataclass(frozen=True)
class MovingPiece(NameField):
    """One of the reader's pieces that can move.

    The finding for another word lists all that can move, not the one spelled most like it.
    """

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        try:
            return super().read(word, view)
        except FieldError as refused:
            text = _loss_text(word, view) or str(refused)
            raise FieldError(refused.code, text, "possible: " + ", ".join(self.names(view))) from None

    def form(self, view: Mapping[str, Any]) -> Pattern:
        return ChoicePattern(tuple(piece.name for piece in Fleet.of_view(view).movable()))


def _loss_text(word: str, view: Mapping[str, Any]) -> str:
    """Return where and when the reader lost a piece; "" if it is not known to be lost."""
    lost = (piece for piece in view["own_lost"] if piece["name"] == word.upper())
    return next((f"{piece['name']} was lost on {piece['square']} in move {piece['move']}" for piece in lost), "")


MOVABLE = MovingPiece(
    "piece",
    "one of your pieces that can move",
    "Z1",
    lambda view: [
        piece["name"] for piece in view["own"] if piece["kind"] in (*FIGHTERS, *([HOME] if view["home_moves"] else []))
    ],
)


@dataclass(frozen=True, slots=True)
class Setup(Order):
    """Place all your pieces of one kind in your half; home planets and asteroids on squares by themselves.

    A line takes the place of what was set up for its kind before. What your set-up lacks at its second deadline,
    dice place.
    """

    usage = "SETUP kind squares..."
    slot = "setup {kind}"
    mark = OrderMark("piece", at="squares", label="{kind}")
    kind: Annotated[str, KIND]
    squares: Annotated[tuple[str, ...], Square("B8", own=True)]

    def words(self) -> str:
        several = "s" if len(self.squares) > 1 else ""
        return f"your {WORDS[self.kind]}{several} on {', '.join(self.squares)}"


@dataclass(frozen=True, slots=True)
class Move(Order):
    """Move one of your pieces. Your opponent is told which piece departs from which square, and not where to."""

    usage = "MOVE piece [TO] square"
    slot = "move"
    mark = OrderMark("path", of="piece", at="square")
    ram: ClassVar[bool] = False
    piece: Annotated[str, MOVABLE]
    square: Annotated[str, Square("C4")]

    def words(self) -> str:
        return f"{self.piece} flies to {self.square}"


@dataclass(frozen=True, slots=True)
class Ram(Move):
    """Move a fighter into your own asteroid, on the way to a square or there: both are destroyed."""

    usage = "MOVE piece [TO] square RAM"
    mark = OrderMark("path", of="piece", at="square", label="ram")
    grave = True
    ram: ClassVar[bool] = True

    def words(self) -> str:
        return f"{self.piece} flies to {self.square} and rams your own asteroid on the way"


@dataclass(frozen=True, slots=True)
class RamFirst(Ram):
    """The same, with its verb first: a page sets verbs apart, not endings."""

    usage = "RAM piece [TO] square"


ORDERS = OrderParser((Setup, Move, Ram, RamFirst, Draw, Resign), rewrite=rewrite)
