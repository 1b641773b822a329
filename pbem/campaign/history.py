"""Looks back into earlier turns of a campaign: their records, and what happened in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from pbem.archive.record import Withdrawn, file_hash, recorded_rolls, turn_dice
from pbem.campaign.snapshot import CampaignSnapshot, live
from pbem.ruleset.order_types import Order
from pbem.ruleset.orders import OrderBook
from pbem.ruleset.protocol import AnyRuleset, TurnInput
from pbem.ruleset.values import Event, Seat
from pbem.store.models import Shelf, Turn
from pbem.store.session import flushed

Past = Mapping[int, tuple[Event, ...]]
"""What happened in earlier turns, by their number."""


def removed_before(session: Session, campaign_id: int, number: int) -> frozenset[Seat]:
    """The seats that the turns before that of this number were told the GM took out."""
    return frozenset(seat for seat, run in removed_in(session, campaign_id).items() if run < number)


def removed_in(session: Session, campaign_id: int) -> dict[Seat, int]:
    """Return the turn that was run without it, by each seat that has left the game; others may still come back."""
    runs = select(Turn.number, Turn.record).where(live(campaign_id), Turn.record.is_not(None))
    return {
        seat: number
        for number, record in session.execute(runs)
        for seat in json.loads(record or b"{}").get("removed", ())
    }


_WITHDRAWN = (
    select(Turn.record, Shelf.kind)
    .join(Shelf, Shelf.id == Turn.shelf_id)
    .where(Turn.campaign_id == bindparam("campaign"), Turn.record.is_not(None))
    .order_by(Turn.id)
)


_RECORDED_KINDS = {"undo": "forward", "repair": "mend"}
"""Kinds whose words in records are older than those in the database: records never change."""


def all_withdrawn(session: Session, campaign_id: int) -> tuple[Withdrawn, ...]:
    """The records that rollbacks and reruns took out of a campaign's history, in the order in which they were made."""
    rows = flushed(session).execute(_WITHDRAWN, {"campaign": campaign_id})
    return tuple(
        Withdrawn(json.loads(record)["number"], file_hash(record), _RECORDED_KINDS.get(kind, kind))
        for record, kind in rows
        if record
    )


def orders_used(record: bytes, book: OrderBook) -> dict[Seat, tuple[Order, ...]]:
    """The orders a turn was resolved with, from its record; a seat whose orders no longer exist is left out."""
    return orders_told(json.loads(record), book)


def orders_told(record: Mapping[str, Any], book: OrderBook) -> dict[Seat, tuple[Order, ...]]:
    """The same, of a record that was read already."""
    used = {}
    for seat, orders in record.get("orders", {}).items():
        try:
            used[seat] = tuple(map(book.from_json, orders))
        except (KeyError, TypeError):
            continue
    return used


def events_from(session: Session, snapshot: CampaignSnapshot, ruleset: AnyRuleset, first: int) -> Past:
    """What happened in the turns from `first` to the one before the one of the snapshot.

    A seat that was told nothing at an opening hears of it in its next report;
    as turns come out the same each time, they are resolved again for that.
    """
    rows = session.execute(
        select(Turn.number, Turn.state, Turn.record)
        .where(live(snapshot.id), Turn.number >= first - 1, Turn.number < snapshot.turn, Turn.record.is_not(None))
        .order_by(Turn.number)
    )
    turns = [(number, state, json.loads(record or b"")) for number, state, record in rows]
    # A state was written by the run of the turn before, which may have been of an older version of the game.
    return {
        number: _events(snapshot, ruleset, number, ruleset.load(json.loads(state), earlier["version"]), record)
        for (_, _, earlier), (number, state, record) in pairwise(turns)
    }


def _events(
    snapshot: CampaignSnapshot, ruleset: AnyRuleset, number: int, before: Any, record: Mapping[str, Any]
) -> tuple[Event, ...]:
    orders = {
        seat: tuple(ruleset.orders.from_json(order) for order in orders) for seat, orders in record["orders"].items()
    }
    missing, removed = frozenset(record["missing"]), frozenset(record["removed"])
    turn = TurnInput(orders, missing, removed, record.get("ruling"), recorded_rolls(record))
    return ruleset.resolve(before, turn, turn_dice(snapshot.dice_seed, number))[1]
