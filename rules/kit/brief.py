"""What lines of a turn in brief are made of: lists in words, and wordings that fit the line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

MOST, LONGEST = 8, 76
"""Lines of a turn in brief, and signs on each."""


def listed(words: Sequence[str]) -> str:
    """Words as one says them: "red", "red and blue", "red, blue and green"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def sentence(text: str) -> str:
    """The text with a capital in front; the rest of it as it stands."""
    return text[:1].upper() + text[1:]


def fitting(*wordings: str) -> str:
    """The first of several wordings that fits a line, as a sentence; the last is cut at a word if none does."""
    chosen = next((each for each in wordings if len(each) <= LONGEST), wordings[-1])
    return sentence(textwrap.shorten(chosen, LONGEST, placeholder=" …"))


def shortened(news: Iterable[str], standing: Iterable[str]) -> list[str]:
    """The lines of a turn in brief: what happened, then how things stand; of too much news the last is left out."""
    stands = list(standing)
    return [*news][: MOST - len(stands)] + stands
