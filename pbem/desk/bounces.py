"""What the desk does with automatic mail: it answers none, and takes note of what delivery reports say.

A report is believed when it names a Message-ID of ours: that is unguessable, so
only who had the mail can tell of it. Even then it changes nothing but what is
known of that one mail. No seat is taken from its player by a report.
"""

from __future__ import annotations

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.campaign.history import note
from pbem.campaign.notices import Postman
from pbem.campaign.schedule import Schedule
from pbem.desk.attempts import raw_letter
from pbem.desk.replies import Case, bare_subject
from pbem.mail.bounces import Bounce, read_bounce
from pbem.mail.delivery import after_bounce, noted
from pbem.mail.message import read_letter
from pbem.report.notices import Bounced
from pbem.store.models import Campaign, Outgoing, Person, SeatRow
from pbem.store.types import MailState


def note_automatic(case: Case) -> str:
    """Deals with a letter that must not be answered; returns what to note of it."""
    bounce = read_bounce(raw_letter(case.session, case.letter_id))
    if bounce is None:
        return f"automatic mail: {case.letter.automatic}"
    said = f"delivery report: {bounce.action}, {bounce.reason}"
    mail = returned_mail(case.session, bounce)
    if mail is None:
        return f"{said}; of no mail of ours"
    said = f"{said}; of mail {mail.id} to {mail.recipient}"
    return f"{said}; {_bounced(case, mail, bounce)}" if bounce.action == "failed" else said


def returned_mail(session: Session, bounce: Bounce) -> Outgoing | None:
    """The mail of ours that a delivery report is about: the first of those whose Message-IDs it shows."""
    ids = bounce.message_ids
    found = {mail.message_id: mail for mail in session.scalars(select(Outgoing).where(Outgoing.message_id.in_(ids)))}
    return next((found[id_] for id_ in ids if id_ in found), None)


def _bounced(case: Case, mail: Outgoing, bounce: Bounce) -> str:
    """Sends a mail another way, or marks it as bounced and tells its campaign: once, whatever reports come."""
    if way := after_bounce(case.session, mail, reason=bounce.reason, recipient=bounce.recipient, now=case.now):
        return way
    if not _marked(case, mail, bounce):
        return "known before"
    campaign = case.session.get(Campaign, mail.campaign_id) if mail.campaign_id is not None else None
    if campaign is None:
        return "it belongs to no campaign"
    text = f"mail {mail.id} to {mail.recipient} came back: {bounce.reason}"
    note(case.session, campaign.id, case.now, actor="pbem", text=text, secret=True)
    if mail.recipient.lower() == campaign.gm.lower():
        return "nobody told: the GM's own mail came back"  # and so might what he would be told, without end
    _tell(case, campaign, mail, bounce)
    return f"told {campaign.gm}"


def _marked(case: Case, mail: Outgoing, bounce: Bounce) -> bool:
    # Also a mail that waits to be sent again: the other side has had it, so another try is in vain.
    mark = (
        update(Outgoing)
        .where(Outgoing.id == mail.id, Outgoing.state != MailState.BOUNCED)
        .values(state=MailState.BOUNCED, reply=noted(mail.reply, bounce.reason))
        .returning(Outgoing.id)
    )
    return case.session.connection().execute(mark).first() is not None


def _tell(case: Case, campaign: Campaign, mail: Outgoing, bounce: Bounce) -> None:
    page = Bounced(
        campaign=campaign.name,
        seats=_seats(case, mail),
        recipient=mail.recipient,
        subject=bare_subject(read_letter(mail.raw).subject),
        sent_at=mail.sent_at or mail.created_at,
        zone=Schedule.read(campaign.schedule).zone,
        reason=bounce.reason,
    )
    postman, subject = Postman.of(case.house, campaign), f"Mail to {', '.join(page.seats) or page.recipient} came back"
    told = postman.mail(campaign.gm, subject, page, ("bounce", mail.message_id))
    postman.send(case.session, case.now, told)


def _seats(case: Case, mail: Outgoing) -> tuple[str, ...]:
    """The seats of the mail's campaign that are played from its recipient's address."""
    named = (
        select(SeatRow.name)
        .join(Person, Person.id == SeatRow.person_id)
        .where(SeatRow.campaign_id == mail.campaign_id, Person.key == mail.recipient.lower())
    )
    return tuple(case.session.scalars(named.order_by(SeatRow.id)))
