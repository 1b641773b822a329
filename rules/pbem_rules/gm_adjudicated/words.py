"""A player's own words: the one type of order that is stored, and fields whose words no list has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pbem.ruleset import Field, FieldError, FreePattern, Order, Pattern
from pbem_rules.gm_adjudicated.text import one_line

LONGEST_WORD = 60


@dataclass(frozen=True)
class RestOfLine(Field):
    """Any words up to the end of the line, with every comma and quote."""

    shown: str = "your words"
    expected: str = "words of your own"
    example: str = "the fleet lies off Naxos and lets nobody out"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        return word

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return [*(entry["verb"].lower() for entry in view["verbs"]), "the", "fleet", "waits,", "at", "Naxos;", '"now"']

    def form(self, view: Mapping[str, Any]) -> Pattern:
        return FreePattern((self.example,), verbatim=True)


@dataclass(frozen=True)
class AnyWord(Field):
    """One word, or several in quotes."""

    shown: str
    expected: str = "a word"
    example: str = "Lucia"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        told = one_line(word)
        if not 0 < len(told) <= LONGEST_WORD:
            raise FieldError("bad-word", f"a word has 1 to {LONGEST_WORD} characters here")
        return told

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return [self.example, "the abbot"]


@dataclass(frozen=True, slots=True)
class Line(Order):
    """Say what you want done, in your own words; the word SAY itself may be left out."""

    usage = "SAY text..."
    text: Annotated[str, RestOfLine()]

    def words(self) -> str:
        return self.text
