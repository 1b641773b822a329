"""Days as people and reports write them, "Fri 27 Nov 2026" or "Nov 27, 2026", put as commands take them."""

from __future__ import annotations

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY = r"\b(?:the\s++)?+(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*+[.,]?\s++)?+"
_DAY, _YEAR = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?[.,]?", r"(?P<year>[0-9]{4})\b"
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*+[.,]?"
_DAY_FIRST = re.compile(rf"{_WEEKDAY}\b{_DAY}\s++(?:of\s++)?+{_MONTH}\s++{_YEAR}", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"{_WEEKDAY}\b{_MONTH}\s++{_DAY}\s++{_YEAR}", re.IGNORECASE)


def with_days(line: str) -> str:
    """The line with its written-out days as 2026-11-27; one that no calendar has is put so all the same."""
    for pattern in (_DAY_FIRST, _MONTH_FIRST):
        line = pattern.sub(_iso, line)
    return line


def _iso(match: re.Match[str]) -> str:
    month = _MONTHS.index(match["month"].lower()) + 1
    return f"{match['year']}-{month:02}-{int(match['day']):02}"
