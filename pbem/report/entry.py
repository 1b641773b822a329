"""A deadline as an entry for calendars (iCalendar, RFC 5545)."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from icalendar import Calendar, Event

CONTENT_TYPE = "text/calendar; charset=utf-8; method=PUBLISH"

_MAKER = "-//pbem//deadlines//EN"
_EPOCH = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
_LAST_SEQUENCE = 2**31 - 1


class Due(NamedTuple):
    """A deadline in a calendar of several; `opened` is when its turn was."""

    uid: str
    summary: str
    deadline: dt.datetime
    opened: dt.datetime


@functools.lru_cache(maxsize=64)
def deadline_entry(uid: str, campaign: str, deadline: dt.datetime, set_at: dt.datetime) -> bytes:
    """The calendar file of a campaign's open deadline, which was set at a moment; its lines end in CRLF.

    A campaign has one entry, known by its `uid`. The SEQUENCE rises with the
    moment, so that calendars move the entry, and do not move it back for a mail
    that is opened late (RFC 5545, 3.8.7.4). It is an integer of 31 bits (3.3.8),
    which is reached in 2088; from then on DTSTAMP decides (RFC 5546, 2.1.5).
    """
    event = _event(uid, f"Deadline of {campaign}", deadline, set_at)
    event.add("sequence", min(int((set_at - _EPOCH).total_seconds()), _LAST_SEQUENCE))
    event.add("description", f"Orders for {campaign} are due. This entry moves with the deadline.")
    calendar = _calendar([event])
    calendar.add("method", "PUBLISH")
    return bytes(calendar.to_ical())


def deadlines_calendar(name: str, due: Sequence[Due]) -> bytes:
    """A calendar to subscribe to; its lines end in CRLF."""
    calendar = _calendar(_event(each.uid, each.summary, each.deadline, each.opened) for each in due)
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", dt.timedelta(hours=6), {"value": "DURATION"})
    return bytes(calendar.to_ical())


def _event(uid: str, summary: str, deadline: dt.datetime, set_at: dt.datetime) -> Event:
    """A deadline, which takes no time and keeps nobody busy."""
    # Here, since it takes a tenth of a second, and most commands mail nothing.
    from icalendar import Event

    event = Event()
    event.add("uid", uid)
    event.add("dtstamp", set_at.astimezone(dt.UTC))
    event.add("summary", summary)
    event.add("dtstart", deadline.astimezone(dt.UTC))
    event.add("dtend", deadline.astimezone(dt.UTC))
    event.add("transp", "TRANSPARENT")
    return event


def _calendar(events: Iterable[Event]) -> Calendar:
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", _MAKER)
    calendar.add("version", "2.0")
    for event in events:
        calendar.add_component(event)
    return calendar
