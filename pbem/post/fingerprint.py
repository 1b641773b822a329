"""Tells whether two mails are one: the same letter may come twice, by two ways that each leave their marks on it."""

from __future__ import annotations

import hashlib
import re

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(rb"^([!-9;-~]++):([^\n]*+(?:\n[ \t][^\n]*+)*+)", re.MULTILINE)
_WRITTEN = frozenset(
    {
        *(b"from", b"to", b"cc", b"subject", b"message-id", b"in-reply-to", b"references"),
        *(b"content-type", b"content-transfer-encoding", b"auto-submitted"),
    }
)
"""The fields that come from a mail's writer; servers and filters on its way add others, among them a missing Date."""


def fingerprint(raw: bytes) -> str:
    """The hex SHA-256 of what a mail's writer sent: chosen fields and all that follows the head.

    A mail without a Message-ID may have been written twice in the same words
    and be meant twice; of such a one every byte counts.
    """
    fields, body = _taken_apart(raw)
    if not any(name == b"message-id" for name, _ in fields):
        return hashlib.sha256(raw).hexdigest()
    written = sorted(name + b":" + b" ".join(value.split()) for name, value in fields if name in _WRITTEN)
    return hashlib.sha256(b"\n".join(written) + b"\n\n" + body.replace(b"\r\n", b"\n").rstrip()).hexdigest()


def message_ids(raw: bytes) -> list[bytes]:
    """What stands in the Message-ID fields of a mail; there should be one."""
    return [value.strip() for name, value in _taken_apart(raw)[0] if name == b"message-id"]


def _taken_apart(raw: bytes) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The fields of a mail's head, their names in lower case, and what follows the head."""
    end = _END_OF_HEAD.search(raw)
    head, body = (raw[: end.start()], raw[end.end() :]) if end else (raw, b"")
    return [(name.lower(), value) for name, value in _FIELD.findall(head)], body
