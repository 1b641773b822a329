"""All tables of the host. Times are UTC; states and mails are compressed.

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

from pbem.store.columns import Form, Leaves, Undo, Undoing, column, facts
from pbem.store.types import (
    Author,
    CampaignState,
    CanonicalJson,
    CompressedBytes,
    CompressedFiles,
    CompressedMail,
    HoldKind,
    MailForm,
    MessageState,
    OutgoingState,
    PageDelivery,
    PressKind,
    ReportFiles,
    RequestKind,
    SeatState,
    SenderVerdict,
    StandbyState,
    UtcDateTime,
    WithdrawalKind,
    string_enum,
)


class Base(DeclarativeBase):
    """Base of all tables. Constraints have names by rule, so that migrations can change them on SQLite too."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {dt.datetime: UtcDateTime, bytes: LargeBinary, str: Text}


def _partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """Return an index of the rows that meet a condition.

    The migrations make it so, and a test compares them: the keywords of SQLAlchemy would load the dialects of both
    databases, which takes an eighth of the start.
    """
    return Index(name, *columns, unique=unique, info={"where": where})


class Person(Base):
    """A person who plays or wants to play, in any number of campaigns: one identity, one address for mail.

    `key` is the address in lower case. `fallback` is a second address, for mail
    that the first refuses; `plain` asks for mail without HTML and pictures,
    `calendar` for deadlines as calendar files. `pages` is the wish for reports as
    pages, with None for that of each campaign. `zone` is the time zone in which they
    read times, "" for that of each campaign. A row with `also`, the key of another, is
    no person but a further address of that one, who alone has seats and gets mail.
    """

    __tablename__ = "person"
    __table_args__ = facts(Leaves.CAMPAIGN)

    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str] = column(String(254), form=Form.ADDRESS, planned=True)
    key: Mapped[str] = column(String(254), form=Form.MADE_ANEW, unique=True)
    fallback: Mapped[str] = column(String(254), form=Form.ADDRESS_OR_NONE, default="")
    plain: Mapped[bool] = column(default=False, planned=True)
    calendar: Mapped[bool] = mapped_column(default=True)
    pages: Mapped[PageDelivery | None] = column(string_enum(PageDelivery, 10), default=None, planned=True)
    zone: Mapped[str] = column(String(64), form=Form.ZONE_OR_NONE, default="", server_default=text("''"), planned=True)
    also: Mapped[str] = column(String(254), default="", server_default=text("''"), left="")
    created_at: Mapped[dt.datetime]


class Campaign(Base):
    """One play of a game. `status` is "forming", "running", "over" or "moved"; `turn` is the number of the open turn.

    `policy` holds the house rules that were set, but for the `schedule`
    (`pbem.campaign.house_rules`). `seed` is the sealed seed of the dice; `dice_words`,
    fixed at the start, are mixed with it: lists of seat, word, and whether the player
    chose it. Campaigns that started before there were words have none. `hold_kind` and
    `hold_reason` say why no turn is run until the GM releases the campaign
    (`pbem.campaign.snapshot`). `moved_to` is the address at which a campaign that has
    moved is played. `revision` counts the changes of the past: it is part of codes and
    Message-IDs, so that none is used twice. `origin` is the number of the set-up, the
    turn before the first: 0, except for a game taken over from elsewhere. `given` is
    the initial state of such a game as canonical JSON, until the campaign starts;
    afterwards its set-up has it.
    """

    __tablename__ = "campaign"
    __table_args__ = facts(Leaves.HISTORY, Undoing())

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = column(String(40), form=Form.CAMPAIGN_NAME, unique=True)
    game: Mapped[str] = column(String(40), form=Form.MADE_ANEW)
    version: Mapped[int] = column(form=Form.MADE_ANEW, planned=True)
    options: Mapped[Any] = column(CanonicalJson, form=Form.MADE_ANEW)
    gm: Mapped[str] = column(String(254), form=Form.ADDRESS, planned=True)
    gm_name: Mapped[str] = column(String(60), form=Form.PERSON_NAME_OR_NONE, default="", planned=True)
    schedule: Mapped[str] = column(String(120), form=Form.SCHEDULE, undo=Undo.SET, planned=True)
    status: Mapped[CampaignState] = column(
        string_enum(CampaignState, 10), default=CampaignState.FORMING, left=CampaignState.RUNNING, planned=True
    )
    turn: Mapped[int] = column(form=Form.MADE_ANEW, default=0, planned=True)
    seed: Mapped[bytes] = column(form=Form.SECRET)
    dice_words: Mapped[Any] = column(CanonicalJson, form=Form.MADE_ANEW, default=list, planned=True)
    mail_key: Mapped[bytes] = column(form=Form.MADE_ANEW)
    created_at: Mapped[dt.datetime]
    policy: Mapped[Any] = column(CanonicalJson, form=Form.HOUSE_RULES, default=dict, undo=Undo.SET, planned=True)
    gm_token_hash: Mapped[str] = column(String(64), default="", left="")
    hold_kind: Mapped[HoldKind] = column(
        string_enum(HoldKind, 10), default=HoldKind.NONE, left=HoldKind.NONE, undo=Undo.SET, planned=True
    )
    hold_reason: Mapped[str] = column(default="", left="", undo=Undo.SET, planned=True)
    moved_to: Mapped[str] = column(default="", left="", planned=True)
    revision: Mapped[int] = column(default=0, planned=True)
    origin: Mapped[int] = column(form=Form.MADE_ANEW, default=0)
    # Large, and needed once: not loaded with the rest.
    given: Mapped[bytes | None] = column(CompressedBytes, form=Form.MADE_ANEW, deferred=True)

    seats: Mapped[list[Seat]] = relationship(back_populates="campaign", order_by="Seat.id")


class Seat(Base):
    """A seat of a campaign, and its player.

    `status` is "playing", "open" (it has no player, and a standby may take it), "bot" (it has no player, and
    the game's bot orders for it) or "removed" (taken out of the game). The orders of a `paused` seat are not awaited.
    `token_hash` is the hash of the token; the token itself is only in the player's
    welcome mail. `muted` are the seats whose press the player does not want.
    `dice_word` is the player's own word for the dice, "" if one is drawn; `dice_code`
    is the reply code of the mail about it, before the start. `since` is when the
    player took the seat over from another, whose missed sheets do not count.
    """

    __tablename__ = "seat"
    __table_args__ = (UniqueConstraint("campaign_id", "name"), facts(Leaves.HISTORY, Undoing()))

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    name: Mapped[str] = column(String(20), form=Form.SEAT)
    person_id: Mapped[int | None] = column(ForeignKey("person.id"), index=True, undo=Undo.SET, planned=True)
    token_hash: Mapped[str] = column(String(64), left="", undo=Undo.SET)
    status: Mapped[SeatState] = column(
        string_enum(SeatState, 10), default=SeatState.PLAYING, undo=Undo.SET, planned=True
    )
    paused: Mapped[bool] = column(default=False, undo=Undo.SET, planned=True)
    muted: Mapped[Any] = column(CanonicalJson, form=Form.SEATS, default=list, undo=Undo.SET, planned=True)
    dice_word: Mapped[str] = column(form=Form.DICE_WORD, default="", undo=Undo.SET, planned=True)
    dice_code: Mapped[str] = column(String(32), default="", index=True, left="", undo=Undo.SET)
    nmr_in_a_row: Mapped[int] = column(default=0, undo=Undo.SET)
    nmr_total: Mapped[int] = column(default=0, undo=Undo.SET)
    since: Mapped[dt.datetime | None] = column(undo=Undo.SET)

    campaign: Mapped[Campaign] = relationship(back_populates="seats")
    person: Mapped[Person | None] = relationship()

    @property
    def address(self) -> str:
        """The address of the player, or "" for a seat without one."""
        return self.person.address if self.person else ""


class Deputy(Base):
    """A person who may send sheets for a seat in its player's place, for a time."""

    __tablename__ = "deputy"
    __table_args__ = facts(Leaves.HOME, Undoing(removes=True))

    id: Mapped[int] = mapped_column(primary_key=True)
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    since: Mapped[dt.datetime]
    until: Mapped[dt.datetime]


class Absence(Base):
    """A time in which a seat's player cannot send orders; later deadlines keep out of it."""

    __tablename__ = "absence"
    __table_args__ = facts(Leaves.CAMPAIGN, Undoing(removes=True))

    id: Mapped[int] = mapped_column(primary_key=True)
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    since: Mapped[dt.datetime] = column(planned=True)
    until: Mapped[dt.datetime] = column(planned=True)


class Standby(Base):
    """A person who wants to play in a campaign. `status` is "waiting", "seated" or "left".

    `wish` is the seat wanted, `words` is what the person wrote to the GM.
    """

    __tablename__ = "applicant"
    __table_args__ = (UniqueConstraint("campaign_id", "person_id"), facts(Leaves.HOME, Undoing()))

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    wish: Mapped[str] = mapped_column(String(20), default="")
    words: Mapped[str] = mapped_column(default="")
    status: Mapped[StandbyState] = column(string_enum(StandbyState, 10), default=StandbyState.WAITING, undo=Undo.SET)
    created_at: Mapped[dt.datetime]


class PendingRequest(Base):
    """A request that waits for its confirmation by `code`, which was mailed to one address.

    `data` depends on its `kind`. `message_id` is the mail that asked for
    confirmation, "" where a reply shows the code in any case.
    """

    __tablename__ = "request"
    __table_args__ = facts(Leaves.HOME, Undoing({"kind": RequestKind.INVITE, "done_at": None}, adds=True))

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[RequestKind] = mapped_column(string_enum(RequestKind, 12))
    code: Mapped[str] = column(String(32), unique=True, undo=Undo.SET)
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id"))
    data: Mapped[Any] = mapped_column(CanonicalJson)
    message_id: Mapped[str] = mapped_column(String(200), default="", index=True)
    created_at: Mapped[dt.datetime]
    done_at: Mapped[dt.datetime | None]


class WithdrawnTurns(Base):
    """The turns that one rollback or rerun took out of a campaign's history; none of them is deleted.

    `first` is the number of the first of these turns.
    """

    __tablename__ = "withdrawal"
    __table_args__ = facts(Leaves.CAMPAIGN)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    kind: Mapped[WithdrawalKind] = mapped_column(string_enum(WithdrawalKind, 10))
    first: Mapped[int]
    at: Mapped[dt.datetime]


class StoredRoll(Base):
    """A roll of the GM in a turn, by the number of the turn; a rollback leaves it as it is.

    `number` counts the rolls of its turn with the same `label`; the faces of the dice
    follow from the seed of the campaign (`pbem.campaign.history`).
    """

    __tablename__ = "roll"
    __table_args__ = facts(Leaves.HISTORY)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    turn: Mapped[int] = column(until=0, planned=True)
    label: Mapped[str]
    dice: Mapped[str] = column(String(40), form=Form.DICE)
    number: Mapped[int]
    at: Mapped[dt.datetime]


class Turn(Base):
    """One turn: the state it opens with and, once `resolved_at` is set, the record of its run.

    `awaited` are the seats asked for orders. The unique number and the guarded
    update of `resolved_at` make sure that a turn runs once. A turn with a `withdrawal_id` is
    withdrawn, and no part of the campaign's history: queries for turns leave it out.
    `ruling` is the ruling of a GM who adjudicates.

    `reminded_at` is when players were last told of the deadline: before it by
    reminders, from then on as being late. `archived_at` is when its folder was
    written; for a withdrawn turn it says that the folder may still have to be moved.
    """

    __tablename__ = "turn"
    __table_args__ = (
        _partial_index(
            # One live turn of each number; withdrawn turns keep theirs.
            "uq_turn_live",
            "campaign_id",
            "number",
            unique=True,
            where="withdrawal_id IS NULL",
        ),
        # For queries of each tick over all turns, whose rows are long: they hold states and records.
        _partial_index("ix_turn_withdrawn", "campaign_id", where="withdrawal_id IS NOT NULL"),
        _partial_index("ix_turn_unarchived", "id", where="archived_at IS NULL AND withdrawal_id IS NULL"),
        facts(Leaves.HISTORY, Undoing({"withdrawal_id": None, "resolved_at": None})),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    withdrawal_id: Mapped[int | None] = mapped_column(ForeignKey("withdrawal.id"))
    number: Mapped[int] = column(until=0, planned=True)
    awaited: Mapped[Any] = column(CanonicalJson, form=Form.SEATS)
    state: Mapped[bytes] = mapped_column(CompressedBytes)
    state_hash: Mapped[str] = column(String(64), form=Form.MADE_ANEW)
    opened_at: Mapped[dt.datetime]
    deadline: Mapped[dt.datetime | None] = column(undo=Undo.SET, planned=True)
    reminded_at: Mapped[dt.datetime | None] = column(undo=Undo.MILD)
    extensions: Mapped[int] = mapped_column(default=0)
    ruling: Mapped[Any] = column(CanonicalJson, nullable=True, undo=Undo.SET, planned=True)
    resolved_at: Mapped[dt.datetime | None] = column(planned=True, form=Form.MADE_ANEW)
    record: Mapped[bytes | None] = mapped_column(CompressedBytes)
    archived_at: Mapped[dt.datetime | None] = column(form=Form.MADE_ANEW)


class ExtensionVote(Base):
    """A seat's vote for more time in a turn."""

    __tablename__ = "vote"
    __table_args__ = (UniqueConstraint("turn_id", "seat_id"), facts(Leaves.CAMPAIGN))

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"))
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    at: Mapped[dt.datetime]


class BankedTime(Base):
    """Time of a player's bank by which a turn was extended, since no orders came from their seat."""

    __tablename__ = "banked_time"
    __table_args__ = facts(Leaves.HISTORY)

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"), index=True)
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    minutes: Mapped[int]
    at: Mapped[dt.datetime]


class Report(Base):
    """The report of a seat when a turn opened: the view that its sheets are read against, and its reply code.

    `edition` is 1, and more for a corrected report.
    """

    __tablename__ = "report"
    __table_args__ = (UniqueConstraint("turn_id", "seat_id"), facts(Leaves.HISTORY, Undoing()))

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"))
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    code: Mapped[str] = column(String(32), form=Form.MADE_ANEW, unique=True, undo=Undo.SET, planned=True)
    message_id: Mapped[str] = column(String(200), form=Form.MESSAGE_ID, index=True, undo=Undo.SET)
    edition: Mapped[int] = column(default=1)
    view: Mapped[bytes] = column(CompressedBytes, form=Form.MADE_ANEW)
    files: Mapped[ReportFiles] = mapped_column(CompressedFiles)
    """The parts of the report as mailed, for the archive, by their names there.

    Once the turn that it opened is archived, the archive alone has the pictures.
    """


class DeputyReport(Base):
    """A report as mailed to a deputy, with a reply code of its own.

    The code and the Message-ID are valid while the person is deputy.
    """

    __tablename__ = "report_copy"
    __table_args__ = facts(Leaves.HOME, Undoing(removes=True))

    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"), index=True)
    deputy_id: Mapped[int] = mapped_column(ForeignKey("deputy.id"), index=True)
    code: Mapped[str] = mapped_column(String(32), unique=True)
    message_id: Mapped[str] = mapped_column(String(200), index=True)


class StoredAttachment(Base):
    """A picture or file that a GM attached to a ruling, stored once for each hex SHA-256 of its bytes.

    `turn_id` is the turn for which it came first.
    """

    __tablename__ = "enclosed"
    __table_args__ = (UniqueConstraint("campaign_id", "sha256"), facts(Leaves.HISTORY))

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"), index=True)
    sha256: Mapped[str] = column(String(64), form=Form.MADE_ANEW)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class SealedPage(Base):
    """A report as a page behind a link: the encrypted file for `place` on the site. The link in the mail has the key.

    It was made for the player, `person_id`, that `seat_id` had then; pages of older versions know neither.
    `written_at` is when it was put on the site, `withdrawn_at` when it was removed and its content dropped.
    """

    __tablename__ = "sealed_page"
    __table_args__ = (_partial_index("ix_sealed_page_unwritten", "id", where="written_at IS NULL"), facts(Leaves.HOME))

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    seat_id: Mapped[int | None] = mapped_column(ForeignKey("seat.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    place: Mapped[str] = mapped_column(String(60), unique=True)
    content: Mapped[bytes] = mapped_column(CompressedBytes)
    written_at: Mapped[dt.datetime | None]
    withdrawn_at: Mapped[dt.datetime | None]


class KeyValue(Base):
    """A value that the installation remembers under a name."""

    __tablename__ = "fact"
    __table_args__ = facts(Leaves.HOME)

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    data: Mapped[Any] = mapped_column(CanonicalJson)


class Worker(Base):
    """A worker that runs on this database, by its number among procrastinate's.

    `queues` are the names of those it serves; `machine` and `process` say where it runs.
    """

    __tablename__ = "worker"
    __table_args__ = facts(Leaves.RUNNING)

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    machine: Mapped[str] = mapped_column(String(254))
    process: Mapped[int]
    queues: Mapped[Any] = mapped_column(CanonicalJson)
    since: Mapped[dt.datetime]


class InboxMessage(Base):
    """A message received. `state` is "new", "processed" or "quarantined"; `note` says what became of it.

    `sender` (in lower case, "" if none can be read), `verdict` (of the receiving
    server on the sender) and `key` (the kind of valid credential found, "" for none)
    are NULL until the message has been read. `unanswered`: an answer was due and was
    not given. `content` is the same for all copies of a mail; it is NULL for a mail
    without a Date, and once it did nothing as a copy or a program's. `attempts` notes readings that began
    and neither ended nor were given up properly (`pbem.inbox.process`). From
    `masked_at` on, a processed message contains no token.
    """

    __tablename__ = "inbox"
    __table_args__ = (
        # IMAP: a UID is unique only together with UIDVALIDITY (RFC 3501, 2.3.1.1).
        UniqueConstraint("mailbox", "uid_validity", "uid"),
        Index("ix_inbox_state", "state", "id"),
        Index("ix_inbox_sender", "sender", "key", "verdict", "received_at"),
        Index("ix_inbox_content", "content"),
        _partial_index("ix_inbox_unanswered", "received_at", where="unanswered"),
        _partial_index("ix_inbox_unmasked", "state", "id", where="masked_at IS NULL"),
        facts(Leaves.HOME),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    mailbox: Mapped[str] = mapped_column(String(200))
    uid_validity: Mapped[str] = mapped_column(String(40))
    uid: Mapped[str] = mapped_column(String(200))
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    content: Mapped[str | None] = mapped_column(String(64))
    received_at: Mapped[dt.datetime]
    raw: Mapped[bytes] = mapped_column(CompressedMail)
    state: Mapped[MessageState] = mapped_column(string_enum(MessageState, 12), default=MessageState.NEW)
    note: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    sender: Mapped[str | None] = mapped_column(String(254))
    verdict: Mapped[SenderVerdict | None] = mapped_column(string_enum(SenderVerdict, 4))
    key: Mapped[str | None] = mapped_column(String(40))
    unanswered: Mapped[bool] = mapped_column(default=False, server_default=false())
    masked_at: Mapped[dt.datetime | None]


WITHDRAWN: Mapping[str, bool] = {"accepted": False, "wait": False}
"""The values of a sheet that neither counts nor has the turn wait."""


class OrderSheet(Base):
    """An order sheet as received and as parsed. Of a seat's sheets for a turn the last accepted one counts.

    `wait`: the turn is not to run before its deadline, because the player said so, the sheet is not complete, or
    lines of it were refused and it is not final. That of the seat's newest sheet holds, whichever counts.
    """

    __tablename__ = "sheet"
    __table_args__ = (
        UniqueConstraint("turn_id", "seat_id", "version"),
        facts(Leaves.HISTORY, Undoing(parent="turn_id", adds=True, withdrawn=WITHDRAWN)),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    turn_id: Mapped[int] = mapped_column(ForeignKey("turn.id"))
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    inbox_id: Mapped[int | None] = mapped_column(ForeignKey("inbox.id"))
    version: Mapped[int]
    accepted: Mapped[bool] = column(undo=Undo.SET, planned=True)
    wait: Mapped[bool]
    digest: Mapped[str] = column(String(64), form=Form.MADE_ANEW)
    text: Mapped[str]
    orders: Mapped[Any] = column(CanonicalJson, form=Form.ORDERS)
    findings: Mapped[Any] = column(CanonicalJson, form=Form.FINDINGS)
    received_at: Mapped[dt.datetime]
    author: Mapped[Author] = mapped_column(string_enum(Author, 10), default=Author.PLAYER)


class LaterSheet(Base):
    """The orders of a seat for a later turn, as they were written, by the number in the name that reports give it.

    `used` is the number in the campaign of the turn whose sheet they became; None if they wait for it.
    """

    __tablename__ = "later_sheet"
    __table_args__ = (
        UniqueConstraint("seat_id", "turn"),
        facts(Leaves.HISTORY, Undoing(adds=True, removes=True)),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"))
    turn: Mapped[int]
    used: Mapped[int | None]
    text: Mapped[str]
    at: Mapped[dt.datetime]
    author: Mapped[Author] = mapped_column(string_enum(Author, 10), default=Author.PLAYER)


class OutgoingMail(Base):
    """A complete mail to be sent.

    `state` is "queued", "sending", "sent", "failed", "bounced", or "superseded" by
    a later mail of the same `topic` while it still waited. `kind` says what it
    is ("report", "receipt", …). `code` is the reply code of a mail to a GM, by which a
    reply takes commands; that of other mail is kept elsewhere. `provider` is the domain it goes to. `reply` is the
    last answer from outside: that of the transport, or the delivery report of a
    bounce. Once it can no longer bounce, only its text is left, without tokens, from
    `masked_at` on.
    """

    __tablename__ = "outgoing"
    __table_args__ = (
        Index("ix_outgoing_due", "state", "not_before", "id"),
        Index("ix_outgoing_provider", "provider", "sent_at"),
        Index("ix_outgoing_topic", "topic", "state"),
        _partial_index("ix_outgoing_code", "code", where="code <> ''"),
        _partial_index("ix_outgoing_stranger", "created_at", "provider", where="kind = 'stranger'"),
        _partial_index("ix_outgoing_unmasked", "state", "sent_at", where="masked_at IS NULL"),
        facts(Leaves.HOME),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"), index=True)
    kind: Mapped[str] = mapped_column(String(12), default="")
    topic: Mapped[str | None] = mapped_column(String(120))
    recipient: Mapped[str] = mapped_column(String(254))
    provider: Mapped[str] = mapped_column(String(254), default="")
    form: Mapped[MailForm] = mapped_column(string_enum(MailForm, 10), default=MailForm.FULL)
    message_id: Mapped[str] = mapped_column(String(200), unique=True)
    code: Mapped[str] = mapped_column(String(32), default="")
    raw: Mapped[bytes] = mapped_column(CompressedMail)
    state: Mapped[OutgoingState] = mapped_column(string_enum(OutgoingState, 10), default=OutgoingState.QUEUED)
    attempts: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[dt.datetime]
    created_at: Mapped[dt.datetime]
    sent_at: Mapped[dt.datetime | None]
    reply: Mapped[str] = mapped_column(default="")
    masked_at: Mapped[dt.datetime | None]


class Press(Base):
    """A message between players, a piece for the newspaper of the reports, or for its author's diary.

    `turn` is the open turn when it was written. `sender_id` is None for the GM;
    `recipients` are seats, None for all. `anonymous`: readers are not told the
    sender. `published_at` is None until it has been sent on.
    """

    __tablename__ = "press"
    __table_args__ = facts(Leaves.HISTORY)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    turn: Mapped[int] = column(until=0, planned=True)
    kind: Mapped[PressKind] = mapped_column(string_enum(PressKind, 10))
    sender_id: Mapped[int | None] = mapped_column(ForeignKey("seat.id"))
    recipients: Mapped[Any] = column(CanonicalJson, form=Form.SEATS, nullable=True)
    anonymous: Mapped[bool] = mapped_column(default=False)
    text: Mapped[str]
    at: Mapped[dt.datetime]
    published_at: Mapped[dt.datetime | None]


class Question(Base):
    """A question of a player or deputy to the GM, by its number in the campaign.

    `turn` is the open turn when it was asked.
    `code` and `message_id` are those of the mail to the GM, "" where no reply to it is an answer.
    """

    __tablename__ = "question"
    __table_args__ = (UniqueConstraint("campaign_id", "number"), facts(Leaves.HISTORY))

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    number: Mapped[int]
    turn: Mapped[int] = column(until=0, planned=True)
    seat_id: Mapped[int] = mapped_column(ForeignKey("seat.id"), index=True)
    author: Mapped[Author] = mapped_column(string_enum(Author, 10), default=Author.PLAYER)
    text: Mapped[str]
    at: Mapped[dt.datetime]
    code: Mapped[str] = column(String(32), default="", index=True, left="")
    message_id: Mapped[str] = column(String(200), default="", index=True, left="")


class QuestionAnswer(Base):
    """An answer of the GM to a question; of several, the last counts.

    `turn` is the open turn when it was given. `recipients` are the seats that got it, None for all.
    """

    __tablename__ = "answer"
    __table_args__ = facts(Leaves.HISTORY)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    question_id: Mapped[int] = mapped_column(ForeignKey("question.id"), index=True)
    turn: Mapped[int] = column(until=0, planned=True)
    recipients: Mapped[Any] = column(CanonicalJson, form=Form.SEATS, nullable=True)
    text: Mapped[str]
    at: Mapped[dt.datetime]


class Announcement(Base):
    """A text of the GM for the reports that open turn `turn`: to one seat, or to all."""

    __tablename__ = "gm_text"
    __table_args__ = facts(Leaves.HISTORY, Undoing(adds=True, removes=True))

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    turn: Mapped[int] = column(until=1, planned=True)
    seat_id: Mapped[int | None] = mapped_column(ForeignKey("seat.id"))
    text: Mapped[str]
    at: Mapped[dt.datetime]


class JournalEntry(Base):
    """A line of the journal: an action on a campaign, its time and its actor.

    Players may read it where their campaign says so, except entries that are `secret`.
    An entry with a `turn` is told to all of them, in the report that opens the turn after it
    (`pbem.campaign.press`).
    `undo` is the action of the GM that the entry is of, and what is needed to undo it
    (`pbem.campaign.row_changes`); None for entries that are of no such action.
    """

    __tablename__ = "act"
    __table_args__ = facts(Leaves.CAMPAIGN)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), index=True)
    at: Mapped[dt.datetime]
    actor: Mapped[str] = mapped_column(String(254))
    text: Mapped[str]
    secret: Mapped[bool] = mapped_column(default=False)
    turn: Mapped[int | None] = column(until=0, planned=True)
    undo: Mapped[Any] = column(CanonicalJson, nullable=True, left=None)
