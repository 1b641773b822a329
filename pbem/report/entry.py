"""A deadline as an entry for calendars (iCalendar, RFC 5545)."""

from __future__ import annotations

import datetime as dt
import functools

CONTENT_TYPE = "text/calendar; charset=utf-8; method=PUBLISH"

_EPOCH = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


@functools.lru_cache(maxsize=64)
def deadline_entry(uid: str, campaign: str, deadline: dt.datetime, set_at: dt.datetime) -> bytes:
    """The calendar file of a campaign's open deadline, which was set at a moment; its lines end in CRLF.

    A campaign has one entry, known by its `uid`. The SEQUENCE rises with the
    moment, so that calendars move the entry, and do not move it back for a mail
    that is opened late (RFC 5545, 3.8.7.4).
    """
    # Here, since it takes a tenth of a second, and most commands mail nothing.
    from icalendar import Calendar, Event

    event = Event()
    event.add("uid", uid)
    event.add("dtstamp", set_at.astimezone(dt.UTC))
    event.add("sequence", int((set_at - _EPOCH).total_seconds()))
    event.add("summary", f"Deadline of {campaign}")
    event.add("description", f"Orders for {campaign} are due. This entry moves with the deadline.")
    event.add("dtstart", deadline.astimezone(dt.UTC))
    event.add("dtend", deadline.astimezone(dt.UTC))
    event.add("transp", "TRANSPARENT")
    calendar = Calendar()
    calendar.add("prodid", "-//pbem//deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add_component(event)
    return bytes(calendar.to_ical())
