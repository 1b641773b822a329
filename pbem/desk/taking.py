"""Takes an order sheet: reads it against the mailed view, keeps it, and writes its receipt."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Table, bindparam, func, insert, select
from sqlalchemy.orm import Session

from pbem.calendar.schedule import Schedule
from pbem.campaign.reading import Reading, read_lines
from pbem.campaign.tokens import token_fits
from pbem.desk.floods import tell_of_sheets
from pbem.desk.limits import TooMany, sheets_enough
from pbem.desk.replies import Case, answer, receipt
from pbem.desk.seats import Spot, as_mailed_to
from pbem.desk.sheet import SheetText
from pbem.masking import CODE_CHARACTERS, MASK, TOKEN_BYTES, without_keys
from pbem.report import Receipt, Refusal, compare, restate, tell
from pbem.report.pages import Reason
from pbem.ruleset import AnyRuleset, Order, View, digest, split_words
from pbem.store.models import Sheet


@dataclass(frozen=True, slots=True)
class Counted:
    """The sheet that counts for a seat so far."""

    version: int
    orders: tuple[Order, ...]
    wait: bool


def take_sheet(
    case: Case, spot: Spot, sheet: SheetText, notes: tuple[str, ...], *, deputy: str = ""
) -> tuple[str, bool]:
    """Reads and keeps a sheet for the open turn, and queues its receipt; `deputy` is the address of who stands in.

    Returns what to note of the letter, and whether there was a sheet to keep.
    Raises TooMany, if so many were taken that this one is left alone.
    """
    answered = as_mailed_to(case.session, spot, deputy) if deputy else spot
    ruleset, sheet = case.house.game(spot.game), _without_keys(sheet, answered)
    last, counted = _earlier(case.session, spot, ruleset)
    if most := sheets_enough(case, spot):
        said = f"{most} sheets like it came for the seat {spot.seat} of {spot.campaign}"
        raise TooMany(said, tell_of_sheets(case, spot, most))
    if _asks_nothing(case, answered, sheet, counted):
        return _nothing_to_take(case, spot, sheet, counted), False
    view = json.loads(spot.view)
    reading = _read(ruleset, view, sheet, counted)
    orders = [ruleset.orders.to_json(order) for order in reading.parsed.orders]
    version, complete = last + 1, reading.parsed.complete
    author, wait = "deputy" if deputy else "player", bool(sheet.wait) or not complete
    _keep(case, spot, sheet, reading, version=version, wait=wait, orders=orders, author=author)
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
        late=spot.deadline is not None and case.now >= spot.deadline,
        closes=spot.deadline + spot.policy.grace_time if spot.deadline and spot.policy.grace else None,
    )
    receipt(case, spot, case.house.reporter.write(told), version=version, deputy=deputy)
    return f"sheet {version} of {spot.seat} in {spot.campaign}" + ("" if reading.accepted else ", only errors"), True


def is_untouched(case: Case, spot: Spot, sheet: SheetText) -> bool:
    """Whether a sheet holds the orders that its report's own form came with, and not a word more or less."""
    view, asked = json.loads(spot.view), _words(line for _, line in sheet.lines)
    if not asked or view["over"] or not view["awaited"]:
        return False
    return asked == _words(case.house.game(spot.game).template(view))


def _words(lines: Iterable[str]) -> list[list[str]]:
    return [words for line in lines if (words := split_words(line.casefold()))]


def _asks_nothing(case: Case, spot: Spot, sheet: SheetText, counted: Counted | None) -> bool:
    """Whether a letter only looks like a sheet: an empty reply, or one that quotes the report's own form as it was."""
    if sheet.header is None:
        return sheet.empty and not (counted and sheet.wait is not None)
    if sheet.wait is not None or not spot.code or sheet.header.key.lower() != spot.code:
        return False
    quoted = sheet.below_text or case.letter.sent_back
    return (sheet.below_text and sheet.empty) or (quoted and is_untouched(case, spot, sheet))


def _read(ruleset: AnyRuleset, view: View, sheet: SheetText, counted: Counted | None) -> Reading:
    """A sheet that says WAIT or FINAL and nothing else keeps the orders that count so far."""
    if not (sheet.empty and sheet.wait is not None and counted):
        return read_lines(ruleset, view, sheet.lines)
    kept = [(number, ruleset.orders.line(order)) for number, order in enumerate(counted.orders, start=1)]
    said = "WAIT" if sheet.wait else "FINAL"
    note = f"Your mail says {said} and nothing else: the orders of your sheet {counted.version} were kept."
    return dataclasses.replace(read_lines(ruleset, view, kept), notes=(note,))


def _earlier(session: Session, spot: Spot, ruleset: AnyRuleset) -> tuple[int, Counted | None]:
    """The last version of the seat's sheets for the open turn, and the sheet that counts."""
    database, which = session.connection(), {"turn_id": spot.turn_id, "seat_id": spot.seat_id}
    last = database.execute(_LAST, which).scalar() or 0
    row = database.execute(_COUNTED, which).first() if last else None
    if row is None:
        return last, None
    return last, Counted(row.version, tuple(map(ruleset.orders.from_json, row.orders)), row.wait)


_SAME = (Sheet.turn_id == bindparam("turn_id"), Sheet.seat_id == bindparam("seat_id"))
_LAST = select(func.max(Sheet.version)).where(*_SAME)
_COUNTED = (
    select(Sheet.version, Sheet.orders, Sheet.wait)
    .where(*_SAME, Sheet.accepted)
    .order_by(Sheet.version.desc())
    .limit(1)
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
    author: str,
) -> None:
    row = {
        "turn_id": spot.turn_id,
        "seat_id": spot.seat_id,
        "letter_id": case.letter_id,
        "version": version,
        "accepted": reading.accepted,
        "wait": wait,
        "digest": digest(orders),
        "text": sheet.text(),
        "orders": orders,
        "findings": [dataclasses.asdict(finding) for finding in reading.parsed.findings],
        "received_at": case.now,
        "author": author,
    }
    case.session.connection().execute(_KEEP, row)


_KEYLIKE = re.compile(rf"[0-9a-z]{{{CODE_CHARACTERS},{2 * TOKEN_BYTES}}}", re.IGNORECASE)


def _without_keys(sheet: SheetText, spot: Spot) -> SheetText:
    """The sheet as it is read, kept and told again: a key that stands among its orders is masked, whose it may be."""

    def masked(line: str) -> str:
        return _KEYLIKE.sub(lambda word: MASK if _is_key(word[0], spot) else word[0], without_keys(line))

    lines = tuple((number, masked(line)) for number, line in sheet.lines)
    return dataclasses.replace(sheet, lines=lines, written=tuple(map(masked, sheet.written)))


def _is_key(word: str, spot: Spot) -> bool:
    return word.lower() == spot.code or token_fits(word, spot.token_hash)


def _nothing_to_take(case: Case, spot: Spot, sheet: SheetText, counted: Counted | None) -> str:
    reason: Reason = "no-text"
    if case.letter.text.strip():
        reason = "no-orders" if sheet.empty else "untouched"
    page = Refusal(
        reason=reason,
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        gm=spot.gm,
        counted=counted.version if counted else None,
        notes=(*case.letter.notes, *sheet.notes),
    )
    text = case.house.reporter.write(page)
    return f"{reason}; " + answer(case, to=spot.address, text=text, spot=spot, code=spot.code)
