"""Rulings that no longer count: replaced, dropped or rolled back, they are kept and can be shown and brought back."""

from __future__ import annotations

import datetime as dt
import secrets
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.campaign.snapshot import CampaignSnapshot, OpenTurn
from pbem.errors import CampaignError
from pbem.mail.headers import reply_code
from pbem.ruleset.serialization import digest
from pbem.ruleset.values import Json
from pbem.store.models import Request, Turn

RULING = "ruling"
"""The kind of a `Request` that keeps a ruling. Its code is mailed to nobody."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """A ruling on the open turn that does not count; `at` is when it was replaced or dropped."""

    number: int
    at: dt.datetime
    ruling: Json


def keep_earlier(session: Session, snapshot: CampaignSnapshot, turn: OpenTurn, ruling: Json, now: dt.datetime) -> None:
    """Keep the ruling that counted until now, unless one like it is kept already."""
    if any(digest(each.ruling) == digest(ruling) for each in earlier_rulings(session, snapshot, turn)):
        return
    code = reply_code(secrets.token_bytes(32), RULING)
    # Nobody is mailed a code, but the limit of codes in a day looks at `to` and `by` of every request.
    data = {"turn_id": turn.id, "ruling": ruling, "to": "", "by": ""}
    session.add(Request(kind=RULING, code=code, campaign_id=snapshot.id, data=data, created_at=now))
    session.flush()


def earlier_rulings(session: Session, snapshot: CampaignSnapshot, turn: OpenTurn) -> list[Earlier]:
    """Return the rulings that counted once, the oldest first: before a rollback to this state, then since."""
    shelved = select(Turn.resolved_at, Turn.ruling).where(
        Turn.campaign_id == snapshot.id,
        Turn.number == turn.number,
        Turn.shelf_id.is_not(None),
        Turn.state_hash == turn.state_hash,
    )
    kept = select(Request.created_at, Request.data).where(Request.campaign_id == snapshot.id, Request.kind == RULING)
    rolled_back = [
        (at or turn.opened_at, ruling) for at, ruling in session.execute(shelved.order_by(Turn.id)) if ruling
    ]
    replaced = [
        (at, data["ruling"]) for at, data in session.execute(kept.order_by(Request.id)) if data["turn_id"] == turn.id
    ]
    return [Earlier(number, at, ruling) for number, (at, ruling) in enumerate([*rolled_back, *replaced], start=1)]


def choose_earlier(name: str, turn: OpenTurn, known: list[Earlier], number: int | None) -> Earlier:
    """Return the earlier ruling of a number; without one, the newest that is not the one that counts.

    Raises CampaignError.
    """
    others = [each for each in known if turn.ruling is None or digest(each.ruling) != digest(turn.ruling)]
    chosen = [each for each in others if number in (None, each.number)]
    if chosen:
        return chosen[-1]
    numbers = ", ".join(str(each.number) for each in others) or "none"
    which = (
        "no earlier ruling" if number is None else f"no earlier ruling {number} that differs from the one that counts"
    )
    raise CampaignError(f"there is {which} on turn {turn.number} of {name}; there are: {numbers}")
