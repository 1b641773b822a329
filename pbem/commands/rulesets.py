"""Commands for authors of games."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.commands.common import known_games
from pbem.commands.options import FOLDER
from pbem.scaffold import write_package


@click.group()
def ruleset() -> None:
    """Begin a game of your own; docs/rulesets.md goes on from there."""


@ruleset.command()
@click.argument("key")
@click.argument("folder", type=FOLDER)
def new(key: str, folder: Path) -> None:
    """Write a package in FOLDER with a small game that works, to be made into yours."""
    written = write_package(key, folder, taken=known_games())
    click.echo(f"{folder} holds the game {key}: {len(written)} files.")
    click.echo(f"Install it with: pip install --editable '{folder}[test]'")
    click.echo(f"Play it with: pbem demo some-folder --game {key}")
    click.echo(f"Test it with: pytest {folder}")
