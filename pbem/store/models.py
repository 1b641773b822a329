"""Every table of the host. Times are UTC; states and mails are compressed.

A campaign's turn is one row: the state when it was opened, and after its run
the record of it. States never change once written, so rollback, rerun and replay
are look-ups.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, ClassVar

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, MetaData, String, Text, UniqueConstraint, false, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from pbem.store.types import (
    CampaignState,
    CanonicalJson,
    CompressedBytes,
    CompressedFiles,
    HoldKind,
    MessageState,
    OutgoingState,
    PageDelivery,
    SeatState,
    StandbyState,
    UtcDateTime,
    string_enum,
)


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
    type_annotation_map: ClassVar[dict[Any, Any]] = {dt.datetime: UtcDateTime, bytes: LargeBinary, str: Text}


class Person(Base):
    """Somebody who plays or wishes to play, in as many campaigns as he likes: one identity, one address.

    `key` is the address in lower case. `fallback` is a second address, for mail
    that the first refuses; `plain` asks for mail without HTML and pictures,
    `calendar` for deadlines as files for calendars. `pages` is how he wants
    reports as pages, None for as the house rules of his campaigns have it.
    """

    __tablename__ = "person"

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str] = mapped_column(String(254))
    key: Mapped[str] = mapped_column(String(254), unique=True)
    fallback: Mapped[str] = mapped_column(String(254), default="")
    plain: Mapped[bool] = mapped_column(default=False)
    calendar: Mapped[bool] = mapped_column(default=True)
    pages: Mapped[PageDelivery | None] = mapped_column(string_enum(PageDelivery, 10), default=None)
    created_at: Mapped[dt.datetime]


class Campaign(Base):
    """One running game. `status` is "forming", "running", "over" or "moved"; `turn` is the number of the open turn.

    `policy` holds the GM's house rules of the campaign that differ from the
    defaults (`pbem.campaign.house_rules`). `seed` is the sealed one of the dice;
    `dice_words`, fixed at the start, are mixed with it: lists of seat, word, and
    whether it is its player's own. Campaigns begun before there were words have
    none. `hold_kind` and `hold_reason` are why no turn is run until the GM releases it
    (`pbem.campaign.snapshot`). `moved_to` is the address at which a campaign that has moved is played.
    Once all sheets are in, a turn still waits `settle_minutes`, for second
    thoughts. `era` counts how often the past was changed: it stands in codes and
    Message-IDs, so that none is given twice. `origin` is the number of its
    set-up, the turn before its first: 0, but for a game taken over from
    elsewhere. `given` is the state that one begins with, as canonical JSON,
    until it does; afterwards its set-up has it.
    """

    __tablename__ = "campaign"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    game: Mapped[str] = mapped_column(String(40))
    version: Mapped[int]
    options: Mapped[Any] = mapped_column(CanonicalJson)
    gm: Mapped[str] = mapped_column(String(254))
    schedule: Mapped[str] = mapped_column(String(120))
    settle_minutes: Mapped[int] = mapped_column(default=30)
    status: Mapped[CampaignState] = mapped_column(string_enum(CampaignState, 10), default=CampaignState.FORMING)
    turn: Mapped[int] = mapped_column(default=0)
    seed: Mapped[bytes]
    dice_words: Mapped[Any] = mapped_column(CanonicalJson, default=list)
    mail_key: Mapped[bytes]
    created_at: Mapped[dt.datetime]
    policy: Mapped[Any] = mapped_column(CanonicalJson, default=dict)
    gm_token_hash: Mapped[str] = mapped_column(String(64), default="")
    hold_kind: Mapped[HoldKind] = mapped_column(string_enum(HoldKind, 10), default=HoldKind.NONE)
    hold_reason: Mapped[str] = mapped_column(default="")
    moved_to: Mapped[str] = mapped_column(default="")
    era: Mapped[int] = mapped_column(default=0)
    origin: Mapped[int] = mapped_column(default=0)
    # Large, and wanted once: not read with the rest.
    given: Mapped[bytes | None] = mapped_column(CompressedBytes, deferred=True)

    seats: Mapped[list[Seat]] = relationship(back_populates="campaign", order_by="Seat.id")


class Seat(Base):
    """A place at a campaign's table and who sits there.

    `status` is "playing", "open" (nobody sits there now, and somebody may take
    it over) or "removed" (taken out of the game). A `paused` seat is not waited
    for. The token itself stands only in its player's welcome mail; here is its
    hash. `muted` are the seats whose press its player does not want.
    `dice_word` is the player's own word for the dice, "" if it is drawn for him;
    `dice_code` is the reply code of the mail that tells him of it, before the start.
    `since` is when its player took it over from another, whose missed sheets are not his.
    """

    __tablename__ = "seat"
    __table_args__ = (UniqueConstraint("campaign_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    name: Mapped[str] = mapped_column(String(20))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64))
    status: Mapped[SeatState] = mapped_column(string_enum(SeatState, 10), default=SeatState.PLAYING)
    paused: Mapped[bool] = mapped_column(default=False)
    muted: Mapped[Any] = mapped_column(CanonicalJson, default=list)
    dice_word: Mapped[str] = mapped_column(default="")
    dice_code: Mapped[str] = mapped_column(String(32), default="", index=True)
    nmr_in_a_row: Mapped[int] = mapped_column(default=0)
    nmr_total: Mapped[int] = mapped_column(default=0)
    since: Mapped[dt.datetime | None]

    campaign: Mapped[Campaign] = relationship(back_populates="seats")
    person: Mapped[Person | None] = relationship()

    @property
    def address(self) -> str:
        """Where its player is written to; "" when nobody sits there."""
        return self.person.address if self.person else ""


class Deputy(Base):
    """Somebody who may send sheets for a seat in its player's place, for a time."""

    __tablename__ = "deputy"

    id: Mapped[int] = mapped_column(primary_key=True)
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    since: Mapped[dt.datetime]
    until: Mapped[dt.datetime]


class Absence(Base):
    """A time in which a seat's player cannot send orders; deadlines to come keep out of it."""

    __tablename__ = "absence"

    id: Mapped[int] = mapped_column(primary_key=True)
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    since: Mapped[dt.datetime]
    until: Mapped[dt.datetime]


class Standby(Base):
    """Somebody who wishes to play in a campaign. `status` is "waiting", "seated" or "left".

    Those who wait for the start or for a seat to come free are ordered by their
    ids; `wish` is the seat they would like, `words` what they wrote to the GM.
    """

    __tablename__ = "applicant"
    __table_args__ = (UniqueConstraint("campaign_id", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    wish: Mapped[str] = mapped_column(String(20), default="")
    words: Mapped[str] = mapped_column(default="")
    status: Mapped[StandbyState] = mapped_column(string_enum(StandbyState, 10), default=StandbyState.WAITING)
    created_at: Mapped[dt.datetime]


class PendingRequest(Base):
    """Something that waits to be confirmed by whoever has its `code`, which was mailed to one address.

    `kind` is "join", "invite", "address", "new_address", "fallback", "deputy", "import", or
    "message" for a mail that waits until its owner says that it is theirs; `data` is
    what it is about. `message_id` is the mail that asked for it, "" where a reply
    shows the code in any case.
    """

    __tablename__ = "request"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(12))
    code: Mapped[str] = mapped_column(String(32), unique=True)
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id"))
    data: Mapped[Any] = mapped_column(CanonicalJson)
    message_id: Mapped[str] = mapped_column(String(200), default="", index=True)
    created_at: Mapped[dt.datetime]
    done_at: Mapped[dt.datetime | None]


class WithdrawnTurns(Base):
    """What a rollback or a second run took out of a campaign's history; nothing of it is thrown away.

    `kind` is "rollback", "rerun", "undo" or "repair"; `first` is the number of the first turn on it.
    """

    __tablename__ = "shelf"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    kind: Mapped[str] = mapped_column(String(10))
    first: Mapped[int]
    at: Mapped[dt.datetime]


class StoredRoll(Base):
    """What a GM rolled in a turn, by its number; a rollback leaves it as it is.

    `number` counts the rolls of its turn with the same `label`; what the dice
    showed follows from the seed of the campaign (`pbem.campaign.history`).
    """

    __tablename__ = "roll"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    turn: Mapped[int]
    label: Mapped[str]
    dice: Mapped[str] = mapped_column(String(40))
    number: Mapped[int]
    at: Mapped[dt.datetime]


_SHELVED = text("shelf_id IS NOT NULL")
_UNARCHIVED = text("archived_at IS NULL AND shelf_id IS NULL")


class Turn(Base):
    """One turn: the state it opens with and, once `resolved_at` is set, the record of its run.

    `awaited` are the seats asked for orders. The unique number and the guarded
    update of `resolved_at` make sure that a turn runs once. A turn on a shelf
    is no longer part of the campaign's history: all who look for turns ask for
    those with no `shelf_id`. `ruling` is what a GM who adjudicates has decided.

    `reminded_at` is when players were last told of the deadline: before it by
    reminders, from then on as being late. `archived_at` is when its folder was
    written; on a shelf it says that the folder may still have to be set aside.
    """

    __tablename__ = "turn"
    __table_args__ = (
        Index(
            "uq_turn_live",
            "campaign_id",
            "number",
            unique=True,
            sqlite_where=text("shelf_id IS NULL"),
            postgresql_where=text("shelf_id IS NULL"),
        ),
        # What each tick asks for of all turns; their rows, with states and records in them, are long to look through.
        Index("ix_turn_shelved", "campaign_id", sqlite_where=_SHELVED, postgresql_where=_SHELVED),
        Index("ix_turn_unarchived", "id", sqlite_where=_UNARCHIVED, postgresql_where=_UNARCHIVED),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    shelf_id: Mapped[int | None] = mapped_column(ForeignKey("shelf.id"))
    number: Mapped[int]
    awaited: Mapped[Any] = mapped_column(CanonicalJson)
    state: Mapped[bytes] = mapped_column(CompressedBytes)
    state_hash: Mapped[str] = mapped_column(String(64))
    opened_at: Mapped[dt.datetime]
    deadline: Mapped[dt.datetime | None]
    reminded_at: Mapped[dt.datetime | None]
    extensions: Mapped[int] = mapped_column(default=0)
    ruling: Mapped[Any] = mapped_column(CanonicalJson, nullable=True)
    resolved_at: Mapped[dt.datetime | None]
    record: Mapped[bytes | None] = mapped_column(CompressedBytes)
    archived_at: Mapped[dt.datetime | None]


class ExtensionVote(Base):
    """A seat's wish for more time for a turn."""

    __tablename__ = "vote"
    __table_args__ = (UniqueConstraint("turn_id", "seat_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"))
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    at: Mapped[dt.datetime]


class Report(Base):
    """What a seat was shown when a turn opened: the view its sheets are read against, and its reply code.

    `edition` is 1, and more for a corrected report.
    """

    __tablename__ = "report"
    __table_args__ = (UniqueConstraint("turn_id", "seat_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"))
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    code: Mapped[str] = mapped_column(String(32), unique=True)
    message_id: Mapped[str] = mapped_column(String(200), index=True)
    edition: Mapped[int] = mapped_column(default=1)
    view: Mapped[bytes] = mapped_column(CompressedBytes)
    files: Mapped[Mapping[str, bytes]] = mapped_column(CompressedFiles)
    """The parts of the report as mailed, for the archive, by their names there."""


class DeputyReport(Base):
    """A report as somebody was mailed it who stands in for the seat's player: with a reply code that is his alone.

    The code and the Message-ID are good while he stands in.
    """

    __tablename__ = "report_copy"

    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), index=True)
    deputy_id: Mapped[int] = mapped_column(ForeignKey("deputy.id"), index=True)
    code: Mapped[str] = mapped_column(String(32), unique=True)
    message_id: Mapped[str] = mapped_column(String(200), index=True)


class StoredAttachment(Base):
    """A picture or file that a GM has enclosed with a ruling, by the hex SHA-256 of its bytes: each is kept once.

    `turn_id` is the turn for which it came first.
    """

    __tablename__ = "enclosed"
    __table_args__ = (UniqueConstraint("campaign_id", "sha256"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"), index=True)
    sha256: Mapped[str] = mapped_column(String(64))
    content: Mapped[bytes] = mapped_column(LargeBinary)


_UNWRITTEN = text("written_at IS NULL")


class SealedPage(Base):
    """A report as a page that a link opens: the file for `place` on the site. Its key is in the mail with the link.

    It was made for the player, `person_id`, that `seat_id` had then; pages of older versions know neither.
    `written_at` is when it was put on the site, `withdrawn_at` when it was removed and its content dropped.
    """

    __tablename__ = "sealed_page"
    __table_args__ = (Index("ix_sealed_page_unwritten", "id", sqlite_where=_UNWRITTEN, postgresql_where=_UNWRITTEN),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    seat_id: Mapped[int | None] = mapped_column(ForeignKey("seat.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    place: Mapped[str] = mapped_column(String(60), unique=True)
    content: Mapped[bytes] = mapped_column(CompressedBytes)
    written_at: Mapped[dt.datetime | None]
    withdrawn_at: Mapped[dt.datetime | None]


class KeyValue(Base):
    """What the house remembers of itself, under a name."""

    __tablename__ = "fact"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    data: Mapped[Any] = mapped_column(CanonicalJson)


class Worker(Base):
    """A worker that is at work on this database, by its number among procrastinate's.

    `queues` are the names of those it serves; `machine` and `process` say where it runs.
    """

    __tablename__ = "worker"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    machine: Mapped[str] = mapped_column(String(254))
    process: Mapped[int]
    queues: Mapped[Any] = mapped_column(CanonicalJson)
    since: Mapped[dt.datetime]


_UNMASKED = text("masked_at IS NULL")


class InboxMessage(Base):
    """A mail as it came. `state` is "new", "processed" or "quarantined"; `note` says what became of it.

    What was found when it was read: its `sender` in lower case ("" if none can
    be read), the receiving server's `verdict` on him, and which right `key` the
    letter showed ("" for none); all three are NULL before. `unanswered`: an
    answer was due and was not given. `attempts` is what is noted of reading that
    was begun and neither ended nor given up in good order (`pbem.inbox.message_queue`). Once it is
    processed, no token is left in it from `masked_at` on. Where workers share the work, `lane` is the
    campaign in whose order it is dealt with, "" if it is dealt with alone, and
    NULL before anybody has looked.
    """

    __tablename__ = "letter"
    __table_args__ = (
        UniqueConstraint("mailbox", "uid_validity", "uid"),
        Index("ix_letter_state", "state", "id"),
        Index("ix_letter_sender", "sender", "key", "verdict", "received_at"),
        Index(
            "ix_letter_unanswered", "received_at", sqlite_where=text("unanswered"), postgresql_where=text("unanswered")
        ),
        Index("ix_letter_unmasked", "state", "id", sqlite_where=_UNMASKED, postgresql_where=_UNMASKED),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    mailbox: Mapped[str] = mapped_column(String(200))
    uid_validity: Mapped[str] = mapped_column(String(40))
    uid: Mapped[str] = mapped_column(String(200))
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    received_at: Mapped[dt.datetime]
    raw: Mapped[bytes] = mapped_column(CompressedBytes)
    state: Mapped[MessageState] = mapped_column(string_enum(MessageState, 12), default=MessageState.NEW)
    note: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    sender: Mapped[str | None] = mapped_column(String(254))
    verdict: Mapped[str | None] = mapped_column(String(4))
    key: Mapped[str | None] = mapped_column(String(40))
    lane: Mapped[str | None] = mapped_column(String(40))
    unanswered: Mapped[bool] = mapped_column(default=False, server_default=false())
    masked_at: Mapped[dt.datetime | None]


class OrderSheet(Base):
    """An order sheet as received and as understood. Of a seat's sheets for a turn the last accepted one counts.

    `wait`: the turn is not to run before its deadline, because the player said so or the sheet is not complete.
    `author` is "player", "deputy" or "gm".
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
    orders: Mapped[Any] = mapped_column(CanonicalJson)
    findings: Mapped[Any] = mapped_column(CanonicalJson)
    received_at: Mapped[dt.datetime]
    author: Mapped[str] = mapped_column(String(10), default="player")


_STRANGER = text("kind = 'stranger'")


class OutgoingMail(Base):
    """A mail to be sent, whole.

    `state` is "queued", "sending", "sent", "failed", "bounced", or "superseded" by
    a later mail of the same `topic` while it still waited. `kind` says what it
    is ("report", "receipt", …). `provider` is the domain it goes to; `form` how
    it goes: "full", or "text" as text alone. `reply` is what the other side
    said last: the carrier, or the delivery report of a mail that bounced. When
    it cannot come back any more its text alone is left, without tokens, from
    `masked_at` on.
    """

    __tablename__ = "outgoing"
    __table_args__ = (
        Index("ix_outgoing_due", "state", "not_before", "id"),
        Index("ix_outgoing_provider", "provider", "sent_at"),
        Index("ix_outgoing_topic", "topic", "state"),
        Index("ix_outgoing_stranger", "created_at", "provider", sqlite_where=_STRANGER, postgresql_where=_STRANGER),
        Index("ix_outgoing_unmasked", "state", "sent_at", sqlite_where=_UNMASKED, postgresql_where=_UNMASKED),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"), index=True)
    kind: Mapped[str] = mapped_column(String(12), default="")
    topic: Mapped[str | None] = mapped_column(String(120))
    recipient: Mapped[str] = mapped_column(String(254))
    provider: Mapped[str] = mapped_column(String(254), default="")
    form: Mapped[str] = mapped_column(String(10), default="full")
    message_id: Mapped[str] = mapped_column(String(200), unique=True)
    raw: Mapped[bytes] = mapped_column(CompressedBytes)
    state: Mapped[OutgoingState] = mapped_column(string_enum(OutgoingState, 10), default=OutgoingState.QUEUED)
    attempts: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[dt.datetime]
    created_at: Mapped[dt.datetime]
    sent_at: Mapped[dt.datetime | None]
    reply: Mapped[str] = mapped_column(default="")
    masked_at: Mapped[dt.datetime | None]


class Press(Base):
    """Words between players. `kind` is "press", "news" (for the paper that goes with reports) or "diary".

    `turn` is the open turn when it was written. `sender_id` is None for the GM;
    `recipients` are seats, None for all. `anonymous`: readers are not told the
    sender. `published_at` is None until it has been sent on.
    """

    __tablename__ = "press"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    turn: Mapped[int]
    kind: Mapped[str] = mapped_column(String(10))
    sender_id: Mapped[int | None] = mapped_column(ForeignKey("seat.id"))
    recipients: Mapped[Any] = mapped_column(CanonicalJson, nullable=True)
    anonymous: Mapped[bool] = mapped_column(default=False)
    text: Mapped[str]
    at: Mapped[dt.datetime]
    published_at: Mapped[dt.datetime | None]


class Announcement(Base):
    """A GM's words for the reports that open turn `turn`: to one seat, or to all."""

    __tablename__ = "gm_text"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    turn: Mapped[int]
    seat_id: Mapped[int | None] = mapped_column(ForeignKey("seat.id"))
    text: Mapped[str]
    at: Mapped[dt.datetime]


class JournalEntry(Base):
    """The journal: what was done to a campaign, when, and by whom.

    Players may read it where their campaign says so, except acts that are `secret`.
    One with a `turn` is told to all of them, in the report that opens the turn after it.
    """

    __tablename__ = "act"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    at: Mapped[dt.datetime]
    actor: Mapped[str] = mapped_column(String(254))
    text: Mapped[str]
    secret: Mapped[bool] = mapped_column(default=False)
    turn: Mapped[int | None]
