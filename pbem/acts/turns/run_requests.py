"""A GM's word that the open turn be run: kept, and done by the tick when all letters are read."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.acts.act import Act, Deed, Reversible, Scene
from pbem.acts.arguments import GmCommand
from pbem.app import House
from pbem.campaign.due import BY_GM, Due
from pbem.campaign.snapshot import CampaignSnapshot, check_running
from pbem.store.models import Campaign, Request
from pbem.store.session import Queue, Work, wake
from pbem.store.types import Phase

RUN = "run"
"""What `Request.kind` says of it."""


@dataclass(frozen=True, slots=True)
class AskForRun(GmCommand, Act[Deed]):
    """Run the open turn now."""

    usage = "RUN"
    command = "run"
    weight = Reversible("pbem rollback NAME TURN", "ROLLBACK turn")

    def do(self, scene: Scene) -> Deed:
        """Keeps it for the tick; once, however often it is asked. Raises CampaignError if no turn is open."""
        session, snapshot, now = scene.session, scene.snapshot, scene.now
        check_running(snapshot)
        if not is_asked(session, snapshot):
            # Nobody is mailed a code, but whoever counts those of a day looks at these of every request.
            data = {"turn": snapshot.turn, "era": snapshot.era, "to": "", "by": ""}
            session.add(Request(kind=RUN, code=_code(snapshot), campaign_id=snapshot.id, data=data, created_at=now))
            wake(session, Work(Queue.CAMPAIGNS, snapshot.name))
        return Deed(f"Turn {snapshot.turn} of {snapshot.name} is run as soon as all letters are read.")


def is_asked(session: Session, snapshot: CampaignSnapshot) -> bool:
    """Whether the GM has asked for the run of the turn that is open now."""
    return session.scalar(select(Request.id).where(Request.code == _code(snapshot))) is not None


def _code(snapshot: CampaignSnapshot) -> str:
    return f"{RUN}-{snapshot.id}-{snapshot.turn}-{snapshot.era}"


_ASKED = (
    select(Request.id, Request.data, Campaign.name, Campaign.turn, Campaign.era, Campaign.status)
    .join(Campaign, Campaign.id == Request.campaign_id)
    .where(Request.kind == RUN, Request.done_at.is_(None))
    .order_by(Request.id)
)


def asked_runs(house: House, now: dt.datetime, campaign: str | None = None) -> list[Due]:
    """The turns, of all campaigns or of one, whose GM has asked for their run.

    What was asked of turns no longer open is crossed off.
    """
    here = _ASKED if campaign is None else _ASKED.where(Campaign.name == campaign)
    with house.store.reading() as session:
        asked = session.connection().execute(here).all()
    over = [
        row.id for row in asked if (row.turn, row.era, row.status) != (row.data["turn"], row.data["era"], Phase.RUNNING)
    ]
    if over:
        with house.store.writing() as session:
            session.execute(update(Request).where(Request.id.in_(over)).values(done_at=now))
    return [Due(row.name, row.turn, BY_GM) for row in asked if row.id not in over]
