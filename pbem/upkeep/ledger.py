"""The ledger of deliveries: for each reader of each campaign, what became of the mail sent to him."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Integer, RowMapping, case, cast, func, select
from sqlalchemy.orm import Session

from pbem.campaign.snapshot import load_campaign
from pbem.store.models import Campaign, Outgoing, Person, SeatRow
from pbem.store.session import Store
from pbem.store.types import UNSENT, MailState
from pbem.util import masked

COUNTS = ("mails", "tried", "accepted", "bounced", "refused", "retried", "waiting")
"""What is counted of an account."""

_Seats = Mapping[tuple[int, int | None], tuple[str, ...]]
"""The seats of a person in a campaign, by the ids of both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The mails to one reader, counted. `seats` are empty for the GM and for who has none; `campaign` may be None.

    Of the `mails` not replaced by later ones, `tried` were given to the carrier
    at least once, `retried` more often, `accepted` by it; `bounced` came back
    later, `refused` are given up, `waiting` are still to go. `reply` is what
    the other side said last.
    """

    campaign: str | None
    seats: tuple[str, ...]
    address: str
    mails: int
    tried: int
    accepted: int
    bounced: int
    refused: int
    retried: int
    waiting: int
    reply: str


def delivery_ledger(store: Store, campaign: str | None = None) -> tuple[Account, ...]:
    """The accounts of all readers, or of those of one campaign. Raises CampaignError if there is no such campaign."""
    with store.reading() as session:
        counted = _COUNTED
        if campaign is not None:
            counted = counted.where(Outgoing.campaign_id == load_campaign(session, campaign).id)
        rows = session.execute(counted).mappings().all()
        seats = _seats(session)
        replies = _replies(session, [row["last"] for row in rows])
    return tuple(_account(row, seats, replies) for row in rows)


def _times(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return cast(func.coalesce(func.sum(case((condition, 1), else_=0)), 0), Integer)


_READER = func.coalesce(Person.address, Outgoing.recipient)
_COUNTED = (
    select(
        Campaign.name.label("campaign"),
        Outgoing.campaign_id,
        Outgoing.person_id,
        _READER.label("address"),
        func.count().label("mails"),
        _times(Outgoing.attempts > 0).label("tried"),
        _times(Outgoing.sent_at.is_not(None)).label("accepted"),
        _times(Outgoing.state == MailState.BOUNCED).label("bounced"),
        _times(Outgoing.state == MailState.FAILED).label("refused"),
        _times(Outgoing.attempts > 1).label("retried"),
        _times(Outgoing.state.in_(UNSENT)).label("waiting"),
        func.max(case((Outgoing.reply != "", Outgoing.id))).label("last"),
    )
    .outerjoin(Campaign, Campaign.id == Outgoing.campaign_id)
    .outerjoin(Person, Person.id == Outgoing.person_id)
    .where(Outgoing.state != MailState.SUPERSEDED)
    .group_by(Campaign.name, Outgoing.campaign_id, Outgoing.person_id, _READER)
    .order_by(Outgoing.campaign_id, func.min(Outgoing.id))
)


def _seats(session: Session) -> _Seats:
    found: dict[tuple[int, int | None], tuple[str, ...]] = {}
    manned = select(SeatRow.campaign_id, SeatRow.person_id, SeatRow.name).where(SeatRow.person_id.is_not(None))
    for campaign_id, person_id, name in session.execute(manned.order_by(SeatRow.id)):
        found[campaign_id, person_id] = (*found.get((campaign_id, person_id), ()), name)
    return found


def _replies(session: Session, ids: Sequence[int | None]) -> dict[int, str]:
    wanted = select(Outgoing.id, Outgoing.reply).where(Outgoing.id.in_([id_ for id_ in ids if id_ is not None]))
    return {row.id: row.reply for row in session.execute(wanted)}


def _account(row: RowMapping, seats: _Seats, replies: Mapping[int, str]) -> Account:
    counts = {name: row[name] for name in COUNTS}
    return Account(
        campaign=row["campaign"],
        seats=seats.get((row["campaign_id"], row["person_id"]), ()),
        address=row["address"],
        reply=masked(replies.get(row["last"], "")),
        **counts,
    )
