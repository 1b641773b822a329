"""People and their seats, standbys, deputies, tokens, and requests confirmed by mail."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update
from sqlalchemy.orm import Session, aliased

from pbem.campaign.schedule import start_of_day
from pbem.campaign.snapshot import CampaignSnapshot, SeatView
from pbem.mail.headers import reply_code
from pbem.ruleset.values import SeatName
from pbem.store.models import Campaign, Deputy, DeputyReport, PendingRequest, Person, Report, Seat, Standby
from pbem.store.types import RequestKind, StandbyState
from pbem.util import TOKEN_BYTES

_Further = aliased(Person)


def is_person(address: str) -> ColumnElement[bool]:
    """Return the condition of the person of an address, in any case, be it their first or a further one."""
    key = address.lower()
    first = select(_Further.also).where(_Further.key == key, _Further.also != "").scalar_subquery()
    return Person.key == func.coalesce(first, key)


def find_person(session: Session, address: str) -> Person | None:
    return session.scalar(select(Person).where(is_person(address)))


def further_addresses(session: Session, person: Person) -> list[str]:
    """Return the addresses from which a person writes besides the first."""
    return list(session.scalars(select(Person.address).where(Person.also == person.key).order_by(Person.id)))


def use_address(session: Session, person: Person, address: str) -> None:
    """Make an address a person's first; of their further ones, this one ends being one."""
    other = session.scalar(select(Person).where(Person.key == address.lower()))
    old = person.address, person.key
    if other is not None:
        other.key, other.also = "", ""
        session.flush()
    person.address, person.key = address, address.lower()
    person.fallback = "" if person.fallback.lower() == person.key else person.fallback
    session.flush()
    if other is not None:
        other.address, other.key = old
    session.execute(update(Person).where(Person.also == old[1]).values(also=person.key))
    session.flush()


def get_or_create_person(session: Session, address: str, now: dt.datetime) -> Person:
    """Return the person of this address, created if there is none."""
    person = find_person(session, address)
    if person is None:
        # The address stays as typed: a local part may depend on case (RFC 5321, 2.4). People are found by the key.
        person = Person(address=address, key=address.lower(), created_at=now)
        session.add(person)
        session.flush()
    return person


LONGEST_WORDS = 2_000
"""Characters of a text for the GM with a wish for a seat."""


def add_standby(
    session: Session, campaign_id: int, person: Person, now: dt.datetime, *, wish: SeatName = "", words: str = ""
) -> Standby:
    """Put a person at the end of the waiting list; one on it keeps the position, but may wish for another seat."""
    found = find_standby(session, campaign_id, person)
    if found is None:
        found = Standby(campaign_id=campaign_id, person_id=person.id, created_at=now)
        session.add(found)
    elif found.status != StandbyState.WAITING:
        found.created_at = now
    found.status, found.wish, found.words = StandbyState.WAITING, wish[:20], words[:LONGEST_WORDS]
    session.flush()
    return found


def find_standby(session: Session, campaign_id: int, person: Person) -> Standby | None:
    """Return what a person has asked for in a campaign, seated or not."""
    return session.scalar(select(Standby).where(Standby.campaign_id == campaign_id, Standby.person_id == person.id))


def standby_campaigns(session: Session, address: str | None) -> list[str]:
    """Return the names of the campaigns on whose standby lists a person is."""
    listed = (
        select(Campaign.name)
        .join(Standby, Standby.campaign_id == Campaign.id)
        .join(Person, Person.id == Standby.person_id)
        .where(Person.key == (address or "").lower(), Standby.status == StandbyState.WAITING)
    )
    return list(session.scalars(listed.order_by(Campaign.id)))


def standby_position(session: Session, applicant: Standby) -> int:
    """Return the position on the waiting list, from 1."""
    before = (Standby.created_at < applicant.created_at) | (
        (Standby.created_at == applicant.created_at) & (Standby.id < applicant.id)
    )
    listed = (Standby.campaign_id == applicant.campaign_id) & (Standby.status == StandbyState.WAITING)
    return 1 + (session.scalar(select(func.count()).select_from(Standby).where(listed, before)) or 0)


def list_standbys(session: Session, campaign_id: int) -> list[tuple[Person, SeatName]]:
    """Return the people who wait for a seat, the first first, each with the seat wished for."""
    rows = session.execute(
        select(Person, Standby.wish)
        .join(Standby, Standby.person_id == Person.id)
        .where(Standby.campaign_id == campaign_id, Standby.status == StandbyState.WAITING)
        .order_by(Standby.created_at, Standby.id)
    )
    return [(person, wish) for person, wish in rows]


def mark_seated(session: Session, campaign_id: int, person: Person) -> None:
    """Take a person who got a seat off the waiting list."""
    found = find_standby(session, campaign_id, person)
    if found is not None:
        found.status = StandbyState.SEATED
        session.flush()


DAYS = 14
"""Days for which a code is valid."""

A_DAY = 10
"""Codes that one address may be sent in a day: no person needs more, and strangers could have them sent to others."""

UNPROVEN_A_DAY = 3
"""The same for requests by messages that any person could have sent."""

UNPROVEN = ("none", "fail")
"""The accounts of such messages: verdicts of the receiving server on their senders."""

QUESTIONS = "questions"
"""The account of questions about messages, which any person can cause: they use up no other codes."""

ENOUGH_CODES = "so many codes were mailed today that no more are sent before tomorrow"
"""The answer where no more codes can be mailed."""


def create_request(
    session: Session,
    kind: RequestKind,
    now: dt.datetime,
    *,
    to: str,
    data: Mapping[str, Any],
    by: str = "",
    campaign_id: int | None = None,
    account: str = "",
) -> str | None:
    """Store a request and return the code that confirms it, to be mailed to `to`.

    Returns None if that address was sent enough codes today, or `by`, who asks, has asked for enough. `account` is
    the verdict on the sender of the message that asks, "" for an action of a GM: each is counted by itself, so that
    no sender can use up the codes of another.
    """
    key = to.lower()
    most = UNPROVEN_A_DAY if account in UNPROVEN else A_DAY
    if asked_today(session, key, by, account, now) >= most:
        return None
    code = reply_code(secrets.token_bytes(32), kind)
    row = PendingRequest(
        kind=kind,
        code=code,
        campaign_id=campaign_id,
        data={**data, "to": key, "by": by, "account": account},
        created_at=now,
        done_at=None,
    )
    session.add(row)
    session.flush()
    return code


def find_request(session: Session, code: str, now: dt.datetime) -> PendingRequest | None:
    """Return the request of a code, unless it was confirmed or is too old."""
    found = session.scalar(select(PendingRequest).where(PendingRequest.code == code.lower()))
    return found if found is not None and is_open(found, now) else None


def is_open(request: PendingRequest, now: dt.datetime) -> bool:
    """Return True if a request may still be confirmed."""
    return request.done_at is None and is_in_time(request, now)


def is_in_time(request: PendingRequest, now: dt.datetime) -> bool:
    """Return True if a request is not too old, answered or not."""
    return now - request.created_at <= dt.timedelta(days=DAYS)


def open_invitations(session: Session, now: dt.datetime, *which: ColumnElement[bool]) -> list[PendingRequest]:
    """Return the invitations that may still be answered, the oldest first; none whose reader has accepted another."""
    invited = select(PendingRequest).where(PendingRequest.kind == RequestKind.INVITE, *which)
    accepted = defaultdict[tuple[int | None, str], list[dt.datetime]](list)
    found = [(each, (each.campaign_id, each.data["address"].lower())) for each in session.scalars(invited)]
    for each, who in found:
        accepted[who] += [each.done_at] if each.done_at else []
    open_ = [each for each, who in found if is_open(each, now) and all(at < each.created_at for at in accepted[who])]
    return sorted(open_, key=lambda each: each.id)


def mark_confirmed(session: Session, request: PendingRequest, now: dt.datetime) -> bool:
    """Mark a request as confirmed; return False if another process was faster."""
    ours = (
        update(PendingRequest)
        # The condition and the change are one statement, so that of two processes with the same answer one does it.
        .where(PendingRequest.id == request.id, PendingRequest.done_at.is_(None))
        .returning(PendingRequest.id)
    )
    return session.scalar(ours.values(done_at=now)) is not None


def asked_today(session: Session, to: str, by: str, account: str, now: dt.datetime) -> int:
    """Return the number of requests of the last day to an address, or caused by `by`, on an account."""
    today = session.scalars(select(PendingRequest.data).where(PendingRequest.created_at > now - dt.timedelta(days=1)))
    same = (data for data in today if data.get("account", "") == account)
    return sum(data["to"] == to or (bool(by) and data["by"] == by) for data in same)


MOST_DAYS = 90
"""Days for which a deputy may be named."""


def end_of(day: str, zone: str) -> dt.datetime:
    """Return the moment at which a day (ISO 8601) ends in a zone."""
    return start_of_day(dt.date.fromisoformat(day) + dt.timedelta(days=1), zone)


_DEPUTIES = (
    select(Deputy, Person)
    .join(Person, Person.id == Deputy.person_id)
    .where(
        Deputy.seat_id.in_(bindparam("seats", expanding=True)),
        Deputy.since <= bindparam("now"),
        Deputy.until > bindparam("now"),
    )
    .order_by(Deputy.id)
)


def load_deputies(session: Session, seat_ids: Iterable[int], now: dt.datetime) -> list[tuple[Deputy, Person]]:
    """Return the present deputies of seats, with their people, oldest first."""
    rows = session.execute(_DEPUTIES, {"seats": list(seat_ids), "now": now})
    return [(deputy, person) for deputy, person in rows]


def deputies_of(session: Session, seat_ids: Iterable[int], now: dt.datetime) -> dict[int, list[Person]]:
    """Return the present deputies by the seat's id; seats without one are left out."""
    found: dict[int, list[Person]] = defaultdict(list)
    for deputy, person in load_deputies(session, seat_ids, now):
        found[deputy.seat_id].append(person)
    return dict(found)


def appoint(session: Session, seat_id: int, person: Person, now: dt.datetime, until: dt.datetime) -> Deputy:
    """Make a person the deputy of a seat, replacing any other."""
    _end_deputy(session, seat_id, now)
    deputy = Deputy(seat_id=seat_id, person_id=person.id, since=now, until=until)
    session.add(deputy)
    session.flush()
    return deputy


def _end_deputy(session: Session, seat_id: int, now: dt.datetime) -> None:
    """End the time of a seat's deputy, and the deputy's codes. The row stays, so that the person can be told."""
    session.execute(update(Deputy).where(Deputy.seat_id == seat_id, Deputy.until > now).values(until=now))


def dismiss(session: Session, place: SeatView, now: dt.datetime) -> list[Person]:
    """End the deputy of a seat, and requests for one; return the people dismissed."""
    dismissed = deputies_of(session, [place.id], now).get(place.id, [])
    _end_deputy(session, place.id, now)
    asked = session.scalars(
        select(PendingRequest).where(PendingRequest.kind == RequestKind.DEPUTY, PendingRequest.done_at.is_(None))
    )
    ids = [request.id for request in asked if request.data["seat_id"] == place.id]
    session.execute(update(PendingRequest).where(PendingRequest.id.in_(ids)).values(done_at=now))
    return dismissed


def seats_deputised(session: Session, snapshot: CampaignSnapshot, person: Person, now: dt.datetime) -> list[SeatView]:
    """Return the seats of a campaign of which a person is deputy now."""
    rows = session.scalars(
        select(Deputy.seat_id).where(Deputy.person_id == person.id, Deputy.since <= now, Deputy.until > now)
    )
    ids = set(rows)
    return [place for place in snapshot.places if place.id in ids]


def save_deputy_code(session: Session, snapshot: CampaignSnapshot, deputy: Deputy, code: str, id_: str) -> str:
    """Store the deputy's copy of the report with this code, mailed under this Message-ID; return its own code."""
    # A code of its own, so that it can end with the deputy's time while the player's stays valid (note 14).
    own = reply_code(snapshot.mail_key, "deputy", code, deputy.id)
    report_id = session.scalars(select(Report.id).where(Report.code == code)).one()
    session.add(DeputyReport(report_id=report_id, deputy_id=deputy.id, code=own, message_id=id_))
    session.flush()
    return own


def generate_token() -> str:
    """Return a new token, to be mailed once and not stored."""
    return secrets.token_hex(TOKEN_BYTES)


def hash_token(token: str) -> str:
    """Return what is stored of a token: the hex SHA-256 of its lower-case form."""
    # Neither salt nor slow hash: a token is 80 random bits, too many to be tried out.
    return hashlib.sha256(token.lower().encode()).hexdigest()


def verify_token(token: str, kept: str) -> bool:
    """Return True if a word is the token of this hash, compared in constant time."""
    return bool(token) and hmac.compare_digest(hash_token(token), kept)


def replace_token(session: Session, seat_id: int) -> str:
    """Return a new token for a seat, to be mailed once; the one before is invalid from now on."""
    token = generate_token()
    session.execute(update(Seat).where(Seat.id == seat_id).values(token_hash=hash_token(token)))
    return token
