"""Lines as people write them, put into the words of a game's orders before they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import OrderParser

LONGEST = 500
"""Signs of a line beyond which it is left to the order book, which refuses it."""

_REMARK = re.compile(r'(?:"[^"]*+"?|[^";#]|(?<=\S)#)*+')
_ARROW = re.compile(r"[-=]{1,4}>|[→⇒➔—–]")
_POLITE = frozenset(("please", "pls", "thanks", "thx"))


@dataclass(frozen=True, kw_only=True)
class SpokenBook(OrderParser):
    """An order book that puts each line into the words of its orders first, by what the game makes of it.

    `plainly` gives the line as it is where it knows nothing better, and may raise FieldError.
    """

    plainly: Callable[[str, Mapping[str, Any]], str]

    def _read(self, line: str, view: Mapping[str, Any]) -> Any:
        return super()._read(line if len(line) > LONGEST else self.plainly(line, view), view)


def parted(line: str) -> tuple[str, str]:
    """A line and the remark behind it, the sign that begins it included."""
    end = _REMARK.match(line).end()  # type: ignore[union-attr]  # it matches anything, if only nothing
    return line[:end], line[end:]


def spoken(text: str, *, signs: str = ".,!?:=/&+()>*") -> list[str]:
    """The words of a line in small letters: arrows, quotes and the signs given part them, courtesies go."""
    text = _ARROW.sub(" ", text.lower().replace("’", "'"))
    text = text.translate(dict.fromkeys(map(ord, '"“”„«»' + signs), " "))
    return [word for word in text.split() if word not in _POLITE]


def joined(words: Sequence[str], pairs: Mapping[tuple[str, str], str]) -> list[str]:
    """Words with those pairs that stand for one put together."""
    found: list[str] = []
    for word in words:
        if found and (found[-1], word) in pairs:
            found[-1] = pairs[found[-1], word]
        else:
            found.append(word)
    return found
