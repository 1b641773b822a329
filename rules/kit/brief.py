"""A turn in brief, for any game: lines that fit a mail program's list, and names cut short in words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

LINES, SIGNS = 8, 76
"""Lines of a turn in brief, and signs on each, as the contract of rulesets has them."""

MOST_NAMES = 3
"""Names told of a list; of more, the rest is a number."""


def fitted(lines: Iterable[str]) -> list[str]:
    """The first lines that say anything, each cut at a word where it is too long."""
    told = [textwrap.shorten(line, SIGNS, placeholder=" …", break_on_hyphens=False) for line in lines if line]
    return told[:LINES]


def counted(number: int, one: str) -> str:
    """A number and what it counts: "1 unit", "3 units"."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def named(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Names in words, the first of many and how many more: "bob, cyd and 4 more"."""
    shown = list(names) if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def capital(text: str) -> str:
    """The text with a capital first, and the rest as it is."""
    return text[:1].upper() + text[1:]
