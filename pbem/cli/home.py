"""Commands for a home: init, migrate, doctor, backup, restore, and transfer of campaigns."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from pbem.actions.status import ImportStatus, render_confirmed
from pbem.admin.checks import Diagnosis, compare_with_archive
from pbem.admin.doctor import check_permissions, run_checks
from pbem.admin.health import activate_home, is_closed
from pbem.app import init_home, upgrade_home
from pbem.backup.create import BackupCreated, create_backup
from pbem.backup.restore import BackupCheck, RestoreResult, restore_home
from pbem.backup.restore import check_backup as check
from pbem.backup.transfer import ExportResult, ImportResult, export_campaign, import_campaign, undo_export
from pbem.cli.options import FOLDER, NUMBER, Command, home_option, json_option, now_option
from pbem.cli.output import home_folder, known_games, open_home, print_facts, print_lines, progress
from pbem.config import load_settings, reaches
from pbem.text import as_sentence, count_noun, format_time, wrap


def made_lines(made: BackupCreated) -> Iterator[str]:
    """Yield what is in a backup, and what is not."""
    yield f"{made.path}: {made.bytes:,} bytes, {count_noun(len(made.campaigns), 'campaign')}."
    if made.lacking:
        yield wrap(
            f"In the archive {count_noun(made.lacking, 'turn')} not whole or not written yet; the database "
            "in the backup "
            "has what is missing."
        )
    yield from _left_out_lines(made.left_out)
    if made.removed:
        yield f"Removed: {', '.join(made.removed)}"
    yield f"Prove it with: pbem check-backup {shlex.quote(str(made.path))}"


def checked_lines(checked: BackupCheck) -> Iterator[str]:
    """Yield what was proved of a backup, and what is wrong."""
    yield f"{checked.path}: made {format_time(checked.made, 'UTC')} by pbem {checked.pbem}."
    for each in checked.campaigns:
        proved = "not all proved" if each.unproved else "proved to the last result"
        yield f"{each.campaign}: {count_noun(each.turns, 'turn')}, {proved}."
        yield from (wrap(f"  {reason}", "  ") for reason in each.unproved)
    yield from _unknown_lines(checked.unknown)
    yield from _left_out_lines(checked.left_out)
    yield from (wrap(f"Problem: {as_sentence(problem)}") for problem in checked.problems)
    if not checked.problems:
        yield "All parts are as they were written, and the database is sound."


def restored_lines(restored: RestoreResult) -> Iterator[str]:
    """Yield what was restored, what is missing, and what to do next."""
    yield f"{restored.home} is as the backup of {format_time(restored.made, 'UTC')} has it, and at rest."
    if restored.held:
        yield wrap(
            f"Held, each until its GM releases it: {', '.join(restored.held)}. "
            "Players and GMs are told once the home is open."
        )
    if restored.mails:
        yield wrap(
            f"{count_noun(restored.mails, 'mail')} had not gone when the backup was made, and may have gone since: "
            "pbem outbox lists what is held back, and pbem outbox --retry all sends it."
        )
    yield from (wrap(f"Missing: {each}.") for each in restored.lacks)
    yield from (wrap(f"Changed in pbem.toml, to keep to the home: {each}.") for each in restored.moved)
    yield from reaching_lines(restored.reaches)
    yield from _unknown_lines(restored.unknown)
    yield from _left_out_lines(restored.left_out)
    yield from (wrap(f"Problem: {as_sentence(problem)}") for problem in restored.problems)
    yield ""
    yield "Next, in the new home:"
    made = format_time(restored.made, "UTC")
    came = f"Letters that came after {made} and were read by the old home lie in its mailbox's"
    first = (
        "Make sure that the old home is at work no more, and put in place what is missing. If the backup is another "
        "person's, look through pbem.toml: what it names may be theirs."
    )
    steps = (
        first,
        "pbem doctor",
        f"{came} folder Processed: move them back to the inbox. What is known already is not taken twice.",
        "pbem reopen, which asks whether that is right, and then pbem tick: it reads the mail.",
        "pbem status; for each campaign that is held: pbem extend, if its deadline is near, and pbem release.",
    )
    yield from (wrap(f"{number}. {step}", "   ") for number, step in enumerate(steps, start=1))


def reaching_lines(reaches: Sequence[str]) -> Iterator[str]:
    """Yield what a home will run and reach."""
    yield "Once it is open, by its pbem.toml:"
    yield from (wrap(f"- {each}", "  ") for each in reaches)


def exported_lines(exported: ExportResult) -> Iterator[str]:
    """Yield what was exported, and what to do with it."""
    name = exported.campaign
    yield f"{exported.path}: {exported.bytes:,} bytes. {name} is played at {exported.to} now, and here no more."
    yield wrap(
        "Whoever writes here for it is told so. In the file are its seeds, sheets and reports: take it to the other "
        "home yourself, and take it in there with:"
    )
    yield f"  pbem import {shlex.quote(exported.path.name)}"
    yield f"If it cannot be played there, take it back with: pbem export {name} --back"


def imported_lines(imported: ImportResult) -> Iterator[str]:
    """Yield what was imported, and what to do next."""
    name = imported.campaign
    yield f"{name} is played here from now on; it came from {imported.came_from}, and turn {imported.turn} is open."
    yield wrap(f"Asked to confirm it: {', '.join(imported.asked) or 'nobody'}. The GM was mailed a token.")
    yield from (wrap(f"Not proved here: {reason}") for reason in imported.unproved)
    waiting = render_confirmed(ImportStatus((), imported.asked))
    yield f"On hold. {waiting} Release: pbem release {name}"


def _left_out_lines(left_out: tuple[str, ...]) -> Iterator[str]:
    yield from (wrap(f"Not in the backup: {each}.") for each in left_out)


def _unknown_lines(unknown: tuple[str, ...]) -> Iterator[str]:
    yield from (f"Not installed here: {game}." for game in unknown)


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
    # Not opened, which needs a database of this version: homes of any older one can be copied.
    settings = load_settings(home_folder(home))
    with progress() as bar:
        made = create_backup(settings, file, now, keep=keep or 0, with_secrets=with_secrets, progress=bar)
    print_facts(made, made_lines(made), as_json=as_json)


@click.command("check-backup", cls=Command)
@click.argument("file", type=BACKUP)
@now_option
@json_option
@click.pass_context
def check_backup(context: click.Context, file: Path, now: dt.datetime, as_json: bool) -> None:
    """Prove a backup: all its parts, its database, and every archive. Exits 1 if anything is wrong."""
    with progress() as bar:
        checked = check(file, now, known_games(), progress=bar)
    print_facts(checked, checked_lines(checked), as_json=as_json)
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
    print_facts(restored, restored_lines(restored), as_json=as_json)


@click.command(cls=Command)
@click.option("--yes", "sure", is_flag=True, help="Do not ask whether its commands, servers and paths are right.")
@home_option
def reopen(*, sure: bool, home: Path | None) -> None:
    """Show what a restored home runs and reaches; let it read, run and send again if you say so."""
    with open_home(home) as app:
        if not is_closed(app):
            click.echo("The home was open already.")
            return
        # A backup may be a stranger's file: the operator sees what it will run and reach before it does (decision 37).
        print_lines(reaching_lines(reaches(app.settings.home)))
        if not sure:
            click.confirm("Open this home?", abort=True)
        activate_home(app)
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
        with open_home(home) as app:
            undo_export(app, name, now)
        click.echo(f"{name} is played here again. It is paused; let turns run with: pbem release {name}")
        return
    if file is None or not to:
        raise click.UsageError("say FILE, and with --to the address at which it will be played")
    with open_home(home) as app:
        exported = export_campaign(app, name, file, now, to=to)
    print_facts(exported, exported_lines(exported), as_json=as_json)


@click.command("import", cls=Command)
@click.argument("file", type=BACKUP)
@now_option
@json_option
@home_option
def import_campaign_(file: Path, *, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Take in the campaign in FILE that another home has exported to this one."""
    with open_home(home) as app, progress() as bar:
        imported = import_campaign(app, file, now, progress=bar)
    print_facts(imported, imported_lines(imported), as_json=as_json)


def diagnosis_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield a line for each check, and a last one that sums up."""
    for each in diagnosis.checks:
        stop = "" if each.text.endswith((".", "?", "!")) else "."
        mend = f"{stop} To mend: {each.mend}" if each.mend else ""
        yield f"{each.result:<8} {each.name}: {each.text}{mend}"
    yield f"{count_noun(diagnosis.problems, 'problem')}, {count_noun(diagnosis.warnings, 'warning')}."


@click.command(cls=Command)
@click.argument("folder", type=FOLDER, default=Path())
@click.option("--address", default="orders@example.org", show_default=True, help="The address players write to.")
def init(folder: Path, address: str) -> None:
    """Make a home in FOLDER, or bring one up to this version."""
    settings = init_home(folder, address)
    click.echo(f"{settings.home} is ready: pbem.toml, database, post folders and archive.")
    click.echo(f"Players write to {settings.address}. Make a campaign with: pbem new")


@click.command(cls=Command)
@home_option
def migrate(home: Path | None) -> None:
    """Bring the database up to this version."""
    settings = load_settings(home_folder(home))
    upgrade_home(settings)
    click.echo("The database is of this version.")
    with progress() as bar:
        # An old copy of the database would be migrated without a word; the archive shows what is missing in it.
        missing = compare_with_archive(settings, progress=bar)
    for each in missing:
        click.echo(f"Problem: {each.text}. To mend: {each.mend}", err=True)
    # Homes of earlier versions were made with the umask of their user.
    closed = check_permissions(settings)
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
        # The folder alone is given: what keeps a home from being opened is to be named, too.
        diagnosis = run_checks(home_folder(home), now, known_games(), progress=bar)
    print_facts(diagnosis, diagnosis_lines(diagnosis), as_json=as_json)
    context.exit(1 if diagnosis.problems else 0)
