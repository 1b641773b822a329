"""What a GM rolls of the campaign's dice: kept by turn, label and number, and journalled; the dice do the rest.

A rollback leaves all of it. When the turn is open again, what was rolled in it
stands, as the dice of every other game do; so nobody gets another roll by it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from sqlalchemy import bindparam, insert, select
from sqlalchemy.orm import Session

from pbem.archive.record import roll_dice
from pbem.campaign.journal import note
from pbem.campaign.snapshot import CampaignSnapshot
from pbem.ruleset.rolls import Roll, Rolls, throw_dice
from pbem.store.models import RollRow
from pbem.store.session import flushed

_ROLLS = (
    select(RollRow.dice, RollRow.label, RollRow.number)
    .where(RollRow.campaign_id == bindparam("campaign"), RollRow.turn == bindparam("turn"))
    .order_by(RollRow.id)
)
_ANY = select(RollRow.id).where(RollRow.campaign_id == bindparam("campaign")).limit(1)


def load_rolls(session: Session, snapshot: CampaignSnapshot, turn: int) -> tuple[Roll, ...]:
    """All that was ever rolled in the turn of a number, in its order."""
    rows = flushed(session).execute(_ROLLS, {"campaign": snapshot.id, "turn": turn})
    dice = roll_dice(snapshot.dice_seed, turn)
    return tuple(throw_dice(dice, *row) for row in rows)


def open_rolls(session: Session, snapshot: CampaignSnapshot) -> Rolls:
    """The rolls of the open turn: those made, and those to come."""
    return Rolls(roll_dice(snapshot.dice_seed, snapshot.turn), load_rolls(session, snapshot, snapshot.turn))


def has_rolled(session: Session, snapshot: CampaignSnapshot) -> bool:
    """Whether the GM ever rolled."""
    return flushed(session).execute(_ANY, {"campaign": snapshot.id}).first() is not None


def keep_rolls(session: Session, snapshot: CampaignSnapshot, rolls: Iterable[Roll], now: dt.datetime) -> None:
    """Keeps fresh rolls of the open turn of a locked campaign. The journal tells the GM alone of each."""
    for roll in rolls:
        row = {"campaign_id": snapshot.id, "turn": snapshot.turn, "at": now}
        same = {"label": roll.label, "dice": roll.dice, "number": roll.number}
        session.execute(insert(RollRow), row | same)
        said = f"rolled in turn {snapshot.turn}: {roll.told(roll.number)}"
        note(session, snapshot.id, now, actor="gm", text=said, secret=True)
