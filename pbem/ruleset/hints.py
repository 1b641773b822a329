"""The word that a player probably meant, for the hints of findings.

A hint is for slips of the pen. What may well be another word, name or direction
is not offered in its place: of two ids that differ in a digit each is
somebody's ship, and EAST is no slip for WEST.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence

MOST_COMPARED = 200
"""Names that a word is compared with to find the nearest."""

FEW = 8
"""Names that are all listed where none is near."""

LONGEST_WORD = 60

_EXACT = re.compile(r"[0-9]+|[+-](?=[0-9]|$)")
"""Parts that no slip changes: numbers, and the signs of levels and vectors."""

_CODE = re.compile(r"[^\W\d_]{0,2}[0-9].*")
_COMPASS = re.compile(r"[nesw]{1,4}|(?:north|south|east|west)+")
_UNDOING = ("un", "dis", "de", "non", "in")


def suggest(word: str, names: Sequence[str]) -> str:
    """A hint with the nearest valid name, or with all of them where none is near and they are few."""
    near = nearest(word, names)
    if near:
        return f"did you mean {near}?"
    if not names:
        return "there is none now"
    if len(names) <= FEW:
        return "possible: " + ", ".join(names)
    return ""


def nearest(word: str, names: Sequence[str]) -> str | None:
    """The name of which a word is a slip of the pen, or the beginning of no other; None if there is none such."""
    folded = {name.casefold(): name for name in reversed(names)}
    wanted = word.casefold()
    if len(wanted) < 2 or len(wanted) > LONGEST_WORD:
        return None
    starts = [name for name in folded if name.startswith(wanted)]
    if starts:
        return folded[starts[0]] if len(starts) == 1 else None
    # Of thousands of names only those that begin and end most like the word: a sheet may hold many bad words.
    likely = heapq.nlargest(MOST_COMPARED, folded, key=lambda name: _ends_alike(wanted, name))
    slips = [(count, place) for place, name in enumerate(likely) if (count := _slips(wanted, name))]
    return folded[likely[min(slips)[1]]] if slips else None


def _slips(word: str, name: str) -> int:
    """How many letters were mistyped if a word is meant for a name; 0 if it is not."""
    most = 2 if min(len(word), len(name)) >= 8 else 1
    if abs(len(word) - len(name)) > most or _differ(word, name):
        return 0
    if max(len(word), len(name)) < 4 and not (len(word) == 3 and sorted(word) == sorted(name)):
        return 0
    count = _mistyped(word, name)
    return count if count <= most else 0


def _differ(word: str, name: str) -> bool:
    """Whether two words look alike and yet cannot stand for each other."""
    codes = _CODE.fullmatch(word) or _CODE.fullmatch(name)
    compass = _COMPASS.fullmatch(word) or _COMPASS.fullmatch(name)
    short, long = sorted((word, name), key=len)
    undone = any(long == prefix + short for prefix in _UNDOING)
    return bool(codes or compass or undone or _EXACT.findall(word) != _EXACT.findall(name))


def _mistyped(one: str, other: str) -> int:
    """Letters left out, put in, changed, or swapped with a neighbour (the distance of Damerau and Levenshtein)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and (a, one[i - 2]) == (other[j - 2], b):
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]


def _ends_alike(one: str, other: str) -> int:
    """How many signs two words have in common at their beginning and at their end."""
    return _alike(one, other) + _alike(one[::-1], other[::-1])


def _alike(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
