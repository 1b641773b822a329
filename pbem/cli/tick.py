"""The tick command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pbem.cli.command import DUE, Call, command
from pbem.cli.output import print_error, progress
from pbem.text import count_noun

if TYPE_CHECKING:
    from pbem.scheduler.work import TickResult


@command("pbem tick", DUE, log=True, help="Exits 1 if there was a problem; whatever else was due is done by then.")
def tick(call: Call) -> None:
    with call.open() as app, progress() as bar:
        from pbem.scheduler.tick import tick as tick_home

        # A tick at a named time (--now) knows of no outages (decision 9).
        done = tick_home(app, call.now, live=call.live, progress=bar)
    print_tick(call, done)


def print_tick(call: Call, done: TickResult, *, sound: bool = True) -> None:
    """Print what a tick did, and its problems on standard error."""
    lines = list(tick_lines(done)) or ([] if done.problems else ["Nothing to do."])
    for problem in done.problems if not call.as_json else ():
        print_error(f"Problem: {problem}")
    call.print(done, lines, sound=sound and not done.problems)


def tick_lines(done: TickResult) -> Iterator[str]:
    """Yield the results of a tick, a line for each stage that did anything."""
    if done.busy:
        yield "Nothing done: another tick or a worker is running."
    before, sent = done.processed, done.sent
    facts = [
        (done.polled, "message", "received."),
        (before.messages, "message", f"processed: {count_noun(before.sheets, 'order sheet')}."),
        (before.unanswered, "message", "not answered. Reasons: pbem inbox"),
        (before.quarantined, "message", "quarantined. See: pbem inbox --quarantined"),
        (before.left, "message", "left for the next tick: so many came that this one stopped."),
        (done.reminded, "reminder", "queued."),
        *_turns_run(done),
        (done.archived, "turn", "archived late."),
        (sent.sent, "mail", "sent."),
        (sent.deferred, "mail", "deferred; retried by the next tick."),
        (sent.delayed, "mail", "delayed by the limits in pbem.toml."),
        (sent.failed, "mail", "not delivered. See: pbem outbox"),
    ]
    for number, noun, what in facts:
        if number:
            yield f"{count_noun(number, noun)} {what}" if noun else what


def _turns_run(done: TickResult) -> Iterator[tuple[int, str, str]]:
    """Yield the sentences on turns that were run or wait now, as facts without a noun."""
    from pbem.campaign.deadlines import describe_reason
    from pbem.store.types import HoldKind

    for turn in done.resolved:
        yield 1, "", f"{turn.campaign}: turn {turn.turn} run ({describe_reason(turn.reason)})."
    for turn in done.on_hold:
        name = turn.campaign
        more = f", or pbem deadline {name} 24h" if turn.hold_kind == HoldKind.MISSING else ""
        yield 1, "", f"{name}: turn {turn.turn} on hold: {turn.hold_reason}. Next: pbem release {name}{more}"
    for turn in done.needs_ruling:
        yield 1, "", f"{turn.campaign}: turn {turn.turn} needs a ruling. Next: pbem ruling {turn.campaign} --edit"
