"""Words of a seat that are not sent before its player has said YES: replies to press, and texts that were held back.

What is shown is kept, and goes out word for word: the message is not read again. The
code of an offer is good once (docs/decisions/0014), and speaks for the seat and the
person it was mailed to.

The mail of a piece of press has no reply code, and what answers it is never orders
(docs/decisions/0011). Of an unsigned piece the writer is not disclosed: the answer is
the same whether the writer is still in the game or not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pbem.actions.arguments import SeatCommand
from pbem.actions.press import SendPress
from pbem.actions.press_delivery import check_letter, is_immediate, send_press
from pbem.actions.questions import AskGm
from pbem.campaign.people import A_DAY, find_person
from pbem.campaign.press import PRESS, PressItem, sanitise_text, save_press
from pbem.campaign.snapshot import Context, SeatView, locked_campaign
from pbem.errors import CampaignError
from pbem.inbox.command_parser import COMMANDS
from pbem.inbox.context import MessageContext, Outcome
from pbem.inbox.held_texts import AddressedText, Screened
from pbem.inbox.replies import answer, ask
from pbem.inbox.seat_lookup import SeatContext
from pbem.report.answers import Answer, CommandResult, HeldText
from pbem.ruleset.values import SeatName
from pbem.store.models import PendingRequest, Press, Seat
from pbem.store.types import RequestKind
from pbem.text import as_sentence
from pbem.util import redact_all

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

_THEIR_GM, _UNNAMED = "your GM", "the writer"
_LINES = 12
_CHARACTERS = 800


def offer_press_reply(mail: Reading) -> Outcome:
    """Offer to send on a plain reply to press."""
    assert mail.press_answered is not None
    context, (press, place) = mail.context, mail.press_answered
    writer, player = _name_writer(context, press), find_person(context.session, place.address)
    assert player is not None
    try:
        text = sanitise_text(context.message.text).text
    except CampaignError as error:
        return _refuse(context, place, writer, as_sentence(str(error))), False
    data, kind = {"press_id": press.id, "text": text}, RequestKind.PRESS
    if not ask(context, place, kind, player, data, account=kind, excerpt=_shorten(text), press=writer):
        return _refuse(
            context, place, writer, f"You were asked {A_DAY} times today whether to send such a reply."
        ), False
    return f"a reply to press; asked {place.address} whether to send it on", False


def _shorten(text: str) -> str:
    """Return the beginning of a text, as it is shown to the one who is asked about it."""
    lines = text[:_CHARACTERS].split("\n")
    more = len(text) > _CHARACTERS or lines[_LINES:]
    return "\n".join([*lines[:_LINES], *(["(and more)"] if more else [])])


def _name_writer(context: MessageContext, press: Press) -> str:
    if press.sender_id is None:
        return _THEIR_GM
    return _UNNAMED if press.anonymous else context.session.get_one(Seat, press.sender_id).name


def _refuse(context: MessageContext, place: SeatContext, writer: str, why: str) -> str:
    how = {_THEIR_GM: "ASK GM", _UNNAMED: "PRESS TO ALL"}.get(writer, f"PRESS TO {writer}")
    said = (
        f"your reply was not sent to {writer}. {why}\nTo write, begin a mail with the line {how}; your words go below."
    )
    page = Answer(address=context.address, done=(CommandResult.refused("a reply to press", said),), notes=context.notes)
    return "a reply to press; " + answer(context, place.address, page, about=place, code=place.code)


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


def offer_texts(context: MessageContext, place: SeatContext, found: Screened, *, deputy: str) -> str | CommandResult:
    """Show texts to their writer as they would go out, and ask; return what to note, or a refusal to answer."""
    shown = _look(context, place, found, deputy)
    able = [[each.command, each.text] for each in shown if not each.fault]
    names = ", ".join(dict.fromkeys(each.command for each in shown))
    if not able:
        why = " ".join(f"{each.command}: {each.fault}" for each in shown)
        return CommandResult.refused(names, f"nothing was sent. {why}")
    person = find_person(context.session, deputy or place.address)
    data, kind = {"deputy": deputy, "pieces": able}, RequestKind.TEXTS
    because = tuple(redact_all(line.strip()) for line in found.because)
    notes = (*context.notes, *found.notes)
    told = {"excerpt": "", "held": shown, "because": because, "notes": notes}
    if person is None or not ask(context, place, kind, person, data, account=kind, **told):
        return CommandResult.refused(names, f"nothing was sent. You were asked {A_DAY} times today about such texts")
    return f"held; asked {person.address} whether to send {len(able)} texts"


def _look(context: MessageContext, place: SeatContext, found: Screened, deputy: str) -> tuple[HeldText, ...]:
    """Return the pieces as they would go out, with the fault of each that cannot."""
    # Tried together, since they share limits; the savepoint undoes it.
    point = context.session.begin_nested()
    try:
        return tuple(_try(context, place, piece, deputy) for piece in found.pieces)
    finally:
        point.rollback()


def _try(context: MessageContext, place: SeatContext, piece: AddressedText, deputy: str) -> HeldText:
    campaign_context = context.campaign_context(locked_campaign(context.session, place.campaign))
    try:
        text = sanitise_text(piece.text).text
        _fill_in(place.seat, piece.command, text, context.account, deputy).do(campaign_context)
    except CampaignError as error:
        return HeldText(piece.command, redact_all(piece.text.strip()), as_sentence(str(error)))
    return HeldText(piece.command, text)


def _fill_in(seat: SeatName, line: str, text: str, account: str, deputy: str) -> SeatCommand:
    """Return the command on a line, with its text. Raises CampaignError if it is none."""
    order = next(iter(COMMANDS.parse({}, [(1, line)]).orders), None)
    if not isinstance(order, SeatCommand):
        raise CampaignError(f"{line!r} is no command that has a text below it")
    return replace(order, seat=seat, text=text, account=account, deputy=deputy)


def send_held(context: Context, place: SeatView, request: PendingRequest, account: str) -> str:
    """Send texts that were held back, as they were shown; return the answer, a paragraph for each.

    Call with the campaign locked.

    Raises:
        CampaignError: None of them can be sent now.
    """
    told, faults = [], []
    for line, text in request.data["pieces"]:
        try:
            command = _fill_in(place.seat, line, text, account, request.data["deputy"])
            told.append(f"{line}: {command.do(context).done}")
        except CampaignError as error:
            faults.append(f"{line}: not sent, {error}.")
    if not told:
        raise CampaignError("\n".join(faults))
    return "\n".join((*told, *faults))
