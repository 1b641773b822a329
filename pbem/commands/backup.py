"""Commands for backups of a home, made, proved, and made a home of again, and for campaigns that move to another."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from pbem.admin.health import is_closed
from pbem.admin.health import open_home as open_closed
from pbem.backup.create import back_up
from pbem.backup.restore import check_backup as check
from pbem.backup.restore import restore_home
from pbem.backup.transfer import export_campaign, import_campaign, take_back
from pbem.commands.common import home_folder, known_games, open_home, say, show
from pbem.commands.group import Command
from pbem.commands.options import FOLDER, NUMBER, home_option, json_option, now_option
from pbem.config import load_settings, reaches
from pbem.console.backup import (
    checked_lines,
    exported_lines,
    imported_lines,
    made_lines,
    reaching_lines,
    restored_lines,
)
from pbem.console.bar import progress

FILE = click.Path(path_type=Path)
BACKUP = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=Command)
@click.argument("file", type=FILE)
@click.option("--keep", type=NUMBER, help="FILE is a folder: keep so many of the newest there, and remove older ones.")
@click.option("--with-secrets", is_flag=True, help="Take key files along, that of DKIM and those that commands name.")
@now_option
@json_option
@home_option
def backup(
    file: Path, *, keep: int | None, with_secrets: bool, now: dt.datetime, as_json: bool, home: Path | None
) -> None:
    """Write the whole home to FILE, or into a folder, while all go on working."""
    settings = load_settings(home_folder(home))
    with progress() as bar:
        made = back_up(settings, file, now, keep=keep or 0, with_secrets=with_secrets, progress=bar)
    show(made, made_lines(made), as_json=as_json)


@click.command("check-backup", cls=Command)
@click.argument("file", type=BACKUP)
@now_option
@json_option
@click.pass_context
def check_backup(context: click.Context, file: Path, now: dt.datetime, as_json: bool) -> None:
    """Prove a backup: all its parts, its database, and every archive. Exits 1 if anything is wrong."""
    with progress() as bar:
        checked = check(file, now, known_games(), progress=bar)
    show(checked, checked_lines(checked), as_json=as_json)
    context.exit(1 if checked.problems else 0)


@click.command(cls=Command)
@click.argument("file", type=BACKUP)
@click.argument("folder", type=FOLDER, metavar="HOME")
@click.option("--database", default="", metavar="URL", help="An empty PostgreSQL database. [default: a file in HOME]")
@now_option
@json_option
def restore(file: Path, folder: Path, *, database: str, now: dt.datetime, as_json: bool) -> None:
    """Make the home HOME, an empty place, of a backup; it rests until you reopen it."""
    with progress() as bar:
        restored = restore_home(file, folder, now, known_games(), database=database, progress=bar)
    show(restored, restored_lines(restored), as_json=as_json)


@click.command(cls=Command)
@click.option("--yes", "sure", is_flag=True, help="Do not ask whether its commands, servers and paths are right.")
@home_option
def reopen(*, sure: bool, home: Path | None) -> None:
    """Show what a restored home runs and reaches; let it read, run and send again if you say so."""
    with open_home(home) as house:
        if not is_closed(house):
            click.echo("The home was open already.")
            return
        say(reaching_lines(reaches(house.settings.home)))
        if not sure:
            click.confirm("Open this home?", abort=True)
        open_closed(house)
    click.echo("The home is open: the next tick reads the mail.")


@click.command("export", cls=Command)
@click.argument("name")
@click.argument("file", type=BACKUP, required=False)
@click.option("--to", default="", metavar="ADDRESS", help="The order address of the home that it moves to.")
@click.option("--back", is_flag=True, help="Take it back, if it is played nowhere else; needs no FILE.")
@now_option
@json_option
@home_option
def export_campaign_(
    name: str, file: Path | None, *, to: str, back: bool, now: dt.datetime, as_json: bool, home: Path | None
) -> None:
    """Move campaign NAME to another home: write it to FILE, and play it here no more."""
    if back:
        with open_home(home) as house:
            take_back(house, name, now)
        click.echo(f"{name} is played here again. It is paused; let turns run with: pbem release {name}")
        return
    if file is None or not to:
        raise click.UsageError("say FILE, and with --to the address at which it will be played")
    with open_home(home) as house:
        exported = export_campaign(house, name, file, now, to=to)
    show(exported, exported_lines(exported), as_json=as_json)


@click.command("import", cls=Command)
@click.argument("file", type=BACKUP)
@now_option
@json_option
@home_option
def import_campaign_(file: Path, *, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Take in the campaign in FILE that another home has exported to this one."""
    with open_home(home) as house, progress() as bar:
        imported = import_campaign(house, file, now, progress=bar)
    show(imported, imported_lines(imported), as_json=as_json)
