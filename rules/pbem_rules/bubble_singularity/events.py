"""The events of Bubble Singularity: every kind, its data, and the players who see it.

A view's `events` list holds `{"kind": …, **data}`. `who` is a seat, spaces are
names of squares, bubbles are lists of colours, cards are keys of `ABILITIES`.
All is public but `refused`.

| kind | data | heard by |
|---|---|---|
| seated | who, space, card (starting ability or None), returned (list of cards) | all |
| neutral | bubbles (list of [space, colour]) | all |
| begun | first, order (list of seats) | all |
| missed | who, what ("setup", "turn" or "question") | all |
| moved | who, path (list of [space, bubbles placed]) | all |
| stayed | who, why (one sentence) | all |
| rotated | who, space, turn ("CW" or "CCW"), arrows (as the card lies now), sent (list of [colour, way, space]) | all |
| pulled | who, space, way, start, bubbles | all |
| folded | who, space, turn, arrows | all |
| attracted | who, start, space | all |
| directed | who, start, space | all |
| researched | who, bubbles | all |
| selected | who, bubbles | all |
| teleported | who, start, space | all |
| transferred | who, colour, start, space | all |
| converted | who, bubbles (list of [space, colour]) | all |
| ignited | who, space | all |
| deployed | who, bubbles (list of [space, colour]) | all |
| blocked | who, player, action | all |
| popped | who, space, number (in the turn), chain (its number in the turn), node (whether), sent (list of [colour, way, space]), stayed, collected | all |
| turned | space, arrows: a flux card after its pop | all |
| swapped | space, other: an unstable card after its pop | all |
| scored | who, chain, pops, length, extra (list of reasons), points, markers, total (points of chains), cut (whether it was stopped) | all |
| controlled | who, station, before (seat or None) | all |
| harvested | who, colour | all |
| drawn | who, cards | all |
| chosen | who, card, returned, held (the card of its category that is held already) | all |
| kept | who, what (cards or bubbles), returned | all |
| last-round | who, markers | all |
| left | who, how ("resigned" or "removed") | all |
| ended | winners, how (key of ENDS), words, scores (total by seat) | all |
| refused | line, why (one sentence) | its player |
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pbem.ruleset import Event, SeatName

ENDS = {
    "markers": "somebody had collected the markers that end the game, and the round was completed",
    "bag": "a bubble had to be drawn and the bag was empty",
    "standstill": "through two rounds no Mari had moved and nothing had popped",
    "scoreless": "nobody had scored in as many turns in a row as the campaign allows",
    "rounds": "as many rounds had been played as the campaign has",
    "left": "all others left the game",
}
"""The ways a game can end, in words."""


def public(seats: Iterable[SeatName], kind: str, **data: Any) -> Event:
    """Return an event that all players see."""
    return Event(kind, frozenset(seats), data)


def private(seat: SeatName, kind: str, **data: Any) -> Event:
    """Return an event that one player alone sees."""
    return Event(kind, frozenset({seat}), data)
