"""People: one identity for whoever plays, in as many campaigns as he likes."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.store.models import Person


def find_person(session: Session, address: str) -> Person | None:
    """Who has this address, in whatever case it is written."""
    return session.scalar(select(Person).where(Person.key == address.lower()))


def enrol(session: Session, address: str, now: dt.datetime) -> Person:
    """The person of this address, made if there is none."""
    person = find_person(session, address)
    if person is None:
        person = Person(address=address, key=address.lower(), created_at=now)
        session.add(person)
        session.flush()
    return person
