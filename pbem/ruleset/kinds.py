"""Kinds: what a field of an order may hold, how a player writes it, and what he is told of what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset.forms import Choice, Form, Free, Number
from pbem.ruleset.hints import suggest

ContextView = Mapping[str, Any]

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_TIMES = re.compile(r"[x×*]?([0-9]{1,9})|([0-9]{1,9})[x×*]", re.IGNORECASE)
_NUMERALS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


class Refused(Exception):
    """A word a kind cannot read: `code` is stable, `text` and `hint` are for the player.

    A hint that costs much to find may be given as a function.
    """

    def __init__(self, code: str, text: str, hint: str | Callable[[], str] = "") -> None:
        super().__init__(text)
        self.code, self.text, self._hint = code, text, hint

    @property
    def hint(self) -> str:
        """What the player might do instead, or ""."""
        if callable(self._hint):
            self._hint = self._hint()
        return self._hint


class Kind:
    """What a field of an order may hold, and how a player writes it.

    `shown` stands for it in usage lines, `expected` in findings ("one of your
    ships"), `example` in the reference. `glue` is what may join several words to
    one for this kind: "," for coordinates, so that `(3,-2)`, `3,-2` and `3 -2`
    are all read as "3,-2"; "/" for a list that is one word, so that
    `R1, R2 and R3` is read as "R1/R2/R3".
    """

    shown: str
    expected: str
    example: str
    glue: str = ""

    def read(self, word: str, view: ContextView) -> Any:
        """The value of a word as typed. Raises Refused."""
        raise NotImplementedError

    def spare(self, word: str, view: ContextView) -> tuple[Any, tuple[Refused, ...]]:
        """As `read`, of a word that is a list of which bad items may be dropped: what is left, and why not the rest."""
        return self.read(word, view), ()

    def write(self, value: Any) -> str:
        """The word that reads as this value."""
        return str(value)

    def samples(self, view: ContextView) -> Sequence[str]:
        """Words this kind can read, given the view; for hints and random sheets."""
        raise NotImplementedError

    def form(self, view: ContextView) -> Form:
        """What a page offers for it, given the view: a typed word, with the samples at hand."""
        return Free(tuple(self.samples(view)))

    def longest(self, view: ContextView) -> int:
        """The most words that a name of this kind has, where names have blanks."""
        return 1


@dataclass(frozen=True)
class Word(Kind):
    """One of a few fixed words; read without regard to case, written as declared."""

    words: tuple[str, ...]
    expected: str = ""
    shown: str = ""
    example: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", self.expected or "one of " + ", ".join(self.words))
        object.__setattr__(self, "shown", self.shown or "|".join(self.words))
        object.__setattr__(self, "example", self.example or self.words[0])

    def read(self, word: str, view: ContextView) -> str:
        return choose(word, self.words, self.expected)

    def samples(self, view: ContextView) -> Sequence[str]:
        return self.words

    def form(self, view: ContextView) -> Form:
        return Choice(self.words)

    def longest(self, view: ContextView) -> int:
        return _longest(self.words)


@dataclass(frozen=True)
class Listed(Kind):
    """One of the names a view lists, such as the reader's own ships."""

    shown: str
    expected: str
    example: str
    names: Callable[[ContextView], Sequence[str]]

    def read(self, word: str, view: ContextView) -> str:
        return choose(word, self.names(view), self.expected)

    def samples(self, view: ContextView) -> Sequence[str]:
        return self.names(view)

    def form(self, view: ContextView) -> Form:
        return Choice(tuple(self.names(view)))

    def longest(self, view: ContextView) -> int:
        return _longest(self.names(view))


def _longest(names: Sequence[str]) -> int:
    return max((name.count(" ") + 1 for name in names), default=1)


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number within bounds; small ones may be written out, and repeats as 3x or x3."""

    low: int
    high: int
    shown: str = "number"
    expected: str = ""
    example: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "expected", self.expected or f"a whole number from {self.low} to {self.high}")
        object.__setattr__(self, "example", self.example or str(self.low))

    def read(self, word: str, view: ContextView) -> int:
        return bounded(word, self.low, self.high, self.expected)

    def samples(self, view: ContextView) -> Sequence[str]:
        return sorted({str(self.low), str((self.low + self.high) // 2), str(self.high)})

    def form(self, view: ContextView) -> Form:
        return Number(self.low, self.high)


def bounded(word: str, low: int, high: int, expected: str, *, none: str = "none is possible now") -> int:
    """The number of a word, if it is within bounds; `none` is told where they leave nothing. Raises Refused."""
    number = _number(word)
    if number is None:
        raise Refused("not-a-number", f"expected {expected}, got {word!r}")
    if high < low or low <= high == 0 < number:
        raise Refused("out-of-bounds", f"{none}, got {word}", "leave this line out")
    if not low <= number <= high:
        nearest = low if number < low else high
        raise Refused("out-of-bounds", f"expected {expected}, got {word}", f"the nearest is {nearest}")
    return number


def _number(word: str) -> int | None:
    if _WHOLE.fullmatch(word):
        return int(word)
    times = _TIMES.fullmatch(word)
    if times:
        return int(times[1] or times[2])
    return _NUMERALS.index(word.lower()) if word.lower() in _NUMERALS else None


def choose(word: str, names: Sequence[str], expected: str) -> str:
    """The one name meant by a word: the same but for case, or its only beginning, or its plural. Raises Refused."""
    wanted = word.casefold()
    starts = []
    for name in names:
        folded = name.casefold()
        if folded == wanted:
            return name
        if wanted and folded.startswith(wanted):
            starts.append(name)
    if len(starts) == 1:
        return starts[0]
    if starts:
        raise Refused("ambiguous", f"{word!r} could be {either(starts)}", "write it in full")
    one = _of_plural(wanted, names)
    if one:
        return one
    raise Refused("unknown-name", f"expected {expected}, got {word!r}", lambda: suggest(word, names))


def _of_plural(wanted: str, names: Sequence[str]) -> str | None:
    """The name of which a word is the plural; a name of few letters or with a number has none."""
    singular = {wanted.removesuffix(end) + put for end, put in _PLURALS if wanted.endswith(end)}
    meant = [name for name in names if name.casefold() in singular and len(name) > 2 and name.isalpha()]
    return meant[0] if len(meant) == 1 else None


_PLURALS = (("s", ""), ("es", ""), ("ies", "y"))


def either(names: Sequence[str]) -> str:
    """Some names, of which one may be meant: "A, B or C"."""
    shown = list(names[:6]) + (["others"] if len(names) > 6 else [])
    return ", ".join(shown[:-1]) + " or " + shown[-1]
