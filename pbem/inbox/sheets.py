"""Sheets on their way in: by reply, with an ORDERS line, and beside commands."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pbem.inbox.authenticate import authenticate, find_orders, only_seat
from pbem.inbox.context import Accepted, AuthResult, Declined, MessageContext, NeedsConfirmation, Outcome
from pbem.inbox.frames import SheetHeader, SheetText
from pbem.inbox.late_sheets import tell_gm_of_late
from pbem.inbox.order_sheets import process_sheet
from pbem.inbox.rate_limits import RateLimitExceeded
from pbem.inbox.refusals import ask_for_seat, decline_typed, refuse, refuse_doubtful, request_confirmation
from pbem.inbox.replies import ECHO, HeldAnswer, answer, answer_together, bare_subject, is_echo
from pbem.inbox.route import find_seat_key
from pbem.inbox.seat_lookup import find_seat, seats_of
from pbem.inbox.sheet_choice import sheet_above_quote, with_edited_form
from pbem.inbox.wishes import answer_slip, answer_wish
from pbem.report.answers import Answer, CommandResult, Doubt
from pbem.util import redact_all

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

_OUT_OF_DATE = ("stale-code", "withdrawn")

_MOST_LINES = 8
"""Lines of a message without orders in which wishes are looked for."""


class OneSheet(NamedTuple):
    """A sheet of a message that has several, and what the message says of it alone."""

    context: MessageContext
    sheet: SheetText


def take_sheet(mail: Reading | OneSheet) -> Outcome:
    """Process the sheets of a message, and what was edited in the form that it quotes."""
    context, sheet = mail.context, mail.sheet
    if sheet.others and not isinstance(mail, OneSheet):
        return take_each(context, sheet, take_sheet)
    result = authenticate(context, sheet.header)
    if isinstance(result, Declined) and result.reason in _OUT_OF_DATE:
        result, sheet = _orders_above(context, sheet, result)
    if not isinstance(result, Accepted):
        return refuse(tell_gm_of_late(context, result) if isinstance(result, Declined) else context, result), False
    context, result, sheet = with_edited_form(context, result, sheet)
    return ask_if_doubtful(context, result, process_sheet(context, result, sheet))


def take_each(context: MessageContext, sheet: SheetText, take: Callable[[OneSheet], Outcome]) -> Outcome:
    """Process each sheet of a message as if it had come alone; what is answered to one address goes in one mail."""
    parts = _part(context, sheet)
    if len(parts) == 1:
        return take(parts[0])
    together, done, limits = list[HeldAnswer](), list[Outcome](), list[RateLimitExceeded]()
    for own in parts:
        try:
            done.append(take(own._replace(context=replace(own.context, together=together))))
        except RateLimitExceeded as many:
            limits.append(many)
    if not done:
        raise limits[0]
    answer_together(context, together)
    notes = [*(note for note, _ in done), *(f"not processed: {many}" for many in limits)]
    return "; ".join(notes), sum(saved for _, saved in done)


def _part(context: MessageContext, sheet: SheetText) -> list[OneSheet]:
    sheets = [replace(each, others=()) for each in (sheet, *sheet.others)]
    names = [(each.header.campaign, each.header.seat) for each in sheets if each.header]
    # Locked in one order, so that two messages do not wait for each other.
    places = {each: find_seat(context.session, *each) for each in sorted(names)}
    games = [(context.app.game(place.game), place.view) for place in places.values() if place]
    if any(sheet_above_quote(*game, sheet) for game in games):
        return [OneSheet(context, sheet)]  # with orders above it, it may be an older one, and so may those below it
    ids = [place.seat_id if (place := places[name]) else 0 for name in names]
    found, said = list(zip(ids, sheets, strict=True)), context.confirmed
    if said is not None and said.meant:  # each of the others was judged when the message came
        own = [OneSheet(context, each) for id_, each in found if id_ == said.seat_id]
        return own or [OneSheet(context, sheet)]
    return [
        OneSheet(context if said and said.seat_id == id_ else _as_alone(context, each.header, {*ids} - {id_}), each)
        for id_, each in found
    ]


def _as_alone(context: MessageContext, header: SheetHeader | None, others: Collection[int]) -> MessageContext:
    """Return a message without what shows that its other sheets are their seats'."""
    own = replace(context, codes=context.codes.without(others), confirmed=None)
    return replace(own, key=find_seat_key(own, header))


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
    found = sheet_above_quote(context.app.game(plain.place.game), plain.place.view, sheet)
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
    own_seats = seats_of(context.session, context.message.sender) if own is None else ()
    if any(
        find_orders(context, place, sheet.lines)
        for each in own_seats
        if (place := find_seat(context.session, each.campaign, each.seat))
    ):
        return ask_for_seat(context, sheet.lines, result, "ORDERS") or refuse(context, result), 0
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


def take_beside(mail: OneSheet) -> Outcome:
    """Process a sheet beside a text. Nothing is asked, since an answer would do the whole message again."""
    context, sheet = mail
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
