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

_CAMPAIGNS = select(Campaign.id, Campaign.name, Campaign.mail_key).where(
    Campaign.id.in_(bindparam("campaigns", expanding=True))
)
_READERS = (
    select(Person.key, Person.id, Person.plain, SeatRow.campaign_id, SeatRow.name)
    .outerjoin(
        SeatRow,
        (SeatRow.person_id == Person.id) & SeatRow.campaign_id.in_(bindparam("campaigns", expanding=True)),
    )
    .where(Person.key.in_(bindparam("keys", expanding=True)))
    .order_by(SeatRow.id.desc())
)
"""Statements built once: building them takes longer than running them."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A mail ready to be composed, and whose it is."""

    mail: Mail
    campaign_id: int | None
    person_id: int | None
    plain: bool


@dataclass(frozen=True, slots=True)
class _Group:
    id: int
    name: str
    mail_key: bytes


@dataclass(frozen=True, slots=True)
class _Reader:
    """Somebody known, and in each campaign the first of his seats."""

    id: int
    plain: bool
    seats: dict[int, str]


def welcome_id(mail_key: bytes, domain: str, campaign: str, seat: str, *later: str) -> str:
    """The Message-ID of a seat's first welcome, with which its thread begins, or of a `later` one, named by more."""
    return message_id(mail_key, domain, "welcome", campaign, seat, *later)


def stamped(session: Session, mails: Sequence[tuple[Mail, int | None]], settings: Settings) -> list[Stamped]:
    """The mails, each with the id of its campaign, as they are to be composed."""
    ids = {campaign_id for _, campaign_id in mails if campaign_id is not None}
    groups = _groups(session, ids)
    readers = _readers(session, {mail.recipient.lower() for mail, _ in mails}, ids)
    return [
        _stamped(mail, campaign_id, groups.get(campaign_id), readers.get(mail.recipient.lower()), settings)
        for mail, campaign_id in mails
    ]


def _stamped(
    mail: Mail, campaign_id: int | None, group: _Group | None, reader: _Reader | None, settings: Settings
) -> Stamped:
    if group is not None:
        mail = _of_campaign(mail, group, reader.seats.get(group.id) if reader else None, settings)
    if reader is None:
        return Stamped(mail, campaign_id, None, plain=False)
    plain = reader.plain and mail.kind == "report"  # what else has files was asked for with them
    return Stamped(replace(mail, html="", parts=()) if plain else mail, campaign_id, reader.id, plain)


def _groups(session: Session, ids: set[int]) -> dict[int | None, _Group]:
    rows = session.connection().execute(_CAMPAIGNS, {"campaigns": list(ids)}) if ids else ()
    return {id_: _Group(id_, name, mail_key) for id_, name, mail_key in rows}


def _readers(session: Session, keys: set[str], campaigns: set[int]) -> dict[str, _Reader]:
    found: dict[str, _Reader] = {}
    rows = session.connection().execute(_READERS, {"keys": list(keys), "campaigns": list(campaigns)})
    for key, id_, plain, campaign_id, seat in rows:
        reader = found.setdefault(key, _Reader(id_, plain, {}))
        if campaign_id is not None:
            reader.seats[campaign_id] = seat  # the first seat comes last, and stays
    return found


def _of_campaign(mail: Mail, group: _Group, seat: str | None, settings: Settings) -> Mail:
    listed = replace(mail, list_id=f"<{group.name}.{settings.domain}>")
    if seat is None:
        return listed
    root = welcome_id(group.mail_key, settings.domain, group.name, seat)
    thread = (root, *(id_ for id_ in mail.references if id_ != root)) if mail.message_id != root else mail.references
    # Its subject is no command: who presses the button by accident is told how to leave, and has not left.
    leave = f"mailto:{settings.address}?subject={quote(f'Leave {group.name}')}"
    return replace(listed, references=thread, unsubscribe=leave)
