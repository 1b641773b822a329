"""The deadlines that turns get: holidays, absences, the least time, and a schedule that changes."""

from __future__ import annotations

import datetime as dt

import pytest

from pbem.actions.base import run_action, run_query
from pbem.actions.deadlines import DeadlineList, ShowDeadlines
from pbem.actions.settings import SetHouseRule
from pbem.campaign.deadlines import AbsencePeriod, next_deadline
from pbem.campaign.house_rules import HouseRules
from pbem.campaign.schedule import Schedule
from pbem.errors import CampaignError
from tests.toy.home import Desk, text_of

WEEKLY = "FRI 20:00 Europe/Berlin"
MONDAY = dt.datetime(2026, 11, 2, 9, tzinfo=dt.UTC)


def utc(text: str) -> dt.datetime:
    """Return a time in UTC."""
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def due(words: str = WEEKLY, *absences: tuple[str, str], opened: dt.datetime = MONDAY, **policy: object) -> str:
    """Return the deadline of a turn, as text."""
    away = [AbsencePeriod(utc(since), utc(until)) for since, until in absences]
    moment = next_deadline(Schedule.read(words), HouseRules(**policy), opened, away)  # type: ignore[arg-type]  # any rule
    return moment.isoformat()[:16]


def ahead(desk: Desk) -> DeadlineList:
    """Return the deadlines that the GM is shown."""
    return run_query(desk.app, "toy1", ShowDeadlines(), desk.now)


@pytest.mark.parametrize(
    ("least", "expected"), [(0, "2026-11-06T19:00"), (5 * 1440, "2026-11-13T19:00"), (14 * 1440, "2026-11-20T19:00")]
)
def test_the_least_time_is_a_house_rule(least: int, expected: str) -> None:
    """A deadline nearer than the least time is skipped."""
    assert due(min_time=least) == expected


@pytest.mark.parametrize(
    ("holidays", "expected"),
    [
        (("2026-11-06",), "2026-11-13T19:00"),
        (("2026-11-05", "2026-11-07"), "2026-11-06T19:00"),
        (("2026-11-01..2026-11-15",), "2026-11-20T19:00"),
        (("2026-11-06", "2026-11-10..2026-11-14"), "2026-11-20T19:00"),
        (("2025-12-24",), "2026-11-06T19:00"),
    ],
)
def test_no_deadline_falls_on_a_holiday(holidays: tuple[str, ...], expected: str) -> None:
    """A deadline on a holiday moves to the next moment of the schedule."""
    assert due(holidays=holidays) == expected


def test_a_holiday_is_a_day_of_the_zone() -> None:
    """A holiday begins in Auckland while it is still the day before in London."""
    assert due("SAT 08:00 Pacific/Auckland", holidays=("2026-11-07",)) == "2026-11-13T19:00"


def test_a_turn_counted_from_its_opening_is_put_off_by_whole_turns() -> None:
    """With EVERY 12h, the deadline after a holiday is one that the schedule would have had."""
    assert due("EVERY 12h", holidays=("2026-11-02..2026-11-03",)) == "2026-11-04T09:00"


@pytest.mark.parametrize("holidays", [("2026-11-03..9999-12-31",), ("2026-11-03..2028-06-01",)])
def test_a_calendar_of_nothing_but_holidays_is_passed_over(holidays: tuple[str, ...]) -> None:
    """A deadline is not put off by more than a year."""
    assert due(holidays=holidays) == "2026-11-06T19:00"


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        ("2026-11-05", "2026-11-08", "2026-11-13T19:00"),
        ("2026-11-03", "2026-11-05", "2026-11-06T19:00"),
        ("2026-11-07", "2026-11-20", "2026-11-06T19:00"),
        ("2026-11-04", "2026-11-24", "2026-11-27T19:00"),
        ("2026-11-04", "2026-11-30", "2026-11-06T19:00"),
    ],
)
def test_a_deadline_keeps_out_of_absences(since: str, until: str, expected: str) -> None:
    """A deadline moves past an absence, unless that is longer than the campaign allows: 21 days."""
    assert due(WEEKLY, (since, until)) == expected


def test_who_comes_back_has_the_least_time() -> None:
    """A deadline on the morning after an absence is put off, too."""
    assert due("DAILY 09:00 UTC", ("2026-11-03", "2026-11-05")) == "2026-11-06T09:00"


def test_absences_and_holidays_may_follow_each_other() -> None:
    """A deadline that moves out of one of them into another moves on."""
    moved = due(WEEKLY, ("2026-11-04", "2026-11-08"), ("2026-11-11", "2026-11-15"), holidays=("2026-11-20",))

    assert moved == "2026-11-27T19:00"


def test_a_campaign_that_allows_no_absence_moves_for_none() -> None:
    """With absence=0, deadlines stay where the schedule has them."""
    assert due(WEEKLY, ("2026-11-05", "2026-11-08"), absence=0) == "2026-11-06T19:00"


def test_the_first_turn_keeps_out_of_holidays(desk: Desk) -> None:
    """Holidays count from the start of a campaign."""
    desk.begin(rules={"holidays": "2026-11-06"})

    assert ahead(desk).deadline == utc("2026-11-13T19:00")


def test_the_next_deadline_is_told_ahead(desk: Desk) -> None:
    """The GM is shown the open turn's deadline, its grace, and the deadline after it."""
    desk.begin(rules={"grace": "1d", "holidays": "2026-11-13"})

    shown = ahead(desk)

    assert (shown.deadline, shown.closes) == (utc("2026-11-06T19:00"), utc("2026-11-07T19:00"))
    assert shown.next == utc("2026-11-20T19:00")


def test_another_schedule_begins_with_the_next_turn(desk: Desk) -> None:
    """The open turn keeps its deadline, and all players are told of the new schedule."""
    desk.begin()
    run_action(desk.app, "toy1", SetHouseRule({"schedule": "1ST MON 09:00 UTC"}), desk.now)
    desk.tick()

    assert ahead(desk).deadline == utc("2026-11-06T19:00")
    assert ahead(desk).next == utc("2026-12-07T09:00")
    assert "Turns are due 1ST MON 09:00 UTC\nBefore: FRI 20:00 Europe/Berlin.\n" in text_of(
        desk.last("bob@example.org")
    )


def test_a_schedule_that_cannot_be_read_changes_nothing(desk: Desk) -> None:
    """The error names the words at fault."""
    desk.begin()

    with pytest.raises(CampaignError, match="'1TS' is not a week of a month"):
        run_action(desk.app, "toy1", SetHouseRule({"schedule": "1TS MON 09:00 UTC"}), desk.now)
    assert ahead(desk).schedule == WEEKLY
