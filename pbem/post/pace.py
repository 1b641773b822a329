"""Keeps to what the providers take (`[pace]` in pbem.toml): mail beyond it waits for the time when it may go.

What has gone is counted in the outbox itself, in spans that end now. Nobody
sleeps: a mail that is held back is just not due before its time.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, bindparam, func, select, update
from sqlalchemy.orm import Session

from pbem.config_values import Pace
from pbem.post.waiting import IN_ORDER, LONGEST_WAIT, OUTBOX, is_due
from pbem.store.types import MailState

LONGEST_SPAN = timedelta(days=1)

_HOLD = update(OUTBOX).where(OUTBOX.c.id == bindparam("row")).values(not_before=bindparam("until"))


def hold_back(session: Session, pace: Pace, now: datetime, *, which: ColumnElement[bool]) -> int:
    """Has all due mail of some kind that the pace does not allow now wait, in its order; returns how many mails."""
    slots = Slots(pace, now, _gone(session, now))
    due = session.execute(select(OUTBOX.c.id, OUTBOX.c.provider).where(is_due(now), which).order_by(*IN_ORDER))
    times = [(row, slots.take(domain)) for row, domain in due.all()]
    held = [{"row": row, "until": min(at, now + LONGEST_WAIT)} for row, at in times if at > now]
    if held:
        session.connection().execute(_HOLD, held)
    return len(held)


def newest(session: Session) -> int:
    """The id of the mail written last; what comes after it has not been looked at."""
    return session.scalar(select(func.max(OUTBOX.c.id))) or 0


def _gone(session: Session, now: datetime) -> list[tuple[str, datetime]]:
    """The domain and time of each mail of the last day, the claimed among them, which may have gone just now."""
    sent = select(OUTBOX.c.provider, OUTBOX.c.sent_at).where(
        OUTBOX.c.sent_at > now - LONGEST_SPAN, OUTBOX.c.sent_at <= now
    )
    claimed = select(OUTBOX.c.provider).where(OUTBOX.c.state == MailState.SENDING, ~is_due(now))
    gone = [(domain, at) for domain, at in session.execute(sent)]
    return gone + [(domain, now) for domain in session.scalars(claimed)]


class Slots:
    """The times at which mail may go. `gone` is the domain and time of each mail that went before."""

    def __init__(self, pace: Pace, now: datetime, gone: Iterable[tuple[str, datetime]]) -> None:
        self._pace = pace
        self._taken: dict[str, list[datetime]] = defaultdict(list)
        self._first: dict[str, datetime] = defaultdict(lambda: now)
        for domain, at in sorted(gone, key=lambda each: each[1]):
            self._put(domain, at)

    def take(self, domain: str) -> datetime:
        """The earliest time at which one more mail may go to a domain, which is then taken."""
        at = self._first[domain]
        while (later := self._next(domain, at)) > at:
            at = later
        self._first[domain] = at
        self._put(domain, at)
        return at

    def _put(self, domain: str, at: datetime) -> None:
        insort(self._taken[""], at)
        if domain in self._pace.domains:
            insort(self._taken[domain], at)

    def _next(self, domain: str, at: datetime) -> datetime:
        """This time if no limit is reached in the spans that end then, else when the first such span has passed."""
        for whose, most, span in self._pace.spans(domain):
            taken = self._taken[whose]
            end = bisect_right(taken, at)
            if end - bisect_right(taken, at - span) >= most:
                return taken[end - most] + span
        return at
