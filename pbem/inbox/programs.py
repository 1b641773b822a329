"""Mail of programs, which is not answered: sheets, delivery reports and other signs; and what has waited for too long.

A delivery report is believed when it names a Message-ID of ours: that is unguessable,
so only a reader of the mail can know it. Even then it changes only the status of that
one mail; no seat is taken from its player by a report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.campaign.notices import GM, gm_moment, post, was_posted
from pbem.campaign.schedule import Schedule
from pbem.campaign.snapshot import add_entry, load_campaign
from pbem.inbox.authenticate import authenticate, find_orders
from pbem.inbox.context import Accepted, MessageContext, Outcome
from pbem.inbox.order_sheets import process_sheet
from pbem.inbox.replies import answer, bare_subject, note_bulk_mail, tell_of_absence
from pbem.inbox.sheet_choice import is_unedited_form, with_edited_form
from pbem.inbox.sheets import OneSheet, ask_if_doubtful, take_each
from pbem.mail.bounces import Bounce, parse_bounce
from pbem.mail.delivery import append_reply, retry_bounced
from pbem.mail.fetch import load_raw
from pbem.mail.machines import Kind
from pbem.mail.message import parse_message
from pbem.report import small
from pbem.report.answers import Answer, CommandResult
from pbem.report.notices import Notice
from pbem.store.models import Campaign, OutgoingMail, Person, Seat
from pbem.store.types import OutgoingState

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

_MAILED = ("token", "code", "reply", "confirmed")
"""Proofs that were mailed to a seat's own address."""


def note_machine(mail: Reading) -> Outcome:
    """Process a message of a program, which must not be answered."""
    return _note_machine(mail.came.context), False


def leave_past(_mail: Reading) -> Outcome:
    """Leave a message alone that was in the mailbox before it was used for games, or has waited there for long."""
    return "not answered: mail of a stranger that is older than 14 days, or than the first campaign", False


def note_test(mail: Reading) -> Outcome:
    if mail.came.context.key:
        return "the reply to a test of the mailbox: pbem doctor shows it", False
    return "a reply to a test of the mailbox that proves nothing: another address was asked, or too long ago", False


def take_bulk_sheet(mail: Reading | OneSheet) -> Outcome:
    """Process a sheet that came through a list, or with a sign by which programs ask for no answer.

    Its receipt goes to the seat's own address. Free words without a frame are asked about there. Without a key, or
    without an order, nothing is refused by mail (RFC 3834), as the writer may be a machine.
    """
    context, sheet = mail.context, mail.sheet
    if sheet.others and not isinstance(mail, OneSheet):
        return take_each(context, sheet, take_bulk_sheet)
    result = authenticate(context, sheet.header)
    if not (isinstance(result, Accepted) and result.proof in _MAILED):
        return _note_machine(context), 0
    context, result, sheet = with_edited_form(context, result, sheet)
    whole = sheet.header is not None and sheet.closed and not sheet.empty
    free = sheet.header is None and context.app.game(result.place.game).free_text
    if whole or free or find_orders(context, result.place, sheet.lines):
        return ask_if_doubtful(context, result, process_sheet(context, result, sheet))
    return note_bulk_mail(context, result.place), False


def take_robot_sheet(mail: Reading) -> Outcome:
    """Process a sheet that a program has sent for a person, and answer nothing else (RFC 3834).

    An answering machine may quote a report, with its code and the form at its
    end. So the sheet must be all there is: whole, filled in, first in the mail,
    not quoted, and with the key in its own line.
    """
    context, sheet = mail.came.context, mail.came.sheet
    whole = sheet.closed and not (sheet.empty or sheet.below_text or context.message.sent_back)
    result = authenticate(context, sheet.header) if whole else None
    if not (isinstance(result, Accepted) and result.proof in ("token", "code")):
        return note_machine(mail)
    if is_unedited_form(context.app.game(result.place.game), result.place.view, sheet):
        return note_machine(mail)
    return ask_if_doubtful(context, result, process_sheet(context, result, sheet))


def answer_recall(mail: Reading) -> Outcome:
    """Answer a request to recall a mail: orders are withdrawn by a command."""
    context = mail.came.context
    result = authenticate(context, None)
    if not isinstance(result, Accepted):
        return note_machine(mail)
    said = "a mail cannot be recalled, so what it brought still counts. The line CLEAR ORDERS, as a mail, withdraws it"
    page = Answer(address=context.address, done=(CommandResult.refused(context.message.subject, said),))
    return "pointed to CLEAR ORDERS; " + answer(
        context, result.deputy or result.place.address, page, about=result.place
    ), False


def _note_machine(context: MessageContext) -> str:
    bounce = parse_bounce(load_raw(context.session, context.inbox_id))
    if bounce is None:
        told = tell_of_absence(context) if context.message.machine.kind is Kind.ROBOT else ""
        return "; ".join(filter(None, (f"automatic mail: {context.message.machine.reason}", told)))
    said = f"delivery report: {bounce.action}, {bounce.reason}"
    mail = find_bounced_mail(context.session, bounce)
    if mail is None:
        return f"{said}; of no mail of ours"
    said = f"{said}; of mail {mail.id} to {mail.recipient}"
    return f"{said}; {_handle_bounce(context, mail, bounce)}" if bounce.action == "failed" else said


def find_bounced_mail(session: Session, bounce: Bounce) -> OutgoingMail | None:
    """Return the mail of ours that a delivery report is about: the first of those whose Message-IDs it shows."""
    ids = bounce.message_ids
    found = {
        mail.message_id: mail for mail in session.scalars(select(OutgoingMail).where(OutgoingMail.message_id.in_(ids)))
    }
    return next((found[id_] for id_ in ids if id_ in found), None)


def _handle_bounce(context: MessageContext, mail: OutgoingMail, bounce: Bounce) -> str:
    """Send a mail another way, or mark it as bounced and notify its GM: once a turn for an address."""
    if way := retry_bounced(context.session, mail, reason=bounce.reason, recipient=bounce.recipient, now=context.now):
        return way
    if not _mark_bounced(context, mail, bounce):
        return "known before"
    campaign = context.session.get(Campaign, mail.campaign_id) if mail.campaign_id is not None else None
    if campaign is None:
        return "it belongs to no campaign"
    text = f"mail {mail.id} to {mail.recipient} came back: {bounce.reason}"
    add_entry(context.session, campaign.id, context.now, actor="pbem", text=text, secret=True)
    if mail.recipient.lower() == campaign.gm.lower():
        return "nobody told: the GM's own mail came back"  # and so would a notice of that, without end
    campaign_context = context.campaign_context(load_campaign(context.session, campaign.name))
    # A welcome and a report, or a receipt and a reminder, tell the GM one thing: this player is not reached.
    moment = gm_moment(campaign_context.snapshot, "bounce", mail.recipient.lower())
    if was_posted(campaign_context, moment):
        return f"{campaign.gm} has been told of this address in this turn"
    post(campaign_context, GM, _notice(context, campaign, mail, bounce), id_=moment)
    return f"told {campaign.gm}"


def _mark_bounced(context: MessageContext, mail: OutgoingMail, bounce: Bounce) -> bool:
    # Also a deferred mail: the other side has received and refused it, so another try is in vain.
    mark = (
        update(OutgoingMail)
        .where(OutgoingMail.id == mail.id, OutgoingMail.state != OutgoingState.BOUNCED)
        .values(state=OutgoingState.BOUNCED, reply=append_reply(mail.reply, bounce.reason))
        .returning(OutgoingMail.id)
    )
    return context.session.connection().execute(mark).first() is not None


def _notice(context: MessageContext, campaign: Campaign, mail: OutgoingMail, bounce: Bounce) -> Notice:
    return small.mail_returned(
        campaign=campaign.name,
        seats=_recipient_seats(context, mail),
        recipient=mail.recipient,
        subject=bare_subject(parse_message(mail.raw).subject),
        sent_at=mail.sent_at or mail.created_at,
        zone=Schedule.read(campaign.schedule).zone,
        reason=bounce.reason,
    )


def _recipient_seats(context: MessageContext, mail: OutgoingMail) -> tuple[str, ...]:
    named = (
        select(Seat.name)
        .join(Person, Person.id == Seat.person_id)
        .where(Seat.campaign_id == mail.campaign_id, Person.key == mail.recipient.lower())
    )
    return tuple(context.session.scalars(named.order_by(Seat.id)))
