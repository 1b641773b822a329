"""What a restored home must not do again, and what it has to tell: all that may have happened since the backup.

Mails that waited may have gone since, so none of them goes by itself. Turns may
have been run, and their reports read: so no campaign goes on before its GM has
looked, whoever plays is told, and whatever is mailed from now on has codes and
Message-IDs that nothing mailed before can have had. Until somebody opens it,
the home reads, runs and sends nothing at all.
"""

from __future__ import annotations

import datetime as dt
import secrets
from dataclasses import dataclass

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from pbem.actions.base import Scene
from pbem.actions.deadlines import hold
from pbem.admin.health import close_home
from pbem.app import House
from pbem.campaign.notices import HOUSE_KEY, send_words
from pbem.campaign.snapshot import CampaignSnapshot, locked_campaign
from pbem.store.models import Act, Campaign, Fact, InboxMessage, Outgoing, SealedPage
from pbem.store.queue import QUEUES
from pbem.store.types import SITE, UNSENT, HoldKind, LetterState, MailState, Phase
from pbem.text import when

LEAP = 1_000_000
"""How far the numbers of letters and acts go on, from which Message-IDs follow: no home has so many in the time
between a backup and its use."""

HELD_BACK = "not sent: it waited when the backup was made, and may have gone since"

_PLAYED = (Phase.FORMING, Phase.RUNNING)


@dataclass(frozen=True, slots=True)
class Settled:
    """The campaigns that are held for their GMs now, and how many mails are held back."""

    held: tuple[str, ...]
    mails: int


def settle(house: House, made: dt.datetime, now: dt.datetime) -> Settled:
    """Brings a house as it was to rest, in one transaction."""
    with house.store.writing() as session:
        mails = _hold_back(session)
        session.execute(update(SealedPage).values(written_at=None))
        session.execute(delete(Fact).where(Fact.name.in_((QUEUES, SITE, HOUSE_KEY))))
        _leap(session, made, now)
        names = session.scalars(select(Campaign.name).where(Campaign.status.in_(_PLAYED)).order_by(Campaign.id))
        held = [name for name in names.all() if _bring_to_rest(session, house, name, made, now)]
        close_home(session, made, now)
    return Settled(tuple(held), mails)


def _hold_back(session: Session) -> int:
    waiting = update(Outgoing).where(Outgoing.state.in_(UNSENT)).returning(Outgoing.id)
    return len(session.scalars(waiting.values(state=MailState.FAILED, reply=HELD_BACK)).all())


def _leap(session: Session, made: dt.datetime, now: dt.datetime) -> None:
    """Leaves a gap in the numbers of letters: a mark that a GM can read, where it happened."""
    newest = session.scalar(select(func.max(InboxMessage.id))) or 0
    id_ = secrets.token_hex(16)  # no mark that came along has the same, even one of the same moment
    mark = InboxMessage(
        id=newest + LEAP,
        mailbox="restore",
        uid_validity="",
        uid=id_,
        sha256=f"restored {id_}",
        received_at=made,
        raw=b"",
        state=LetterState.PROCESSED,
        note=f"no letter: here the home was restored from the backup of {when(made, 'UTC')}",
        sender="",
        verdict="none",
        key="",
        masked_at=now,
    )
    session.add(mark)
    session.flush()


def _bring_to_rest(session: Session, house: House, name: str, made: dt.datetime, now: dt.datetime) -> bool:
    """Begins a new era in a campaign, holds its turns and tells all; whether it is held by that."""
    snapshot = locked_campaign(session, name)
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(era=snapshot.era + 1))
    said = f"the home was restored from its backup of {when(made, 'UTC')}: what was done after that is void"
    newest = session.scalar(select(func.max(Act.id))) or 0
    running = snapshot.status == Phase.RUNNING
    session.add(
        Act(
            id=newest + LEAP,
            campaign_id=snapshot.id,
            at=now,
            actor="gm",
            text=said,
            secret=False,
            turn=snapshot.turn if running else None,
        )
    )
    session.flush()
    if not running:
        return False
    why = (
        f"it stands again as it did {when(made, 'UTC')}, since its home was restored from a backup. Reports, receipts "
        "and answers that you had after that are void, and orders sent after that have to be sent again"
    )
    fresh = locked_campaign(session, name)
    held = hold(Scene(session, house, fresh, now), HoldKind.RESTORED, why)
    _tell_gm(session, house, fresh, made, now)
    return held or bool(fresh.held)


def _tell_gm(session: Session, house: House, snapshot: CampaignSnapshot, made: dt.datetime, now: dt.datetime) -> None:
    name = snapshot.name
    send_words(
        session,
        house,
        snapshot,
        now,
        f"The home of {name} was restored from its backup of {when(made, 'UTC')}. Turn {snapshot.turn} is open "
        "again as it was then, and is held: no turn runs until you release it. Players are told that what came later "
        "is void.",
        f"Look at it first: pbem status {name}. If its deadline has passed or is near, give more time: "
        f"pbem extend {name} (by mail: EXTEND). Then let it go on: pbem release {name} (by mail: RELEASE).",
        to=snapshot.gm,
        subject="Restored from a backup, and held",
    )
