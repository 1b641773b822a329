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

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.actions.deadlines import hold
from pbem.actions.ruling import needs_ruling
from pbem.actions.run_turn import RunCondition
from pbem.actions.time_bank import cover_missing
from pbem.app import App
from pbem.campaign.deadlines import BY_DEADLINE, DueTurn, OpenTurnStatus, recheck_due
from pbem.campaign.house_rules import ALWAYS
from pbem.campaign.notices import GM, Parts, describe_fault, gm_moment, post, was_posted
from pbem.campaign.snapshot import Context, hold_reason, locked_campaign
from pbem.errors import StoreError
from pbem.report import small
from pbem.ruleset.protocol import Adjudicated
from pbem.store.models import InboxMessage, OrderSheet, Turn
from pbem.store.types import HoldKind

MASS_SEATS = 3
"""Seats of a campaign from which on sheets are missing in mass: of fewer, two may just have forgotten."""

# Seats that must be missing, and have sent sheets in the turn before: one may just have forgotten.
_SILENT_SEATS = 2


@dataclass(frozen=True, slots=True)
class HoldReason:
    """Reason to hold a turn: the kind of the hold, and details in a clause."""

    kind: HoldKind
    reason: str = ""


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
        doubtful = {turn for turn in turns if _hold_reason(session, turn, status[turn.campaign, turn.turn])}
    for turn in turns:
        try:
            open_ = status[turn.campaign, turn.turn]
            if open_.policy.bank and open_.missing and cover_missing(app, turn, now):
                continue
            held = _hold_if_doubtful(app, turn, now) if turn in doubtful else None
            if held is None:
                done.free.append(turn)
            else:
                done.held.append(held)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one game's fault must not stop the other campaigns
            said = f"campaign {turn.campaign}: turn {turn.turn} had better wait for its GM, who could not be told"
            done.problems.append(f"{said} ({describe_fault(app, turn.campaign, error)})")
    return done


def _hold_if_doubtful(app: App, turn: DueTurn, now: dt.datetime) -> DueTurn | None:
    with app.store.writing() as session:
        context = Context(session, app, locked_campaign(session, turn.campaign), now)
        # Under the lock: another process may have run or held it meanwhile.
        waiting = recheck_due(session, turn, now)
        doubt = _open_reason(context, turn, waiting) if waiting else None
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
        return _open_reason(context, turn, waiting) is None

    return still


def _open_reason(context: Context, turn: DueTurn, waiting: OpenTurnStatus) -> HoldReason | None:
    """Return the reason to hold a turn, unless its GM was notified of it and has released the turn.

    A turn that its GM adjudicates waits anyway, and its digest names the seats without sheets.
    """
    if isinstance(context.app.game(context.snapshot.game), Adjudicated):
        return None
    doubt = _hold_reason(context.session, turn, waiting)
    return None if doubt is None or was_posted(context, _moment(context, waiting)) else doubt


def _hold_reason(session: Session, turn: DueTurn, waiting: OpenTurnStatus) -> HoldReason | None:
    """Return the gravest reason to hold a turn, or None."""
    missing, awaited = len(waiting.missing), len(waiting.awaited)
    # Without players the game would play itself to its end by defaults, also past every deadline.
    if not waiting.players:
        return HoldReason(HoldKind.NO_PLAYERS)
    percent = waiting.policy.hold_percent
    if percent is not None and turn.reason == BY_DEADLINE:
        if missing == awaited >= _SILENT_SEATS and _is_silent(session, waiting):
            return HoldReason(HoldKind.NO_MAIL)
        if awaited >= MASS_SEATS and missing * 100 >= awaited * percent:
            return HoldReason(HoldKind.MISSING, f"{missing} of {awaited} sheets missing")
    return HoldReason(HoldKind.REVIEW) if waiting.policy.hold == ALWAYS else None


def _is_silent(session: Session, waiting: OpenTurnStatus) -> bool:
    """Return True if no message came since the turn opened, though at least two seats sent sheets in the one before."""
    # Any message to the home, of whatever campaign or sender, shows that mail comes in.
    messages = select(InboxMessage.id).where(InboxMessage.received_at >= waiting.opened_at).limit(1)
    if session.scalar(messages) is not None:
        return False
    this = select(Turn.campaign_id).where(Turn.id == waiting.turn_id).scalar_subquery()
    senders = (
        select(func.count(OrderSheet.seat_id.distinct()))
        .join(Turn, Turn.id == OrderSheet.turn_id)
        .where(Turn.campaign_id == this, Turn.withdrawal_id.is_(None), Turn.number == waiting.turn - 1)
        .where(OrderSheet.accepted)
    )
    return (session.scalar(senders) or 0) >= _SILENT_SEATS


def _moment(context: Context, waiting: OpenTurnStatus) -> Parts:
    """Return the moment of the notice: one for a deadline, since the GM who releases a turn has seen what is wrong."""
    return gm_moment(context.snapshot, "held", waiting.deadline.isoformat() if waiting.deadline else "")


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
    post(context, GM, page, id_=_moment(context, waiting), topic="late")
