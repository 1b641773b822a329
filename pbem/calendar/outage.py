"""Outages: times in which no mail was read, and how long deadlines wait after one.

Players' servers need time to try again what they could not deliver, and
players who saw no receipt need time to act. So a deadline that passed in an
outage, or passes soon after it, waits as long as the outage was. A clock that
jumps ahead looks the same as a house that stood still, and brings the same
wait: time enough to set it right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

LEAST = timedelta(hours=1)
"""A shorter time without mail is no outage."""

UNUSUAL = 3
"""A house that polls once a night is not out of order all day: only a pause so many times the usual one counts."""


CHAIN = 2
"""Outages that follow each other let a deadline wait no more, once the first began so many times the longest ago."""


@dataclass(frozen=True, slots=True)
class Outage:
    """No mail was read from `since` to `until`; deadlines wait for `release`."""

    since: datetime
    until: datetime
    release: datetime

    def holds(self, deadline: datetime | None, now: datetime) -> bool:
        """Whether a turn that is due has to wait still. One due before the outage has had its time."""
        return deadline is not None and self.since <= deadline and now < self.release


@dataclass(frozen=True, slots=True)
class Watch:
    """What is remembered of the polls.

    `usual` is the time between the last good one and the one before it, None if
    there was none; `failed`: the mailbox could not be read since. `outage` is
    the last one while deadlines may wait for it.
    """

    last_good: datetime
    usual: timedelta | None = None
    failed: bool = False
    outage: Outage | None = None


def after_failure(watch: Watch | None, now: datetime) -> Watch:
    """What to remember when the mailbox could not be read."""
    return replace(watch, failed=True) if watch else Watch(now, failed=True)


def after_poll(watch: Watch | None, now: datetime, *, longest: timedelta) -> Watch:
    """What to remember when it was read; deadlines wait no longer than `longest` for an outage that ends now."""
    if watch is None:
        return Watch(now)
    if watch.last_good > now:  # a clock that was ahead is right again, and what it saw did not happen
        return Watch(now, watch.usual, outage=watch.outage if watch.outage and watch.outage.until <= now else None)
    gap = now - watch.last_good
    outage = _outage(watch, now, gap, longest) if _is_outage(watch, gap) else _old(watch, now)
    return Watch(now, gap, outage=outage)


def _is_outage(watch: Watch, gap: timedelta) -> bool:
    if watch.failed:
        return gap > LEAST
    return watch.usual is not None and gap > max(LEAST, UNUSUAL * watch.usual)


def _outage(watch: Watch, now: datetime, gap: timedelta, longest: timedelta) -> Outage:
    """An outage that follows another before its wait was over goes on with it, but not for ever.

    A house that is switched on for an hour each evening is out of order all the
    rest of the day: were each wait to prolong the one before, no turn would run.
    """
    before, release = _old(watch, watch.last_good), now + min(gap, longest)
    if before is None:
        return Outage(watch.last_good, now, release)
    if now - before.since <= CHAIN * longest:
        return Outage(before.since, now, max(release, before.release))
    return replace(before, until=now) if now < before.release else Outage(watch.last_good, now, release)


def _old(watch: Watch, now: datetime) -> Outage | None:
    return watch.outage if watch.outage and now < watch.outage.release else None
