"""Writes the answers of the desk into the outbox, and sees to it that nobody is flooded with them.

Answers other than receipts have numbered places: so many a day for an address
that is known, one of a kind and week for a stranger (RFC 3834, 2). When none is
left there is silence, so that two machines cannot talk to each other without end.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.desk.seats import Spot, is_known
from pbem.house import House
from pbem.post.codes import message_id, plus_address, subject_tag
from pbem.post.outbox import queue
from pbem.post.reading import Letter
from pbem.post.writing import Mail
from pbem.store.models import Outgoing

ANSWERS_A_DAY = 20
WARNINGS_A_DAY = 3

_LONGEST_SUBJECT = 120
_LONGEST_THREAD = 18
_OWN_KEY = b"pbem: answers that belong to no campaign"
_PREFIX = re.compile(r"\s*(?:(?:re|aw|sv|antw|fwd?|wg)(?:\[\d+\])?:|\[[^\]]*\])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """A letter on the desk, in its own transaction."""

    house: House
    session: Session
    now: dt.datetime
    letter_id: int
    letter: Letter

    @property
    def address(self) -> str:
        """The order address."""
        return self.house.settings.address


def answer(case: Case, *, to: str, text: str, kind: str = "answer", spot: Spot | None = None, code: str = "") -> str:
    """Queues an answer; returns what to note of it. With a `code`, a reply to it counts as orders.

    A stranger gets one of each `kind` a week.
    """
    if not is_known(case.session, to):
        return _once(case, to, text, kind)
    day = case.now.date().isoformat()
    places = [_id(case, "answer", to.lower(), day, place) for place in range(ANSWERS_A_DAY)]
    free = _free(case.session, places)
    if free is None:
        return f"not answered: {to} has had {ANSWERS_A_DAY} answers today"
    _queue(case, _mail(case, to, text, id_=free, spot=spot, code=code), spot)
    return f"answered {to}"


def warn(case: Case, spot: Spot, text: str) -> str:
    """Tells a seat's own address that somebody else wrote in its name; returns what to note."""
    day = case.now.date().isoformat()
    places = [_id(case, "warning", spot.seat_id, day, place) for place in range(WARNINGS_A_DAY)]
    free = _free(case.session, places)
    if free is None:
        return f"{spot.address} has been warned enough today"
    mail = Mail(
        recipient=spot.address,
        subject=f"[{spot.campaign}] Somebody wrote for your seat",
        text=text,
        message_id=free,
        reply_to=case.address,
        automatic="auto-generated",
    )
    _queue(case, mail, spot)
    return f"warned {spot.address}"


def receipt(case: Case, spot: Spot, text: str, *, version: int) -> None:
    """Queues a receipt to the seat's own address, threaded under the sheet."""
    settings = case.house.settings
    id_ = message_id(spot.mail_key, settings.domain, "receipt", spot.campaign, spot.seat, spot.turn, version, spot.era)
    _queue(case, _mail(case, spot.address, text, id_=id_, spot=spot, code=spot.code), spot)


def notify(case: Case, *, to: str, subject: str, text: str) -> None:
    """Queues a notice about a letter to a GM."""
    mail = Mail(
        recipient=to,
        subject=subject,
        text=text,
        message_id=_id(case, "notice", to.lower(), case.letter_id),
        reply_to=case.address,
        automatic="auto-generated",
    )
    _queue(case, mail, None)


def _once(case: Case, to: str, text: str, kind: str) -> str:
    """The one answer of its kind that an unknown address gets in a week."""
    year, week, _ = case.now.isocalendar()
    free = _free(case.session, [_id(case, "stranger", kind, to.lower(), year, week)])
    if free is None:
        return f"not answered: {to} is unknown and has had its answer this week"
    _queue(case, _mail(case, to, text, id_=free, spot=None, code=""), None)
    return f"answered {to}, who is unknown"


def _free(session: Session, places: Sequence[str]) -> str | None:
    taken = set(session.scalars(select(Outgoing.message_id).where(Outgoing.message_id.in_(places))))
    return next((place for place in places if place not in taken), None)


def _id(case: Case, *parts: str | int) -> str:
    return message_id(_OWN_KEY, case.house.settings.domain, *parts)


def _mail(case: Case, to: str, text: str, *, id_: str, spot: Spot | None, code: str) -> Mail:
    letter = case.letter
    tag = f"{subject_tag(spot.campaign, code)} " if spot is not None and code else ""
    return Mail(
        recipient=to,
        subject=f"Re: {tag}{bare_subject(letter.subject) or 'your mail'}",
        text=text,
        message_id=id_,
        reply_to=plus_address(case.address, code) if code else case.address,
        in_reply_to=letter.message_id,
        references=_thread(letter, spot if code else None),
        automatic="auto-replied",
    )


def bare_subject(subject: str) -> str:
    """A subject without "Re:" and tags before it, and so without any reply code."""
    while match := _PREFIX.match(subject):
        subject = subject[match.end() :]
    return " ".join(subject.split())[:_LONGEST_SUBJECT]


def _thread(letter: Letter, spot: Spot | None) -> tuple[str, ...]:
    """The thread, oldest first. The report is always in it, so that a reply to a receipt still finds its turn."""
    older = [id_ for id_ in reversed(dict.fromkeys(letter.references)) if id_ != letter.message_id]
    if spot is not None and spot.report_message_id not in older:
        older.append(spot.report_message_id)
    return (*older[-_LONGEST_THREAD:], *([letter.message_id] if letter.message_id else []))


def _queue(case: Case, mail: Mail, spot: Spot | None) -> None:
    campaign_id = spot.campaign_id if spot is not None else None
    queue(case.session, mail, case.house.settings, campaign_id=campaign_id, now=case.now)
