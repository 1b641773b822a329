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
_READERS = (
    select(Person.key, Person.id, Person.plain, Person.calendar, SeatRow.name)
    .outerjoin(SeatRow, (SeatRow.person_id == Person.id) & (SeatRow.campaign_id == bindparam("campaign")))
    .where(Person.key.in_(bindparam("keys", expanding=True)))
    .order_by(SeatRow.id.desc())
)
"""Statements built once: building them takes longer than running them."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A mail ready to be composed, and whose it is."""

    mail: Mail
    person_id: int | None
    plain: bool


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    mail_key: bytes


@dataclass(frozen=True, slots=True)
class _Reader:
    """Somebody known, and the first of his seats in the campaign."""

    id: int
    plain: bool
    calendar: bool
    seat: str | None


def welcome_id(mail_key: bytes, domain: str, campaign: str, seat: str, *later: str) -> str:
    """The Message-ID of a seat's first welcome, with which its thread begins, or of a `later` one, named by more."""
    return message_id(mail_key, domain, "welcome", campaign, seat, *later)


def stamped(session: Session, mails: Sequence[Mail], campaign_id: int | None, settings: Settings) -> list[Stamped]:
    """Mails of a campaign, or of none, as they are to be composed."""
    database, campaign = session.connection(), {"campaign": campaign_id}
    found = database.execute(_CAMPAIGN, campaign).first() if campaign_id is not None else None
    group = _Group(*found) if found else None
    rows = database.execute(_READERS, campaign | {"keys": list({mail.recipient.lower() for mail in mails})})
    # The first of somebody's seats comes last, and stays.
    readers = {row.key: _Reader(row.id, row.plain, row.calendar, row.name) for row in rows}
    return [_stamped(mail, group, readers.get(mail.recipient.lower()), settings) for mail in mails]


def _stamped(mail: Mail, group: _Group | None, reader: _Reader | None, settings: Settings) -> Stamped:
    if group is not None:
        mail = _of_campaign(mail, group, reader.seat if reader else None, settings)
    if reader is None:
        return Stamped(mail, None, plain=False)
    if reader.plain or not reader.calendar:
        mail = replace(mail, parts=tuple(part for part in mail.parts if not part.is_calendar))
    plain = reader.plain and mail.kind == "report"  # what else has files was asked for with them
    return Stamped(replace(mail, html="", parts=()) if plain else mail, reader.id, plain)


def _of_campaign(mail: Mail, group: _Group, seat: str | None, settings: Settings) -> Mail:
    listed = replace(mail, list_id=f"<{group.name}.{settings.domain}>")
    if seat is None:
        return listed
    root = welcome_id(group.mail_key, settings.domain, group.name, seat)
    thread = (root, *(id_ for id_ in mail.references if id_ != root)) if mail.message_id != root else mail.references
    # No button gives a seat away: the desk asks whoever presses it (`pbem.desk.dispatch`).
    leave = f"mailto:{settings.address}?subject={quote(f'Leave {group.name} {seat}')}"
    return replace(listed, references=thread, unsubscribe=leave)
