"""Parses and saves the order sheets of a turn, and makes their receipts.

Greetings above the orders, and thanks and a name below them, are ignored if such
a line is nothing else: a game that accepts free text, or an order that begins
with these words, takes precedence.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from sqlalchemy import Table, bindparam, case, func, insert, select, update
from sqlalchemy.orm import Session

from pbem.errors import CampaignError
from pbem.report.answers import FindingWithLine, Receipt, RestatedOrder, compare, restate, tell_findings
from pbem.ruleset.order_types import Finding, Order, ParsedSheet
from pbem.ruleset.orders import OrderParser
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import json_sha256
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import SeatName, View
from pbem.store.models import OrderSheet, Turn
from pbem.util import redact_credentials

_GREETING = re.compile(r"(?:hi|hello|hey|hallo|dear|good (?:morning|day|afternoon|evening))(?: [a-z]++){0,3}+")
_CLOSING = re.compile(
    r"(?:(?:many|kind|best|warm|with|all the) ){0,2}+"
    r"(?:thanks|thank you|thx|cheers|regards|wishes|best|greetings|bye|yours|good luck|have fun|see you)"
    r"(?: [a-z]++){0,3}+"
)
_NAME = re.compile(r"[a-z]++(?: [a-z]++){0,2}+")
_MARKS = re.compile(r"[^\w\s]++|_")
_MOST_NAMES = 2
_LONGEST = 60


def ignore_courtesies(parsed: ParsedSheet, lines: Sequence[tuple[int, str]]) -> tuple[ParsedSheet, tuple[str, ...]]:
    """Return the sheet without findings on courtesies, and a note about these lines.

    In a sheet without orders they stay: "Thanks, nice game" alone is not an empty sheet.
    """
    left = _courtesy_lines(lines) & _unreadable_lines(parsed) if parsed.entries else set()
    if not left:
        return parsed, ()
    kept = tuple(finding for finding in parsed.findings if finding.line not in left)
    said = ", ".join(repr(line.strip()) for number, line in lines if number in left)
    return replace(parsed, findings=kept), (f"Read as words to a person, and left alone: {said}.",)


def _unreadable_lines(parsed: ParsedSheet) -> set[int]:
    """Return the lines with errors alone that resemble no order."""
    taken = {entry.line for entry in parsed.entries}
    near = {finding.line for finding in parsed.findings if finding.hint.startswith("did you mean")}
    return {finding.line for finding in parsed.errors} - taken - near


def _courtesy_lines(lines: Sequence[tuple[int, str]]) -> set[int]:
    """Return the numbers of lines that may be a greeting at the top, or a closing and names at the end."""
    said = [(number, _plain_words(line)) for number, line in lines if split_words(line)]
    first = {number for number, words in said[:1] if _GREETING.fullmatch(words)}
    return first | _closing_lines(said)


def _closing_lines(said: Sequence[tuple[int, str]]) -> set[int]:
    """Return the lines from the closing on, if nothing but names follows it."""
    closed, names = set[int](), list[int]()
    for number, words in reversed(said):
        if _CLOSING.fullmatch(words):
            closed.update((number, *names))
            names.clear()
        elif len(names) < _MOST_NAMES and _NAME.fullmatch(words):
            names.append(number)
        else:
            break
    return closed


def _plain_words(line: str) -> str:
    """Return a line in lower case and without punctuation; "-" for a line too long for a courtesy."""
    return " ".join(_MARKS.sub(" ", line[:_LONGEST]).lower().split()) if len(line) <= _LONGEST else "-"


Lines = Sequence[tuple[int, str]]
"""The lines of a sheet with their numbers, without the frame."""


def redact_lines(lines: Lines) -> Lines:
    """Return numbered lines as they may be stored and repeated, with credentials masked."""
    return tuple((number, redact_credentials(line)) for number, line in lines)


@dataclass(frozen=True, slots=True)
class SheetReading:
    """A parsed sheet with its lines, as its receipt tells it.

    `orders` are JSON data, as stored, and `book` is the parser of the game.
    """

    parsed: ParsedSheet
    lines: Lines
    orders: Sequence[Mapping[str, Any]]
    book: OrderParser
    notes: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """True unless the sheet has errors and no order at all; an empty sheet is accepted."""
        return bool(self.parsed.entries) or not self.parsed.errors

    @property
    def digest(self) -> str:
        """The checksum of the orders."""
        return json_sha256(self.orders)

    @property
    def restated(self) -> tuple[RestatedOrder, ...]:
        """The orders accepted, in words and as they are written."""
        return restate(self.parsed, self.book)

    @property
    def text(self) -> str:
        """The lines as they were read."""
        return "\n".join(line for _, line in self.lines)

    @property
    def told(self) -> tuple[FindingWithLine, ...]:
        """The findings, with the lines they refer to."""
        return tell_findings(self.findings, self.lines)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, except those about what the sheet leaves open."""
        return tuple(finding for finding in self.parsed.findings if not _is_missing(finding))

    @property
    def missing(self) -> tuple[str, ...]:
        """The notes on what the sheet leaves open, in the ruleset's words."""
        return tuple(finding.text for finding in self.parsed.findings if _is_missing(finding))


def parse_sheet(ruleset: AnyRuleset, view: View, lines: Lines) -> SheetReading:
    """Return the reading of a sheet against a view."""
    parsed, notes = ignore_courtesies(ruleset.parse(view, lines), lines)
    return SheetReading(parsed, lines, list(map(ruleset.orders.to_json, parsed.orders)), ruleset.orders, notes)


def is_still_valid(ruleset: AnyRuleset, view: View, orders: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if the orders of a stored sheet could be given against this view too."""
    # Written as lines and parsed again: the game's own parser decides.
    lines = [ruleset.orders.line(ruleset.orders.from_json(order)) for order in orders]
    reading = parse_sheet(ruleset, view, list(enumerate(lines, start=1)))
    return not reading.parsed.errors and reading.digest == json_sha256(list(orders))


def _is_missing(finding: Finding) -> bool:
    """Return True for a note on the whole sheet: so rulesets tell what it amounts to or lacks."""
    return finding.line == 0 and finding.severity == "note"


Author = Literal["player", "deputy", "gm"]

_SHEETS = cast(Table, OrderSheet.__table__)
_COPIED = [column.name for column in _SHEETS.columns if column.name not in ("id", "turn_id")]
_SENT = (OrderSheet.turn_id == bindparam("turn_id"), OrderSheet.seat_id == bindparam("seat_id"))
_LAST = select(func.max(OrderSheet.version), func.max(case((OrderSheet.accepted, OrderSheet.version)))).where(*_SENT)
_ORDERS = select(OrderSheet.orders).where(*_SENT, OrderSheet.version == bindparam("version"))
_TEXT = select(OrderSheet.text).where(*_SENT, OrderSheet.version == bindparam("version"))
# Built once: building these statements takes longer than executing them.
_KEEP = insert(_SHEETS)

CLEARED = "cleared"
"""Name of the finding of a version by which a player has withdrawn the sheet before."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The sheet that counts for a seat so far."""

    version: int
    orders: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class PreviousSheets:
    """The sheets of a seat for a turn before a new one: the number of the last version, and the sheet that counts."""

    turn_id: int
    seat_id: int
    last: int
    counted: Counted | None = None

    @property
    def next(self) -> int:
        """The version of the new sheet."""
        return self.last + 1


def earlier_sheets(session: Session, book: OrderParser, *, turn_id: int, seat_id: int) -> PreviousSheets:
    """Return what a seat has sent for a turn so far."""
    database, which = session.connection(), {"turn_id": turn_id, "seat_id": seat_id}
    last, counted = database.execute(_LAST, which).one()
    if counted is None:
        return PreviousSheets(turn_id, seat_id, last or 0)
    orders = database.execute(_ORDERS, {**which, "version": counted}).scalar_one()
    return PreviousSheets(turn_id, seat_id, last, Counted(counted, tuple(map(book.from_json, orders))))


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetToSave:
    """A sheet to be stored. `text` is the sheet as received; if it is "", the lines that were read are stored.

    With `wait`, the turn is not to run before its deadline because of it.
    """

    reading: SheetReading
    earlier: PreviousSheets
    author: Author
    wait: bool
    text: str = ""
    letter_id: int | None = None


def save_sheets(session: Session, sheets: Iterable[SheetToSave], now: dt.datetime) -> None:
    """Store sheets, no two of them of the same seat."""
    rows = [_sheet_row(sheet, now) for sheet in sheets]
    if rows:
        session.connection().execute(_KEEP, rows)


def load_sheet_text(session: Session, sent: PreviousSheets, version: int) -> str:
    """Return a sheet as it was received."""
    which = {"turn_id": sent.turn_id, "seat_id": sent.seat_id, "version": version}
    return str(session.connection().execute(_TEXT, which).scalar_one())


def clear_sheets(
    session: Session, earlier: PreviousSheets, now: dt.datetime, *, author: Author, letter_id: int | None
) -> None:
    """Let no sheet of a seat count for a turn, and store a version that says so. Call with the campaign locked."""
    sent = (OrderSheet.turn_id == earlier.turn_id, OrderSheet.seat_id == earlier.seat_id)
    database = session.connection()
    database.execute(update(OrderSheet).where(*sent).values(accepted=False))
    note = Finding(0, "note", CLEARED, "the orders were withdrawn")
    # A version of its own: a run that is being computed finds that the sheets have changed, and is computed again.
    row = {
        "turn_id": earlier.turn_id,
        "seat_id": earlier.seat_id,
        "letter_id": letter_id,
        "version": earlier.next,
        "accepted": False,
        "wait": False,
        "digest": json_sha256([]),
        "text": "CLEAR ORDERS\n",
        "orders": [],
        "findings": [dataclasses.asdict(note)],
        "received_at": now,
        "author": author,
    }
    database.execute(_KEEP, [row])


def _sheet_row(sheet: SheetToSave, now: dt.datetime) -> dict[str, Any]:
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


def receipt_id_parts(campaign: str, seat: SeatName, turn: int, version: int, era: int) -> tuple[str | int, ...]:
    """Return the parts of a receipt's Message-ID, by which each sheet has exactly one receipt."""
    return ("receipt", campaign, seat, turn, version, era)


def copy_sheets(
    session: Session, source: Turn, target: Turn, *, but: Iterable[int] = (), wait: bool | None = None
) -> None:
    """Copy the sheets of one turn to another, except those of some seats, by id.

    With `wait`, the turn is not to run before its deadline because of them.
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
    reading: SheetReading,
    earlier: PreviousSheets,
    book: OrderParser,
    *,
    campaign: str,
    seat: SeatName,
    label: str,
    deadline: dt.datetime | None,
    held: bool,
    zone: str,
) -> Receipt:
    """Return the receipt of a sheet, however it came.

    While the turn is `held` it has no deadline, since the turn does not run then.
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


def require_valid_sheet(reading: SheetReading, seat: SeatName) -> SheetReading:
    """Return the reading of a GM's sheet. Raises CampaignError with its first error if nothing in it is accepted."""
    if not reading.accepted:
        slip = next((each for each in reading.told if each.line), reading.told[0])
        hint = f" ({slip.hint})" if slip.hint else ""
        raise CampaignError(f"nothing in the sheet of {seat} is understood: line {slip.line}, {slip.text}{hint}")
    return reading
