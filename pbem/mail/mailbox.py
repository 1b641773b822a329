"""The interface of mailboxes, and a raw message as they return it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

MAX_MAIL = 1_000_000
"""Bytes; of a greater mail only the beginning is read, unless a GM may have written it."""

MAX_GM_MAIL = 10_000_000
"""Bytes of a mail that begins like one of a GM, who encloses pictures and files with his ruling."""

CUT_TO = 65_536
"""Bytes read of a mail that is too great."""

CUT_HEADER = "X-Pbem-Cut"
"""The header this program puts on top of a mail of which it took only the beginning."""

BATCH_MAILS = 100
BATCH_BYTES = 8_000_000
"""What a batch holds at most; one mail may pass the bytes."""

PROCESSED = "Processed"
"""The folder that mails are moved to once they are stored."""

NAME_LENGTH = 200
"""Characters of a mailbox's or mail's name that the database takes."""

_GM_FRAME = re.compile(
    rb"^[ \t]{0,9}GM[ \t]{1,9}[^\s]{1,40}[ \t]{1,9}[0-9a-f]{15,25}[ \t\r]{0,9}$", re.IGNORECASE | re.MULTILINE
)

T = TypeVar("T")


@dataclass(frozen=True)
class RawMessage:
    """A mail as it came; mailbox, `uid_validity` and `uid` together name it for ever (RFC 9051, 2.3.1.1)."""

    mailbox: str
    uid_validity: str
    uid: str
    received_at: datetime
    raw: bytes


class Mailbox(Protocol):
    """A mailbox of mail not yet stored. `batches` and `done` raise MailError when it cannot be used."""

    def batches(self) -> Iterator[list[RawMessage]]:
        """All mail that is there, oldest first, in batches small enough for the memory."""

    def done(self, batch: list[RawMessage]) -> None:
        """Moves a stored batch to the folder Processed. What is gone already is no error."""

    def left_alone(self) -> list[str]:
        """What lies there and is no mail that can be read, each with the reason, as the last `batches` found it."""

    def close(self) -> None:
        """Lets go of the mailbox; never raises."""


def truncate_message(beginning: bytes, size: int) -> bytes:
    """The beginning of a mail of `size` bytes, marked as such by a header on top."""
    return f"{CUT_HEADER}: {size}\r\n".encode() + beginning[:CUT_TO]


def is_read_whole(beginning: bytes, size: int) -> bool:
    """Whether a mail of `size` bytes that begins so is read to its end."""
    return size <= MAX_MAIL or (size <= MAX_GM_MAIL and _GM_FRAME.search(beginning[:CUT_TO]) is not None)


def bytes_read(size: int) -> int:
    """How much of a mail of `size` bytes is read at the most."""
    return size if size <= MAX_GM_MAIL else CUT_TO


def in_batches(mails: Iterable[tuple[T, int]]) -> Iterator[list[T]]:
    """Groups mails, each given with its size in bytes, within the bounds of a batch."""
    batch: list[T] = []
    total = 0
    for mail, size in mails:
        if batch and (len(batch) >= BATCH_MAILS or total + bytes_read(size) > BATCH_BYTES):
            yield batch
            batch, total = [], 0
        batch.append(mail)
        total += bytes_read(size)
    if batch:
        yield batch
