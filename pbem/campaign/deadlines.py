"""The deadline of a turn that opens: by the schedule, but on no holiday, and in nobody's absence.

A deadline once set is not moved by either; for that there are extensions.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from pbem.calendar.schedule import Schedule
from pbem.campaign.policy import Policy
from pbem.campaign.snapshot import CampaignSnapshot
from pbem.store.models import Absence, SeatRow
from pbem.store.session import flushed
from pbem.store.types import Seating

FARTHEST = dt.timedelta(days=366)
"""A calendar that would put a deadline off by more is a slip of the pen, and is passed over."""

_DAY = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Away:
    """A time in which a player cannot send orders: from its first moment to the one after its last."""

    since: dt.datetime
    until: dt.datetime


_ABSENCES = (
    select(Absence.since, Absence.until)
    .join(SeatRow, SeatRow.id == Absence.seat_id)
    .where(SeatRow.campaign_id == bindparam("campaign"), SeatRow.status == Seating.PLAYING, ~SeatRow.paused)
    .where(SeatRow.person_id.is_not(None))
)


def load_absences(session: Session, snapshot: CampaignSnapshot) -> tuple[Away, ...]:
    """The absences of all seats that turns wait for."""
    rows = flushed(session).execute(_ABSENCES, {"campaign": snapshot.id})
    return tuple(Away(since, until) for since, until in rows)


def new_deadline(session: Session, snapshot: CampaignSnapshot, opened: dt.datetime) -> dt.datetime:
    """The deadline of a turn of this campaign that opens at this moment, in UTC."""
    return next_deadline(snapshot.schedule, snapshot.policy, opened, load_absences(session, snapshot))


def next_deadline(
    schedule: Schedule, policy: Policy, opened: dt.datetime, absences: Sequence[Away] = ()
) -> dt.datetime:
    """The deadline of a turn that opens at this moment, in UTC.

    One that falls on a holiday or in an absence is moved to the next moment of
    the schedule after it; who comes back has the least time first. Absences
    longer than the campaign allows move nothing.
    """
    least = dt.timedelta(minutes=policy.least)
    first = deadline = schedule.next_after(opened, least=least)
    closed = sorted([*_holidays(policy, schedule.zone, opened), *_absences(schedule, policy, absences, least)])
    while ends := [until for since, until in closed if since <= deadline < until]:
        deadline = schedule.next_from(opened, max(ends))
    return deadline if deadline - first <= FARTHEST else first


_Span = tuple[dt.datetime, dt.datetime]


def _holidays(policy: Policy, zone: str, opened: dt.datetime) -> Iterator[_Span]:
    """The holidays that may matter, whole days of the zone; those of the next two years."""
    horizon = opened.date() + 2 * FARTHEST
    for span in policy.holidays:
        first, _, last = span.partition("..")
        start, end = dt.date.fromisoformat(first), min(dt.date.fromisoformat(last or first), horizon)
        if opened.date() - _DAY <= end and start <= end:
            yield start_of(start, zone), start_of(end + _DAY, zone)


def _absences(schedule: Schedule, policy: Policy, absences: Sequence[Away], least: dt.timedelta) -> Iterator[_Span]:
    margin = min(least, schedule.every or least)  # a schedule may itself give less than the least time
    for away in absences:
        # An hour more: when clocks go back, a day has 25.
        if away.until - away.since <= policy.absence_days * _DAY + dt.timedelta(hours=1):
            yield away.since, away.until + margin


def start_of(day: dt.date, zone: str) -> dt.datetime:
    """When a day begins in a zone, in UTC."""
    return dt.datetime.combine(day, dt.time(), ZoneInfo(zone)).astimezone(dt.UTC)
