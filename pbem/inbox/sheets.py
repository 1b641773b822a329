"""Sheets on their way in: by reply, with an ORDERS line, and beside commands."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from pbem.inbox.authenticate import authenticate, find_orders, only_seat
from pbem.inbox.context import Accepted, AuthResult, Declined, MessageContext, NeedsConfirmation, Outcome
from pbem.inbox.frames import SheetText
from pbem.inbox.late_sheets import tell_gm_of_late
from pbem.inbox.order_sheets import process_sheet
from pbem.inbox.rate_limits import RateLimitExceeded
from pbem.inbox.refusals import decline_typed, refuse, refuse_doubtful, request_confirmation
from pbem.inbox.replies import ECHO, answer, bare_subject, is_echo
from pbem.inbox.sheet_choice import sheet_above_quote, with_edited_form
from pbem.inbox.wishes import answer_slip, answer_wish
from pbem.report.answers import Answer, CommandResult, Doubt
from pbem.util import redact_all

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

_OUT_OF_DATE = ("stale-code", "withdrawn")

_MOST_LINES = 8
"""Lines of a message without orders in which wishes are looked for."""


def take_sheet(mail: Reading) -> Outcome:
    """Process a sheet, and what was edited in the form that the message quotes."""
    context, sheet = mail.context, mail.sheet
    result = authenticate(context, sheet.header)
    if isinstance(result, Declined) and result.reason in _OUT_OF_DATE:
        result, sheet = _orders_above(context, sheet, result)
    if not isinstance(result, Accepted):
        return refuse(tell_gm_of_late(context, result) if isinstance(result, Declined) else context, result), False
    context, result, sheet = with_edited_form(context, result, sheet)
    return ask_if_doubtful(context, result, process_sheet(context, result, sheet))


def ask_if_doubtful(context: MessageContext, result: Accepted, taken: Outcome | Doubt) -> Outcome:
    """Return what came of a sheet; ask its sender about one that may not be meant."""
    if not isinstance(taken, Doubt):
        return taken
    to = result.deputy or result.place.address
    return request_confirmation(context, NeedsConfirmation(result.place, to=to, orders=True, doubt=taken)), False


def _orders_above(context: MessageContext, sheet: SheetText, result: Declined) -> tuple[AuthResult, SheetText]:
    """Return the orders above a sheet that is an older report's, where the message itself answers the newest."""
    plain = authenticate(context, None)
    if not isinstance(plain, Accepted):
        return result, sheet
    found = sheet_above_quote(context.app.game(plain.place.game), json.loads(plain.place.view), sheet)
    return (result, sheet) if found is None else (plain, replace(found, header=None))


def take_unproved(mail: Reading) -> Outcome:
    """Ask a sender with one seat whether orders are theirs; answer other words that show no code of ours."""
    context, sheet = mail.context, mail.sheet
    result = authenticate(context, None)
    if isinstance(result, Accepted):  # they have said so
        return ask_if_doubtful(context, result, process_sheet(context, result, sheet))
    own = only_seat(context, result)
    if own and isinstance(result, Declined) and result.place and find_orders(context, result.place, sheet.lines):
        result = authenticate(context, own)
        if isinstance(result, Accepted):
            result = NeedsConfirmation(result.place, to=result.deputy or result.place.address, orders=True)
        return refuse(context, result), False
    said = _answer_words(context, result) if isinstance(result, Declined) and result.reason == "no-orders" else ""
    return said or refuse(context, result), False


def _answer_words(context: MessageContext, result: Declined) -> str:
    """Answer a known sender's message that wishes for a command, or mistypes one; return what to note, "" if none."""
    typed = [line.strip() for line in context.message.lines if line.strip()] or [bare_subject(context.message.subject)]
    today = context.now.date()
    wishes = [(line, said) for line in typed[:_MOST_LINES] if (said := answer_wish(line, today))]
    if not wishes and (said := answer_slip(typed[0])):
        wishes = [(typed[0], said)]
    if not wishes:
        return ""
    if is_echo(context, result.place, digits=bool(context.key)):
        return context.silent(ECHO)
    done = tuple(CommandResult(redact_all(line), said) for line, said in wishes)
    page = Answer(address=context.address, done=done, notes=context.notes, hints=True)
    return "pointed to a command; " + answer(context, result.to, page, about=result.place)


def take_beside(context: MessageContext, sheet: SheetText) -> Outcome:
    """Process orders beside a text. Nothing is asked, since an answer would do the whole message again."""
    own = replace(context, message=replace(context.message, filed=None))
    result = authenticate(own, sheet.header)
    if sheet.header is None and (seat := only_seat(own, result)):
        result = authenticate(own, seat)
    if not isinstance(result, Accepted):
        return decline_typed(own, result), False
    try:
        taken = process_sheet(own, result, sheet)
    except RateLimitExceeded as many:
        return str(many), False
    if isinstance(taken, Doubt):
        return refuse_doubtful(own, result.place, result.deputy or result.place.address, taken), False
    return taken
