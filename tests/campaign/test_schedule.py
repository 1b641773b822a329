"""Deadlines from a GM's words."""

from __future__ import annotations

import datetime as dt

import pytest

from pbem.campaign.schedule import Schedule
from pbem.errors import CampaignError


def utc(text: str) -> dt.datetime:
    """A time in UTC."""
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
    ],
)
def test_the_next_deadline_follows_the_words(words: str, opened: str, due: str) -> None:
    """A deadline is the first such day and time of the zone, or so long after the turn opened."""
    assert Schedule.read(words).next_after(utc(opened)) == utc(due)


@pytest.mark.parametrize(
    ("opened", "due"), [("2026-11-06T07:00", "2026-11-06T19:00"), ("2026-11-06T07:01", "2026-11-13T19:00")]
)
def test_a_turn_gets_twelve_hours_at_least(opened: str, due: str) -> None:
    """A deadline less than twelve hours away is left out for the next."""
    assert Schedule.read("FRI 20:00 Europe/Berlin").next_after(utc(opened)) == utc(due)


@pytest.mark.parametrize(
    ("words", "opened", "due"),
    [
        ("DAILY 20:00 Europe/Berlin", "2026-10-24T19:00", "2026-10-25T19:00"),
        ("DAILY 20:00 Europe/Berlin", "2026-03-28T20:00", "2026-03-29T18:00"),
        ("SUN 02:30 Europe/Berlin", "2026-03-23T09:00", "2026-03-29T01:30"),
        ("SUN 02:30 Europe/Berlin", "2026-10-19T09:00", "2026-10-25T00:30"),
    ],
)
def test_clocks_that_change_keep_the_time_of_day(words: str, opened: str, due: str) -> None:
    """The zone's clock counts; a time skipped in spring comes an hour later, one doubled in autumn is the first."""
    assert Schedule.read(words).next_after(utc(opened)) == utc(due)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("FRI", "a deadline cannot be 'FRI': write it like \"FRI 20:00 Europe/Berlin\""),
        ("", "a deadline cannot be ''"),
        ("FRIDAY 20:00 UTC", "'FRIDAY' is not a day: did you mean FRI?"),
        ("xyz 20:00 UTC", "'xyz' is not a day: the days are MON, TUE"),
        ("MON,TEU 20:00 UTC", "'TEU' is not a day: did you mean TUE?"),
        ("FRI 24:00 UTC", "'24:00' is not a time of day"),
        ("FRI 8pm UTC", "'8pm' is not a time of day"),
        ("FRI 20:00 Berlin", "'Berlin' is not a time zone: did you mean Europe/Berlin?"),
        ("FRI 20:00 Europe/Berln", "'Europe/Berln' is not a time zone: did you mean Europe/Berlin?"),
        ("FRI 20:00 ../../etc", "'../../etc' is not a time zone: write it like Europe/Berlin or UTC"),
        ("EVERY 5m", "'5m' is not a span of time: write 10m to 60d"),
        ("EVERY friday", "'friday' is not a span of time"),
        ("EVERY 99999999d", "'99999999d' is not a span of time"),
    ],
)
def test_words_that_are_wrong_are_named_with_the_nearest_right_ones(words: str, said: str) -> None:
    """An error names the word at fault, and what would do."""
    with pytest.raises(CampaignError) as refused:
        Schedule.read(words)

    assert said in str(refused.value)
