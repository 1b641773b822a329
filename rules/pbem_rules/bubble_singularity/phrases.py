"""Words of a line: repetition by numbers, filler words, lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pbem.ruleset import FieldError
from pbem_rules.bubble_singularity.grid import DIAGONALS, WAYS, step
from pbem_rules.bubble_singularity.vocabulary import CARDS, colour_of, count_of, space_of, way_of
from pbem_rules.common.text import joined, spoken

LITTLE = {
    *("i", "i'd", "i'll", "my", "the", "a", "an", "mari", "me", "it", "to", "at", "on", "in", "from", "of", "with"),
    *("by", "would", "like", "is", "for", "one", "ones", "card", "cards", "space", "spaces", "x"),
}
"""Filler words."""

BETWEEN = {",", "and", "then", "else", "or", "over", "rather", "than"}
"""Words that separate the items of a list."""

_AFTER = {"twice", "thrice"}
_PAIRS = {
    ("clock", "wise"): "clockwise",
    ("counter", "clockwise"): "counterclockwise",
    ("anti", "clockwise"): "anticlockwise",
    ("space", "folder"): "folder",
    ("bubble", "director"): "director",
    ("singularity", "attractor"): "attractor",
}
# Repetitions in these patterns are bounded: long words took time out of proportion.
_PARTING = re.compile(r"[,/&]|(?<!\w)\+(?=\s{0,9}\w)")
_COMPASS = re.compile(r"(north|south)-(east|west)")
_COUNTED = re.compile(r"([a-z]{1,12})([1-9])|([1-9])([a-z]{2,12}|[nesw])")


def asked_for(view: Mapping[str, Any]) -> list[str]:
    """Return what the reader is to choose from, all questions together."""
    question = view["question"]
    if question and question["seat"] == view["seat"]:
        return [word for asked in (question, *view.get("further", ())) for word in asked["choices"]]
    return list(view["players"][view["seat"]]["offer"])


def words_of(text: str) -> list[str]:
    """Split a line into words; commas and their equivalents become one token."""
    text = _COMPASS.sub(r"\1\2", text.lower())
    text = _PARTING.sub(" , ", text).replace("'s", "")
    words = [word for word in spoken(text, signs=".!?:=()>*") if word != "-"]
    parts = [part for word in words for part in word.split("-") if part]
    return joined(joined(parts, _PAIRS), _PAIRS)


def without(words: Iterable[str], *others: Iterable[str]) -> list[str]:
    left_out = {word for other in others for word in other}
    return [word for word in words if word not in left_out]


def _groups(words: Iterable[str]) -> list[list[str]]:
    groups: list[list[str]] = [[]]
    for word in words:
        if word in BETWEEN:
            groups.append([])
        elif word not in LITTLE:
            groups[-1].append(word)
    return [group for group in groups if group]


def _repeated(group: Sequence[str]) -> list[str]:
    """Repeat the words of a group as numbers before or after them say. Raise FieldError where both may be meant."""
    counts = [count_of(word) for word in group]
    plain = [count for word, count in zip(group, counts, strict=True) if word.isdecimal()]
    if plain and bool(counts[0]) == bool(counts[-1]) and len(group) > 1:
        raise FieldError("ambiguous", "a number stands between two words", "repeat the words instead, such as W W N")
    found: list[str] = []
    pending = 1
    for word, count in zip(group, counts, strict=True):
        if count and found and (word[0] == "x" or word in _AFTER or not counts[0]):
            # "W twice" and "W 2" repeat the word before, "2 W" the word after.
            found += [found[-1]] * (count - 1)
        elif count:
            pending = count
        else:
            found += [word] * pending
            pending = 1
    return found


def listed(words: Iterable[str]) -> list[str]:
    """Return all words of a list, repeated as its numbers say."""
    apart = [part for word in words for part in unfolded(word)]
    return [word for group in _groups(apart) for word in _repeated(group)]


def unfolded(word: str) -> list[str]:
    """Return a word as often as a number attached to it says: "w2", "2west"."""
    found = None if count_of(word) else _COUNTED.fullmatch(word)
    base = (found[1] or found[4]) if found else ""
    return [base] * int(found[2] or found[3]) if found and (way_of(base) or colour_of(base) in base) else [word]


def way_between(start: str, end: str, view: Mapping[str, Any]) -> str:
    if start not in view["spaces"]:
        return ""
    return next((way for way in (*WAYS, *DIAGONALS) if step(start, way, view["size"]) == end), "")


def to_way(said: Sequence[str], view: Mapping[str, Any]) -> str:
    """Return the direction of two words, of which the second is one or the space that it leads to."""
    return way_of(said[1]) or way_between(space_of(said[0]), space_of(said[1]), view) or said[1]


def title_of(words: Sequence[str]) -> str:
    return CARDS.get(" ".join(words), "") if len(words) == 2 else ""


def turned_round(words: list[str], leads: Callable[[str], bool]) -> list[str]:
    """Swap the words of each pair if those that lead all stand second."""
    second = [leads(word) for word in words[1::2]]
    if len(words) % 2 or not all(second) or any(map(leads, words[::2])):
        return words
    return [word for pair in zip(words[1::2], words[::2], strict=True) for word in pair]
