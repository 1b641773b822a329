"""Conclusions from the flights that a player has heard of, for reports and bots (ruling 22).

They use nothing but what the player was told, so that they can reveal nothing else. An
enemy's course holds the squares it was heard on, one flight after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from pbem_rules.dueling_masters.board import SQUARES, flights
from pbem_rules.dueling_masters.kinds import FIGHTERS, HOME
from pbem_rules.dueling_masters.state import Piece, Rules

MOVABLE = (*FIGHTERS, HOME)


def possible_kinds(piece: Piece, left: Mapping[str, int], rules: Rules) -> list[str]:
    """Return the kinds that an enemy piece may be: its own if known, else any that is `left` and flies as it did."""
    if piece.typed:
        return [piece.kind]
    kinds = (kind for kind in MOVABLE if left.get(kind) and rules.manner(kind))
    return [kind for kind in kinds if all(end in flights(rules.manner(kind), start) for start, end in _legs(piece))]


def in_reach(square: str, kinds: Iterable[str], rules: Rules) -> dict[str, tuple[str, ...]]:
    """Return the squares that a piece departed from `square` may be bound for, with the path to each."""
    found = {end: path for kind in kinds for end, path in flights(rules.manner(kind), square).items()}
    return {end: found[end] for end in SQUARES if end in found}


def crossed(pieces: Iterable[Piece], half: Sequence[str]) -> list[str]:
    """Return the squares of the enemy's half that its pieces have stood on or flown over.

    None of its asteroids is there.
    """
    over = {square for piece in pieces for square in _over(piece)}
    return [square for square in half if square in over]


def _over(piece: Piece) -> Iterator[str]:
    yield from piece.course
    for start, end in _legs(piece):
        yield from _path(start, end)


def _legs(piece: Piece) -> Sequence[tuple[str, str]]:
    return tuple(pairwise(piece.course))


def _path(start: str, end: str) -> tuple[str, ...]:
    """Return the path between two squares, the same for all kinds that can fly it."""
    # Rook, bishop and king fly along lines of the queen; no leap ends on one.
    return flights("queen", start).get(end) or flights("leap", start)[end]
