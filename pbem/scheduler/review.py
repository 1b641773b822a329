"""Hold of due turns that need a decision of their GM.

Some campaigns have each turn reviewed. In any, many missing sheets, or a mailbox
that has fallen silent, suggest that mail was lost: the turn is held rather than
ruined. So is a turn of a campaign without players, lest the game play itself to
its end. The GM is notified once; a released turn runs as it is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pbem.actions.deadlines import hold
from pbem.actions.ruling import needs_ruling
from pbem.actions.run_turn import RunCondition
from pbem.actions.time_bank import cover_missing
from pbem.app import App
from pbem.campaign.deadlines import DueTurn, OpenTurnStatus, recheck_due
from pbem.campaign.notices import GM, describe_fault, post
from pbem.campaign.prospects import HoldReason, doubt_moment, find_doubt, gravest_doubt
from pbem.campaign.snapshot import Context, hold_reason, locked_campaign
from pbem.report import small
from pbem.store.types import HoldKind
from pbem.util import isolated


@dataclass(slots=True)
class DueTurns:
    """Turns that are due: `free` to run, `held` now, and a sentence for each that could be neither."""

    free: list[DueTurn] = field(default_factory=list)
    held: list[DueTurn] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def hold_doubtful_turns(
    app: App, turns: Sequence[DueTurn], waiting: Iterable[OpenTurnStatus], now: dt.datetime
) -> DueTurns:
    """Hold those of the due turns, out of all that are waiting, that need a decision of their GM.

    Those that time banks of players cover are due no longer, and left out.
    """
    done = DueTurns()
    # First without a lock: most turns are not doubtful, and for those no campaign is locked.
    status = {(open_.campaign, open_.turn): open_ for open_ in waiting}
    turns = [turn for turn in turns if (turn.campaign, turn.turn) in status]
    with app.store.reading() as session:
        doubtful = {turn for turn in turns if gravest_doubt(session, turn.reason, status[turn.campaign, turn.turn])}
    for turn in turns:
        with isolated() as faults:
            open_ = status[turn.campaign, turn.turn]
            if open_.policy.bank and open_.missing and cover_missing(app, turn, now):
                continue
            held = _hold_if_doubtful(app, turn, now) if turn in doubtful else None
            if held is None:
                done.free.append(turn)
            else:
                done.held.append(held)
        for fault in faults:
            said = f"campaign {turn.campaign}: turn {turn.turn} had better wait for its GM, who could not be told"
            done.problems.append(f"{said} ({describe_fault(app, turn.campaign, fault)})")
    return done


def _hold_if_doubtful(app: App, turn: DueTurn, now: dt.datetime) -> DueTurn | None:
    with app.store.writing() as session:
        context = Context(session, app, locked_campaign(session, turn.campaign), now)
        # Under the lock: another process may have run or held it meanwhile.
        waiting = recheck_due(session, turn, now)
        doubt = find_doubt(context, turn.reason, waiting) if waiting else None
        if waiting is None or doubt is None:
            return None
        hold(context, doubt.kind, doubt.reason)
        _notify_gm(context, waiting, doubt)
        return replace(turn, hold_kind=doubt.kind, hold_reason=hold_reason(doubt.kind, doubt.reason))


def run_condition(turn: DueTurn) -> RunCondition:
    """Return a condition for running a turn that was found due: it still is, and there is no reason to hold it."""

    def still(context: Context) -> bool:
        waiting = recheck_due(context.session, turn, context.now)
        if waiting is None or needs_ruling(context):
            return False
        return find_doubt(context, turn.reason, waiting) is None

    return still


def _notify_gm(context: Context, waiting: OpenTurnStatus, doubt: HoldReason) -> None:
    page = small.turn_held(
        campaign=context.snapshot.name,
        turn=waiting.turn,
        why=hold_reason(doubt.kind, doubt.reason),
        review=doubt.kind == HoldKind.REVIEW,
        deadline=waiting.deadline,
        zone=waiting.schedule.zone,
        missing=waiting.missing,
        came=tuple(seat for seat in waiting.awaited if seat in waiting.sheets),
    )
    post(context, GM, page, id_=doubt_moment(context.snapshot, waiting), topic="late")
