"""The events of Singularity: every kind, its data, and the players who hear of it.

A view's `events` list holds `{"kind": …, **data}`. `who` is a seat, cells are
written as players write them, and a `line` is an order as written on a sheet.

| kind | data | heard by |
|---|---|---|
| placed | who, cell, number (of the stone, from 1) | both |
| missed | who, misses (in a row), limit (0: none) | both |
| draw-offered | who | both |
| draw-declined | who (declined), how ("declined" or "played on") | both |
| resigned | who, how ("resigned", "removed" or "forfeit") | both |
| ended | winners (none: a draw), how (list of keys of ENDS), words (the result in one line) | both |
| answered | lines: kept replies that were played | their owner |
| past | lines: kept replies dropped because the opponent's stone was another one | their owner |
| lapsed | lines: kept replies dropped because they can no longer be used | their owner |
| refused | line, why (one sentence) | its player |

`placed` tells a kept reply as it tells any other stone (ruling 10).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.ruleset import SeatName

ENDS = {
    "surround": "surrounded the black stone",
    "y": "formed a Y",
    "resigned": "the opponent resigned",
    "removed": "the opponent was taken out of the game",
    "forfeit": "the opponent missed too many deadlines",
    "agreed": "the players agreed to a draw",
    "full": "the board is full and nobody has won",
    "both-left": "both players gave up at once",
}
"""Every way a game can end, in words that fit after "red wins:" or "a draw:"."""


def reason(how: Iterable[str]) -> str:
    """Return how a game ended, in words."""
    return " and ".join(ENDS[key] for key in how)


def result_words(winners: Sequence[SeatName], how: Iterable[str]) -> str:
    return f"{winners[0]} wins: {reason(how)}" if winners else f"a draw: {reason(how)}"
