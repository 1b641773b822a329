"""Effects of undoing a change beside what was there before, so that the GM is asked as by the direct command.

A deadline that counts again leaves the players the least time, as the deadline of a
new turn does. Who has to prove less, or plays two seats, is told. Where undoing does
not help, a change is put into the words of the command that does it again.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select, update

from pbem.campaign.deadlines import OpenTurnStatus, least_time, load_open_turns
from pbem.campaign.house_rules import HOUSE_RULES, OFF, SCHEDULE, HouseRules, is_less_proof, printed_name
from pbem.campaign.row_changes import RowChange
from pbem.campaign.snapshot import Context
from pbem.errors import CampaignError
from pbem.ruleset.tokenizer import quote_word
from pbem.store.models import OrderSheet, Person, Seat, Turn
from pbem.store.types import SeatState
from pbem.text import format_span, format_time


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


def command_words(context: Context, text: str, rows: Sequence[RowChange], *, undone: bool) -> dict[str, Any]:
    """Return what a change was about, as its command has it: seats, an address, a deadline, house rules.

    Args:
        context: The campaign.
        text: The change in words. A seat that is not known otherwise is one that it names, or the first.
        rows: The rows that it changed, or those that are still known.
        undone: It is to be done again, and not to be taken back.
    """
    named = text.replace(",", " ").split()
    first = next((word for word in named if word in context.snapshot.seats), next(iter(context.snapshot.seats), ""))
    known = {"name": context.snapshot.name, "seat": first, **_seats_of(context, rows, undone=undone)}
    addresses = [word for word in named if "@" in word]
    if addresses and not any(change.table == "seat" for change in rows):
        known["address"] = addresses[0]
    for change in rows:
        before, after = change.before or {}, change.after or {}
        if after.get("deadline"):
            zone = ZoneInfo(context.snapshot.schedule.zone)
            known["time"] = f"{dt.datetime.fromisoformat(after['deadline']).astimezone(zone):%Y-%m-%dT%H:%M}"
        if {"policy", "schedule"} & after.keys():
            known["rules"] = " ".join(_rules_set(before, after))
    return known


def _seats_of(context: Context, rows: Sequence[RowChange], *, undone: bool) -> Mapping[str, str]:
    """Return the seats that a change was about, and whom the first is given to, or back to."""
    seats = [change for change in rows if change.table == "seat"]
    known = dict(zip(("seat", "other"), (context.session.get_one(Seat, each.id).name for each in seats), strict=False))
    player = (seats[0].after if undone else seats[0].before) if seats else None
    if person := context.session.get(Person, (player or {}).get("person_id") or 0):
        known["address"] = person.address
    sheets = [change.id for change in rows if change.table == "sheet"]
    whose = select(Seat.name).join(OrderSheet, OrderSheet.seat_id == Seat.id).where(OrderSheet.id.in_(sheets))
    if seat := context.session.scalar(whose.limit(1)):
        known["seat"] = seat
    return known


def _rules_set(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the house rules in which two states of a campaign's row differ, as a GM types them."""
    if "schedule" in after:
        yield f'{SCHEDULE}="{after["schedule"]}"'
    was, now = (HouseRules.read(json.loads(each.get("policy", "{}"))) for each in (before, after))
    for name in (name for name in HOUSE_RULES if name != SCHEDULE):
        if (value := getattr(now, name)) != getattr(was, name):
            yield f"{printed_name(name)}={quote_word(HOUSE_RULES[name].show(value) or OFF)}"
