"""The work of a tick or of a job, the time as of which it is done, and its result."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from pbem.app import App
from pbem.campaign.deadlines import (
    DueTurn,
    OpenTurnStatus,
    due_turns,
    held_for_rulings,
    open_turns,
    requested_runs,
    turns_to_notify,
)
from pbem.campaign.schedule import Outage
from pbem.inbox import ProcessResult
from pbem.log import event
from pbem.mail.outbox import DeliveryResult
from pbem.util import redact_secrets


@dataclass(slots=True)
class TickResult:
    """Result of a tick or of a worker's job; empty if another tick was running (`busy`). `problems` are for the GM.

    Turns that fell due and wait from now on: `on_hold` until their GM releases them, `needs_ruling` until the GM has
    ruled on them.
    """

    busy: bool = False
    polled: int = 0
    processed: ProcessResult = field(default_factory=ProcessResult)
    reminded: int = 0
    resolved: list[DueTurn] = field(default_factory=list)
    on_hold: list[DueTurn] = field(default_factory=list)
    needs_ruling: list[DueTurn] = field(default_factory=list)
    archived: int = 0
    sent: DeliveryResult = field(default_factory=DeliveryResult)
    problems: list[str] = field(default_factory=list)


def log_problems(done: TickResult) -> None:
    """Log the problems of a result, with secrets redacted in the result too."""
    done.problems = [redact_secrets(problem) for problem in done.problems]
    for problem in done.problems:
        event("problem", level="error", text=problem)


@dataclass(frozen=True, slots=True)
class TickTime:
    """Time of a poll, as of which everything is done until the next.

    If the mailbox could not be read then (not `readable`), no turn is resolved
    by its deadline and no seat is reminded, since sheets may be lying there;
    turns whose sheets are all in go on. For an `outage` deadlines wait. With
    `read_until`, mail that came later is not processed yet: turns are resolved
    that were due then.
    """

    at: dt.datetime
    readable: bool = True
    outage: Outage | None = None
    read_until: dt.datetime | None = None


class OpenWork(NamedTuple):
    """The open turns of all campaigns, or of the `campaign` alone, and the runs that GMs have requested."""

    campaign: str | None
    turns: Sequence[OpenTurnStatus]
    requested: Sequence[DueTurn]

    @classmethod
    def load(cls, app: App, now: dt.datetime, campaign: str | None = None) -> Self:
        return cls(campaign, open_turns(app, campaign), requested_runs(app, now, campaign))


def find_due(app: App, moment: TickTime, work: OpenWork) -> Iterator[str]:
    """Yield the campaigns in which something is due."""
    found = due_turns(work.turns, moment.at, by_deadline=moment.readable, outage=moment.outage)
    yield from (turn.campaign for turn in (*found, *work.requested))
    with app.store.reading() as session:
        yield from held_for_rulings(session, work.campaign)
    if moment.readable:
        yield from (turn.campaign for turn in turns_to_notify(work.turns, moment.at))
