"""The options and kinds of arguments that many commands take."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class Moment(click.ParamType[dt.datetime]):
    """A time in ISO 8601; UTC, unless it says otherwise."""

    name = "timestamp"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dt.datetime:
        """The time, aware, and far enough from the ends of the calendar to be reckoned with."""
        try:
            moment = dt.datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a time: write it like 2026-11-06T20:00Z", param, ctx)
        if not 1970 < moment.year < 9000:
            self.fail(f"{value!r} is too far away: use a year from 1971 to 8999", param, ctx)
        return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


class Pair(click.ParamType[tuple[str, str]]):
    """Two words with = between them."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The two words."""
        left, equals, right = str(value).partition("=")
        if not (left.strip() and equals and right.strip()):
            self.fail(f"{value!r} must be written as {self.name}", param, ctx)
        return left.strip(), right.strip()


def by_name(ctx: click.Context, param: click.Parameter, pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return pairs given one after the other as a mapping. Raises BadParameter if a name is given twice."""
    values: dict[str, str] = {}
    for name, value in pairs:
        twin = next((each for each in values if each.casefold() == name.casefold()), None)
        if twin is not None:
            raise click.BadParameter(f"{name} is given twice: {values[twin]} and {value}", ctx, param)
        values[name] = value
    return values


NUMBER = click.IntRange(1, 2**31 - 1)
"""The number of a turn, or of a row in the database."""

FILE = click.Path(path_type=Path, dir_okay=False)
"""A file that is there."""

FOLDER = click.Path(path_type=Path, file_okay=False)
"""A folder, there already or to be made."""


def clock() -> dt.datetime:
    """The time it is."""
    return dt.datetime.now(dt.UTC)


def home_option(command: F) -> F:
    """Gives a command its --home; without it the folder with pbem.toml is looked for upwards."""
    text = "The home folder. [default: the nearest with pbem.toml, upwards]"
    return click.option("--home", "home", type=FOLDER, help=text)(command)


def json_option(command: F) -> F:
    """Gives a command its --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")(command)


def now_option(command: F) -> F:
    """Gives a command its --now; without it the clock's time."""
    text = "Act as at this time. [default: the clock]"
    return click.option("--now", type=Moment(), callback=lambda _ctx, _param, now: now or clock(), help=text)(command)


def yes_option(command: F) -> F:
    """Give a command its --yes, by which it does not ask where it needs confirmation."""
    return click.option("--yes", "sure", is_flag=True, help="Do it without asking.")(command)


def pairs_option(flag: str, name: str, written: str, text: str) -> Callable[[F], F]:
    """Give a command an option of pairs that may be given often, each name once; it is handed over as a mapping."""
    return click.option(flag, name, multiple=True, type=Pair(written), callback=by_name, help=text)
