"""Headlines of a turn, for any game: at most five, none cut within a sentence, those of a loss marked as such."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.ruleset import Loss
from pbem_rules.common.summary import cut, sentence

LINES, SIGNS = 5, 90
"""Headlines of a report, and characters of each, as the ruleset protocol limits them."""


def headline(*wordings: str, bad: bool = False) -> str:
    """Return the first of several wordings that fits, as a sentence; if none does, the last, cut at a word.

    With `bad` it is the headline of a loss.
    """
    text = sentence(cut(next((each for each in wordings if len(each) <= SIGNS), wordings[-1]), SIGNS))
    return Loss(text) if bad else text


def headlines(news: Iterable[str], standing: Iterable[str]) -> list[str]:
    """Return news and, below them, what each report tells; of too much news the last is left out."""
    stands = list(standing)
    return [*[*news][: LINES - len(stands)], *stands]
