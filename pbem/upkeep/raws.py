"""What listings need of a mail's bytes."""

from __future__ import annotations

import re

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")


def head(raw: bytes) -> bytes:
    """The head of a mail, without what would make a list of many slow."""
    end = _END_OF_HEAD.search(raw)
    return raw[: end.end()] if end else raw
