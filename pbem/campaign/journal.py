"""The journal of a campaign: what was done, when, and by whom."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import insert
from sqlalchemy.orm import Session

from pbem.store.models import Act


def note(session: Session, campaign_id: int, at: dt.datetime, *, actor: str, text: str) -> None:
    """Enters an act into the journal, in the transaction of the act itself."""
    session.execute(insert(Act).values(campaign_id=campaign_id, at=at, actor=actor, text=text))
