"""A home that was restored from a backup is closed: nothing is read, run or sent there until somebody opens it."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.errors import ConfigError
from pbem.house import House
from pbem.report.wording import when
from pbem.store import flushed, require_unchanged
from pbem.store.models import Fact

CLOSED = "closed"
"""The name of the fact that is kept."""

_CLOSED = select(Fact.data).where(Fact.name == CLOSED)


def close_home(session: Session, made: dt.datetime, now: dt.datetime) -> None:
    """Closes a home that was restored from the backup made at a time."""
    session.merge(Fact(name=CLOSED, data={"made": made.isoformat(), "at": now.isoformat()}))


def closed_words(session: Session) -> str:
    """The sentence on a closed home, which says what to do; "" of an open one."""
    closed = flushed(session).execute(_CLOSED).scalar()
    if closed is None:
        return ""
    made = when(dt.datetime.fromisoformat(closed["made"]), "UTC")
    return (
        f"this home was restored from its backup of {made}, and nothing is read, run or sent here until you say so, "
        "with: pbem reopen"
    )


def check_open(house: House) -> None:
    """Raises ConfigError, saying what to do, if the home is closed, or its database was brought up meanwhile.

    Who runs for weeks has loaded his program long ago, and would go on writing as that does.
    """
    with house.store.reading() as session:
        require_unchanged(session)
        if said := closed_words(session):
            raise ConfigError(said)


def open_home(house: House) -> bool:
    """Opens a home; False if it was not closed."""
    with house.store.writing() as session:
        fact = session.get(Fact, CLOSED)
        if fact is not None:
            session.delete(fact)
    return fact is not None
