"""Messages that are not accepted: what their senders are told, and the question to the address in whose name one came.

Such a question is sent once for each message, with a code of its own, and the message is kept. A sender who shows the
code has read the mail there, and the answer holds for that message alone (docs/decisions/0014).
"""

from __future__ import annotations

from pbem.campaign.order_sheets import Lines
from pbem.campaign.people import A_DAY, QUESTIONS, asked_today, find_person
from pbem.inbox.context import (
    AuthResult,
    Declined,
    DeputyExpired,
    MessageContext,
    NeedsConfirmation,
    SeatMismatch,
    SenderMismatch,
)
from pbem.inbox.frames import find_sheet
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.rate_limits import GUESSES_A_DAY, WARNINGS_A_DAY, count_guess
from pbem.inbox.replies import answer, ask, refusal, warn, warn_of_limit
from pbem.inbox.seat_lookup import SeatContext, seats_of
from pbem.inbox.sheet_choice import choose_sheet
from pbem.report import small
from pbem.report.answers import Answer as AnswerPage
from pbem.report.answers import CommandResult, Doubt, Reason, Refusal
from pbem.store.types import RequestKind
from pbem.util import redact_all, redact_credentials

_DOUBTS = {
    "receipt": "it repeats an old receipt",
    "errors": "most of its lines are errors",
    "older": "it was written before the sheet that counts",
    "bulk": "it came as bulk mail",
    "instead": "it may be meant besides the orders that count",
}

_EXCERPT_LINES = 12
_EXCERPT = 800
"""Characters shown of a message: enough for its sender to recognise it, too few for a forger to mail them a text."""


def request_confirmation(context: MessageContext, result: NeedsConfirmation) -> str:
    """Keep a message and ask the address in whose name it came; return what to note of it."""
    person, place = find_person(context.session, result.to), result.place
    assert person is not None
    asked = asked_today(context.session, person.key, "", QUESTIONS, context.now)
    data = {
        "inbox_id": context.inbox_id,
        "player": place.address.lower() if place else "",
        "report_id": place.report_id if place else 0,
        "orders": result.orders,
        "doubt": result.doubt.reason if result.doubt else "",
        "leaves": result.pressed or result.ends_seat,
    }
    kept = ask(
        context,
        place,
        RequestKind.MESSAGE,
        person,
        data,
        account=QUESTIONS,
        excerpt=_excerpt(context, result),
        gm=place.gm_shown if place else "",
        orders=result.orders,
        weighty=result.weighty,
        pressed=result.pressed,
        leaves=result.leaves,
        doubt=result.doubt,
        zone=place.zone if place else "UTC",
        last=asked + 1 >= A_DAY,
    )
    if not kept and result.doubt:
        return f"not accepted: {_DOUBTS[result.doubt.reason]}; " + refuse_doubtful(
            context, place, result.to, result.doubt
        )
    if not kept:
        return f"kept; not asked about: {result.to} was asked about {A_DAY} messages today"
    if result.doubt:
        return f"kept, not accepted: {_DOUBTS[result.doubt.reason]}; asked {result.to} whether it is meant"
    return f"kept; asked {result.to} whether it is theirs"


def decline_typed(context: MessageContext, result: AuthResult) -> str:
    """Refuse orders that came beside a text and lack proof, without a question; return what to note of it."""
    if not isinstance(result, NeedsConfirmation):
        return refuse(context, result)
    why = "Send them again, as a reply to your latest report: what came here does not show that they are yours."
    said = CommandResult.refused("the orders in your mail", f"they were not taken. {why}")
    page = AnswerPage(address=context.address, done=(said,), notes=context.notes)
    return "orders not taken; " + answer(context, result.to, page, about=result.place)


def refuse_doubtful(context: MessageContext, place: SeatContext | None, to: str, doubt: Doubt) -> str:
    """Refuse orders that may not be meant, without a question; return what to note of it."""
    assert place is not None
    if doubt.reason == "bulk":  # its writer may be a program
        return context.silent(context.message.machine.reason)
    page = refusal(
        context,
        place,
        "besides" if doubt.reason == "instead" else "doubtful",
        counted=doubt.counted,
        counted_at=doubt.counted_at,
        weighty=doubt.weighty,
        notes=context.notes,
    )
    return answer(context, to, page, about=place)


def ask_for_seat(context: MessageContext, lines: Lines, result: AuthResult, frame: str = "PLAYER") -> str:
    """Ask a player of several seats which of them a message is for; return what to note, "" if that is no question."""
    seats = seats_of(context.session, context.message.sender)
    if not (isinstance(result, Declined) and result.reason == "no-orders" and len(seats) > 1):
        return ""
    page = small.which_seat(
        address=context.address,
        frame=frame,
        lines=tuple(redact_all(line) for _, line in lines),
        seats=tuple((seat.campaign, seat.seat) for seat in seats),
    )
    return "for which seat?; " + answer(context, result.to, page)


def _excerpt(context: MessageContext, result: NeedsConfirmation) -> str:
    """Return the beginning of what would be done, without keys; the subject of a message without text."""
    text = redact_all((_requested_text(context, result) or context.message.subject)[:_EXCERPT])
    lines = text.split("\n")
    return "\n".join([*lines[:_EXCERPT_LINES], *(["(and more)"] if lines[_EXCERPT_LINES:] else [])])


def _requested_text(context: MessageContext, result: NeedsConfirmation) -> str:
    """Return what a message asks for, without the text above.

    A forger could put there what the owner of the address has just written.
    """
    message, place = context.message, result.place
    if not result.orders or place is None:
        return "\n".join(message.lines[result.at :])
    sheet = find_sheet(message.lines, {place.campaign})
    sheet = next((each for each in sheet.others if each.is_for(place.campaign, place.seat)), sheet)
    return choose_sheet(context.app.game(place.game), place.view, sheet, message.filed).text().strip("\n")


def refuse(context: MessageContext, result: AuthResult) -> str:
    """Answer a message that was not accepted; return what to note of it."""
    match result:
        case Declined():
            return _refuse_known(context, result)
        case SeatMismatch(to=to, header=header):
            campaign, seat = (header.campaign, header.seat) if header else ("", "")
            page = small.two_seats(address=context.address, campaign=campaign, seat=seat)
            return "for two seats at once; " + answer(context, to, page)
        case NeedsConfirmation():
            return request_confirmation(context, result)
        case SenderMismatch():
            return _refuse_mismatch(context, result)
        case DeputyExpired():
            return _refuse_expired_deputy(context, result)
        case _:
            return to_stranger(context)


def _refuse_known(context: MessageContext, result: Declined) -> str:
    place = result.place
    page = Refusal(
        reason=result.reason,
        address=context.address,
        campaign=place.campaign if place else "",
        seat=place.seat if place else "",
        label=place.label if place else "",
        typed=redact_credentials(result.typed),
        hint=place.moved_to if place and place.moved_to else result.hint,
        gm=place.gm_shown if place else "",
        notes=context.notes,
    )
    return f"{result.reason}; " + answer(context, result.to, page, about=place)


def _refuse_mismatch(context: MessageContext, result: SenderMismatch) -> str:
    """Warn the seat's own address, and answer the sender as a stranger, unless the address is forged."""
    place = result.place
    said = f"not from {place.seat} of {place.campaign}"
    if result.forged:
        return f"{said}, by the receiving server's word; {_warn_seat(context, place, 'forged')}"
    # The address of a player who mistook the seat is not disclosed.
    sender = "someone else who plays here" if find_person(context.session, context.sender) else ""
    said = f"{said}; {_warn_seat(context, place, 'sender-mismatch', sender)}"
    if result.guessed and count_guess(context, place):
        said = f"{said}; {warn_of_limit(context, place, 'keys', GUESSES_A_DAY)}"
    return f"{said}; {to_stranger(context)}"


def _refuse_expired_deputy(context: MessageContext, result: DeputyExpired) -> str:
    place, stand_in = result.place, result.stand_in
    page = refusal(context, place, "not-deputy-now", since=stand_in.since, until=stand_in.until)
    told = answer(context, stand_in.address, page, about=place)
    warned = _warn_seat(context, place, "sender-mismatch")
    return f"from one who does not stand in for {place.seat} of {place.campaign} now; {told}; {warned}"


def _warn_seat(context: MessageContext, place: SeatContext, reason: Reason, sender: str = "") -> str:
    """Tell a seat's own address, at most so often a day, what was tried in its name; return what to note."""
    page = refusal(context, place, reason, sender=sender or context.shown_sender)
    return warn(context, place.campaign, place.address, page, "warning", place.seat, most=WARNINGS_A_DAY)
