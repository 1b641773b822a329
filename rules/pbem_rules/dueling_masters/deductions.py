"""What follows from the flights that a player has heard of: for his report and his bot.

Made of nothing but what he was told, so that it can tell nothing else. An
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
    """What an enemy piece may be: its kind where it is known, else any that is `left` and flies as it did."""
    if piece.typed:
        return [piece.kind]
    kinds = (kind for kind in MOVABLE if left.get(kind) and rules.manner(kind))
    return [kind for kind in kinds if all(end in flights(rules.manner(kind), start) for start, end in _legs(piece))]


def in_reach(square: str, kinds: Iterable[str], rules: Rules) -> dict[str, tuple[str, ...]]:
    """Where a piece that departed from a square may be bound for, with the path to it."""
    found = {end: path for kind in kinds for end, path in flights(rules.manner(kind), square).items()}
    return {end: found[end] for end in SQUARES if end in found}


def crossed(pieces: Iterable[Piece], half: Sequence[str]) -> list[str]:
    """The squares of the enemy's half that his pieces have stood on or flown over: none of his asteroids is there."""
    over = {square for piece in pieces for square in _over(piece)}
    return [square for square in half if square in over]


def _over(piece: Piece) -> Iterator[str]:
    yield from piece.course
    for start, end in _legs(piece):
        yield from _path(start, end)


def _legs(piece: Piece) -> Sequence[tuple[str, str]]:
    return tuple(pairwise(piece.course))


def _path(start: str, end: str) -> tuple[str, ...]:
    """The path between two squares: whatever kind can fly it, it is the same."""
    return flights("queen", start).get(end) or flights("leap", start)[end]
