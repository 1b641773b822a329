"""A turn in brief, for any game: lines that fit a mail program's list, and lists cut short in words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

LINES, SIGNS = 8, 76
"""Lines of a turn in brief, and signs on each, as the contract of rulesets has them."""

MOST_NAMES = 3
"""Names told of a list; of more, the rest is a number."""


def fitting(*wordings: str) -> str:
    """The first of several wordings that fits a line, as a sentence; the last is cut at a word if none does."""
    return sentence(cut(next((each for each in wordings if len(each) <= SIGNS), wordings[-1]), SIGNS))


def cut(text: str, most: int) -> str:
    """The words of a text a blank apart, and of a longer one no more than fit into so many signs, with " …" behind."""
    words = " ".join(text.split())
    return words if len(words) <= most else textwrap.shorten(words, most, placeholder=" …", break_on_hyphens=False)


def fitted(lines: Iterable[str]) -> list[str]:
    """The first lines that say anything, each cut at a word where it is too long."""
    return [fitting(line) for line in lines if line][:LINES]


def shortened(news: Iterable[str], standing: Iterable[str]) -> list[str]:
    """The lines of a turn in brief: what happened, then how things stand; of too much news the last is left out."""
    stands = list(standing)
    return [*news][: LINES - len(stands)] + stands


def counted(number: int, one: str) -> str:
    """A number and what it counts: "1 unit", "3 units"."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Words as one says them: "red", "red and blue", "red, blue and green"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def named(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Names in words, the first of many and how many more: "bob, cyd and 4 more"."""
    return listed(list(names) if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"])


def sentence(text: str) -> str:
    """The text with a capital in front; the rest of it as it stands."""
    return text[:1].upper() + text[1:]
