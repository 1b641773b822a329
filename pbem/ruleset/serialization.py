"""Canonical JSON: text that is equal if and only if the data are equal.

A state may be made of dataclasses, tuples, frozensets, mappings with string
keys, enums, strings, whole numbers, booleans, None, and `X | None`. A mapping
comes back sorted by its keys, and equal to the original.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import re
import types
import typing
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any

# Behind an even number of backslashes: with an odd number the backslash of NUL is itself escaped.
_NUL = re.compile(r"(?<!\\)(?>(?:\\\\)*)\\u0000")

# RFC 8259 has no NaN and no infinity; other languages would refuse them.
# Without `check_circular`: circular data raise RecursionError, and checking would take a sixth of the time.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)


def parse_json(text: str) -> Any:
    """Return the data of a JSON text from outside. Raises ValueError or RecursionError."""
    return require_storable(json.loads(text))


def require_storable(data: Any) -> Any:
    r"""Return data from outside unchanged.

    Raises ValueError or RecursionError for data that cannot be stored or mailed: NaN
    and infinities, lone surrogates ("\ud800") and NUL, all of which JSON and YAML can
    spell.
    """
    if _NUL.search(canonical_json(data).decode()):
        raise ValueError("it holds the sign NUL")
    return data


def canonical_json(data: Any) -> bytes:
    """Return data as JSON in UTF-8, with sorted keys and without blanks.

    >>> canonical_json({"b": [1, 2], "a": None})
    b'{"a":null,"b":[1,2]}'

    Raises:
        ValueError: There is a float that is not a number.
        RecursionError: The data are nested too deeply, or contain themselves.
    """
    return _ENCODER.encode(data).encode()


def through_json(data: Any) -> Any:
    """Return data as they are once written as JSON and read back."""
    return json.loads(canonical_json(data))


def canonical_object(members: Mapping[str, bytes]) -> bytes:
    """Return the canonical JSON of an object whose values are canonical JSON already."""
    return b"{" + b",".join(b"%s:%s" % (canonical_json(name), members[name]) for name in sorted(members)) + b"}"


def json_sha256(data: Any) -> str:
    """Return the SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical_json(data)).hexdigest()


_PLAIN = (str, int, bool, type(None))
_OWN = "write dump and read of your own for it"


def to_json(value: Any) -> Any:
    """Return a value as JSON data; sets are sorted.

    Raises:
        TypeError: There is a value of a type that `from_json` could not restore.
    """
    # Not isinstance: a value of a subclass would come back as one of the base class.
    if type(value) in _PLAIN:
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {slot.name: to_json(getattr(value, slot.name)) for slot in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {_require_key(key): to_json(value[key]) for key in sorted(value)}
    if isinstance(value, AbstractSet):
        # The order of a set differs from process to process.
        return [to_json(each) for each in sorted(value)]
    if isinstance(value, tuple | list):
        return [to_json(each) for each in value]
    how = "use whole numbers, or fractions as pairs of them" if isinstance(value, float) else _OWN
    raise TypeError(f"{value!r} cannot be saved: {how}")


def from_json(kind: Any, data: Any) -> Any:
    """Return the value of a type from the data of `to_json`.

    Raises:
        KeyError, TypeError, ValueError: The data are not of this type.
    """
    if kind is Any:
        return data
    if kind in _PLAIN:
        return _require_kind(kind, data)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _from_choice(parts, data)
    if dataclasses.is_dataclass(kind):
        return _from_fields(kind, data)
    if origin is None:
        return kind(data) if issubclass(kind, enum.Enum) else _require_kind(kind, data)
    if issubclass(origin, Mapping):
        return {_require_key(key): from_json(parts[1], each) for key, each in _require_kind(Mapping, data).items()}
    if issubclass(origin, AbstractSet):
        return frozenset(from_json(parts[0], each) for each in _require_kind(list, data))
    if issubclass(origin, Sequence):
        return _from_items(parts, _require_kind(list, data))
    raise TypeError(f"{kind!r} cannot be read from a save: {_OWN}")


def _from_choice(parts: Sequence[Any], data: Any) -> Any:
    """Return None, or a value of the only other type of a union."""
    (other,) = (part for part in parts if part is not type(None))
    return None if data is None else from_json(other, data)


def _from_fields(kind: Any, data: Any) -> Any:
    hints = _type_hints(kind)
    return kind(**{name: from_json(hints[name], each) for name, each in _require_kind(Mapping, data).items()})


def _from_items(parts: Sequence[Any], items: Sequence[Any]) -> tuple[Any, ...]:
    """Return a tuple: all items of one type, or each of its own."""
    kinds = (parts[0],) * len(items) if parts[-1] is ... else parts
    return tuple(from_json(kind, each) for kind, each in zip(kinds, items, strict=True))


def _require_kind(kind: Any, data: Any) -> Any:
    # bool is a subclass of int, but true is no number in JSON.
    if not isinstance(data, kind) or (isinstance(data, bool) and kind is int):
        raise TypeError(f"{data!r} is not of kind {kind.__name__}")
    return data


def _require_key(key: Any) -> str:
    if type(key) is not str:
        raise TypeError(f"{key!r} cannot be a key: keys of what is saved are strings")
    return key


@cache
def _type_hints(kind: Any) -> Mapping[str, Any]:
    return typing.get_type_hints(kind)
