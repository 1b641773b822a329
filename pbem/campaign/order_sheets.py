"""Parses and saves the order sheets of a turn, and makes their receipts."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

from sqlalchemy import Table, bindparam, case, func, insert, select, update
from sqlalchemy.orm import Session

from pbem.campaign.courtesies import Lines as Lines
from pbem.campaign.courtesies import Manners, find_courtesies, says_wait
from pbem.campaign.foreign_lines import FOREIGN, letters_among, refuse_orders_below_end, with_ids
from pbem.campaign.joined_orders import MAY_HAVE_SEVERAL, find_joined, name_lines
from pbem.errors import CampaignError
from pbem.games import find_game
from pbem.report.answers import (
    FindingWithLine,
    Receipt,
    RestatedOrder,
    compare,
    describe_weighty,
    restate,
    tell_findings,
)
from pbem.report.data import ReportDataError, read_report_data
from pbem.report.mailto import FORM, MORE, NOT_POSSIBLE
from pbem.ruleset.lenient_parser import MOST_REMARKS
from pbem.ruleset.order_types import Finding, Order, ParsedOrder, ParsedSheet
from pbem.ruleset.orders import OrderParser
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import json_sha256
from pbem.ruleset.tokenizer import (
    comment_mark,
    comment_of,
    is_comment,
    join_lines,
    split_words,
    without_comment,
)
from pbem.ruleset.values import SeatName, View
from pbem.store.models import WITHDRAWN, OrderSheet, Turn
from pbem.store.types import Author
from pbem.text import format_due, quote_lines
from pbem.util import redact_credentials


def ignore_courtesies(parsed: ParsedSheet, lines: Lines, is_order: Callable[[str], bool]) -> ParsedSheet:
    """Return parsed commands without findings on courtesies; without a command they stay.

    Thanks alone are no command, and are answered as what they are.
    """
    taken = {entry.line for entry in parsed.entries}
    left = Manners(is_order=is_order).courtesies(lines) - taken if taken else frozenset()
    return replace(parsed, findings=tuple(finding for finding in parsed.findings if finding.line not in left))


def redact_lines(lines: Lines) -> Lines:
    """Return numbered lines as they may be stored and repeated, with credentials masked."""
    return tuple((number, redact_credentials(line)) for number, line in lines)


@dataclass(frozen=True, slots=True)
class SheetReading:
    """A parsed sheet with its lines, as its receipt tells it.

    `orders` are JSON data, as stored, with their checksum, and `book` is the parser of the game. `courtesies`
    are the lines that are words to a person. Where a line had several orders, each is one of `lines`, and `origin`
    has for each the number that it had as typed. `left_out`: a remark in it reads as an order.
    """

    parsed: ParsedSheet
    lines: Lines
    orders: Sequence[Mapping[str, Any]]
    digest: str
    book: OrderParser
    notes: tuple[str, ...] = ()
    courtesies: tuple[str, ...] = ()
    origin: Mapping[int, int] = field(default_factory=dict)
    left_out: bool = False

    @property
    def accepted(self) -> bool:
        """True unless the sheet has errors and no order at all; an empty sheet is accepted."""
        return bool(self.parsed.entries) or not self.parsed.errors

    @property
    def restated(self) -> tuple[RestatedOrder, ...]:
        """The orders accepted, in words and as they are written."""
        return renumber(restate(self.parsed, self.book, self.lines), self.origin)

    @property
    def text(self) -> str:
        """The lines as they were read."""
        return "\n".join(line for _, line in self.lines)

    @property
    def remarks(self) -> tuple[FindingWithLine, ...]:
        """The findings, with the lines they refer to."""
        return renumber(tell_findings(self.findings, self.lines), self.origin)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, except those about what the sheet leaves open."""
        return tuple(finding for finding in self.parsed.findings if not _is_missing(finding))

    @property
    def missing(self) -> tuple[str, ...]:
        """The notes on what the sheet leaves open, in the ruleset's words."""
        return tuple(finding.text for finding in self.parsed.findings if _is_missing(finding))


def _any_has(sign: re.Pattern[str], lines: Lines) -> bool:
    return any(sign.search(line) for _, line in lines)


def parse_sheet(
    ruleset: AnyRuleset, view: View, lines: Lines, courtesies: Collection[int] | None = None
) -> SheetReading:
    """Return the reading of a sheet against a view; `courtesies` are the numbers of lines that are known to be such."""
    left = find_courtesies(ruleset, view, lines) if courtesies is None else courtesies
    typed = [each for each in lines if each[0] not in left]
    foreign = _any_has(FOREIGN, typed)
    strange, refused = frozenset[int](), list[Finding]()
    if ruleset.free_text:
        strange, refused = letters_among(view.get("seats", ()), typed)
    elif foreign:
        strange, refused = with_ids(typed)
    asked = [each for each in typed if each[0] not in strange]
    parsed = ruleset.parse(view, asked)
    origin: Mapping[int, int] = {}
    if _any_has(MAY_HAVE_SEVERAL, asked) and (joined := find_joined(ruleset, view, asked, parsed)):
        lines, origin = joined.split(lines)
        strange |= {each.line for each in joined.refused}
        asked = [each for each in lines if origin[each[0]] not in strange and origin[each[0]] not in left]
        parsed = name_lines(ruleset.parse(view, asked), origin)
        first = {old: new for new, old in reversed([*origin.items()])}
        refused = list(renumber((*refused, *joined.refused, *joined.told), first))
    below = refuse_orders_below_end(parsed, asked) if foreign else ()
    parsed = replace(parsed, findings=(*parsed.findings, *refused, *below))
    parsed = _with_corrections(ruleset, view, asked, parsed)
    parsed = replace(parsed, findings=tuple(map(_refuse_second_order, parsed.findings)))
    hidden = tuple(hidden_orders_note(ruleset, view, asked))
    orders = list(map(ruleset.orders.to_json, parsed.orders))
    return SheetReading(
        parsed,
        lines,
        orders,
        json_sha256(orders),
        ruleset.orders,
        hidden,
        tuple(line.strip() for number, line in lines if origin.get(number, number) in left),
        origin,
        left_out=bool(hidden) or any(each.code in _LEFT_OUT for each in parsed.findings),
    )


_LEFT_OUT = ("order-rest", "for-later")
"""Codes of remarks that read as orders, or as parts of them."""


def parse_split(ruleset: AnyRuleset, view: View, lines: Lines) -> ParsedSheet:
    """Parse lines, each with one order or several; entries and findings have the numbers of the lines as they came."""
    parsed = ruleset.parse(view, lines)
    if not _any_has(MAY_HAVE_SEVERAL, lines) or not (joined := find_joined(ruleset, view, lines, parsed)):
        return parsed
    barred = {finding.line for finding in joined.refused}
    split, origin = joined.split([each for each in join_lines(lines) if each[0] not in barred])
    read = name_lines(ruleset.parse(view, split), origin)
    findings = (*renumber(read.findings, origin), *joined.refused)
    return replace(read, entries=renumber(read.entries, origin), findings=findings)


_OfLine = TypeVar("_OfLine", Finding, FindingWithLine, ParsedOrder, RestatedOrder)


def renumber(those: Iterable[_OfLine], numbers: Mapping[int, int]) -> tuple[_OfLine, ...]:
    """Return findings or orders with other numbers of their lines."""
    return tuple(replace(each, line=numbers.get(each.line, each.line)) for each in those)


def _refuse_second_order(finding: Finding) -> Finding:
    """Return the finding on an order in a remark as an error, so that the turn waits for its correction."""
    return replace(finding, severity="error") if finding.code == "second-order" else finding


Waits = Literal["", "correction", "missing", "word"]
"""The reason for which a sheet holds its turn: a refused line, an order that is asked for, or WAIT."""


def waits_because(reading: SheetReading, *, says_wait: bool | None) -> Waits:
    """Return why a turn waits for its deadline because of a sheet, "" if it does not.

    `says_wait` is True for WAIT and False for FINAL, None without such a word.
    """
    # FINAL beside nothing that counts would let the turn run with orders that its player wanted to replace.
    if not reading.accepted:
        return "correction"
    # A sheet that lacks the move that is awaited must not let the turn run early (decision 6).
    if not reading.parsed.complete:
        return "missing"
    if says_wait:
        return "word"
    return "correction" if reading.parsed.errors and says_wait is None else ""


MOST_CORRECTED = 10
"""Lines of a sheet whose correction is tried out."""

MOST_CORRECTED_AMONG = 200
"""Orders of a sheet beside which corrections are tried out."""

# With a ; it offers several lines.
_WRITE = re.compile(r"write: ([^<>\[\]|;]{1,300})")


def _with_corrections(ruleset: AnyRuleset, view: View, lines: Lines, parsed: ParsedSheet) -> ParsedSheet:
    """Return the sheet with a corrected line only for those errors for which it would be accepted beside the rest."""
    taken = {entry.line for entry in parsed.entries}
    # Without comments, each of which is searched for orders again.
    written = {number: without_comment(line).strip() for number, line in join_lines(lines) if number in taken}
    count, tried, findings = len(parsed.entries), 0, list[Finding]()
    for finding in parsed.findings:
        corrected = _suggested_line(finding) if finding.line not in taken and count <= MOST_CORRECTED_AMONG else ""
        again = None
        if corrected and tried < MOST_CORRECTED:
            tried += 1
            again = ruleset.parse(view, sorted({**written, finding.line: corrected}.items()))
        if again and len(again.entries) > count and finding.line not in {error.line for error in again.errors}:
            written[finding.line], count = corrected, len(again.entries)
            findings.append(replace(finding, corrected=corrected))
        else:
            findings.append(replace(finding, corrected="") if finding.corrected else finding)
    return replace(parsed, findings=tuple(findings))


def _suggested_line(finding: Finding) -> str:
    """Return the line that an error suggests, without its comment; "" if it suggests none that is whole."""
    whole = _WRITE.fullmatch(finding.hint)
    suggested = finding.corrected or (whole[1] if whole else "")
    return without_comment(suggested).strip() if finding.severity == "error" else ""


def hidden_orders_note(ruleset: AnyRuleset, view: View, lines: Lines) -> Iterator[str]:
    """Yield a note on lines that are comments and would be orders else, but for lines that our mails write."""
    comments = {number: line.strip() for number, line in lines if _is_typed_comment(line)}
    behind = [(number, _strip_marks(line)) for number, line in comments.items()]
    if not behind:
        return
    form = _words_of_form(ruleset, view)
    # Lines of forms stand behind a semicolon.
    typed = [
        (number, line)
        for number, line in behind
        if split_words(line) and (_order_words(line) not in form or comment_mark(comments[number]) != ";")
    ]
    typed, more = typed[:MOST_REMARKS], typed[MOST_REMARKS:]
    verbs = {words[0] for words in form}
    # In a game of free text all of them are entries.
    taken = {entry.line for entry in ruleset.parse(view, typed).entries} if typed else set()
    hidden = [
        number
        for number, line in typed
        if number in taken or _order_words(line)[0] in verbs or ruleset.orders.is_like_order(line)
    ]
    hidden += [number for number, _ in more]
    if hidden:
        marks = " or ".join(dict.fromkeys(comment_mark(comments[number]) for number in hidden))
        shown = quote_lines([comments[number] for number in hidden])
        yield f"Lines that begin with a {marks} are not orders: {shown}. Take the {marks} away to give them."


def has_lines_of_form(ruleset: AnyRuleset, view: View, lines: Lines) -> bool:
    """Return True if one of the lines is a comment that a form, or a link in a mail, has written into a sheet."""
    comments = [line for _, line in lines if is_comment(line)]
    form = _words_of_form(ruleset, view) if comments else ()
    return any(not _is_typed_comment(line) or _order_words(_strip_marks(line)) in form for line in comments)


def _strip_marks(line: str) -> str:
    """Return what a comment would be without its marks, and any other line as it is."""
    return _NUMBER.sub("", comment_of(line).lstrip(_MARKS)) if is_comment(line) else line


_MARKS = ";#%/* \t"

# Of an order that is numbered by #1, or #2:
_NUMBER = re.compile(r"\A[0-9]{1,3}[.):]?\s+")


def _is_typed_comment(line: str) -> bool:
    """Return True for a comment, but for those that only links write."""
    return is_comment(line) and not line.lstrip().startswith((FORM, MORE, NOT_POSSIBLE))


def _words_of_form(ruleset: AnyRuleset, view: View) -> Collection[tuple[str, ...]]:
    return {words for line in ruleset.template(view) if (words := _order_words(_strip_marks(line)))}


def _order_words(line: str) -> tuple[str, ...]:
    """Return the words of an order in small letters, without remarks."""
    return tuple(split_words(line.casefold()))


def is_still_valid(ruleset: AnyRuleset, view: View, orders: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if the orders of a stored sheet could be given against this view too."""
    # Written as lines and parsed again: the game's own parser decides.
    lines = [ruleset.orders.line(ruleset.orders.from_json(order)) for order in orders]
    reading = parse_sheet(ruleset, view, list(enumerate(lines, start=1)))
    return not reading.parsed.errors and reading.digest == json_sha256(list(orders))


def _is_missing(finding: Finding) -> bool:
    """Return True for a note on the whole sheet: so rulesets tell what it amounts to or lacks."""
    return finding.line == 0 and finding.severity == "note"


_SHEETS = cast(Table, OrderSheet.__table__)
_COPIED = [column.name for column in _SHEETS.columns if column.name not in ("id", "turn_id")]
_SENT = (OrderSheet.turn_id == bindparam("turn_id"), OrderSheet.seat_id == bindparam("seat_id"))
_LAST = select(func.max(OrderSheet.version), func.max(case((OrderSheet.accepted, OrderSheet.version)))).where(*_SENT)
_ORDERS = select(OrderSheet.orders, OrderSheet.wait, OrderSheet.text, OrderSheet.received_at).where(
    *_SENT, OrderSheet.version == bindparam("version")
)
# Built once: building these statements takes longer than executing them.
_KEEP = insert(_SHEETS)

CLEARED = "cleared"
"""Name of the finding of a version by which a player has withdrawn the sheet before."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The sheet that counts for a seat so far, and when it came; `wait`: it says WAIT."""

    version: int
    orders: tuple[Order, ...]
    wait: bool = False
    at: dt.datetime | None = None


def restated_lines(book: OrderParser, counted: Counted) -> Lines:
    """Return the orders of the sheet that counts as numbered lines, for a sheet that says WAIT or FINAL alone."""
    return [(number, book.line(order)) for number, order in enumerate(counted.orders, start=1)]


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

    def tell_counted(self, zone: str) -> Iterator[str]:
        """Yield that a sheet counts, if one does."""
        if self.counted:
            yield f"Your orders of {format_due(self.counted.at, zone)} still count."


def earlier_sheets(session: Session, book: OrderParser, *, turn_id: int, seat_id: int) -> PreviousSheets:
    """Return what a seat has sent for a turn so far."""
    database, which = session.connection(), {"turn_id": turn_id, "seat_id": seat_id}
    last, counted = database.execute(_LAST, which).one()
    if counted is None:
        return PreviousSheets(turn_id, seat_id, last or 0)
    orders, waits, text, at = database.execute(_ORDERS, {**which, "version": counted}).one()
    # An incomplete sheet is stored as one that waits, too.
    wait = waits and any(map(says_wait, text.split("\n")))
    return PreviousSheets(turn_id, seat_id, last, Counted(counted, tuple(map(book.from_json, orders)), wait, at))


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetToSave:
    """A sheet to be stored. `text` is the sheet as received; if it is "", the lines that were read are stored.

    `says_wait` is True for WAIT and False for FINAL, None without such a word.
    """

    reading: SheetReading
    earlier: PreviousSheets
    author: Author
    text: str = ""
    inbox_id: int | None = None
    says_wait: bool | None = None

    @property
    def wait(self) -> bool:
        """True if the turn is not to run before its deadline because of this sheet."""
        return waits_because(self.reading, says_wait=self.says_wait) != ""


def save_sheets(session: Session, sheets: Iterable[SheetToSave], now: dt.datetime) -> None:
    """Store sheets, no two of them of the same seat."""
    rows = [_sheet_row(sheet, now) for sheet in sheets]
    if rows:
        session.connection().execute(_KEEP, rows)


def clear_sheets(
    session: Session, earlier: PreviousSheets, now: dt.datetime, *, author: Author, inbox_id: int | None
) -> None:
    """Let no sheet of a seat count for a turn, and store a version that says so. Call with the campaign locked."""
    sent = (OrderSheet.turn_id == earlier.turn_id, OrderSheet.seat_id == earlier.seat_id)
    database = session.connection()
    database.execute(update(OrderSheet).where(*sent).values(**WITHDRAWN))
    note = Finding(0, "note", CLEARED, "the orders were withdrawn")
    # A version of its own: a run that is being computed finds that the sheets have changed, and is computed again.
    row = {
        "turn_id": earlier.turn_id,
        "seat_id": earlier.seat_id,
        "inbox_id": inbox_id,
        "version": earlier.next,
        "accepted": False,
        "wait": False,
        "digest": json_sha256([]),
        "text": "CLEAR ORDERS\n",
        "orders": [],
        "findings": [_finding_row(note)],
        "received_at": now,
        "author": author,
    }
    database.execute(_KEEP, [row])


def _finding_row(finding: Finding) -> dict[str, int | str]:
    return {name: getattr(finding, name) for name in Finding.__slots__}


def _sheet_row(sheet: SheetToSave, now: dt.datetime) -> dict[str, Any]:
    reading, earlier = sheet.reading, sheet.earlier
    return {
        "turn_id": earlier.turn_id,
        "seat_id": earlier.seat_id,
        "inbox_id": sheet.inbox_id,
        "version": earlier.next,
        "accepted": reading.accepted,
        "wait": sheet.wait,
        "digest": reading.digest,
        "text": sheet.text or reading.text,
        "orders": reading.orders,
        "findings": list(map(_finding_row, renumber(reading.parsed.findings, reading.origin))),
        "received_at": now,
        "author": sheet.author,
    }


def receipt_id_parts(
    campaign: str, seat: SeatName, turn: int, version: int | str, revision: int
) -> tuple[str | int, ...]:
    """Return the parts of a receipt's Message-ID, by which each sheet has exactly one receipt."""
    return ("receipt", campaign, seat, turn, version, revision)


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
    waits: Waits = "",
    standing: SheetReading | None = None,
) -> Receipt:
    """Return the receipt of a sheet, however it came.

    While the turn is `held` it has no deadline, since the turn does not run then. `waits`
    is why it waits for its deadline because of this sheet. `standing` is the reading of what counts instead, if nothing
    of this one is accepted: no figure of a sheet that does not count is told.
    """
    counted = earlier.counted
    replaced = counted if reading.accepted else None
    receipt = Receipt(
        campaign=campaign,
        seat=seat,
        label=label,
        version=earlier.next,
        digest=reading.digest,
        accepted=reading.accepted,
        orders=reading.restated,
        findings=reading.remarks,
        deadline=None if held else deadline,
        held=held,
        zone=zone,
        counts=counted.version if counted else None,
        counts_at=counted.at if counted else None,
        replaces=compare(replaced.version, replaced.orders, reading.parsed.orders, book) if replaced else None,
        waits=waits,
        missing=reading.missing if reading.accepted else (),
        notes=reading.notes,
        courtesies=reading.courtesies,
        left_out=reading.left_out,
    )
    if reading.accepted or standing is None:
        return receipt
    kept = replace(receipt, orders=standing.restated, findings=standing.remarks)
    return replace(
        receipt,
        findings=tuple(each for each in receipt.findings if each.line or each.severity == "error"),
        counting=kept.noted_orders,
        weighty=describe_weighty(standing.parsed.orders),
        missing=(*kept.general_remarks, *standing.missing),
    )


def require_valid_sheet(reading: SheetReading, seat: SeatName) -> SheetReading:
    """Return the reading of a GM's sheet. Raises CampaignError with its first error if nothing in it is accepted."""
    if not reading.accepted:
        slip = next((each for each in reading.remarks if each.line), reading.remarks[0])
        hint = f" ({slip.hint})" if slip.hint else ""
        raise CampaignError(f"nothing in the sheet of {seat} is understood: line {slip.line}, {slip.text}{hint}")
    return reading


def open_report(games: Mapping[str, AnyRuleset], report: bytes) -> tuple[AnyRuleset, dict[str, Any]]:
    """Return the data of a report's JSON, and their game.

    Raises:
        ReportDataError: It is no report, or one of another version of its game.
        CampaignError: The game is not installed, or cannot be used.
    """
    data = read_report_data(report)
    ruleset = find_game(games, data["game"])
    if data["game_version"] != ruleset.version:
        there, here = data["game_version"], ruleset.version
        raise ReportDataError(f"this report is of version {there} of {ruleset.title}; this program has version {here}")
    return ruleset, data
