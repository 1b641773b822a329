"""JSON Patch (RFC 6902): create, apply and describe changes of a state.

A patch made here tests every value before it removes it. Applied to another
state than the one it was made for, it is refused instead of doing something else.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jsonpatch

from pbem.archive.record import Patch
from pbem.errors import PbemError
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Json

MOST_COPIED = 16_000_000
"""Bytes of JSON that a patch may copy inside a state: forty operations that each double it would fill any memory."""

_SHOWN = 60


class PatchError(PbemError):
    """Raised when a patch cannot be applied to the data."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One change: the place as a JSON Pointer (RFC 6901), and a description for people."""

    path: str
    text: str


def make_patch(before: Json, after: Json) -> list[Json]:
    """Return the operations that turn one state into another; none if they are equal."""
    return list(_add_tests(before, jsonpatch.make_patch(before, after).patch))


def apply_patch(data: Json, patch: Patch) -> Json:
    """Return the changed data; the argument stays as it is.

    Raises:
        PatchError: An operation does not fit; the message names it.
    """
    room = MOST_COPIED
    data = _deep_copy(data)
    for number, operation in enumerate(patch, start=1):
        try:
            room -= _copied_bytes(data, operation)
            if room < 0:
                raise PatchError(f"change {number} copies too much: more than {MOST_COPIED:,} bytes in all")
            # In place, since states are large and operations many; a copied operation, since later ones may alter
            # the value that it has put in.
            data = jsonpatch.apply_patch(data, [copy.deepcopy(operation)], in_place=True)
        except jsonpatch.JsonPatchTestFailed:
            wanted = _short(operation.get("value"))
            raise PatchError(f"change {number} expects {wanted} at {_path(operation)}, but there is another") from None
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
            raise PatchError(f"change {number} ({_short(operation)}) does not fit: {_cut(str(error))}") from None
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
            raise PatchError(f"change {number} is no operation of a JSON Patch: {_short(operation)}") from None
    return data


def is_patch(data: Json) -> bool:
    """Return True if data read from a file are a JSON Patch, and not a state."""
    return isinstance(data, list) and all(isinstance(each, dict) and "op" in each for each in data)


def describe_patch(before: Json, patch: Patch) -> list[Difference]:
    """Describe the changes that a patch makes to these data, in order.

    Raises:
        PatchError: An operation does not fit.
    """
    told = []
    for operation in patch:
        if operation["op"] != "test":
            told.append(Difference(_path(operation), _describe_operation(before, operation)))
        before = apply_patch(before, [operation])
    return told


def _deep_copy(data: Json) -> Json:
    """Return a copy of the data; raise PatchError if they are nested too deeply for that."""
    try:
        return copy.deepcopy(data)
    except RecursionError:
        raise PatchError("these data are too deep to be changed") from None


def _copied_bytes(data: Json, operation: Json) -> int:
    """Return how much an operation copies, in bytes of JSON; raise what looking it up raises."""
    return len(canonical_json(_resolve_pointer(data, operation["from"]))) if operation["op"] == "copy" else 0


def _add_tests(before: Json, operations: Sequence[Json]) -> Iterator[Json]:
    data = copy.deepcopy(before)
    for operation in operations:
        source = operation.get("from", operation["path"])
        if operation["op"] != "add":
            yield {"op": "test", "path": source, "value": copy.deepcopy(_resolve_pointer(data, source))}
        yield operation
        data = jsonpatch.apply_patch(data, [operation])


def _describe_operation(before: Json, operation: Json) -> str:
    match operation["op"]:
        case "replace":
            return f"{_short(_resolve_pointer(before, operation['path']))} → {_short(operation['value'])}"
        case "remove":
            return f"{_short(_resolve_pointer(before, operation['path']))} taken away"
        case "add":
            return f"{_short(operation['value'])} added"
        case _:
            return f"{_short(_resolve_pointer(before, operation['from']))} from {operation['from']}"


def _resolve_pointer(data: Json, path: str) -> Any:
    return jsonpatch.JsonPointer(path).resolve(data)


def _path(operation: Json) -> str:
    return str(operation.get("path", "")) or "the whole"


def _short(value: Json) -> str:
    return _cut(canonical_json(value).decode())


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
