"""A player at a page: lines put together from the data of a desk alone, and whether a line could have been."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.ruleset.dice import Dice
from pbem.ruleset.order_types import Order, Verb, arguments
from pbem.ruleset.tokenizer import quoted
from pbem.ruleset.values import Json, View

MOST_CHOSEN = 3
"""Words that are put into a field of many, and into a word made of several."""


_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")


class NothingToChoose(Exception):
    """A field for which a page has nothing to offer now."""


class Line(NamedTuple):
    """A line put together for an order of some name, and the words that were chosen for each field."""

    order: str
    text: str
    chosen: Mapping[str, Sequence[str]]


def lines(desk: Json, dice: Dice) -> Iterator[Line]:
    """Lines of each verb of a desk: the shortest, the longest, and some with any parts.

    A verb of which a field must be filled in, and cannot be, has none.
    """
    for verb in desk["verbs"]:
        for at, share in enumerate((0, 2, 1, 1)):
            hand = _Hand(desk["kinds"], dice.scoped(verb["name"], at), share)
            try:
                yield Line(verb["name"], " ".join(hand.words(verb["parts"])), hand.chosen)
            except NothingToChoose:
                continue


class _Hand:
    """Fills in the parts of one line; of what may be left out `share` halves are written."""

    def __init__(self, kinds: Json, dice: Dice, share: int) -> None:
        self.chosen: dict[str, list[str]] = {}
        self._kinds, self._dice, self._share, self._drawn = kinds, dice, share, 0

    def words(self, parts: Sequence[Json]) -> list[str]:
        """The words of parts. Raises NothingToChoose."""
        return [word for part in parts for word in self._part(part)]

    def _part(self, part: Json) -> list[str]:
        if "word" in part:
            return [part["word"]]
        if "optional" not in part:
            form = self._kinds[part["kind"]]["form"]
            self.chosen[part["field"]] = words = self._many(form) if part["many"] else [self._word(form)]
            return [word if form.get("verbatim") else quoted(word) for word in words]
        if self._below(2) >= self._share:
            return []
        before = dict(self.chosen)
        try:
            return self.words(part["optional"])
        except NothingToChoose:
            self.chosen = before
            return []

    def _many(self, form: Json) -> list[str]:
        rounds = 1 + self._below(MOST_CHOSEN)
        forms = form["of"] if form["type"] == "in-turn" else [form]
        return [self._word(each) for _ in range(rounds) for each in forms]

    def _word(self, form: Json) -> str:
        if form["type"] == "several":
            count = form["least"] + self._below(MOST_CHOSEN)
            chosen = dict.fromkeys(self._word(form["of"]) for _ in range(count * MOST_CHOSEN))
            if len(chosen) < form["least"]:
                raise NothingToChoose
            return str(form["glue"].join(list(chosen)[:count]))
        if form["type"] in ("either", "in-turn"):
            return self._any(form["of"])
        if form["type"] == "number":
            if form["high"] < form["low"]:
                raise NothingToChoose
            return str(form["low"] + self._below(form["high"] - form["low"] + 1))
        return self._pick(form["values"] if form["type"] == "choice" else form["samples"])

    def _any(self, forms: Sequence[Json]) -> str:
        """A word of one of some forms, among those that offer anything."""
        first = self._below(len(forms))
        for form in (*forms[first:], *forms[:first]):
            try:
                return self._word(form)
            except NothingToChoose:
                continue
        raise NothingToChoose

    def _pick(self, words: Sequence[str]) -> str:
        if not words:
            raise NothingToChoose
        return words[self._below(len(words))]

    def _below(self, count: int) -> int:
        self._drawn += 1
        return self._dice.below(count, self._drawn)


def fits(form: Json, word: str) -> bool:
    """Whether a word, without regard to case, is one of a form, as far as a page can tell."""
    if form["type"] == "choice":
        return word.casefold() in (value.casefold() for value in form["values"])
    if form["type"] == "number":
        return bool(_INTEGER.fullmatch(word)) and form["low"] <= int(word) <= form["high"]
    if form["type"] == "several":
        parts = word.split(form["glue"])
        return len(parts) >= form["least"] and all(fits(form["of"], part) for part in parts)
    if form["type"] == "free":
        return not form["pattern"] or bool(re.fullmatch(form["pattern"], word, re.IGNORECASE))
    return any(fits(each, word) for each in form["of"])


def misread(verb: Verb, order: Order, line: Line, view: View) -> list[str]:
    """The fields of an order that are not what was chosen for them; what is made of free words is the game's matter."""
    found = []
    for part in arguments(verb.parts):
        kind, words = verb.kinds[part.name], line.chosen.get(part.name)
        if words is not None and not kind.form(view).to_json().get("verbatim"):
            meant = tuple(kind.read(word, view) for word in words)
            value = getattr(order, part.name)
            found += [f"{part.name}: {value}, not {meant}"] if value != (meant if part.many else meant[0]) else []
    return found


def missing(verb: Verb, order: Order, view: View) -> list[str]:
    """The words of an order that its forms do not let through, and why: "ship: R101"."""
    found = []
    for part in arguments(verb.parts):
        value = getattr(order, part.name)
        if value is not None and value != ():
            form = verb.kinds[part.name].form(view).to_json()
            words = map(verb.kinds[part.name].write, value if part.many else (value,))
            found += [f"{part.name}: {word}" for word in words if not fits(form, word)]
    return found
