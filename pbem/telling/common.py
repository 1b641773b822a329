"""What many answers say alike: numbers, times, sheets and how they were read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from pbem.report import Restated, Told
from pbem.report.wording import continued, sentence, wrapped
from pbem.ruleset import Seat


def utc(at: dt.datetime) -> str:
    """A time in a table for GMs: minutes, UTC."""
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M}"


def versions(sheets: Mapping[Seat, int]) -> str:
    """The sheets that count, a version a seat."""
    return ", ".join(f"{seat} (version {version})" for seat, version in sheets.items()) or "none"


def reading_lines(findings: Sequence[Told], orders: Sequence[Restated]) -> Iterator[str]:
    """How a sheet was read, as receipts show it: what was found in it, and the orders in words."""
    for finding in findings:
        yield ""
        yield f"Line {finding.line}: {finding.source}" if finding.line else "The whole sheet:"
        yield from (f"    {wrapped(sentence(text), '    ')}" for text in (finding.text, finding.hint) if text)
    if orders:
        yield ""
    for order in orders:
        yield f"{order.line:4d}  {wrapped(sentence(order.words), '      ')}"
        if order.differs:
            yield f"      {continued(order.typed, '      ')}"


def days_of(since: dt.datetime, until: dt.datetime, zone: str) -> str:
    """The days of an absence by the clocks of its campaign, as its player told of them."""
    first, last = (at.astimezone(ZoneInfo(zone)).date() for at in (since, until - dt.timedelta(seconds=1)))
    return f"on {first}" if first == last else f"from {first} to {last}"
