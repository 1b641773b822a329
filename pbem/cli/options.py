"""The top-level command group, parameter types, and options that many commands share."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from pbem.errors import PbemError, RulesetError, describe_error

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class Command(click.Command):
    """Command that refuses an option given twice where the first value would be silently dropped."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command. Raises UsageError if an option that takes one value is given twice."""
        if not ctx.resilient_parsing:
            # Click keeps the last of several values, and drops the others without a word.
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            _refuse_repeated(ctx, [each for each in given if isinstance(each, click.Option)])
        return super().parse_args(ctx, args)


class Commands(click.Group, Command):
    """Group of commands in sections; errors are one sentence, never a traceback."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.sections: dict[str, list[str]] = {}

    def add_section(self, title: str, *commands: click.Command) -> None:
        """Add commands that the help lists together, in this order."""
        for command in commands:
            self.add_command(command)
        self.sections[title] = [command.name for command in commands if command.name]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, section by section."""
        return [name for names in self.sections.values() for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list for each section; the columns of all lists are the same."""
        width = max(map(len, self.commands))
        room = formatter.width - 6 - width  # as click reckons it for a single list
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:<{width}}", self.commands[name].get_short_help_str(room)) for name in names]
                )

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; raise its errors as ClickException."""
        try:
            with _private_umask():
                return super().invoke(ctx)
        except (PbemError, RulesetError) as error:
            raise click.ClickException(printable(str(error))) from error
        except UnicodeEncodeError as error:
            # Words in another encoding than the terminal's arrive as lone surrogates.
            said = f"{error.object[error.start : error.end]!r} is no character that can be written"
            raise click.ClickException(f"{said}: look at the words of the command, and at its files") from error
        except BrokenPipeError:
            raise  # the reader of the pipe has seen enough; click exits silently
        except OSError as error:
            raise click.ClickException(printable(describe_error(error))) from error


def _refuse_repeated(ctx: click.Context, given: Iterable[click.Option]) -> None:
    """Raise UsageError for two options that set one parameter; a flag may be repeated, as nothing is lost by it."""
    seen: dict[str | None, click.Option] = {}
    for option in given:
        before, name = seen.get(option.name), option.opts[-1]
        if before is not None and before is not option:
            raise click.UsageError(f"{before.opts[-1]} and {name} cannot go together: give one of them", ctx)
        if before is not None and not (option.multiple or option.is_flag):
            raise click.UsageError(f"{name} is given twice, and takes one value: give it once", ctx)
        seen[option.name] = option


def printable(text: str) -> str:
    """Return a text without control characters: it may come from a stranger's file, and must not steer the terminal."""
    return _CONTROLS.sub("�", text)


@contextmanager
def _private_umask() -> Iterator[None]:
    """Let other users read no file or folder that is made in the block: seeds, tokens and reports are among them."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


F = TypeVar("F", bound=Callable[..., Any])


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
            self.fail(f"{value!r} must be written as {self.name}", param, ctx)
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

FILE = click.Path(path_type=Path, dir_okay=False)
"""A file that is there."""

FOLDER = click.Path(path_type=Path, file_okay=False)
"""A folder, there already or to be made."""


def clock() -> dt.datetime:
    """Return the current time."""
    return dt.datetime.now(dt.UTC)


def home_option(command: F) -> F:
    """Give a command its --home; without it the nearest folder upwards with pbem.toml is used."""
    text = "The home folder. [default: the nearest with pbem.toml, upwards]"
    return click.option("--home", "home", type=FOLDER, help=text)(command)


def json_option(command: F) -> F:
    """Give a command its --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")(command)


def now_option(command: F) -> F:
    """Give a command its --now; without it the clock's time is used."""
    text = "Act as at this time. [default: the clock]"
    return click.option("--now", type=TimeParam(), callback=lambda _ctx, _param, now: now or clock(), help=text)(
        command
    )


def yes_option(command: F) -> F:
    """Give a command its --yes, by which it does what needs confirmation without asking."""
    return click.option("--yes", "sure", is_flag=True, help="Do it without asking.")(command)


def pairs_option(flag: str, name: str, written: str, text: str) -> Callable[[F], F]:
    """Return a decorator that gives a command a repeatable option of pairs, passed on as a mapping."""
    return click.option(flag, name, multiple=True, type=KeyValueParam(written), callback=by_name, help=text)
