"""The outbox: mail is written down in the transaction that gives cause for it, and sent afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, insert, select, update
from sqlalchemy.orm import Session

from pbem.config import Settings
from pbem.post.rescue import TEXT
from pbem.post.stamping import Stamped, stamped
from pbem.post.waiting import OUTBOX, lane_of, provider_of
from pbem.post.writing import Mail, compose, readdressed
from pbem.store.models import Person
from pbem.store.session import Queue, Work, wake
from pbem.store.types import MailState

FULL = "full"

_PUT = insert(OUTBOX)

DICE = "dice"
"""The kind of mail that asks for a word for the dice, until the set-up is resolved."""

OVERTAKEN = ("reminder", "late", "problem", DICE)
"""Kinds of mail that speak of a turn still to be resolved, and say nothing once it is."""


def topic_of(kind: str, campaign: str, turn: int, whose: str) -> str:
    """What a mail is about, for its reader alone: `whose` is a seat, or "gm"."""
    return f"{kind} {campaign} {turn} {whose}"


def queue(
    session: Session, mails: Iterable[Mail], settings: Settings, *, campaign_id: int | None, now: datetime
) -> None:
    """Writes mails of a campaign, or of none, into the outbox in the order in which they shall be sent.

    They are, once the session's transaction is committed. What still waits on one of their topics is replaced by them.
    """
    ready = stamped(session, list(mails), settings, campaign_id)
    # Before they are there themselves, and would be replaced with the rest.
    _replace_on(session, {each.mail.topic for each in ready if each.mail.topic})
    if ready:
        session.connection().execute(_PUT, [_row(each, settings, now) for each in ready])
        lanes = {lane_of(provider_of(each.mail.recipient), settings.pace) for each in ready}
        wake(session, *(Work(Queue.SEND, lane) for lane in lanes))


def withdraw(session: Session, campaign: str, turn: int, seats: Iterable[str]) -> None:
    """Takes mail that still waits and speaks of a turn as unresolved out of the outbox: the turn has been resolved.

    `seats` are all of the campaign.
    """
    _replace_on(session, (topic_of(kind, campaign, turn, whose) for whose in ("gm", *seats) for kind in OVERTAKEN))


def drop(session: Session, topic: str) -> None:
    """Takes mail of a topic that still waits out of the outbox: its reader is not to have it any more."""
    _replace_on(session, [topic])


def drop_mails(session: Session, message_ids: Iterable[str]) -> None:
    """Takes those of these mails that still wait out of the outbox."""
    _replace(session, OUTBOX.c.message_id.in_(list(message_ids)))


def press_topic(campaign: str, seat: str, press_id: int | None = None) -> str:
    """What the mail of a letter to a seat is about; without the letter, how all such topics begin."""
    return f"press {campaign} {seat} {'' if press_id is None else press_id}"


def pass_on(session: Session, campaign: str, seat: str, person: Person | None) -> None:
    """Has letters to a seat that still wait go to whoever sits there now; to nobody, if nobody does."""
    theirs = OUTBOX.c.topic.startswith(press_topic(campaign, seat), autoescape=True)
    if person is None:
        _replace(session, theirs)
        return
    waiting = select(OUTBOX.c.id, OUTBOX.c.raw).where(theirs, OUTBOX.c.state == MailState.QUEUED)
    database = session.connection()
    for id_, raw in database.execute(waiting).all():
        values = {"recipient": person.address, "provider": provider_of(person.address), "person_id": person.id}
        mail = update(OUTBOX).where(OUTBOX.c.id == id_)
        database.execute(mail.values(raw=readdressed(raw, person.address), **values))


_ON_TOPICS = (
    update(OUTBOX)
    .where(OUTBOX.c.topic.in_(bindparam("topics", expanding=True)), OUTBOX.c.state == MailState.QUEUED)
    .values(state=MailState.SUPERSEDED)
)
"""Built once: it goes with every mail that has a topic."""

_AT_ONCE = 1_000
"""Topics in a statement; databases take only so many."""


def _replace_on(session: Session, topics: Iterable[str]) -> None:
    """Replaces what waits on some topics."""
    all_ = list(topics)
    for start in range(0, len(all_), _AT_ONCE):
        session.connection().execute(_ON_TOPICS, {"topics": all_[start : start + _AT_ONCE]})


def _replace(session: Session, which: ColumnElement[bool]) -> None:
    waiting = update(OUTBOX).where(which, OUTBOX.c.state == MailState.QUEUED)
    session.connection().execute(waiting.values(state=MailState.SUPERSEDED))


def _row(each: Stamped, settings: Settings, now: datetime) -> dict[str, Any]:
    mail = each.mail
    return {
        "campaign_id": each.campaign_id,
        "person_id": each.person_id,
        "kind": mail.kind,
        "topic": mail.topic or None,
        "recipient": mail.recipient,
        "provider": provider_of(mail.recipient),
        "form": TEXT if each.plain else FULL,
        "message_id": mail.message_id,
        "raw": compose(mail, sender=settings.address, sender_name=settings.sender_name, at=now),
        "state": MailState.QUEUED,
        "attempts": 0,
        "not_before": now,
        "created_at": now,
        "reply": "",
    }
