"""Turn summaries and reports, for any game: headlines that fit a list of mails, lists of names, groups of rows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from pbem.ruleset import Loss, SeatName, View

LINES, SIGNS = 5, 90
"""Headlines of a report, and characters of each, as the ruleset protocol limits them."""

MOST_NAMES = 3
"""Names that are listed; of more, the rest is a number."""


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


def events_of(view: View, *kinds: str) -> list[dict[str, Any]]:
    """Return the events of some kinds in a view, in their order."""
    return [event for event in view["events"] if event["kind"] in kinds]


def you_or_seat(view: View, seat: SeatName) -> str:
    """Return "you" for the reader's own seat, and the name of any other."""
    return "you" if seat == view["seat"] else seat


def cut(text: str, most: int) -> str:
    """Return a text with single blanks, cut at a word and ended by " …" if it is longer than `most`."""
    words = " ".join(text.split())
    return words if len(words) <= most else textwrap.shorten(words, most, placeholder=" …", break_on_hyphens=False)


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
