"""Letters as a GM sees them: the list of all that came, one of them in words, and a second try."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import func, select, update

from pbem.errors import UpkeepError
from pbem.mail.message import read_head, read_letter
from pbem.store.models import InboxMessage
from pbem.store.session import Store
from pbem.store.types import LetterState
from pbem.util import masked

STATES = tuple(state.value for state in LetterState)

FORMER_STATES = {"done": LetterState.PROCESSED.value}
"""Former words for states, still read where a state is typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterFacts:
    """A letter in the list; `sender` is "" where none can be read, `note` says what became of it. Keys are masked."""

    id: int
    received_at: dt.datetime
    sender: str
    subject: str
    state: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterShown(LetterFacts):
    """A letter with the text that its writer typed; `notes` say what was left out of that, or mended."""

    recipients: tuple[str, ...]
    automatic: str
    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LetterList:
    """The newest letters, oldest first, and how many there are in all."""

    letters: tuple[LetterFacts, ...]
    total: int


def list_letters(store: Store, state: str | None = None, *, limit: int) -> LetterList:
    """The newest letters, or those of one state, so many at most."""
    chosen = (InboxMessage.state == state,) if state is not None else ()
    wanted = select(
        InboxMessage.id, InboxMessage.received_at, InboxMessage.raw, InboxMessage.state, InboxMessage.note
    ).where(*chosen)
    with store.reading() as session:
        total = session.scalar(select(func.count(InboxMessage.id)).where(*chosen)) or 0
        rows = session.execute(wanted.order_by(InboxMessage.id.desc()).limit(limit).execution_options(yield_per=100))
        return LetterList(tuple(_facts(*row) for row in rows)[::-1], total)


def show_letter(store: Store, letter_id: int) -> LetterShown:
    """One letter as the desk reads it. Raises UpkeepError if there is none of this number."""
    with store.reading() as session:
        row = session.get(InboxMessage, letter_id)
    if row is None:
        raise _unknown(letter_id)
    letter = read_letter(row.raw)
    return LetterShown(
        id=row.id,
        received_at=row.received_at,
        sender=letter.sender or "",
        subject=masked(letter.subject),
        state=row.state,
        note=masked(row.note),
        recipients=tuple(map(masked, letter.recipients)),
        automatic=letter.automatic,
        text=masked(letter.text),
        notes=tuple(map(masked, letter.notes)),
    )


def retry_letter(store: Store, letter_id: int) -> None:
    """Makes a quarantined letter new, for the next tick. Raises UpkeepError if it is not quarantined, or not there."""
    again = (
        update(InboxMessage)
        .where(InboxMessage.id == letter_id, InboxMessage.state == LetterState.QUARANTINED)
        .values(state=LetterState.NEW, note="", attempts=0)
        .returning(InboxMessage.id)
    )
    with store.writing() as session:
        if session.execute(again).first() is not None:
            return
        state = session.scalar(select(InboxMessage.state).where(InboxMessage.id == letter_id))
    if state is None:
        raise _unknown(letter_id)
    reason = "the next tick deals with it anyway" if state == LetterState.NEW else "it has had its answer"
    raise UpkeepError(f"letter {letter_id} is {state}, not quarantined: {reason}")


def _facts(letter_id: int, received_at: dt.datetime, raw: bytes, state: str, note: str) -> LetterFacts:
    letter = read_head(raw)
    return LetterFacts(
        id=letter_id,
        received_at=received_at,
        sender=letter.sender or "",
        subject=masked(letter.subject),
        state=state,
        note=masked(note),
    )


def _unknown(letter_id: int) -> UpkeepError:
    return UpkeepError(f"there is no letter {letter_id}: list them with: pbem letters")
