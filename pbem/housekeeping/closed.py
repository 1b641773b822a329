"""A home that was restored from a backup is closed: nothing is read, run or sent there until somebody opens it."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.campaign.damaged_rows import keep_fact, read_fact
from pbem.config import INACTIVE
from pbem.errors import ConfigError
from pbem.store.migrate import require_unchanged
from pbem.store.models import Fact
from pbem.store.session import flushed
from pbem.text import when

CLOSED = "closed"
"""The name of the fact that is kept."""

_CLOSED = select(Fact.name).where(Fact.name == CLOSED)


def close_home(session: Session, made: dt.datetime, now: dt.datetime) -> None:
    """Closes a home that was restored from the backup made at a time."""
    keep_fact(session, CLOSED, {"made": made.isoformat(), "at": now.isoformat()})


def closed_words(session: Session) -> str:
    """The sentence on a closed home, which says what to do; "" of an open one."""
    if flushed(session).execute(_CLOSED).first() is None:
        return ""
    closed = read_fact(session, CLOSED)
    of = "" if closed is None else f" of {when(dt.datetime.fromisoformat(closed['made']), 'UTC')}"
    return (
        f"this home was restored from its backup{of}, and nothing is read, run or sent here until you say so, "
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


def is_closed(house: House) -> bool:
    """Return True for a home that does nothing before it is opened."""
    with house.store.reading() as session:
        return not house.settings.active or bool(closed_words(session))


def open_home(house: House) -> None:
    """Open a home for all who load its settings from now on: templates, secrets and servers of it are used.

    The settings are freed first: whoever is killed in between has a home that a tick still refuses.
    """
    (house.settings.home / INACTIVE).unlink(missing_ok=True)
    with house.store.writing() as session:
        session.execute(delete(Fact).where(Fact.name == CLOSED))
