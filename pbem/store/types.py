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
from typing import Any

from sqlalchemy import DateTime, Enum, LargeBinary, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from pbem.ruleset.serialization import canonical_json


class CampaignState(StrEnum):
    """How far a campaign has come; one that has moved is played in another home."""

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
    """Whether a seat is in the game: where it is open nobody sits now, and somebody may take it over."""

    PLAYING = "playing"
    OPEN = "open"
    REMOVED = "removed"


class PageDelivery(StrEnum):
    """How a report comes as a page for a browser besides: not at all, with its mail, or behind a link to the site."""

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


UNSENT_STATES = (OutgoingState.QUEUED, OutgoingState.SENDING)
"""Mail that will go out, or is just going."""

SITE_KEY = "site"
"""The name of the fact that says of what the site was written last."""

LEVEL = 6
"""Of zlib. What is above it takes twice the time for a thousandth of the space."""


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Files, in their order, as one value."""
    head = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    packed = zlib.compress(b"\n".join([head, _join_contents(files, pictures=False)]), LEVEL)
    return len(packed).to_bytes(4, "big") + packed + _join_contents(files, pictures=True)


def unpack_files(value: bytes) -> dict[str, bytes]:
    """The files of a bundle."""
    start = 4 + int.from_bytes(value[:4], "big")
    head, _, texts = zlib.decompress(value[4:start]).partition(b"\n")
    left = {False: texts, True: value[start:]}
    taken = {False: 0, True: 0}
    files = {}
    for name, length in json.loads(head):
        kind = _is_picture(name)
        files[name] = left[kind][taken[kind] : taken[kind] + length]
        taken[kind] += length
    return files


def _join_contents(files: Mapping[str, bytes], *, pictures: bool) -> bytes:
    return b"".join(content for name, content in files.items() if _is_picture(name) == pictures)


def _is_picture(name: str) -> bool:
    return name.endswith(".png")


class UtcDateTime(TypeDecorator[dt.datetime]):
    """An aware datetime, kept in UTC on databases with and without zones."""

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
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


def string_enum(kind: type[StrEnum], length: int) -> Enum:
    """Words of a kind, kept as they are spelt."""
    return Enum(kind, native_enum=False, length=length, values_callable=lambda kind: [each.value for each in kind])


class CompressedBytes(TypeDecorator[bytes]):
    """Bytes, compressed lightly: higher levels cost twice the time for a tenth of the space."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.compress(value, 1)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.decompress(value)


class CompressedFiles(TypeDecorator[Mapping[str, bytes]]):
    """Files by their names."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Mapping[str, bytes] | None, dialect: Dialect) -> bytes | None:
        return None if value is None else pack_files(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> dict[str, bytes] | None:
        return None if value is None else unpack_files(value)


class CanonicalJson(TypeDecorator[Any]):
    """JSON data in its canonical text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else canonical_json(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)
