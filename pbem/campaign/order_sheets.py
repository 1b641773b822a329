"""Reads and saves order sheets of a turn, and makes their receipts.

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

from sqlalchemy import Table, bindparam, case, func, insert, select
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
    """A sheet's reading without complaints about its courtesies, and what to note of them.

    Where nothing is ordered they stay: "Thanks, nice game" alone is no sheet that orders nothing.
    """
    left = _courtesy_lines(lines) & _unreadable_lines(parsed) if parsed.entries else set()
    if not left:
        return parsed, ()
    kept = tuple(finding for finding in parsed.findings if finding.line not in left)
    said = ", ".join(repr(line.strip()) for number, line in lines if number in left)
    return replace(parsed, findings=kept), (f"Read as words to a person, and left alone: {said}.",)


def _unreadable_lines(parsed: ParsedSheet) -> set[int]:
    """The lines that are nothing at all, and are not like anything either."""
    taken = {entry.line for entry in parsed.entries}
    near = {finding.line for finding in parsed.findings if finding.hint.startswith("did you mean")}
    return {finding.line for finding in parsed.errors} - taken - near


def _courtesy_lines(lines: Sequence[tuple[int, str]]) -> set[int]:
    """The numbers of the lines that would be a greeting at the top, or a closing and a name at the end."""
    said = [(number, _plain_words(line)) for number, line in lines if split_words(line)]
    first = {number for number, words in said[:1] if _GREETING.fullmatch(words)}
    return first | _closing_lines(said)


def _closing_lines(said: Sequence[tuple[int, str]]) -> set[int]:
    """Of the lines that say something: those from the closing on, if nothing but names follows it."""
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
    """A line's words in small letters, without marks; one that is long is none of these."""
    return " ".join(_MARKS.sub(" ", line[:_LONGEST]).lower().split()) if len(line) <= _LONGEST else "-"


Lines = Sequence[tuple[int, str]]
"""The lines of a sheet with their numbers, without the frame."""


def redact_lines(lines: Lines) -> Lines:
    """Return numbered lines as they may be kept and told again: a key that stands among them is masked."""
    return tuple((number, redact_credentials(line)) for number, line in lines)


@dataclass(frozen=True, slots=True)
class SheetReading:
    """A sheet as its receipt tells it: what was read, and of which lines. `orders` are as a sheet keeps
    them, and `book` is that of its game.
    """

    parsed: ParsedSheet
    lines: Lines
    orders: Sequence[Mapping[str, Any]]
    book: OrderParser
    notes: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Only a sheet with nothing but errors is not taken; an empty one is."""
        return bool(self.parsed.entries) or not self.parsed.errors

    @property
    def digest(self) -> str:
        """By which its orders are known."""
        return json_sha256(self.orders)

    @property
    def restated(self) -> tuple[RestatedOrder, ...]:
        """The orders taken, in words and as they are written."""
        return restate(self.parsed, self.book)

    @property
    def text(self) -> str:
        """Its lines as they were read."""
        return "\n".join(line for _, line in self.lines)

    @property
    def told(self) -> tuple[FindingWithLine, ...]:
        """The findings, with the lines they speak of."""
        return tell_findings(self.findings, self.lines)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong or worth a look."""
        return tuple(finding for finding in self.parsed.findings if not _is_missing(finding))

    @property
    def missing(self) -> tuple[str, ...]:
        """What the sheet leaves open, in the ruleset's words."""
        return tuple(finding.text for finding in self.parsed.findings if _is_missing(finding))


def parse_sheet(ruleset: AnyRuleset, view: View, lines: Lines) -> SheetReading:
    """What a sheet's lines come to."""
    parsed, notes = ignore_courtesies(ruleset.parse(view, lines), lines)
    return SheetReading(parsed, lines, list(map(ruleset.orders.to_json, parsed.orders)), ruleset.orders, notes)


def is_still_valid(ruleset: AnyRuleset, view: View, orders: Sequence[Mapping[str, Any]]) -> bool:
    """Whether orders given against another view, as a sheet keeps them, could be given against this one too."""
    lines = [ruleset.orders.line(ruleset.orders.from_json(order)) for order in orders]
    reading = parse_sheet(ruleset, view, list(enumerate(lines, start=1)))
    return not reading.parsed.errors and reading.digest == json_sha256(list(orders))


def _is_missing(finding: Finding) -> bool:
    """Whether it speaks of no line, and of nothing wrong: so rulesets tell what the whole sheet comes to or lacks."""
    return finding.line == 0 and finding.severity == "note"


Author = Literal["player", "deputy", "gm"]

_SHEETS = cast(Table, OrderSheet.__table__)
_COPIED = [column.name for column in _SHEETS.columns if column.name not in ("id", "turn_id")]
_SENT = (OrderSheet.turn_id == bindparam("turn_id"), OrderSheet.seat_id == bindparam("seat_id"))
_LAST = select(func.max(OrderSheet.version), func.max(case((OrderSheet.accepted, OrderSheet.version)))).where(*_SENT)
_ORDERS = select(OrderSheet.orders).where(*_SENT, OrderSheet.version == bindparam("version"))
_KEEP = insert(_SHEETS)
"""Statements built once: building them takes longer than running them."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The sheet that counts for a seat so far."""

    version: int
    orders: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class PreviousSheets:
    """What a seat has sent for a turn before one more sheet: the version that came last, and the one that counts."""

    turn_id: int
    seat_id: int
    last: int
    counted: Counted | None = None

    @property
    def next(self) -> int:
        """The version of the one more."""
        return self.last + 1


def earlier_sheets(session: Session, book: OrderParser, *, turn_id: int, seat_id: int) -> PreviousSheets:
    """What a seat has sent for a turn so far."""
    database, which = session.connection(), {"turn_id": turn_id, "seat_id": seat_id}
    last, counted = database.execute(_LAST, which).one()
    if counted is None:
        return PreviousSheets(turn_id, seat_id, last or 0)
    orders = database.execute(_ORDERS, {**which, "version": counted}).scalar_one()
    return PreviousSheets(turn_id, seat_id, last, Counted(counted, tuple(map(book.from_json, orders))))


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetToSave:
    """A sheet to be kept as it reads, its `text` as it was received: if there is none, the lines that were read.

    With `wait`, the turn shall not run before its deadline because of it.
    """

    reading: SheetReading
    earlier: PreviousSheets
    author: Author
    wait: bool
    text: str = ""
    letter_id: int | None = None


def save_sheets(session: Session, sheets: Iterable[SheetToSave], now: dt.datetime) -> None:
    """Keeps sheets, no two of them of the same seat."""
    rows = [_sheet_row(sheet, now) for sheet in sheets]
    if rows:
        session.connection().execute(_KEEP, rows)


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


def require_valid_sheet(reading: SheetReading, seat: SeatName) -> SheetReading:
    """A GM's sheet that has something to take. Raises CampaignError with its first slip."""
    if not reading.accepted:
        slip = next((each for each in reading.told if each.line), reading.told[0])
        hint = f" ({slip.hint})" if slip.hint else ""
        raise CampaignError(f"nothing in the sheet of {seat} is understood: line {slip.line}, {slip.text}{hint}")
    return reading
