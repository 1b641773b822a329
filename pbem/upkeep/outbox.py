"""The outbox as a GM sees it: the mail that is not delivered, and another try at once."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import select, update

from pbem.campaign.snapshot import load_campaign
from pbem.errors import UpkeepError
from pbem.mail.message import read_head
from pbem.mail.retention import is_masked
from pbem.store.models import Campaign, Outgoing
from pbem.store.session import Store
from pbem.store.types import UNSENT, MailState
from pbem.util import masked

_TRIED_AGAIN = (MailState.QUEUED, MailState.FAILED)
"""What needs no naming to be tried again: neither what another process is just sending, nor what has come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A mail not delivered. `next_try` is None where none will be made; `reply` is what the carrier said last."""

    id: int
    campaign: str | None
    recipient: str
    subject: str
    state: str
    attempts: int
    since: dt.datetime
    next_try: dt.datetime | None
    reply: str


def list_outbox(store: Store, campaign: str | None = None) -> tuple[Held, ...]:
    """The mail, of one campaign or all, that was not sent and still should be, in the order in which it was written.

    Raises CampaignError if there is no such campaign.
    """
    mails = (
        select(Outgoing, Campaign.name)
        .outerjoin(Campaign, Campaign.id == Outgoing.campaign_id)
        .where(Outgoing.state.not_in((MailState.SENT, MailState.SUPERSEDED)))
        .order_by(Outgoing.id)
    )
    with store.reading() as session:
        if campaign is not None:
            mails = mails.where(Outgoing.campaign_id == load_campaign(session, campaign).id)
        return tuple(_held(mail, name) for mail, name in session.execute(mails.execution_options(yield_per=100)))


def retry_mail(store: Store, now: dt.datetime, mail_id: int | None = None) -> list[int]:
    """Makes a mail due now, or with no id all that wait or have failed; returns their ids.

    The bytes stay, and with them the Message-ID; its tries are counted anew, lest the first that the other side puts
    off be the last. What another process is just
    handing over is left to it; what bounced is tried again only by its id.
    Raises UpkeepError if the one mail cannot be tried again.
    """
    again = update(Outgoing).values(state=MailState.QUEUED, not_before=now, attempts=0).returning(Outgoing.id)
    if mail_id is None:
        again = again.where(Outgoing.state.in_(_TRIED_AGAIN))
    else:
        again = again.where(Outgoing.id == mail_id, Outgoing.state.in_((*_TRIED_AGAIN, MailState.BOUNCED)))
    with store.writing() as session:
        raw = session.scalar(select(Outgoing.raw).where(Outgoing.id == mail_id))
        if raw is not None and is_masked(raw):
            raise UpkeepError(f"mail {mail_id} was sent too long ago to go again: it is no longer kept whole")
        due = sorted(session.scalars(again))
        if mail_id is not None and not due:
            raise _refusal(mail_id, session.scalar(select(Outgoing.state).where(Outgoing.id == mail_id)))
    return due


def _refusal(mail_id: int, state: str | None) -> UpkeepError:
    if state is None:
        return UpkeepError(f"there is no mail {mail_id} in the outbox: list them with: pbem outbox")
    if state == MailState.SENDING:
        return UpkeepError(f"mail {mail_id} is being sent; if that was cut short, it is tried again by itself soon")
    return UpkeepError(f"mail {mail_id} is {state}: only what is not delivered is tried again")


def _held(mail: Outgoing, campaign: str | None) -> Held:
    return Held(
        id=mail.id,
        campaign=campaign,
        recipient=mail.recipient,
        subject=masked(read_head(mail.raw).subject),
        state=mail.state,
        attempts=mail.attempts,
        since=mail.created_at,
        next_try=mail.not_before if mail.state in UNSENT else None,
        reply=masked(mail.reply),
    )
