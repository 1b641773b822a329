"""When turns are due: a GM's words such as "FRI 20:00 Europe/Berlin", read and reckoned.

    FRI 20:00 Europe/Berlin        weekly
    MON,THU 20:00 Europe/Berlin    on several days
    DAILY 20:00 UTC                every day
    EVERY 12h                      so long after the turn opened; m, h or d

Clock times are those of the zone, through summer and winter time: a time that a
change of clocks skips is taken an hour later, one that comes twice is the first.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pbem.errors import CampaignError

DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
LEAST_TIME = dt.timedelta(hours=12)
"""A deadline on clock times leaves at least so long after the turn opened."""

_UNITS = {"m": dt.timedelta(minutes=1), "h": dt.timedelta(hours=1), "d": dt.timedelta(days=1)}
_SHORTEST, _LONGEST = dt.timedelta(minutes=10), dt.timedelta(days=60)
_FORMS = '"FRI 20:00 Europe/Berlin", "MON,THU 20:00 Europe/Berlin", "DAILY 20:00 UTC" or "EVERY 12h"'


@dataclass(frozen=True, slots=True)
class Schedule:
    """Deadlines of a campaign: `days` (0 is Monday) at `at` in `zone`, or `every` so long; `text` says it in words."""

    text: str
    zone: str
    days: frozenset[int] = frozenset()
    at: dt.time = dt.time()
    every: dt.timedelta | None = None

    @classmethod
    def read(cls, text: str) -> Schedule:
        """Reads a GM's words. Raises CampaignError naming the word at fault and the nearest that would do."""
        words = text.split()
        tidy = " ".join(words)
        if len(words) in (2, 3) and words[0].upper() == "EVERY":
            return cls(tidy, _zone(words[2]) if len(words) == 3 else "UTC", every=_span(words[1]))
        if len(words) != 3:
            raise CampaignError(f"a deadline cannot be {text!r}: write it like {_FORMS}")
        return cls(tidy, _zone(words[2]), _days(words[0]), _clock(words[1]))

    def next_after(self, opened: dt.datetime) -> dt.datetime:
        """The deadline, in UTC, of a turn that opens at this moment."""
        if self.every is not None:
            return (opened + self.every).astimezone(dt.UTC)
        zone = ZoneInfo(self.zone)
        earliest = opened + LEAST_TIME
        day = earliest.astimezone(zone).date()
        while True:
            moment = dt.datetime.combine(day, self.at, zone).astimezone(dt.UTC)
            if day.weekday() in self.days and moment >= earliest:
                return moment
            day += dt.timedelta(days=1)


def _days(word: str) -> frozenset[int]:
    if word.upper() == "DAILY":
        return frozenset(range(7))
    return frozenset(DAYS.index(_day(part)) for part in word.split(","))


def _day(word: str) -> str:
    name = word.upper()
    if name in DAYS:
        return name
    near = difflib.get_close_matches(name[:3], (*DAYS, "DAILY"), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "the days are " + ", ".join((*DAYS, "DAILY"))
    raise CampaignError(f"{word!r} is not a day: {hint}")


def _clock(word: str) -> dt.time:
    match = re.fullmatch(r"([0-9]{1,2}):([0-9]{2})", word)
    if match is None or int(match[1]) > 23 or int(match[2]) > 59:
        raise CampaignError(f"{word!r} is not a time of day: write hours and minutes, 00:00 to 23:59, like 20:00")
    return dt.time(int(match[1]), int(match[2]))


def _zone(word: str) -> str:
    try:
        return ZoneInfo(word).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    names = sorted(available_timezones())
    ends = {name.rpartition("/")[2].casefold(): name for name in names}
    whole = {name.casefold(): name for name in names} | ends
    near = difflib.get_close_matches(word.casefold().replace(" ", "_"), whole, n=1, cutoff=0.6)
    hint = f"did you mean {whole[near[0]]}?" if near else "write it like Europe/Berlin or UTC"
    raise CampaignError(f"{word!r} is not a time zone: {hint}")


def _span(word: str) -> dt.timedelta:
    match = re.fullmatch(r"([0-9]{1,4})([mhd])", word.lower())
    span = int(match[1]) * _UNITS[match[2]] if match else None
    if span is None or not _SHORTEST <= span <= _LONGEST:
        raise CampaignError(f"{word!r} is not a span of time: write 10m to 60d, like 12h or 3d")
    return span
