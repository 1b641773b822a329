"""What commands do alike: open the home, and print what was found."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from pbem.acts.act import Act, Question, Weighty, do, look
from pbem.catalogue import Catalogue
from pbem.config import find_home
from pbem.house import House, open_house
from pbem.logbook import open_log
from pbem.telling import LOOKED, SCREEN, told


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
        click.echo(line)


def show(facts: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Prints facts as JSON for scripts, or the lines that tell a person of them."""
    say([_json_text(facts)] if as_json else lines)


def ask(home: Path | None, name: str, question: Question[Any], now: dt.datetime, *, as_json: bool = False) -> None:
    """Prints the answer to a question about a campaign."""
    with open_home(home) as house:
        facts = look(house, name, question, now)
    show(facts, told(facts, SCREEN), as_json=as_json)


def act(home: Path | None, name: str, wish: Act[Any], now: dt.datetime, *, as_json: bool = False) -> None:
    """Does something to a campaign, and prints what was done."""
    with open_home(home) as house:
        facts = do(house, name, wish, now)
    show(facts, told(facts, SCREEN), as_json=as_json)


def act_if_sure(home: Path | None, name: str, wish: Weighty[Any], now: dt.datetime, *, sure: bool) -> None:
    """Does something to a campaign; if not `sure`, only prints what it would come to."""
    if sure:
        act(home, name, wish, now)
        return
    with open_home(home) as house:
        facts = look(house, name, wish, now)
    say(told(facts, LOOKED))


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
