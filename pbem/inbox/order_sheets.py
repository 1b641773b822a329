"""Processing of an order sheet: parsed against the mailed view, saved, and answered by a receipt."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from sqlalchemy import select

from pbem.campaign.courtesies import NAMES_TURN, find_courtesies, sender_names
from pbem.campaign.order_sheets import (
    Counted,
    Lines,
    PreviousSheets,
    SheetReading,
    SheetToSave,
    clear_sheets,
    earlier_sheets,
    hidden_orders_note,
    make_receipt,
    parse_sheet,
    parse_split,
    receipt_id_parts,
    restated_lines,
    save_sheets,
    waits_because,
)
from pbem.campaign.people import verify_token
from pbem.campaign.schedule import zone_like
from pbem.errors import CampaignError
from pbem.inbox.authenticate import is_own_address
from pbem.inbox.command_parser import ORDER_COMMANDS, ClearOrders, NoOrders, command_in_full, command_of
from pbem.inbox.consent.reader import fold, load_words
from pbem.inbox.context import Accepted, MessageContext, Outcome
from pbem.inbox.frames import SheetText, find_sheet
from pbem.inbox.free_words import Meaning, find_words, is_aside, is_for_another_sheet, read_meaning, split_addition
from pbem.inbox.quoted_originals import repeats_receipt
from pbem.inbox.rate_limits import RateLimitExceeded, sheet_limit
from pbem.inbox.replies import ECHO, answer, is_echo, mailer_of, note_bulk_mail, refusal, warn_of_limit
from pbem.inbox.seat_lookup import SeatContext, seat_for_deputy, seats_of
from pbem.inbox.sheet_choice import BARS, choose_sheet, is_unedited_form, orders_in_subject
from pbem.inbox.synonyms import as_command, without_courtesies
from pbem.inbox.wishes import answer_slip, answer_wish
from pbem.mail.fetch import load_raw, written_at
from pbem.mail.machines import Kind
from pbem.report.answers import Answer as AnswerPage
from pbem.report.answers import (
    CommandResult,
    Doubt,
    FindingWithLine,
    Reason,
    Receipt,
    describe_weighty,
    tell_of_subject,
)
from pbem.report.notices import Page
from pbem.ruleset.order_types import RESIGNS, Finding, Order
from pbem.ruleset.orders import resigning_word
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import join_lines, split_words
from pbem.ruleset.values import View
from pbem.store.models import InboxMessage, OrderSheet
from pbem.store.types import Author
from pbem.text import as_sentence, format_due, quote_lines, wrap_order_line
from pbem.util import CODE_CHARACTERS, MASK, TOKEN_BYTES, redact_credentials

if TYPE_CHECKING:
    from pbem.campaign.later_orders import Part

_MOST_REPEATED = 500
"""Lines up to which a sheet is compared with receipts."""

_MOST_ASIDE = 5
"""Lines beside NO ORDERS or CLEAR ORDERS that are repeated."""

_MOST_ABOVE = 40
"""Lines above a sheet in which wishes are looked for."""

_ORDER_COMMANDS: Mapping[str, type[Order]] = {command.usage: command for command in ORDER_COMMANDS}

_FIRST_OF_COMMANDS = frozenset(usage.split()[0] for usage in _ORDER_COMMANDS)

_NO_VERB = ("unknown-verb", "takes-back")
"""Codes of errors of lines that begin with no word of an order, as those of prose."""

_LIKE_ORDER = re.compile(r"\A\W*+(?:[A-Z]{3}(?=[^a-z]*+\Z|.*\d)|[^\W\d_]{1,3}\d|\d{1,3}[^\W\d_]\b)")
"""A line that may be an order with another verb, or in short: capitals alone or with a number, an id, a place."""

_FEWEST_ERRORS = 4
"""Errors from which on a sheet is doubtful; with fewer, some words around an order may be meant for the GM."""


def process_sheet(
    context: MessageContext, result: Accepted, sheet: SheetText, typed: _Typed | None = None
) -> Outcome | Doubt:
    """Save a sheet for the open turn and queue its receipt, or answer a message that has none.

    What it has for later turns is kept for them; `typed` is the rest of it then.

    Returns:
        The outcome; or a doubt about a sheet that may not be meant, with which nothing was done.

    Raises:
        RateLimitExceeded: too many sheets were taken before, so this one is left alone.
    """
    place, ruleset = result.place, context.app.game(result.place.game)
    to = result.deputy or place.address
    earlier = earlier_sheets(context.session, ruleset.orders, turn_id=place.turn_id, seat_id=place.seat_id)
    if most := sheet_limit(context, place, earlier.last):
        said = f"{most} sheets like it came for the seat {place.seat} of {place.campaign}"
        raise RateLimitExceeded(said, warn_of_limit(context, place, "sheets", most))
    typed = typed or _read_typed(context, result, sheet, earlier)
    if typed.parts:
        return _take_parts(context, result, typed)
    if typed.command is ClearOrders:
        return _clear_orders(context, result, typed.sheet, earlier)
    if typed.command is None and (reason := _reason_to_refuse(context, typed, earlier)):
        return _refuse_empty_sheet(context, typed, to, earlier.counted, reason), False
    sheet, lines, aside, kept = _lines_to_parse(typed, earlier.counted)
    reading = parse_sheet(ruleset, typed.view, lines, aside)
    typed = dataclasses.replace(typed, sheet=sheet)
    reading, wishes = _split_wishes(context, dataclasses.replace(reading, notes=(*kept, *reading.notes)))
    if not reading.parsed.entries and not _has_orderlike_lines(reading, wishes):
        left = quote_lines([line for number, line in typed.plain.lines if line.strip() and number not in wishes])
        unread = [f"Not read, as they begin like no order: {left}."] if left else ()
        notes = (*unread, *dict.fromkeys(map(as_sentence, _orders_elsewhere(context, result, reading).values())))
        if wishes:
            notes = (*reading.notes, *notes, *earlier.tell_counted(place.zone))
            return _answer_wishes(context, result, wishes, notes), False
        if reading.parsed.errors and not (sheet.header or typed.command or typed.free):
            if sheet.wait is None:
                return _refuse_empty_sheet(context, typed, to, earlier.counted, "no-orders", notes), False
            # Words beside WAIT or FINAL leave it alone.
            sheet = dataclasses.replace(sheet, lines=(), notes=(*sheet.notes, *notes))
            return process_sheet(context, result, sheet, dataclasses.replace(typed, sheet=sheet))
    if doubt := _doubt_of(context, typed, reading, earlier.counted):
        return doubt
    read = SheetToSave(
        reading=reading,
        earlier=earlier,
        author=Author.DEPUTY if result.deputy else Author.PLAYER,
        says_wait=typed.sheet.wait,
        text=typed.sheet.text(),
        inbox_id=context.inbox_id,
    )
    save_sheets(context.session, [read], context.now)
    receipt = _build_receipt(context, result, typed, read)
    _send_verdict(context, result, lambda own: dataclasses.replace(receipt, code=own.code), receipt.version)
    errors = "" if receipt.accepted else ", only errors"
    return f"sheet {receipt.version} of {place.seat} in {place.campaign}{errors}", True


def _take_parts(context: MessageContext, result: Accepted, typed: _Typed) -> Outcome | Doubt:
    """Keep what a sheet has for later turns, and process the rest of it, if there is any."""
    from pbem.campaign.later_orders import plan_parts, save_parts, tell_refused  # most sheets have no such part

    place, session = result.place, context.session
    planned = plan_parts(session, typed.ruleset, typed.view, place.seat_id, typed.parts)
    told, kept = tuple(each.result for each in planned), f"orders of {place.seat} in {place.campaign} for later turns"
    taken: Outcome | Doubt = kept, True
    if typed.plain.empty and typed.command is None and typed.sheet.wait is None:
        notes = (*context.notes, *typed.sheet.notes, *result.notes)
        page = AnswerPage(address=context.address, done=told, notes=notes)
        _send_verdict(context, result, lambda _: page, f"later {context.inbox_id}")
    else:
        notes = (*context.message.notes, *(f"{each.command}: {' '.join(each.paragraphs)}" for each in told))
        context = dataclasses.replace(context, message=dataclasses.replace(context.message, notes=notes))
        left = dataclasses.replace(typed, parts=(), refused=tell_refused(planned))
        taken = process_sheet(context, result, left.sheet, left)
    if not isinstance(taken, Doubt):
        save_parts(session, place.seat_id, planned, Author.DEPUTY if result.deputy else Author.PLAYER, context.now)
    return taken


@dataclass(frozen=True, slots=True, kw_only=True)
class _Typed:
    """A sheet as it was typed, before it is parsed.

    `place` is the seat, with the code of the report that was answered. `aside` are the numbers of lines that are no
    orders. `command` is NO ORDERS or CLEAR ORDERS, if that is all. `adds`: it goes to the orders that count. `parts`
    are those for later turns, of which what is `refused` is told first.
    """

    place: SeatContext
    ruleset: AnyRuleset
    view: View
    sheet: SheetText
    aside: Collection[int]
    command: type[Order] | None
    adds: bool
    meaning: Meaning
    parts: tuple[Part, ...] = ()
    refused: str = ""

    @property
    def plain(self) -> SheetText:
        """The sheet without the lines that are no orders."""
        return self.sheet.without(self.aside)

    @property
    def free(self) -> bool:
        """True for free words that no frame makes a sheet."""
        return self.ruleset.free_text and self.sheet.header is None and self.command is None


def _read_typed(context: MessageContext, result: Accepted, sheet: SheetText, earlier: PreviousSheets) -> _Typed:
    place, ruleset, view = result.place, context.app.game(result.place.game), result.place.view
    # A deputy's copy of the report has another code than the player's: by that one its quoted form is recognised.
    answered = seat_for_deputy(context.session, place, result.deputy) if result.deputy else place
    names = sender_names(context.message.sender_name, context.message.sender or "", place.address, place.seat)
    chosen = choose_sheet(ruleset, view, _mask_keys(sheet, answered), context.message.filed, names)
    sheet = _mask_keys(chosen, answered) if context.message.filed else chosen  # its lines may be those of a file
    sheet, parts = _split_parts(ruleset, view, sheet, names) if any(map(NAMES_TURN, sheet.written)) else (sheet, ())
    if ruleset.free_text or not sheet.closed:
        sheet, aside = find_words(ruleset, view, sheet, names)
    else:
        aside = find_courtesies(ruleset, view, sheet.lines, names)
    sheet, command = _split_command(ruleset, view, sheet, aside)
    adds = False
    if any("ADD" in line.upper() for _, line in sheet.lines):
        sheet, adds = split_addition(ruleset, view, sheet, aside)
    adds = adds or (context.confirmed is not None and context.confirmed.adds)
    typed = _Typed(
        place=answered,
        ruleset=ruleset,
        view=view,
        sheet=sheet,
        aside=aside,
        command=command,
        adds=adds and earlier.counted is not None,
        meaning="orders",
        parts=parts,
    )
    if not typed.free or adds or _is_meant(context):
        return typed
    left = typed.plain.lines or sheet.lines  # a sheet that was set aside as a whole may have been orders
    meaning = read_meaning([line for _, line in left], names)
    talk = [number for number, _ in sheet.lines] if meaning == "talk" else []
    return dataclasses.replace(typed, aside=aside | {*talk}, meaning=meaning)


def _split_parts(
    ruleset: AnyRuleset, view: View, sheet: SheetText, names: Collection[str]
) -> tuple[SheetText, tuple[Part, ...]]:
    """Return a sheet without what it has for later turns, and these parts of it."""
    from pbem.campaign.later_orders import split_sheet

    def clean(lines: Lines) -> Lines:
        own, aside = find_words(ruleset, view, dataclasses.replace(sheet, lines=tuple(lines)), names)
        return own.without(aside).lines

    found = split_sheet(ruleset, view, sheet.lines, sheet.written, clean)
    wait = sheet.wait if found.says_wait is None else found.says_wait
    return dataclasses.replace(sheet, lines=found.lines, written=found.written, wait=wait), found.parts


def _is_meant(context: MessageContext) -> bool:
    """Return True if the player has seen the sheet as it was read, and says that it is meant so."""
    return context.confirmed is not None and context.confirmed.meant


def _split_command(
    ruleset: AnyRuleset, view: View, sheet: SheetText, courtesies: Collection[int]
) -> tuple[SheetText, type[Order] | None]:
    """Return the sheet without NO ORDERS and CLEAR ORDERS, and which of them it says, if it has no orders besides."""
    commands = {
        number: command for number, line in sheet.lines if (command := _command_on(ruleset, view, (number, line)))
    }
    if not commands:
        return sheet, None
    rest = tuple((number, line) for number, line in sheet.lines if number not in commands)
    said = list(commands.values())[-1]
    if parse_split(ruleset, view, rest).entries:
        beside = f"{said.usage} stands beside orders, so it was left alone: this sheet counts as a whole."
        return dataclasses.replace(sheet, lines=rest, notes=(*sheet.notes, beside)), None
    aside = [line.strip() for number, line in rest if split_words(line) and number not in courtesies]
    left = (f"Not read: {', '.join(map(repr, aside[:_MOST_ASIDE]))}.",) if aside else ()
    return dataclasses.replace(sheet, lines=(), notes=(*sheet.notes, *left)), said


def _command_on(ruleset: AnyRuleset, view: View, line: tuple[int, str]) -> type[Order] | None:
    """Return the command that a line of a sheet is; in other words it is one only where the game has no such order."""
    first = next(iter(split_words(line[1])), "").upper()
    if first in {verb.word for verb in ruleset.orders.verbs} - _FIRST_OF_COMMANDS:
        return None
    typed = without_courtesies(line[1])
    meant = _ORDER_COMMANDS.get(" ".join(as_command(typed).upper().split()))
    if meant is None or " ".join(typed.upper().split()) in _ORDER_COMMANDS:
        return meant
    return None if ruleset.parse(view, [line]).entries else meant


def _split_wishes(context: MessageContext, reading: SheetReading) -> tuple[SheetReading, Mapping[int, CommandResult]]:
    """Return the sheet with notes in place of errors on lines that wish for a command, and the answers to these."""
    sources = dict(reading.lines)
    answers = {each.line: _answer_line(context, reading, sources.get(each.line, "")) for each in reading.parsed.errors}
    wishes = {number: CommandResult(sources[number].strip(), said) for number, said in answers.items() if said}
    if not wishes:
        return reading, wishes
    kept = [finding for finding in reading.parsed.findings if finding.line not in wishes]
    notes = [Finding(number, "note", "wish", wish.result) for number, wish in sorted(wishes.items())]
    parsed = dataclasses.replace(reading.parsed, findings=(*kept, *notes))
    return dataclasses.replace(reading, parsed=parsed), wishes


_TO_GM = "Your GM has not seen this. To ask your GM, send ASK GM as the first line, and your question below it."
"""The answer to a question beside orders, or in place of them."""


def _answer_line(context: MessageContext, reading: SheetReading, line: str) -> str:
    """Return the answer to a line in error that wishes for a command; "" if it may be meant as an order."""
    book, verb = reading.book, command_of(line)
    if verb and line.split()[0].isupper() and not reading.parsed.entries:
        return f"{_hint_of(verb)}."
    if said := answer_wish(line, context.now.date()) or ("" if book.is_like_order(line) else answer_slip(line)):
        return said
    if not line.rstrip().endswith("?") or book.begins_with_verb(line) or resigning_word(line):
        return ""
    verb = next((word for word in line.upper().replace("?", " ").split() if word in book.words), "")
    return f"HELP {verb} brings that order, with examples. {_TO_GM}" if verb else _TO_GM


def _has_orderlike_lines(reading: SheetReading, wishes: Mapping[int, CommandResult]) -> bool:
    """Return True if a sheet has lines besides wishes that look like orders, or are some with an error."""
    # A bare YES is no order, nor are other words of consent and courtesy.
    others = {number: line for number, line in reading.lines if number not in wishes and fold(line) not in load_words()}
    codes = {(error.line, error.code) for error in reading.parsed.errors if error.line in others}
    if any(code not in _NO_VERB for _, code in codes):
        return True
    # "No worries" takes back no order; "no MOVE" may.
    lines = (line.split(" ", 1)[-1] if (number, "takes-back") in codes else line for number, line in others.items())
    book = reading.book
    return any(
        book.begins_with_verb(line.split(" ", 1)[-1])
        if is_aside(line)
        else _LIKE_ORDER.match(line) or book.is_like_order(line)
        for line in lines
    )


def _answer_wishes(
    context: MessageContext, result: Accepted, wishes: Mapping[int, CommandResult], notes: tuple[str, ...]
) -> str:
    """Answer a message that only wishes for a command; nothing is done."""
    place = result.place
    if is_echo(context, place, digits=True):
        return context.silent(ECHO)
    own = seat_for_deputy(context.session, place, result.deputy) if result.deputy else place
    done, notes = tuple(wishes.values())[:_MOST_ASIDE], (*context.notes, *notes)
    page = AnswerPage(address=context.address, done=done, notes=notes, hints=True)
    return "pointed to a command; " + answer(context, result.deputy or place.address, page, about=own, code=own.code)


def _clear_orders(context: MessageContext, result: Accepted, sheet: SheetText, earlier: PreviousSheets) -> Outcome:
    """Withdraw the sheet that counts, and mail it back; without one say so."""
    place, counted, notes = result.place, earlier.counted, (*context.notes, *sheet.notes, *result.notes)
    own = seat_for_deputy(context.session, place, result.deputy) if result.deputy else place
    if counted is None:
        nothing = f"no orders of yours count for {place.label} of {place.campaign}, so there was nothing to clear"
        to, done = result.deputy or place.address, CommandResult.refused(ClearOrders.usage, nothing)
        page = AnswerPage(address=context.address, done=(done,), notes=notes)
        return "nothing to clear; " + answer(context, to, page, about=own, code=own.code), False
    book = context.app.game(place.game).orders
    rows = [row for order in counted.orders for row in wrap_order_line(book.line(order)).split("\n")]
    back = [*(rows or [NoOrders.usage]), *["WAIT"] * counted.wait]  # read as the same orders
    author = Author.DEPUTY if result.deputy else Author.PLAYER
    clear_sheets(context.session, earlier, context.now, author=author, inbox_id=context.inbox_id)

    due = f"\nOrders are due {format_due(place.deadline, place.zone)}." if place.deadline and not place.held else ""
    gone = f"Your orders for {place.label} of {place.campaign} are withdrawn: none of yours count now."

    def page_for(reader: SeatContext) -> AnswerPage:
        sheet = (f"ORDERS {place.campaign} {place.seat} {reader.code}".rstrip(), *back, "END")
        done = CommandResult(ClearOrders.usage, f"{gone}{due}\nTo have them back, send this sheet:", sheet)
        return AnswerPage(address=context.address, done=(done,), notes=notes, cleared=place.label)

    _send_verdict(context, result, page_for, earlier.next)
    return f"orders of {place.seat} in {place.campaign} cleared: sheet {counted.version} counts no more", False


def _send_verdict(
    context: MessageContext, result: Accepted, page_for: Callable[[SeatContext], Page], version: int | str
) -> None:
    """Queue a receipt, or the answer in its place, for the seat's own address, and for the deputy who sent the sheet.

    `page_for` makes it, with the reader's own code. It has its verdict in its subject, and no "Re:": a changed subject
    begins a conversation of its own.
    """
    place, deputy = result.place, result.deputy
    name = receipt_id_parts(place.campaign, place.seat, place.turn, version, place.revision)
    names = {place.address: name} | ({deputy: (*name, "deputy")} if deputy else {})
    for to, parts in names.items():
        own = seat_for_deputy(context.session, place, to) if to == deputy else place
        id_ = mailer_of(context, place).id_of(*parts)
        answer(context, to, page_for(own), about=own, code=own.code, id_=id_, kind="receipt")


def _build_receipt(context: MessageContext, result: Accepted, typed: _Typed, read: SheetToSave) -> Receipt:
    place, sheet, view = result.place, typed.sheet, typed.view
    awaited = view["awaited"] and not place.paused
    counted = read.earlier.counted
    counting = restated_lines(typed.ruleset.orders, counted) if counted else ()
    told = make_receipt(
        read.reading,
        read.earlier,
        read.reading.book,
        campaign=place.campaign,
        seat=place.seat,
        label=view["label"],
        deadline=place.deadline,
        held=place.held,
        zone=place.zone,
        waits=waits_because(read.reading, says_wait=read.says_wait) if awaited else "",
        standing=None if read.reading.accepted else parse_sheet(typed.ruleset, view, counting, ()),
    )
    notes, files, waited = (*context.notes, *sheet.notes), tuple[str, ...](), list[str]()
    elsewhere = _orders_elsewhere(context, result, read.reading) if read.reading.parsed.errors else {}
    if counted and counted.wait and read.says_wait is None and not read.wait:
        said = f"Your sheet {counted.version} said WAIT; WAIT is no longer in it"
        waited.append(f"{said}: the turn may run before its deadline.")
    if typed.ruleset.free_text:
        from pbem.actions.player_words import tell_of_files  # a game without free words needs none of it

        notes, files = tell_of_files(load_raw(context.session, context.inbox_id), notes)
    return dataclasses.replace(
        told,
        wait=bool(sheet.wait),
        refused=typed.refused,
        files=files,
        unread=sheet.unread,
        in_subject=orders_in_subject(context, typed.ruleset, view, read.reading.parsed.orders),
        others=tuple(
            dict.fromkeys(f"{each.header.campaign} {each.header.seat}" for each in sheet.others if each.header)
        ),
        free=typed.ruleset.free_text,
        findings=tuple(_hint_at_other_ways(each, elsewhere) for each in told.findings),
        notes=(
            *notes,
            *result.notes,
            *told.notes,
            *waited,
            *_wishes_above(context, sheet),
            *_zone_offer(context, place, read),
        ),
        courtesies=(*told.courtesies, *sheet.courtesies),
        late=told.deadline is not None and context.now >= told.deadline,
        closes=told.deadline + place.policy.grace_time if told.deadline and place.policy.grace else None,
    )


def _zone_offer(context: MessageContext, place: SeatContext, read: SheetToSave) -> Iterator[str]:
    """Yield with a player's first receipt how to have times in their own zone, if their mail is written in another."""
    told = context.together or place.own_zone or place.turn > 1 or read.earlier.next > 1
    if told or not is_own_address(context.message, place):
        return
    written = written_at(load_raw(context.session, context.inbox_id), context.now)
    if written and (zone := zone_like(written, place.zone)):
        yield f"Your clock is not that of {place.zone}: ZONE {zone} tells all times by it, or ZONE and your city."


def _wishes_above(context: MessageContext, sheet: SheetText) -> Iterator[str]:
    """Yield the answers to lines above a framed sheet that wish for a command."""
    answers = ((line.strip(), answer_wish(line, context.now.date())) for line in sheet.above[:_MOST_ABOVE])
    yield from islice((f"{redact_credentials(line)!r}: {said}" for line, said in answers if said), _MOST_ASIDE)


def _doubt_of(context: MessageContext, typed: _Typed, reading: SheetReading, counted: Counted | None) -> Doubt | None:
    """Return why a sheet that would replace a good one may not be meant; None if it is, or its player has said so."""
    if _is_meant(context) or not reading.accepted:
        return None
    doubt = None if counted is None or typed.adds else _doubt_beside(context, typed, reading, counted)
    if doubt or not (typed.free and context.message.machine.kind is Kind.BULK):
        return doubt
    at, weighty = (counted.at, describe_weighty(counted.orders)) if counted else (None, "")
    return Doubt("bulk", counted.version if counted else 0, 0, len(reading.lines), at, weighty)


def _doubt_beside(context: MessageContext, typed: _Typed, reading: SheetReading, counted: Counted) -> Doubt | None:
    """Return why a sheet may not be meant to take the place of the one that counts; None if it is."""
    if reading.parsed.orders == counted.orders:
        return None
    weighty = describe_weighty(counted.orders)
    if dates := _written_before(context, typed.place, counted):
        return Doubt("older", counted.version, 0, len(reading.lines), counted.at, weighty, *dates)
    before = [line for _, line in restated_lines(typed.ruleset.orders, counted)]
    if typed.free and not typed.plain.empty and is_for_another_sheet([line for _, line in typed.plain.lines], before):
        return Doubt("instead", counted.version, 0, len(before), counted.at, weighty)
    if not reading.parsed.errors:
        return None
    lines = {
        number: line for number, line in reading.lines if line.strip(BARS) and line.strip() not in reading.courtesies
    }
    errors = len({error.line for error in reading.parsed.errors} & lines.keys())
    if errors >= _FEWEST_ERRORS and 2 * errors > len(lines):
        return Doubt("errors", counted.version, errors, len(lines), counted.at, weighty)
    # Answering machines send receipts back, whose orders are those of an earlier sheet.
    if len(lines) <= _MOST_REPEATED and repeats_receipt(context.session, typed.place.seat_id, lines.values()):
        return Doubt("receipt", counted.version, errors, len(lines), counted.at, weighty)
    return None


def _written_before(
    context: MessageContext, place: SeatContext, counted: Counted
) -> tuple[dt.datetime, dt.datetime] | None:
    """Return when a sheet and the one that counts were written, if this one was written before that."""
    sent = (OrderSheet.turn_id == place.turn_id, OrderSheet.seat_id == place.seat_id)
    before = select(OrderSheet.inbox_id).where(*sent, OrderSheet.version == counted.version).scalar_subquery()
    columns = select(InboxMessage.id, InboxMessage.raw, InboxMessage.received_at)
    rows = context.session.execute(columns.where((InboxMessage.id == context.inbox_id) | (InboxMessage.id == before)))
    dates = {row.id: written_at(row.raw, row.received_at) for row in rows}
    own = dates.pop(context.inbox_id, None)
    other = next(iter(dates.values()), None)
    return (own, other) if own and other and own < other else None


def _hint_at_other_ways(finding: FindingWithLine, elsewhere: Mapping[int, str]) -> FindingWithLine:
    """Return the finding with a hint, if its line resigns, begins with a command or is for another campaign."""
    hint = finding.hint
    if finding.severity != "error":
        return finding
    if RESIGNS in hint:
        hint = f"{hint}; or LEAVE, in a mail of its own, and your seat goes to someone else"
    elif verb := command_of(finding.source):
        hint = _hint_of(verb)
    elif other := elsewhere.get(finding.line):
        hint = f"{hint}; or {other}" if finding.corrected else other
    return dataclasses.replace(finding, hint=hint)


_ELSEWHERE = "you also play {}, where it is an order: send it in a reply to your report of {}"


def _orders_elsewhere(context: MessageContext, result: Accepted, reading: SheetReading) -> Mapping[int, str]:
    """Return, by line, in which campaigns of the same player it is an order, if it begins with none of this game."""
    unknown = {error.line for error in reading.parsed.errors if error.code == "unknown-verb"}
    if not unknown or result.deputy or not is_own_address(context.message, result.place):
        return {}
    books = {}
    for own in seats_of(context.session, result.place.address):
        with suppress(CampaignError):  # the game of another campaign may not be installed
            books[own.campaign] = context.app.game(own.game).orders
    lines = [each for each in reading.lines if each[0] in unknown]
    found = {number: [name for name, book in books.items() if book.begins_with_verb(line)] for number, line in lines}
    return {number: _ELSEWHERE.format(" and ".join(each), " or ".join(each)) for number, each in found.items() if each}


def _hint_of(verb: str) -> str:
    return f"{command_in_full(verb)} is a command: send it as the first line of a mail of its own"


def _asks_nothing(context: MessageContext, typed: _Typed, earlier: PreviousSheets) -> bool:
    """Return True if a message only looks like a sheet: an empty reply, or one that our own mail had, quoted.

    That is one with nothing but courtesies, or the sheet that came back when the orders were cleared.
    """
    counted, sheet, plain, place = earlier.counted, typed.sheet, typed.plain, typed.place
    if sheet.header is None or (plain.empty and not sheet.empty):
        return plain.empty and not (counted and sheet.wait is not None)
    if sheet.wait is not None or not place.code or sheet.header.key.lower() != place.code:
        return False
    if sheet.below_text and sheet.empty:
        return True
    # An answering machine that quotes the answer to CLEAR ORDERS must not bring the orders back.
    quoted = sheet.below_text or context.message.sent_back or context.message.quotes_ours
    cleared = quoted and counted is None and earlier.last > 0 and len(sheet.lines) <= _MOST_REPEATED
    return cleared and repeats_receipt(context.session, place.seat_id, (line for _, line in sheet.lines))


def _lines_to_parse(
    typed: _Typed, counted: Counted | None
) -> tuple[SheetText, Lines, Collection[int], tuple[str, ...]]:
    """Return a sheet, its lines, those of them that are no orders, and notes.

    A sheet that says ADD, or WAIT or FINAL and nothing else, has the orders that count so far.
    """
    sheet = typed.sheet
    if typed.command:
        return sheet, (), (), ()
    if counted is None or not (typed.adds or (typed.plain.empty and sheet.wait is not None)):
        return sheet, sheet.lines, typed.aside, ()
    kept = tuple(restated_lines(typed.ruleset.orders, counted))
    if not typed.adds:
        said = "WAIT" if sheet.wait else "FINAL"
        note = f"Your mail says {said} and nothing else: the orders of your sheet {counted.version} were kept."
        return sheet, kept, (), (note,)
    new = [(number + len(kept), line) for number, line in join_lines(sheet.lines)]
    aside = {number + len(kept) for number in typed.aside}
    counts, written = {line for _, line in kept}, typed.ruleset.orders.line
    parsed = parse_split(typed.ruleset, typed.view, [each for each in new if each[0] not in aside])
    more = {entry.line for entry in parsed.entries if written(entry.order) not in counts}
    same = {entry.line for entry in parsed.entries} - more
    equal = [each for each in new if each[0] in same]
    new = [each for each in new if each not in equal]
    notes = [f"Your mail says ADD: it was added to the orders of your sheet {counted.version}."] * bool(new)
    if equal:
        notes.append(f"Not added, as it counts already: {quote_lines([line for _, line in equal])}.")
    if counted.wait and sheet.wait is None:
        sheet = dataclasses.replace(sheet, wait=True, written=(*sheet.written, "WAIT"))
    return sheet, (*kept, *new), aside, tuple(notes)


_KEYLIKE = re.compile(rf"[0-9a-z]{{{CODE_CHARACTERS},{2 * TOKEN_BYTES}}}", re.IGNORECASE)


def _mask_keys(sheet: SheetText, place: SeatContext) -> SheetText:
    """Return the sheet with keys among its orders masked, as it is parsed, stored and shown again."""

    def mask_key(word: re.Match[str]) -> str:
        return MASK if word[0].lower() == place.code or verify_token(word[0], place.token_hash) else word[0]

    def mask(line: str) -> str:
        return _KEYLIKE.sub(mask_key, redact_credentials(line))

    written, above, below = (tuple(map(mask, each)) for each in (sheet.written, sheet.above, sheet.below))
    lines = tuple((number, written[number - 1]) for number, _ in sheet.lines)
    return dataclasses.replace(sheet, lines=lines, written=written, above=above, below=below)


def _reason_to_refuse(context: MessageContext, typed: _Typed, earlier: PreviousSheets) -> Reason | None:
    """Return why a message is no sheet, though it looks like one; None if it is one."""
    sheet, plain = typed.sheet, typed.plain
    if sheet.wait is None and typed.meaning == "question":
        return "question"
    if sheet.wait is None and plain.empty and any(hidden_orders_note(typed.ruleset, typed.view, sheet.lines)):
        return "commented"
    if sheet.wait is None and is_unedited_form(typed.ruleset, typed.view, plain):
        return "untouched"
    if not _asks_nothing(context, typed, earlier):
        return None
    if sheet.wait is not None and plain.empty:
        return "no-orders-yet"
    if context.message.text.strip():
        return "no-orders" if plain.empty else "untouched"
    if not any(line.strip() for line in context.message.source_lines):
        return "no-text"
    quoted = find_sheet([line.lstrip(BARS) for line in context.message.source_lines], {typed.place.campaign})
    return "untouched" if quoted.header and is_unedited_form(typed.ruleset, typed.view, quoted) else "no-orders"


def _refuse_empty_sheet(
    context: MessageContext, typed: _Typed, to: str, counted: Counted | None, reason: Reason, notes: Sequence[str] = ()
) -> str:
    place, sheet = typed.place, typed.sheet
    if context.message.machine.kind is Kind.BULK:
        return note_bulk_mail(context, place)
    if reason == "no-orders" and typed.meaning == "talk" and counted and not sheet.empty:
        return context.silent("small talk beside the orders that count")
    hidden = hidden_orders_note(typed.ruleset, typed.view, sheet.lines) if reason == "commented" else ()
    in_subject = orders_in_subject(context, typed.ruleset, typed.view)
    awaited = reason == "no-orders-yet" and typed.view["awaited"] and not (place.paused or place.held)
    page = refusal(
        context,
        place,
        reason,
        label=place.label,
        typed="WAIT" if sheet.wait else "FINAL",
        hint=typed.ruleset.without_orders(typed.view) if awaited else "",
        until=place.deadline if awaited and place.deadline and context.now < place.deadline else None,
        unread=sheet.unread,
        proved=True,
        counted=counted.version if counted else None,
        counted_at=counted.at if counted else None,
        weighty=describe_weighty(counted.orders if counted else ()),
        notes=(*context.notes, *sheet.notes, *hidden, *notes, *([tell_of_subject(in_subject)] if in_subject else [])),
    )
    return f"{reason}; " + answer(context, to, page, about=place, code=place.code)
