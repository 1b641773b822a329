"""Sheets on their way in: by reply, with an ORDERS line, beside commands, through a list, and from a program."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from pbem.inbox.authenticate import authenticate, find_orders, only_seat
from pbem.inbox.bounce_replies import note_machine
from pbem.inbox.context import Accepted, AuthResult, Declined, MessageContext, NeedsConfirmation, Outcome
from pbem.inbox.frames import SheetText
from pbem.inbox.late_sheets import tell_gm_of_late
from pbem.inbox.order_sheets import process_sheet
from pbem.inbox.rate_limits import RateLimitExceeded
from pbem.inbox.refusals import decline_typed, refuse, refuse_doubtful, request_confirmation
from pbem.inbox.replies import ECHO, answer, bare_subject, is_echo, note_bulk_mail
from pbem.inbox.sheet_choice import is_unedited_form, sheet_above_quote, with_edited_form
from pbem.inbox.wishes import answer_slip, answer_wish
from pbem.report.answers import Answer, CommandResult, Doubt
from pbem.util import redact_all

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

_OUT_OF_DATE = ("stale-code", "withdrawn")
_MAILED = ("token", "code", "reply", "confirmed")
"""Proofs that were mailed to a seat's own address."""

_MOST_LINES = 8
"""Lines of a message without orders in which wishes are looked for."""


def take_sheet(mail: Reading) -> Outcome:
    """Process a sheet, and what was edited in the form that the message quotes."""
    case, sheet = mail.case, mail.sheet
    claim = authenticate(case, sheet.header)
    if isinstance(claim, Declined) and claim.reason in _OUT_OF_DATE:
        claim, sheet = _orders_above(case, sheet, claim)
    if not isinstance(claim, Accepted):
        return refuse(tell_gm_of_late(case, claim) if isinstance(claim, Declined) else case, claim), False
    case, claim, sheet = with_edited_form(case, claim, sheet)
    return ask_if_doubtful(case, claim, process_sheet(case, claim, sheet))


def ask_if_doubtful(case: MessageContext, claim: Accepted, taken: Outcome | Doubt) -> Outcome:
    """Return what came of a sheet; ask its sender about one that may not be meant."""
    if not isinstance(taken, Doubt):
        return taken
    to = claim.deputy or claim.spot.address
    return request_confirmation(case, NeedsConfirmation(claim.spot, to=to, orders=True, doubt=taken)), False


def _orders_above(case: MessageContext, sheet: SheetText, claim: Declined) -> tuple[AuthResult, SheetText]:
    """Return the orders above a sheet that is an older report's, where the message itself answers the newest."""
    plain = authenticate(case, None)
    if not isinstance(plain, Accepted):
        return claim, sheet
    found = sheet_above_quote(case.app.game(plain.spot.game), json.loads(plain.spot.view), sheet)
    return (claim, sheet) if found is None else (plain, replace(found, header=None))


def take_unproved(mail: Reading) -> Outcome:
    """Ask a sender with one seat whether orders are theirs; answer other words that show no code of ours."""
    case, sheet = mail.case, mail.sheet
    claim = authenticate(case, None)
    if isinstance(claim, Accepted):  # they have said so
        return ask_if_doubtful(case, claim, process_sheet(case, claim, sheet))
    own = only_seat(case, claim)
    if own and isinstance(claim, Declined) and claim.spot and find_orders(case, claim.spot, sheet.lines):
        claim = authenticate(case, own)
        if isinstance(claim, Accepted):
            claim = NeedsConfirmation(claim.spot, to=claim.deputy or claim.spot.address, orders=True)
        return refuse(case, claim), False
    said = _answer_words(case, claim) if isinstance(claim, Declined) and claim.reason == "no-orders" else ""
    return said or refuse(case, claim), False


def _answer_words(case: MessageContext, claim: Declined) -> str:
    """Answer a known sender's message that wishes for a command, or mistypes one; return what to note, "" if none."""
    typed = [line.strip() for line in case.letter.lines if line.strip()] or [bare_subject(case.letter.subject)]
    today = case.now.date()
    wishes = [(line, said) for line in typed[:_MOST_LINES] if (said := answer_wish(line, today))]
    if not wishes and (said := answer_slip(typed[0])):
        wishes = [(typed[0], said)]
    if not wishes:
        return ""
    if is_echo(case, claim.spot, digits=bool(case.key)):
        return case.silent(ECHO)
    done = tuple(CommandResult(redact_all(line), said) for line, said in wishes)
    page = Answer(address=case.address, done=done, notes=case.notes, hints=True)
    return "pointed to a command; " + answer(case, claim.to, page, about=claim.spot)


def take_beside(case: MessageContext, sheet: SheetText) -> Outcome:
    """Process orders beside a text. Nothing is asked, since an answer would do the whole message again."""
    own = replace(case, letter=replace(case.letter, filed=None))
    claim = authenticate(own, sheet.header)
    if sheet.header is None and (seat := only_seat(own, claim)):
        claim = authenticate(own, seat)
    if not isinstance(claim, Accepted):
        return decline_typed(own, claim), False
    try:
        taken = process_sheet(own, claim, sheet)
    except RateLimitExceeded as many:
        return str(many), False
    return (refuse_doubtful(own, claim, taken), False) if isinstance(taken, Doubt) else taken


def take_bulk_sheet(mail: Reading) -> Outcome:
    """Process a sheet that came through a list, or with a sign by which programs ask for no answer.

    Its receipt goes to the seat's own address. Free words without a frame are asked about there. Without a key, or
    without an order, nothing is refused by mail (RFC 3834), as the writer may be a machine.
    """
    case, sheet = mail.case, mail.sheet
    claim = authenticate(case, sheet.header)
    if not (isinstance(claim, Accepted) and claim.proof in _MAILED):
        return note_machine(case), False
    case, claim, sheet = with_edited_form(case, claim, sheet)
    whole = sheet.header is not None and sheet.closed and not sheet.empty
    free = sheet.header is None and case.app.game(claim.spot.game).free_text
    if whole or free or find_orders(case, claim.spot, sheet.lines):
        return ask_if_doubtful(case, claim, process_sheet(case, claim, sheet))
    return note_bulk_mail(case, claim.spot), False


def take_robot_sheet(mail: Reading) -> Outcome:
    """Process a sheet that a program has sent for a person, and answer nothing else (RFC 3834).

    An answering machine may quote a report, with its code and the form at its
    end. So the sheet must be all there is: whole, filled in, first in the mail,
    not quoted, and with the key in its own line.
    """
    case, sheet = mail.came.case, mail.came.sheet
    whole = sheet.closed and not (sheet.empty or sheet.below_text or case.letter.sent_back)
    claim = authenticate(case, sheet.header) if whole else None
    if not (isinstance(claim, Accepted) and claim.proof in ("token", "code")):
        return note_machine(case), False
    if is_unedited_form(case.app.game(claim.spot.game), json.loads(claim.spot.view), sheet):
        return note_machine(case), False
    return ask_if_doubtful(case, claim, process_sheet(case, claim, sheet))


def answer_recall(mail: Reading) -> Outcome:
    """Answer a request to recall a mail: orders are withdrawn by a command."""
    case = mail.came.case
    claim = authenticate(case, None)
    if not isinstance(claim, Accepted):
        return note_machine(case), False
    said = "a mail cannot be recalled, so what it brought still counts. The line CLEAR ORDERS, as a mail, withdraws it"
    page = Answer(address=case.address, done=(CommandResult.refused(case.letter.subject, said),))
    return "pointed to CLEAR ORDERS; " + answer(case, claim.deputy or claim.spot.address, page, about=claim.spot), False
