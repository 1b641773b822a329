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

_NUL = re.compile(r"(?<!\\)(?:\\\\)*+\\u0000")
"""In JSON text; two backslashes before it would be one that somebody wrote."""

_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)
"""Data that hold themselves are refused for nesting too deeply; to look for them would take a sixth of the time."""


def parse_json(text: str) -> Any:
    """The data of JSON that comes from outside. Raises ValueError or RecursionError for what is none."""
    return require_storable(json.loads(text))


def require_storable(data: Any) -> Any:
    """Data from outside, as they are. Raises ValueError or RecursionError for what cannot be stored or mailed.

    That are floats that are no numbers, halves of characters ("\\ud800"), and
    NUL, all of which JSON and YAML can spell.
    """
    if _NUL.search(canonical_json(data).decode()):
        raise ValueError("it holds the sign NUL")
    return data


def canonical_json(data: Any) -> bytes:
    """JSON as UTF-8, keys sorted, no blanks. Refuses floats that are not numbers."""
    return _ENCODER.encode(data).encode()


def canonical_object(members: Mapping[str, bytes]) -> bytes:
    """The canonical JSON of an object; that of its values is there already."""
    return b"{" + b",".join(b"%s:%s" % (canonical_json(name), members[name]) for name in sorted(members)) + b"}"


def json_sha256(data: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical_json(data)).hexdigest()


_PLAIN = (str, int, bool, type(None))


def to_json(value: Any) -> Any:
    """A record as JSON data; sets are sorted. Raises TypeError for what no declaration could bring back."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {slot.name: to_json(getattr(value, slot.name)) for slot in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {_require_key(key): to_json(value[key]) for key in sorted(value)}
    if isinstance(value, AbstractSet):
        return [to_json(each) for each in sorted(value)]
    if isinstance(value, tuple | list):
        return [to_json(each) for each in value]
    if type(value) in _PLAIN:
        return value
    raise TypeError(f"{value!r} cannot be saved: write dump and read of your own for it")


def from_json(kind: Any, data: Any) -> Any:
    """The value of a declared kind from `to_json` data. Raises KeyError, TypeError or ValueError on other data."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return data
    if origin in (typing.Union, types.UnionType):
        return _from_choice(parts, data)
    if dataclasses.is_dataclass(kind):
        return _from_fields(kind, data)
    if origin is None:
        return _from_plain(kind, data)
    if issubclass(origin, Mapping):
        return {_require_key(key): from_json(parts[1], each) for key, each in _require_kind(Mapping, data).items()}
    if issubclass(origin, AbstractSet):
        return frozenset(from_json(parts[0], each) for each in _require_kind(list, data))
    if issubclass(origin, Sequence):
        return _from_items(parts, _require_kind(list, data))
    raise TypeError(f"{kind!r} cannot be read from a save: write dump and read of your own for it")


def _from_choice(parts: Sequence[Any], data: Any) -> Any:
    """None, or the one other kind there is."""
    (other,) = (part for part in parts if part is not type(None))
    return None if data is None else from_json(other, data)


def _from_fields(kind: Any, data: Any) -> Any:
    hints = _type_hints(kind)
    return kind(**{name: from_json(hints[name], each) for name, each in _require_kind(Mapping, data).items()})


def _from_items(parts: Sequence[Any], items: Sequence[Any]) -> tuple[Any, ...]:
    """A tuple: all of one kind, or of as many kinds as there are items."""
    kinds = (parts[0],) * len(items) if parts[-1] is ... else parts
    return tuple(from_json(kind, each) for kind, each in zip(kinds, items, strict=True))


def _from_plain(kind: Any, data: Any) -> Any:
    return kind(data) if issubclass(kind, enum.Enum) else _require_kind(kind, data)


def _require_kind(kind: Any, data: Any) -> Any:
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
