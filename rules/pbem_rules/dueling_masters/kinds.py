"""The kinds of pieces: their numbers, how they move, and which destroys which."""

from __future__ import annotations

from collections.abc import Mapping

W, B, X, Y, Z, HOME, ASTEROID = "W", "B", "X", "Y", "Z", "HOME", "ASTEROID"

STRENGTH = (W, B, X, Y, Z, HOME)
"""From the strongest to the weakest (ruling 8); asteroids have no rank."""

FIGHTERS = STRENGTH[:-1]
KINDS = (HOME, ASTEROID, *FIGHTERS)
"""All kinds, in the order in which pieces are listed."""

ALONE = (HOME, ASTEROID)
"""Kinds that stand on squares by themselves."""

WORDS: Mapping[str, str] = {HOME: "home planet", ASTEROID: "asteroid"} | {kind: f"{kind} fighter" for kind in FIGHTERS}

MANNERS: Mapping[str, str] = {W: "leap", B: "queen", X: "rook", Y: "bishop", Z: "queen"}
"""The manner of moving of each kind, as `board.flights` names it; other kinds do not move."""

MANNER_WORDS: Mapping[str, str] = {
    "leap": "flies two squares straight and then one sideways",
    "queen": "moves like a chess queen",
    "rook": "moves like a chess rook",
    "bishop": "moves like a chess bishop",
    "king": "moves like a chess king",
    "": "cannot move",
}


def numbers(homes: int) -> Mapping[str, int]:
    """Return the number of pieces of each kind that a player has; with one home planet 18 in all."""
    return {HOME: homes, ASTEROID: 7, W: 1, B: 1, X: 2, Y: 2, Z: 4}


def names(kind: str, number: int) -> tuple[str, ...]:
    """Return the names of a player's pieces of a kind: numbered if there are several."""
    return (kind,) if number == 1 else tuple(f"{kind}{count}" for count in range(1, number + 1))


def manner(kind: str, *, home_moves: bool) -> str:
    """Return how a kind moves in this campaign; "" if it does not."""
    return "king" if kind == HOME and home_moves else MANNERS.get(kind, "")


def dies(kind: str, other: str) -> bool:
    """Return True if a piece is destroyed when it meets one of an `other` kind: the weaker is, and equals both are.

    An asteroid and the piece that meets it are both destroyed (ruling 8).
    """
    if ASTEROID in (kind, other):
        return True
    # Of two equal pieces both are destroyed (ruling 8).
    return STRENGTH.index(kind) >= STRENGTH.index(other)
