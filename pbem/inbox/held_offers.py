"""Offers of texts that were held back: shown to their writer as they would go out, and sent by one YES.

What is shown is kept, and goes out word for word: the message is not read again. The
code of an offer is good once (docs/decisions/0014), and speaks for the seat and the
person it was mailed to.
"""

from __future__ import annotations

from dataclasses import replace

from pbem.actions.arguments import SeatCommand
from pbem.campaign.people import A_DAY, DAYS, create_request, find_person
from pbem.campaign.press import sanitise_text
from pbem.campaign.snapshot import Context, SeatView, locked_campaign
from pbem.errors import CampaignError
from pbem.inbox.command_parser import COMMANDS
from pbem.inbox.context import MessageContext
from pbem.inbox.held_texts import Piece, Screened
from pbem.inbox.replies import question
from pbem.inbox.seat_lookup import SeatContext
from pbem.report.answers import CommandResult, ConfirmSender, HeldText
from pbem.ruleset.values import SeatName
from pbem.store.models import PendingRequest
from pbem.store.types import RequestKind
from pbem.text import as_sentence
from pbem.util import redact_all

HELD = RequestKind.TEXTS
"""The kind of a `PendingRequest` for texts that were held back, and the account of the codes for these."""


def offer_texts(case: MessageContext, spot: SeatContext, found: Screened, *, deputy: str) -> str | CommandResult:
    """Show texts to their writer as they would go out, and ask; return what to note, or a refusal to answer."""
    shown = _look(case, spot, found, deputy)
    able = [each for each in shown if not each.fault]
    if not able:
        why = " ".join(f"{each.command}: {each.fault}" for each in shown)
        return CommandResult(_names(shown), f"Not done: nothing was sent. {why}")
    person = find_person(case.session, deputy or spot.address)
    code = None
    if person is not None:
        data = {
            "seat_id": spot.seat_id,
            "person_id": person.id,
            "deputy": deputy,
            "pieces": [[each.command, each.text] for each in able],
        }
        code = create_request(
            case.session, HELD, case.now, to=person.address, data=data, campaign_id=spot.campaign_id, account=HELD
        )
    if person is None or code is None:
        return CommandResult(
            _names(shown), f"Not done: nothing was sent. You were asked {A_DAY} times today about such texts."
        )
    page = ConfirmSender(
        address=case.address,
        sender=case.shown_sender,
        excerpt="",
        days=DAYS,
        campaign=spot.campaign,
        seat=spot.seat,
        held=shown,
        because=tuple(redact_all(line.strip()) for line in found.because),
        notes=(*case.letter.notes, *found.notes),
    )
    question(case, spot, "NOT sent: reply YES to send your words as shown", page, to=person.address, code=code)
    return f"held; asked {person.address} whether to send {len(able)} texts"


def _names(shown: tuple[HeldText, ...]) -> str:
    return ", ".join(dict.fromkeys(each.command for each in shown))


def _look(case: MessageContext, spot: SeatContext, found: Screened, deputy: str) -> tuple[HeldText, ...]:
    """Return the pieces as they would go out, with the fault of each that cannot."""
    # Tried together, since they share limits; the savepoint undoes it.
    point = case.session.begin_nested()
    try:
        return tuple(_try(case, spot, piece, deputy) for piece in found.pieces)
    finally:
        point.rollback()


def _try(case: MessageContext, spot: SeatContext, piece: Piece, deputy: str) -> HeldText:
    context = case.campaign_context(locked_campaign(case.session, spot.campaign))
    try:
        text = sanitise_text(piece.text).text
        _filled(spot.seat, piece.command, text, case.account, deputy).do(context)
    except CampaignError as error:
        return HeldText(piece.command, redact_all(piece.text.strip()), as_sentence(str(error)))
    return HeldText(piece.command, text)


def _filled(seat: SeatName, line: str, text: str, account: str, deputy: str) -> SeatCommand:
    """Return the command on a line, with its text. Raises CampaignError if it is none."""
    order = next(iter(COMMANDS.parse({}, [(1, line)]).orders), None)
    if not isinstance(order, SeatCommand):
        raise CampaignError(f"{line!r} is no command that has a text below it")
    return replace(order, seat=seat, text=text, account=account, deputy=deputy)


def send_held(context: Context, place: SeatView, request: PendingRequest, account: str) -> str:
    """Send texts that were held back, as they were shown; return the answer, a paragraph for each.

    Call with the campaign locked.
    """
    return "\n".join(_send(context, place, line, text, account, request) for line, text in request.data["pieces"])


def _send(context: Context, place: SeatView, line: str, text: str, account: str, request: PendingRequest) -> str:
    try:
        command = _filled(place.seat, line, text, account, request.data["deputy"])
        return f"{line}: {command.do(context).done}"
    except CampaignError as error:
        return f"{line}: not sent, {error}."
