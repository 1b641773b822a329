"""WAIT and FINAL among the lines of a sheet: words for this program, in every game."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pbem.campaign.courtesies import Lines
from pbem.ruleset.tokenizer import split_words

_MAY_BE_HOST_WORD = re.compile("WAIT|FINAL")
_HOST_WORD = re.compile(
    r"(?:PLEASE )?(?:(WAIT)(?: (?:FOR|UNTIL|TILL) (?:THE )?DEADLINE)?|FINAL)"
    r"(?: (?:PLEASE|PLS|THANKS|THANK YOU|THX)){0,2}"
)
_MOST_OF_HOST_WORD = 8


def host_word(words: Sequence[str]) -> bool | None:
    """Return True for the words of a line that are WAIT, False for FINAL, alone or with "please", None for others."""
    if len(words) > _MOST_OF_HOST_WORD:
        return None
    found = _HOST_WORD.fullmatch(" ".join(word.upper().strip(".,!:") for word in words))
    return found[1] is not None if found else None


def split_host_words(lines: Iterable[tuple[int, str]]) -> tuple[Lines, bool | None]:
    """Return the lines of a sheet for the ruleset, and whether the last of the others says WAIT (True) or FINAL."""
    kept, said = list[tuple[int, str]](), None
    for number, line in lines:
        word = host_word(split_words(line)) if _MAY_BE_HOST_WORD.search(line.upper()) else None
        if word is None:
            kept.append((number, line))
        else:
            said = word
    return tuple(kept), said


def says_wait(line: str) -> bool:
    """Return True for a line of a sheet by which the turn is to wait for its deadline."""
    words = split_words(line)
    return host_word(words[-1:] if words[:1] and words[0].upper() == "ORDERS" else words) is True
