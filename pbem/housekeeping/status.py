"""How campaigns stand, for the GM: who has sent, who is awaited, when the turn is due, what mail is stuck."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.actions.status import CampaignStatus, Undelivered, _undelivered, campaign_status
from pbem.app import House
from pbem.campaign.damaged_rows import fault_of, noticed, readable, unreadable_words
from pbem.campaign.snapshot import load_campaign
from pbem.errors import StoreError
from pbem.housekeeping.health import house_notices
from pbem.store.models import Campaign, InboxMessage
from pbem.store.types import LetterState


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseStatus:
    """All campaigns, mail that belongs to none, how many letters were set aside, and what else is out of order."""

    campaigns: tuple[CampaignStatus, ...]
    undelivered: tuple[Undelivered, ...]
    set_aside: int
    notices: tuple[str, ...]


def house_status(house: House, campaign: str | None = None) -> HouseStatus:
    """The status of all campaigns, or of one. Raises CampaignError if there is no such campaign."""
    if campaign is not None:
        with readable(house, campaign), house.store.reading() as session:
            here = campaign_status(session, house, load_campaign(session, campaign))
            return HouseStatus(
                campaigns=(here,), undelivered=(), set_aside=_set_aside(session), notices=house_notices(session)
            )
    notices: list[str] = []
    with house.store.reading() as session:
        names = session.scalars(select(Campaign.name).order_by(Campaign.id)).all()
        found = tuple(filter(None, (_status_or_notice(session, house, name, notices) for name in names)))
        stuck: tuple[Undelivered, ...] = noticed(notices, "the outbox", lambda: _undelivered(session, None), ())
        set_aside = _set_aside(session)
        notices = [*house_notices(session), *notices]
    return HouseStatus(campaigns=found, undelivered=stuck, set_aside=set_aside, notices=tuple(notices))


def _status_or_notice(session: Session, house: House, name: str, notices: list[str]) -> CampaignStatus | None:
    try:
        return campaign_status(session, house, load_campaign(session, name))
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - one campaign's fault must not hide the others
        notices.append(unreadable_words(name, error, fault_of(session, name)))
        return None


def _set_aside(session: Session) -> int:
    return session.scalar(select(func.count()).where(InboxMessage.state == LetterState.QUARANTINED)) or 0
