"""Commands that run the service: tick, serve, worker, run, status, statistics and site."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from pathlib import Path

import click

from pbem.actions.base import CLI, format_utc, run_action, run_query
from pbem.actions.run_turn import RequestRun
from pbem.actions.statistics import ShowStatistics, statistics_chart
from pbem.actions.status import render_status, render_undelivered
from pbem.admin.health import HomeStatus, home_status, require_active
from pbem.campaign.deadlines import describe_reason
from pbem.cli.options import FILE, FOLDER, Command, F, clock, home_option, json_option, now_option, yes_option
from pbem.cli.output import ask_before, open_home, print_facts, progress, site_lines, write_picture
from pbem.scheduler.review import HeldTurn
from pbem.scheduler.tick import TickResult, run_campaign_now, stopped_by_signals
from pbem.scheduler.tick import serve as serve_home
from pbem.scheduler.tick import tick as tick_home
from pbem.scheduler.worker_status import WorkersStatus, has_workers, load_worker_status
from pbem.site.publish import publish
from pbem.store.queue import require_queues
from pbem.store.session import JobQueue
from pbem.text import as_sentence, count_noun, wrap


def tick_lines(done: TickResult) -> Iterator[str]:
    """Yield the results of a tick, a line for each stage that did anything."""
    if done.busy:
        yield "Another tick is at work here, or workers are; this one did nothing."
    before = done.answered
    facts = [
        (done.polled, f"{count_noun(done.polled, 'letter')} came in."),
        (
            before.letters,
            f"{count_noun(before.letters, 'letter')} dealt with: {count_noun(before.sheets, 'order sheet')}.",
        ),
        (
            before.unanswered,
            f"{count_noun(before.unanswered, 'letter')} left unanswered; see the notes in: pbem letters",
        ),
        (before.set_aside, f"{count_noun(before.set_aside, 'letter')} set aside; see: pbem letters"),
        (
            before.left,
            f"{count_noun(before.left, 'letter')} left for the next tick: so many came that this one stopped.",
        ),
        (done.reminded, f"{count_noun(done.reminded, 'reminder')} written."),
        *((1, f"{turn.campaign}: turn {turn.turn} run ({describe_reason(turn.reason)}).") for turn in done.resolved),
        *((1, _held_line(turn)) for turn in done.held),
        *(
            (1, f"{turn.campaign}: turn {turn.turn} needs a ruling. Next: pbem ruling {turn.campaign} --edit")
            for turn in done.awaiting
        ),
        (done.archived, f"{count_noun(done.archived, 'turn')} archived late."),
        (done.sent.sent, f"{count_noun(done.sent.sent, 'mail')} sent."),
        (done.sent.retried, f"{count_noun(done.sent.retried, 'mail')} to be tried again."),
        (done.sent.held, f"{count_noun(done.sent.held, 'mail')} held back to keep the pace set in pbem.toml."),
        (done.sent.failed, f"{count_noun(done.sent.failed, 'mail')} could not be delivered; see: pbem outbox"),
    ]
    yield from (line for number, line in facts if number)


def _held_line(turn: HeldTurn) -> str:
    name = turn.campaign
    return f"{name}: turn {turn.turn} on hold: {turn.why}. Next: pbem release {name}, or pbem deadline {name} 24h"


def status_lines(status: HomeStatus) -> Iterator[str]:
    """Yield all campaigns, and undelivered mail."""
    if not status.campaigns:
        yield "No campaigns. Create one: pbem new"
    for number, campaign in enumerate(status.campaigns):
        if number:
            yield ""
        yield from render_status(campaign, CLI)
    yield from render_undelivered(status.undelivered)
    if status.set_aside:
        yield f"{count_noun(status.set_aside, 'letter')} set aside; see: pbem letters --state quarantined"
    yield from (wrap(as_sentence(notice)) for notice in status.notices)


def workers_lines(status: WorkersStatus) -> Iterator[str]:
    """Yield the workers, the waiting jobs, and those that failed."""
    if not status.workers:
        yield "No workers running. Start one: pbem serve"
    for worker in status.workers:
        where = f"{worker.machine}, process {worker.process}"
        heard = "not heard of for" if worker.silent else "heard of within"
        doing = f"; has in hand: {', '.join(worker.doing)}" if worker.doing else ""
        served = ", ".join(worker.queues)
        yield f"{where}: serves {served} since {format_utc(worker.since)}, {heard} {math.ceil(worker.seconds)} s{doing}"
    for queue in status.queues:
        if queue.waiting or not queue.served:
            unserved = "" if queue.served else "; nobody serves it"
            yield f"{queue.queue}: {count_noun(queue.waiting, 'job')} waiting{unserved}"
        for failed in queue.failed:
            lane = f" {failed.lane}" if failed.lane else ""
            times = count_noun(failed.times, "time")
            yield f"{queue.queue}{lane}: failed {times}, last {format_utc(failed.last)}; see the log"


QUEUE_HELP = "Serve this queue; may be given several times. [default: all; archive only where its folder lies]"


def log_option(command: F) -> F:
    """Give a command its --log."""
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
    # A tick at a named time (--now) knows of no outages (decision 9).
    live = context.get_parameter_source("now") is click.ParameterSource.DEFAULT
    with open_home(home, log) as app, progress() as bar:
        done = tick_home(app, now, live=live, progress=bar)
    _print_tick(done, as_json=as_json)
    # For cron and the like; whatever else was due is done by then.
    context.exit(1 if done.problems else 0)


@click.command(cls=Command)
@log_option
@home_option
def serve(log: Path | None, home: Path | None) -> None:
    """Stay up and tick every poll_seconds, and as mail comes, until SIGTERM."""
    with open_home(home, log) as app, stopped_by_signals() as stop:
        require_active(app)
        click.echo(f"Serving {app.settings.home}; a tick every {app.settings.poll_seconds} seconds.")
        serve_home(app, clock=clock, stop=stop, told=lambda done: _print_tick(done, idle=""))
    click.echo("Stopped.")


@click.command(cls=Command)
@click.option("--queue", "chosen", type=click.Choice([each.value for each in JobQueue]), multiple=True, help=QUEUE_HELP)
@log_option
@home_option
def worker(chosen: tuple[str, ...], log: Path | None, home: Path | None) -> None:
    """Share the work on a PostgreSQL database with others, until SIGTERM."""
    with open_home(home, log) as app:
        require_active(app)
        require_queues(app.store)
        # Imported here, as it needs procrastinate, which is an optional package.
        from pbem.scheduler.worker import run_worker, select_queues

        queues = select_queues(app, tuple(map(JobQueue, chosen)))
        with stopped_by_signals() as stop:
            click.echo(f"Working on {', '.join(queues)} for {app.settings.home}.")
            run_worker(app, queues, stop=stop, told=lambda done: _print_tick(done, idle=""))
    click.echo("Stopped.")


@click.command(cls=Command)
@click.argument("name")
@yes_option
@now_option
@log_option
@json_option
@home_option
@click.pass_context
def run(
    context: click.Context,
    name: str,
    *,
    sure: bool,
    now: dt.datetime,
    log: Path | None,
    as_json: bool,
    home: Path | None,
) -> None:
    """Run a campaign's open turn now."""
    with open_home(home, log) as app, progress() as bar:
        require_active(app)
        ask_before(app, name, RequestRun(), now, sure=sure, as_json=as_json)
        done = run_campaign_now(app, name, now, progress=bar)
        # Workers share the lock that a tick takes alone, so the run is left to them (decision 22).
        if done.busy and has_workers(app):
            wish = RequestRun()
            asked = run_action(app, name, wish, now)
            print_facts(asked, wish.render(asked, CLI), as_json=as_json)
            return
    _print_tick(done, as_json=as_json)
    context.exit(1 if done.problems or done.busy else 0)


@click.command(cls=Command)
@click.argument("name", required=False)
@click.option("--workers", is_flag=True, help="Show who works, what waits for workers, and what failed.")
@json_option
@home_option
def status(name: str | None, workers: bool, as_json: bool, home: Path | None) -> None:
    """Show who has sent, who is awaited, deadlines, and mail not delivered."""
    with open_home(home) as app:
        if workers:
            at_work = load_worker_status(app)
            print_facts(at_work, workers_lines(at_work), as_json=as_json)
            return
        found = home_status(app, name)
    print_facts(found, status_lines(found), as_json=as_json)


@click.command(cls=Command)
@click.argument("name")
@click.option("--picture", type=FILE, help="Draw it into this file too, by its ending SVG or PNG.")
@now_option
@json_option
@home_option
def stats(name: str, picture: Path | None, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Show whose sheets came when, how long turns took, scores, and who may drop out."""
    with open_home(home) as app:
        found = run_query(app, name, question := ShowStatistics(), now)
    if picture is not None:
        write_picture(picture, statistics_chart(found))
    print_facts(found, question.render(found, CLI), as_json=as_json)


def _print_tick(done: TickResult, *, as_json: bool = False, idle: str = "Nothing to do.") -> None:
    # serve and worker pass no words for an idle tick, of which there is one a minute.
    print_facts(done, list(tick_lines(done)) or filter(None, [idle]), as_json=as_json)
    for problem in done.problems:
        click.echo(f"Problem: {problem}", err=True)


@click.command(cls=Command)
@click.argument("folder", type=FOLDER)
@click.option("--campaign", "campaigns", multiple=True, metavar="NAME", help="Only this one; may be given often.")
@json_option
@home_option
@click.pass_context
def site(context: click.Context, folder: Path, campaigns: tuple[str, ...], as_json: bool, home: Path | None) -> None:
    """Write the club's pages, calendars, feeds and replays into FOLDER, for any web server."""
    with open_home(home) as app:
        done = publish(app, folder, campaigns)
    print_facts(done, site_lines(done), as_json=as_json)
    for problem in done.problems:
        click.echo(f"Problem: {problem}", err=True)
    context.exit(1 if done.problems else 0)
