"""Parameter types, and arguments that many commands share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from pbem.cli import completion


class TimeParam(click.ParamType[dt.datetime]):
    """Parameter type of a time in ISO 8601, in UTC unless it has an offset."""

    name = "timestamp"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dt.datetime:
        """Return the time, aware, and far enough from the ends of the calendar for any arithmetic."""
        try:
            moment = dt.datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a time: write it like 2026-11-06T20:00Z", param, ctx)
        if not 1970 < moment.year < 9000:
            self.fail(f"{value!r} is too far away: use a year from 1971 to 8999", param, ctx)
        return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


class KeyValueParam(click.ParamType[tuple[str, str]]):
    """Parameter type of two words with = between them."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Return the two words."""
        left, equals, right = str(value).partition("=")
        if not (left.strip() and equals and right.strip()):
            seats = ". Players who choose no seat: --open 5, and pbem invite" if self.name == "SEAT=ADDRESS" else ""
            self.fail(f"{value!r} must be written as {self.name}{seats}", param, ctx)
        return left.strip(), right.strip()


def by_name(ctx: click.Context, param: click.Parameter, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return pairs as a mapping. Raises BadParameter if a name is given twice."""
    values: dict[str, str] = {}
    for name, value in pairs:
        twin = next((each for each in values if each.casefold() == name.casefold()), None)
        if twin is not None:
            raise click.BadParameter(f"{name} is given twice: {values[twin]} and {value}", ctx, param)
        values[name] = value
    return values


# The most that an INTEGER of PostgreSQL holds.
NUMBER = click.IntRange(1, 2**31 - 1)
"""The number of a turn, or of a row in the database."""

TURN = click.IntRange(0, 2**31 - 1)
"""The number of a turn to go back to; a game begun elsewhere may have a turn 0."""

FILE = click.Path(path_type=Path, dir_okay=False)
"""A file, there already or to be written."""

FOLDER = click.Path(path_type=Path, file_okay=False)
"""A folder, there already or to be made."""

# Editors on Windows begin a file with a byte order mark; bytes that are no text are read as far as possible.
WORDS = click.File(encoding="utf-8-sig", errors="replace")
"""A file of words, or standard input."""

F = TypeVar("F", bound=Callable[..., Any])


def campaign(function: F) -> F:
    """Give a command the campaign as its next argument."""
    return click.argument("name", shell_complete=completion.campaigns)(function)


def seat(function: F) -> F:
    """Give a command a seat as its next argument."""
    return click.argument("seat", shell_complete=completion.seats)(function)


def pairs_option(
    flag: str, name: str, written: str, text: str, complete: completion.Complete | None = None
) -> Callable[[F], F]:
    """Return a decorator that gives a command a repeatable option of pairs, passed on as a mapping."""
    pair = KeyValueParam(written)
    return click.option(flag, name, multiple=True, type=pair, callback=by_name, shell_complete=complete, help=text)


def sheets_option(function: F) -> F:
    """Give a command its --sheet SEAT=FILE, as often as there are seats."""
    text = "Use the order lines in FILE as the seat's sheet; inbox:20 is message 20."
    return pairs_option("--sheet", "sheets", "SEAT=FILE", text, completion.seat_pairs)(function)


def restore_option(function: F) -> F:
    """Give a command its --restore, with an optional number; without it the value is 0.

    What was replaced is listed with it. `pbem undo` takes back the newest change alone.
    """
    kind = click.IntRange(0, 2**31 - 1)
    return click.option("--restore", type=kind, is_flag=False, flag_value=0, hidden=True)(function)
