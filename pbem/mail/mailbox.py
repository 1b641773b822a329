"""Interface of mailboxes, and a raw message as they return it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

MAX_MAIL = 1_000_000
"""Bytes; of a larger mail only the beginning is read, unless a GM may have written it."""

MAX_GM_MAIL = 10_000_000
"""Bytes of a mail that begins like one of a GM, who may attach pictures and files to a ruling."""

CUT_TO = 65_536
"""Bytes read of a mail that is too large."""

CUT_HEADER = "X-Pbem-Cut"
"""The header put on top of a mail of which only the beginning was read."""

BATCH_MAILS = 100
BATCH_BYTES = 8_000_000
"""The most that a batch holds; a single mail may exceed the bytes."""

PROCESSED = "Processed"
"""The folder that mails are moved to once they are stored."""

NAME_LENGTH = 200
"""Characters of the columns for names of mailboxes and mails."""

_GM_FRAME = re.compile(
    rb"^[ \t]{0,9}GM[ \t]{1,9}[^\s]{1,40}[ \t]{1,9}[0-9a-f]{15,25}[ \t\r]{0,9}$", re.IGNORECASE | re.MULTILINE
)

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")

JUNK_DAYS = 14
MOST_JUNK = 200
"""Days for which mail in the folder for junk is looked at, and the most mails that are."""

IsOurs = Callable[[bytes], bool]
"""Tells by the head of a mail whether it answers a mail of ours."""

T = TypeVar("T")


@dataclass(frozen=True)
class RawMessage:
    """Mail as received; mailbox, `uid_validity` and `uid` together identify it permanently (RFC 9051, 2.3.1.1)."""

    mailbox: str
    uid_validity: str
    uid: str
    received_at: datetime
    raw: bytes


@dataclass(frozen=True, slots=True)
class Unmoved:
    """Mail that is stored, and stays in the inbox because it cannot be moved.

    `sizes` are its bytes by UID. The mails of `copied` are in the folder Processed all the same.
    """

    mailbox: str
    uid_validity: str
    sizes: Mapping[str, int]
    copied: frozenset[str]
    reason: str


@dataclass(frozen=True, slots=True)
class Quota:
    """Use of a limit that the server sets: mails, or kilobytes of 1,024."""

    used: int
    limit: int
    unit: str

    @property
    def percent(self) -> int:
        """The used part of it, in percent."""
        return 100 * self.used // self.limit if self.limit else 100

    def __str__(self) -> str:
        return f"{self.used:,} of {self.limit:,} {self.unit}"


@dataclass(frozen=True, slots=True)
class MailboxFacts:
    """Facts of a mailbox for the doctor.

    Attributes:
        arrivals: The times of arrival of the mails that wait.
        lacks: A clause for each folder in which rights are missing, as far as the server tells.
        quotas: The limits of the mailbox, as far as the server tells.
        abilities: The capabilities of the server; None for a folder of this machine.
        processed: The full name of the folder Processed at a server.
        junk_folder: The folder for junk, "" if there is none.
        junk: The heads of new mails in it.
    """

    arrivals: Sequence[datetime]
    lacks: Sequence[str] = ()
    quotas: Sequence[Quota] = ()
    abilities: frozenset[str] | None = None
    processed: str = PROCESSED
    junk_folder: str = ""
    junk: Sequence[bytes] = ()


class Mailbox(Protocol):
    """Mailbox of mail not yet stored. `batches` raises MailError when it cannot be used."""

    def batches(self, unmoved: Unmoved | None = None) -> Iterator[list[RawMessage]]:
        """Yield all mail, oldest first, in batches that fit into memory.

        What is still there of the `unmoved` of an earlier poll may be left out.
        """

    def finish(self, batch: list[RawMessage]) -> None:
        """Move a stored batch to the folder Processed. Mail that is gone already is no error.

        Raises:
            MailNotMoved: Some of it stays in the inbox.
        """

    def move_again(self) -> None:
        """Move the mail that `batches` left out. What cannot be moved stays; that is no error."""

    def unmoved_mail(self) -> Unmoved | None:
        """Return the stored mail that the last `done` and `move_again` could not move, None if there is none."""

    def list_foreign(self) -> list[str]:
        """Return the entries that the last `batches` could not read as mail, each with the reason."""

    def close(self) -> None:
        """Close the mailbox; never raise."""


def split_mail(raw: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the head of a mail, the gap below it, and its body."""
    end = _END_OF_HEAD.search(raw)
    return (raw[: end.start()], end[0], raw[end.end() :]) if end else (raw, b"\r\n\r\n", b"")


def truncate_message(beginning: bytes, size: int) -> bytes:
    """Return the beginning of a mail of `size` bytes, marked as such by a header on top."""
    return f"{CUT_HEADER}: {size}\r\n".encode() + beginning[:CUT_TO]


def is_read_whole(beginning: bytes, size: int) -> bool:
    """Return True if a mail of `size` bytes with this beginning is read to its end."""
    return size <= MAX_MAIL or (size <= MAX_GM_MAIL and _GM_FRAME.search(beginning[:CUT_TO]) is not None)


def bytes_read(size: int) -> int:
    """Return the most bytes that are read of a mail of `size` bytes."""
    return size if size <= MAX_GM_MAIL else CUT_TO


def in_batches(mails: Iterable[tuple[T, int]]) -> Iterator[list[T]]:
    """Group mails, each given with its size in bytes, within the limits of a batch."""
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
