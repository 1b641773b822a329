"""Deadlines as calendar files: one entry a campaign, which moves with them (RFC 5545)."""

from __future__ import annotations

import datetime as dt
from email.message import EmailMessage
from typing import Any

import pytest
from icalendar import Calendar

from pbem.actions.base import run_action
from pbem.actions.deadlines import ExtendDeadline
from pbem.report.data import deadline_ics
from tests.toy.home import Desk

ANN, BOB = "ann@example.org", "bob@example.org"


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def entry(mail: EmailMessage) -> Any:
    """Return the only event of a mail's calendar file, or None if it has no such file."""
    files = [part for part in mail.iter_attachments() if part.get_content_type() == "text/calendar"]
    if not files:
        return None
    (file,) = files
    calendar = Calendar.from_ical(bytes(file.get_content(), "utf-8"))
    assert (file.get_filename(), file.get_param("method"), calendar["METHOD"]) == ("deadline.ics", "PUBLISH", "PUBLISH")
    (event,) = calendar.walk("VEVENT")
    return event


def test_a_report_brings_the_deadline(desk: Desk) -> None:
    """The event ends at the deadline, in the campaign's zone, and blocks no time; it is the same for all players."""
    event = entry(desk.last(ANN))

    assert (event["DTSTART"].params["TZID"], event["DTEND"].params["TZID"]) == ("Europe/Berlin", "Europe/Berlin")
    assert event["DTSTART"].to_ical() == b"20261106T193000"
    assert event["DTEND"].dt == dt.datetime(2026, 11, 6, 19, tzinfo=dt.UTC)
    assert (event["SUMMARY"], event["TRANSP"]) == ("Deadline of toy1", "TRANSPARENT")
    assert entry(desk.last(BOB)) == event


def test_a_deadline_that_moves_moves_the_entry(desk: Desk) -> None:
    """After an extension and in the next turn, the entry has the same UID, a higher SEQUENCE and the new time."""
    events = [entry(desk.last(ANN))]
    run_action(desk.app, "toy1", ExtendDeadline("2026-11-08 20:00"), desk.now + dt.timedelta(hours=1))
    desk.tick(hours=2)
    events.append(entry(desk.last(ANN)))
    desk.tick(hours=24 * 7)
    events.append(entry(desk.last(ANN)))

    assert len({event["UID"] for event in events}) == 1
    assert sorted({int(event["SEQUENCE"]) for event in events}) == [int(event["SEQUENCE"]) for event in events]
    assert [event["DTEND"].dt.day for event in events] == [6, 8, 13]


def test_the_sequence_ends_with_its_bits() -> None:
    """SEQUENCE is an integer of 31 bits: from 2088 on it is the greatest, and the entry has the newest stamp."""
    at = dt.datetime(2088, 1, 19, 3, 14, 8, tzinfo=dt.UTC)
    events: list[Any] = [
        Calendar.from_ical(deadline_ics("uid", "toy1", moment, moment, "UTC")).walk("VEVENT")[0]
        for moment in (at - dt.timedelta(seconds=60), at, at + dt.timedelta(days=400))
    ]

    assert [int(event["SEQUENCE"]) for event in events] == [2**31 - 60, 2**31 - 1, 2**31 - 1]
    assert events[1]["DTSTAMP"].dt < events[2]["DTSTAMP"].dt


@pytest.mark.parametrize(
    ("zone", "deadline", "offsets"),
    [
        ("Europe/Berlin", dt.datetime(2026, 3, 29, 1, 10, tzinfo=dt.UTC), (1, 2)),  # the clock goes forward meanwhile
        ("Europe/Berlin", dt.datetime(2026, 10, 25, 1, 10, tzinfo=dt.UTC), (0, 0)),  # 02:10 for the second time: in UTC
        ("Europe/Berlin", dt.datetime(2026, 10, 25, 0, 10, tzinfo=dt.UTC), (0, 0)),  # and for the first
        ("Pacific/Auckland", dt.datetime(2026, 12, 31, 11, 10, tzinfo=dt.UTC), (13, 13)),  # in two years
        ("UTC", dt.datetime(2026, 3, 29, 1, 10, tzinfo=dt.UTC), (0, 0)),
    ],
)
def test_an_event_lasts_half_an_hour(zone: str, deadline: dt.datetime, offsets: tuple[int, int]) -> None:
    """A strict reader finds the times, each with the rules of its zone in the file, also where the clock changes."""
    calendar = Calendar.from_ical(deadline_ics("uid", "toy1", deadline, deadline, zone))
    event: Any = calendar.events[0]
    begin, end = (event.decoded(name) for name in ("dtstart", "dtend"))

    assert (end, end.astimezone(dt.UTC) - begin.astimezone(dt.UTC)) == (deadline, dt.timedelta(minutes=30))
    assert (begin.utcoffset(), end.utcoffset()) == tuple(dt.timedelta(hours=each) for each in offsets)
    assert calendar.get_missing_tzids() == set()


@pytest.mark.parametrize(
    ("zone", "changes"),
    [
        ("Europe/Berlin", ["20260329T020000 BYDAY=-1SU;BYMONTH=3", "20261025T030000 BYDAY=-1SU;BYMONTH=10"]),
        ("America/New_York", ["20260308T020000 BYDAY=2SU;BYMONTH=3", "20261101T020000 BYDAY=1SU;BYMONTH=11"]),
        ("Australia/Lord_Howe", ["20261004T020000 BYDAY=1SU;BYMONTH=10", "20260405T020000 BYDAY=1SU;BYMONTH=4"]),
        ("Asia/Jerusalem", ["20260327T020000 BYDAY=-1FR;BYMONTH=3", "20261025T020000 BYDAY=-1SU;BYMONTH=10"]),
        ("Asia/Tokyo", []),
    ],
)
def test_changes_of_the_clock_have_a_rule(zone: str, changes: list[str]) -> None:
    """A change of a zone's clock has its time by the clock until then, and the rule by which Emacs knows it."""
    moment = dt.datetime(2026, 9, 2, 19, tzinfo=dt.UTC)
    calendar = Calendar.from_ical(deadline_ics("uid", "toy1", moment, moment, zone))
    found: list[Any] = [*calendar.walk("DAYLIGHT"), *calendar.walk("STANDARD")]

    assert [
        f"{each['DTSTART'].to_ical().decode()} {each['RRULE'].to_ical().decode().removeprefix('FREQ=YEARLY;')}"
        for each in found
        if each["TZOFFSETFROM"].td != each["TZOFFSETTO"].td
    ] == changes


@pytest.mark.parametrize("form", ["NOCALENDAR", "PLAIN"])
def test_nobody_is_given_a_calendar_who_does_not_want_it(desk: Desk, form: str) -> None:
    """FORMAT NOCALENDAR leaves the file out of reports and all other mail; so does FORMAT for text alone."""
    desk.post(f"FORMAT {form}\n", sender=ANN)
    desk.tick()
    run_action(desk.app, "toy1", ExtendDeadline("2026-11-08 20:00"), desk.now)
    desk.tick()
    moved = (entry(desk.last(ANN)), entry(desk.last(BOB)))
    desk.tick(hours=24 * 7)

    assert (moved[0], moved[1] is None) == (None, False)
    assert entry(desk.last(ANN)) is None
    assert entry(desk.last(BOB)) is not None


def test_the_calendar_can_be_had_again(desk: Desk) -> None:
    """FORMAT CALENDAR brings the file back."""
    for form in ("NOCALENDAR", "CALENDAR"):
        desk.post(f"FORMAT {form}\n", sender=ANN)
        desk.tick()
    desk.tick(hours=24 * 7)

    assert entry(desk.last(ANN)) is not None
