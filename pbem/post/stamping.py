"""What the outbox adds to every mail: who reads it, which list it belongs to, and the thread of its campaign.

All mail of a campaign to one player names the same first mail in References,
so that mail programs show it as one thread. Everything added follows from the
reader's own seats alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from pbem.config import Settings
from pbem.post.codes import message_id
from pbem.post.writing import Mail
from pbem.store.models import Campaign, Person, SeatRow

_CAMPAIGN = select(Campaign.name, Campaign.mail_key).where(Campaign.id == bindparam("campaign"))
_READERS = select(Person.key, Person.id, Person.plain, Person.calendar).where(
    Person.key.in_(bindparam("keys", expanding=True))
)
_SEATS = (
    select(SeatRow.person_id, SeatRow.campaign_id, SeatRow.name)
    .where(SeatRow.person_id.in_(bindparam("people", expanding=True)))
    .order_by(SeatRow.id.desc())
)
"""Statements built once: building them takes longer than running them."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A mail ready to be composed, and whose it is."""

    campaign_id: int | None
    mail: Mail
    person_id: int | None
    plain: bool


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    mail_key: bytes


@dataclass(frozen=True, slots=True)
class _Reader:
    """Somebody known."""

    id: int
    plain: bool
    calendar: bool


def welcome_id(mail_key: bytes, domain: str, campaign: str, seat: str, *later: str) -> str:
    """The Message-ID of a seat's first welcome, with which its thread begins, or of a `later` one, named by more."""
    return message_id(mail_key, domain, "welcome", campaign, seat, *later)


def stamped(session: Session, mails: Sequence[Mail], settings: Settings, campaign_id: int | None) -> list[Stamped]:
    """Return the mails of a campaign, or of none, as they are to be composed."""
    database = session.connection()
    group = None if campaign_id is None else _Group(*database.execute(_CAMPAIGN, {"campaign": campaign_id}).one())
    keys = {"keys": list({mail.recipient.lower() for mail in mails})}
    readers = {row.key: _Reader(*row[1:]) for row in database.execute(_READERS, keys)}
    # All seats of these people: asked for those of a campaign alone, SQLite would look through all seats of that.
    held = {"people": [reader.id for reader in readers.values()]}
    # The first of somebody's seats comes last, and stays.
    seats = {(row.person_id, row.campaign_id): row.name for row in database.execute(_SEATS, held)}

    def made(mail: Mail) -> Stamped:
        reader = readers.get(mail.recipient.lower())
        if group is not None:
            seat = seats.get((reader.id, campaign_id)) if reader else None
            mail = _of_campaign(mail, group, seat, settings)
        return _stamped(campaign_id, mail, reader)

    return [made(mail) for mail in mails]


def _stamped(campaign_id: int | None, mail: Mail, reader: _Reader | None) -> Stamped:
    if reader is None:
        return Stamped(campaign_id, mail, None, plain=False)
    if reader.plain or not reader.calendar:
        mail = replace(mail, parts=tuple(part for part in mail.parts if not part.is_calendar))
    plain = reader.plain and mail.kind == "report"  # what else has files was asked for with them
    return Stamped(campaign_id, replace(mail, html="", parts=()) if plain else mail, reader.id, plain)


def _of_campaign(mail: Mail, group: _Group, seat: str | None, settings: Settings) -> Mail:
    listed = replace(mail, list_id=f"<{group.name}.{settings.domain}>")
    if seat is None:
        return listed
    root = welcome_id(group.mail_key, settings.domain, group.name, seat)
    thread = (root, *(id_ for id_ in mail.references if id_ != root)) if mail.message_id != root else mail.references
    # No button gives a seat away: the desk asks whoever presses it (`pbem.desk.dispatch`).
    leave = f"mailto:{settings.address}?subject={quote(f'Leave {group.name} {seat}')}"
    return replace(listed, references=thread, unsubscribe=leave)
