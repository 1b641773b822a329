"""Mail of programs, which is not answered, and the delivery reports among it.

A delivery report is believed when it names a Message-ID of ours: that is unguessable,
so only a reader of the mail can know it. Even then it changes only the status of that
one mail; no seat is taken from its player by a report.
"""

from __future__ import annotations

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.campaign.history import add_entry
from pbem.campaign.notices import GM, post
from pbem.campaign.schedule import Schedule
from pbem.campaign.snapshot import load_campaign
from pbem.inbox.context import MessageContext
from pbem.inbox.replies import bare_subject, tell_of_absence
from pbem.mail.bounces import Bounce, parse_bounce
from pbem.mail.delivery import append_reply, retry_bounced
from pbem.mail.fetch import load_raw
from pbem.mail.machines import Kind
from pbem.mail.message import parse_message
from pbem.report import small
from pbem.store.models import Campaign, OutgoingMail, Person, Seat
from pbem.store.types import OutgoingState


def note_machine(context: MessageContext) -> str:
    """Process a message that must not be answered; return what to note of it."""
    bounce = parse_bounce(load_raw(context.session, context.letter_id))
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
    """Send a mail another way, or mark it as bounced and notify its GM: once, whatever reports come."""
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
    _notify_gm(context, campaign, mail, bounce)
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


def _notify_gm(context: MessageContext, campaign: Campaign, mail: OutgoingMail, bounce: Bounce) -> None:
    seats = _recipient_seats(context, mail)
    page = small.mail_returned(
        campaign=campaign.name,
        seats=seats,
        recipient=mail.recipient,
        subject=bare_subject(parse_message(mail.raw).subject),
        sent_at=mail.sent_at or mail.created_at,
        zone=Schedule.read(campaign.schedule).zone,
        reason=bounce.reason,
    )
    campaign_context = context.campaign_context(load_campaign(context.session, campaign.name))
    post(campaign_context, GM, page, id_=("bounce", mail.message_id))


def _recipient_seats(context: MessageContext, mail: OutgoingMail) -> tuple[str, ...]:
    named = (
        select(Seat.name)
        .join(Person, Person.id == Seat.person_id)
        .where(Seat.campaign_id == mail.campaign_id, Person.key == mail.recipient.lower())
    )
    return tuple(context.session.scalars(named.order_by(Seat.id)))
