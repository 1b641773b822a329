"""Turns that are due: reminders, runs, and digests for rulings."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence

from pbem.actions.ruling import awaits_ruling, send_digests
from pbem.actions.run_turn import RunCondition, is_requested, run_turn
from pbem.app import App
from pbem.campaign.deadlines import BY_GM, DueTurn, OpenTurnStatus, due_turns, needs_claim
from pbem.log import event
from pbem.scheduler.reminders import notify_turn_failure, send_reminders
from pbem.scheduler.review import hold_doubtful_turns, run_condition
from pbem.scheduler.work import OpenWork, TickResult, TickTime
from pbem.util import Progress, isolated


def run_campaign(app: App, moment: TickTime, done: TickResult, work: OpenWork, progress: Progress) -> None:
    """Remind, run the turns that are due and send digests. Each step checks again what it does."""
    now = moment.at
    if moment.readable:
        # While deadlines wait for an outage, no opponent is asked about a late player, and no time bank pays.
        outage = moment.outage
        turns = [
            turn for turn in work.turns if not (outage and needs_claim(turn, now) and outage.holds(turn.closes, now))
        ]
        reminded, problems = send_reminders(app, turns, now)
        done.reminded += reminded
        done.problems += problems
    # As of `read_until` where mail is left: sheets that were sent in time may be among it.
    found = due_turns(work.turns, moment.read_until or now, by_deadline=moment.readable, outage=moment.outage)
    # A GM's request runs the turn as it is, whatever would hold it; after that it is no longer due.
    by_gm = [turn for turn in work.requested if turn.reason == BY_GM]
    found += [turn for turn in work.requested if turn.reason != BY_GM]
    due = [*by_gm, *_hold_doubtful(app, found, work.turns, now, done)]
    resolve(app, due, now, done, progress, at_word=is_requested)
    done.problems += send_digests(app, now, work.campaign)


def _hold_doubtful(
    app: App, turns: Sequence[DueTurn], waiting: Sequence[OpenTurnStatus], now: dt.datetime, done: TickResult
) -> list[DueTurn]:
    """Hold doubtful turns; return the others."""
    sifted = hold_doubtful_turns(app, turns, waiting, now)
    for turn in sifted.held:
        event("turn held", campaign=turn.campaign, turn=turn.turn)
    done.on_hold += sifted.held
    done.problems += sifted.problems
    return sifted.free


def resolve(
    app: App,
    turns: Sequence[DueTurn],
    now: dt.datetime,
    done: TickResult,
    progress: Progress,
    *,
    at_word: RunCondition,
) -> None:
    """Run turns, if they are due still; for those of a GM, `at_word` is asked instead. A fault stops no other turn."""
    for count, turn in enumerate(turns, start=1):
        with isolated() as faults:
            _run_turn_due(app, turn, now, done, at_word=at_word)
        for fault in faults:
            event("turn not resolved", level="error", fault=fault, campaign=turn.campaign, turn=turn.turn)
            done.problems.append(notify_turn_failure(app, turn, fault, now))
        progress("resolving", count, len(turns))


def _run_turn_due(app: App, turn: DueTurn, now: dt.datetime, done: TickResult, *, at_word: RunCondition) -> None:
    requested = turn.reason == BY_GM
    still = at_word if requested else run_condition(turn)
    if after := run_turn(app, turn.campaign, now, reason=turn.reason, number=turn.turn, still=still):
        done.resolved.append(turn)
        event("turn resolved", **dataclasses.asdict(turn), state=after.state_hash)
    elif requested:
        said = "was not run, since the campaign has changed at this very moment; look at it, and try again"
        done.problems.append(f"campaign {turn.campaign}: turn {turn.turn} {said}")
    elif awaits_ruling(app, turn, now):
        done.needs_ruling.append(turn)
        event("turn awaits its GM's ruling", campaign=turn.campaign, turn=turn.turn)
