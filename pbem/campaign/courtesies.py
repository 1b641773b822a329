"""What people write around their orders, as to a person: a greeting above them, thanks and a name below.

Such a line is left alone where it is nothing else: a game of free words, or an
order that begins so, comes first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pbem.ruleset.order_types import Parsed
from pbem.ruleset.tokenizer import split_words

_GREETING = re.compile(r"(?:hi|hello|hey|hallo|dear|good (?:morning|day|afternoon|evening))(?: [a-z]++){0,3}+")
_CLOSING = re.compile(
    r"(?:(?:many|kind|best|warm|with|all the) ){0,2}+"
    r"(?:thanks|thank you|thx|cheers|regards|wishes|best|greetings|bye|yours|good luck|have fun|see you)"
    r"(?: [a-z]++){0,3}+"
)
_NAME = re.compile(r"[a-z]++(?: [a-z]++){0,2}+")
_MARKS = re.compile(r"[^\w\s]++|_")
_MOST_NAMES = 2
_LONGEST = 60


def without_courtesies(parsed: Parsed, lines: Sequence[tuple[int, str]]) -> tuple[Parsed, tuple[str, ...]]:
    """A sheet's reading without complaints about its courtesies, and what to note of them.

    Where nothing is ordered they stay: "Thanks, nice game" alone is no sheet that orders nothing.
    """
    left = _around(lines) & _refused(parsed) if parsed.entries else frozenset()
    if not left:
        return parsed, ()
    kept = tuple(finding for finding in parsed.findings if finding.line not in left)
    said = ", ".join(repr(line.strip()) for number, line in lines if number in left)
    return replace(parsed, findings=kept), (f"Read as words to a person, and left alone: {said}.",)


def _refused(parsed: Parsed) -> set[int]:
    """The lines that are nothing at all, and are not like anything either."""
    taken = {entry.line for entry in parsed.entries}
    near = {finding.line for finding in parsed.findings if finding.hint.startswith("did you mean")}
    return {finding.line for finding in parsed.errors} - taken - near


def _around(lines: Sequence[tuple[int, str]]) -> frozenset[int]:
    """The numbers of the lines that would be a greeting at the top, or a closing and a name at the end."""
    said = [(number, _bare(line)) for number, line in lines if split_words(line)]
    first = {number for number, words in said[:1] if _GREETING.fullmatch(words)}
    return frozenset(first | _last(said))


def _last(said: Sequence[tuple[int, str]]) -> set[int]:
    """Of the lines that say something: those from the closing on, if nothing but names follows it."""
    closed, names = set[int](), list[int]()
    for number, words in reversed(said):
        if _CLOSING.fullmatch(words):
            closed.update((number, *names))
            names.clear()
        elif len(names) < _MOST_NAMES and _NAME.fullmatch(words):
            names.append(number)
        else:
            break
    return closed


def _bare(line: str) -> str:
    """A line's words in small letters, without marks; one that is long is none of these."""
    return " ".join(_MARKS.sub(" ", line[:_LONGEST]).lower().split()) if len(line) <= _LONGEST else "-"
