"""Prospects of an open turn once its deadline has passed: it runs, has more time, or waits for somebody.

The scheduler does what stands here, and a release says it before.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.campaign.deadlines import BY_DEADLINE, OpenTurnStatus, load_open_turns, time_left
from pbem.campaign.house_rules import ALWAYS
from pbem.campaign.notices import Parts, gm_moment, was_posted
from pbem.campaign.snapshot import NO_HOLD, CampaignSnapshot, Context, load_open_turn
from pbem.ruleset.protocol import Adjudicated
from pbem.ruleset.values import SeatName
from pbem.store.models import InboxMessage, OrderSheet, Turn
from pbem.store.types import HoldKind

MASS_SEATS = 3
"""Seats of a campaign from which on sheets are missing in mass: of fewer, two may just have forgotten."""

# Seats that must be missing, and have sent sheets in the turn before: one may just have forgotten.
_SILENT_SEATS = 2

_DAY, _NOTHING = dt.timedelta(days=1), dt.timedelta()


@dataclass(frozen=True, slots=True)
class HoldReason:
    """Reason to hold a turn: the kind of the hold, and details in a clause."""

    kind: HoldKind
    reason: str = ""


def find_doubt(context: Context, reason: str, waiting: OpenTurnStatus) -> HoldReason | None:
    """Return the reason to hold a turn that is due, unless its GM was notified of it and has released the turn.

    A turn that its GM adjudicates waits anyway, and its digest names the seats without sheets.
    """
    if isinstance(context.app.game(context.snapshot.game), Adjudicated):
        return None
    doubt = gravest_doubt(context.session, reason, waiting)
    return None if doubt is None or was_posted(context, doubt_moment(context.snapshot, waiting)) else doubt


def doubt_moment(snapshot: CampaignSnapshot, waiting: OpenTurnStatus) -> Parts:
    """Return the moment of the notice: one for a deadline, since the GM who releases a turn has seen what is wrong."""
    return gm_moment(snapshot, "held", waiting.deadline.isoformat() if waiting.deadline else "")


def gravest_doubt(session: Session, reason: str, waiting: OpenTurnStatus) -> HoldReason | None:
    """Return the gravest reason to hold a turn that is due for a reason, or None."""
    missing, awaited = len(waiting.missing), len(waiting.awaited)
    # Without players the game would play itself to its end by defaults, also past every deadline.
    if not waiting.players:
        return HoldReason(HoldKind.NO_PLAYERS)
    percent = waiting.policy.hold_percent
    if percent is not None and reason == BY_DEADLINE:
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


def find_cover(context: Context, waiting: OpenTurnStatus) -> tuple[Mapping[SeatName, dt.timedelta], dt.timedelta]:
    """Return the seats without sheets whose time covers a turn, with what each has, and the span that each pays.

    It is a day, or the time between two deadlines if that is shorter, or else the most that one of them has left.
    """
    rest = time_left(context.session, context.snapshot) if waiting.policy.bank and waiting.missing else {}
    left = {seat: rest[seat] for seat in waiting.missing if rest}
    period = min(_DAY, waiting.schedule.every or _DAY, max(left.values(), default=_DAY))
    return {seat: time for seat, time in left.items() if time >= period > _NOTHING}, period


def covered_until(waiting: OpenTurnStatus, period: dt.timedelta, now: dt.datetime) -> dt.datetime:
    """Return the deadline of a turn that a period of a player's own time covers; its deadline and grace are over."""
    assert waiting.deadline is not None
    assert waiting.closes is not None
    # After an outage of the host the turn gets a whole period from now, at the usual hour, and that costs one.
    return waiting.deadline + ((now - waiting.closes) // period + 1) * period


class Next(StrEnum):
    """The next that happens to an open turn which nothing holds."""

    RUN = "run"
    COVERED = "covered"
    """It has time of the players' own, whose sheets are missing."""
    CLAIM = "claim"
    """The opponent of the late player is asked whether it waits."""
    HELD = "held"
    """It is held for its GM, who is mailed why."""
    RULING = "ruling"
    """Its GM is asked for a ruling."""
    GRACE = "grace"
    DEADLINE = "deadline"
    SETTLED = "settled"
    """All sheets are in, and it runs after the time for second thoughts."""
    ALL_IN = "all-in"
    """It has no deadline, and runs when all sheets are in."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """The fate of an open turn: the next that happens to it, until when it waits at most, and for which seats."""

    next: Next
    until: dt.datetime | None = None
    seats: tuple[SeatName, ...] = ()


def foresee(context: Context) -> Prospect:
    """Return what becomes of the open turn of a campaign, of which no hold counts."""
    found = next(iter(load_open_turns(context.session, context.snapshot.name)), None)
    if found is None:
        return Prospect(Next.ALL_IN)
    turn, now = replace(found, **NO_HOLD), context.now
    left, period = find_cover(context, turn) if turn.has_closed(now) else ({}, _DAY)
    if left:
        return Prospect(Next.COVERED, covered_until(turn, period, now), tuple(left))
    if turn.claimant and turn.has_closed(now):
        return Prospect(Next.CLAIM, seats=turn.missing)
    reason = turn.reason(now, by_deadline=True)
    if reason is not None:
        return Prospect(_when_due(context, reason, turn))
    if settled := turn.settles(now):
        return Prospect(Next.SETTLED, settled)
    if turn.deadline is None:
        return Prospect(Next.ALL_IN)
    return Prospect(Next.GRACE, turn.closes) if turn.deadline <= now else Prospect(Next.DEADLINE, turn.deadline)


def _when_due(context: Context, reason: str, turn: OpenTurnStatus) -> Next:
    if isinstance(context.app.game(context.snapshot.game), Adjudicated):
        return Next.RULING if load_open_turn(context.session, context.snapshot).ruling is None else Next.RUN
    return Next.RUN if find_doubt(context, reason, turn) is None else Next.HELD
