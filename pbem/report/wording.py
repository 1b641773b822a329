"""What templates may use besides Jinja's own: times, wrapped lines, text tables, and inline styles."""

from __future__ import annotations

import datetime as dt
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from string import Formatter
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup, escape

WIDTH = 78
"""Columns of a text mail; longer lines are wrapped, since mail programs would do it worse."""

_BAR = "| "

CSS: Mapping[str, str] = {
    "body": "margin:0 auto;padding:8px;max-width:52em;font:16px/1.45 sans-serif",
    "preheader": "display:none;max-height:0;overflow:hidden",
    "h1": "margin:0;font-size:1.4em",
    "h2": "margin:1.3em 0 .4em;font-size:1.15em;border-bottom:2px solid #888",
    "h3": "margin:1em 0 .3em;font-size:1em",
    "due": "margin:.8em 0;padding:.4em .7em;border-left:4px solid #c60",
    "long": "overflow-wrap:anywhere;font-size:.85em",
    "list": "margin:.3em 0;padding-left:1.2em",
    "table": "border-collapse:collapse;margin:.3em 0",
    "th": "text-align:left;padding:2px 8px 2px 0;border-bottom:1px solid #888",
    "caption": "text-align:left;padding:2px 0",
    "row": "padding:2px 8px 2px 0;vertical-align:top;text-align:left;font-weight:normal;overflow-wrap:anywhere",
    "td": "padding:2px 8px 2px 0;vertical-align:top",
    "num": "padding:2px 8px 2px 0;text-align:right",
    "note": "margin:.3em 0;font-size:.9em",
    "wrap": "white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.3 monospace;padding:.5em;border:1px solid #888",
    "pre": "overflow-x:auto;font:13px/1.3 monospace;padding:.5em;border:1px solid #888",
    "img": "max-width:100%;height:auto",
    "figure": "margin:.5em 0",
    "words": "margin:.3em 0;white-space:pre-wrap;overflow-wrap:anywhere",
    "said": "margin:.3em 0 .8em;padding:0 0 0 .8em;border-left:3px solid #888;overflow-wrap:anywhere",
    "told": "margin:.3em 0;overflow-wrap:anywhere",
    "h4": "margin:.8em 0 .3em;font-size:1em",
    "line": "margin:.5em 0;white-space:pre-wrap",
    "items": "margin:.5em 0;padding:0;list-style:none",
    "item": "margin:.15em 0;padding-left:1.2em;text-indent:-1.2em;white-space:pre-wrap",
    "drawn": "margin:.5em 0;overflow-x:auto;font:13px/1.3 monospace",
    "loose": "margin:.5em 0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.3 monospace",
}
"""Inline styles for HTML reports, by name. Mail programs drop style sheets, seldom these."""


@lru_cache(maxsize=1024)
def when(at: dt.datetime, zone: str) -> str:
    """A time for a player: in the campaign's zone and in UTC, whose day is named if it is another."""
    there, utc = at.astimezone(ZoneInfo(zone)), at.astimezone(dt.UTC)
    if zone == "UTC":
        return f"{utc:%a} {utc.day} {utc:%b %Y %H:%M} UTC"
    other_day = "" if there.date() == utc.date() else f"{utc:%a} "
    return f"{there:%a} {there.day} {there:%b %Y %H:%M} {zone} ({other_day}{utc:%H:%M} UTC)"


@lru_cache(maxsize=1024)
def briefly(at: dt.datetime, zone: str) -> str:
    """A time for a subject: the day, the hour and the zone's usual letters, "Sun 29 Nov 20:00 CET"."""
    there = at.astimezone(ZoneInfo(zone))
    return f"{there:%a} {there.day} {there:%b %H:%M %Z}"


def wrapped(text: str, indent: str = "", width: int = WIDTH) -> str:
    """The text as one paragraph, broken at blanks to the width of a mail; further lines begin with `indent`.

    The first line leaves as much room, for what the template put before it.
    """
    room = width - len(indent)
    text = " ".join(text.split())
    if len(text) <= room:
        return text
    return f"\n{indent}".join(_broken(text, room))


def _broken(text: str, room: int) -> Iterator[str]:
    """Lines of a text whose words stand one blank apart, each as long as fits; a longer word is a line by itself.

    Reports wrap some hundred texts, and `textwrap`, which would say the same, takes ten times as long.
    """
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


def continued(line: str, indent: str = "") -> str:
    """An order line broken as sheets may break it, with a backslash, so that it can be copied into one."""
    rows = textwrap.wrap(line, WIDTH - len(indent) - 2, break_long_words=False, break_on_hyphens=False)
    return f" \\\n{indent}".join(rows)


def paragraph(text: str) -> str:
    """A block of a template as a wrapped paragraph with its line end; nothing, if the block came out empty."""
    return f"{wrapped(text)}\n" if text.strip() else ""


def columns(rows: Iterable[Sequence[Any]], *headings: str) -> str:
    """A text table under headings; columns of numbers stand to the right."""
    table = [list(row) for row in rows]
    if any(len(row) != len(headings) for row in table):
        raise ValueError(f"a table with the headings {', '.join(headings)} needs rows of {len(headings)}")
    right = [bool(table) and all(isinstance(row[at], int) for row in table) for at in range(len(headings))]
    cells = [list(headings)] + [[str(cell) for cell in row] for row in table]
    widths = [max(len(row[at]) for row in cells) for at in range(len(headings))]
    return "\n".join(_aligned(row, widths, right) for row in cells)


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(row, widths, right, strict=True)
    )
    return "  ".join(padded).rstrip()


def sentence(text: str) -> str:
    """The text as a sentence: a capital first, unless it begins with a quotation, and a full stop last, unless it ends
    in a mark of its own."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", ":", ",", ";", "…")) else ".")


def heading(text: str) -> str:
    """A heading of a text mail."""
    return f"{text.upper()}\n{'-' * len(text)}"


def barred(text: str) -> str:
    """The words of a person, passed on: a bar before every line, so that none is taken for a part of the mail."""
    room = WIDTH - len(_BAR)
    lines = (textwrap.wrap(line, room, break_on_hyphens=False) or [""] for line in text.split("\n"))
    return "\n".join(f"{_BAR}{piece}".rstrip() for pieces in lines for piece in pieces)


def joined(names: Sequence[str]) -> str:
    """Names as a list in words: "red, blue and green"."""
    return ", ".join(names[:-1]) + (" and " if names[1:] else "") + "".join(names[-1:])


def counted(number: int, one: str, many: str = "") -> str:
    """A number and what it counts: "1 unit", "3 units"; `many` is for words that do more than take an s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


@pass_eval_context
def filled(context: EvalContext, rows: Iterable[Any], pattern: str) -> list[str]:
    """Each row written into a pattern with its keys or places in braces: "{q},{r}" or "{0},{1}".

    In HTML what a row has is escaped, and the pattern, which stands in the template, is not.
    """
    fill, values = _filling(pattern)
    if context.autoescape:
        return [Markup(fill(*map(escape, values(row)))) for row in rows]  # noqa: S704 - all of it is escaped
    return [fill(*values(row)) for row in rows]


@lru_cache(maxsize=256)
def _filling(pattern: str) -> tuple[Callable[..., str], Callable[[Any], tuple[Any, ...]]]:
    """A pattern that is filled by position, and how a row's values for it are taken, in their order."""
    pieces = list(Formatter().parse(pattern))
    if any("{" in (spec or "") for _, _, spec, _ in pieces):
        raise ValueError(f"in the pattern {pattern!r} a field stands within another")
    plain = "".join(
        text.replace("{", "{{").replace("}", "}}") + ("" if field is None else f"{{:{spec}}}")
        for text, field, spec, _ in pieces
    )
    keys = [int(field) if field.isdigit() else field for _, field, _, _ in pieces if field is not None]
    return plain.format, itemgetter(*keys) if len(keys) > 1 else lambda row: tuple(row[key] for key in keys)


TEXT_FILTERS = {
    "when": when,
    "wrapped": wrapped,
    "continued": continued,
    "paragraph": paragraph,
    "columns": columns,
    "counted": counted,
    "filled": filled,
    "heading": heading,
    "sentence": sentence,
    "barred": barred,
    "joined": joined,
}
