"""Deadlines from a GM's schedule."""

from __future__ import annotations

import datetime as dt

import pytest

from pbem.campaign.schedule import Schedule
from pbem.errors import CampaignError

HALF_A_DAY = dt.timedelta(hours=12)


def utc(text: str) -> dt.datetime:
    """Return a time in UTC."""
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("words", "opened", "due"),
    [
        ("FRI 20:00 Europe/Berlin", "2026-11-02T09:00", "2026-11-06T19:00"),
        ("fri 20:00 Europe/Berlin", "2026-06-01T09:00", "2026-06-05T18:00"),
        ("MON,THU 20:00 Europe/Berlin", "2026-11-02T09:00", "2026-11-05T19:00"),
        ("DAILY 20:00 UTC", "2026-11-02T07:00", "2026-11-02T20:00"),
        ("EVERY 12h", "2026-11-02T09:30", "2026-11-02T21:30"),
        ("every 3d Europe/Berlin", "2026-11-02T09:30", "2026-11-05T09:30"),
        ("SUN 00:30 Pacific/Auckland", "2026-11-02T09:00", "2026-11-07T11:30"),
        ("EVERY FRI 20:00 UTC", "2026-11-02T09:00", "2026-11-06T20:00"),
        ("EVERY 2 WEEKS FRI 20:00 UTC", "2026-11-06T20:00", "2026-11-20T20:00"),
        ("every 2 weeks FRI 20:00 UTC", "2026-11-07T09:00", "2026-11-20T20:00"),
        ("EVERY 1 WEEK FRI 20:00 UTC", "2026-11-02T09:00", "2026-11-06T20:00"),
        ("EVERY 3 WEEKS MON,THU 20:00 UTC", "2026-11-02T09:00", "2026-11-19T20:00"),
        ("1ST FRI 20:00 Europe/Berlin", "2026-11-02T09:00", "2026-11-06T19:00"),
        ("1st fri 20:00 Europe/Berlin", "2026-11-06T19:00", "2026-12-04T19:00"),
        ("1ST,3RD FRI 20:00 UTC", "2026-11-06T20:00", "2026-11-20T20:00"),
        ("2ND TUE,THU 20:00 UTC", "2026-11-02T09:00", "2026-11-10T20:00"),
        ("LAST SUN 20:00 UTC", "2026-11-02T09:00", "2026-11-29T20:00"),
        ("4TH,LAST MON 20:00 UTC", "2026-11-23T20:00", "2026-11-30T20:00"),
        ("LAST WED 20:00 UTC", "2026-02-25T20:00", "2026-03-25T20:00"),
    ],
)
def test_the_next_deadline_follows_the_words(words: str, opened: str, due: str) -> None:
    """A deadline is the first such day and time of the zone, or so long after the turn opened."""
    assert Schedule.read(words).next_after(utc(opened), least=HALF_A_DAY) == utc(due)


@pytest.mark.parametrize(
    ("opened", "due"), [("2026-11-06T07:00", "2026-11-06T19:00"), ("2026-11-06T07:01", "2026-11-13T19:00")]
)
def test_a_turn_gets_the_least_time(opened: str, due: str) -> None:
    """A deadline in less than the least time, here twelve hours, is skipped."""
    assert Schedule.read("FRI 20:00 Europe/Berlin").next_after(utc(opened), least=HALF_A_DAY) == utc(due)


@pytest.mark.parametrize(
    ("words", "opened", "due"),
    [
        ("DAILY 20:00 Europe/Berlin", "2026-10-24T19:00", "2026-10-25T19:00"),
        ("DAILY 20:00 Europe/Berlin", "2026-03-28T20:00", "2026-03-29T18:00"),
        ("SUN 02:30 Europe/Berlin", "2026-03-23T09:00", "2026-03-29T01:30"),
        ("SUN 02:30 Europe/Berlin", "2026-10-19T09:00", "2026-10-25T00:30"),
        ("EVERY 2 WEEKS FRI 20:00 Europe/Berlin", "2026-10-16T19:00", "2026-10-30T19:00"),
        ("EVERY 2 WEEKS FRI 20:00 Europe/Berlin", "2026-03-20T20:00", "2026-04-03T18:00"),
        ("LAST SUN 02:30 Europe/Berlin", "2026-03-23T09:00", "2026-03-29T01:30"),
        ("LAST SUN 20:00 Europe/Berlin", "2026-10-01T09:00", "2026-10-25T19:00"),
    ],
)
def test_clocks_that_change_keep_the_time_of_day(words: str, opened: str, due: str) -> None:
    """The zone's clock counts; a time skipped in spring comes an hour later, one doubled in autumn is the first."""
    assert Schedule.read(words).next_after(utc(opened), least=HALF_A_DAY) == utc(due)


@pytest.mark.parametrize(
    ("words", "earliest", "due"),
    [
        ("EVERY 12h", "2026-11-02T09:00", "2026-11-02T21:00"),
        ("EVERY 12h", "2026-11-03T09:00", "2026-11-03T09:00"),
        ("EVERY 12h", "2026-11-03T09:01", "2026-11-03T21:00"),
        ("FRI 20:00 UTC", "2026-11-06T20:00", "2026-11-06T20:00"),
        ("EVERY 2 WEEKS FRI 20:00 UTC", "2026-11-06T20:01", "2026-11-13T20:00"),
    ],
)
def test_a_deadline_put_off_is_the_next_moment_of_the_schedule(words: str, earliest: str, due: str) -> None:
    """A deadline that is put off is the first moment of the schedule not before the earliest time."""
    assert Schedule.read(words).next_from(utc("2026-11-02T09:00"), utc(earliest)) == utc(due)


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("EST", "EST has no summer time; America/New_York has."),
        ("MST", "MST has no summer time; America/Denver has."),
        ("Etc/GMT+2", "Etc/GMT+2 has no summer time."),
        ("EST5EDT", ""),
        ("CET", ""),
        ("UTC", ""),
        ("Asia/Tokyo", ""),
    ],
)
def test_a_zone_without_a_place_is_said_to_have_no_summer_time(zone: str, said: str) -> None:
    """A zone of clocks that are never changed is taken, with a warning where it names no place."""
    assert Schedule.read(f"FRI 20:00 {zone}").warning == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("FRI", '"FRI" is not a schedule. Example: FRI 20:00 Europe/Berlin. More: pbem help schedule'),
        ("", '"" is not a schedule'),
        ("FRI 20:00", '"FRI 20:00" has no time zone. Example: FRI 20:00 Europe/Berlin'),
        ("FRIDAY 20:00 UTC", "'FRIDAY' is not a day: did you mean FRI?"),
        ("xyz 20:00 UTC", "'xyz' is not a day: the days are MON, TUE"),
        ("MON,TEU 20:00 UTC", "'TEU' is not a day: did you mean TUE?"),
        ("FRI 24:00 UTC", "'24:00' is not a time of day"),
        ("FRI 8pm UTC", "'8pm' is not a time of day"),
        ("FRI 20:00 Berlin", "'Berlin' is not a time zone: did you mean Europe/Berlin?"),
        ("FRI 20:00 Europe/Berln", "'Europe/Berln' is not a time zone: did you mean Europe/Berlin?"),
        ("FRI 20:00 ../../etc", "'../../etc' is not a time zone: write it like Europe/Berlin or UTC"),
        ("FRI 20:00 GMT+2", "'GMT+2' is not a time zone: did you mean Europe/Athens?"),
        ("FRI 20:00 UTC+2", "did you mean Europe/Athens?"),
        ("FRI 20:00 UTC-05:00", "did you mean America/New_York?"),
        ("FRI 20:00 +10", "did you mean Australia/Sydney?"),
        ("FRI 20:00 UTC+0", "did you mean UTC?"),
        ("FRI 20:00 GMT+45", "'GMT+45' is not a time zone: write it like Europe/Berlin or UTC"),
        ("FRI 20:00 PST", "did you mean America/Los_Angeles?"),
        ("FRI 20:00 bst", "did you mean Europe/London?"),
        ("FRI 20:00 MSK", "did you mean Europe/Moscow?"),
        ("FRI 20:00 AEST", "did you mean Australia/Sydney?"),
        ("next Friday 20:00", "'next' is not a day: the days are MON, TUE"),
        ("EVERY 5m", "'5m' is not a span of time: write 10m to 60d"),
        ("EVERY friday", "'friday' is not a span of time"),
        ("EVERY 99999999d", "'99999999d' is not a span of time"),
        ("EVERY 2 WEEKS FRI 20:00", '"EVERY 2 WEEKS FRI 20:00" has no time zone'),
        ("EVERY 20 WEEKS FRI 20:00 UTC", "a turn cannot take '20' weeks: write a whole number from 1 to 12"),
        ("EVERY two WEEKS FRI 20:00 UTC", "a turn cannot take 'two' weeks"),
        ("1TS FRI 20:00 UTC", "'1TS' is not a week of a month: did you mean 1ST?"),
        ("SOME FRI 20:00 UTC", "'SOME' is not a week of a month: write one of 1ST, 2ND, 3RD, 4TH, LAST"),
        ("1ST FRY 20:00 UTC", "'FRY' is not a day: did you mean FRI?"),
    ],
)
def test_words_that_are_wrong_are_named_with_the_nearest_right_ones(words: str, said: str) -> None:
    """An error names the word at fault, and the nearest valid one."""
    with pytest.raises(CampaignError) as refused:
        Schedule.read(words)

    assert said in str(refused.value)
