"""The journal of a campaign: what was done, when, and by whom."""

from __future__ import annotations

import datetime as dt
from typing import cast

from sqlalchemy import Table, insert
from sqlalchemy.orm import Session

from pbem.store.models import Act
from pbem.store.session import flushed

_ENTER = insert(cast(Table, Act.__table__)).returning(Act.id)


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
    row = {"campaign_id": campaign_id, "at": at, "actor": actor, "text": text, "secret": secret, "turn": turn}
    entry: int = flushed(session).execute(_ENTER, row).scalar_one()
    return entry
