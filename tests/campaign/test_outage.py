"""After an outage deadlines wait as long as it lasted, up to the limit of the home."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from pbem.campaign.schedule import MailboxWatch, Outage, after_failure, after_poll

NOON = dt.datetime(2026, 11, 6, 12, 0, tzinfo=dt.UTC)
MINUTE, HOUR, DAY = (dt.timedelta(**{unit: 1}) for unit in ("minutes", "hours", "days"))
STEADY = MailboxWatch(NOON, MINUTE)
"""A home that polls every minute."""


def polled(watch: MailboxWatch | None, after: dt.timedelta) -> MailboxWatch:
    """Return the watch after a good poll, some time after noon."""
    return after_poll(watch, NOON + after, longest=DAY)


@pytest.mark.parametrize(("length", "grace"), [(2 * HOUR, 2 * HOUR), (DAY, DAY), (9 * DAY, DAY)])
def test_deadlines_wait_as_long_as_the_outage_was(length: dt.timedelta, grace: dt.timedelta) -> None:
    """A gap in the polls counts from the last good one, and causes a wait of a day at most."""
    assert polled(STEADY, length).outage == Outage(NOON, NOON + length, NOON + length + grace)


@pytest.mark.parametrize(
    ("watch", "gap"),
    [
        (None, 9 * DAY),
        (MailboxWatch(NOON), 9 * DAY),
        (STEADY, HOUR),
        (MailboxWatch(NOON, DAY), 2 * DAY),
        (MailboxWatch(NOON, MINUTE, failed=True), HOUR),
    ],
)
def test_what_is_no_outage(watch: MailboxWatch | None, gap: dt.timedelta) -> None:
    """No outage: the first poll, the second, an hour's pause, one nightly poll left out, an hour of failures."""
    assert polled(watch, gap).outage is None


def test_a_mailbox_that_failed_needs_no_other_sign() -> None:
    """Two hours of failures are an outage even where polls are days apart."""
    failed = after_failure(MailboxWatch(NOON, 9 * DAY), NOON + HOUR)

    assert polled(failed, 2 * HOUR).outage == Outage(NOON, NOON + 2 * HOUR, NOON + 4 * HOUR)
    assert not polled(failed, 2 * HOUR).failed


def test_a_mailbox_that_fails_from_the_beginning() -> None:
    """Before any good poll, the outage counts from the first failure."""
    assert polled(after_failure(None, NOON), DAY).outage == Outage(NOON, NOON + DAY, NOON + 2 * DAY)


def test_an_outage_is_remembered_until_its_wait_is_over() -> None:
    """Later polls keep the outage until its wait is over, and then forget it."""
    over = polled(STEADY, DAY)

    assert after_poll(over, NOON + DAY + HOUR, longest=DAY).outage == over.outage
    assert after_poll(over, NOON + 2 * DAY, longest=DAY).outage is None


def test_a_second_outage_goes_on_with_the_first() -> None:
    """Turns that waited for the first outage wait on, for the length of the second, and no less than announced."""
    short, long = (after_failure(polled(STEADY, length), NOON + length + HOUR) for length in (2 * HOUR, DAY))

    assert polled(short, 6 * HOUR).outage == Outage(NOON, NOON + 6 * HOUR, NOON + 10 * HOUR)
    assert polled(long, DAY + 3 * HOUR).outage == Outage(NOON, NOON + DAY + 3 * HOUR, NOON + 2 * DAY)


def test_outages_without_end_let_nothing_wait_for_ever() -> None:
    """In a home that is on for two hours each evening, a deadline of the first night runs on the third day."""
    watch, held = STEADY, []
    for day in range(1, 5):
        evening = NOON + day * DAY - 2 * HOUR
        watch = after_poll(watch, evening, longest=DAY)
        held.append(watch.outage is not None and watch.outage.holds(NOON + HOUR, evening))
        watch = replace(watch, last_good=evening + 2 * HOUR, usual=MINUTE)

    assert held == [True, True, False, False]


def test_a_clock_that_is_right_again() -> None:
    """An outage seen by a clock that was a year ahead is forgotten; a true one stays."""
    ahead = polled(STEADY, 365 * DAY)
    true = Outage(NOON - DAY, NOON, NOON + DAY)

    assert polled(ahead, HOUR).outage is None
    assert polled(replace(ahead, outage=true), HOUR).outage == true


@pytest.mark.parametrize(("deadline", "held"), [(-MINUTE, False), (0 * HOUR, True), (HOUR, True), (3 * HOUR, True)])
def test_which_deadlines_wait(deadline: dt.timedelta, held: bool) -> None:
    """All deadlines since the outage began wait, also those within the wait; earlier ones do not."""
    outage = Outage(NOON, NOON + 2 * HOUR, NOON + 4 * HOUR)

    assert outage.holds(NOON + deadline, NOON + 3 * HOUR) == held
    assert not outage.holds(NOON + deadline, NOON + 4 * HOUR)
