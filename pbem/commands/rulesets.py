"""Commands for authors of games, and of clients."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pbem.commands.common import known_games
from pbem.commands.group import Command
from pbem.commands.options import FOLDER
from pbem.games import choose_game
from pbem.report.schemas import WHAT, schema
from pbem.scaffold import write_package


@click.group()
def ruleset() -> None:
    """Begin a game of your own; docs/rulesets.md goes on from there."""


@ruleset.command(cls=Command)
@click.argument("key")
@click.argument("folder", type=FOLDER)
def new(key: str, folder: Path) -> None:
    """Write a package in FOLDER with a small game that works, to be made into yours."""
    written = write_package(key, folder, taken=known_games())
    click.echo(f"{folder} holds the game {key}: {len(written)} files.")
    click.echo(f"Install it with: pip install --editable '{folder}[test]'")
    click.echo(f"Play it with: pbem demo some-folder --game {key}")
    click.echo(f"Test it with: pytest {folder}")


@click.command("schema", cls=Command)
@click.argument("what", type=click.Choice(WHAT))
@click.option("--game", metavar="KEY", help="With the orders of one game.")
def print_schema(what: str, game: str | None) -> None:
    """Print the JSON Schema of reports, order sheets or desks, for programs that read them."""
    chosen = choose_game(known_games(), game) if game else None
    click.echo(json.dumps(schema(what, chosen), indent=2, ensure_ascii=False))
