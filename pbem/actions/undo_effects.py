"""Effects of undoing a change beside what was there before, so that the GM is asked as by the direct command.

A deadline that counts again leaves the players the least time, as the deadline of a
new turn does. Who has to prove less, or plays two seats, is told.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, update

from pbem.actions.deadlines import format_span
from pbem.campaign.deadlines import OpenTurnStatus, least_time, load_open_turns
from pbem.campaign.house_rules import HouseRules, is_less_proof
from pbem.campaign.row_changes import RowChange
from pbem.campaign.snapshot import Context
from pbem.errors import CampaignError
from pbem.store.models import Person, Seat, Turn
from pbem.store.types import SeatState
from pbem.text import format_time


@dataclass(frozen=True, slots=True)
class RestoredDeadline:
    """The deadline `before` counts again, but would leave players less than `least`: the turn is due `new` instead."""

    turn: OpenTurnStatus
    before: dt.datetime
    new: dt.datetime
    least: dt.timedelta

    @property
    def note(self) -> str:
        """The sentence that tells it to the GM."""
        new, before = (format_time(each, self.turn.schedule.zone) for each in (self.new, self.before))
        least = format_span(self.least)
        return f"Turn {self.turn.turn} is then due {new}, not {before}: players have at least {least}, and are told."


def find_deadline(context: Context, kind: str, rows: Sequence[RowChange]) -> RestoredDeadline | None:
    """Return how the open turn is due once a change of a kind is undone, if not at the deadline that counts again.

    Raises:
        CampaignError: If it would be due no sooner than it is now.
    """
    turn = next(iter(load_open_turns(context.session, context.snapshot.name)), None)
    before = _deadline_before(turn, kind, rows) if turn else None
    if turn is None or turn.deadline is None or before is None:
        return None
    least = least_time(turn.schedule, turn.policy)
    new = max(before, context.now + least)
    if before < turn.deadline <= new or (kind == "deadline" and new <= context.now):
        raise CampaignError(_explain_refusal(turn, before, least))
    return RestoredDeadline(turn, before, new, least) if new != before else None


def set_deadline(context: Context, restored: RestoredDeadline) -> str:
    """Set the deadline of the open turn, and let reminders go out again; return a clause for the journal."""
    new = {"deadline": restored.new, "reminded_at": None}
    context.session.execute(update(Turn).where(Turn.id == restored.turn.turn_id).values(new))
    return f"; turn {restored.turn.turn} is due {format_time(restored.new, restored.turn.schedule.zone)}"


def _deadline_before(turn: OpenTurnStatus, kind: str, rows: Sequence[RowChange]) -> dt.datetime | None:
    """Return the deadline that counts again; None if none does, or no player needs it: without a hold the turn runs."""
    if kind == "hold":
        return turn.deadline if any(map(turn.is_held_by, turn.awaited)) else None
    found = (row.before["deadline"] for row in rows if row.before and "deadline" in row.before)
    value = next(found, None) if kind == "deadline" else None
    return None if value is None else dt.datetime.fromisoformat(value)


def _explain_refusal(turn: OpenTurnStatus, before: dt.datetime, least: dt.timedelta) -> str:
    assert turn.deadline is not None
    due, again = (format_time(each, turn.schedule.zone) for each in (turn.deadline, before))
    return (
        f"turn {turn.turn} is due {due}, and cannot be due {again} again: players have at least {format_span(least)}. "
        f"To run it now: pbem run {turn.campaign} (by mail: RUN)"
    )


def side_effects(context: Context, rows: Sequence[RowChange]) -> Iterator[str]:
    """Yield sentences on rights that players have once these changes are undone."""
    for row in rows:
        if row.table == "campaign" and "policy" in (row.before or ()):
            yield from _less_proof(context, row.before or {})
    yield from _second_seats(context, {row.id: row.before for row in rows if row.table == "seat" and row.before})


def _less_proof(context: Context, before: Mapping[str, Any]) -> Iterator[str]:
    wanted = HouseRules.read(json.loads(before["policy"])).authentication
    if is_less_proof(wanted, context.snapshot.policy.authentication):
        yield "Less proof is then asked of who sends orders."


def _second_seats(context: Context, before: Mapping[int, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence on each person who gets a seat back, and plays another one."""
    if not any({"person_id", "status"} & set(values) for values in before.values()):
        return
    seats = select(Seat.id, Seat.name, Seat.person_id, Seat.status).where(Seat.campaign_id == context.snapshot.id)
    rows = [{**row._mapping, **before.get(row.id, {})} for row in context.session.execute(seats)]
    playing = [row for row in rows if row["person_id"] and row["status"] == SeatState.PLAYING]
    for back in playing:
        others = [row["name"] for row in playing if row["person_id"] == back["person_id"] and row["id"] != back["id"]]
        if others and back["id"] in before:
            address = context.session.get_one(Person, back["person_id"]).address
            yield f"{address} then plays {back['name']}, and {others[0]} too."
