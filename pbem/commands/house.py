"""Commands for a home and its database: made, brought up to date, examined."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from pbem.admin.checks import compare_with_archive
from pbem.admin.doctor import examine, privacy
from pbem.app import bring_up, found
from pbem.commands.common import home_folder, known_games, show
from pbem.commands.group import Command
from pbem.commands.options import FOLDER, home_option, json_option, now_option
from pbem.config import load_settings
from pbem.console.bar import progress
from pbem.console.upkeep import diagnosis_lines


@click.command(cls=Command)
@click.argument("folder", type=FOLDER, default=Path())
@click.option("--address", default="orders@example.org", show_default=True, help="The address players write to.")
def init(folder: Path, address: str) -> None:
    """Make a home in FOLDER, or bring one up to this version."""
    settings = found(folder, address)
    click.echo(f"{settings.home} is ready: pbem.toml, database, post folders and archive.")
    click.echo(f"Players write to {settings.address}. Make a campaign with: pbem new")


@click.command(cls=Command)
@home_option
def migrate(home: Path | None) -> None:
    """Bring the database up to this version."""
    settings = load_settings(home_folder(home))
    bring_up(settings)
    click.echo("The database is of this version.")
    with progress() as bar:
        missing = compare_with_archive(settings, progress=bar)
    for each in missing:
        click.echo(f"Problem: {each.text}. To mend: {each.mend}", err=True)
    closed = privacy(settings)
    if closed.mend:
        click.echo(f"But {closed.text}. To mend, {closed.mend}")


@click.command(cls=Command)
@now_option
@json_option
@home_option
@click.pass_context
def doctor(context: click.Context, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Try everything a home needs, and say how to mend what is wrong. Exits 1 if there is a problem."""
    with progress() as bar:
        diagnosis = examine(home_folder(home), now, known_games(), progress=bar)
    show(diagnosis, diagnosis_lines(diagnosis), as_json=as_json)
    context.exit(1 if diagnosis.problems else 0)
