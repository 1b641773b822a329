"""The run of a turn: everything is computed first, then one short transaction makes it so.

The transaction checks that the turn is still open and that the same sheets are
still all there are; a sheet that came in meanwhile means computing again. So
two processes at once run a turn once, and no sheet is overlooked.
"""

from __future__ import annotations

import datetime as dt
from enum import Enum

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.campaign.archiving import archive_now
from pbem.campaign.clock.missing import follow_misses
from pbem.campaign.journal import note
from pbem.campaign.press.postbag import mark
from pbem.campaign.reporting import put_reports
from pbem.campaign.resolving import After, Before, compute, look
from pbem.campaign.table import Table, load_table, lock_campaign
from pbem.house import House
from pbem.post.outbox import withdraw
from pbem.ruleset import Seat
from pbem.store.models import Campaign, SeatRow, Sheet, Turn

ATTEMPTS = 3
"""How often a turn is computed while sheets may still come in."""


class _Kept(Enum):
    YES = "the run stands"
    AGAIN = "a sheet or press came in meanwhile, a seat changed hands, or the GM ruled anew"
    GONE = "another process has run the turn, or its GM has put it off"


def run_turn(
    house: House, name: str, now: dt.datetime, *, reason: str, number: int | None = None, by_gm: bool = False
) -> bool:
    """Resolves the open turn of a campaign, queues its reports and archives it.

    With `number`, only if that is still the open turn. Returns False, having
    changed nothing, when another process has resolved it meanwhile, or, unless
    it is run `by_gm`, when it is held or its deadline was moved. Raises
    CampaignError when there is no open turn.
    """
    for _ in range(ATTEMPTS):
        with house.store.reading() as session:
            before = _look(session, house, name, number)
        if before is None:
            return False
        number = before.turn.number
        after = compute(house, before, now)
        with house.store.writing() as session:
            kept = _keep(session, house, before, after, now=now, reason=reason, by_gm=by_gm)
        if kept is not _Kept.AGAIN:
            return _archived(house, before, after, now) if kept is _Kept.YES else False
    return _run_locked(house, name, now, reason=reason, number=number, by_gm=by_gm)


def _run_locked(house: House, name: str, now: dt.datetime, *, reason: str, number: int | None, by_gm: bool) -> bool:
    """Sheets come in faster than the turn can be computed: now they have to wait for it."""
    with house.store.writing() as session:
        lock_campaign(session, name)
        before = _look(session, house, name, number)
        if before is None:
            return False
        after = compute(house, before, now)
        kept = _keep(session, house, before, after, now=now, reason=reason, by_gm=by_gm)
    return _archived(house, before, after, now) if kept is _Kept.YES else False


def _look(session: Session, house: House, name: str, number: int | None) -> Before | None:
    """What the run starts from; None if the turn of this number is no longer open."""
    table = load_table(session, name)
    if number is not None and (table.turn, table.status) != (number, "running"):
        return None
    return look(session, house, table)


def _archived(house: House, before: Before, after: After, now: dt.datetime) -> bool:
    archive_now(house, before.turn.id, after.record, after.files, now)
    return True


def _keep(
    session: Session, house: House, before: Before, after: After, *, now: dt.datetime, reason: str, by_gm: bool
) -> _Kept:
    table, turn = before.table, before.turn
    lock_campaign(session, table.name)
    if not by_gm and _is_put_off(session, before):
        return _Kept.GONE
    sheets = session.scalars(select(Sheet.id).where(Sheet.turn_id == turn.id).order_by(Sheet.id)).all()
    if list(sheets) != [sheet.id for sheet in turn.sheets]:
        return _Kept.AGAIN
    if session.scalar(select(Turn.ruling).where(Turn.id == turn.id)) != turn.ruling:
        return _Kept.AGAIN
    if mark(session, table.id) != before.words:
        return _Kept.AGAIN
    if load_table(session, table.name).places != table.places:
        return _Kept.AGAIN
    ours = update(Turn).where(Turn.id == turn.id, Turn.resolved_at.is_(None)).returning(Turn.id)
    if session.scalar(ours.values(resolved_at=now, record=after.record)) is None:
        return _Kept.GONE
    turn_id = put_turn(
        session,
        table,
        number=turn.number + 1,
        state=after.state,
        state_hash=after.state_hash,
        awaited=after.standing.awaiting,
        deadline=after.deadline,
        now=now,
    )
    withdraw(session, table.name, turn.number)
    put_reports(session, house, table, turn_id=turn_id, reports=after.reports, now=now)
    _advance(session, before, after)
    _count_missed(session, before, after)
    act = note(session, table.id, now, actor="pbem", text=_said(before, after, reason))
    if _is_private(before, after):
        note(session, table.id, now, actor="pbem", text=_missed(before, after), secret=True)
    # Who had not all his time to send has done nothing wrong.
    if not after.standing.over and turn.deadline is not None and now >= turn.deadline:
        follow_misses(session, house, table, after.turn.missing, now, act=act)
    return _Kept.YES


def _is_put_off(session: Session, before: Before) -> bool:
    """Whether the turn is held, or its deadline was moved while it was computed."""
    now_so = select(Campaign.held, Turn.deadline).join(Turn, Turn.campaign_id == Campaign.id)
    held, deadline = session.execute(now_so.where(Turn.id == before.turn.id)).one()
    return bool(held) or deadline != before.turn.deadline


def put_turn(
    session: Session,
    table: Table,
    *,
    number: int,
    state: bytes,
    state_hash: str,
    awaited: frozenset[Seat],
    deadline: dt.datetime | None,
    now: dt.datetime,
) -> int:
    """Opens a turn; returns its id."""
    row = Turn(
        campaign_id=table.id,
        number=number,
        awaited=sorted(awaited),
        state=state,
        state_hash=state_hash,
        opened_at=now,
        deadline=deadline,
    )
    session.add(row)
    session.flush()
    return row.id


def _advance(session: Session, before: Before, after: After) -> None:
    status = "over" if after.standing.over else "running"
    version = before.ruleset.version
    values = {"turn": before.turn.number + 1, "status": status, "version": version, "held": ""}
    session.execute(update(Campaign).where(Campaign.id == before.table.id).values(values))


def _count_missed(session: Session, before: Before, after: After) -> None:
    ids = {place.seat: place.id for place in before.table.places if place.manned and place.seat in before.turn.awaited}
    missed = [id_ for seat, id_ in ids.items() if seat in after.turn.missing]
    came = [id_ for seat, id_ in ids.items() if seat not in after.turn.missing]
    one_more = {"nmr_in_a_row": SeatRow.nmr_in_a_row + 1, "nmr_total": SeatRow.nmr_total + 1}
    if missed:
        session.execute(update(SeatRow).where(SeatRow.id.in_(missed)).values(one_more))
    if came:
        session.execute(update(SeatRow).where(SeatRow.id.in_(came)).values(nmr_in_a_row=0))


def _said(before: Before, after: After, reason: str) -> str:
    parts = [f"turn {before.turn.number} resolved ({reason})"]
    if after.turn.missing and not _is_private(before, after):
        parts.append(_missed(before, after))
    if after.standing.over:
        parts.append("game over: " + after.standing.reason)
    return "; ".join(parts)


def _is_private(before: Before, after: After) -> bool:
    """Whether some missed, and the campaign tells nobody but its GM who: it may be secret who was awaited at all."""
    return bool(after.turn.missing) and before.table.policy.late != "public"


def _missed(before: Before, after: After) -> str:
    return f"turn {before.turn.number}: no sheet from " + ", ".join(sorted(after.turn.missing))
