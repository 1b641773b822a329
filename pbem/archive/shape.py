"""The shape of a record: which facts it has, and of what kind each is, down to its last value.

Whoever reads a record that has passed need not ask again, even if it came from a stranger.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from typing import Any

from pbem.archive.record import FORMAT
from pbem.errors import ReplayError
from pbem.ruleset.serialization import canonical
from pbem.ruleset.values import Json

_Check = Callable[[Any], bool]

_HASH = re.compile(r"[0-9a-f]{64}")
_PATH = re.compile(r"(?:reports|sheets|enclosed)/[^/\0.][^/\0]*")
"""A file of a turn's folder: never outside it, and never hidden."""


def check_shape(record: Json, number: int, raw: bytes) -> None:
    """Raises ReplayError unless these are the facts of a record of the turn of this number, in these bytes."""
    made: Any = record.get("format") if isinstance(record, dict) else None
    if not _is_number(made) or not 1 <= made <= FORMAT:
        raise ReplayError(f"turn {number}: its record is not of format {' or '.join(map(str, range(1, FORMAT + 1)))}")
    expected = {**_ALWAYS, **(_IN_TURNS if number and "given" not in record else {}), **(_SINCE_2 if made >= 2 else {})}
    for key, check in expected.items():
        if key not in record or not check(record[key]):
            raise ReplayError(f"turn {number}: its record lacks {key!r}, or has it wrong")
    for key, check in _IN_FEW.items():
        if key in record and not check(record[key]):
            raise ReplayError(f"turn {number}: its record has {key!r} wrong")
    if not _is_canonical(record, raw):
        raise ReplayError(f"turn {number}: its record is not in its canonical form")


def _is_canonical(record: Json, raw: bytes) -> bool:
    try:
        return canonical(record) + b"\n" == raw
    except (ValueError, RecursionError):
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_data(value: Any) -> bool:
    return isinstance(value, dict)


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and dt.datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _is_path(value: str) -> bool:
    return _PATH.fullmatch(value) is not None


def _list_of(check: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _by_name(check: _Check, name: Callable[[str], bool] = _is_text) -> _Check:
    return lambda value: isinstance(value, dict) and all(map(name, value)) and all(map(check, value.values()))


def _facts(**checks: _Check) -> _Check:
    return lambda value: isinstance(value, dict) and all(key in value and checks[key](value[key]) for key in checks)


_is_roll = _facts(label=_is_text, dice=_is_text, number=_is_number, faces=_list_of(_is_number), total=_is_number)

_ALWAYS: Mapping[str, _Check] = {
    "campaign": _is_text,
    "game": _is_text,
    "version": _is_number,
    "number": _is_number,
    "options": _is_data,
    "seats": _list_of(_is_text),
    "seal": _is_text,
    "state_after": _is_text,
    "resolved": _is_time,
    "files": _by_name(_is_hash, _is_path),
    "previous": _is_text,
}
_IN_TURNS: Mapping[str, _Check] = {
    "orders": _by_name(_list_of(_is_data)),
    "missing": _list_of(_is_text),
    "removed": _list_of(_is_text),
    "sheets": _by_name(_facts(version=_is_number, digest=_is_text)),
    "state_before": _is_text,
    "events": _is_text,
}
_SINCE_2: Mapping[str, _Check] = {"salt": _is_hash}
_IN_FEW: Mapping[str, _Check] = {
    "dice": _is_data,
    "given": _is_data,
    "patch": _list_of(_is_data),
    "rolls": _list_of(_is_roll),
    "seed": _is_text,
    "withdrawn": _list_of(_facts(turn=_is_number, hash=_is_hash, kind=_is_text)),
}
