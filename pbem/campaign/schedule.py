"""Schedules such as "FRI 20:00 Europe/Berlin", and outages during which deadlines wait.

    FRI 20:00 Europe/Berlin                  weekly
    MON,THU 20:00 Europe/Berlin              on several days
    DAILY 20:00 UTC                          every day
    EVERY 2 WEEKS FRI 20:00 Europe/Berlin    the second Friday to come
    1ST,3RD FRI 20:00 Europe/Berlin          the first and third Friday of a month
    LAST SUN 20:00 Europe/Berlin             the last Sunday of a month
    EVERY 12h                                so long after the turn opened; m, h or d

Clock times are those of the zone, through summer and winter time: a time that a
change of clocks skips is taken an hour later, one that comes twice is the first.

Players' servers need time to retry deliveries after an outage, and players who
saw no receipt need time to act. So a deadline that passed in an outage, or passes
soon after it, waits as long as the outage was. A clock that jumps ahead looks the
same as an application that stood still, and brings the same wait: time enough to
set it right.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TypedDict
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pbem.errors import CampaignError
from pbem.text import join_names

DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
ORDINALS = {"1ST": 1, "2ND": 2, "3RD": 3, "4TH": 4, "LAST": -1}
"""Positions of a weekday in a month."""

_SPAN = re.compile(r"([0-9]{1,4})([mhd])")
_WEEKS = re.compile(r"[0-9]{1,2}")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})")
_UNITS = {"m": dt.timedelta(minutes=1), "h": dt.timedelta(hours=1), "d": dt.timedelta(days=1)}
_SHORTEST, _LONGEST = dt.timedelta(minutes=10), dt.timedelta(days=60)
_MOST_WEEKS = 12
_DAY, _WEEK = dt.timedelta(days=1), dt.timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Deadlines of a campaign: `days` (0 is Monday) at `at` in `zone`, or `every` so long. `text` is the GM's text.

    With `ordinals` only those of a month (-1 is the last); `weeks` is the number of weeks of a turn.
    """

    text: str
    zone: str
    days: frozenset[int] = frozenset()
    at: dt.time = dt.time()
    every: dt.timedelta | None = None
    weeks: int = 1
    ordinals: frozenset[int] = frozenset()

    @classmethod
    @lru_cache(maxsize=1_000)
    def read(cls, text: str) -> Schedule:
        """Parse a GM's schedule. Raises CampaignError naming the word at fault and the nearest valid one."""
        words, tidy = text.split(), " ".join(text.split())
        match [word.upper() for word in words], words:
            case ["EVERY", _, "WEEK" | "WEEKS", *_], [_, weeks, _, days, clock, zone]:
                return cls(tidy, **_read_weekly(days, clock, zone), weeks=_read_weeks(weeks))
            case ["EVERY", _] | ["EVERY", _, _], [_, span, *zone]:
                return cls(tidy, read_zone(zone[0]) if zone else "UTC", every=require_duration(span))
            case (_, [days, clock, zone]) | (["EVERY", *_], [_, days, clock, zone]):
                return cls(tidy, **_read_weekly(days, clock, zone))
            case _, [ordinals, days, clock, zone]:
                numbers = frozenset(map(_read_ordinal, ordinals.split(",")))
                return cls(tidy, **_read_weekly(days, clock, zone), ordinals=numbers)
        fault = "has no time zone" if len(words) > 1 and _CLOCK.fullmatch(words[-1]) else "is not a schedule"
        raise CampaignError(f'"{text}" {fault}. Example: FRI 20:00 Europe/Berlin. More: pbem help schedule')

    @property
    def warning(self) -> str:
        """A sentence on a zone that names no place and has no summer time, such as EST; "" for all others."""
        if _names_place(self.zone) or self.zone in _UNIVERSAL:
            return ""
        zone = ZoneInfo(self.zone)
        offsets = {dt.datetime(_SOME_YEAR, month, 1, tzinfo=zone).utcoffset() for month in (1, 7)}
        city = _CITIES.get(self.zone.upper())
        return "" if len(offsets) > 1 else f"{self.zone} has no summer time{f'; {city} has' if city else ''}."

    def next_after(self, opened: dt.datetime, *, least: dt.timedelta) -> dt.datetime:
        """Return the deadline, in UTC, of a turn that opens at this moment.

        On clock times it leaves `least` time; a turn of several `weeks` ends in the last of them.
        """
        if self.every is not None:
            return (opened + self.every).astimezone(dt.UTC)
        return self._moment(self._day_from(opened + least) + (self.weeks - 1) * _WEEK)

    def next_from(self, opened: dt.datetime, earliest: dt.datetime) -> dt.datetime:
        """Return the first possible deadline of that turn not before `earliest`, in UTC."""
        if self.every is not None:
            steps = max(1, -((opened - earliest) // self.every))
            return (opened + steps * self.every).astimezone(dt.UTC)
        return self._moment(self._day_from(earliest))

    @property
    def pace(self) -> str:
        """The pace of turns in a word or two: "weekly"."""
        if self.every is not None:
            return f"every {_describe_span(self.every)}"
        if self.ordinals:
            return "monthly" if len(self.ordinals) * len(self.days) == 1 else "on days of the month"
        if len(self.days) == len(DAYS):
            return "daily"
        if self.weeks > 1:
            return f"every {self.weeks} weeks"
        return "weekly" if len(self.days) == 1 else f"{len(self.days)} a week"

    @property
    def words(self) -> str:
        """The schedule in words: "one turn a week, due Fri 20:00 Europe/Berlin"."""
        if self.every is not None:
            return f"one turn every {_describe_span(self.every)}"
        due = f"due {self._days_in_words()}{self.at:%H:%M} {self.zone}"
        if self.ordinals:
            return f"turns on some days of the month, {due}"
        if len(self.days) == len(DAYS):
            return f"one turn a day, {due}"
        if self.weeks > 1:
            return f"one turn every {self.weeks} weeks, {due}"
        return f"{'one turn' if len(self.days) == 1 else f'{len(self.days)} turns'} a week, {due}"

    def _days_in_words(self) -> str:
        if len(self.days) == len(DAYS):
            return ""
        named = join_names([DAYS[day].capitalize() for day in sorted(self.days)])
        numbers = {number: word.lower() for word, number in ORDINALS.items()}
        which = join_names([numbers[each] for each in sorted(self.ordinals, key=list(ORDINALS.values()).index)])
        return f"{which} {named} ".lstrip()

    def _day_from(self, earliest: dt.datetime) -> dt.date:
        day = earliest.astimezone(ZoneInfo(self.zone)).date()
        while not (self._has(day) and self._moment(day) >= earliest):
            day += _DAY
        return day

    def _has(self, day: dt.date) -> bool:
        if day.weekday() not in self.days:
            return False
        is_last = (day + _WEEK).month != day.month
        return not self.ordinals or (day.day + 6) // 7 in self.ordinals or (is_last and -1 in self.ordinals)

    def _moment(self, day: dt.date) -> dt.datetime:
        # fold=0: of an hour that comes twice the first; zoneinfo shifts a skipped one to an hour later (PEP 495).
        return dt.datetime.combine(day, self.at, ZoneInfo(self.zone)).astimezone(dt.UTC)


def _describe_span(span: dt.timedelta) -> str:
    hours, minutes = divmod(int(span.total_seconds()) // 60, 60)
    if minutes:
        return f"{hours * 60 + minutes} minutes"
    if hours % 24:
        return "hour" if hours == 1 else f"{hours} hours"
    return "day" if hours == 24 else f"{hours // 24} days"


def parse_duration(word: str) -> dt.timedelta | None:
    """Return the span of a word such as "30m", "12h" or "3d"; None for any other word."""
    match = _SPAN.fullmatch(word.lower())
    return int(match[1]) * _UNITS[match[2]] if match else None


def require_duration(word: str) -> dt.timedelta:
    """Return a span such as "12h" or "3d", from ten minutes to sixty days. Raises CampaignError for others."""
    span = parse_duration(word)
    if span is None or not _SHORTEST <= span <= _LONGEST:
        raise CampaignError(f"{word!r} is not a span of time: write 10m to 60d, like 12h or 3d")
    return span


class _Weekly(TypedDict):
    days: frozenset[int]
    at: dt.time
    zone: str


def _read_weekly(days: str, clock: str, zone: str) -> _Weekly:
    """Return the days, the time and the zone of a schedule; the first word at fault is told."""
    return {"days": _read_days(days), "at": _read_clock(clock), "zone": read_zone(zone)}


def _read_weeks(word: str) -> int:
    if not _WEEKS.fullmatch(word) or not 1 <= int(word) <= _MOST_WEEKS:
        raise CampaignError(f"a turn cannot take {word!r} weeks: write a whole number from 1 to {_MOST_WEEKS}")
    return int(word)


def _read_ordinal(word: str) -> int:
    name = word.upper()
    if name in ORDINALS:
        return ORDINALS[name]
    near = difflib.get_close_matches(name, ORDINALS, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "write one of " + ", ".join(ORDINALS)
    raise CampaignError(f"{word!r} is not a week of a month: {hint}")


def _read_days(word: str) -> frozenset[int]:
    if word.upper() == "DAILY":
        return frozenset(range(7))
    return frozenset(DAYS.index(_read_day(part)) for part in word.split(","))


def _read_day(word: str) -> str:
    name = word.upper()
    if name in DAYS:
        return name
    near = difflib.get_close_matches(name[:3], (*DAYS, "DAILY"), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "the days are " + ", ".join((*DAYS, "DAILY"))
    raise CampaignError(f"{word!r} is not a day: {hint}")


def _read_clock(word: str) -> dt.time:
    match = _CLOCK.fullmatch(word)
    if match is None or int(match[1]) > 23 or int(match[2]) > 59:
        raise CampaignError(f"{word!r} is not a time of day: write hours and minutes, 00:00 to 23:59, like 20:00")
    return dt.time(int(match[1]), int(match[2]))


_CITIES = {
    **dict.fromkeys(("PST", "PDT", "PT"), "America/Los_Angeles"),
    **dict.fromkeys(("MST", "MDT", "MT"), "America/Denver"),
    **dict.fromkeys(("CST", "CDT", "CT"), "America/Chicago"),
    **dict.fromkeys(("EST", "EDT", "ET"), "America/New_York"),
    "HST": "Pacific/Honolulu",
    "BST": "Europe/London",
    "WEST": "Europe/Lisbon",
    "CEST": "Europe/Berlin",
    "EEST": "Europe/Athens",
    "MSK": "Europe/Moscow",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "AWST": "Australia/Perth",
    **dict.fromkeys(("ACST", "ACDT"), "Australia/Adelaide"),
    **dict.fromkeys(("AEST", "AEDT"), "Australia/Sydney"),
    **dict.fromkeys(("NZST", "NZDT"), "Pacific/Auckland"),
}
"""Cities by abbreviations that are no time zones, or have no summer time."""

_OFFSET = re.compile(r"(?:GMT|UTC)?([+-][0-9]{1,2})(?::?00)?", re.IGNORECASE)
_CITY_AT = {
    -10: "Pacific/Honolulu",
    -9: "America/Anchorage",
    -8: "America/Los_Angeles",
    -7: "America/Denver",
    -6: "America/Chicago",
    -5: "America/New_York",
    -4: "America/Halifax",
    -3: "America/Sao_Paulo",
    -1: "Atlantic/Azores",
    0: "UTC",
    1: "Europe/Berlin",
    2: "Europe/Athens",
    3: "Europe/Moscow",
    4: "Asia/Dubai",
    5: "Asia/Karachi",
    6: "Asia/Dhaka",
    7: "Asia/Bangkok",
    8: "Asia/Singapore",
    9: "Asia/Tokyo",
    10: "Australia/Sydney",
    11: "Pacific/Noumea",
    12: "Pacific/Auckland",
}
"""Cities by their hours before UTC in winter."""


_UNIVERSAL = ("UTC", "GMT", "Z", "Zulu", "UCT", "Universal", "Greenwich")
_SOME_YEAR = 2026


def _names_place(zone: str) -> bool:
    return "/" in zone and not zone.startswith("Etc/")


_OF_ONE_MACHINE = re.compile(r"(?:posix|right)/|(?:localtime|posixrules|Factory)\Z")
"""Names that some systems have besides those of the database: of another count of seconds, and for their own zone."""


def read_zone(word: str) -> str:
    """Return the name of a time zone. Raises CampaignError with the nearest there is."""
    try:
        if not _OF_ONE_MACHINE.match(word):
            return ZoneInfo(word).key
    # ValueError for a key such as "../x"; OSError for "Europe", a folder, where the package tzdata is installed.
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    offset = _OFFSET.fullmatch(word)
    if city := _CITY_AT.get(int(offset[1])) if offset else _CITIES.get(word.upper()):
        raise CampaignError(f"{word!r} is not a time zone: did you mean {city}?")
    whole = _named_zones()
    # Compared without the continent too: "Berlin" is near Europe/Berlin.
    near = difflib.get_close_matches(word.casefold().replace(" ", "_"), whole, n=1, cutoff=0.6)
    hint = f"did you mean {whole[near[0]]}?" if near else "write it like Europe/Berlin or UTC"
    raise CampaignError(f"{word!r} is not a time zone: {hint}")


def _named_zones() -> dict[str, str]:
    """Return the zones that have a place, by their names and by their cities, in lower case."""
    # Names without a place, such as EST and Etc/GMT+2, have no summer time, and the latter the other sign.
    names = sorted(name for name in available_timezones() if name == "UTC" or _names_place(name))
    return {name.casefold(): name for name in names} | {name.rpartition("/")[2].casefold(): name for name in names}


def find_zone(words: str) -> str:
    """Return the time zone that a person names: "Athens", "new york", "Europe/Athens", "EST". Raises CampaignError."""
    word = "_".join(words.split())
    return _CITIES.get(word.upper()) or _named_zones().get(word.casefold()) or read_zone(word)


def zone_like(at: datetime, here: str) -> str:
    """Return a well-known time zone with the time of day that `at` has by its own clock, "" if it is that of `here`.

    UTC is none: many servers date what their readers write so, wherever these are.
    """
    zones = (here, *_CITY_AT.values())
    alike = (zone for zone in zones if at.astimezone(ZoneInfo(zone)).utcoffset() == at.utcoffset())
    found = next(alike, here) if at.utcoffset() else here
    return "" if found == here else found


LEAST = timedelta(hours=1)
"""A shorter time without mail is no outage."""

UNUSUAL = 3
"""Only a pause of so many times the usual one is an outage: a home may poll once a night."""

CHAIN = 2
"""Consecutive outages prolong the wait no more once the first began so many times the longest wait ago."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which no mail was read, from `since` to `until`; deadlines wait for `release`."""

    since: datetime
    until: datetime
    release: datetime

    def holds(self, deadline: datetime | None, now: datetime) -> bool:
        """Return True if a due turn still has to wait. A turn that was due before the outage does not."""
        return deadline is not None and self.since <= deadline and now < self.release


@dataclass(frozen=True, slots=True)
class MailboxWatch:
    """The polls of the mailbox, as remembered.

    `usual` is the time between the last good one and the one before it, None if
    there was none; `failed`: the mailbox could not be read since. `outage` is
    the last one while deadlines may wait for it.
    """

    last_good: datetime
    usual: timedelta | None = None
    failed: bool = False
    outage: Outage | None = None


def after_failure(watch: MailboxWatch | None, now: datetime) -> MailboxWatch:
    """Return what to remember when the mailbox could not be read."""
    return replace(watch, failed=True) if watch else MailboxWatch(now, failed=True)


def after_poll(watch: MailboxWatch | None, now: datetime, *, longest: timedelta) -> MailboxWatch:
    """Return what to remember when it was read; deadlines wait at most `longest` for an outage that ends now."""
    if watch is None:
        return MailboxWatch(now)
    if watch.last_good > now:  # the clock was ahead: what it recorded did not happen
        return MailboxWatch(
            now, watch.usual, outage=watch.outage if watch.outage and watch.outage.until <= now else None
        )
    gap = now - watch.last_good
    outage = _extend_outage(watch, now, gap, longest) if _is_outage(watch, gap) else _current_outage(watch, now)
    # An outage is kept until its wait is over: one that follows before that continues it.
    return MailboxWatch(now, gap, outage=outage)


def _is_outage(watch: MailboxWatch, gap: timedelta) -> bool:
    # A failed poll is evidence by itself: two hours of failures are an outage even where polls are days apart.
    if watch.failed:
        return gap > LEAST
    # Without a failure only an unusual pause is evidence, or a job that runs once a night would be an outage all day.
    return watch.usual is not None and gap > max(LEAST, UNUSUAL * watch.usual)


def _extend_outage(watch: MailboxWatch, now: datetime, gap: timedelta, longest: timedelta) -> Outage:
    """Return the outage that ends now, joined to one before whose wait is not over, up to a limit."""
    # A home that is switched on for an hour each evening is out of order all the rest of the day: if each wait
    # prolonged the one before without a limit, no turn would run.
    before, release = _current_outage(watch, watch.last_good), now + min(gap, longest)
    if before is None:
        return Outage(watch.last_good, now, release)
    if now - before.since <= CHAIN * longest:
        # `max`: turns wait no less than was announced for the first outage.
        return Outage(before.since, now, max(release, before.release))
    return replace(before, until=now) if now < before.release else Outage(watch.last_good, now, release)


def _current_outage(watch: MailboxWatch, now: datetime) -> Outage | None:
    return watch.outage if watch.outage and now < watch.outage.release else None


def start_of_day(day: dt.date, zone: str) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), ZoneInfo(zone)).astimezone(dt.UTC)
