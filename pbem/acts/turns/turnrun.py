"""The run of a turn: everything is computed first, then one short transaction makes it so, on the same ground.

A sheet that came in meanwhile means computing again. So two processes at once
run a turn once, and no sheet is overlooked.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import cast

from sqlalchemy import Table, bindparam, insert, update
from sqlalchemy.orm import Session

from pbem.acts.act import Scene
from pbem.acts.turns.missing import follow_misses
from pbem.app import House
from pbem.campaign.archiving import archive_now
from pbem.campaign.ground import Overtaken, act_on
from pbem.campaign.holds import NO_HOLD
from pbem.campaign.journal import note
from pbem.campaign.reporting import put_reports
from pbem.campaign.resolving import After, Before, compute, load_before
from pbem.campaign.snapshot import CampaignSnapshot
from pbem.mail.outbox import withdraw
from pbem.ruleset.values import Seat
from pbem.store.models import Campaign, SeatRow, Turn
from pbem.store.session import Queue, Work, flushed, wake
from pbem.store.types import Phase

_OPEN = insert(cast(Table, Turn.__table__)).returning(Turn.id)
_RESOLVED = (
    update(Turn).where(Turn.id == bindparam("turn")).values(resolved_at=bindparam("at"), record=bindparam("its"))
)
_ADVANCE = (
    update(Campaign)
    .where(Campaign.id == bindparam("campaign"))
    .values(turn=bindparam("its_turn"), status=bindparam("its_status"), version=bindparam("its_version"), **NO_HOLD)
)
_THESE = SeatRow.id.in_(bindparam("seats", expanding=True))
_MISSED = update(SeatRow).where(_THESE).values(nmr_in_a_row=SeatRow.nmr_in_a_row + 1, nmr_total=SeatRow.nmr_total + 1)
_CAME = update(SeatRow).where(_THESE).values(nmr_in_a_row=0)
"""Statements of every turn, built once: building them takes longer than running them."""

Still = Callable[[Session, CampaignSnapshot], bool]
"""Whether a turn is still to be run, asked anew each time it is planned."""


def is_free(_: Session, snapshot: CampaignSnapshot) -> bool:
    """Whether turns of the campaign may run at all: the least to be asked of a run by the clock."""
    return not snapshot.held


def at_any_rate(_: Session, __: CampaignSnapshot) -> bool:
    """A GM's word is enough, whatever holds the turn."""
    return True


def run_turn(
    house: House, name: str, now: dt.datetime, *, reason: str, number: int | None = None, still: Still = is_free
) -> bool:
    """Resolves the open turn of a campaign, queues its reports and archives it, or leaves that to others.

    With `number`, only if that is the open turn. Returns False, having changed
    nothing, when it is not, when it is `still` to be run no more, or when the
    past of the campaign was changed meanwhile. Raises CampaignError when there
    is no open turn.
    """

    def plan(session: Session, snapshot: CampaignSnapshot) -> tuple[Before, After]:
        is_open = number is None or (snapshot.turn, snapshot.status) == (number, Phase.RUNNING)
        if not (is_open and still(session, snapshot)):
            raise Overtaken(snapshot)
        before = load_before(session, house, snapshot)
        return before, compute(session, house, before, now)

    def keep(session: Session, _: CampaignSnapshot, planned: tuple[Before, After]) -> tuple[int, After]:
        before, after = planned
        keep_run(session, house, before, after, now=now, reason=reason)
        if not house.archives:
            wake(session, Work(Queue.ARCHIVE))
        return before.turn.id, after

    try:
        turn_id, after = act_on(house, name, plan, keep)
    except Overtaken:
        return False
    if house.archives:
        archive_now(house, turn_id, after.record, after.files, now)
    return True


def keep_run(session: Session, house: House, before: Before, after: After, *, now: dt.datetime, reason: str) -> None:
    """Makes the run so; the campaign is locked, and its ground is that on which the run was planned."""
    snapshot, turn = before.snapshot, before.turn
    flushed(session).execute(_RESOLVED, {"turn": turn.id, "at": now, "its": after.record})
    turn_id = put_turn(
        session,
        snapshot,
        number=turn.number + 1,
        state=after.state,
        state_hash=after.state_hash,
        awaited=after.standing.awaiting,
        deadline=after.deadline,
        now=now,
    )
    withdraw(session, snapshot.name, turn.number, snapshot.seats)
    for reports in after.reports.batches():
        put_reports(session, house, snapshot, turn_id=turn_id, reports=reports, now=now)
    _advance(session, before, after)
    _count_missed(session, before, after)
    act = note(session, snapshot.id, now, actor="pbem", text=_said(before, after, reason))
    if _is_private(before, after):
        note(session, snapshot.id, now, actor="pbem", text=_missed(before, after), secret=True)
    # Who had not all his time to send has done nothing wrong.
    if not after.standing.over and turn.deadline is not None and now >= turn.deadline:
        follow_misses(Scene(session, house, snapshot, now), after.turn.missing, act=act)


def put_turn(
    session: Session,
    snapshot: CampaignSnapshot,
    *,
    number: int,
    state: bytes,
    state_hash: str,
    awaited: frozenset[Seat],
    deadline: dt.datetime | None,
    now: dt.datetime,
) -> int:
    """Opens a turn; returns its id."""
    row = {
        "campaign_id": snapshot.id,
        "number": number,
        "awaited": sorted(awaited),
        "state": state,
        "state_hash": state_hash,
        "opened_at": now,
        "deadline": deadline,
    }
    turn_id: int = flushed(session).execute(_OPEN, row).scalar_one()
    return turn_id


def _advance(session: Session, before: Before, after: After) -> None:
    status = Phase.OVER if after.standing.over else Phase.RUNNING
    version = before.ruleset.version
    # A hold was for the turn that has been run now; a GM who had it run all the same has ended his own pause.
    values = {"its_turn": before.turn.number + 1, "its_status": status, "its_version": version}
    flushed(session).execute(_ADVANCE, {"campaign": before.snapshot.id, **values})


def _count_missed(session: Session, before: Before, after: After) -> None:
    ids = {
        place.seat: place.id for place in before.snapshot.places if place.manned and place.seat in before.turn.awaited
    }
    missed = [id_ for seat, id_ in ids.items() if seat in after.turn.missing]
    came = [id_ for seat, id_ in ids.items() if seat not in after.turn.missing]
    if missed:
        flushed(session).execute(_MISSED, {"seats": missed})
    if came:
        flushed(session).execute(_CAME, {"seats": came})


def _said(before: Before, after: After, reason: str) -> str:
    parts = [f"turn {before.turn.number} resolved ({reason})"]
    if after.turn.missing and not _is_private(before, after):
        parts.append(_missed(before, after))
    if after.standing.over:
        parts.append("game over: " + after.standing.reason)
    return "; ".join(parts)


def _is_private(before: Before, after: After) -> bool:
    """Whether some missed, and the campaign tells nobody but its GM who: it may be secret who was awaited at all."""
    return bool(after.turn.missing) and before.snapshot.policy.late != "public"


def _missed(before: Before, after: After) -> str:
    return f"turn {before.turn.number}: no sheet from " + ", ".join(sorted(after.turn.missing))
