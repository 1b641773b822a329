"""Orders for later turns: the parts of a sheet below lines such as TURN 7, kept until the report of that turn comes.

A turn is meant by the number in the name that a seat's reports give it, the only one that its player knows. The lines
of a part are looked at when they come, as far as that needs no report of then. When the report comes, they are read
against it as if they were sent at that moment, and become the first sheet of the seat. A rollback has them read again.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from pbem.campaign.courtesies import NAMES_TURN, split_host_words
from pbem.campaign.notices import post
from pbem.campaign.order_sheets import (
    Lines,
    PreviousSheets,
    SheetReading,
    SheetToSave,
    make_receipt,
    parse_sheet,
    parse_split,
    receipt_id_parts,
    save_sheets,
    waits_because,
)
from pbem.campaign.people import load_deputies
from pbem.campaign.reports import SeatReport
from pbem.campaign.snapshot import Context, LastReport, add_entry
from pbem.errors import describe_error
from pbem.log import event
from pbem.report import small
from pbem.report.answers import CommandResult
from pbem.ruleset.order_types import Finding
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import comment_mark, is_comment, join_lines
from pbem.ruleset.values import View
from pbem.store.models import Campaign, DeputyReport, LaterSheet, Seat
from pbem.store.types import Author
from pbem.text import as_sentence, count_noun, excerpt, format_time, join_names, quote_lines

FARTHEST = 20
"""Turns ahead for which orders are kept."""

MOST_LINES = 1_000
"""Lines that are kept for one turn."""

_NUMBERS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_MOST_DIGITS = 6
_END_OF_PART = re.compile(r"\A\s*+end\s?turn[\s.!]*+\Z", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,6}")

_IN_NO_TURN = frozenset(
    ("unknown-verb", "ambiguous-verb", "takes-back", "missing-word", "extra-words", "too-long", "unconfirmed")
)
"""Codes of errors of a line that no report makes an order; whether others are right, the view of then decides."""

_WITHDRAWS = ("CLEAR ORDERS", "CLEAR", "NONE", "NOTHING")

_MOST_TOLD = 30
"""Parts of a sheet of which each is told; there are at most twenty turns to keep orders for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The lines for a later turn, or those below a line that names one wrongly, for which they are refused: `fault`.

    `typed` is that line, and `name` the turn as reports will call it. `named` is the number of lines that stand on a
    line with the turn, such as TURN 7: and an order. `follows`: it is for the next turn that asks orders of the seat.
    A part of the open turn has neither number nor fault.
    """

    typed: str
    lines: Lines = ()
    number: int = 0
    name: str = ""
    fault: str = ""
    withdraws: bool = False
    named: int = 0
    follows: bool = False


def turn_number(label: str) -> int | None:
    """Return the number in the name of a turn; None for one without, such as "set-up"."""
    found = _NUMBER.search(label)
    return int(found[0]) if found else None


def split_parts(ruleset: AnyRuleset, view: View, lines: Lines) -> tuple[Lines, tuple[Part, ...]]:
    """Return the lines of a sheet that are for the open turn, and its parts for later ones."""
    present = list[tuple[int, str]]()
    parts, below = list[tuple[Part, list[tuple[int, str]]]](), present
    for number, line in lines:
        found = _names_turn(line, view["label"])
        part = None if found is None or _is_order(ruleset, view, found, line) else _begin(found, line, view["label"])
        if part is not None and found is not None:
            below = list[tuple[int, str]]() if part.number or part.fault else present
            if below is not present:
                parts.append((part, below))
            if part.named:
                below.append((number, found["rest"] or found["more"]))
        elif below is not present and _END_OF_PART.fullmatch(line):
            below = present
        else:
            below.append((number, line))
    return tuple(present), tuple(replace(part, lines=tuple(own)) for part, own in parts)


@dataclass(frozen=True, slots=True)
class SplitSheet:
    """The lines of a sheet for the open turn, those `written` for it, its WAIT or FINAL, and the parts for others."""

    lines: tuple[tuple[int, str], ...]
    written: tuple[str, ...]
    says_wait: bool | None
    parts: tuple[Part, ...]


def split_sheet(
    ruleset: AnyRuleset, view: View, lines: Lines, written: Sequence[str], clean: Callable[[Lines], Lines]
) -> SplitSheet:
    """Return a sheet in parts; `lines` are those of `written` without its host words, `clean` drops words to a person.

    Host words below the name of a turn are among the lines still.
    """
    present, parts = split_parts(ruleset, view, lines)
    left, said = split_host_words(present)
    later = {number for number, _ in lines} - {number for number, _ in present}
    kept = tuple(line for number, line in enumerate(written, start=1) if number not in later)
    return SplitSheet(tuple(left), kept, said, tuple(replace(part, lines=clean(part.lines)) for part in parts))


def _names_turn(line: str, label: str) -> re.Match[str] | None:
    """Return the parts of a line that names a turn, by the word TURN or that of the name of the open one."""
    found = NAMES_TURN(line)
    return None if found and found["unit"] and found["unit"].lower() != label.partition(" ")[0] else found


def _is_order(ruleset: AnyRuleset, view: View, found: re.Match[str], line: str) -> bool:
    """Return True if a line that may name a turn is an order: "turn 3 armies back" may be one in free words."""
    if ruleset.free_text:
        # "Turn: the lever." and "Turn off." name no turn, not even wrongly, as TURN -3 does.
        behind = found["rest"] or found["none"]
        named = found["number"] or found["count"] or found["next"]
        return bool(found["more"] or (behind and not (named or behind[0].isdigit())))
    return not is_comment(line) and bool(ruleset.parse(view, [(1, line)]).entries)


def _begin(found: re.Match[str], line: str, label: str) -> Part | None:
    """Return the part that a line begins; None if it is a remark on no later turn."""
    now, behind, follows = turn_number(label), found["rest"] or found["more"], bool(found["next"])
    part = Part(typed=excerpt(line), withdraws=bool(found["none"]), named=bool(behind), follows=follows)
    number = (now or 0) + 1 if follows else None if now is None else _number_meant(found["number"] or found["count"])
    if is_comment(line):
        if number is None or number <= (now or 0) or behind or part.withdraws:
            return None
        mark = comment_mark(line)
        return replace(part, fault=f"what stands behind {mark} is a remark: take the {mark} away to keep them")
    if now is None and not follows:
        return replace(part, fault=f'the open turn is called "{label}", without a number: no later one can be named')
    if number is None:
        return replace(part, fault=f"it is not clear which turn is meant: write TURN {(now or 0) + 1}, or NEXT TURN")
    name = "the next turn" if follows else _named_like(label, number)
    if now is not None and number < now:
        return replace(part, fault=f"{name} is over: {label} is open")
    if number > (now or 0) + FARTHEST:
        return replace(part, fault=f"orders are kept for {FARTHEST} turns ahead: up to TURN {(now or 0) + FARTHEST}")
    return replace(part, number=number, name=name) if number != now else part


def _number_meant(typed: str | None) -> int | None:
    said = (typed or "").lower().lstrip("0")
    if said in _NUMBERS:
        return _NUMBERS.index(said) + 1
    if typed:
        return int(said or "0") if len(said) <= _MOST_DIGITS else 10**_MOST_DIGITS
    return None


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """A part as it was read: what is told of it, and the `text` to be kept, "" for none; None if nothing changes."""

    number: int
    result: CommandResult
    text: str | None = None


def plan_parts(
    session: Session, ruleset: AnyRuleset, view: View, seat_id: int, parts: Iterable[Part]
) -> list[PlannedPart]:
    """Return what is to be kept of the parts of a sheet, and told of each. Nothing is changed."""
    kept = {row.turn: row.text for row in load_kept(session, [seat_id])}
    merged = _merge(parts)
    planned = [_plan(ruleset, view, part, kept.get(part.number, ""), dropped) for part, dropped in merged[:_MOST_TOLD]]
    if more := [line for part, _ in merged[_MOST_TOLD:] for line in (part.typed, *_words(part.lines))]:
        said = f"Neither kept nor given, as there are too many turns in one sheet: {quote_lines(more)}"
        planned.append(PlannedPart(0, CommandResult.refused("TURN", said)))
    return planned


def save_parts(
    session: Session, seat_id: int, planned: Iterable[PlannedPart], author: Author, now: dt.datetime
) -> None:
    """Keep the parts of a sheet, each in place of what was kept for its turn. Call with the campaign locked."""
    for each in planned:
        if each.text is not None:
            session.execute(delete(LaterSheet).where(LaterSheet.seat_id == seat_id, LaterSheet.turn == each.number))
            if each.text:
                session.add(LaterSheet(seat_id=seat_id, turn=each.number, text=each.text, author=author, at=now))
    session.flush()


def tell_refused(planned: Iterable[PlannedPart]) -> str:
    """Return what the subject of a receipt says of parts that are not kept whole; "" if all are."""
    commands = [each.result.command for each in planned if not each.result.done]
    names = [each.replace("Orders", "orders", 1) for each in commands[:2]]
    return f"{join_names(names)} NOT kept whole" if names else ""


def load_kept(session: Session, seat_ids: Iterable[int]) -> Sequence[LaterSheet]:
    """Return what is kept for seats and was not used yet, or will be used again after a rollback, by turn."""
    waits = or_(LaterSheet.used.is_(None), LaterSheet.used > Campaign.turn)
    kept = select(LaterSheet).join(Seat, Seat.id == LaterSheet.seat_id).join(Campaign, Campaign.id == Seat.campaign_id)
    kept = kept.where(LaterSheet.seat_id.in_(list(seat_ids)), waits)
    return session.scalars(kept.order_by(LaterSheet.turn)).all()


def describe_kept(row: LaterSheet, label: str, zone: str) -> str:
    """Return in a sentence what is kept for a later turn, with when it was written; `label` names the open turn."""
    lines = _lines_of(row.text)
    name = "the next turn" if _follows(row) else _named_like(label, row.turn)
    return f"Kept for {name}, {count_noun(len(lines), 'line')}, {format_time(row.at, zone)}: {quote_lines(lines)}."


def _named_like(label: str, number: int) -> str:
    """Return the name of a later turn, as it will be in reports."""
    return _NUMBER.sub(str(number), label.partition(",")[0], count=1)


_NEXT = "NEXT TURN"
"""The first line of a text that is for the next turn which asks orders of the seat."""


def _follows(row: LaterSheet) -> bool:
    return row.text.partition("\n")[0] == _NEXT


def _lines_of(text: str) -> list[str]:
    """Return the lines of a kept text, without the name of its turn."""
    return [line for line in text.split("\n") if line and line != _NEXT]


def _merge(parts: Iterable[Part]) -> list[tuple[Part, Sequence[str]]]:
    """Return the parts, of several for one turn the last, each with the lines of those that it replaces.

    Parts that name the turn on each of their lines add up.
    """
    found: dict[object, tuple[Part, Sequence[str]]] = {}
    for part in parts:
        before, dropped = found.pop(part.number or part.typed, (None, ()))
        if before and (part.fault or (before.named and part.named)):
            part = replace(part, lines=(*before.lines, *part.lines), named=before.named + part.named)
        elif before:
            dropped = (*dropped, *_words(before.lines))
        found[part.number or part.typed] = part, dropped
    return list(found.values())


def _words(lines: Lines) -> list[str]:
    return [line for _, line in lines if line.strip()]


def _plan(ruleset: AnyRuleset, view: View, part: Part, before: str, dropped: Sequence[str]) -> PlannedPart:
    lines = [each for each in join_lines(part.lines) if each[1].strip() and not is_comment(each[1])]
    command = f"Orders for {part.name}" if part.name else part.typed
    if fault := part.fault or _fault_of(part, lines):
        left = f" Neither kept nor given: {quote_lines(_words(lines))}." if lines else ""
        return PlannedPart(part.number, CommandResult.refused(command, f"{fault}.{left}"))
    if part.withdraws or not lines or _says_nothing(lines):
        was = f"What was kept for {part.name} is withdrawn: {quote_lines(_lines_of(before))}."
        result = CommandResult(command, was if before else f"Nothing is kept for {part.name}.")
        return PlannedPart(part.number, result, "")
    return _keep(ruleset, view, replace(part, lines=tuple(lines)), _lines_of(before), dropped)


def _fault_of(part: Part, lines: Lines) -> str:
    """Return why the lines of a part are not kept; "" if they are."""
    if (part.withdraws and lines) or (len(lines) > 1 and _says_nothing(lines)):
        return "it says that nothing is to be kept, and has lines below it"
    if part.named and len(lines) > part.named:
        return f"it is not clear whether the lines below it are for {part.name}: write it on a line of its own"
    if len(lines) > MOST_LINES:
        return f"it has {len(lines)} lines, and at most {MOST_LINES} are kept"
    if any(_spell(line) == "NO ORDERS" for _, line in lines):
        return f"NO ORDERS is said when {part.name} is open; TURN {part.number} NONE withdraws what is kept"
    return ""


def _keep(ruleset: AnyRuleset, view: View, part: Part, before: Sequence[str], dropped: Sequence[str]) -> PlannedPart:
    """Return what is kept of a part with lines; what was kept `before` is added to, if it says ADD."""
    adds = _spell(part.lines[0][1]) == "ADD"
    lines, command = part.lines[adds:], f"Orders for {part.name}"
    refused = _find_impossible(ruleset, view, split_host_words(lines)[0])
    kept = [line for number, line in lines if number not in refused]
    slips = [f'Not kept: "{excerpt(dict(lines)[number])}". {_explain(each)}' for number, each in refused.items()]
    if not kept:
        stays = f" What was kept for {part.name} before stays: {quote_lines(before)}." if before else ""
        said = f"no line of it can be an order.{stays}"
        return PlannedPart(part.number, CommandResult.refused(command, "\n".join((said, *slips[:_MOST_TOLD]))))
    text = [*before, *kept] if adds else kept
    told = [
        f"Kept, {count_noun(len(text), 'line')}: {quote_lines(text)}.",
        f"What is possible is not looked at yet: when {part.name} opens, they become your orders and are mailed back.",
    ]
    if before and not adds and [*before] != text:
        told.append(f"They replace what was kept for it: {quote_lines(before)}.")
    if dropped:
        told.append(f"It stands more than once in your mail: the last counts, and not {quote_lines(dropped)}.")
    result = CommandResult(command, "\n".join((*slips[:_MOST_TOLD], *told)), done=not slips)
    return PlannedPart(part.number, result, "\n".join([_NEXT, *text] if part.follows else text))


def _says_nothing(lines: Lines) -> bool:
    return _spell(lines[0][1]) in _WITHDRAWS


def _spell(line: str) -> str:
    return " ".join(line.upper().split()).strip(".:!")


def _explain(finding: Finding) -> str:
    hint = f"perhaps: {finding.corrected}" if finding.corrected else finding.hint
    return " ".join(as_sentence(each) for each in (finding.text, hint) if each)


def _find_impossible(ruleset: AnyRuleset, view: View, lines: Lines) -> dict[int, Finding]:
    """Return the errors of lines that are no orders in any turn, by their numbers."""
    if ruleset.free_text:
        return {}
    parsed = parse_split(ruleset, view, lines)
    right = {entry.line for entry in parsed.entries}
    return {error.line: error for error in parsed.errors if error.code in _IN_NO_TURN and error.line not in right}


def use_kept_orders(
    context: Context, turn_id: int, *, number: int, deadline: dt.datetime | None, reports: Iterable[SeatReport]
) -> None:
    """Make sheets of the orders that were kept for the turn that reports open, and mail each to its player.

    Call with the campaign locked, after the reports were saved. `number` is that of the turn in the campaign: orders
    that were used for it before a rollback are used again.
    """
    session = context.session
    waiting = or_(LaterSheet.used.is_(None), LaterSheet.used >= number)
    mine = select(LaterSheet).join(Seat, Seat.id == LaterSheet.seat_id).where(Seat.campaign_id == context.snapshot.id)
    kept: dict[int, list[LaterSheet]] = {}
    for row in session.scalars(mine.where(waiting).order_by(LaterSheet.turn)):
        kept.setdefault(row.seat_id, []).append(row)
    for report in reports if kept else ():
        if rows := kept.get(report.place.id):
            _use(context, turn_id, number, deadline, report, rows)


def _use(
    context: Context,
    turn_id: int,
    number: int,
    deadline: dt.datetime | None,
    report: SeatReport,
    rows: Sequence[LaterSheet],
) -> None:
    """Use what a seat has kept for a turn that is open for it; of what was kept for one that is over, tell it."""
    view = json.loads(report.view)
    now = turn_number(view["label"])
    if view["over"]:
        return
    # What names the turn goes before what was for the next one, whichever that is; after a rollback that may be later.
    meant = [each for each in rows if each.turn == now or (_follows(each) and each.turn <= (now or each.turn))]
    meant.sort(key=lambda each: (each.turn == now, each.turn), reverse=True)
    used = meant[0] if meant and view["awaited"] else None
    reading = _read(context, view, used) if used else None
    for row in rows:
        over = now is not None and row.turn < now and not _follows(row)
        if over or (row is used and reading is None) or (used and row is not used and row in meant):
            row.used = number
            why = "you had kept others for this turn" if row in meant else "no orders were asked of you in it"
            why = "it could not be read" if row is used else why
            page = small.kept_not_used(label=view["label"], why=why, lines=_lines_of(row.text))
            post(context, report.place, page, id_=("later", context.snapshot.name, report.place.seat, row.turn, number))
    if used is None or reading is None:
        return
    used.used = number
    _, says_wait = split_host_words(_numbered(used.text))
    earlier = PreviousSheets(turn_id, used.seat_id, 0)
    text = "\n".join(_lines_of(used.text))
    sheet = SheetToSave(reading=reading, earlier=earlier, author=used.author, says_wait=says_wait, text=text)
    save_sheets(context.session, [sheet], context.now)
    _mail_receipt(context, number, deadline, report, used, sheet)


def _numbered(text: str) -> Lines:
    return tuple(enumerate(_lines_of(text), start=1))


def _read(context: Context, view: View, row: LaterSheet) -> SheetReading | None:
    """Return the reading of kept orders against the view of now; None if the game raises."""
    lines, _ = split_host_words(_numbered(row.text))
    try:
        return parse_sheet(context.app.game(context.snapshot.game), view, lines, ())
    except Exception as error:  # noqa: BLE001 - what a player wrote weeks ago must not stop the turn of all
        event("kept_orders_not_read", campaign=context.snapshot.name, seat_id=row.seat_id, error=describe_error(error))
        return None


def _mail_receipt(
    context: Context,
    number: int,
    deadline: dt.datetime | None,
    report: SeatReport,
    row: LaterSheet,
    sheet: SheetToSave,
) -> None:
    """Mail the sheet that was made of kept orders to its seat and to its deputies, each with a code of their own."""
    session, snapshot, place = context.session, context.snapshot, report.place
    view = json.loads(report.view)
    receipt = make_receipt(
        sheet.reading,
        sheet.earlier,
        sheet.reading.book,
        campaign=snapshot.name,
        seat=place.seat,
        label=view["label"],
        deadline=deadline,
        held=False,
        zone=snapshot.zone_for(place),
        waits="" if place.paused else waits_because(sheet.reading, says_wait=sheet.says_wait),
    )
    receipt = replace(receipt, wait=bool(sheet.says_wait), kept_at=row.at)
    id_ = receipt_id_parts(snapshot.name, place.seat, number, receipt.version, snapshot.revision)
    own = LastReport(number, report.code, report.mail.message_id, report.view)
    if place.address:
        post(context, place, replace(receipt, code=own.code), id_=id_, under=own, kind="receipt")
    for deputy, person in load_deputies(session, [place.id], context.now):
        codes = select(DeputyReport.code, DeputyReport.message_id).where(DeputyReport.deputy_id == deputy.id)
        if copy := session.execute(codes.order_by(DeputyReport.id.desc()).limit(1)).first():
            theirs = replace(own, code=copy.code, message_id=copy.message_id)
            page = replace(receipt, code=copy.code)
            post(context, person.address, page, id_=(*id_, "deputy", person.id), under=theirs, kind="receipt")
    text = f"the orders that {place.seat} had kept for turn {number} are its sheet {receipt.version}"
    add_entry(session, snapshot.id, context.now, actor="pbem", text=text, secret=True)
