"""The command that writes the club's site."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.commands.common import open_home, show
from pbem.commands.group import Command
from pbem.commands.options import FOLDER, home_option, json_option
from pbem.console.copies import site_lines
from pbem.site.publish import publish


@click.command(cls=Command)
@click.argument("folder", type=FOLDER)
@click.option("--campaign", "campaigns", multiple=True, metavar="NAME", help="Only this one; may be given often.")
@json_option
@home_option
@click.pass_context
def site(context: click.Context, folder: Path, campaigns: tuple[str, ...], as_json: bool, home: Path | None) -> None:
    """Write the club's pages, calendars, feeds and replays into FOLDER, for any web server."""
    with open_home(home) as house:
        done = publish(house, folder, campaigns)
    show(done, site_lines(done), as_json=as_json)
    for problem in done.problems:
        click.echo(f"Problem: {problem}", err=True)
    context.exit(1 if done.problems else 0)
