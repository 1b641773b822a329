"""What a GM ought to know of the house as a whole: mail that cannot be read, or has not gone out for days."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.campaign.clock.watching import read_watch
from pbem.post.waiting import GIVE_UP
from pbem.report.wording import when
from pbem.store.models import Outgoing


def house_notices(session: Session, home: Path) -> tuple[str, ...]:
    """A sentence for each thing that is out of order."""
    return tuple(filter(None, (_unread(home), _waiting(home), stuck_mail(session))))


def stuck_mail(session: Session) -> str:
    """The sentence on mail that has been tried for as long as any is, but never refused for good; or ""."""
    tried = select(Outgoing.created_at, Outgoing.not_before, Outgoing.reply).order_by(Outgoing.id)
    rows = session.execute(tried.where(Outgoing.state == "queued", Outgoing.attempts > 0)).all()
    stuck = [row for row in rows if row.not_before - row.created_at >= GIVE_UP]
    if not stuck:
        return ""
    mails = "1 mail has" if len(stuck) == 1 else f"{len(stuck)} mails have"
    since = when(min(row.created_at for row in stuck), "UTC")
    return f"{mails} been tried for {GIVE_UP.days} days or more, since {since}; last said: {stuck[-1].reply}"


def _unread(home: Path) -> str:
    watch = read_watch(home)
    if watch is None or not watch.failed:
        return ""
    return f"the mailbox cannot be read, last done {when(watch.last_good, 'UTC')}: deadlines wait for it"


def _waiting(home: Path) -> str:
    watch = read_watch(home)
    if watch is None or watch.outage is None:
        return ""
    since, until, release = (when(at, "UTC") for at in (watch.outage.since, watch.outage.until, watch.outage.release))
    return f"no mail was read from {since} to {until}: deadlines of that time, and soon after, wait until {release}"
