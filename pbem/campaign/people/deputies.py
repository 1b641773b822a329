"""Deputies: who stands in for a seat's player for a time, asked by him and confirmed by themselves."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.campaign.deadlines import start_of
from pbem.campaign.notices import Postman
from pbem.campaign.snapshot import CampaignSnapshot, Place
from pbem.mail.compose import Mail, Part
from pbem.mail.headers import reply_code
from pbem.mail.outbox import copies_topic
from pbem.store.models import Deputy, Person, Report, ReportCopy, Request

MOST_DAYS = 90
"""How far ahead a deputy may be named."""


def end_of(day: str, zone: str) -> dt.datetime:
    """The moment at which a day (ISO 8601) ends in a zone."""
    return start_of(dt.date.fromisoformat(day) + dt.timedelta(days=1), zone)


def deputies_of(session: Session, seat_ids: Iterable[int], now: dt.datetime) -> dict[int, list[Person]]:
    """Who stands in now, by the seat's id; none for seats without deputy."""
    found: dict[int, list[Person]] = defaultdict(list)
    for deputy, person in _on(session, seat_ids, now):
        found[deputy.seat_id].append(person)
    return dict(found)


_ON = (
    select(Deputy, Person)
    .join(Person, Person.id == Deputy.person_id)
    .where(
        Deputy.seat_id.in_(bindparam("seats", expanding=True)),
        Deputy.since <= bindparam("now"),
        Deputy.until > bindparam("now"),
    )
    .order_by(Deputy.id)
)


def _on(session: Session, seat_ids: Iterable[int], now: dt.datetime) -> list[tuple[Deputy, Person]]:
    rows = session.execute(_ON, {"seats": list(seat_ids), "now": now})
    return [(deputy, person) for deputy, person in rows]


def appoint(session: Session, seat_id: int, person: Person, now: dt.datetime, until: dt.datetime) -> Deputy:
    """Makes somebody the deputy of a seat, in the place of any other."""
    _end(session, seat_id, now)
    deputy = Deputy(seat_id=seat_id, person_id=person.id, since=now, until=until)
    session.add(deputy)
    session.flush()
    return deputy


def _end(session: Session, seat_id: int, now: dt.datetime) -> None:
    """Ends the time of a seat's deputy, and with it his codes. He stays known as one who was, to be told so."""
    session.execute(update(Deputy).where(Deputy.seat_id == seat_id, Deputy.until > now).values(until=now))


def dismiss(session: Session, place: Place, now: dt.datetime) -> list[Person]:
    """Ends all that was arranged for a seat, confirmed or not; returns who stood in for it."""
    dismissed = deputies_of(session, [place.id], now).get(place.id, [])
    _end(session, place.id, now)
    asked = session.scalars(select(Request).where(Request.kind == "deputy", Request.done_at.is_(None)))
    ids = [request.id for request in asked if request.data["seat_id"] == place.id]
    session.execute(update(Request).where(Request.id.in_(ids)).values(done_at=now))
    return dismissed


def stands_in_for(session: Session, snapshot: CampaignSnapshot, person: Person, now: dt.datetime) -> list[Place]:
    """The places of a campaign for which somebody stands in now."""
    rows = session.scalars(
        select(Deputy.seat_id).where(Deputy.person_id == person.id, Deputy.since <= now, Deputy.until > now)
    )
    ids = set(rows)
    return [place for place in snapshot.places if place.id in ids]


def copies(
    session: Session, house: House, snapshot: CampaignSnapshot, mails: Mapping[int, tuple[str, Mail]], now: dt.datetime
) -> list[Mail]:
    """The reports of seats once more for those who stand in now; `mails` has code and mail by the ids of seats.

    Each copy has a code of its own in the place of the seat's.
    """
    return [
        _copy(session, house, snapshot, deputy, person, *mails[deputy.seat_id])
        for deputy, person in _on(session, mails, now)
    ]


def _copy(
    session: Session, house: House, snapshot: CampaignSnapshot, deputy: Deputy, person: Person, code: str, mail: Mail
) -> Mail:
    id_ = Postman.of(house, snapshot).id_of("copy", mail.message_id, person.id)
    own = put_copy(session, snapshot, deputy, code, id_)
    return dataclasses.replace(
        mail,
        recipient=person.address,
        subject=mail.subject.replace(code, own),
        text=mail.text.replace(code, own),
        html=mail.html.replace(code, own),
        parts=tuple(_recoded(part, code, own) for part in mail.parts),
        reply_to=mail.reply_to.replace(code, own),
        message_id=id_,
        references=(),  # the report's own Message-ID is a key to the seat
        topic=copies_topic(mail.topic),
    )


def _recoded(part: Part, code: str, own: str) -> Part:
    """A file of a report for a deputy: a page holds the code as the mail does."""
    return (
        dataclasses.replace(part, content=part.content.replace(code.encode(), own.encode())) if part.is_page else part
    )


def put_copy(session: Session, snapshot: CampaignSnapshot, deputy: Deputy, code: str, id_: str) -> str:
    """Keeps how a deputy may answer the report of this code, by the mail of this Message-ID; returns his code."""
    own = reply_code(snapshot.mail_key, "deputy", code, deputy.id)
    report_id = session.scalars(select(Report.id).where(Report.code == code)).one()
    session.add(ReportCopy(report_id=report_id, deputy_id=deputy.id, code=own, message_id=id_))
    session.flush()
    return own
