"""Turn summaries and reports, for any game: lines that fit a list of mails, lists of names, groups of rows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

LINES, SIGNS = 5, 90
"""Headlines of a turn, and characters of each, as the ruleset protocol limits them."""

MOST_NAMES = 3
"""Names that are listed; of more, the rest is a number."""


def fitting(*wordings: str) -> str:
    """Return the first of several wordings that fits a line, as a sentence; if none does, the last, cut at a word."""
    return sentence(cut(next((each for each in wordings if len(each) <= SIGNS), wordings[-1]), SIGNS))


def cut(text: str, most: int) -> str:
    """Return a text with single blanks, cut at a word and ended by " …" if it is longer than `most`."""
    words = " ".join(text.split())
    return words if len(words) <= most else textwrap.shorten(words, most, placeholder=" …", break_on_hyphens=False)


def fitted(lines: Iterable[str]) -> list[str]:
    """Return the first lines that are not empty, each cut at a word if it is too long."""
    return [fitting(line) for line in lines if line][:LINES]


def shortened(news: Iterable[str], standing: Iterable[str]) -> list[str]:
    """Return the lines of a summary, news before standing; of too much news the last is left out."""
    stands = list(standing)
    return [*news][: LINES - len(stands)] + stands


def counted(number: int, one: str) -> str:
    """Return a number and its unit: "1 unit", "3 units"."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: "red", "red and blue", "red, blue and green"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def named(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return names as a list in a sentence, of many the first and a number: "bob, cyd and 4 more"."""
    return listed(list(names) if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"])


def sentence(text: str) -> str:
    """Return the text with a capital, the rest unchanged."""
    return text[:1].upper() + text[1:]


def grouped(rows: Iterable[Any], *keys: Any) -> list[tuple[Any, list[Any]]]:
    """Return rows in groups that have the same values of keys, sorted by these."""
    groups: dict[Any, list[Any]] = {}
    value = itemgetter(*keys)
    for row in rows:
        groups.setdefault(value(row), []).append(row)
    return sorted(groups.items(), key=itemgetter(0))
