"""Takes an order sheet: reads it against the mailed view, keeps it, and writes its receipt."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Table, bindparam, insert, select
from sqlalchemy.orm import Session

from pbem.campaign.schedule import Schedule
from pbem.campaign.tokens import TOKEN_BYTES, token_fits
from pbem.desk.replies import Case, answer, receipt
from pbem.desk.seats import Spot
from pbem.desk.sheet import MASK, SheetText
from pbem.post.codes import CODE_CHARACTERS
from pbem.report import Receipt, Refusal, compare, restate, tell
from pbem.ruleset import AnyRuleset, Finding, Order, Parsed, View, digest
from pbem.store.models import Sheet

SHEETS_A_TURN = 100
"""More sheets of one seat for one turn are not read: no person sends them."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The sheet that counts for a seat so far."""

    version: int
    orders: tuple[Order, ...]
    wait: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A sheet as its receipt tells it: what was read, and of which lines."""

    parsed: Parsed
    lines: Sequence[tuple[int, str]]
    notes: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Only a sheet with nothing but errors is not taken; an empty one is."""
        return bool(self.parsed.entries) or not self.parsed.errors

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong or worth a look."""
        return tuple(finding for finding in self.parsed.findings if not _is_missing(finding))

    @property
    def missing(self) -> tuple[str, ...]:
        """What the sheet leaves open, in the ruleset's words."""
        return tuple(finding.text for finding in self.parsed.findings if _is_missing(finding))


def take_sheet(case: Case, spot: Spot, sheet: SheetText, notes: tuple[str, ...]) -> tuple[str, bool]:
    """Reads and keeps a sheet for the open turn, and queues its receipt.

    Returns what to note of the letter, and whether there was a sheet to keep.
    """
    ruleset = case.house.game(spot.game)
    last, counted = _earlier(case.session, spot, ruleset)
    if last >= SHEETS_A_TURN:
        return f"not answered: seat {spot.seat} has sent {SHEETS_A_TURN} sheets for this turn", False
    if _asks_nothing(sheet, spot, counted):
        return _nothing_to_take(case, spot, sheet, counted), False
    view = json.loads(spot.view)
    reading = _read(ruleset, view, sheet, counted)
    orders = [ruleset.orders.to_json(order) for order in reading.parsed.orders]
    version, complete = last + 1, reading.parsed.complete
    _keep(case, spot, sheet, reading, version=version, wait=bool(sheet.wait) or not complete, orders=orders)
    told = Receipt(
        campaign=spot.campaign,
        seat=spot.seat,
        label=view["label"],
        version=version,
        digest=digest(orders),
        accepted=reading.accepted,
        orders=restate(reading.parsed),
        findings=tell(reading.findings, reading.lines),
        deadline=spot.deadline,
        zone=Schedule.read(spot.schedule).zone,
        counts=counted.version if counted else None,
        replaces=_replacement(ruleset, counted, reading),
        wait=bool(sheet.wait),
        complete=complete,
        missing=reading.missing,
        notes=(*case.letter.notes, *sheet.notes, *notes, *reading.notes),
    )
    receipt(case, spot, case.house.reporter.write(told), version=version)
    return f"sheet {version} of {spot.seat} in {spot.campaign}" + ("" if reading.accepted else ", only errors"), True


def _asks_nothing(sheet: SheetText, spot: Spot, counted: Counted | None) -> bool:
    """Whether a letter only looks like a sheet: an empty reply, or one above the report's own sheet, not filled in."""
    if sheet.header is None:
        return sheet.empty and not (counted and sheet.wait is not None)
    return sheet.empty and sheet.wait is None and sheet.below_text and sheet.header.key.lower() == spot.code


def read_lines(ruleset: AnyRuleset, view: View, lines: Sequence[tuple[int, str]]) -> Reading:
    """What a sheet's lines come to, for a receipt or for a check at home."""
    return Reading(ruleset.parse(view, lines), lines)


def _read(ruleset: AnyRuleset, view: View, sheet: SheetText, counted: Counted | None) -> Reading:
    """A sheet that says WAIT or FINAL and nothing else keeps the orders that count so far."""
    if not (sheet.empty and sheet.wait is not None and counted):
        return read_lines(ruleset, view, sheet.lines)
    kept = [(number, ruleset.orders.line(order)) for number, order in enumerate(counted.orders, start=1)]
    said = "WAIT" if sheet.wait else "FINAL"
    note = f"Your mail says {said} and nothing else: the orders of your sheet {counted.version} were kept."
    return dataclasses.replace(read_lines(ruleset, view, kept), notes=(note,))


def _is_missing(finding: Finding) -> bool:
    return finding.line == 0 and finding.severity == "note"


def _earlier(session: Session, spot: Spot, ruleset: AnyRuleset) -> tuple[int, Counted | None]:
    """The last version of the seat's sheets for the open turn, and the sheet that counts."""
    rows = session.connection().execute(_EARLIER, {"turn_id": spot.turn_id, "seat_id": spot.seat_id}).all()
    for version, accepted, orders, wait in rows:
        if accepted:
            return rows[0].version, Counted(version, tuple(map(ruleset.orders.from_json, orders)), wait)
    return (rows[0].version if rows else 0), None


_EARLIER = (
    select(Sheet.version, Sheet.accepted, Sheet.orders, Sheet.wait)
    .where(Sheet.turn_id == bindparam("turn_id"), Sheet.seat_id == bindparam("seat_id"))
    .order_by(Sheet.version.desc())
)
_KEEP = insert(cast(Table, Sheet.__table__))


def _replacement(ruleset: AnyRuleset, counted: Counted | None, reading: Reading) -> Any:
    if counted is None or not reading.accepted:
        return None
    return compare(counted.version, counted.orders, reading.parsed.orders, ruleset.orders)


def _keep(
    case: Case,
    spot: Spot,
    sheet: SheetText,
    reading: Reading,
    *,
    version: int,
    wait: bool,
    orders: Sequence[Mapping[str, Any]],
) -> None:
    row = {
        "turn_id": spot.turn_id,
        "seat_id": spot.seat_id,
        "letter_id": case.letter_id,
        "version": version,
        "accepted": reading.accepted,
        "wait": wait,
        "digest": digest(orders),
        "text": _KEYLIKE.sub(lambda word: MASK if _is_key(word[0], spot) else word[0], sheet.text()),
        "orders": orders,
        "findings": [dataclasses.asdict(finding) for finding in reading.parsed.findings],
        "received_at": case.now,
    }
    case.session.connection().execute(_KEEP, row)


_KEYLIKE = re.compile(rf"[0-9a-z]{{{CODE_CHARACTERS},{2 * TOKEN_BYTES}}}", re.IGNORECASE)


def _is_key(word: str, spot: Spot) -> bool:
    return word.lower() == spot.code or token_fits(word, spot.token_hash)


def _nothing_to_take(case: Case, spot: Spot, sheet: SheetText, counted: Counted | None) -> str:
    page = Refusal(
        reason="no-orders" if case.letter.text.strip() else "no-text",
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        gm=spot.gm,
        counted=counted.version if counted else None,
        notes=(*case.letter.notes, *sheet.notes),
    )
    text = case.house.reporter.write(page)
    return "no orders in it; " + answer(case, to=spot.address, text=text, spot=spot, code=spot.code)
