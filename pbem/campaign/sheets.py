"""The house's one sheet-keeper: every order sheet is kept, copied and receipted here, whoever has sent it."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, cast

from sqlalchemy import Table, bindparam, case, func, insert, select
from sqlalchemy.orm import Session

from pbem.campaign.reading import Reading
from pbem.report.answers import Receipt, compare
from pbem.ruleset.order_types import Order
from pbem.ruleset.orders import OrderBook
from pbem.ruleset.values import Seat
from pbem.store.models import Sheet, Turn

Author = Literal["player", "deputy", "gm"]

_SHEETS = cast(Table, Sheet.__table__)
_COPIED = [column.name for column in _SHEETS.columns if column.name not in ("id", "turn_id")]
_SENT = (Sheet.turn_id == bindparam("turn_id"), Sheet.seat_id == bindparam("seat_id"))
_LAST = select(func.max(Sheet.version), func.max(case((Sheet.accepted, Sheet.version)))).where(*_SENT)
_ORDERS = select(Sheet.orders).where(*_SENT, Sheet.version == bindparam("version"))
_KEEP = insert(_SHEETS)
"""Statements built once: building them takes longer than running them."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The sheet that counts for a seat so far."""

    version: int
    orders: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a seat has sent for a turn before one more sheet: the version that came last, and the one that counts."""

    turn_id: int
    seat_id: int
    last: int
    counted: Counted | None = None

    @property
    def next(self) -> int:
        """The version of the one more."""
        return self.last + 1


def earlier_sheets(session: Session, book: OrderBook, *, turn_id: int, seat_id: int) -> Earlier:
    """What a seat has sent for a turn so far."""
    database, which = session.connection(), {"turn_id": turn_id, "seat_id": seat_id}
    last, counted = database.execute(_LAST, which).one()
    if counted is None:
        return Earlier(turn_id, seat_id, last or 0)
    orders = database.execute(_ORDERS, {**which, "version": counted}).scalar_one()
    return Earlier(turn_id, seat_id, last, Counted(counted, tuple(map(book.from_json, orders))))


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRead:
    """A sheet to be kept as it reads, its `text` as it was received: if there is none, the lines that were read.

    With `wait`, the turn shall not run before its deadline because of it.
    """

    reading: Reading
    earlier: Earlier
    author: Author
    wait: bool
    text: str = ""
    letter_id: int | None = None


def keep_sheets(session: Session, sheets: Iterable[SheetRead], now: dt.datetime) -> None:
    """Keeps sheets, no two of them of the same seat."""
    rows = [_row(sheet, now) for sheet in sheets]
    if rows:
        session.connection().execute(_KEEP, rows)


def _row(sheet: SheetRead, now: dt.datetime) -> dict[str, Any]:
    reading, earlier = sheet.reading, sheet.earlier
    return {
        "turn_id": earlier.turn_id,
        "seat_id": earlier.seat_id,
        "letter_id": sheet.letter_id,
        "version": earlier.next,
        "accepted": reading.accepted,
        "wait": sheet.wait,
        "digest": reading.digest,
        "text": sheet.text or reading.text,
        "orders": reading.orders,
        "findings": [dataclasses.asdict(finding) for finding in reading.parsed.findings],
        "received_at": now,
        "author": sheet.author,
    }


def receipt_name(campaign: str, seat: Seat, turn: int, version: int, era: int) -> tuple[str | int, ...]:
    """What the Message-ID of a receipt is made of, so that each sheet has one and no more."""
    return ("receipt", campaign, seat, turn, version, era)


def copy_sheets(
    session: Session, source: Turn, target: Turn, *, but: Iterable[int] = (), wait: bool | None = None
) -> None:
    """Copies the sheets of one turn to another, except those of some seats, by id.

    With `wait`, the turn shall not run before its deadline because of them.
    """
    rows = session.connection().execute(
        select(*(_SHEETS.c[name] for name in _COPIED))
        .where(_SHEETS.c.turn_id == source.id, _SHEETS.c.seat_id.not_in(list(but)))
        .order_by(_SHEETS.c.id)
    )
    more: dict[str, Any] = {"turn_id": target.id} | ({} if wait is None else {"wait": wait})
    copies = [{**row._mapping, **more} for row in rows]
    if copies:
        session.connection().execute(_KEEP, copies)


def make_receipt(
    reading: Reading,
    earlier: Earlier,
    book: OrderBook,
    *,
    campaign: str,
    seat: Seat,
    label: str,
    deadline: dt.datetime | None,
    held: bool,
    zone: str,
) -> Receipt:
    """What a player is told of a sheet, however it came; whoever took it adds what is so of his way.

    Of a deadline nothing is told while the turn is `held`: it does not run then.
    """
    counted = earlier.counted
    replaced = counted if reading.accepted else None
    return Receipt(
        campaign=campaign,
        seat=seat,
        label=label,
        version=earlier.next,
        digest=reading.digest,
        accepted=reading.accepted,
        orders=reading.restated,
        findings=reading.told,
        deadline=None if held else deadline,
        held=held,
        zone=zone,
        counts=counted.version if counted else None,
        replaces=compare(replaced.version, replaced.orders, reading.parsed.orders, book) if replaced else None,
        complete=reading.parsed.complete,
        missing=reading.missing,
        notes=reading.notes,
    )
