"""Converts lines as people write them to the words of a game's orders before they are parsed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_ARROW = re.compile(r"[-=]{1,4}>|[→⇒➔—–]")
_POLITE = frozenset(("please", "pls", "thanks", "thx"))


def spoken(text: str, *, signs: str = ".,!?:=/&+()>*") -> list[str]:
    """Return the words of a line in small letters, without courtesies; arrows, quotes and `signs` separate words."""
    text = _ARROW.sub(" ", text.lower().replace("’", "'"))
    text = text.translate(dict.fromkeys(map(ord, '"“”„«»' + signs), " "))
    return [word for word in text.split() if word not in _POLITE]


def joined(words: Sequence[str], pairs: Mapping[tuple[str, str], str]) -> list[str]:
    """Return words with each pair in `pairs` replaced by its one word."""
    found: list[str] = []
    for word in words:
        if found and (found[-1], word) in pairs:
            found[-1] = pairs[found[-1], word]
        else:
            found.append(word)
    return found
