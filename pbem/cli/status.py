"""The status command."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli import completion
from pbem.cli.command import SHOWS, Call, command
from pbem.cli.options import FILE
from pbem.cli.output import write_picture
from pbem.text import as_sentence, count_noun, wrap

if TYPE_CHECKING:
    from pbem.admin.health import HomeStatus
    from pbem.scheduler.worker_status import WorkersStatus


@command("pbem status trap7 --stats", SHOWS)
@click.argument("name", required=False, shell_complete=completion.campaigns)
@click.option("--stats", is_flag=True, help="Show when sheets came, how long turns took, scores, who seems inactive.")
@click.option("--picture", type=FILE, help="With --stats: draw them into this file, an SVG or PNG.")
@click.option("--workers", is_flag=True, help="Show the workers, the jobs that wait for them, and what failed.")
@click.option("--html", "page", type=FILE, help="Write all campaigns at a glance into this file, a private web page.")
def status(
    call: Call, name: str | None, *, stats: bool, picture: Path | None, workers: bool, page: Path | None
) -> None:
    if (stats and name is None) or (picture and not stats) or (workers and name is not None):
        raise click.UsageError("--stats needs a NAME, --picture needs --stats, and --workers goes alone")
    with call.open() as app:
        if page is not None:
            from pbem.admin.dashboard import write_dashboard

            write_dashboard(app, page, call.now)
        if workers:
            from pbem.scheduler.worker_status import load_worker_status

            at_work = load_worker_status(app)
            call.print(at_work, workers_lines(at_work))
        elif stats:
            from pbem.actions.base import CLI, run_query
            from pbem.actions.statistics import ShowStatistics, statistics_chart

            found = run_query(app, name or "", question := ShowStatistics(), call.now)
            if picture is not None:
                write_picture(picture, statistics_chart(found))
            call.print(found, question.render(found, CLI), paged=True)
        else:
            from pbem.admin.health import home_status

            all_campaigns = home_status(app, name)
            call.print(all_campaigns, status_lines(all_campaigns), paged=True)


def status_lines(status: HomeStatus) -> Iterator[str]:
    """Yield all campaigns, and undelivered mail."""
    from pbem.actions.base import CLI
    from pbem.actions.status import ShowStatus, render_undelivered

    if not status.campaigns:
        yield "No campaigns. Create one: pbem new"
    for number, campaign in enumerate(status.campaigns):
        if number:
            yield ""
        yield from ShowStatus().render(campaign, CLI)
    yield from render_undelivered(status.undelivered)
    if status.quarantined:
        yield f"{count_noun(status.quarantined, 'message')} quarantined. See: pbem inbox --quarantined"
    yield from (wrap(as_sentence(notice)) for notice in status.notices)


def workers_lines(status: WorkersStatus) -> Iterator[str]:
    """Yield the workers, the waiting jobs, and those that failed."""
    from pbem.actions.base import format_utc

    if not status.workers:
        yield "No workers running. Start one: pbem serve"
    for worker in status.workers:
        where = f"{worker.machine}, process {worker.process}"
        heard = "not heard of for" if worker.silent else "heard of within"
        doing = f"; working on: {', '.join(worker.doing)}" if worker.doing else ""
        served = ", ".join(worker.queues)
        yield f"{where}: serves {served} since {format_utc(worker.since)}, {heard} {math.ceil(worker.seconds)} s{doing}"
    for queue in status.queues:
        if queue.waiting or not queue.served:
            unserved = "" if queue.served else "; no worker serves it"
            yield f"{queue.queue}: {count_noun(queue.waiting, 'job')} waiting{unserved}"
        for failed in queue.failed:
            campaign = f" {failed.campaign}" if failed.campaign else ""
            times = count_noun(failed.times, "time")
            yield f"{queue.queue}{campaign}: failed {times}, last {format_utc(failed.last)}; see the log"
