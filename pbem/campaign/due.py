"""Which turns are to be resolved now, and who is to be reminded."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import RowMapping, select, update
from sqlalchemy.orm import Session

from pbem.campaign.schedule import Schedule
from pbem.campaign.table import LastReport, Place, Table, load_last_reports, load_table
from pbem.errors import StoreError, in_words
from pbem.house import House
from pbem.post.codes import message_id, plus_address, subject_tag
from pbem.post.outbox import queue_many
from pbem.post.writing import Mail
from pbem.report import Reminder
from pbem.ruleset import Seat
from pbem.store.models import Campaign, SeatRow, Sheet, Turn

REMINDER = dt.timedelta(hours=24)
"""How long before its deadline a turn's reminders go out; at the soonest halfway to it."""


@dataclass(frozen=True, slots=True)
class Counting:
    """The accepted sheet that counts for a seat."""

    version: int
    wait: bool
    received_at: dt.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An open turn and what it waits for."""

    campaign: str
    turn_id: int
    turn: int
    opened_at: dt.datetime
    deadline: dt.datetime | None
    reminded_at: dt.datetime | None
    settle: dt.timedelta
    schedule: Schedule
    awaited: tuple[Seat, ...]
    sheets: dict[Seat, Counting]

    def is_held_by(self, seat: Seat) -> bool:
        """Whether the turn waits for its deadline because of this seat."""
        return seat in self.awaited and (seat not in self.sheets or self.sheets[seat].wait)

    def reason(self, now: dt.datetime, *, by_deadline: bool) -> str | None:
        """Why the turn is to be resolved now; None if it is not."""
        if by_deadline and self.deadline is not None and now >= self.deadline:
            return "deadline"
        if any(map(self.is_held_by, self.awaited)):
            return None
        last = max((sheet.received_at for sheet in self.sheets.values()), default=self.opened_at)
        return "all sheets in" if now >= last + self.settle else None

    def needs_reminding(self, now: dt.datetime) -> bool:
        """Whether its reminders are to go out now; it is too late for them when the deadline has passed."""
        if self.deadline is None or self.reminded_at is not None:
            return False
        return self.deadline - min(REMINDER, (self.deadline - self.opened_at) / 2) <= now < self.deadline


@dataclass(frozen=True, slots=True)
class Due:
    """A turn to be resolved, and why."""

    campaign: str
    turn: int
    reason: str


def due(house: House, now: dt.datetime, *, by_deadline: bool = True) -> list[Due]:
    """The turns to be resolved now; without `by_deadline`, only those for which all sheets are in."""
    with house.store.reading() as session:
        turns = load_waiting(session)
    reasons = ((turn, turn.reason(now, by_deadline=by_deadline)) for turn in turns)
    return [Due(turn.campaign, turn.turn, reason) for turn, reason in reasons if reason is not None]


def remind(house: House, now: dt.datetime) -> tuple[int, list[str]]:
    """Queues one reminder to each awaited seat that holds its turn up, as deadlines draw near.

    Returns how many, and a sentence for each campaign whose reminders could not be written.
    """
    with house.store.reading() as session:
        turns = [turn for turn in load_waiting(session) if turn.needs_reminding(now)]
    count, problems = 0, []
    for turn in turns:
        try:
            count += _remind(house, turn, now)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one game's fault must not stop the other campaigns
            problems.append(f"campaign {turn.campaign}: nobody could be reminded ({in_words(error)})")
    return count, problems


def load_waiting(session: Session, campaign: str | None = None) -> list[Waiting]:
    """The open turns of all running campaigns, or of one; in the order of their creation."""
    is_open = [Campaign.status == "running", Turn.resolved_at.is_(None)]
    if campaign is not None:
        is_open.append(Campaign.name == campaign)
    at_table = (Turn.campaign_id == Campaign.id) & (Turn.number == Campaign.turn) & Turn.shelf_id.is_(None)
    turns = session.execute(
        select(
            Campaign.id.label("campaign_id"),
            Campaign.name.label("campaign"),
            Campaign.schedule,
            Campaign.settle_minutes,
            Turn.id.label("turn_id"),
            Turn.number.label("turn"),
            Turn.opened_at,
            Turn.deadline,
            Turn.reminded_at,
            Turn.awaited,
        )
        .join(Turn, at_table)
        .where(*is_open)
        .order_by(Campaign.id)
    ).all()
    manned: dict[int, list[Seat]] = defaultdict(list)
    seats = select(SeatRow.campaign_id, SeatRow.name).where(SeatRow.status == "playing", ~SeatRow.paused)
    for campaign_id, seat in session.execute(seats.order_by(SeatRow.id)):
        manned[campaign_id].append(seat)
    counting: dict[int, dict[Seat, Counting]] = defaultdict(dict)
    sheets = (
        select(Sheet.turn_id, SeatRow.name, Sheet.version, Sheet.wait, Sheet.received_at)
        .join(SeatRow, SeatRow.id == Sheet.seat_id)
        .join(Turn, Turn.id == Sheet.turn_id)
        .join(Campaign, at_table)
        .where(Sheet.accepted, *is_open)
        .order_by(Sheet.version)
    )
    for turn_id, seat, version, wait, received_at in session.execute(sheets):
        counting[turn_id][seat] = Counting(version, wait, received_at)
    return [_waiting(row._mapping, manned[row.campaign_id], counting[row.turn_id]) for row in turns]


def _waiting(row: RowMapping, manned: Sequence[Seat], sheets: dict[Seat, Counting]) -> Waiting:
    plain = {name: row[name] for name in ("campaign", "turn_id", "turn", "opened_at", "deadline", "reminded_at")}
    return Waiting(
        **plain,
        settle=dt.timedelta(minutes=row["settle_minutes"]),
        schedule=Schedule.read(row["schedule"]),
        awaited=tuple(seat for seat in manned if seat in row["awaited"]),
        sheets=sheets,
    )


def _remind(house: House, turn: Waiting, now: dt.datetime) -> int:
    with house.store.writing() as session:
        ours = update(Turn).where(Turn.id == turn.turn_id, Turn.reminded_at.is_(None), Turn.resolved_at.is_(None))
        if session.scalar(ours.values(reminded_at=now).returning(Turn.id)) is None:
            return 0
        table = load_table(session, turn.campaign)
        last = load_last_reports(session, table)
        late = [place for place in table.playing if turn.is_held_by(place.seat)]
        mails = [(_reminder(house, table, turn, place, last[place.seat]), table.id) for place in late]
        queue_many(session, mails, house.settings, now)
        return len(mails)


def _reminder(house: House, table: Table, turn: Waiting, place: Place, last: LastReport) -> Mail:
    assert turn.deadline is not None
    settings, view = house.settings, json.loads(last.view)
    parts = ("reminder", table.name, place.seat, turn.turn, table.era, turn.deadline.isoformat())
    page = Reminder(
        campaign=table.name,
        seat=place.seat,
        label=view["label"],
        deadline=turn.deadline,
        zone=turn.schedule.zone,
        header=f"ORDERS {table.name} {place.seat} {last.code}",
        address=settings.address,
        order_lines=tuple(house.game(table.game).template(view)),
        counted=sheet.version if (sheet := turn.sheets.get(place.seat)) else None,
    )
    return Mail(
        recipient=place.address,
        subject=f"{subject_tag(table.name, last.code)} Orders are due: {view['label']}",
        text=house.reporter.write(page),
        message_id=message_id(table.mail_key, settings.domain, *parts),
        reply_to=plus_address(settings.address, last.code),
        in_reply_to=last.message_id,
        references=(last.message_id,),
        automatic="auto-generated",
    )
