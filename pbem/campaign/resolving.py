"""What the run of a turn comes to, computed from one look at the database and without touching it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.archive import SheetReceived, turn_dice, turn_files, turn_record
from pbem.campaign.history import Past, events_from, orders_used, removed_before
from pbem.campaign.reporting import MadeReport, Opening, make_reports
from pbem.campaign.table import (
    LastReport,
    OpenTurn,
    Place,
    SheetIn,
    Table,
    live,
    load_last_reports,
    load_open_turn,
)
from pbem.house import House
from pbem.report import SheetUsed
from pbem.ruleset import AnyRuleset, Event, Order, Seat, Standing, TurnInput, View, all_views, canonical, digest, seal
from pbem.store.models import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What the run of a turn starts from.

    `previous` is the record of the turn before; `removed` are the seats the GM
    took out since.
    """

    table: Table
    ruleset: AnyRuleset
    turn: OpenTurn
    last: Mapping[Seat, LastReport]
    previous: bytes
    removed: frozenset[Seat]


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """What the run of a turn comes to: the next state, and all that is kept, mailed and archived."""

    state: bytes
    state_hash: str
    standing: Standing
    deadline: dt.datetime | None
    turn: TurnInput
    reports: Sequence[MadeReport]
    record: bytes
    files: Mapping[str, bytes]


def look(session: Session, house: House, table: Table) -> Before:
    """Everything the run of the open turn needs. Raises CampaignError if there is no open turn."""
    turn = load_open_turn(session, table)
    ruleset = house.game(table.game)
    previous = select(Turn.record).where(live(table.id), Turn.number == turn.number - 1)
    gone = frozenset(place.seat for place in table.places if not place.playing)
    return Before(
        table=table,
        ruleset=ruleset,
        turn=turn,
        last=load_last_reports(session, table),
        previous=session.scalars(previous).one() or b"{}",
        removed=gone - removed_before(session, table.id) if gone else gone,
    )


def compute(house: House, before: Before, now: dt.datetime) -> After:
    """Resolves the open turn and makes its reports and record."""
    table, ruleset, turn = before.table, before.ruleset, before.turn
    counted = _counted(table, turn.sheets)
    given = _input(before, counted)
    state, events = ruleset.resolve(
        ruleset.load(json.loads(turn.state), table.version), given, turn_dice(table.seed, turn.number)
    )
    standing = ruleset.standing(state)
    opening = _opening(before, counted, given, standing, now)
    reports = make_reports(house, ruleset, opening, _views(house, before, state, events, standing))
    dumped = ruleset.dump(state)
    files = turn_files(
        [made.parts.files() for made in reports],
        sheets=received(table, turn.sheets),
        orders=given.orders,
        book=ruleset.orders,
    )
    record = turn_record(
        campaign=table.name,
        ruleset=ruleset,
        number=turn.number,
        options=table.options,
        seats=table.seats,
        seal=opening.seal,
        opened=turn.opened_at,
        resolved=now,
        turn=given,
        used=opening.used,
        state_before=turn.state_hash,
        state_after=digest(dumped),
        events=events,
        files=files,
        previous=before.previous,
    )
    return After(
        state=canonical(dumped),
        state_hash=digest(dumped),
        standing=standing,
        deadline=opening.deadline,
        turn=given,
        reports=reports,
        record=record,
        files=files,
    )


def received(table: Table, sheets: Sequence[SheetIn]) -> list[SheetReceived]:
    """The sheets of a turn as the archive keeps them, by seat and version."""
    names = {place.id: place.seat for place in table.places}
    found = [SheetReceived(names[sheet.seat_id], sheet.version, sheet.text) for sheet in sheets]
    return sorted(found, key=lambda sheet: (sheet.seat, sheet.version))


def _counted(table: Table, sheets: Sequence[SheetIn]) -> dict[Seat, SheetIn]:
    """The sheet that counts for each playing seat: its last accepted one."""
    names = {place.id: place.seat for place in table.playing}
    return {names[sheet.seat_id]: sheet for sheet in sheets if sheet.accepted and sheet.seat_id in names}


def _input(before: Before, counted: Mapping[Seat, SheetIn]) -> TurnInput:
    ruleset, playing = before.ruleset, [place.seat for place in before.table.playing]
    missing = [seat for seat in playing if seat in before.turn.awaited and seat not in counted]
    kept = orders_used(before.previous, ruleset.orders) if missing else {}
    orders: dict[Seat, tuple[Order, ...]] = {}
    for seat in playing:
        if seat in counted:
            orders[seat] = tuple(map(ruleset.orders.from_json, counted[seat].orders))
        elif seat in missing:
            view = json.loads(before.last[seat].view)
            orders[seat] = tuple(ruleset.defaults(view, kept.get(seat, ())))
    return TurnInput(orders, frozenset(missing), before.removed)


def _opening(
    before: Before, counted: Mapping[Seat, SheetIn], given: TurnInput, standing: Standing, now: dt.datetime
) -> Opening:
    table = before.table
    return Opening(
        table=table,
        number=before.turn.number + 1,
        deadline=None if standing.over else table.schedule.next_after(now),
        seal=seal(table.seed),
        seed=table.seed.hex() if standing.over else "",
        used={seat: SheetUsed(sheet.version, sheet.digest) for seat, sheet in counted.items()},
        missing=given.missing,
    )


def _views(
    house: House, before: Before, state: Any, events: tuple[Event, ...], standing: Standing
) -> list[tuple[Place, View]]:
    """The views of the seats that get a report now, each with all that happened since its last one."""
    told = _told(before.table, standing)
    since = {place.seat: before.last[place.seat].number for place in told}
    past = _past(house, before, min(since.values(), default=before.turn.number))
    views: dict[Seat, View] = {}
    for first in sorted(set(since.values())):
        seats = [seat for seat, number in since.items() if number == first]
        earlier = chain.from_iterable(past[number] for number in range(first, before.turn.number))
        views |= all_views(before.ruleset, state, seats, (*earlier, *events))
    return [(place, views[place.seat]) for place in told]


def _told(table: Table, standing: Standing) -> list[Place]:
    if standing.over or standing.told is None:
        return list(table.playing)
    return [place for place in table.playing if place.seat in standing.told | standing.awaiting]


def _past(house: House, before: Before, first: int) -> Past:
    if first == before.turn.number:
        return {}
    with house.store.reading() as session:
        return events_from(session, before.table, before.ruleset, first)
