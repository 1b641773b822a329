"""Messages that are not accepted: what their senders are told, and the question to the address in whose name one came.

Such a question is sent once for each message, with a code of its own, and the message is kept. A sender who shows the
code has read the mail there, and the answer holds for that message alone (docs/decisions/0014).
"""

from __future__ import annotations

import json

from sqlalchemy import update

from pbem.campaign.people import A_DAY, DAYS, QUESTIONS, asked_today, create_request, find_person
from pbem.campaign.schedule import Schedule
from pbem.inbox.context import (
    Accepted,
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
from pbem.inbox.replies import answer, mailer_of, warn, warn_of_limit
from pbem.inbox.seat_lookup import SeatContext
from pbem.inbox.sheet_choice import choose_sheet
from pbem.report import small
from pbem.report.answers import Answer as AnswerPage
from pbem.report.answers import CommandResult, ConfirmSender, Doubt, Reason, Refusal
from pbem.store.models import PendingRequest
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


def request_confirmation(case: MessageContext, claim: NeedsConfirmation) -> str:
    """Keep a message and ask the address in whose name it came; return what to note of it."""
    person, spot = find_person(case.session, claim.to), claim.spot
    assert person is not None
    asked = asked_today(case.session, person.key, "", QUESTIONS, case.now)
    data = {
        "letter": case.letter_id,
        "person_id": person.id,
        "seat_id": spot.seat_id if spot else None,
        "player": spot.address.lower() if spot else "",
        "report_id": spot.report_id if spot else 0,
        "orders": claim.orders,
        "doubt": claim.doubt.reason if claim.doubt else "",
        "leaves": claim.pressed or claim.ends_seat,
    }
    campaign_id = spot.campaign_id if spot else None
    code = create_request(
        case.session, RequestKind.MESSAGE, case.now, to=claim.to, data=data, campaign_id=campaign_id, account=QUESTIONS
    )
    if code is None and claim.doubt:
        return f"not accepted: {_DOUBTS[claim.doubt.reason]}; " + _tell_doubt(case, claim.spot, claim.to, claim.doubt)
    if code is None:
        return f"kept; not asked about: {claim.to} was asked about {A_DAY} messages today"
    page = _build_question(case, claim, last=asked + 1 >= A_DAY)
    id_ = mailer_of(case, spot).id_of("question", code)
    answer(case, claim.to, page, about=spot, code=code, id_=id_, kind="question")
    case.session.execute(update(PendingRequest).where(PendingRequest.code == code).values(message_id=id_))
    if claim.doubt:
        return f"kept, not accepted: {_DOUBTS[claim.doubt.reason]}; asked {claim.to} whether it is meant"
    return f"kept; asked {claim.to} whether it is theirs"


def refuse_doubtful(case: MessageContext, claim: Accepted, doubt: Doubt) -> str:
    """Refuse orders that may not be meant, without a question; return what to note of it."""
    return _tell_doubt(case, claim.spot, claim.deputy or claim.spot.address, doubt)


def decline_typed(case: MessageContext, claim: AuthResult) -> str:
    """Refuse orders that came beside a text and lack proof, without a question; return what to note of it."""
    if not isinstance(claim, NeedsConfirmation):
        return refuse(case, claim)
    why = "Send them again, as a reply to your latest report: what came here does not show that they are yours."
    said = CommandResult.refused("the orders in your mail", f"they were not taken. {why}")
    page = AnswerPage(address=case.address, done=(said,), notes=case.notes)
    return "orders not taken; " + answer(case, claim.to, page, about=claim.spot)


def _tell_doubt(case: MessageContext, spot: SeatContext | None, to: str, doubt: Doubt) -> str:
    assert spot is not None
    if doubt.reason == "bulk":  # its writer may be a program
        return case.silent(case.letter.machine.reason)
    page = Refusal(
        reason="besides" if doubt.reason == "instead" else "doubtful",
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        gm=spot.gm_shown,
        counted=doubt.counted,
        counted_at=doubt.counted_at,
        weighty=doubt.weighty,
        zone=Schedule.read(spot.schedule).zone,
        notes=case.notes,
    )
    return answer(case, to, page, about=spot)


def _build_question(case: MessageContext, claim: NeedsConfirmation, *, last: bool) -> ConfirmSender:
    spot = claim.spot
    return ConfirmSender(
        address=case.address,
        sender=case.shown_sender,
        excerpt=_excerpt(case, claim),
        days=DAYS,
        campaign=spot.campaign if spot else "",
        seat=spot.seat if spot else "",
        gm=spot.gm_shown if spot else "",
        orders=claim.orders,
        weighty=claim.weighty,
        pressed=claim.pressed,
        leaves=claim.leaves,
        doubt=claim.doubt,
        zone=Schedule.read(spot.schedule).zone if spot else "UTC",
        last=last,
    )


def _excerpt(case: MessageContext, claim: NeedsConfirmation) -> str:
    """Return the beginning of what would be done, without keys; the subject of a message without text."""
    text = redact_all((_requested_text(case, claim) or case.letter.subject)[:_EXCERPT])
    lines = text.split("\n")
    return "\n".join([*lines[:_EXCERPT_LINES], *(["(and more)"] if lines[_EXCERPT_LINES:] else [])])


def _requested_text(case: MessageContext, claim: NeedsConfirmation) -> str:
    """Return what a message asks for, without the text above.

    A forger could put there what the owner of the address has just written.
    """
    letter, spot = case.letter, claim.spot
    if not claim.orders or spot is None:
        return "\n".join(letter.lines[claim.at :])
    sheet = find_sheet(letter.lines, {spot.campaign})
    return choose_sheet(case.app.game(spot.game), json.loads(spot.view), sheet, letter.filed).text().strip("\n")


def refuse(case: MessageContext, claim: AuthResult) -> str:
    """Answer a message that was not accepted; return what to note of it."""
    match claim:
        case Declined():
            return _refuse_known(case, claim)
        case SeatMismatch(to=to, header=header):
            campaign, seat = (header.campaign, header.seat) if header else ("", "")
            page = small.two_seats(address=case.address, campaign=campaign, seat=seat)
            return "for two seats at once; " + answer(case, to, page)
        case NeedsConfirmation():
            return request_confirmation(case, claim)
        case SenderMismatch():
            return _refuse_mismatch(case, claim)
        case DeputyExpired():
            return _refuse_expired_deputy(case, claim)
        case _:
            return to_stranger(case)


def _refuse_known(case: MessageContext, claim: Declined) -> str:
    spot = claim.spot
    page = Refusal(
        reason=claim.reason,
        address=case.address,
        campaign=spot.campaign if spot else "",
        seat=spot.seat if spot else "",
        label=spot.label if spot else "",
        typed=redact_credentials(claim.typed),
        hint=spot.moved_to if spot and spot.moved_to else claim.hint,
        gm=spot.gm_shown if spot else "",
        notes=case.notes,
    )
    return f"{claim.reason}; " + answer(case, claim.to, page, about=spot)


def _refuse_mismatch(case: MessageContext, claim: SenderMismatch) -> str:
    """Warn the seat's own address, and answer the sender as a stranger, unless the address is forged."""
    spot = claim.spot
    said = f"not from {spot.seat} of {spot.campaign}"
    if claim.forged:
        return f"{said}, by the receiving server's word; {_warn_seat(case, spot, 'forged')}"
    # The address of a player who mistook the seat is not disclosed.
    sender = "someone else who plays here" if find_person(case.session, case.sender) else ""
    said = f"{said}; {_warn_seat(case, spot, 'sender-mismatch', sender)}"
    if claim.guessed and count_guess(case, spot):
        said = f"{said}; {warn_of_limit(case, spot, 'keys', GUESSES_A_DAY)}"
    return f"{said}; {to_stranger(case)}"


def _refuse_expired_deputy(case: MessageContext, claim: DeputyExpired) -> str:
    spot, stand_in = claim.spot, claim.stand_in
    page = Refusal(
        reason="not-deputy-now",
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        gm=spot.gm_shown,
        since=stand_in.since,
        until=stand_in.until,
        zone=Schedule.read(spot.schedule).zone,
    )
    told = answer(case, stand_in.address, page, about=spot)
    warned = _warn_seat(case, spot, "sender-mismatch")
    return f"from one who does not stand in for {spot.seat} of {spot.campaign} now; {told}; {warned}"


def _warn_seat(case: MessageContext, spot: SeatContext, reason: Reason, sender: str = "") -> str:
    """Tell a seat's own address, at most so often a day, what was tried in its name; return what to note."""
    page = Refusal(
        reason=reason,
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        sender=sender or case.shown_sender,
        gm=spot.gm_shown,
    )
    return warn(case, spot.campaign, spot.address, page, "warning", spot.seat, most=WARNINGS_A_DAY)
