"""Fields of typed orders, and the patterns from which a page can offer values for them.

A pattern is a frozen value with a `to_json`; `offers` lists the values that a
page can offer. A field may read more than its pattern accepts, such as other
forms of a name, and reads all that the pattern offers. Case does not count.

Hints correct typing errors only. A value that may well be another word, name or
direction is not suggested: two ids that differ in one digit may both be ships,
and EAST is no misspelling of WEST.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class Pattern:
    """What a word may be."""

    def to_json(self) -> dict[str, Any]:
        """The form as JSON data, with its `type`."""
        raise NotImplementedError

    def offers(self) -> Sequence[str]:
        """Words of this form, all of them or some."""
        raise NotImplementedError


@dataclass(frozen=True)
class ChoicePattern(Pattern):
    """One of some words; of none, if nothing is possible now.

    JSON: `{"type": "choice", "values": ["R101", "R205"]}`
    """

    values: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"type": "choice", "values": list(self.values)}

    def offers(self) -> Sequence[str]:
        return self.values


@dataclass(frozen=True)
class NumberPattern(Pattern):
    """A whole number within bounds, both included; where they leave none, nothing is possible now.

    JSON: `{"type": "number", "low": 0, "high": 9}`
    """

    low: int
    high: int

    def to_json(self) -> dict[str, Any]:
        return {"type": "number", "low": self.low, "high": self.high}

    def offers(self) -> Sequence[str]:
        if self.high < self.low:
            return ()
        return tuple(dict.fromkeys(map(str, (self.low, (self.low + self.high) // 2, self.high))))


@dataclass(frozen=True)
class RepeatedPattern(Pattern):
    """One word made of `least` or more of another form, with `glue` between them.

    JSON: `{"type": "several", "glue": "/", "least": 1, "of": form}`
    """

    of: Pattern
    glue: str
    least: int = 1

    def to_json(self) -> dict[str, Any]:
        return {"type": "several", "glue": self.glue, "least": self.least, "of": self.of.to_json()}

    def offers(self) -> Sequence[str]:
        words = self.of.offers()
        counts = dict.fromkeys(range(self.least, min(len(words), self.least + 1) + 1))
        return tuple(self.glue.join(words[:count]) for count in counts)


@dataclass(frozen=True)
class AnyOfPattern(Pattern):
    """A word of any of some forms.

    JSON: `{"type": "either", "of": [form, form]}`
    """

    of: tuple[Pattern, ...]

    def to_json(self) -> dict[str, Any]:
        return {"type": "either", "of": [form.to_json() for form in self.of]}

    def offers(self) -> Sequence[str]:
        return tuple(word for form in self.of for word in form.offers())


@dataclass(frozen=True)
class SequencePattern(Pattern):
    """Of a field of many words: one of each form in turn, round and round, and no round left unfinished.

    JSON: `{"type": "in-turn", "of": [form, form]}`
    """

    of: tuple[Pattern, ...]

    def to_json(self) -> dict[str, Any]:
        return {"type": "in-turn", "of": [form.to_json() for form in self.of]}

    def offers(self) -> Sequence[str]:
        return tuple(word for form in self.of for word in form.offers())


@dataclass(frozen=True)
class FreePattern(Pattern):
    """A word to be typed; `samples` are some.

    `pattern` is a regular expression for the whole word, which Python and
    JavaScript read alike; "" for any word. What is `verbatim` is all that stands
    from there to the end of the line, blanks, commas and quotes as they are typed.

    JSON: `{"type": "free", "pattern": "", "samples": ["A1"], "verbatim": false}`
    """

    samples: tuple[str, ...]
    pattern: str = ""
    verbatim: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"type": "free", "pattern": self.pattern, "samples": list(self.samples), "verbatim": self.verbatim}

    def offers(self) -> Sequence[str]:
        return self.samples


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
    likely = heapq.nlargest(
        MOST_COMPARED,
        folded,
        key=lambda name: _common_prefix(wanted, name) + _common_prefix(wanted[::-1], name[::-1]),
    )
    slips = [(count, place) for place, name in enumerate(likely) if (count := _count_slips(wanted, name))]
    return folded[likely[min(slips)[1]]] if slips else None


def _count_slips(word: str, name: str) -> int:
    """How many letters were mistyped if a word is meant for a name; 0 if it is not."""
    most = 2 if min(len(word), len(name)) >= 8 else 1
    if abs(len(word) - len(name)) > most or _are_distinct(word, name):
        return 0
    if max(len(word), len(name)) < 4 and not (len(word) == 3 and sorted(word) == sorted(name)):
        return 0
    count = _edit_distance(word, name)
    return count if count <= most else 0


def _are_distinct(word: str, name: str) -> bool:
    """Whether two words look alike and yet cannot stand for each other."""
    codes = _CODE.fullmatch(word) or _CODE.fullmatch(name)
    compass = _COMPASS.fullmatch(word) or _COMPASS.fullmatch(name)
    short, long = sorted((word, name), key=len)
    undone = any(long == prefix + short for prefix in _UNDOING)
    return bool(codes or compass or undone or _EXACT.findall(word) != _EXACT.findall(name))


def _edit_distance(one: str, other: str) -> int:
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


def _common_prefix(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


ContextView = Mapping[str, Any]

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_TIMES = re.compile(r"[x×*]?([0-9]{1,9})|([0-9]{1,9})[x×*]", re.IGNORECASE)
_NUMERALS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


class FieldError(Exception):
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


class Field:
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
        """The value of a word as typed. Raises FieldError."""
        raise NotImplementedError

    def spare(self, word: str, view: ContextView) -> tuple[Any, tuple[FieldError, ...]]:
        """As `read`, of a word that is a list of which bad items may be dropped: what is left, and why not the rest."""
        return self.read(word, view), ()

    def write(self, value: Any) -> str:
        """The word that reads as this value."""
        return str(value)

    def samples(self, view: ContextView) -> Sequence[str]:
        """Words this kind can read, given the view; for hints and random sheets."""
        raise NotImplementedError

    def form(self, view: ContextView) -> Pattern:
        """What a page offers for it, given the view: a typed word, with the samples at hand."""
        return FreePattern(tuple(self.samples(view)))

    def longest(self, view: ContextView) -> int:
        """The most words that a name of this kind has, where names have blanks."""
        return 1


@dataclass(frozen=True)
class KeywordField(Field):
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
        return match_name(word, self.words, self.expected)

    def samples(self, view: ContextView) -> Sequence[str]:
        return self.words

    def form(self, view: ContextView) -> Pattern:
        return ChoicePattern(self.words)

    def longest(self, view: ContextView) -> int:
        return _most_words(self.words)


@dataclass(frozen=True)
class NameField(Field):
    """One of the names a view lists, such as the reader's own ships."""

    shown: str
    expected: str
    example: str
    names: Callable[[ContextView], Sequence[str]]

    def read(self, word: str, view: ContextView) -> str:
        return match_name(word, self.names(view), self.expected)

    def samples(self, view: ContextView) -> Sequence[str]:
        return self.names(view)

    def form(self, view: ContextView) -> Pattern:
        return ChoicePattern(tuple(self.names(view)))

    def longest(self, view: ContextView) -> int:
        return _most_words(self.names(view))


def _most_words(names: Sequence[str]) -> int:
    return max((name.count(" ") + 1 for name in names), default=1)


@dataclass(frozen=True)
class IntegerField(Field):
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
        return parse_bounded(word, self.low, self.high, self.expected)

    def samples(self, view: ContextView) -> Sequence[str]:
        return sorted({str(self.low), str((self.low + self.high) // 2), str(self.high)})

    def form(self, view: ContextView) -> Pattern:
        return NumberPattern(self.low, self.high)


def parse_bounded(word: str, low: int, high: int, expected: str, *, none: str = "none is possible now") -> int:
    """The number of a word, if it is within bounds; `none` is told where they leave nothing. Raises FieldError."""
    number = _parse_number(word)
    if number is None:
        raise FieldError("not-a-number", f"expected {expected}, got {word!r}")
    if high < low or low <= high == 0 < number:
        raise FieldError("out-of-bounds", f"{none}, got {word}", "leave this line out")
    if not low <= number <= high:
        nearest = low if number < low else high
        raise FieldError("out-of-bounds", f"expected {expected}, got {word}", f"the nearest is {nearest}")
    return number


def _parse_number(word: str) -> int | None:
    if _WHOLE.fullmatch(word):
        return int(word)
    times = _TIMES.fullmatch(word)
    if times:
        return int(times[1] or times[2])
    return _NUMERALS.index(word.lower()) if word.lower() in _NUMERALS else None


def match_name(word: str, names: Sequence[str], expected: str) -> str:
    """The one name meant by a word: the same but for case, or its only beginning, or its plural. Raises FieldError."""
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
        raise FieldError("ambiguous", f"{word!r} could be {list_names(starts)}", "write it in full")
    one = _match_plural(wanted, names)
    if one:
        return one
    raise FieldError("unknown-name", f"expected {expected}, got {word!r}", lambda: suggest(word, names))


def _match_plural(wanted: str, names: Sequence[str]) -> str | None:
    """The name of which a word is the plural; a name of few letters or with a number has none."""
    singular = {wanted.removesuffix(end) + put for end, put in _PLURALS if wanted.endswith(end)}
    meant = [name for name in names if name.casefold() in singular and len(name) > 2 and name.isalpha()]
    return meant[0] if len(meant) == 1 else None


_PLURALS = (("s", ""), ("es", ""), ("ies", "y"))


def list_names(names: Sequence[str]) -> str:
    """Some names, of which one may be meant: "A, B or C"."""
    shown = list(names[:6]) + (["others"] if len(names) > 6 else [])
    return ", ".join(shown[:-1]) + " or " + shown[-1]
