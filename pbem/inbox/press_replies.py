"""Plain replies to press: not sent on, but offered, so that one YES sends them to their writer.

The mail of a piece of press has no reply code, and what answers it is never orders
(docs/decisions/0011). The offer goes to the address of the seat that got the piece,
with a code that is good once. Of an unsigned piece the writer is not disclosed: the
answer is the same whether the writer is still in the game or not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import select

from pbem.actions.press import SendPress
from pbem.actions.press_delivery import check_letter, is_immediate, send_press
from pbem.actions.questions import AskGm
from pbem.campaign.people import A_DAY, DAYS, create_request
from pbem.campaign.press import PRESS, PressItem, sanitise_text, save_press
from pbem.campaign.snapshot import Context, SeatView
from pbem.errors import CampaignError
from pbem.inbox.context import MessageContext
from pbem.inbox.replies import answer, question
from pbem.inbox.seat_lookup import SeatContext, find_seat
from pbem.mail.message import find_reply_codes
from pbem.report.answers import Answer, CommandResult, ConfirmSender
from pbem.store.models import OutgoingMail, PendingRequest, Press, Seat
from pbem.store.types import CampaignState, RequestKind
from pbem.text import as_sentence

PRESS_REPLY = RequestKind.PRESS
"""The kind of a `PendingRequest` for a reply to press, and the account of the codes for these."""

_THEIR_GM, _UNNAMED = "your GM", "the writer"
_LINES = 12
_CHARACTERS = 800


@dataclass(frozen=True, slots=True)
class _Answered:
    """The piece of press that a message answers, and the seat that got it."""

    press: Press
    spot: SeatContext
    person_id: int


def offer_press_reply(case: MessageContext) -> str:
    """Offer to send on a plain reply to press; return what to note of it, "" if the message is none."""
    answered = _find_answered(case)
    if answered is None or not case.letter.text.strip():
        return ""
    spot, writer = answered.spot, _name_writer(case, answered.press)
    try:
        text = sanitise_text(case.letter.text).text
    except CampaignError as error:
        return _refuse(case, spot, writer, as_sentence(str(error)))
    data = {"press_id": answered.press.id, "seat_id": spot.seat_id, "person_id": answered.person_id, "text": text}
    code = create_request(
        case.session,
        PRESS_REPLY,
        case.now,
        to=spot.address,
        data=data,
        campaign_id=spot.campaign_id,
        account=PRESS_REPLY,
    )
    if code is None:
        return _refuse(case, spot, writer, f"You were asked {A_DAY} times today whether to send such a reply.")
    page = ConfirmSender(
        address=case.address,
        sender=case.shown_sender,
        excerpt=shorten(text),
        days=DAYS,
        campaign=spot.campaign,
        seat=spot.seat,
        press=writer,
    )
    question(case, spot, f"not sent: reply YES to send it to {writer}", page, to=spot.address, code=code)
    return f"a reply to press; asked {spot.address} whether to send it on"


def shorten(text: str) -> str:
    """Return the beginning of a text, as it is shown to the one who is asked about it."""
    lines = text[:_CHARACTERS].split("\n")
    more = len(text) > _CHARACTERS or lines[_LINES:]
    return "\n".join([*lines[:_LINES], *(["(and more)"] if more else [])])


def _find_answered(case: MessageContext) -> _Answered | None:
    session, letter = case.session, case.letter
    if find_reply_codes(letter, case.address):
        return None
    found = session.execute(
        select(OutgoingMail.topic, OutgoingMail.person_id, OutgoingMail.campaign_id).where(
            OutgoingMail.message_id.in_(letter.references[:1]), OutgoingMail.kind == "press"
        )
    ).first()
    words = found.topic.split() if found else []
    if found is None or len(words) != 4 or not words[3].isdigit():
        return None
    press = session.get(Press, int(words[3]))
    spot = find_seat(session, words[1], words[2])
    if press is None or spot is None or {press.campaign_id, spot.campaign_id} != {found.campaign_id}:
        return None
    # A seat with another player by now: what its former player writes is not for that one to send.
    player = session.scalar(select(Seat.person_id).where(Seat.id == spot.seat_id))
    if player is None or player != found.person_id or not spot.playing or spot.status != CampaignState.RUNNING:
        return None
    return _Answered(press, spot, player)


def _name_writer(case: MessageContext, press: Press) -> str:
    if press.sender_id is None:
        return _THEIR_GM
    return _UNNAMED if press.anonymous else case.session.get_one(Seat, press.sender_id).name


def _refuse(case: MessageContext, spot: SeatContext, writer: str, why: str) -> str:
    how = {_THEIR_GM: "ASK GM", _UNNAMED: "PRESS TO ALL"}.get(writer, f"PRESS TO {writer}")
    said = (
        f"Not done: your reply was not sent to {writer}. {why}\n"
        f"To write, begin a mail with the line {how}; your words go below."
    )
    page = Answer(address=case.address, done=(CommandResult("a reply to press", said),), notes=case.letter.notes)
    return "a reply to press; " + answer(case, spot.address, page, spot=spot, code=spot.code)


def send_press_reply(context: Context, place: SeatView, request: PendingRequest) -> str:
    """Send a reply to press to its writer, as a signed message of the seat; return the answer.

    Call with the campaign locked.

    Raises:
        CampaignError: If the campaign does not allow it by now.
    """
    session, snapshot, text = context.session, context.snapshot, request.data["text"]
    press = session.get(Press, request.data["press_id"])
    if press is None or press.campaign_id != snapshot.id:
        raise CampaignError("the message that you answer is no longer there")
    if press.sender_id is None:
        return AskGm(seat=place.seat, text=text).do(context).done
    writer = next(each for each in snapshot.places if each.id == press.sender_id)
    if not press.anonymous:
        return SendPress((writer.seat,), seat=place.seat, text=text).do(context).done
    return _answer_unnamed(context, place, writer, text)


def _answer_unnamed(context: Context, place: SeatView, writer: SeatView, text: str) -> str:
    session, snapshot = context.session, context.snapshot
    piece = PressItem(kind=PRESS, sender=place, text=text, to=(writer.seat,))
    # By a seat that is there for certain: a refusal must not tell that the writer has gone.
    check_letter(session, snapshot, replace(piece, to=(place.seat,)))
    mailed = is_immediate(snapshot, piece)
    if writer.playing and writer.address:
        send_press(context, piece)
    else:  # it counts all the same, since the number of messages left would tell
        save_press(session, snapshot, piece, context.now, mailed=mailed)
    how = "goes by mail at once" if mailed else "goes with the next reports"
    return f"Your reply, signed {place.seat}, {how} to the writer, whom you are not told."
