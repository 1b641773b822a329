"""Tests of mails about deadlines, holds and missed sheets."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from functools import partial

import pytest

from pbem.report import small
from pbem.report.notices import Miss, Page, Reminder
from tests.report.toy import drawn_lines, reporter

AT = dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC)
LATER = AT + dt.timedelta(days=1)
ZONE = "America/Argentina/ComodRivadavia"
"""The longest name of a time zone."""

ALL = ("red", "blue", "green", "yellow", "crimson-and-clover", "the-house-of-the-sun", "violet", "orange")
PAUSED = partial(small.held, why="I am on a train " * 12, gm="gm@example.org")
RESUMED = partial(small.released, next_="deadline", until=LATER, passed=None, zone=ZONE)
MOVED = partial(small.deadline_moved, old=AT, new=LATER, closes=LATER, zone=ZONE, why="Your GM moved the deadline.")
LATE = Reminder(
    campaign="fair1",
    seat="red",
    label="round 2",
    deadline=AT,
    closes=LATER,
    zone=ZONE,
    header="ORDERS fair1 red abcdefghijklmnop",
    address="orders@example.org",
    without="Without orders nothing is bid for you.",
    order_lines=("; BID coins",),
)
HELD = partial(
    small.turn_held,
    campaign="fair1",
    turn=3,
    why="8 of 8 sheets missing",
    review=False,
    deadline=AT,
    zone=ZONE,
    missing=ALL,
    came=(),
)
MISSED = partial(
    small.sheet_missed,
    seat="red",
    label="round 2",
    in_a_row=1,
    opens_in=None,
    removed_in=None,
    gm="gm@example.org",
    address="orders@example.org",
)
PAGES = [
    PAUSED(),
    PAUSED(why=""),
    RESUMED(),
    RESUMED(next_="all-in", until=None),
    *(RESUMED(next_=next_, until=None, passed=AT) for next_ in ("run", "claim", "held", "ruling")),
    *(RESUMED(next_=next_, passed=AT) for next_ in ("covered", "grace")),
    MOVED(),
    MOVED(closes=LATER + dt.timedelta(days=1), why="Enough players asked for more time."),
    small.rescheduled(old="FRI 20:00 UTC", new="1ST,3RD FRI 20:00 UTC", deadline=AT, zone=ZONE),
    small.rescheduled(old="FRI 20:00 UTC", new="EVERY 12h", deadline=None, zone=ZONE),
    LATE,
    replace(LATE, missing=ALL),
    small.waiting_for_others(label="round 2", closes=LATER, zone=ZONE, late=ALL),
    small.overdue_digest(campaign="fair1", turn=3, deadline=AT, closes=LATER, zone=ZONE, late=ALL, came=()),
    HELD(),
    HELD(review=True, deadline=None, missing=(), came=ALL),
    MISSED(),
    MISSED(in_a_row=2, opens_in=1),
    MISSED(in_a_row=2, removed_in=3),
    small.others_missed(missed=ALL),
    small.missed_digest(turn=3, missed=(Miss("red", 1, 4, ""), Miss("blue", 3, 3, "Seat blue is open."))),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.page)
def test_pages_fit_a_mail(page: Page) -> None:
    """No drawn line is longer than 78 characters, no gap larger than a line, and the page ends with one line end."""
    mail = reporter().write(page)
    text = mail.text

    assert max(map(len, drawn_lines(mail)), default=0) <= 78
    assert "\n\n\n" not in text
    assert text == text.strip() + "\n"


def test_a_time_in_utc_is_told_once() -> None:
    """Below a time in the zone of the campaign its time in UTC is told, unless that is its zone."""
    there, here = reporter().write(RESUMED()).text, reporter().write(RESUMED(zone="UTC")).text

    assert "\nDue Sat 28 Nov, 16:00 -03\n19:00 UTC. The hold is over." in there
    assert "\nDue Sat 28 Nov, 19:00 UTC\nThe hold is over." in here


def test_a_hold_for_review_is_told_in_other_words_than_a_mass() -> None:
    """Only a hold for missing sheets warns the GM of lost mail."""
    mass, review = reporter().write(HELD()).text, reporter().write(HELD(review=True)).text

    assert "mail may be lost" in mass
    assert "mail may be lost" not in review


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"opens_in": 1}, "After the next missed turn your seat goes to another player."),
        ({"opens_in": 2}, "After 2 more missed turns in a row your seat goes to another player."),
        ({"removed_in": 1}, "After the next missed turn your seat leaves the game."),
        ({"in_a_row": 11}, "You have missed 11 turns in a row."),
    ],
)
def test_a_warning_tells_what_comes(changes: dict[str, int], said: str) -> None:
    """A warning gives the number of further misses and their consequence."""
    assert said in " ".join(reporter().write(MISSED(**changes)).text.split())  # type: ignore[arg-type]  # numbers all


def test_a_pause_is_over_with_or_without_time_left() -> None:
    """After a hold the deadline stays, unless it has passed."""
    ahead, passed = (reporter().write(page).text for page in (RESUMED(), RESUMED(next_="run", until=None, passed=AT)))

    assert "The deadline is as it was" in ahead
    assert "has passed meanwhile" in passed
