"""Column types, and the enumerations of states that the database holds.

A file bundle is the length of its packed part in four bytes, big-endian; the
packed part: a line of JSON, the list of [name, length], and the texts one after
the other; and then the pictures. A PNG is compressed already: compressing it
again takes a hundred times as long as all the rest, and gains nothing.
"""

from __future__ import annotations

import datetime as dt
import json
import zlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import DateTime, Enum, LargeBinary, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DataError
from sqlalchemy.types import TypeDecorator

from pbem.errors import PARSE_ERRORS
from pbem.ruleset.serialization import canonical_json

UNREADABLE = (*PARSE_ERRORS, zlib.error, DataError)
"""Errors raised by values of the database that the program did not write; DataError for PostgreSQL's infinite times."""


class CampaignState(StrEnum):
    """States of a campaign; one that has moved is played in another home."""

    FORMING = "forming"
    RUNNING = "running"
    OVER = "over"
    MOVED = "moved"


class HoldKind(StrEnum):
    """Kinds of holds, during which no turn of a campaign is run (`pbem.campaign.snapshot`)."""

    NONE = "none"
    GM = "gm"
    MISSING = "missing"
    NO_MAIL = "no_mail"
    NO_PLAYERS = "no_players"
    REVIEW = "review"
    RULING = "ruling"
    RULED = "ruled"
    RESTORED = "restored"
    IMPORTED = "imported"


class SeatState(StrEnum):
    """States of a seat; an open one has no player, and a standby may take it; a bot plays until a player is back."""

    PLAYING = "playing"
    OPEN = "open"
    BOT = "bot"
    REMOVED = "removed"


class PageDelivery(StrEnum):
    """Delivery of a report as a page for a browser: not at all, with its mail, or behind a link to the site."""

    OFF = "off"
    ATTACHED = "attached"
    LINK = "link"


class StandbyState(StrEnum):
    """States of a person who asked for a seat: on the waiting list, seated, or gone from it."""

    WAITING = "waiting"
    SEATED = "seated"
    LEFT = "left"


class MessageState(StrEnum):
    """States of a message received; one in quarantine was not processed and waits for the GM."""

    NEW = "new"
    PROCESSED = "processed"
    QUARANTINED = "quarantined"


class OutgoingState(StrEnum):
    """States of an outgoing mail; a queued one is superseded by a later one of the same topic."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    BOUNCED = "bounced"
    SUPERSEDED = "superseded"


class RequestKind(StrEnum):
    """Kinds of requests that wait for a confirmation, or for the next tick.

    GM is for commands that a GM was only shown, PRESS for a reply to press that may be
    sent on, TEXTS for texts to players that are held, DIGEST for a mail with the form
    of a ruling, and MESSAGE for a message whose sender must confirm it.
    """

    JOIN = "join"
    INVITE = "invite"
    DEPUTY = "deputy"
    ADDRESS = "address"
    NEW_ADDRESS = "new_address"
    FALLBACK = "fallback"
    ALSO = "also"
    NEW_ALSO = "new_also"
    IMPORT = "import"
    MESSAGE = "message"
    RUN = "run"
    RULING = "ruling"
    PRESS = "press"
    TEXTS = "texts"
    DIGEST = "digest"
    GM = "gm"


class WithdrawalKind(StrEnum):
    """What was done when turns were withdrawn."""

    ROLLBACK = "rollback"
    RERUN = "rerun"
    UNDO = "undo"


class SenderVerdict(StrEnum):
    """Verdicts of the receiving server on the sender of a message (RFC 8601)."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    NONE = "none"


class Author(StrEnum):
    """Authors of sheets and questions."""

    PLAYER = "player"
    DEPUTY = "deputy"
    GM = "gm"
    BOT = "bot"


class MailForm(StrEnum):
    """Forms of a mail: with its files, or its text alone."""

    FULL = "full"
    TEXT = "text"


class PressKind(StrEnum):
    """Kinds of press: to other players, for the newspaper, and for the author's diary."""

    PRESS = "press"
    NEWS = "news"
    DIARY = "diary"


UNSENT_STATES = (OutgoingState.QUEUED, OutgoingState.SENDING)
"""States of mail that will be sent, or is being sent."""

SITE_KEY = "site"
"""Key of the value that remembers what the site was last built from."""

LEVEL = 3
"""Level of zlib for reports. Level 6 takes twice the time and saves a tenth of the space."""

LARGE_MAIL = 50_000
"""Bytes of a mail that is not compressed: it has pictures or pages, of which 3 ms would save a quarter."""


class InArchive(NamedTuple):
    """A picture of a report that only the archive still has, by the hex SHA-256 of its bytes."""

    sha256: str


ReportFiles = Mapping[str, bytes | InArchive]
"""Files of a report by their names in the archive."""


def pack_files(files: ReportFiles) -> bytes:
    """Return files as one value, in their order."""
    head = json.dumps([[name, *_measure(content)] for name, content in files.items()]).encode()
    packed = zlib.compress(b"\n".join([head, _join_contents(files, pictures=False)]), LEVEL)
    return len(packed).to_bytes(4, "big") + packed + _join_contents(files, pictures=True)


def _measure(content: bytes | InArchive) -> tuple[int] | tuple[int, str]:
    return (0, content.sha256) if isinstance(content, InArchive) else (len(content),)


def unpack_files(value: bytes) -> dict[str, bytes | InArchive]:
    start = 4 + int.from_bytes(value[:4], "big")
    head, _, texts = zlib.decompress(value[4:start]).partition(b"\n")
    left = {False: texts, True: value[start:]}
    taken = {False: 0, True: 0}
    files: dict[str, bytes | InArchive] = {}
    for name, length, *sha256 in json.loads(head):
        if sha256:
            files[name] = InArchive(*sha256)
            continue
        kind = is_picture(name)
        files[name] = left[kind][taken[kind] : taken[kind] + length]
        taken[kind] += length
    return files


def _join_contents(files: ReportFiles, *, pictures: bool) -> bytes:
    return b"".join(
        content for name, content in files.items() if is_picture(name) == pictures and isinstance(content, bytes)
    )


def is_picture(name: str) -> bool:
    """Return True for the name of a picture of a report."""
    return name.endswith(".png")


class UtcDateTime(TypeDecorator[dt.datetime]):
    """An aware datetime, stored in UTC on databases with and without time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without zone cannot be stored: {value}")
        return value.astimezone(dt.UTC)

    def process_result_value(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        if value is None:
            return None
        # SQLite returns naive datetimes, PostgreSQL those of the session's time zone.
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


def string_enum(kind: type[StrEnum], length: int) -> Enum:
    """Return a column type that stores the values of an enumeration as text, and raises LookupError for any other."""
    # By default SQLAlchemy stores the names of members, not their values, and any text.
    return Enum(
        kind,
        native_enum=False,
        validate_strings=True,
        length=length,
        values_callable=lambda kind: [each.value for each in kind],
    )


class CompressedBytes(TypeDecorator[bytes]):
    """Bytes at the lowest level of zlib: higher levels take twice the time and save a tenth of the space."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.compress(value, 1)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.decompress(value)


class CompressedMail(CompressedBytes):
    """A whole mail; a large one is only framed, at level 0 of zlib, as most of it is compressed and in base64."""

    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.compress(value, 0 if len(value) > LARGE_MAIL else 1)


class CompressedFiles(TypeDecorator[ReportFiles]):
    """Files by their names, as a bundle."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: ReportFiles | None, dialect: Dialect) -> bytes | None:
        return None if value is None else pack_files(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> ReportFiles | None:
        return None if value is None else unpack_files(value)


class CanonicalJson(TypeDecorator[Any]):
    """JSON data in its canonical text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else canonical_json(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)
