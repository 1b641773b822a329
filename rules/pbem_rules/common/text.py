"""Converts lines as people write them to the words of a game's orders before they are parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import OrderParser

LONGEST = 500
"""Characters of a line; a longer one goes unchanged to the order parser, which refuses it."""

# Up to the first ; or # outside of quotes; a # within a word, such as C#3, begins no remark.
_REMARK = re.compile(r'(?:"[^"]*+"?|[^";#]|(?<=\S)#)*+')
_ARROW = re.compile(r"[-=]{1,4}>|[→⇒➔—–]")
_POLITE = frozenset(("please", "pls", "thanks", "thx"))


@dataclass(frozen=True, kw_only=True)
class SpokenBook(OrderParser):
    """Order parser that first converts each line to the words of its orders, by the game's `plainly`.

    `plainly` returns a line unchanged if it knows nothing better, and may raise FieldError.
    """

    plainly: Callable[[str, Mapping[str, Any]], str]

    def _read(self, line: str, view: Mapping[str, Any]) -> Any:
        return super()._read(line if len(line) > LONGEST else self.plainly(line, view), view)


def parted(line: str) -> tuple[str, str]:
    """Return a line and the remark behind it, which includes its first sign."""
    end = _REMARK.match(line).end()  # type: ignore[union-attr]  # it matches anything, if only nothing
    return line[:end], line[end:]


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
