"""How the result of an action is told: through which channel, and numbers, times and sheets that many results have."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from pbem.report.answers import Restated, Told
from pbem.ruleset.values import Seat
from pbem.text import continued, sentence, wrapped

MOST_LINES = 60
"""Lines of differences that a report tells; more would bury it."""


@dataclass(frozen=True, slots=True)
class Channel:
    """The way by which an action was asked for and is answered: the terminal or a mail.

    `undone` tells how to have done what was only looked at; it is "" where it was done.
    """

    by_mail: bool = False
    undone: str = ""

    @property
    def done(self) -> bool:
        """Return whether the action was done."""
        return not self.undone

    def either(self, typed: str, mailed: str) -> str:
        """Return that of two wordings which fits the channel."""
        return mailed if self.by_mail else typed

    def queued(self, what: str, it: str = "it") -> str:
        """Return a sentence that a mail is queued; at the terminal, with the command that sends `it`."""
        return self.either(f"{what}; send {it}: pbem tick", f"{what}.")


CLI = Channel()
ASKED = Channel(undone="Nothing has changed yet.")
"""A terminal, at which confirmation is asked for below."""

DRY_RUN = Channel(undone="Nothing was changed. To do it, add --yes.")
"""The command line, without a terminal to ask at."""


def mail_channel(undone: str = "") -> Channel:
    """Return a mail; `undone` is the command that does what was only looked at."""
    return Channel(by_mail=True, undone=undone and f"Nothing was changed. To do it, send the same with: {undone}")


def format_utc(at: dt.datetime) -> str:
    """Return a time in a table for GMs: minutes, UTC."""
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M}"


def versions(sheets: Mapping[Seat, int]) -> str:
    """Return the sheets that count, a version a seat."""
    return ", ".join(f"{seat} (version {version})" for seat, version in sheets.items()) or "none"


def render_reading(findings: Sequence[Told], orders: Sequence[Restated]) -> Iterator[str]:
    """Yield how a sheet was read, as receipts show it: what was found in it, and the orders in words."""
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


def format_days(since: dt.datetime, until: dt.datetime, zone: str) -> str:
    """Return the days of an absence by the clocks of its campaign, as its player told of them."""
    first, last = (at.astimezone(ZoneInfo(zone)).date() for at in (since, until - dt.timedelta(seconds=1)))
    return f"on {first}" if first == last else f"from {first} to {last}"


def differing_lines(before: str, now: str) -> tuple[str, ...]:
    """Return the lines in which two texts differ, "- " and "+ " before them; the end of a long list is counted."""
    lines = list(_differing(before.splitlines(), now.splitlines()))
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    return (*lines[:MOST_LINES], f"(and {len(lines) - MOST_LINES} lines more)")


def _differing(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    for kind, start, end, start_now, end_now in difflib.SequenceMatcher(None, before, now).get_opcodes():
        if kind != "equal":
            yield from (f"- {line.strip()}" for line in before[start:end] if line.strip())
            yield from (f"+ {line.strip()}" for line in now[start_now:end_now] if line.strip())
