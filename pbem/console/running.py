"""What ticks and runs did, and how the house stands."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pbem.actions.base import CLI, format_utc
from pbem.actions.status import render_status, render_undelivered
from pbem.admin.health import HouseStatus
from pbem.scheduler.tick import Ticked
from pbem.scheduler.worker_status import WorkersStatus
from pbem.text import counted, sentence, wrapped


def tick_lines(done: Ticked) -> Iterator[str]:
    """What a tick did, a line for each stage that did anything."""
    if done.busy:
        yield "Another tick is at work here, or workers are; this one did nothing."
    before = done.answered
    facts = [
        (done.polled, f"{counted(done.polled, 'letter')} came in."),
        (before.letters, f"{counted(before.letters, 'letter')} dealt with: {counted(before.sheets, 'order sheet')}."),
        (before.unanswered, f"{counted(before.unanswered, 'letter')} left unanswered; see the notes in: pbem letters"),
        (before.set_aside, f"{counted(before.set_aside, 'letter')} set aside; see: pbem letters"),
        (before.left, f"{counted(before.left, 'letter')} left for the next tick: so many came that this one stopped."),
        (done.reminded, f"{counted(done.reminded, 'reminder')} written."),
        *((1, f"{turn.campaign}: turn {turn.turn} resolved ({turn.reason}).") for turn in done.resolved),
        *((1, f"{turn.campaign}: turn {turn.turn} is held; see: pbem status {turn.campaign}") for turn in done.held),
        *((1, f"{turn.campaign}: turn {turn.turn} awaits its GM's ruling ({turn.reason}).") for turn in done.awaiting),
        (done.archived, f"{counted(done.archived, 'turn')} archived late."),
        (done.sent.sent, f"{counted(done.sent.sent, 'mail')} sent."),
        (done.sent.retried, f"{counted(done.sent.retried, 'mail')} to be tried again."),
        (done.sent.held, f"{counted(done.sent.held, 'mail')} held back to keep the pace set in pbem.toml."),
        (done.sent.failed, f"{counted(done.sent.failed, 'mail')} could not be delivered; see: pbem outbox"),
    ]
    yield from (line for number, line in facts if number)


def status_lines(status: HouseStatus) -> Iterator[str]:
    """All campaigns, and what mail is stuck."""
    if not status.campaigns:
        yield "There are no campaigns; make one with: pbem new"
    for number, campaign in enumerate(status.campaigns):
        if number:
            yield ""
        yield from render_status(campaign, CLI)
    yield from render_undelivered(status.undelivered)
    if status.set_aside:
        yield f"{counted(status.set_aside, 'letter')} set aside; see: pbem letters --state quarantined"
    yield from (wrapped(sentence(notice)) for notice in status.notices)


def workers_lines(status: WorkersStatus) -> Iterator[str]:
    """Who works, what waits, and what failed."""
    if not status.workers:
        yield "Nobody works here; start somebody with: pbem worker"
    for worker in status.workers:
        where = f"{worker.machine}, process {worker.process}"
        heard = "not heard of for" if worker.silent else "heard of within"
        doing = f"; has in hand: {', '.join(worker.doing)}" if worker.doing else ""
        served = ", ".join(worker.queues)
        yield f"{where}: serves {served} since {format_utc(worker.since)}, {heard} {math.ceil(worker.seconds)} s{doing}"
    for queue in status.queues:
        if queue.waiting or not queue.served:
            unserved = "" if queue.served else "; nobody serves it"
            yield f"{queue.queue}: {counted(queue.waiting, 'job')} waiting{unserved}"
        for failed in queue.failed:
            lane = f" {failed.lane}" if failed.lane else ""
            times = counted(failed.times, "time")
            yield f"{queue.queue}{lane}: failed {times}, last {format_utc(failed.last)}; see the log"
