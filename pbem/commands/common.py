"""What commands do alike: open the home, and print what was found."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from pbem.actions.base import ASKED, CLI, DRY_RUN, Act, Question, attempt, do, do_as_shown, look
from pbem.app import House, open_house
from pbem.commands.group import printable
from pbem.config import find_home
from pbem.games import Catalogue
from pbem.log import open_log

UNCONFIRMED = 3
"""The exit code of a command that has changed nothing, since it needs confirmation."""

Facts = TypeVar("Facts")


def known_games() -> Catalogue:
    """The games of this command line, by key."""
    catalogue: Catalogue = click.get_current_context().obj
    return catalogue


def home_folder(home: Path | None) -> Path:
    """The home a command is meant for: its own --home, the one before its name, or the nearest. Raises ConfigError."""
    before: Path | None = click.get_current_context().find_root().params.get("home")
    if home and before and home != before:
        raise click.UsageError(f"--home is given twice: {before} and {home}")
    return home or before or find_home(Path.cwd())


@contextmanager
def open_home(home: Path | None, log: Path | None = None) -> Iterator[House]:
    """The house of the home a command is meant for, closed at the end, its log kept meanwhile. Raises ConfigError."""
    with open_house(home_folder(home), known_games()) as house, open_log(log or house.settings.log):
        yield house


def say(lines: Iterable[str]) -> None:
    """Prints lines."""
    for line in lines:
        click.echo(printable(line))


def show(facts: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Prints facts as JSON for scripts, or the lines that tell a person of them."""
    say([_json_text(facts)] if as_json else lines)


def ask(home: Path | None, name: str, question: Question[Any], now: dt.datetime, *, as_json: bool = False) -> None:
    """Prints the answer to a question about a campaign."""
    with open_home(home) as house:
        facts = look(house, name, question, now)
    show(facts, question.render(facts, CLI), as_json=as_json)


def act(
    home: Path | None, name: str, wish: Act[Any], now: dt.datetime, *, sure: bool = False, as_json: bool = False
) -> None:
    """Do something to a campaign, and print what was done; what needs confirmation is asked about as in `perform`."""
    with open_home(home) as house:
        facts = perform(house, name, wish, now, sure=sure, as_json=as_json)
    show(facts, wish.render(facts, CLI), as_json=as_json)


def perform(house: House, name: str, wish: Act[Facts], now: dt.datetime, *, sure: bool, as_json: bool = False) -> Facts:
    """Do something to a campaign, and return what was done.

    What needs confirmation, and is not `sure`, is shown first: at a terminal the caller is asked; without
    one, or if they decline, nothing is changed and the command exits with `UNCONFIRMED`.
    """
    if sure:
        return do(house, name, wish, now)
    tried = attempt(house, name, wish, now)
    if tried.ground is None:
        return tried.facts
    asked = sys.stdin.isatty() and not as_json
    show(tried.facts, wish.render(tried.facts, ASKED if asked else DRY_RUN), as_json=as_json)
    if not (asked and click.confirm("Do it?", err=True)):
        raise click.exceptions.Exit(UNCONFIRMED)
    return do_as_shown(house, name, wish, now, tried.ground)


def _json_text(facts: Any) -> str:
    """Facts as JSON: records become objects, times ISO 8601 in UTC, paths text."""
    return json.dumps(_plain(facts), indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    return str(value) if isinstance(value, Path) else value
