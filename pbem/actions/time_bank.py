"""The time bank: who misses a deadline is covered by time of their own, while they have some (house rule `bank`).

A turn that is due goes on for a period if sheets are missing and a player without one
has that much time left. Each of these pays a period, and everybody is told; the last one
of a bank may be shorter. Time is charged to turns: what is withdrawn, or forked away, has
cost nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from sqlalchemy import update

from pbem.actions.deadlines import moved_notice, tell_deadline
from pbem.app import App
from pbem.campaign.deadlines import BY_DEADLINE, DueTurn, OpenTurnStatus, recheck_due
from pbem.campaign.notices import GM, post
from pbem.campaign.prospects import covered_until, find_cover
from pbem.campaign.snapshot import Context, add_entry, load_last_reports, locked_campaign
from pbem.report import small
from pbem.ruleset.values import SeatName
from pbem.store.models import BankedTime, Turn
from pbem.text import describe_rest, format_span, join_names


def cover_missing(app: App, due: DueTurn, now: dt.datetime) -> bool:
    """Extend a turn that is due, if time banks cover the seats without sheets; return True if it was extended."""
    if due.reason != BY_DEADLINE:
        return False
    with app.store.writing() as session:
        context = Context(session, app, locked_campaign(session, due.campaign), now)
        # Under the lock: another process may have run or extended it meanwhile.
        waiting = recheck_due(session, due, now)
        return waiting is not None and cover(context, waiting)


def cover(context: Context, waiting: OpenTurnStatus) -> bool:
    """Extend a turn of a locked campaign whose deadline is over, if time banks cover it; return True if they do."""
    left, period = find_cover(context, waiting)
    if left:
        _extend(context, waiting, period, {seat: rest - period for seat, rest in left.items()})
    return bool(left)


def _extend(
    context: Context, waiting: OpenTurnStatus, period: dt.timedelta, left: Mapping[SeatName, dt.timedelta]
) -> None:
    session, snapshot, now = context.session, context.snapshot, context.now
    old, new = waiting.deadline, covered_until(waiting, period, now)
    assert old is not None
    ids = {place.seat: place.id for place in snapshot.places}
    minutes = period // dt.timedelta(minutes=1)
    session.add_all(BankedTime(turn_id=waiting.turn_id, seat_id=ids[seat], minutes=minutes, at=now) for seat in left)
    # The notice is a reminder, too.
    session.execute(update(Turn).where(Turn.id == waiting.turn_id).values(deadline=new, reminded_at=now))
    why = _words(left, period, snapshot.policy.bank_time)
    last = load_last_reports(session, snapshot)
    # A turn may have opened for some seats alone, as a fight of which the others have heard nothing (decision 1).
    unheard = {place.seat for place in snapshot.playing if last[place.seat].number != waiting.turn}
    said = f"turn {waiting.turn} waits: {why}"
    act = add_entry(session, snapshot.id, now, actor="pbem", text=said, secret=bool(unheard))
    tell_deadline(context, old, new, act=act, why=why, but={*left, *unheard})
    tell_deadline(context, old, new, act=act, why=_UNHEARD, but={*snapshot.seats} - unheard)
    for place in snapshot.playing:
        if place.seat in left and place.address:
            page, file = moved_notice(context, old, new, snapshot.zone_for(place), why)
            # In the thread of the report: a plain reply brings the orders that are missing.
            id_ = ("act", act, place.seat)
            post(context, place, page, id_=id_, topic="reminder", under=last[place.seat], files=(file,))
    zone = snapshot.schedule.zone
    told = small.covered_by_bank(campaign=snapshot.name, turn=waiting.turn, why=why, due=new, zone=zone)
    post(context, GM, told, id_=("act", act, GM))


_UNHEARD = "The deadline has moved."


def _words(left: Mapping[SeatName, dt.timedelta], period: dt.timedelta, whole: dt.timedelta) -> str:
    """Return who is covered, for how long, and what they have left."""
    rest = ", ".join(f"{seat} has {describe_rest(time, whole)}" for seat, time in left.items())
    return (
        f"No orders came from {join_names(tuple(left))}. The turn has {format_span(period)} of their own time; {rest}."
    )
