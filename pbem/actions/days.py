"""Days as people write them: "24.12. until 27.12.", "24-27 Dec", "Dec 24, 2026", without a year too.

`write_days` turns them into tokens that `pbem.actions.arguments.Day` reads: ISO 8601, or
"--12-24" for a day without a year (the form of ISO 8601:2000). `fill_years` replaces
those, and days of the week, by the days that are meant, once it is known what day it is. What no calendar
has, and 3/4, which may be two days, is left as it was written. `write_time` and
`read_time` do the same for the deadlines of GMs, with clock times.
"""

from __future__ import annotations

import datetime as dt
import re
from zoneinfo import ZoneInfo

from pbem.actions.arguments import TODAY, TOMORROW, is_two_days, is_yearless, weekday_of
from pbem.campaign.schedule import parse_duration, require_duration
from pbem.errors import CampaignError

LONGEST = 200
"""Characters of a line in which days are looked for."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY = r"\b(?>(?:the\s++)?)(?>(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*+[.,]?\s++)?)(?>(?:the\s++)?)"
_NUMBER = r"[0-9]{1,2}"
_DAY = rf"(?P<day>{_NUMBER})(?:st|nd|rd|th)?[.,]?"
_NAME = rf"(?:{'|'.join(_MONTHS)})[a-z]*+[.,]?"
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*+[.,]?"
_YEAR = r"(?>(?:\s++(?P<year>[0-9]{4})\b)?)"
_DAY_FIRST = re.compile(rf"{_WEEKDAY}\b{_DAY}\s*+(?>(?:of\s++)?){_MONTH}{_YEAR}", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"{_WEEKDAY}\b{_MONTH}\s++{_DAY}(?![\w]){_YEAR}", re.IGNORECASE)
_DOTTED = re.compile(
    rf"(?<![\w.])(?P<day>{_NUMBER})\.\s?(?P<month>{_NUMBER})(?:\.(?:\s?(?P<year>[0-9]{{4}})|(?P<short>[0-9]{{2}}))?)?"
    r"(?![\w])"
)
_SLASHED = re.compile(rf"(?<![\w/])(?P<one>{_NUMBER})/(?P<two>{_NUMBER})(?:/(?P<year>[0-9]{{4}}|[0-9]{{2}}))?(?![\w/])")
_JOINED = r"\s*+(?:-|to\b|until\b|till\b|bis\b)\s*+"
_SHARED = (
    # 24-27 Dec 2026
    re.compile(
        rf"(?<![\w.-])(?P<first>{_NUMBER})(?:st|nd|rd|th)?\.?{_JOINED}"
        rf"(?P<last>{_NUMBER}(?:st|nd|rd|th)?[.,]?)\s*+(?P<rest>(?>(?:of\s++)?){_NAME}(?>(?:\s++[0-9]{{4}}\b)?))",
        re.IGNORECASE,
    ),
    # 24.-27.12.2026
    re.compile(
        rf"(?<![\w.-])(?P<first>{_NUMBER}\.?){_JOINED}"
        rf"(?P<last>{_NUMBER}\.)\s?(?P<rest>{_NUMBER}\.(?:\s?[0-9]{{4}}|[0-9]{{2}})?)(?![\w])"
    ),
)
_MONTH_SHARED = re.compile(
    rf"\b(?P<month>{_NAME})\s++(?P<first>{_NUMBER})\s*+-\s*+(?P<last>{_NUMBER})(?![\w-])", re.IGNORECASE
)
_UNTIL = frozenset({"TO", "UNTIL", "TILL", "UNTILL", "THROUGH", "THRU", "BIS", "-", "--", "..", "..."})
_IDLE = frozenset({"FROM", "ON", "INCLUSIVE", "VON", ":"})
_NEXT = frozenset({"NEXT", "THIS", "COMING"})
_TOKEN = re.compile(r"(?:[0-9]{4}-|--)[0-9]{2}-[0-9]{2}")
_LEAP = 2028
_YEARS = 8
"""Years in which every day of a calendar, 29 February too, is found."""


def write_days(line: str) -> str:
    """Return the line with its days as tokens."""
    if len(line) > LONGEST:
        return line
    for pattern in _SHARED:
        line = pattern.sub(_expand_shared, line)
    line = _MONTH_SHARED.sub(
        lambda found: f"{found['first']} {found['month']} TO {found['last']} {found['month']}", line
    )
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        line = pattern.sub(_named_month, line)
    line = _DOTTED.sub(lambda found: _token(found, found["day"], found["month"], found["year"] or found["short"]), line)
    return _SLASHED.sub(_read_slashed, line)


def write_span(words: str, *, named: bool = False) -> str:
    """Return the days of an absence as "day" or "day TO day"; "" if there is anything else in the words.

    Days of the week count where they are `named`: prose has them, and answering machines.
    """
    written = write_days(f" {words} ").split()
    if named:
        written = [plain if weekday_of(plain := word.strip(".,;:!")) is not None else word for word in written]
        written = [word for word in written if word.upper() not in _NEXT]
    elif any(weekday_of(word) is not None for word in written):
        return ""
    kept = ["TO" if word.upper() in _UNTIL else word for word in written if word.upper().rstrip(",") not in _IDLE]
    kept = ["TODAY", *kept] if kept[:1] == ["TO"] else kept
    days, joints = kept[::2], kept[1::2]
    if not (days and all(map(_is_day, days)) and joints in ([], ["TO"]) and len(days) == len(joints) + 1):
        return ""
    return " ".join(kept)


def find_span(words: str) -> str:
    """Return the days that some words begin with, as `write_span` does, those of the week too; "" if there are none."""
    said = words[:LONGEST].split()[:_MOST_IN_SPAN]
    spans = (write_span(" ".join(said[:count]).rstrip(",;:!"), named=True) for count in range(len(said), 0, -1))
    return next(filter(None, spans), "")


_MOST_IN_SPAN = 10
_SPAN = re.compile(r"\A\+? ?([0-9]{1,4}) ?(h|d|m|w)(?:ours?|rs?|ays?|in(?:ute)?s?|eeks?)?\Z", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?<![\w:.+-])(?P<hour>[0-9]{1,2})(?P<minutes>[:.][0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?"
    r"(?> ?(?P<half>[ap])\.?m\b\.?)?"
    r"(?: ?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2}))?(?![\w:.])",
    re.IGNORECASE,
)
_DAY_AND_CLOCK = re.compile(r"(?<=-[0-9]{2})T(?=[0-9])", re.IGNORECASE)
_CLOCK_AT_END = re.compile(r"(?:\A|[T ])([0-9]{2}:[0-9:.Z+-]+)\Z")
_IDLE_IN_TIMES = frozenset({"BY", "FOR", "TO", "UNTIL", "IN", "AT", "ON", "THE", "NEXT"})
_NOON = 12

TIMES = "a span like 24h or 3d, or a moment like 24 Dec 20:00, Fri 20:00 or 2026-12-24T20:00"
"""The times by which, or to which, a deadline is moved, in words."""


def write_span_of_time(words: str) -> str:
    """Return a span of time such as "24 hours" or "+2 days" as one word; "" for other words."""
    found = _SPAN.match(words)
    if found is None:
        return ""
    number, unit = int(found[1]), found[2].lower()
    return f"{number * 7}d" if unit == "w" else f"{number}{unit}"


def write_time(typed: str) -> str:
    """Return a span or a moment as `read_time` reads it, such as "24h", "2026-12-24T20:00", "Fri 20:00"; "" if none.

    A moment may lack the year ("--12-24T20:00"), the day ("20:00") or the clock time ("2026-12-24", "Friday").
    """
    if len(typed) > LONGEST:
        return ""
    written = write_days(_DAY_AND_CLOCK.sub(" ", typed.replace('"', ""))).replace(",", " ")
    words = [word for word in written.split() if word.upper() not in _IDLE_IN_TIMES]
    if span := write_span_of_time(" ".join(words)):
        return span
    clock, words = _cut_clock(" ".join(words))
    day = words.pop() if words else ""
    dated = bool(_TOKEN.fullmatch(day))
    # A date may have its day of the week before it.
    if any(weekday_of(word) is None or not dated for word in words) or len(words) > 1:
        return ""
    if day and not dated and weekday_of(day) is None and day.upper() not in (TODAY, TOMORROW):
        return ""
    return f"{day}{'T' if dated else ' '}{clock}" if day and clock else day or clock


def _cut_clock(words: str) -> tuple[str, list[str]]:
    """Return the clock time in some words, as "20:00", and the words without it; "" if there is none."""
    found = next((each for each in _CLOCK.finditer(words) if each["minutes"] or each["half"]), None)
    if found is None:
        return "", words.split()
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    hour = hour if not half else hour % _NOON + (_NOON if half == "p" else 0)
    minutes, zone = (found["minutes"] or ":00").replace(".", ":", 1), (found["zone"] or "").upper()
    return f"{hour:02}{minutes}{zone}", f"{words[: found.start()]} {words[found.end() :]}".split()


def read_time(typed: str, now: dt.datetime, zone: str, clock: dt.time) -> dt.timedelta | dt.datetime:
    """Return the span or the moment, in UTC, that a GM writes for a deadline, by the clocks of a `zone`.

    A day without a year, a day of the week and a clock time alone are the next such; a day of the week is after today.

    Args:
        typed: What was typed.
        now: The time.
        zone: The time zone, unless the moment names another.
        clock: The clock time of a moment without one.

    Raises:
        CampaignError: If it is neither.
    """
    written = write_time(typed)
    if parse_duration(written) is not None:
        return require_duration(written)
    found = _CLOCK_AT_END.search(written)
    day, time = (written[: found.start()], found[1]) if found else (written, "")
    try:
        at = dt.time.fromisoformat(time) if time else clock
        return _moment(day or time, at, now, ZoneInfo(zone)).astimezone(dt.UTC)
    # OverflowError: of the years 1 and 9999 some moments cannot be converted to UTC.
    except (ValueError, OverflowError):
        raise CampaignError(f"{typed!r} is no time for a deadline: write {TIMES}") from None


def _moment(day: str, clock: dt.time, now: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """Return the clock time on a day as `write_time` writes it; the next such if that is a clock time too."""
    clock = clock if clock.tzinfo else clock.replace(tzinfo=zone)
    today = now.astimezone(clock.tzinfo).date()
    if day[:1].isdigit() and ":" in day:
        moment = dt.datetime.combine(today, clock)
        return moment if moment > now else dt.datetime.combine(today + dt.timedelta(days=1), clock)
    if (weekday := weekday_of(day)) is not None:
        return dt.datetime.combine(today + dt.timedelta(days=(weekday - today.weekday() - 1) % 7 + 1), clock)
    if day.upper() in (TODAY, TOMORROW):
        return dt.datetime.combine(today + dt.timedelta(days=day.upper() == TOMORROW), clock)
    return dt.datetime.combine(
        _nearest_day(day, today, ahead=True) if is_yearless(day) else dt.date.fromisoformat(day), clock
    )


def _is_day(word: str) -> bool:
    named = word.upper() in (TODAY, TOMORROW) or weekday_of(word) is not None
    return named or bool(_TOKEN.fullmatch(word)) or is_two_days(word)


def fill_years(line: str, today: dt.date) -> str:
    """Return the line with years: a day is the next such day, and that before "TO" the last such one before it."""
    words = line.split()
    later: dt.date | None = None
    for at in range(len(words) - 1, 0, -1):
        word = words[at].upper()
        if word in (TODAY, TOMORROW):
            later = today + dt.timedelta(days=word == TOMORROW)
        elif is_yearless(word) or weekday_of(word) is not None:
            before = later if words[at + 1 : at + 2] == ["TO"] else None
            later = _nearest_day(word, before or today, ahead=before is None)
        elif _TOKEN.fullmatch(word):
            later = _iso(word)
            continue
        else:
            continue
        words[at] = later.isoformat()
    return " ".join(words) if later else line


def _iso(word: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(word)
    except ValueError:
        return None


def _nearest_day(yearless: str, start: dt.date, *, ahead: bool) -> dt.date:
    """Return the first such day from `start` on, or else the last up to it; a day of the week is after `start`."""
    if (weekday := weekday_of(yearless)) is not None:
        later = (weekday - start.weekday() - 1) % 7 + 1
        return start + dt.timedelta(days=later if ahead else later - 7)
    years = range(start.year, start.year + _YEARS + 1) if ahead else range(start.year, start.year - _YEARS - 1, -1)
    days = (_iso(f"{year:04}{yearless[1:]}") for year in years if 1 <= year <= 9999)
    return next(day for day in days if day is not None and (day >= start if ahead else day <= start))


def _expand_shared(found: re.Match[str]) -> str:
    return f"{found['first']} {found['rest']} TO {found['last']} {found['rest']}"


def _named_month(found: re.Match[str]) -> str:
    return _token(found, found["day"], str(_MONTHS.index(found["month"].lower()[:3]) + 1), found["year"])


def _read_slashed(found: re.Match[str]) -> str:
    one, two = int(found["one"]), int(found["two"])
    if is_two_days(found[0]):
        return found[0]
    day, month = (one, two) if two <= 12 else (two, one)
    return _token(found, str(day), str(month), found["year"])


def _token(found: re.Match[str], day: str, month: str, year: str | None) -> str:
    """Return a day as a token; what was found, if no calendar has it, but for days with a year, which are told so."""
    full = f"20{year}" if year and len(year) == 2 else year
    token = f"-{int(month):02}-{int(day):02}"
    if full:
        return f" {full}{token} "
    try:
        dt.date(_LEAP, int(month), int(day))
    except ValueError:
        return found[0]
    return f" -{token} "
