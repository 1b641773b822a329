"""Orders of a form that was edited where a message quotes it, beside those typed elsewhere in the message."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from sqlalchemy import select

from pbem.campaign.courtesies import find_courtesies, sender_names
from pbem.campaign.order_sheets import quote_lines
from pbem.inbox.context import Accepted, MessageContext
from pbem.inbox.our_frames import (
    FoundForm,
    Frame,
    Mailed,
    Words,
    find_frames,
    has_frame,
    is_against,
    missing_in,
    sort_frames,
    spell_line,
)
from pbem.inbox.quoted_originals import load_named_texts
from pbem.inbox.seat_lookup import seat_for_deputy
from pbem.inbox.sheet_finder import SheetText, plain_sheet
from pbem.mail.quoting import is_quoted
from pbem.mail.reply_parser import QUOTED_FORM, QUOTED_LINES
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import View
from pbem.store.models import OrderSheet, OutgoingMail
from pbem.util import redact_credentials

_MOST_SENT = 20
"""Sheets of a turn with which quoted frames are compared, the newest ones."""

_OWN_SHEET = "you wrote a sheet of your own"
_OTHERS = "you wrote other orders outside of it"
_AGAINST = "the orders that you wrote outside of it do not go with them"
_UNKNOWN = "nothing shows that it is the form of my mail"
_OLD = "it is of an earlier report or mail"
_SEVERAL = "there are several, which differ"
"""Reasons for which a form in the quotation is not read."""


Case = tuple[MessageContext, Accepted, SheetText]


def with_edited_form(case: MessageContext, claim: Accepted, sheet: SheetText) -> Case:
    """Return the message with the sheet to which the orders of an edited form in its quotation were added.

    What is not read of them is told in a note, and counted in the sheet's `unread`.
    """
    lines = case.letter.source_lines
    if not has_frame(lines):
        return case, claim, sheet
    frames = sort_frames(lines, case.letter.lines, _load_mailed(case, claim))
    sheet = replace(sheet, notes=(*sheet.notes, *_describe_hidden(frames)))
    found = [each for each in frames if each.told]
    read, reason = _choose(found)
    if read is None:
        return case, claim, _tell(sheet, found, reason)
    if sheet.header is not None:
        return case, claim, _tell(sheet, [read], _OWN_SHEET)
    outside = _outside(sheet, read.frame, lines)
    ruleset, view = case.app.game(claim.spot.game), json.loads(claim.spot.view)
    names = sender_names(case.letter.sender_name, case.letter.sender or "", claim.spot.address, claim.spot.seat)
    if reason := _reason_against(ruleset, view, outside, read, names):
        return case, claim, _tell(sheet, [read], reason)
    orders = missing_in(read.orders, outside)
    added = plain_sheet([*outside, *map(redact_credentials, orders)])
    case = replace(case, letter=replace(case.letter, notes=tuple(_other_notes(case.letter.notes))))
    return case, claim, replace(added, notes=sheet.notes, wait=sheet.wait if added.wait is None else added.wait)


def _describe_hidden(frames: Sequence[FoundForm]) -> Iterator[str]:
    hidden = [redact_credentials(line) for each in frames for line in each.hidden]
    if hidden:
        yield f"In the form in the quotation, still behind a ;: {quote_lines(hidden)}. Take the ; away to give them."


def _choose(found: Sequence[FoundForm]) -> tuple[FoundForm | None, str]:
    """Return the form that may be read; None, and why, if there is none."""
    forms = [each for each in found if each.what in ("anchored", "traced")]
    if not forms:
        return None, _OLD if any(each.what == "old" for each in found) else _UNKNOWN
    first = next((each for each in forms if each.what == "anchored"), forms[0])
    alike = all(set(map(spell_line, each.orders)) == set(map(spell_line, first.orders)) for each in forms)
    return (first, "") if alike else (None, _SEVERAL)


def _outside(sheet: SheetText, frame: Frame, lines: Sequence[str]) -> list[str]:
    """Return the typed lines but for those that stand in a frame, between quoted ones."""
    inside = {lines[at].strip() for at in frame.numbers if not is_quoted(lines[at])}
    return [line for line in sheet.written if line.strip() not in inside or not line.strip()]


def _reason_against(
    ruleset: AnyRuleset, view: View, typed: Sequence[str], read: FoundForm, names: Collection[str]
) -> str:
    """Return why the orders of a form are not read beside what was typed; "" if they are."""
    lines = list(enumerate(typed, start=1))
    courtesies = find_courtesies(ruleset, view, lines, names)
    lines = [(number, line) for number, line in lines if line.strip() and number not in courtesies]
    before = ruleset.parse(view, lines)
    if not before.entries:
        return ""
    if read.what == "traced":
        return _OTHERS
    spelt = [spell_line(line) for _, line in lines]
    if any(is_against(one, spell_line(other)) for one in spelt for other in read.orders):
        return _AGAINST
    more = list(enumerate(missing_in(read.orders, typed), start=len(typed) + 1))
    beside = ruleset.parse(view, [*lines, *more])
    lost = {entry.line for entry in before.entries} - {entry.line for entry in beside.entries}
    return _AGAINST if lost else ""


def _tell(sheet: SheetText, found: Sequence[FoundForm], reason: str) -> SheetText:
    """Return the sheet with a note on orders in the quotation that were not read."""
    orders = [line for each in found for line in each.orders]
    unread = list(dict.fromkeys(missing_in(orders, sheet.written)))
    if not unread:
        return sheet
    shown = quote_lines([redact_credentials(line) for line in unread])
    note = f"In the form in the quotation, NOT read: {shown}; {reason}. Write orders at the top of your reply."
    return replace(sheet, notes=(*sheet.notes, note), unread=len(unread))


def _other_notes(notes: Sequence[str]) -> Iterator[str]:
    """Yield the notes but for those that quoted lines were left out."""
    return (note for note in notes if note != QUOTED_FORM and not QUOTED_LINES.fullmatch(note))


def _load_mailed(case: MessageContext, claim: Accepted) -> Mailed:
    """Return what was mailed to the writer of a message, and what the seat has sent this turn."""
    spot = claim.spot
    own = seat_for_deputy(case.session, spot, claim.deputy) if claim.deputy else spot
    frames = [frame for lines in load_named_texts(case.session, case.letter) for frame in find_frames(lines)]
    sent = (
        select(OrderSheet.text)
        .where(OrderSheet.turn_id == spot.turn_id, OrderSheet.seat_id == spot.seat_id)
        .order_by(OrderSheet.id.desc())
        .limit(_MOST_SENT)
    )
    sheets = [frozenset(_spell_lines(text)) for text in case.session.scalars(sent)]
    return Mailed(frames, (own.code or "").lower(), sheets, _answers_ours(case))


def _spell_lines(text: str) -> Iterator[Words]:
    return (spell_line(line) for line in text.split("\n") if line.strip())


def _answers_ours(case: MessageContext) -> bool:
    """Return False for a message that answers a mail which is none of ours."""
    if not case.letter.references:
        return True
    answered = select(OutgoingMail.id).where(OutgoingMail.message_id == case.letter.references[0])
    return case.session.scalar(answered.limit(1)) is not None
