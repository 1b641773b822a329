"""Every table the host has. Times are UTC; states and mails are compressed.

A campaign's turn is one row: the state when it was opened, and after its run
the record of what was done. States never change once written, so rollback,
rerun and replay are look-ups.
"""

from __future__ import annotations

import datetime as dt
import json
import zlib
from typing import Any, ClassVar

from sqlalchemy import DateTime, ForeignKey, Index, LargeBinary, MetaData, String, Text, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import TypeDecorator

from pbem.ruleset import canonical


class Utc(TypeDecorator[dt.datetime]):
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


class Packed(TypeDecorator[bytes]):
    """Bytes, compressed lightly: higher levels cost twice the time for a tenth of the space."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.compress(value, 1)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else zlib.decompress(value)


class Data(TypeDecorator[Any]):
    """JSON data in its canonical text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else canonical(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class Base(DeclarativeBase):
    """Base of all tables. Constraints are named by rule, so that migrations can change them on SQLite too."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {dt.datetime: Utc, bytes: LargeBinary, str: Text}


class Campaign(Base):
    """One running game. `status` is "forming", "running" or "over"; `turn` is the number of the open turn."""

    __tablename__ = "campaign"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    game: Mapped[str] = mapped_column(String(40))
    version: Mapped[int]
    options: Mapped[Any] = mapped_column(Data)
    gm: Mapped[str] = mapped_column(String(254))
    schedule: Mapped[str] = mapped_column(String(120))
    settle_minutes: Mapped[int] = mapped_column(default=30)
    status: Mapped[str] = mapped_column(String(10), default="forming")
    turn: Mapped[int] = mapped_column(default=0)
    seed: Mapped[bytes]
    mail_key: Mapped[bytes]
    created_at: Mapped[dt.datetime]

    seats: Mapped[list[SeatRow]] = relationship(back_populates="campaign", order_by="SeatRow.id")


class SeatRow(Base):
    """A place at a campaign's table and who sits there. `status` is "playing" or "removed".

    The token itself stands only in its player's welcome mail; here is its hash.
    """

    __tablename__ = "seat"
    __table_args__ = (UniqueConstraint("campaign_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    name: Mapped[str] = mapped_column(String(20))
    address: Mapped[str] = mapped_column(String(254))
    token_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(String(10), default="playing")
    nmr_in_a_row: Mapped[int] = mapped_column(default=0)
    nmr_total: Mapped[int] = mapped_column(default=0)

    campaign: Mapped[Campaign] = relationship(back_populates="seats")


class Turn(Base):
    """One turn: the state it opens with and, once `resolved_at` is set, the record of its run.

    `awaited` are the seats asked for orders. The unique number and the guarded
    update of `resolved_at` make sure that a turn runs once.
    """

    __tablename__ = "turn"
    __table_args__ = (UniqueConstraint("campaign_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    number: Mapped[int]
    awaited: Mapped[Any] = mapped_column(Data)
    state: Mapped[bytes] = mapped_column(Packed)
    state_hash: Mapped[str] = mapped_column(String(64))
    opened_at: Mapped[dt.datetime]
    deadline: Mapped[dt.datetime | None]
    reminded_at: Mapped[dt.datetime | None]
    resolved_at: Mapped[dt.datetime | None]
    record: Mapped[bytes | None] = mapped_column(Packed)
    archived_at: Mapped[dt.datetime | None]


class Report(Base):
    """What a seat was shown when a turn opened: the view its sheets are read against, and its reply code."""

    __tablename__ = "report"
    __table_args__ = (UniqueConstraint("turn_id", "seat_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"))
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    code: Mapped[str] = mapped_column(String(32), unique=True)
    message_id: Mapped[str] = mapped_column(String(200), index=True)
    view: Mapped[bytes] = mapped_column(Packed)
    files: Mapped[bytes] = mapped_column(Packed)
    """The parts of the report as mailed, for the archive: JSON of name → text, pictures in base64."""


class Letter(Base):
    """A mail as it came. `state` is "new", "done" or "quarantined"; `note` says what became of it."""

    __tablename__ = "letter"
    __table_args__ = (UniqueConstraint("mailbox", "uid_validity", "uid"), Index("ix_letter_state", "state", "id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    mailbox: Mapped[str] = mapped_column(String(200))
    uid_validity: Mapped[str] = mapped_column(String(40))
    uid: Mapped[str] = mapped_column(String(200))
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    received_at: Mapped[dt.datetime]
    raw: Mapped[bytes] = mapped_column(Packed)
    state: Mapped[str] = mapped_column(String(12), default="new")
    note: Mapped[str] = mapped_column(default="")


class Sheet(Base):
    """An order sheet as received and as understood. Of a seat's sheets for a turn the last accepted one counts.

    `wait`: the turn is not to run before its deadline, because the player said so or the sheet is not complete.
    """

    __tablename__ = "sheet"
    __table_args__ = (UniqueConstraint("turn_id", "seat_id", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"))
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    letter_id: Mapped[int | None] = mapped_column(ForeignKey("letter.id"))
    version: Mapped[int]
    accepted: Mapped[bool]
    wait: Mapped[bool]
    digest: Mapped[str] = mapped_column(String(64))
    text: Mapped[str]
    orders: Mapped[Any] = mapped_column(Data)
    findings: Mapped[Any] = mapped_column(Data)
    received_at: Mapped[dt.datetime]


class Outgoing(Base):
    """A mail to be sent, whole. `state` is "queued", "sending", "sent", "failed" or "bounced".

    `reply` is what the other side said last: the carrier, or the delivery report of a mail that bounced.
    """

    __tablename__ = "outgoing"
    __table_args__ = (Index("ix_outgoing_due", "state", "not_before", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id"))
    recipient: Mapped[str] = mapped_column(String(254))
    message_id: Mapped[str] = mapped_column(String(200), unique=True)
    raw: Mapped[bytes] = mapped_column(Packed)
    state: Mapped[str] = mapped_column(String(10), default="queued")
    attempts: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[dt.datetime]
    created_at: Mapped[dt.datetime]
    sent_at: Mapped[dt.datetime | None]
    reply: Mapped[str] = mapped_column(default="")


class Act(Base):
    """The journal: what was done to a campaign, when, and by whom."""

    __tablename__ = "act"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    at: Mapped[dt.datetime]
    actor: Mapped[str] = mapped_column(String(254))
    text: Mapped[str]
