"""Commands for mail, the service, moving homes and campaigns, and proof."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.actions.weight import Harmless, Reversible
from pbem.admin.health import activate_home, is_closed, require_active
from pbem.admin.mail import (
    delivery_counts,
    list_outbox,
    retry_mail,
)
from pbem.app import App, upgrade_home
from pbem.cli import completion
from pbem.cli.command import DUE, NEW, Call, clock, command
from pbem.cli.lines import (
    exported_lines,
    imported_lines,
    ledger_lines,
    outbox_lines,
    reaching_lines,
    restored_lines,
    retried_mails,
)
from pbem.cli.options import FILE, FOLDER, NUMBER, campaign
from pbem.cli.output import print_error, print_lines, progress
from pbem.cli.tick import tick_lines
from pbem.config import load_settings, reaches
from pbem.scheduler.tick import import_steps, stopped_by_signals
from pbem.scheduler.tick import serve as serve_home
from pbem.store.queue import has_queues, require_queues
from pbem.store.session import JobQueue
from pbem.text import count_noun

if TYPE_CHECKING:
    from pbem.scheduler.work import TickResult


class NumberOrAll(click.ParamType[int | str]):
    """Parameter type of a number, or the word all."""

    name = "id|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        return "all" if value == "all" else int(NUMBER.convert(value, param, ctx))


@command("pbem outbox all --retry", Harmless("mail that is due is tried again"))
@click.argument("which", type=NumberOrAll(), metavar="[ID|all]", required=False)
@click.option("--retry", is_flag=True, help="Send the mail again, or all that waits.")
@click.option(
    "--campaign", "name", metavar="NAME", shell_complete=completion.campaigns, help="List only mail of this campaign."
)
@click.option("--by-player", is_flag=True, help="Count for each player what became of their mail.")
def outbox(call: Call, *, which: int | str | None, retry: bool, name: str | None, by_player: bool) -> None:
    if retry != (which is not None) or (retry and (by_player or name is not None)):
        raise click.UsageError("give an ID, or all, with --retry alone")
    with call.open() as app:
        if by_player:
            accounts = delivery_counts(app.store, name)
            call.print({"accounts": accounts}, ledger_lines(accounts), paged=True)
        elif which is None:
            mails = list_outbox(app.store, name)
            call.print({"mails": mails}, outbox_lines(mails), paged=True)
        else:
            # All (None) leaves out bounced mail: a dead address would only bounce again.
            retried = retry_mail(app.store, call.now, which if isinstance(which, int) else None)
            call.print({"retried": retried}, retried_mails(retried))


@command(
    "pbem serve --queue send",
    DUE,
    log=True,
    json=False,
    help="It ends at SIGTERM. On PostgreSQL several such processes share the work.",
)
@click.option(
    "--queue",
    "chosen",
    type=click.Choice([each.value for each in JobQueue]),
    multiple=True,
    help="On PostgreSQL: serve this queue; may be repeated. [default: all; archive only where its folder is]",
)
def serve(call: Call, chosen: tuple[str, ...]) -> None:
    import_steps()
    with call.open() as app:
        require_active(app)
        if chosen:
            require_queues(app.store)
        if has_queues(app.store):
            _work(app, tuple(map(JobQueue, chosen)))
        else:
            with stopped_by_signals() as stop:
                click.echo(f"Serving {app.settings.home}; a tick every {app.settings.poll_seconds} seconds.")
                serve_home(app, clock=clock, stop=stop, told=_print_work)
    click.echo("Stopped.")


def _work(app: App, chosen: Collection[JobQueue]) -> None:
    """Share the work on a PostgreSQL database with other processes, until SIGTERM."""
    # Imported here, as it needs procrastinate, which is an optional package.
    from pbem.scheduler.worker import run_worker, select_queues

    queues = select_queues(app, chosen)
    with stopped_by_signals() as stop:
        click.echo(f"Working on {', '.join(queues)} for {app.settings.home}.")
        run_worker(app, queues, stop=stop, told=_print_work)


def _print_work(done: TickResult) -> None:
    # Nothing is said of an idle tick, of which there is one a minute.
    print_lines(tick_lines(done))
    for problem in done.problems:
        print_error(f"Problem: {problem}")


@command(
    "pbem site /var/www/games --campaign trap7",
    Harmless("what it writes follows from the campaigns"),
    help="It has pages, calendars, feeds and replays, for any web server. Exits 1 if there was a problem.",
)
@click.argument("folder", type=FOLDER)
@click.option(
    "--campaign",
    "campaigns",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.campaigns,
    help="Only this one; may be repeated.",
)
def site(call: Call, folder: Path, campaigns: tuple[str, ...]) -> None:
    from pbem.site.publish import publish

    with call.open() as app:
        done = publish(app, folder, call.now, campaigns)
    for problem in done.problems if not call.as_json else ():
        print_error(f"Problem: {problem}")
    replays = f", {count_noun(done.replays, 'replay')}" if done.replays else ""
    said = f"{count_noun(done.files, 'file')} written{replays}. Look at {done.page}"
    call.print(done, [said], sound=not done.problems)


@command(
    "pbem standings",
    Harmless("it only shows"),
    help="Those stand in it whose addresses have a name under [players] in pbem.toml. Ratings need the package "
    "openskill: pip install 'pbem[ratings]'.",
)
def standings(call: Call) -> None:
    from pbem.site.standings import load_standings, standings_lines

    with call.open() as app, app.store.reading() as session:
        found = load_standings(session, app)
    call.print(found, standings_lines(found))


@command(
    "pbem restore b.pbem.zip home",
    NEW,
    asks=True,
    help="The home is made in FOLDER, an empty place, and is inactive until --activate. Restore only backups of "
    "your own. A campaign of another's home: pbem import.",
)
@click.argument("file", type=FILE, required=False)
@click.argument("folder", type=FOLDER, required=False)
@click.option("--database", default="", metavar="URL", help="An empty PostgreSQL database. [default: a file in FOLDER]")
@click.option("--activate", is_flag=True, help="Let the restored home read, run and send again.")
def restore(call: Call, *, file: Path | None, folder: Path | None, database: str, activate: bool) -> None:
    if activate:
        if file is not None or database:
            raise click.UsageError("--activate goes alone, in the restored home")
        _activate(call)
        return
    if file is None or folder is None:
        raise click.UsageError("give FILE and FOLDER, or --activate")
    if call.dry_run:
        raise click.UsageError("--dry-run goes with --activate; to look at a backup first: pbem verify FILE")
    from pbem.backup.restore import restore_home

    with progress() as bar:
        restored = restore_home(file, folder, call.now, call.games, database=database, progress=bar)
    call.print(restored, restored_lines(restored))


def _activate(call: Call) -> None:
    with call.open() as app:
        facts = {"home": app.settings.home, "reaches": (found := reaches(app.settings.home))}
        if not is_closed(app):
            call.print(facts, ["Nothing to do: the home is active."])
            return
        # The operator sees what it will run and reach before it does (decision 37).
        call.confirm(facts, [f"activate {app.settings.home}.", *reaching_lines(found)])
        activate_home(app)
    call.print(facts, ["Done: the home is active.", "Next: pbem tick"])


@command(
    "pbem export trap7 t.pbem.zip --to play@example.net",
    Reversible("pbem undo NAME"),
    asks=True,
    help="It is written to FILE, and played here no more.",
)
@campaign
@click.argument("file", type=FILE, required=False)
@click.option("--to", default="", metavar="ADDRESS", help="The order address of the home that it moves to.")
def export(call: Call, *, name: str, file: Path | None, to: str) -> None:
    if file is None or not to:
        raise click.UsageError("give FILE, and with --to the address at which it will be played")
    from pbem.backup.transfer import export_campaign

    with call.open() as app:
        shown = f"move {name} to {to}; it is not played here any more. Undo until it is imported there."
        call.confirm({"campaign": name, "to": to, "path": file}, [shown])
        exported = export_campaign(app, name, file, call.now, to=to)
    call.print(exported, exported_lines(exported))


@command("pbem import trap7.pbem.zip", NEW, name="import")
@click.argument("file", type=FILE)
def import_(call: Call, file: Path) -> None:
    from pbem.backup.transfer import import_campaign

    with call.open() as app, progress() as bar:
        imported = import_campaign(app, file, call.now, progress=bar)
    call.print(imported, imported_lines(imported))


@command("pbem migrate", Harmless("it is all done or not at all, and loses nothing"))
def migrate(call: Call) -> None:
    from pbem.admin.checks import compare_with_archive
    from pbem.admin.doctor import check_permissions

    settings = load_settings(call.home)
    upgrade_home(settings)
    with progress() as bar:
        # An old copy of the database would be migrated without a word; the archive shows what is missing in it.
        missing = compare_with_archive(settings, progress=bar)
    for each in missing:
        print_error(f"Problem: {each.text}. Fix: {each.mend}")
    closed = check_permissions(settings)
    lines = ["Done: the database is of this version."]
    if closed.mend:
        lines.append(f"Warning: {closed.text}. Fix: {closed.mend}")
    call.print({"problems": [each.text for each in missing], "permissions": closed}, lines)
