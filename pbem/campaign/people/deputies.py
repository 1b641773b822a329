"""Deputies: who stands in for a seat's player for a time, asked by him and confirmed by themselves."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.campaign.clock.deadlines import start_of
from pbem.campaign.table import Place, Table
from pbem.house import House
from pbem.post.codes import message_id
from pbem.post.writing import Mail
from pbem.store.models import Deputy, Person, Request

MOST_DAYS = 90
"""How far ahead a deputy may be named."""


def end_of(day: str, zone: str) -> dt.datetime:
    """The moment at which a day (ISO 8601) ends in a zone."""
    return start_of(dt.date.fromisoformat(day) + dt.timedelta(days=1), zone)


def deputies_of(session: Session, seat_ids: Iterable[int], now: dt.datetime) -> dict[int, list[Person]]:
    """Who stands in now, by the seat's id; none for seats without deputy."""
    rows = session.execute(
        select(Deputy.seat_id, Person)
        .join(Person, Person.id == Deputy.person_id)
        .where(Deputy.seat_id.in_(list(seat_ids)), Deputy.since <= now, Deputy.until > now)
        .order_by(Deputy.id)
    )
    found: dict[int, list[Person]] = defaultdict(list)
    for seat_id, person in rows:
        found[seat_id].append(person)
    return dict(found)


def appoint(session: Session, seat_id: int, person: Person, now: dt.datetime, until: dt.datetime) -> None:
    """Makes somebody the deputy of a seat, in the place of any other."""
    _end(session, seat_id, now)
    session.add(Deputy(seat_id=seat_id, person_id=person.id, since=now, until=until))
    session.flush()


def _end(session: Session, seat_id: int, now: dt.datetime) -> None:
    """Ends the time of a seat's deputy. He stays known as one who was, since he still has the code of its report."""
    session.execute(update(Deputy).where(Deputy.seat_id == seat_id, Deputy.until > now).values(until=now))


def dismiss(session: Session, place: Place, now: dt.datetime) -> list[Person]:
    """Ends all that was arranged for a seat, confirmed or not; returns who stood in for it."""
    dismissed = deputies_of(session, [place.id], now).get(place.id, [])
    _end(session, place.id, now)
    asked = session.scalars(select(Request).where(Request.kind == "deputy", Request.done_at.is_(None)))
    ids = [request.id for request in asked if request.data["seat_id"] == place.id]
    session.execute(update(Request).where(Request.id.in_(ids)).values(done_at=now))
    return dismissed


def stands_in_for(session: Session, table: Table, person: Person, now: dt.datetime) -> list[Place]:
    """The places of a campaign for which somebody stands in now."""
    rows = session.scalars(
        select(Deputy.seat_id).where(Deputy.person_id == person.id, Deputy.since <= now, Deputy.until > now)
    )
    ids = set(rows)
    return [place for place in table.places if place.id in ids]


def copies_topic(topic: str) -> str:
    """What the copy of a mail for a deputy is about, by the topic of the mail."""
    return topic and f"{topic} deputy"


def copies(session: Session, house: House, table: Table, mails: Mapping[int, Mail], now: dt.datetime) -> list[Mail]:
    """The reports of seats, by their ids, once more for those who stand in now; a reply finds the seat as well."""
    return [
        dataclasses.replace(
            mails[seat_id],
            recipient=deputy.address,
            message_id=message_id(table.mail_key, house.settings.domain, "copy", mails[seat_id].message_id, deputy.id),
            references=(mails[seat_id].message_id,),
            topic=copies_topic(mails[seat_id].topic),
        )
        for seat_id, deputies in deputies_of(session, mails, now).items()
        for deputy in deputies
    ]
