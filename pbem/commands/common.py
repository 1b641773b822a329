"""What commands do alike: open the home, and print what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from pbem.catalogue import Catalogue
from pbem.config import find_home
from pbem.console.common import json_text
from pbem.house import House, open_house
from pbem.logbook import open_log


def known_games() -> Catalogue:
    """The games of this command line, by key."""
    catalogue: Catalogue = click.get_current_context().obj
    return catalogue


def home_folder(home: Path | None) -> Path:
    """The home a command is meant for: its own --home, the one before its name, or the nearest. Raises ConfigError."""
    context = click.get_current_context().find_root()
    return home or context.params.get("home") or find_home(Path.cwd())


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
    say([json_text(facts)] if as_json else lines)
