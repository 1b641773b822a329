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
    """Base class of patterns, which describe the words that a field can hold."""

    def to_json(self) -> dict[str, Any]:
        """Return the pattern as JSON data, with its `type`."""
        raise NotImplementedError

    def offers(self) -> Sequence[str]:
        """Return words that match the pattern, all of them or some."""
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
    """A whole number from `low` to `high`, both included; none is possible if `high` is less than `low`.

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
    """One word made of `least` or more words of another pattern, joined by `glue`.

    JSON: `{"type": "several", "glue": "/", "least": 1, "of": pattern}`
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
    """A word of any of several patterns.

    JSON: `{"type": "either", "of": [pattern, pattern]}`
    """

    of: tuple[Pattern, ...]

    def to_json(self) -> dict[str, Any]:
        return {"type": "either", "of": [form.to_json() for form in self.of]}

    def offers(self) -> Sequence[str]:
        return tuple(word for form in self.of for word in form.offers())


@dataclass(frozen=True)
class SequencePattern(Pattern):
    """In a list of words, one word of each pattern in turn, for any number of complete rounds.

    JSON: `{"type": "in-turn", "of": [pattern, pattern]}`
    """

    of: tuple[Pattern, ...]

    def to_json(self) -> dict[str, Any]:
        return {"type": "in-turn", "of": [form.to_json() for form in self.of]}

    def offers(self) -> Sequence[str]:
        return tuple(word for form in self.of for word in form.offers())


@dataclass(frozen=True)
class FreePattern(Pattern):
    """A word to be typed; `samples` are examples.

    `pattern` is a regular expression for the whole word that Python and JavaScript
    read alike; "" stands for any word. A `verbatim` field takes all that follows to
    the end of the line, with blanks, commas and quotes as typed.

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
"""The largest number of names that are all listed if none is near."""

LONGEST_WORD = 60

# No typing error changes these: numbers, and the signs of levels and vectors.
_EXACT = re.compile(r"[0-9]+|[+-](?=[0-9]|$)")

_CODE = re.compile(r"[^\W\d_]{0,2}[0-9].*")
# EAST is no typing error for WEST, nor N for NE.
_COMPASS = re.compile(r"[nesw]{1,4}|(?:north|south|east|west)+")
# LOCK and UNLOCK are two letters apart, and opposites.
_UNDOING = ("un", "dis", "de", "non", "in")


def suggest_name(word: str, names: Sequence[str], kind: str) -> str:
    """Return a hint as a sentence: the nearest valid name, or all of them as `kind`.

    >>> suggest_name("gren", ["red", "cyan", "green"], "Seats")
    'Did you mean green?'
    >>> suggest_name("x", ["red", "cyan"], "Seats")
    'Seats: red, cyan.'
    """
    if near := nearest(word, names):
        return f"Did you mean {near}?"
    return f"{kind}: {', '.join(names[:FEW]) or 'none'}{', ...' if len(names) > FEW else '.'}"


def suggest(word: str, names: Sequence[str]) -> str:
    """Return a hint with the nearest valid name, or with all names if none is near and they are few.

    The hint is "" if there are too many names to list.

    >>> suggest("lantrn", ["lantern", "cave"])
    'did you mean lantern?'
    >>> suggest("R102", ["R101", "R205"])
    'possible: R101, R205'
    """
    near = nearest(word, names)
    if near:
        return f"did you mean {near}?"
    if not names:
        return "there is none now"
    if len(names) <= FEW:
        return "possible: " + ", ".join(names)
    return ""


def nearest(word: str, names: Sequence[str]) -> str | None:
    """Return the name of which a word is a typing error or the unambiguous beginning; None if there is none."""
    folded = {name.casefold(): name for name in reversed(names)}
    wanted = word.casefold()
    # The distance takes time in proportion to the product of both lengths.
    if len(wanted) < 2 or len(wanted) > LONGEST_WORD:
        return None
    starts = [name for name in folded if name.startswith(wanted)]
    if starts:
        return folded[starts[0]] if len(starts) == 1 else None
    # Only the names with the longest common beginning and end: a sheet may have many bad words, a view 10,000 names.
    likely = heapq.nlargest(
        MOST_COMPARED,
        folded,
        key=lambda name: _common_prefix(wanted, name) + _common_prefix(wanted[::-1], name[::-1]),
    )
    slips = [(count, place) for place, name in enumerate(likely) if (count := _count_slips(wanted, name))]
    return folded[likely[min(slips)[1]]] if slips else None


def _count_slips(word: str, name: str) -> int:
    """Return the number of mistyped letters if a word is meant for a name, or 0 if it is not."""
    most = 2 if min(len(word), len(name)) >= 8 else 1
    if abs(len(word) - len(name)) > most or _are_distinct(word, name):
        return 0
    if max(len(word), len(name)) < 4 and not (len(word) == 3 and sorted(word) == sorted(name)):
        return 0
    count = _edit_distance(word, name)
    return count if count <= most else 0


def _are_distinct(word: str, name: str) -> bool:
    """Return True if two words look alike and yet cannot be meant for each other."""
    codes = _CODE.fullmatch(word) or _CODE.fullmatch(name)
    compass = _COMPASS.fullmatch(word) or _COMPASS.fullmatch(name)
    short, long = sorted((word, name), key=len)
    undone = any(long == prefix + short for prefix in _UNDOING)
    return bool(codes or compass or undone or _EXACT.findall(word) != _EXACT.findall(name))


def _edit_distance(one: str, other: str) -> int:
    """Return the Damerau-Levenshtein distance: letters left out, put in, changed, or swapped with a neighbour."""
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

# At most nine digits: the time of int() grows with the square of the length.
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_TIMES = re.compile(r"[x×*]?([0-9]{1,9})|([0-9]{1,9})[x×*]", re.IGNORECASE)
_NUMERALS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


_OFFERED = re.compile(r"did you mean (.{1,200}?)\?|the nearest is ([+-]?[0-9]{1,9})")
_NAMED = re.compile(r"'([^']++)'")
_PIECE = re.compile(r"[^\s,\";().!:/&]++")

LONGEST_SHOWN = 40
"""Characters of a word that a finding repeats."""


def show_word(word: str) -> str:
    """Return a word as findings name it: cut, printable, and in quotes if it has blanks or is empty.

    >>> show_word("BILD"), show_word("Red Star")
    ('BILD', "'Red Star'")
    """
    short = word if len(word) <= LONGEST_SHOWN else word[: LONGEST_SHOWN - 1] + "…"
    return short if short.isprintable() and short and " " not in short else repr(short)


class FieldError(Exception):
    """Raised by a field for a word that it cannot read.

    Args:
        code: A stable identifier in lower case, without blanks: "unknown-name".
        text: One printable line for the player.
        hint: The player's way out, on one line. If it is expensive to find, a function that returns it.
        word: The word that cannot be read, as typed. The hint "did you mean X?" offers X in its place.
    """

    def __init__(self, code: str, text: str, hint: str | Callable[[], str] = "", word: str = "") -> None:
        super().__init__(text)
        self.code, self.text, self._hint, self.word = code, text, hint, word

    @property
    def hint(self) -> str:
        """The suggestion for the player, or ""."""
        if callable(self._hint):
            self._hint = self._hint()
        return self._hint

    def correct(self, line: str) -> str:
        """Return the line with the word that the hint offers in place of the faulty one; "" if it offers none."""
        offered = _OFFERED.fullmatch(self.hint)
        quoted = _NAMED.search(self.text)
        word = self.word or (quoted[1] if quoted else "")
        meant = word.casefold()
        found = next((each for each in _PIECE.finditer(line) if each[0].casefold() == meant), None)
        return line[: found.start()] + (offered[1] or offered[2]) + line[found.end() :] if offered and found else ""


class Field:
    """Type of an argument of an order: how it is read, written, documented and offered on a page.

    `shown` is its name in usage lines, `expected` its name in findings ("R1 is not one
    of your ships"), `example` a word for the reference. `glue` joins several words to one:
    with "," for coordinates, `(3,-2)`, `3,-2` and `3 -2` are all read as "3,-2"; with
    "/" for a list in one word, `R1, R2 and R3` is read as "R1/R2/R3".
    """

    shown: str
    expected: str
    example: str
    glue: str = ""

    def read(self, word: str, view: ContextView) -> Any:
        """Return the value of a word.

        Args:
            word: The word as the player typed it.
            view: The view that was mailed to the player. Nothing else may decide whether a word is valid.

        Raises:
            FieldError: The word cannot be read.
        """
        raise NotImplementedError

    def spare(self, word: str, view: ContextView) -> tuple[Any, tuple[FieldError, ...]]:
        """Return the value of a word that is a list, without its bad items, and one error for each of these.

        Only asked for fields marked `DROPS_BAD`. By default nothing can be dropped.

        Raises:
            FieldError: The word cannot be read even so.
        """
        return self.read(word, view), ()

    def write(self, value: Any) -> str:
        """Return the word that `read` reads as this value."""
        return str(value)

    def samples(self, view: ContextView) -> Sequence[str]:
        """Return words that `read` can read, given the view; used for hints and for random sheets."""
        raise NotImplementedError

    def form(self, view: ContextView) -> Pattern:
        """Return the pattern of the words that a page offers, given the view.

        By default the player types a word, with the samples as suggestions.
        """
        return FreePattern(tuple(self.samples(view)))

    def longest(self, view: ContextView) -> int:
        """Return the largest number of words in a name of this field, given the view."""
        return 1


@dataclass(frozen=True)
class KeywordField(Field):
    """One of a few fixed words; read without regard to case, and written as declared."""

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
    """One of the names that a view lists, such as the reader's own ships; `names` returns them.

    `unknown` is the text for any other word, which it shows in place of {}: "you have no ship {}".
    """

    shown: str
    expected: str
    example: str
    names: Callable[[ContextView], Sequence[str]]
    unknown: str = ""

    def read(self, word: str, view: ContextView) -> str:
        return match_name(word, self.names(view), self.expected, unknown=self.unknown)

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
    """A whole number from `low` to `high`, both included.

    Small numbers may be written as words, and repetitions as `3x` or `x3`.
    """

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
    """Return the number that a word means.

    >>> parse_bounded("three", 1, 6, "a number from 1 to 6")
    3

    Args:
        word: The word as the player typed it.
        low: The least number allowed.
        high: The greatest number allowed; less than `low` if no number is possible now.
        expected: The description of what is allowed, for the error.
        none: The error text if the bounds leave nothing.

    Raises:
        FieldError: The word is not a number, or the number is out of bounds.
    """
    number = _parse_number(word)
    if number is None:
        text = f"{show_word(word)} is not {expected}" if low <= high else none
        raise FieldError("not-a-number", text, word=word)
    if high < low or low <= high == 0 < number:
        raise FieldError("out-of-bounds", f"{show_word(word)} is too high: {none}", "leave this line out")
    if not low <= number <= high:
        nearest = low if number < low else high
        text = f"{show_word(word)} is not {expected}"
        raise FieldError("out-of-bounds", text, f"the nearest is {nearest}", word)
    return number


def _parse_number(word: str) -> int | None:
    if _WHOLE.fullmatch(word):
        return int(word)
    times = _TIMES.fullmatch(word)
    if times:
        return int(times[1] or times[2])
    return _NUMERALS.index(word.lower()) if word.lower() in _NUMERALS else None


def match_name(word: str, names: Sequence[str], expected: str, *, unknown: str = "") -> str:
    """Return the name that a word means: its equal but for case, its only completion, or its singular.

    >>> match_name("red", ["Redstart", "Blackbird"], "one of your ships")
    'Redstart'

    Args:
        word: The word as the player typed it.
        names: The names that can be meant.
        expected: The description of the names, for the error: "one of your ships".
        unknown: The text of the error if none is meant, with {} for the word; by default "R1 is not" and `expected`.

    Raises:
        FieldError: Several names begin with the word, or none is meant; the hint has the nearest.
    """
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
        raise FieldError("ambiguous", f"{show_word(word)} could be {list_names(starts)}", "write it in full")
    one = _match_plural(wanted, names)
    if one:
        return one
    # The lenient parser drops most errors unseen: the search for the nearest name waits until it is shown.
    shown = show_word(word)
    text = unknown.replace("{}", shown) if unknown else f"{shown} is not {expected}"
    raise FieldError("unknown-name", text, lambda: suggest(word, names), word)


def _match_plural(wanted: str, names: Sequence[str]) -> str | None:
    """Return the name of which a word is the plural; names of one or two letters or with a digit have none."""
    singular = {wanted.removesuffix(end) + put for end, put in _PLURALS if wanted.endswith(end)}
    meant = [name for name in names if name.casefold() in singular and len(name) > 2 and name.isalpha()]
    return meant[0] if len(meant) == 1 else None


_PLURALS = (("s", ""), ("es", ""), ("ies", "y"))


def list_names(names: Sequence[str]) -> str:
    """Return names in words, at most six of them, as alternatives: "A, B or C"."""
    shown = list(names[:6]) + (["others"] if len(names) > 6 else [])
    return ", ".join(shown[:-1]) + " or " + shown[-1]
