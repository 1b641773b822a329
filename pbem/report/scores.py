"""A seat's scores over the turns, as a line of its report."""

from __future__ import annotations

from typing import NamedTuple

from pbem.ruleset.values import Json

SHOWN = 12
"""Scores told, the last ones."""

_BARS = "▁▂▃▄▅▆▇█"


class ScoresTold(NamedTuple):
    """Scores in words, and as bars of one sign each."""

    text: str
    bars: str


def tell_scores(scores: Json) -> ScoresTold | None:
    """The last of the `scores` that a view remembers; None if there is nothing to compare."""
    turns = scores["turns"][-SHOWN:] if scores else []
    if len(turns) < 2:
        return None
    numbers, values = [number for number, _ in turns], [value for _, value in turns]
    told = ", ".join(map(str, values))
    return ScoresTold(f"Your {scores['of']} by {scores['by']}, {_which(numbers)}: {told}.", _bars(values))


def _which(numbers: list[int]) -> str:
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _bars(values: list[int]) -> str:
    least, span = min(values), max(values) - min(values)
    return "".join(_BARS[(value - least) * (len(_BARS) - 1) // span if span else 0] for value in values)
