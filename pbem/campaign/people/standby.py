"""The standby list of a campaign: those who wish to play in it, in the order in which they came."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.ruleset.values import Seat
from pbem.store.models import Applicant, Person
from pbem.store.types import ApplicantStatus

LONGEST_WORDS = 2_000
"""Characters of what somebody writes to the GM with his wish."""


def enlist(
    session: Session, campaign_id: int, person: Person, now: dt.datetime, *, wish: Seat = "", words: str = ""
) -> Applicant:
    """Puts somebody at the end of the list; who is on it already keeps his place, but may wish for another seat."""
    found = find_applicant(session, campaign_id, person)
    if found is None:
        found = Applicant(campaign_id=campaign_id, person_id=person.id, created_at=now)
        session.add(found)
    elif found.status != ApplicantStatus.WAITING:
        found.created_at = now
    found.status, found.wish, found.words = ApplicantStatus.WAITING, wish[:20], words[:LONGEST_WORDS]
    session.flush()
    return found


def find_applicant(session: Session, campaign_id: int, person: Person) -> Applicant | None:
    """What somebody has asked for in a campaign, seated or not."""
    return session.scalar(
        select(Applicant).where(Applicant.campaign_id == campaign_id, Applicant.person_id == person.id)
    )


def place_number(session: Session, applicant: Applicant) -> int:
    """The place on the list, from 1."""
    before = (Applicant.created_at < applicant.created_at) | (
        (Applicant.created_at == applicant.created_at) & (Applicant.id < applicant.id)
    )
    listed = (Applicant.campaign_id == applicant.campaign_id) & (Applicant.status == ApplicantStatus.WAITING)
    return 1 + (session.scalar(select(func.count()).select_from(Applicant).where(listed, before)) or 0)


def standbys(session: Session, campaign_id: int) -> list[tuple[Person, Seat]]:
    """Who waits for a seat, the first first, each with the seat wished for."""
    rows = session.execute(
        select(Person, Applicant.wish)
        .join(Applicant, Applicant.person_id == Person.id)
        .where(Applicant.campaign_id == campaign_id, Applicant.status == ApplicantStatus.WAITING)
        .order_by(Applicant.created_at, Applicant.id)
    )
    return [(person, wish) for person, wish in rows]


def mark_seated(session: Session, campaign_id: int, person: Person) -> None:
    """Takes somebody off the list because he has a seat now."""
    found = find_applicant(session, campaign_id, person)
    if found is not None:
        found.status = ApplicantStatus.SEATED
        session.flush()
