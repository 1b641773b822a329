"""The report as data: attached JSON, and calendar files (iCalendar, RFC 5545)."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from pbem.errors import PbemError
from pbem.report.facts import DiceDisclosure, ReportFacts
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json, canonical_object, parse_json
from pbem.ruleset.values import View
from pbem.text import own_zone

if TYPE_CHECKING:
    from icalendar import Calendar, Event

FORMAT = 1
_KEYS = {
    "format": int,
    "game": str,
    "game_version": int,
    "campaign": str,
    "seat": str,
    "label": str,
    "zone": str,
    "view": dict,
}


class ReportDataError(PbemError):
    """Raised for a file that is not the JSON of a report, or has a format that this program cannot read."""


def report_data(ruleset: AnyRuleset, view: View, facts: ReportFacts, brief: Sequence[str]) -> dict[str, Any]:
    """Return the data of a report: game, campaign, seat, deadline (ISO 8601, UTC) and the view itself.

    `brief` are the headlines it begins with. `dice` has the dice words, where the report
    discloses them; `looks` says how the GM looked at real dice.
    """
    return {
        "format": FORMAT,
        "game": ruleset.key,
        "game_version": ruleset.version,
        "campaign": facts.campaign,
        "seat": facts.seat,
        "label": view["label"],
        "deadline": facts.deadline.astimezone(dt.UTC).isoformat() if facts.deadline else None,
        "zone": own_zone(facts.zone),
        "record": facts.record,
        "brief": list(brief),
        "view": view,
        **({"dice": dice_data(facts.dice, facts.seal)} if facts.dice else {}),
        **({"looks": list(facts.words.looks)} if facts.words.looks else {}),
    }


def dice_data(told: DiceDisclosure, seal: str) -> dict[str, Any]:
    words = [[each.seat, each.word] for each in told.words]
    own = [each.seat for each in told.words if each.own]
    return {"seal": seal, "words": words, "own": own, "digest": told.digest, "seats": told.seats}


def write_report_data(data: dict[str, Any], view: bytes) -> bytes:
    """Return `report_data` as canonical JSON and a newline; `view` is its view, which is encoded already."""
    members = {name: view if name == "view" else canonical_json(value) for name, value in data.items()}
    return canonical_object(members) + b"\n"


def read_report_data(raw: bytes) -> dict[str, Any]:
    """Return the data of a report's JSON attachment; raise ReportDataError saying what is wrong."""
    try:
        data = parse_json(raw.decode("utf-8-sig"))  # an editor may have added a byte order mark
    except (ValueError, RecursionError):  # arrays nested too deep
        raise ReportDataError("this is not a report: it is no JSON text; use the .json file attached to one") from None
    if not isinstance(data, dict) or "format" not in data:
        raise ReportDataError("this is not a report: it is JSON, but not the file attached to one")
    if data["format"] != FORMAT:
        raise ReportDataError(f"this report has format {data['format']!r}; this program reads format {FORMAT}")
    for key, kind in _KEYS.items():
        if not isinstance(data.get(key), kind):
            raise ReportDataError(f"this report is damaged: its {key!r} is missing or of the wrong kind")
    return data


CONTENT_TYPE = "text/calendar; charset=utf-8; method=PUBLISH"

_MAKER = "-//pbem//deadlines//EN"
_EPOCH = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
_LAST_SEQUENCE = 2**31 - 1


_LENGTH = dt.timedelta(minutes=30)
"""Time for which a deadline is shown: calcurse takes in no event without duration, and khal shows it after its time."""


class CalendarEntry(NamedTuple):
    """A deadline in a calendar; `set_at` is the time at which it was set, `zone` the campaign's time zone."""

    uid: str
    summary: str
    deadline: dt.datetime
    set_at: dt.datetime
    zone: str


@functools.lru_cache(maxsize=64)
def deadline_ics(uid: str, campaign: str, deadline: dt.datetime, set_at: dt.datetime, zone: str) -> bytes:
    """Return the calendar file of a campaign's open deadline, which was set at `set_at`; its lines end in CRLF.

    A campaign has one entry, known by its `uid`. The SEQUENCE rises with `set_at`,
    so that calendars move the entry, and do not move it back for a mail that is
    opened late (RFC 5545, 3.8.7.4). It is an integer of 31 bits (3.3.8), which is
    reached in 2088; from then on DTSTAMP decides (RFC 5546, 2.1.5).
    """
    calendar = _calendar([CalendarEntry(uid, f"Deadline of {campaign}", deadline, set_at, zone)])
    event = calendar.events[0]
    event.add("sequence", min(int((set_at - _EPOCH).total_seconds()), _LAST_SEQUENCE))
    event.add("description", f"Orders for {campaign} are due when this ends. It moves with the deadline.")
    calendar.add("method", "PUBLISH")
    return bytes(calendar.to_ical())


def deadlines_ics(name: str, due: Sequence[CalendarEntry]) -> bytes:
    """Return a calendar to subscribe to; its lines end in CRLF."""
    calendar = _calendar(due)
    calendar.add("x-wr-calname", name)  # no standard, but widely read
    calendar.add("refresh-interval", dt.timedelta(hours=6), {"value": "DURATION"})  # RFC 7986, 5.7
    return bytes(calendar.to_ical())


def _event(entry: CalendarEntry) -> Event:
    """Return an event that ends at a deadline and blocks no time."""
    # Imported here, since that takes 0.1 s, and most commands send no mail.
    from icalendar import Event

    begin, end = ((entry.deadline - before).astimezone(ZoneInfo(entry.zone)) for before in (_LENGTH, dt.timedelta()))
    if _is_ambiguous(begin) or _is_ambiguous(end):
        begin, end = begin.astimezone(dt.UTC), end.astimezone(dt.UTC)
    event = Event()
    event.add("uid", entry.uid)
    event.add("dtstamp", entry.set_at.astimezone(dt.UTC))
    event.add("summary", entry.summary)
    event.add("dtstart", begin)
    event.add("dtend", end)
    event.add("transp", "TRANSPARENT")  # not busy (RFC 5545, 3.8.2.7)
    return event


def _is_ambiguous(local: dt.datetime) -> bool:
    """Return True in an hour that comes twice: the first is meant (RFC 5545, 3.3.5); ical.js 2.2.1 reads the second."""
    return local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()


def _calendar(due: Sequence[CalendarEntry]) -> Calendar:
    """Return a calendar of deadlines, with the rules of their time zones for the years in which they are."""
    from icalendar import Calendar

    calendar = Calendar()
    calendar.add("prodid", _MAKER)
    calendar.add("version", "2.0")
    for entry in due:
        calendar.add_component(_event(entry))
    if due:
        years = [entry.deadline.year for entry in due]
        # A day before and after: in its zone a deadline may be in another year.
        calendar.add_missing_timezones(dt.date(min(years) - 1, 12, 31), dt.date(max(years) + 1, 1, 2))
        for change in calendar.walk("DAYLIGHT") + calendar.walk("STANDARD"):
            _complete(change)
    return calendar


def _complete(change: Any) -> None:  # Component, whose properties have a union of all types
    """Give a change of the clock its time by the clock until then (RFC 5545, 3.6.5), and the rule by which it comes.

    icalendar 7.3.2 writes the time after a clock has gone forward. Emacs 30.1 takes a
    zone whose changes have no rule for its own, and shows a deadline hours off. What
    has dates of several years stays as it is.
    """
    onset, ahead = change["DTSTART"].dt, change["TZOFFSETTO"].td - change["TZOFFSETFROM"].td
    if not ahead or "RDATE" in change:
        return
    onset -= max(ahead, dt.timedelta())
    is_last = (onset + dt.timedelta(days=7)).month != onset.month
    day = f"{-1 if is_last else (onset.day + 6) // 7}{onset:%a}"[:-1].upper()
    change["DTSTART"].dt = onset
    change.add("rrule", {"freq": "yearly", "bymonth": onset.month, "byday": day})
