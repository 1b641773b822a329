"""What a GM ought to know of the house as a whole: mail that cannot be read, or has not gone out for days."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.campaign.damaged_rows import noticed
from pbem.campaign.schedule import Watch
from pbem.housekeeping.closed import closed_words
from pbem.housekeeping.watching import read_watch
from pbem.mail.outbox import GIVE_UP
from pbem.store.models import InboxMessage, Outgoing
from pbem.store.types import MailState
from pbem.text import counted, when

_DAY = dt.timedelta(days=1)


def house_notices(session: Session) -> tuple[str, ...]:
    """A sentence for each thing that is out of order."""
    notices: list[str] = []
    watch = read_watch(session)
    stuck = noticed(notices, "the outbox", lambda: stuck_mail(session), "")
    unanswered = noticed(notices, "the letters", lambda: _unanswered(session), "")
    return tuple(filter(None, (closed_words(session), _unread(watch), _waiting(watch), stuck, unanswered, *notices)))


def stuck_mail(session: Session) -> str:
    """The sentence on mail that has been tried for as long as any is, but never refused for good; or ""."""
    tried = select(Outgoing.created_at, Outgoing.not_before, Outgoing.reply).order_by(Outgoing.id)
    rows = session.execute(tried.where(Outgoing.state == MailState.QUEUED, Outgoing.attempts > 0)).all()
    stuck = [row for row in rows if row.not_before - row.created_at >= GIVE_UP]
    if not stuck:
        return ""
    mails = counted(len(stuck), "mail has", "mails have")
    since = when(min(row.created_at for row in stuck), "UTC")
    return f"{mails} been tried for {GIVE_UP.days} days or more, since {since}; last said: {stuck[-1].reply}"


def _unanswered(session: Session) -> str:
    """The sentence on letters of the last day of mail that were due an answer and got none; or ""."""
    newest = session.scalar(select(InboxMessage.received_at).order_by(InboxMessage.id.desc()).limit(1))
    if newest is None:
        return ""
    lately = (InboxMessage.unanswered, InboxMessage.received_at > newest - _DAY)
    number = session.scalar(select(func.count()).where(*lately)) or 0
    letters = counted(number, "letter was", "letters were")
    until = when(newest, "UTC")
    return f"{letters} left unanswered in the day before {until}; the notes in pbem letters say why" if number else ""


def _unread(watch: Watch | None) -> str:
    if watch is None or not watch.failed:
        return ""
    return f"the mailbox cannot be read, last done {when(watch.last_good, 'UTC')}: deadlines wait for it"


def _waiting(watch: Watch | None) -> str:
    if watch is None or watch.outage is None:
        return ""
    since, until, release = (when(at, "UTC") for at in (watch.outage.since, watch.outage.until, watch.outage.release))
    return f"no mail was read from {since} to {until}: deadlines of that time, and soon after, wait until {release}"
