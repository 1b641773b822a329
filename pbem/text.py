"""Formatting of plain text: times, wrapped lines, tables, lists of names."""

from __future__ import annotations

import datetime as dt
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

WIDTH = 78
"""Columns of a text mail; longer lines are wrapped, since mail programs would do it worse."""

_BAR = "| "


def zone_for(reader: str, campaign: str) -> str:
    """Return the zone in which a reader is told times: their own and behind it the campaign's, or the campaign's.

    >>> zone_for("Europe/Athens", "Europe/Berlin"), zone_for("", "Europe/Berlin")
    ('Europe/Athens Europe/Berlin', 'Europe/Berlin')
    """
    return f"{reader} {campaign}" if reader and reader != campaign else campaign


def own_zone(zone: str) -> str:
    """Return the first of the zones in which times are told, a key of `ZoneInfo`."""
    return zone.partition(" ")[0]


def _zone_behind(zone: str) -> str:
    """Return the zone that is told behind the first: the campaign's where a reader has one of their own, or UTC."""
    return zone.partition(" ")[2] or "UTC"


@lru_cache(maxsize=1024)
def format_time(at: dt.datetime, zone: str) -> str:
    """Return a time in a zone and in that behind it, whose day is named if it is another (`zone_for`)."""
    own, behind = own_zone(zone), _zone_behind(zone)
    there, elsewhere = at.astimezone(ZoneInfo(own)), at.astimezone(ZoneInfo(behind))
    said = f"{there:%a} {there.day} {there:%b %Y %H:%M} {own}"
    if own == behind:
        return said
    other_day = "" if there.date() == elsewhere.date() else f"{elsewhere:%a} "
    return f"{said} ({other_day}{elsewhere:%H:%M} {behind})"


@lru_cache(maxsize=1024)
def format_time_short(at: dt.datetime, zone: str) -> str:
    """Return a time for a subject, with the zone's abbreviation: "Sun 29 Nov 20:00 CET"."""
    there = at.astimezone(ZoneInfo(own_zone(zone)))
    return f"{there:%a} {there.day} {there:%b %H:%M %Z}"


@lru_cache(maxsize=1024)
def format_due(at: dt.datetime, zone: str) -> str:
    """Return a time near by in the reader's zone, for mails: "Fri 6 Nov, 20:00 CET"."""
    there = at.astimezone(ZoneInfo(own_zone(zone)))
    return f"{there:%a} {there.day} {there:%b, %H:%M %Z}"


def format_behind(at: dt.datetime, zone: str, after: str = ". ") -> str:
    """Return the time in the zone behind the reader's and the text after it: "19:00 UTC. "; "" if both say the same."""
    there, behind = at.astimezone(ZoneInfo(own_zone(zone))), at.astimezone(ZoneInfo(_zone_behind(zone)))
    day, said = "" if there.date() == behind.date() else f"{behind:%a} ", f"{behind:%H:%M %Z}"
    return "" if f"{there:%H:%M %Z}" == said else f"{day}{said}{after}"


def format_span(span: dt.timedelta) -> str:
    """Return a span in words, in the largest unit that fits it."""
    minutes = int(span.total_seconds()) // 60
    for unit, name in ((24 * 60, "day"), (60, "hour")):
        if minutes % unit == 0 and minutes > unit:
            return count_noun(minutes // unit, name)
    return "24 hours" if minutes == 24 * 60 else count_noun(minutes, "minute")


def describe_rest(rest: dt.timedelta, whole: dt.timedelta) -> str:
    """Return what is left of a span: "6 days of 7 days left"."""
    return f"{format_span(rest) if rest else 'nothing'} of {format_span(whole)} left"


def wrap(text: str, indent: str = "", width: int = WIDTH) -> str:
    """Return the text as one paragraph, wrapped at blanks to the width of a mail; further lines begin with `indent`.

    The first line leaves as much room, for what the template put before it.
    """
    room = width - len(indent)
    text = " ".join(text.split())
    if len(text) <= room:
        return text
    # Not textwrap: reports wrap hundreds of texts, and it takes ten times as long for the same lines.
    return f"\n{indent}".join(_break_lines(text, room))


def _break_lines(text: str, room: int) -> Iterator[str]:
    """Yield lines of a text whose words are one blank apart, each as long as fits; a longer word has its own line."""
    start = 0
    while len(text) - start > room:
        end = text.rfind(" ", start, start + room + 1)
        if end < 0:
            end = text.find(" ", start)
        if end < 0:
            break
        yield text[start:end]
        start = end + 1
    yield text[start:]


def wrap_order_line(line: str, indent: str = "") -> str:
    """Return an order line wrapped with backslashes, as sheets may do it, so that it can be copied into one."""
    # Two columns are left for the blank and the backslash. No word is broken: it would be read as two.
    rows = textwrap.wrap(line, WIDTH - len(indent) - 2, break_long_words=False, break_on_hyphens=False)
    return f" \\\n{indent}".join(rows)


def format_table(rows: Iterable[Sequence[Any]], *headings: str) -> str:
    """Return a text table under headings; columns of whole numbers are aligned to the right.

    >>> print(format_table([("red", 5), ("blue", 12)], "seat", "score"))
    seat  score
    red       5
    blue     12

    Raises ValueError if a row does not have one cell for each heading.
    """
    table = [list(row) for row in rows]
    if any(len(row) != len(headings) for row in table):
        raise ValueError(f"a table with the headings {', '.join(headings)} needs rows of {len(headings)}")
    right = [bool(table) and all(isinstance(row[at], int) for row in table) for at in range(len(headings))]
    cells = [list(headings)] + [[str(cell) for cell in row] for row in table]
    widths = [max(len(row[at]) for row in cells) for at in range(len(headings))]
    return "\n".join(_align_row(row, widths, right) for row in cells)


def _align_row(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(row, widths, right, strict=True)
    )
    return "  ".join(padded).rstrip()


def as_sentence(text: str) -> str:
    """Return the text with a capital first and a full stop last, unless it ends in punctuation of its own.

    >>> as_sentence("the turn is run")
    'The turn is run.'
    """
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", ":", ",", ";", "…")) else ".")


def shorten(text: str, most: int) -> str:
    """Return the text in at most so many characters; what is cut off is replaced by "...".

    >>> shorten("no orders yet", 12)
    'no orders...'
    """
    # In ASCII, so that a subject is not encoded for it alone.
    return text if len(text) <= most else text[: most - 3].rstrip() + "..."


def heading(text: str) -> str:
    """Return a heading of a text mail."""
    return f"{text.upper()}\n{'-' * len(text)}"


def quote_block(text: str) -> str:
    """Return a person's words with a bar before every line, so that none is taken for a part of the mail."""
    room = WIDTH - len(_BAR)
    # textwrap has no line for a blank one, which needs a bar too.
    lines = (textwrap.wrap(line, room, break_on_hyphens=False) or [""] for line in text.split("\n"))
    return "\n".join(f"{_BAR}{piece}".rstrip() for pieces in lines for piece in pieces)


_CLAUSE_END = re.compile(r"(?=, |: |; | \()|(?<=[.!?])(?= )")


def whole_clauses(text: str, most: int) -> str:
    """Return as many whole clauses of a text as fit into so many characters, and its first one in any case.

    >>> whole_clauses("no orders yet, due Fri 6 Nov 20:00 CET, turn 3", 40)
    'no orders yet, due Fri 6 Nov 20:00 CET'
    """
    if len(text) <= most:
        return text
    ends = [found.start() for found in _CLAUSE_END.finditer(text)] or [len(text)]
    return text[: max([end for end in ends if end <= most], default=ends[0])]


def few_seats(names: Sequence[str]) -> str:
    """Return up to two seats in words, or the number of more: a list that is shortened would be another list.

    >>> few_seats(["red", "blue"]), few_seats(["red", "blue", "green"])
    ('red and blue', '3 seats')
    """
    return join_names(names) if len(names) <= 2 else count_noun(len(names), "seat")


def cut_at_word(text: str, most: int) -> str:
    """Return a text of at most so many characters, cut at a word; "" if not even one word fits.

    >>> cut_at_word("you took a planet", 12)
    'you took...'
    """
    if len(text) <= most:
        return text
    words = text[: max(0, most - 2)].split(" ")[:-1]
    while words and words[-1] in _LEADING_ON:
        words.pop()
    return f"{' '.join(words).rstrip(' ,;:')}..." if words else ""


_LEADING_ON = {"a", "an", "and", "at", "but", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with", "your"}


def join_names(names: Sequence[str]) -> str:
    """Return names as a list in words.

    >>> join_names(["red", "blue", "green"])
    'red, blue and green'
    """
    return ", ".join(names[:-1]) + (" and " if names[1:] else "") + "".join(names[-1:])


def count_noun(number: int, one: str, many: str = "") -> str:
    """Return a number and the thing counted; `many` is for plurals that do more than add an s.

    >>> count_noun(3, "unit"), count_noun(1, "reply", "replies")
    ('3 units', '1 reply')
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


MOST_NAMED = 8
"""Lines that a note names."""


def quote_lines(lines: Sequence[str]) -> str:
    """Return lines in quotes, at most eight, with the number of the others."""
    shown = [f'"{excerpt(line)}"' for line in lines[:MOST_NAMED]]
    more = len(lines) - len(shown)
    return ", ".join(shown) + (f" and {count_noun(more, 'more line')}" if more else "")


def excerpt(line: str) -> str:
    """Return the beginning of a line, its blanks single."""
    said = " ".join(line.split())
    return said if len(said) <= _LONGEST_EXCERPT else said[: _LONGEST_EXCERPT - 1] + "…"


_LONGEST_EXCERPT = 80
