"""Schemas of saved data, by which a game checks a state that it did not write itself.

For `check_state`. A game declares the schema of its saves, often with words taken
from the data already checked (the seats, the cells of a board), and asks for its
errors. Rules that relate several values are checked by the game, which reports a
`ValidationError` for each::

    def check_state(data, seats):
        schema = ObjectSchema({"size": IntegerSchema(5, 30), "stones": ListSchema(StringSchema(4))})
        found = list(validate(schema, data))
        return found or [*_check_stones(data)]

Nothing here raises, whatever JSON data it is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from pbem.ruleset.fields import FEW, suggest

__all__ = [
    "AnySchema",
    "BooleanSchema",
    "EnumSchema",
    "IntegerSchema",
    "ListSchema",
    "MapSchema",
    "Nullable",
    "ObjectSchema",
    "Schema",
    "StringSchema",
    "TupleSchema",
    "ValidationError",
    "below",
    "unexpected",
    "validate",
]

SHOWN = 40
"""Characters of a wrong value that are shown."""

LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class ValidationError:
    """An error in data, as a value.

    `path` is a JSON Pointer (RFC 6901), "" for the whole data. `text` is a clause
    such as "expected a whole number from 0 to 99, got 120"; `hint` names the nearest
    valid value, if there is one.
    """

    path: str
    text: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.path or 'the whole'}: {self.text}{hint}"


class Schema(Protocol):
    """Protocol of a schema."""

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield the errors of the data at `path`."""


def validate(shape: Schema, data: Any, path: str = "") -> Iterator[ValidationError]:
    """Yield the errors of data, compared with a schema.

    >>> for error in validate(ObjectSchema({"size": IntegerSchema(5, 30)}), {"size": 4}):
    ...     print(error)
    /size: expected a whole number from 5 to 30, got 4; the nearest is 5
    """
    return shape.faults(data, path)


def unexpected(path: str, expected: str, found: Any, hint: str = "") -> ValidationError:
    """Return the error for a value other than the expected one."""
    return ValidationError(path, f"expected {expected}, got {_excerpt(found)}", hint)


def _excerpt(found: Any) -> str:
    """Return a value as JSON, or its type if that is long: data may be as deep and as large as they like."""
    if isinstance(found, dict | list):
        return "an object" if isinstance(found, dict) else f"a list of {len(found)}"
    # Python refuses to print integers of more than 4,300 digits.
    if isinstance(found, int) and abs(found) >= 10**SHOWN:
        return f"a number of more than {SHOWN} digits"
    text = json.dumps(found[:SHOWN] if isinstance(found, str) else found, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def below(path: str, key: object) -> str:
    """Return the path of the value at a key or index of the object or list at `path`."""
    # ~ before /, or the ~ of its escape would be escaped again (RFC 6901, 3).
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


@dataclass(frozen=True, slots=True)
class IntegerSchema:
    """A whole number of at least `low`, and at most `high` if that is given."""

    low: int = 0
    high: int | None = None

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield an error for another type or a number out of bounds, with the nearest one allowed."""
        # true is a bool, which Python counts among the integers.
        if not isinstance(data, int) or isinstance(data, bool):
            yield unexpected(path, self._expected, data)
        elif data < self.low or (self.high is not None and data > self.high):
            nearest = self.low if data < self.low else self.high
            yield unexpected(path, self._expected, data, f"the nearest is {nearest}")

    @property
    def _expected(self) -> str:
        return f"a whole number from {self.low}" + (" up" if self.high is None else f" to {self.high}")


@dataclass(frozen=True, slots=True)
class AnySchema:
    """Any value, which is checked elsewhere."""

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        yield from ()


@dataclass(frozen=True, slots=True)
class BooleanSchema:
    """true or false."""

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield an error for another type."""
        if not isinstance(data, bool):
            yield unexpected(path, "true or false", data)


@dataclass(frozen=True, slots=True)
class StringSchema:
    """A printable line of `least` to `longest` characters."""

    longest: int = LONGEST_LINE
    least: int = 0

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield an error for another type, a line too short or too long, or unprintable characters."""
        if not isinstance(data, str) or not self.least <= len(data) <= self.longest or not data.isprintable():
            yield unexpected(path, f"a line of {self.least} to {self.longest} characters", data)


@dataclass(frozen=True, slots=True)
class EnumSchema:
    """One of several words; `of` describes them where they are too many to be listed."""

    words: Sequence[str]
    of: str = "word"

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield an error for another type or word, with the nearest word."""
        if not isinstance(data, str):
            yield unexpected(path, self._expected, data)
        elif data not in self.words:
            # Few words are all named in the text; a hint that lists them would repeat it.
            few = len(self.words) <= FEW
            hint = suggest(data, tuple(self.words))
            yield unexpected(path, self._expected, data, "" if few and hint.startswith("possible") else hint)

    @property
    def _expected(self) -> str:
        return f"a {self.of}" if len(self.words) > FEW else f"a {self.of} of {', '.join(self.words) or 'none'}"


@dataclass(frozen=True, slots=True)
class Nullable:
    """A value of another schema, or null."""

    of: Schema

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield the errors of a value that is not null."""
        if data is not None:
            yield from self.of.faults(data, path)


@dataclass(frozen=True, slots=True)
class ListSchema:
    """A list of values of one schema; with `distinct`, no value occurs twice."""

    of: Schema
    least: int = 0
    most: int | None = None
    distinct: bool = False

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield errors for another type or length, and those of each value."""
        if not isinstance(data, list):
            yield unexpected(path, "a list", data)
            return
        if len(data) < self.least or (self.most is not None and len(data) > self.most):
            most = " or more" if self.most is None else "" if self.most == self.least else f" to {self.most}"
            yield ValidationError(path, f"expected a list of {self.least}{most}, got one of {len(data)}")
        seen: set[str] = set()
        for index, each in enumerate(data):
            wrong = list(self.of.faults(each, below(path, index)))
            yield from wrong
            # As text: lists cannot be put into a set, and there 1 and true would be the same.
            text = "" if wrong or not self.distinct else json.dumps(each, sort_keys=True)
            if text and text in seen:
                yield unexpected(below(path, index), "each but once", each)
            seen.add(text)


@dataclass(frozen=True, slots=True)
class TupleSchema:
    """A list with one value for each of several schemas."""

    of: tuple[Schema, ...]

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield errors for another type or length, and those of each value."""
        if not isinstance(data, list) or len(data) != len(self.of):
            yield unexpected(path, f"a list of {len(self.of)}", data)
            return
        for index, (shape, each) in enumerate(zip(self.of, data, strict=True)):
            yield from shape.faults(each, below(path, index))


@dataclass(frozen=True, slots=True)
class ObjectSchema:
    """An object with exactly these keys."""

    of: Mapping[str, Schema]

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield errors for another type, missing keys and unknown keys, and those of each value."""
        if not isinstance(data, dict):
            yield unexpected(path, "an object", data)
            return
        # Found first: an unknown key is most likely a missing one misspelt.
        missing = [key for key in self.of if key not in data]
        for key in data:
            if key not in self.of:
                yield ValidationError(
                    below(path, key), "is not known here", suggest(str(key), missing or tuple(self.of))
                )
        for key in missing:
            yield ValidationError(below(path, key), "is missing")
        for key, shape in self.of.items():
            if key in data:
                yield from shape.faults(data[key], below(path, key))


@dataclass(frozen=True, slots=True)
class MapSchema:
    """An object with values of one schema. With `every`, its keys are all of these; with `some`, any of these."""

    of: Schema
    every: Sequence[str] = ()
    some: Sequence[str] = field(default=())

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        """Yield errors for another type, missing keys and unknown keys, and those of each value."""
        if not isinstance(data, dict):
            yield unexpected(path, "an object", data)
            return
        known = set(self.every) | set(self.some)
        for key in data:
            if key not in known:
                yield ValidationError(
                    below(path, key), "is not known here", suggest(str(key), tuple(self.every or self.some))
                )
        for key in self.every:
            if key not in data:
                yield ValidationError(below(path, key), "is missing")
        for key, each in data.items():
            if key in known:
                yield from self.of.faults(each, below(path, key))


if not TYPE_CHECKING:  # type checkers would take any name for one of the module

    def __getattr__(name: str) -> NoReturn:
        """Raise ImportError for a name that is not there, with the nearest one."""
        from pbem.ruleset.names import unknown_name

        raise unknown_name(__name__, name)
