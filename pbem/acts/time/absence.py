"""Absences that players tell of: deadlines to be set keep out of them, as far as the house rules allow."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from pbem.acts.act import Deed, Reversible, Scene
from pbem.acts.arguments import DAY, SeatCommand
from pbem.campaign.deadlines import start_of
from pbem.campaign.journal import note
from pbem.campaign.snapshot import CampaignSnapshot, find_place, open_deadline
from pbem.store.models import Absence
from pbem.store.types import Phase
from pbem.text import when

MOST_ABSENCES = 6
"""Absences of one seat that are kept at a time."""

AHEAD = dt.timedelta(days=366)
"""Absences are noted no longer before."""

_DAY = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class NoteAbsence(SeatCommand):
    """Tell that you cannot send orders from one day to another, such as 2026-12-24 or 24 Dec 2026; deadlines yet to be
    set keep out of that time."""

    usage = "ABSENT first [TO last]"
    weight = Reversible("", "PRESENT")
    first: Annotated[str, DAY]
    last: Annotated[str | None, DAY] = None

    def do(self, scene: Scene) -> Deed:
        """Notes it, unless it makes no sense or is more than the house allows."""
        session, snapshot, now = scene.session, scene.snapshot, scene.now
        place, zone = find_place(snapshot, self.seat), snapshot.schedule.zone
        first, last = dt.date.fromisoformat(self.first), dt.date.fromisoformat(self.last or self.first)
        if wrong := _senseless(first, last, now):
            return Deed(f"Your absence was not noted: {wrong}")
        first = max(first, now.date() - _DAY)  # days that are over count against no limit
        since, until = start_of(first, zone), start_of(last + _DAY, zone)
        if refused := _too_much(snapshot, _to_come(session, place.id, now), since, until):
            return Deed(f"Your absence was not noted: {refused}")
        session.add(Absence(seat_id=place.id, since=since, until=until))
        said = f"seat {place.seat} is absent from {first} to {last}"
        note(session, snapshot.id, now, actor=place.seat, text=said, secret=True)
        days = f"on {first}" if first == last else f"from {first} to {last}"
        kept = f"You are absent {days}. Deadlines that are set from now on keep out of that time."
        return Deed(f"{kept} {_stays(session, snapshot)}")


@dataclass(frozen=True, slots=True)
class EndAbsences(SeatCommand):
    """Take back all your absences."""

    usage = "PRESENT"
    weight = Reversible("", "ABSENT first TO last")

    def do(self, scene: Scene) -> Deed:
        """Takes back all absences of the seat that are not over."""
        session, snapshot, now = scene.session, scene.snapshot, scene.now
        place = find_place(snapshot, self.seat)
        absences = _to_come(session, place.id, now)
        if not absences:
            return Deed("You had told of no absence, so there is none to take back.")
        session.execute(delete(Absence).where(Absence.id.in_([absence.id for absence in absences])))
        note(session, snapshot.id, now, actor=place.seat, text=f"seat {place.seat} is not absent", secret=True)
        return Deed(f"Your absences are taken back. {_stays(session, snapshot)}")


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


def _too_much(snapshot: CampaignSnapshot, absences: list[Absence], since: dt.datetime, until: dt.datetime) -> str:
    """Which limit of the house the new absence would break, together with those that touch it; "" if none."""
    most = snapshot.policy.absence_days
    if most == 0:
        return f"in {snapshot.name} deadlines do not wait for absences. You may PAUSE instead, or name a DEPUTY."
    if len(absences) >= MOST_ABSENCES:
        return f"you have told of {MOST_ABSENCES} already. PRESENT takes them all back."
    if _longest([*((absence.since, absence.until) for absence in absences), (since, until)]).days > most:
        return (
            f"in {snapshot.name} deadlines wait for no more than {most} days in a row. You may tell of fewer, or PAUSE,"
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


def _stays(session: Session, snapshot: CampaignSnapshot) -> str:
    due = open_deadline(session, snapshot) if snapshot.status == Phase.RUNNING else None
    return f"The current deadline stays: {when(due, snapshot.schedule.zone)}." if due else ""
