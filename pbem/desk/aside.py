"""Sets aside the letters that cannot be dealt with: they are kept, and those concerned are told."""

from __future__ import annotations

import datetime as dt
import traceback

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.desk.attempts import raw_letter
from pbem.desk.pages import Fault, LetterProblem
from pbem.desk.replies import Case, answer, notify
from pbem.desk.seats import is_known
from pbem.errors import StoreError, in_words
from pbem.log import tell
from pbem.mail.message import UNREADABLE, Message, read_head
from pbem.store.models import Campaign
from pbem.store.models import InboxMessage as LetterRow
from pbem.store.types import LetterState, Phase
from pbem.util import Overrun, masked, within

KILLS = "reading it has ended this program twice, as when it takes more memory than there is; it was not tried again"

_LONGEST_NOTE = 4_000
"""Characters from the end of a traceback, where it says what went wrong."""

_CLOSE = (
    update(LetterRow)
    .where(LetterRow.id == bindparam("letter"), LetterRow.state == LetterState.NEW)
    .values(state=bindparam("state"), note=bindparam("note"))
    .returning(LetterRow.id)
)


def close_letter(session: Session, letter_id: int, state: str, note: str) -> bool:
    """Takes a new letter off the pile; False if another process was faster."""
    values = {"letter": letter_id, "state": state, "note": note}
    return session.connection().execute(_CLOSE, values).first() is not None


def set_aside(house: House, now: dt.datetime, letter_id: int, raw: bytes, error: Exception | Overrun) -> bool:
    """Keeps a letter that could not be dealt with, and tells those concerned; whether it was still new."""
    tell("letter set aside", level="error", fault=error, letter=letter_id)
    problem = _overrun(house) if isinstance(error, Overrun) else in_words(error)
    trace = masked("".join(traceback.format_exception(error)))[-_LONGEST_NOTE:]
    note = f"{trace}{problem}" if isinstance(error, Overrun) else trace
    letter = _head(house, raw)
    try:
        with house.store.writing() as session:
            if not close_letter(session, letter_id, LetterState.QUARANTINED, note):
                return False
            case = Case(house, session, now, letter_id, letter)
            _tell_gms(case, problem)
            _tell_writer(case)
    except StoreError:
        raise
    except Exception:
        # If there are no words for it either, whoever runs the program hears of that; the letter is kept all the same.
        with house.store.writing() as session:
            close_letter(session, letter_id, LetterState.QUARANTINED, note)
        raise
    return True


def set_aside_unread(house: House, now: dt.datetime, letter_id: int) -> bool:
    """Keeps a letter that has killed the reader; whether it was still new. Its writer is told if its head can be read.

    That is tried last, when nothing else can be lost by it.
    """
    tell("letter set aside", level="error", letter=letter_id, text=KILLS)
    with house.store.writing() as session:
        if not close_letter(session, letter_id, LetterState.QUARANTINED, KILLS):
            return False
        _tell_gms(Case(house, session, now, letter_id, UNREADABLE), KILLS)
        raw = raw_letter(session, letter_id)
    letter = _head(house, raw)
    with house.store.writing() as session:
        _tell_writer(Case(house, session, now, letter_id, letter))
    return True


def _overrun(house: House) -> str:
    return f"reading and answering it took more than {house.settings.letter_seconds:g} seconds of the processor's time"


def _head(house: House, raw: bytes) -> Message:
    """Who wrote a letter, and about what, as far as that can be found out in a letter's time."""
    try:
        return within(house.settings.letter_seconds, lambda: read_head(raw))
    except (Exception, Overrun):  # noqa: BLE001 - it may be what could not be read
        return UNREADABLE


def _tell_gms(case: Case, problem: str) -> None:
    letter = case.letter
    page = LetterProblem(
        letter=case.letter_id,
        sender=letter.sender or "",
        subject=masked(letter.subject),
        problem=masked(problem),
    )
    for gm in case.session.scalars(select(Campaign.gm).where(Campaign.status == Phase.RUNNING).distinct()):
        notify(case, gm, f"Letter {case.letter_id} was set aside", page)


def _tell_writer(case: Case) -> None:
    sender = case.letter.sender
    if sender is not None and not case.letter.automatic and is_known(case.session, sender):
        answer(case, sender, Fault(address=case.address))
