"""One spelling for every value: JSON text that is equal when the data are equal."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical(data: Any) -> bytes:
    """JSON as UTF-8, keys sorted, no blanks. Refuses floats that are not numbers."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def digest(data: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical(data)).hexdigest()
