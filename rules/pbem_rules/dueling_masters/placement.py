"""Set-up: which pieces may be placed where, and a set-up drawn by dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.ruleset import Dice, FieldError, SeatName, View
from pbem_rules.dueling_masters.board import HALVES, distance, territory
from pbem_rules.dueling_masters.kinds import ALONE, ASTEROID, HOME, KINDS, WORDS, B, W, X, Y, Z, names, numbers
from pbem_rules.dueling_masters.state import Piece

# Fewest rows behind the front for a home planet placed by dice.
_BACK = 2

Placed = Mapping[str, tuple[str, ...]]
"""The squares of the pieces placed so far, by kind."""

_EXAMPLE: Placed = {
    HOME: ("B8", "A4", "C3"),
    ASTEROID: ("A7", "B7", "C7", "C9", "E2", "E5", "D4"),
    W: ("C1",),
    B: ("A1",),
    X: ("A2", "E10"),
    Y: ("D6", "D7"),
    Z: ("E1", "E1", "E9", "A10"),
}
"""A whole set-up of player one, with three home planets."""


def placed_of(pieces: Sequence[Piece]) -> dict[str, tuple[str, ...]]:
    """Return the squares of pieces by kind."""
    found = {kind: tuple(piece.square for piece in pieces if piece.kind == kind) for kind in KINDS}
    return {kind: squares for kind, squares in found.items() if squares}


def placed_in(view: View) -> dict[str, tuple[str, ...]]:
    """Return the squares of the reader's pieces by kind, as far as they are placed."""
    squares = {kind: tuple(piece["square"] for piece in view["own"] if piece["kind"] == kind) for kind in KINDS}
    return {kind: taken for kind, taken in squares.items() if taken}


def example(seat: SeatName, homes: int) -> Placed:
    """Return a whole set-up that may be sent as it is; that of player two is the one of player one in a mirror."""
    rows = dict(zip(HALVES["one"], HALVES[seat] if seat == "one" else HALVES[seat][::-1], strict=True))
    number = numbers(homes)
    return {kind: tuple(f"{rows[at[0]]}{at[1:]}" for at in _EXAMPLE[kind][: number[kind]]) for kind in number}


def pieces_of(placed: Placed, homes: int) -> tuple[Piece, ...]:
    """Return the pieces on those squares, named and in the order of `KINDS`."""
    number = numbers(homes)
    return tuple(
        Piece(name, kind, square)
        for kind in KINDS
        for name, square in zip(names(kind, number[kind]), placed.get(kind, ()), strict=False)
    )


def check_placement(placed: Placed, kind: str, squares: Sequence[str], *, seat: SeatName, homes: int) -> None:
    """Raise FieldError if the pieces of a kind may not all be placed where a sheet says (ruling 1)."""
    number = numbers(homes)[kind]
    if len(squares) != number:
        noun = "square" if number == 1 else "different squares" if kind in ALONE else "squares"
        hint = f"write all in one line: SETUP {kind} and {number} {noun}"
        raise FieldError("wrong-number", f"SETUP {kind} takes {number} {noun}, not {len(squares)}", hint)
    for at, square in enumerate(squares):
        if square[0] not in HALVES[seat]:
            rows = HALVES[seat]
            raise FieldError(
                "not-your-half", f"{square} is not in your half", f"yours are rows {rows[0]} to {rows[-1]}"
            )
        if kind in ALONE and square in squares[:at]:
            hint = "each stands on a square by itself"
            raise FieldError("not-alone", f"{square} is named twice, and each {WORDS[kind]} stands alone", hint)
        for other, taken in placed.items():
            if square in taken and other != kind and {kind, other} & set(ALONE):
                alone = kind if kind in ALONE else other
                raise FieldError(
                    "not-alone", f"{WORDS[other]} and {WORDS[kind]} both on {square}: the {WORDS[alone]} stands alone"
                )


def lacking(placed: Placed) -> list[str]:
    """Return the kinds that are still to be placed."""
    return [kind for kind in KINDS if kind not in placed]


def arranged(placed: Placed, *, seat: SeatName, homes: int, dice: Dice) -> dict[str, tuple[str, ...]]:
    """Return a whole set-up: what was placed stays, the rest is drawn (ruling 12).

    Home planets come to the three rows at the back, and the other pieces to
    squares of their own; most asteroids to the front and around home planets.
    """
    done = dict(placed)
    number = numbers(homes)
    for kind in lacking(placed):
        taken = {square for squares in done.values() for square in squares}
        free = [square for square in territory(seat) if square not in taken]
        # Keyed by seat and kind: what one player left out does not change what the other is dealt.
        drawn = dice.shuffle(free, "set-up", seat, kind)
        if kind == HOME:
            drawn.sort(key=lambda square: _behind(square, seat) < _BACK)
        elif kind == ASTEROID:
            drawn.sort(key=lambda square: not _guards(square, seat, done[HOME]))
        done[kind] = tuple(drawn[: number[kind]])
    return {kind: done[kind] for kind in KINDS}


def _behind(square: str, seat: SeatName) -> int:
    """Return how many rows a square lies behind the front: 0 to 4."""
    row = HALVES[seat].index(square[0])
    return len(HALVES[seat]) - 1 - row if seat == "one" else row


def _guards(square: str, seat: SeatName, homes: Sequence[str]) -> bool:
    return _behind(square, seat) < _BACK or any(distance(square, home) == 1 for home in homes)
