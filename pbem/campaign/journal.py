"""The journal of a campaign: what was done, when, and by whom."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import insert
from sqlalchemy.orm import Session

from pbem.store.models import Act


def note(
    session: Session,
    campaign_id: int,
    at: dt.datetime,
    *,
    actor: str,
    text: str,
    secret: bool = False,
    turn: int | None = None,
) -> int:
    """Enters an act into the journal, in the transaction of the act itself; returns the id of the entry.

    What is `secret` is not for players to read. With a `turn`, that which is
    open now, the next report of each seat tells it, as what the GM did.
    """
    entry = insert(Act).values(campaign_id=campaign_id, at=at, actor=actor, text=text, secret=secret, turn=turn)
    return session.scalars(entry.returning(Act.id)).one()
