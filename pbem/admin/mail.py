"""Lists, shows and retries received messages and undelivered mail."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from unicodedata import normalize

from sqlalchemy import ColumnElement, Integer, RowMapping, case, cast, func, select, update
from sqlalchemy.orm import Session

from pbem.campaign.snapshot import load_campaign
from pbem.errors import MailAdminError, reason_of
from pbem.mail.message import list_attachments, parse_headers, parse_message
from pbem.mail.retention import is_masked
from pbem.store.models import Campaign, InboxMessage, OutgoingMail, Person, Seat
from pbem.store.session import Store
from pbem.store.types import UNSENT_STATES, MessageState, OutgoingState
from pbem.util import redact_all


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageInfo:
    """A message in the list; `sender` is "" where none can be read, `note` is the result. Secrets are redacted."""

    id: int
    received_at: dt.datetime
    sender: str
    subject: str
    state: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageDetail(MessageInfo):
    """A message with the text that its sender typed; `notes` say what was removed from that, or repaired."""

    recipients: tuple[str, ...]
    automatic: str
    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageList:
    """The newest messages, oldest first, and their number in all."""

    messages: tuple[MessageInfo, ...]
    total: int


def list_messages(store: Store, state: str | None = None, *, limit: int) -> MessageList:
    """Return the newest messages, or those in one state, `limit` at most."""
    chosen = (InboxMessage.state == state,) if state is not None else ()
    wanted = select(
        InboxMessage.id, InboxMessage.received_at, InboxMessage.raw, InboxMessage.state, InboxMessage.note
    ).where(*chosen)
    with store.reading() as session:
        total = session.scalar(select(func.count(InboxMessage.id)).where(*chosen)) or 0
        # A hundred at a time: each row has the whole mail.
        rows = session.execute(wanted.order_by(InboxMessage.id.desc()).limit(limit).execution_options(yield_per=100))
        return MessageList(tuple(_message_info(*row) for row in rows)[::-1], total)


def show_message(store: Store, inbox_id: int) -> MessageDetail:
    """Return one message as the inbox reads it. Raises MailAdminError if there is none with this number."""
    with store.reading() as session:
        row = session.get(InboxMessage, inbox_id)
    if row is None:
        raise _no_such_message(inbox_id)
    message = parse_message(row.raw)
    return MessageDetail(
        id=row.id,
        received_at=row.received_at,
        sender=message.sender or "",
        subject=redact_all(message.subject),
        state=row.state,
        note=_in_words(row.note),
        recipients=tuple(map(redact_all, message.recipients)),
        automatic=message.machine.reason,
        text=redact_all(message.text),
        notes=tuple(map(redact_all, message.notes)),
    )


_UNSAFE = re.compile(r'[/\\:*?"<>|\s]++')
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
"""Names that Windows keeps for devices, with any ending."""

_LONGEST_NAME = 50
"""Characters: four bytes each, and many file systems take 255 bytes."""
_LONGEST_ENDING = 12


def safe_name(name: str) -> str:
    """Return a name that another person gave a file as one that any system can store, without a folder in it."""
    # Not printable are also signs by which a name reads backwards, so that "gnp.exe" looks like a picture.
    plain = "".join(sign for sign in normalize("NFC", name) if sign.isprintable() or sign.isspace())
    plain = _UNSAFE.sub("-", plain).strip(".-") or "file"
    stem, dot, ending = plain.rpartition(".")
    if not stem or len(ending) > _LONGEST_ENDING:
        stem, dot, ending = plain, "", ""
    plain = f"{stem[: _LONGEST_NAME - len(ending)]}{dot}{ending}"
    return f"file-{plain}" if _DEVICES.match(plain) else plain


@dataclass(frozen=True, slots=True)
class SavedMessage:
    """A message that was written to a folder; of its `files` the first has its text, the second what was read of it."""

    id: int
    folder: Path
    files: tuple[str, ...]


def save_message(store: Store, inbox_id: int, folder: Path, head: Iterable[str]) -> SavedMessage:
    """Write a message into a folder: its text, the `head` that tells of it, its attachments. No file is overwritten.

    Raises:
        MailAdminError: If there is no such message, or the folder cannot be used.
    """
    message = show_message(store, inbox_id)
    with store.reading() as session:
        raw = session.scalars(select(InboxMessage.raw).where(InboxMessage.id == inbox_id)).one()
    texts = {f"{inbox_id}.txt": message.text.rstrip("\n"), f"{inbox_id}-head.txt": "\n".join(head)}
    files = [(name, f"{text}\n".encode("utf-8", "replace")) for name, text in texts.items()]
    files += [(f"{inbox_id}-{safe_name(file.name)}", file.content) for file in list_attachments(raw)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return SavedMessage(inbox_id, folder, tuple(_write_new(folder, name, content) for name, content in files))
    except OSError as error:
        raise MailAdminError(f"message {inbox_id} cannot be saved in {folder} ({reason_of(error)})") from None


def _write_new(folder: Path, name: str, content: bytes) -> str:
    """Write a file under this name, or with a number where there is one of it; return the name."""
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, f".{ending}") if dot else (name, "")
    for number in count(1):
        path = folder / (name if number == 1 else f"{stem}-{number}{ending}")
        try:
            # Exclusive: it neither overwrites a file nor follows a link that has the name.
            with path.open("xb") as file:
                file.write(content)
        except FileExistsError:
            continue
        return path.name
    raise AssertionError("unreachable")


def retry_message(store: Store, inbox_id: int) -> None:
    """Make a quarantined message new, for the next tick. Raises MailAdminError if it is not quarantined."""
    again = (
        update(InboxMessage)
        .where(InboxMessage.id == inbox_id, InboxMessage.state == MessageState.QUARANTINED)
        # Attempts from 0: a message that has killed the program twice is quarantined by their number.
        .values(state=MessageState.NEW, note="", attempts=0)
        .returning(InboxMessage.id)
    )
    with store.writing() as session:
        if session.execute(again).first() is not None:
            return
        state = session.scalar(select(InboxMessage.state).where(InboxMessage.id == inbox_id))
    if state is None:
        raise _no_such_message(inbox_id)
    reason = "the next tick deals with it anyway" if state == MessageState.NEW else "it has had its answer"
    raise MailAdminError(f"message {inbox_id} is {state}, not quarantined: {reason}")


def _message_info(inbox_id: int, received_at: dt.datetime, raw: bytes, state: str, note: str) -> MessageInfo:
    message = parse_headers(raw)
    return MessageInfo(
        id=inbox_id,
        received_at=received_at,
        sender=message.sender or "",
        subject=redact_all(message.subject),
        state=state,
        note=_in_words(note),
    )


REASONS: Mapping[str, str] = {
    "no-orders": "no orders in it",
    "no-orders-yet": "WAIT or FINAL, no orders",
    "no-text": "no text in it",
    "question": "a question, no orders",
    "untouched": "the form as it was sent",
    "commented": "all orders stand behind ;",
    "doubtful": "orders that may not be meant",
    "besides": "orders that may be meant besides others",
    "stale-code": "too late: its turn had been run",
    "confirmed-late": "confirmed too late: its turn had been run",
    "withdrawn": "to a report that was replaced",
    "wrong-campaign": "for no campaign that there is",
    "unknown-seat": "for no seat that there is",
    "not-started": "before the start",
    "removed": "from a seat that has left the game",
    "game-over": "after the end of the game",
    "moved": "for a campaign that has moved",
    "vacant": "for a seat without a player",
    "needs-code": "without the code that the campaign asks for",
    "needs-token": "without the token that the campaign asks for",
    "unverified": "from an address that no mail server vouches for",
    "sender-mismatch": "from another address than the seat's",
    "forged": "with a forged sender",
    "not-deputy-now": "from a deputy of other days",
    "deputy-asks": "from a deputy, who may send sheets alone",
    "not-yours-now": "confirmed for a seat that is another's now",
    "answered": "an answer to a question that was answered before",
}
"""Words for messages that could not be used, by the reason as it is noted."""


def _in_words(note: str) -> str:
    """Return what was noted of a message, with words for the reason by which it could not be used."""
    reason, semicolon, rest = redact_all(note).partition(";")
    return f"{REASONS.get(reason, reason)}{semicolon}{rest}"


def _no_such_message(inbox_id: int) -> MailAdminError:
    return MailAdminError(f"there is no message {inbox_id}: list them: pbem inbox")


# The states of mail that is retried without its id: neither being sent by another process, nor bounced.
_TRIED_AGAIN = (OutgoingState.QUEUED, OutgoingState.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndeliveredMail:
    """A mail that was not delivered. `next_try` is None if there will be none; `reply` is the carrier's last reply."""

    id: int
    campaign: str | None
    recipient: str
    subject: str
    state: str
    attempts: int
    since: dt.datetime
    next_try: dt.datetime | None
    reply: str


def list_outbox(store: Store, campaign: str | None = None) -> tuple[UndeliveredMail, ...]:
    """Return the mail, of one campaign or all, that was not sent and still should be, oldest first.

    Raises:
        CampaignError: If there is no such campaign.
    """
    mails = (
        select(OutgoingMail, Campaign.name)
        .outerjoin(Campaign, Campaign.id == OutgoingMail.campaign_id)
        .where(OutgoingMail.state.not_in((OutgoingState.SENT, OutgoingState.SUPERSEDED)))
        .order_by(OutgoingMail.id)
    )
    with store.reading() as session:
        if campaign is not None:
            mails = mails.where(OutgoingMail.campaign_id == load_campaign(session, campaign).id)
        return tuple(
            _undelivered_mail(mail, name) for mail, name in session.execute(mails.execution_options(yield_per=100))
        )


def retry_mail(store: Store, now: dt.datetime, mail_id: int | None = None) -> list[int]:
    """Make a mail due now, or without an id all that is queued or has failed; return the ids.

    Bytes and Message-ID stay the same. Mail that another process is sending is left
    alone, and bounced mail is retried only by its id.

    Raises:
        MailAdminError: If the one mail cannot be retried.
    """
    again = (
        # Attempts start at 0 again, lest the next deferral of an old mail be its last.
        update(OutgoingMail).values(state=OutgoingState.QUEUED, not_before=now, attempts=0).returning(OutgoingMail.id)
    )
    if mail_id is None:
        # Without bounced mail: a dead address would only bounce again.
        again = again.where(OutgoingMail.state.in_(_TRIED_AGAIN))
    else:
        again = again.where(OutgoingMail.id == mail_id, OutgoingMail.state.in_((*_TRIED_AGAIN, OutgoingState.BOUNCED)))
    with store.writing() as session:
        raw = session.scalar(select(OutgoingMail.raw).where(OutgoingMail.id == mail_id))
        # Tokens in mail that was sent long ago are masked, so it would go out without them.
        if raw is not None and is_masked(raw):
            raise MailAdminError(f"mail {mail_id} was sent too long ago to go again: it is no longer kept whole")
        due = sorted(session.scalars(again))
        if mail_id is not None and not due:
            raise _explain_refusal(
                mail_id, session.scalar(select(OutgoingMail.state).where(OutgoingMail.id == mail_id))
            )
    return due


def _explain_refusal(mail_id: int, state: str | None) -> MailAdminError:
    if state is None:
        return MailAdminError(f"there is no mail {mail_id} in the outbox: list them: pbem outbox")
    if state == OutgoingState.SENDING:
        return MailAdminError(f"mail {mail_id} is being sent; if that was cut short, it is tried again by itself soon")
    return MailAdminError(f"mail {mail_id} is {state}: only what is not delivered is tried again")


def _undelivered_mail(mail: OutgoingMail, campaign: str | None) -> UndeliveredMail:
    return UndeliveredMail(
        id=mail.id,
        campaign=campaign,
        recipient=mail.recipient,
        subject=redact_all(parse_headers(mail.raw).subject),
        state=mail.state,
        attempts=mail.attempts,
        since=mail.created_at,
        next_try=mail.not_before if mail.state in UNSENT_STATES else None,
        reply=redact_all(mail.reply),
    )


COUNTS = ("mails", "tried", "accepted", "bounced", "refused", "retried", "waiting")
"""The counts of `DeliveryCounts`."""

# The seats of a person in a campaign, by the ids of campaign and person.
_Seats = Mapping[tuple[int, int | None], tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryCounts:
    """The mails to one reader, counted. `seats` are empty for the GM and others without a seat; `campaign` may be None.

    Of the `mails` not replaced by later ones, `tried` were given to the carrier
    at least once, `retried` more often, `accepted` by it; `bounced` came back
    later, `refused` are given up, `waiting` are still to go. `reply` is the last
    reply of the other server.
    """

    campaign: str | None
    seats: tuple[str, ...]
    address: str
    mails: int
    tried: int
    accepted: int
    bounced: int
    refused: int
    retried: int
    waiting: int
    reply: str


def delivery_counts(store: Store, campaign: str | None) -> tuple[DeliveryCounts, ...]:
    """Return the counts of all readers, or of those of one campaign.

    Raises:
        CampaignError: If there is no such campaign.
    """
    with store.reading() as session:
        reader = func.coalesce(Person.address, OutgoingMail.recipient)
        counted = (
            select(
                Campaign.name.label("campaign"),
                OutgoingMail.campaign_id,
                OutgoingMail.person_id,
                reader.label("address"),
                func.count().label("mails"),
                _count_if(OutgoingMail.attempts > 0).label("tried"),
                _count_if(OutgoingMail.sent_at.is_not(None)).label("accepted"),
                _count_if(OutgoingMail.state == OutgoingState.BOUNCED).label("bounced"),
                _count_if(OutgoingMail.state == OutgoingState.FAILED).label("refused"),
                _count_if(OutgoingMail.attempts > 1).label("retried"),
                _count_if(OutgoingMail.state.in_(UNSENT_STATES)).label("waiting"),
                func.max(case((OutgoingMail.reply != "", OutgoingMail.id))).label("last"),
            )
            .outerjoin(Campaign, Campaign.id == OutgoingMail.campaign_id)
            .outerjoin(Person, Person.id == OutgoingMail.person_id)
            .where(OutgoingMail.state != OutgoingState.SUPERSEDED)
            .group_by(Campaign.name, OutgoingMail.campaign_id, OutgoingMail.person_id, reader)
            .order_by(OutgoingMail.campaign_id, func.min(OutgoingMail.id))
        )
        if campaign is not None:
            counted = counted.where(OutgoingMail.campaign_id == load_campaign(session, campaign).id)
        rows = session.execute(counted).mappings().all()
        seats = _load_seats(session)
        replies = _load_replies(session, [row["last"] for row in rows])
    return tuple(_build_counts(row, seats, replies) for row in rows)


def _count_if(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(case((condition, 1), else_=0)), 0), Integer)


def _load_seats(session: Session) -> _Seats:
    found: dict[tuple[int, int | None], tuple[str, ...]] = {}
    manned = select(Seat.campaign_id, Seat.person_id, Seat.name).where(Seat.person_id.is_not(None))
    for campaign_id, person_id, name in session.execute(manned.order_by(Seat.id)):
        found[campaign_id, person_id] = (*found.get((campaign_id, person_id), ()), name)
    return found


def _load_replies(session: Session, ids: Sequence[int | None]) -> dict[int, str]:
    wanted = select(OutgoingMail.id, OutgoingMail.reply).where(
        OutgoingMail.id.in_([id_ for id_ in ids if id_ is not None])
    )
    return {row.id: row.reply for row in session.execute(wanted)}


def _build_counts(row: RowMapping, seats: _Seats, replies: Mapping[int, str]) -> DeliveryCounts:
    counts = {name: row[name] for name in COUNTS}
    return DeliveryCounts(
        campaign=row["campaign"],
        seats=seats.get((row["campaign_id"], row["person_id"]), ()),
        address=row["address"],
        reply=redact_all(replies.get(row["last"], "")),
        **counts,
    )
