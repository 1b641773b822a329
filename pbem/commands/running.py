"""Commands of every day: the scheduled job, a turn run now, and how things stand."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from pbem.actions.base import CLI, do, look
from pbem.actions.run_turn import AskForRun
from pbem.actions.statistics import ShowStatistics, picture_of
from pbem.admin.health import check_open, house_status
from pbem.commands.common import open_home, show
from pbem.commands.group import Command
from pbem.commands.options import FILE, F, clock, home_option, json_option, now_option
from pbem.console.bar import progress
from pbem.console.pictures import write_picture
from pbem.console.running import status_lines, tick_lines, workers_lines
from pbem.scheduler.tick import Ticked, run_now, stopped_by_signals
from pbem.scheduler.tick import serve as serve_house
from pbem.scheduler.tick import tick as tick_house
from pbem.scheduler.worker_status import is_anybody_at_work, workers_status
from pbem.store.queue import check_queues
from pbem.store.session import Queue

QUEUE_HELP = "Serve this queue; may be given several times. [default: all; archive only where its folder lies]"


def log_option(command: F) -> F:
    """Gives a command its --log."""
    text = "Write the log to this file; - is standard error. [default: `log` of pbem.toml]"
    return click.option("--log", type=click.Path(path_type=Path, dir_okay=False), help=text)(command)


@click.command(cls=Command)
@now_option
@log_option
@json_option
@home_option
@click.pass_context
def tick(context: click.Context, now: dt.datetime, log: Path | None, as_json: bool, home: Path | None) -> None:
    """Poll, answer, remind, resolve what is due, archive and send: the scheduled job."""
    live = context.get_parameter_source("now") is click.ParameterSource.DEFAULT
    with open_home(home, log) as house, progress() as bar:
        done = tick_house(house, now, live=live, progress=bar)
    _tell(done, as_json=as_json)
    context.exit(1 if done.problems else 0)


@click.command(cls=Command)
@log_option
@home_option
def serve(log: Path | None, home: Path | None) -> None:
    """Stay up and tick every poll_seconds, and as mail comes, until SIGTERM."""
    with open_home(home, log) as house, stopped_by_signals() as stop:
        check_open(house)
        click.echo(f"Serving {house.settings.home}; a tick every {house.settings.poll_seconds} seconds.")
        serve_house(house, clock=clock, stop=stop, told=lambda done: _tell(done, idle=""))
    click.echo("Stopped.")


@click.command(cls=Command)
@click.option("--queue", "chosen", type=click.Choice([each.value for each in Queue]), multiple=True, help=QUEUE_HELP)
@log_option
@home_option
def worker(chosen: tuple[str, ...], log: Path | None, home: Path | None) -> None:
    """Share the work on a PostgreSQL database with others, until SIGTERM."""
    with open_home(home, log) as house:
        check_open(house)
        check_queues(house.store)
        from pbem.scheduler.worker import queues_here, work

        queues = queues_here(house, tuple(map(Queue, chosen)))
        with stopped_by_signals() as stop:
            click.echo(f"Working on {', '.join(queues)} for {house.settings.home}.")
            work(house, queues, stop=stop, told=lambda done: _tell(done, idle=""))
    click.echo("Stopped.")


@click.command(cls=Command)
@click.argument("name")
@now_option
@log_option
@json_option
@home_option
@click.pass_context
def run(
    context: click.Context, name: str, *, now: dt.datetime, log: Path | None, as_json: bool, home: Path | None
) -> None:
    """Resolve a campaign's open turn now."""
    with open_home(home, log) as house, progress() as bar:
        done = run_now(house, name, now, progress=bar)
        if done.busy and is_anybody_at_work(house):
            wish = AskForRun()
            asked = do(house, name, wish, now)
            show(asked, wish.render(asked, CLI), as_json=as_json)
            return
    _tell(done, as_json=as_json)
    context.exit(1 if done.problems or done.busy else 0)


@click.command(cls=Command)
@click.argument("name", required=False)
@click.option("--workers", is_flag=True, help="Show who works, what waits for workers, and what failed.")
@json_option
@home_option
def status(name: str | None, workers: bool, as_json: bool, home: Path | None) -> None:
    """Show who has sent, who is awaited, deadlines, and mail not delivered."""
    with open_home(home) as house:
        if workers:
            at_work = workers_status(house)
            show(at_work, workers_lines(at_work), as_json=as_json)
            return
        found = house_status(house, name)
    show(found, status_lines(found), as_json=as_json)


@click.command(cls=Command)
@click.argument("name")
@click.option("--picture", type=FILE, help="Draw it into this file too, by its ending SVG or PNG.")
@now_option
@json_option
@home_option
def stats(name: str, picture: Path | None, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Show whose sheets came when, how long turns took, scores, and who may drop out."""
    with open_home(home) as house:
        found = look(house, name, question := ShowStatistics(), now)
    if picture is not None:
        write_picture(picture, picture_of(found))
    show(found, question.render(found, CLI), as_json=as_json)


def _tell(done: Ticked, *, as_json: bool = False, idle: str = "Nothing to do.") -> None:
    show(done, list(tick_lines(done)) or filter(None, [idle]), as_json=as_json)
    for problem in done.problems:
        click.echo(f"Problem: {problem}", err=True)
