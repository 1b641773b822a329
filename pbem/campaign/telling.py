"""Notices of what was done to a campaign: to its players, and to its GM.

The Message-ID of a notice follows from the entry in the journal that it tells
of, so no two acts share one. A GM's notice of a moment has its own, and goes
out once however often it is given.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.campaign.table import Place, Table
from pbem.house import House
from pbem.post.codes import message_id
from pbem.post.outbox import queue, queue_many, topic_of
from pbem.post.writing import Mail
from pbem.report import Page
from pbem.store.models import Outgoing


def tell_players(
    session: Session,
    house: House,
    table: Table,
    now: dt.datetime,
    *,
    act: int,
    subject: str,
    page: Page,
    topic: str = "",
) -> None:
    """Queues the same notice to every player still in the game. `act` is the id of its entry in the journal."""
    text, places = house.reporter.write(page), table.playing
    tell_each(session, house, table, now, act=act, subject=subject, places=places, text=lambda _: text, topic=topic)


def tell_each(
    session: Session,
    house: House,
    table: Table,
    now: dt.datetime,
    *,
    act: int,
    subject: str,
    places: Iterable[Place],
    text: Callable[[Place], str],
    topic: str = "",
) -> None:
    """Queues a notice of its own to each of some places; to those where nobody sits, none.

    With a `topic` of the open turn, such as "reminder", it replaces what still waits on that.
    """
    mails = [
        _notice(
            house,
            table,
            to=place.address,
            subject=subject,
            text=text(place),
            parts=("act", act, place.seat),
            topic=topic and topic_of(topic, table.name, table.turn, place.seat),
        )
        for place in places
        if place.address
    ]
    queue_many(session, [(mail, table.id) for mail in mails], house.settings, now)


def tell_gm_once(
    session: Session,
    house: House,
    table: Table,
    now: dt.datetime,
    *,
    moment: tuple[str, ...],
    subject: str,
    page: Page,
    topic: str = "",
) -> bool:
    """Queues a notice to the GM, unless he has had that of this moment; returns whether he had not.

    `moment` are words and times that name what he is told of, besides campaign and turn. With a `topic` of the
    open turn, such as "late", it replaces what still waits on that.
    """
    if was_told(session, house, table, moment):
        return False
    mail = _notice(
        house,
        table,
        to=table.gm,
        subject=subject,
        text=house.reporter.write(page),
        parts=_moment(table, moment),
        topic=topic and topic_of(topic, table.name, table.turn, "gm"),
    )
    queue(session, mail, house.settings, campaign_id=table.id, now=now)
    return True


def was_told(session: Session, house: House, table: Table, moment: tuple[str, ...]) -> bool:
    """Whether the GM has had the notice of a moment."""
    id_ = message_id(table.mail_key, house.settings.domain, *_moment(table, moment))
    return session.scalar(select(Outgoing.id).where(Outgoing.message_id == id_)) is not None


def _moment(table: Table, moment: tuple[str, ...]) -> tuple[str | int, ...]:
    return ("gm", table.name, table.turn, table.era, *moment)


def _notice(
    house: House, table: Table, *, to: str, subject: str, text: str, parts: tuple[str | int, ...], topic: str
) -> Mail:
    return Mail(
        recipient=to,
        subject=f"[{table.name}] {subject}",
        text=text,
        message_id=message_id(table.mail_key, house.settings.domain, *parts),
        reply_to=house.settings.address,
        automatic="auto-generated",
        kind="notice",
        topic=topic,
    )
