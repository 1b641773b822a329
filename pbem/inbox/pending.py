"""Messages that need confirmation: kept until the registered address answers a question.

A question is sent once for each message, with a code of its own. A sender who
shows the code has read the mail there, and the answer holds for that message
alone (docs/decisions/0014).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import update

from pbem.campaign.people import (
    A_DAY,
    DAYS,
    QUESTIONS,
    asked_today,
    create_request,
    find_person,
    is_open,
    mark_confirmed,
)
from pbem.campaign.schedule import Schedule
from pbem.inbox.authenticate import are_orders
from pbem.inbox.command_parser import find_request, first_line
from pbem.inbox.consent.acts import STEPS, Act, read_reply
from pbem.inbox.consent.reader import Said
from pbem.inbox.context import (
    Accepted,
    AuthResult,
    ConfirmedSender,
    Declined,
    DeputyExpired,
    MessageContext,
    NeedsConfirmation,
    Outcome,
    SeatMismatch,
    SenderMismatch,
)
from pbem.inbox.frames import Names, SheetText, find_sheet
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.rate_limits import GUESSES_A_DAY, count_guess
from pbem.inbox.replies import SeatMismatchNotice, answer, bare_subject, question, warn_of_limit, warn_seat
from pbem.inbox.request_answers import ask_once_more, deny_message, pass_on_words
from pbem.inbox.seat_lookup import SeatContext, find_requests, load_seat, shown_by_code
from pbem.inbox.sheet_choice import choose_sheet
from pbem.mail.message import Message, find_reply_codes, parse_message
from pbem.report.answers import Answer as AnswerPage
from pbem.report.answers import CommandResult, ConfirmSender, Doubt, Reason, Refusal
from pbem.store.models import InboxMessage, PendingRequest, Person
from pbem.store.types import RequestKind
from pbem.util import redact_all, redact_credentials

_DOUBTS = {
    "receipt": "it repeats an old receipt",
    "errors": "most of its lines are errors",
    "older": "it was written before the sheet that counts",
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
        "doubt": claim.doubt is not None,
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
    sent = question(case, spot, _subject_of(claim), page, to=claim.to, code=code)
    case.session.execute(update(PendingRequest).where(PendingRequest.code == code).values(message_id=sent))
    if claim.doubt:
        return f"kept, not accepted: {_DOUBTS[claim.doubt.reason]}; asked {claim.to} whether it is meant"
    return f"kept; asked {claim.to} whether it is theirs"


def _subject_of(claim: NeedsConfirmation) -> str:
    if claim.doubt:
        return "NOT changed: reply YES if you mean these orders"
    leaves = claim.pressed or claim.leaves
    return "do you want to leave? Reply YES" if leaves else "did you send this? Reply YES"


def refuse_doubtful(case: MessageContext, claim: Accepted, doubt: Doubt) -> str:
    """Refuse orders that may not be meant, without a question; return what to note of it."""
    return _tell_doubt(case, claim.spot, claim.deputy or claim.spot.address, doubt)


def decline_typed(case: MessageContext, claim: AuthResult) -> str:
    """Refuse orders that came beside a text and lack proof, without a question; return what to note of it."""
    if not isinstance(claim, NeedsConfirmation):
        return refuse(case, claim)
    why = "Send them again, as a reply to your latest report: what came here does not show that they are yours."
    said = CommandResult("the orders in your mail", f"Not done: they were not taken. {why}")
    page = AnswerPage(address=case.address, done=(said,), notes=case.letter.notes)
    return "orders not taken; " + answer(case, claim.to, page, spot=claim.spot)


def _tell_doubt(case: MessageContext, spot: SeatContext | None, to: str, doubt: Doubt) -> str:
    assert spot is not None
    page = Refusal(
        reason="doubtful",
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        gm=spot.gm_shown,
        counted=doubt.counted,
        counted_at=doubt.counted_at,
        zone=Schedule.read(spot.schedule).zone,
        notes=case.letter.notes,
    )
    return answer(case, to, page, spot=spot)


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


def handle_confirmation(
    case: MessageContext,
    asked: PendingRequest,
    sheet: SheetText,
    known: Names,
    deal: Callable[[MessageContext], Outcome],
) -> Outcome | None:
    """Act on the answer to a question about a message; return None if this message is no such answer.

    `deal` processes the message that was kept, or this one if a sheet in it replaces that.
    """
    kept = case.session.get_one(InboxMessage, asked.data["letter"])
    letter = parse_message(kept.raw)
    act = _act_of(asked)
    said = _read(case.letter, letter, act)
    agrees = STEPS[act][said] in ("do", "do-tell")
    if not agrees and not _replaces(case, asked, sheet):
        # Anything else in it is processed as in any other mail.
        other = sheet.header is not None or find_request(case, known) is not None
        return None if other else (_answer_otherwise(case, asked, act, said), False)
    # A code is good once (docs/decisions/0014), also when two answers are processed at the same time.
    if not (is_open(asked, case.now) and mark_confirmed(case.session, asked, case.now)):
        return _report_outcome(case, asked, "answered"), False
    if not _is_still_theirs(case, asked):
        return _report_outcome(case, asked, "not-yours-now"), False
    confirmed = ConfirmedSender(asked.data["to"], asked.data["seat_id"], asked.data["report_id"], meant=agrees)
    if not agrees:
        kept.note = f"given up for message {case.letter_id}, by its owner"
        return deal(replace(case, confirmed=confirmed))
    # The receiving server's verdict is on the answer; it says nothing about the message that was kept.
    shown = shown_by_code(case.session, find_reply_codes(letter, case.address))
    as_kept = replace(case, letter=letter, letter_id=kept.id, verdict="none", shown=shown, confirmed=confirmed)
    note, is_sheet = deal(as_kept)
    kept.note = f"its owner's, as message {case.letter_id} says: {note}"
    asks = STEPS[act][said] == "do-tell" and asked.campaign_id is not None
    told = f"; {pass_on_words(case, asked, agreed=True)}" if asks else ""
    return f"says that message {kept.id} is theirs{told}", is_sheet


def find_pending(case: MessageContext) -> PendingRequest | None:
    """Return the question that a message answers, by its code or by the mail that it replies to, closed or not."""
    if case.confirmed is not None:
        return None
    first = first_line(case.letter).lower().split()
    typed = first[1:] if first[:1] == ["confirm"] else []
    codes, ids = find_reply_codes(case.letter, case.address), case.letter.references[:1]
    asked = [each for each in (*case.requests, *find_requests(case.session, typed)) if each.kind == "message"]
    found = {each.message_id: each for each in asked} | {each.code: each for each in asked}
    return next((found[word] for word in (*codes, *typed, *ids) if word in found), None)


def _act_of(asked: PendingRequest) -> Act:
    return "leave" if asked.data.get("leaves") else "odd" if asked.data.get("doubt") else "mine"


def _read(answered: Message, kept: Message, act: Act) -> Said:
    """Return what an answer says; the CONFIRM of the question is a yes, and so is what was asked about, said again."""
    first, again = first_line(answered), kept.text.strip()
    own = [first] if first.upper().startswith("CONFIRM ") and len(first.split()) == 2 else []
    # A machine that sends back its mail would pass for a yes: where much is at stake only a line, such as LEAVE, does.
    if act == "leave" and "\n" not in again:
        own.append(again)
    if act == "mine" and answered.text.casefold().split() == again.casefold().split() != []:
        return "yes"
    return read_reply(answered, bare_subject(answered.subject), act, own)


def _answer_otherwise(case: MessageContext, asked: PendingRequest, act: Act, said: Said) -> str:
    """Answer what is no yes: a no ends the question, and another question goes to the GM."""
    if not is_open(asked, case.now):
        return _report_outcome(case, asked, "answered")
    step = STEPS[act][said]
    if step == "end" and mark_confirmed(case.session, asked, case.now):
        kept = case.session.get_one(InboxMessage, asked.data["letter"])
        kept.note = f"not its owner's, as message {case.letter_id} says"
        return f"says that message {kept.id} is not theirs; {deny_message(case, asked)}"
    if step == "tell" and asked.campaign_id is not None:
        return pass_on_words(case, asked)
    return ask_once_more(case, asked, said)


def _replaces(case: MessageContext, asked: PendingRequest, sheet: SheetText) -> bool:
    """Return True if an answer has a sheet that replaces the one asked about."""
    if not asked.data["orders"]:
        return False
    spot = load_seat(case.session, asked.data["seat_id"])
    # The code of the question is proof for its seat alone.
    if sheet.header is not None:
        return (sheet.header.campaign, sheet.header.seat) == (spot.campaign, spot.seat)
    # In a game that accepts any words as orders, orders cannot be told from chat.
    return are_orders(case, spot, sheet.lines) and not are_orders(case, spot, ((1, "No, it is not"),))


def _is_still_theirs(case: MessageContext, asked: PendingRequest) -> bool:
    """Return True if the address asked and the seat still belong to the same people."""
    person, seat_id = case.session.get_one(Person, asked.data["person_id"]), asked.data["seat_id"]
    if person.key != asked.data["to"]:
        return False
    return seat_id is None or load_seat(case.session, seat_id).address.lower() == asked.data["player"]


def _report_outcome(case: MessageContext, asked: PendingRequest, reason: Reason) -> str:
    """Tell the address that was asked what its answer has led to; while the question is open, a reply answers it."""
    seat_id = asked.data["seat_id"]
    spot = None if seat_id is None else load_seat(case.session, seat_id)
    # In the thread of the question, not of a report: its code confirms nothing else.
    thread = None if spot is None else replace(spot, report_message_id=asked.message_id)
    code = asked.code if is_open(asked, case.now) else ""
    page = Refusal(
        reason=reason,
        address=case.address,
        campaign=spot.campaign if spot else "",
        seat=spot.seat if spot else "",
        notes=case.letter.notes,
    )
    return f"{reason}; " + answer(case, asked.data["to"], page, spot=thread, code=code)


def refuse(case: MessageContext, claim: AuthResult) -> str:
    """Answer a message that was not accepted; return what to note of it."""
    match claim:
        case Declined():
            return _refuse_known(case, claim)
        case SeatMismatch(to=to, header=header):
            return "for two seats at once; " + answer(case, to, SeatMismatchNotice(address=case.address, header=header))
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
        notes=case.letter.notes,
    )
    return f"{claim.reason}; " + answer(case, claim.to, page, spot=spot)


def _refuse_mismatch(case: MessageContext, claim: SenderMismatch) -> str:
    """Warn the seat's own address, and answer the sender as a stranger, unless the address is forged."""
    spot = claim.spot
    said = f"not from {spot.seat} of {spot.campaign}"
    if claim.forged:
        return f"{said}, by the receiving server's word; {warn_seat(case, spot, _seat_warning(case, spot, 'forged'))}"
    page = _seat_warning(case, spot, "sender-mismatch")
    if find_person(case.session, case.sender):  # the address of a player who mistook the seat is not disclosed
        page = replace(page, sender="someone else who plays here")
    said = f"{said}; {warn_seat(case, spot, page)}"
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
    told = answer(case, stand_in.address, page, spot=spot)
    warned = warn_seat(case, spot, _seat_warning(case, spot, "sender-mismatch"))
    return f"from one who does not stand in for {spot.seat} of {spot.campaign} now; {told}; {warned}"


def _seat_warning(case: MessageContext, spot: SeatContext, reason: Reason) -> Refusal:
    """Return the page by which a seat's own address learns of a message in its name."""
    return Refusal(
        reason=reason,
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        sender=case.shown_sender,
        gm=spot.gm_shown,
    )
