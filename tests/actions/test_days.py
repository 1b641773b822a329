"""Deadlines as people write them: spans, and moments with or without a year, a day or a clock time."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.actions.days import read_time, write_time
from pbem.errors import CampaignError

DAY = dt.timedelta(days=1)
BERLIN = "Europe/Berlin"
NOW = dt.datetime(2026, 11, 4, 12, 0, tzinfo=ZoneInfo(BERLIN))
"""A Wednesday."""


def berlin(month: int, day: int, hour: int, minute: int = 0, year: int = 2026) -> dt.datetime:
    """Return a moment by the clocks of Berlin."""
    return dt.datetime(year, month, day, hour, minute, tzinfo=ZoneInfo(BERLIN))


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        *[("24h", DAY), ("3d", 3 * DAY), ("in 24 hours", DAY), ("+2 days", 2 * DAY), ("2 weeks", 14 * DAY)],
        ("2026-12-24T20:00", berlin(12, 24, 20)),
        ("2026-12-24T20:00Z", dt.datetime(2026, 12, 24, 20, tzinfo=dt.UTC)),
        ("2026-12-24 20:00", berlin(12, 24, 20)),
        ("24 Dec 2026", berlin(12, 24, 19, 30)),
        ("Dec 24, 8pm", berlin(12, 24, 20)),
        ("24.12. 8:30 pm", berlin(12, 24, 20, 30)),
        ("3 Nov", berlin(11, 3, 19, 30, year=2027)),
        ("20:00 on 24 Dec", berlin(12, 24, 20)),
        ("tomorrow 20:00", berlin(11, 5, 20)),
        ("tomorrow at 8 p.m.", berlin(11, 5, 20)),
        ("today 20:00", berlin(11, 4, 20)),
        ("tomorrow", berlin(11, 5, 19, 30)),
        ("8pm", berlin(11, 4, 20)),
        ("9:15", berlin(11, 5, 9, 15)),
        ("12am", berlin(11, 5, 0)),
        ("Fri 20:00", berlin(11, 6, 20)),
        ("next Friday 20:00", berlin(11, 6, 20)),
        ("Thu 24 Dec 20:00", berlin(12, 24, 20)),
        ("wed 20:00", berlin(11, 11, 20)),
        ("friday", berlin(11, 6, 19, 30)),
    ],
)
def test_a_gm_writes_a_span_or_a_moment(typed: str, read: dt.timedelta | dt.datetime) -> None:
    """A moment is by the campaign's clocks unless it names a zone; what it lacks is that of the next such moment."""
    assert read_time(typed, NOW, BERLIN, dt.time(19, 30)) == read
    assert read_time(write_time(typed), NOW, BERLIN, dt.time(19, 30)) == read


@pytest.mark.parametrize(
    "typed",
    [
        *["", "soon", "24", "2026-13-01", "9999-12-31T23:59-12:00", "25:00", "20:61"],
        *["FRI 20:00 Europe/Berlin", "1ST MON 09:00", "Fri Sat 20:00", "20:00 21:00", "24 Dec or so", "30 Feb 2027"],
    ],
)
def test_what_is_no_time_is_refused(typed: str) -> None:
    """A text that is no time is refused with examples for a deadline, not for a schedule."""
    with pytest.raises(CampaignError, match="for a deadline: write a span like 24h or 3d, or a moment like 24 Dec"):
        read_time(typed, NOW, BERLIN, dt.time(19, 30))


@pytest.mark.parametrize("typed", ["5m", "9999d"])
def test_a_span_out_of_bounds_is_refused(typed: str) -> None:
    """A span has from ten minutes to sixty days."""
    with pytest.raises(CampaignError, match="write 10m to 60d"):
        read_time(typed, NOW, BERLIN, dt.time(19, 30))


@given(st.text(max_size=40) | st.text("0123456789:.-+ TZapm", max_size=30))
def test_no_words_raise_another_error(typed: str) -> None:
    """No words at all end in another error than a refusal."""
    try:
        read_time(typed, NOW, BERLIN, dt.time(19, 30))
    except CampaignError:
        return
    assert write_time(typed)
