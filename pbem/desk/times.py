"""What players ask for about time: absences, and more of it for a turn."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from pbem.acts.time.extending import vote
from pbem.campaign.deadlines import start_of
from pbem.campaign.journal import note
from pbem.campaign.table import Table, locked_table
from pbem.desk.commands import Absent, Extend, Present
from pbem.desk.requests import Asked, Handlers
from pbem.report.wording import when
from pbem.store.models import Absence

MOST_ABSENCES = 6
"""Absences of one seat that are kept at a time."""

AHEAD = dt.timedelta(days=366)
"""Absences are noted no longer before."""

_DAY = dt.timedelta(days=1)


def note_absence(asked: Asked, order: Absent) -> str:
    """Notes an absence, in whole days of the campaign's zone; deadlines to be set keep out of it."""
    session, now = asked.case.session, asked.case.now
    table = locked_table(session, asked.spot.campaign)
    zone = table.schedule.zone
    first, last = dt.date.fromisoformat(order.first), dt.date.fromisoformat(order.last or order.first)
    if wrong := _senseless(first, last, now):
        return f"Your absence was not noted: {wrong}"
    first = max(first, now.date() - _DAY)
    since, until = start_of(first, zone), start_of(last + _DAY, zone)
    if refused := _too_much(table, _to_come(session, asked.spot.seat_id, now), since, until):
        return f"Your absence was not noted: {refused}"
    session.add(Absence(seat_id=asked.spot.seat_id, since=since, until=until))
    said = f"seat {asked.spot.seat} is absent from {first} to {last}"
    note(session, table.id, now, actor=asked.spot.seat, text=said, secret=True)
    days = f"on {first}" if first == last else f"from {first} to {last}"
    return f"You are absent {days}. Deadlines that are set from now on keep out of that time. {_stays(asked, table)}"


def end_absences(asked: Asked, _: Present) -> str:
    """Takes back all absences of a seat that are not over."""
    session, now = asked.case.session, asked.case.now
    table = locked_table(session, asked.spot.campaign)
    absences = _to_come(session, asked.spot.seat_id, now)
    if not absences:
        return "You had told of no absence, so there is none to take back."
    session.execute(delete(Absence).where(Absence.id.in_([absence.id for absence in absences])))
    note(session, table.id, now, actor=asked.spot.seat, text=f"seat {asked.spot.seat} is not absent", secret=True)
    return f"Your absences are taken back. {_stays(asked, table)}"


def ask_for_time(asked: Asked, _: Extend) -> str:
    """Counts a seat's wish for more time for the open turn."""
    case = asked.case
    table = locked_table(case.session, asked.spot.campaign)
    if table.status != "running":
        return f"The campaign {table.name} has no turn open, so there is nothing to extend."
    return vote(case.session, case.house, table, asked.spot.seat, case.now)


HANDLERS: Handlers = {Absent: note_absence, Present: end_absences, Extend: ask_for_time}
"""What is done for each of these commands."""


def _to_come(session: Session, seat_id: int, now: dt.datetime) -> list[Absence]:
    mine = select(Absence).where(Absence.seat_id == seat_id, Absence.until > now)
    return list(session.scalars(mine.order_by(Absence.since)))


def _senseless(first: dt.date, last: dt.date, now: dt.datetime) -> str:
    """What is wrong with these days, if anything."""
    if last < first:
        return f"{last} is before {first}."
    # A day's tolerance, since the zones of player and campaign may differ.
    if last < now.date() - _DAY:
        return f"{last} is over."
    if last > (now + AHEAD).date():
        return f"{last} is more than a year ahead; please tell nearer the time."
    return ""


def _too_much(table: Table, absences: list[Absence], since: dt.datetime, until: dt.datetime) -> str:
    """Which limit of the house the new absence would break, together with those that touch it; "" if none."""
    most = table.policy.absence_days
    if most == 0:
        return f"in {table.name} deadlines do not wait for absences. You may PAUSE instead, or name a DEPUTY."
    if len(absences) >= MOST_ABSENCES:
        return f"you have told of {MOST_ABSENCES} already. PRESENT takes them all back."
    if _longest([*((absence.since, absence.until) for absence in absences), (since, until)]).days > most:
        return (
            f"in {table.name} deadlines wait for no more than {most} days in a row. You may tell of fewer, or PAUSE,"
            " or name a DEPUTY for the time."
        )
    return ""


def _longest(spans: list[tuple[dt.datetime, dt.datetime]]) -> dt.timedelta:
    """The longest time that the spans cover without a gap."""
    ordered = sorted(spans)
    merged = [ordered[0]]
    for _, (since, until) in pairwise(ordered):
        start, end = merged[-1]
        if since <= end:
            merged[-1] = (start, max(end, until))
        else:
            merged.append((since, until))
    return max(until - since for since, until in merged)


def _stays(asked: Asked, table: Table) -> str:
    if asked.spot.deadline is None or table.status != "running":
        return ""
    return f"The current deadline stays: {when(asked.spot.deadline, table.schedule.zone)}."
