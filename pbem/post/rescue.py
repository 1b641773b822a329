"""What is done for a mail that was refused for good, or came back: it goes once more, another way.

Refused for its size or content, it goes as text alone; else to its reader's
second address. Each way is tried once, under the same Message-ID, and stands in
the mail's `reply` before what was said to it.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from pbem.post.forgetting import is_masked
from pbem.post.refusals import about_content
from pbem.post.waiting import provider_of
from pbem.post.writing import text_alone
from pbem.store.models import Outgoing, Person
from pbem.store.types import MailState

TEXT = "text"
_INSTEAD = " instead: "


def noted(before: str, said: str) -> str:
    """What was said to a mail, with the ways that were tried before."""
    return "".join(before.rpartition(_INSTEAD)[:2]) + said


def after_refusal(session: Session, mail: Outgoing, now: datetime) -> str:
    """Queues a mail another way, by what its `reply` says; returns the way, "" where none is left.

    There is none for a mail that is no longer kept as it was: sent a week ago, it has arrived or is out of date.
    """
    if is_masked(mail.raw):
        return ""
    way = _as_text(mail) or _to_second_address(session, mail)
    if way:
        mail.state, mail.attempts, mail.not_before = MailState.QUEUED, 0, now
        mail.reply = f"{mail.reply}; {way}{_INSTEAD}"
    return way


def after_bounce(session: Session, mail: Outgoing, *, reason: str, recipient: str, now: datetime) -> str:
    """Queues a mail that came back another way; returns what to note of it, "" where it has come back for good.

    `recipient` is the address that the delivery report names.
    """
    if mail.state in (MailState.BOUNCED, MailState.SUPERSEDED):
        return ""
    if _went_on(session, mail, recipient):
        return f"it has gone to {mail.recipient} since"
    mail.reply = noted(mail.reply, reason)
    return after_refusal(session, mail, now)


def _as_text(mail: Outgoing) -> str:
    if mail.form == TEXT or not about_content(mail.reply.rpartition(_INSTEAD)[2]):
        return ""
    text = text_alone(mail.raw)
    if text == mail.raw:
        return ""
    mail.raw, mail.form = text, TEXT
    return "sent as text alone"


def _to_second_address(session: Session, mail: Outgoing) -> str:
    person = _reader(session, mail)
    if person is None or not person.fallback or mail.recipient.lower() != person.key:
        return ""
    mail.recipient, mail.provider = person.fallback, provider_of(person.fallback)
    return f"sent to {person.fallback}"


def _went_on(session: Session, mail: Outgoing, recipient: str) -> bool:
    """Whether a report is about the first address of a mail that has gone to the second."""
    person = _reader(session, mail)
    return person is not None and mail.recipient.lower() != person.key == recipient.lower()


def _reader(session: Session, mail: Outgoing) -> Person | None:
    return session.get(Person, mail.person_id) if mail.person_id is not None else None
