"""One spelling for every value: JSON text that is equal when the data are equal."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

_NUL = re.compile(r"(?<!\\)(?:\\\\)*+\\u0000")
"""In JSON text; two backslashes before it would be one that somebody wrote."""

_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)
"""Data that hold themselves are refused for nesting too deeply; to look for them would take a sixth of the time."""


def read_json(text: str) -> Any:
    """The data of JSON that comes from outside. Raises ValueError or RecursionError for what is none."""
    return storable(json.loads(text))


def storable(data: Any) -> Any:
    """Data from outside, as they are. Raises ValueError or RecursionError for what cannot be stored or mailed.

    That are floats that are no numbers, halves of characters ("\\ud800"), and
    NUL, all of which JSON and YAML can spell.
    """
    if _NUL.search(canonical(data).decode()):
        raise ValueError("it holds the sign NUL")
    return data


def canonical(data: Any) -> bytes:
    """JSON as UTF-8, keys sorted, no blanks. Refuses floats that are not numbers."""
    return _ENCODER.encode(data).encode()


def canonical_object(members: Mapping[str, bytes]) -> bytes:
    """The canonical JSON of an object; that of its values is there already."""
    return b"{" + b",".join(b"%s:%s" % (canonical(name), members[name]) for name in sorted(members)) + b"}"


def digest(data: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical(data)).hexdigest()
