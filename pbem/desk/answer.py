"""Answers the letters that have come: each to its end or not at all, in a transaction of its own."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError

from pbem.app import House
from pbem.desk.aside import close_letter, set_aside, set_aside_unread
from pbem.desk.attempts import MOST_ATTEMPTS, Waiting, attempted, in_groups, waiting_letters
from pbem.desk.floods import tell_of_echo, tell_of_letters
from pbem.desk.limits import LETTERS_A_DAY, TooMany, has_sent_enough
from pbem.desk.replies import ECHO, Case
from pbem.desk.routes import Opened, Raw, Read, handle, opened, read_mail, with_files
from pbem.desk.sheet import Names
from pbem.errors import StoreError
from pbem.log import tell
from pbem.store.models import Campaign
from pbem.store.models import InboxMessage as LetterRow
from pbem.store.types import LetterState
from pbem.util import Overrun, Progress, silent, within

_SAVE = (
    update(LetterRow)
    .where(LetterRow.id == bindparam("letter"))
    .values({name: bindparam(f"{name}_") for name in ("state", "note", "sender", "verdict", "key", "unanswered")})
)


@dataclass(frozen=True, slots=True)
class MessageResult:
    """What became of a letter: a note, and why it was not answered where it should have been. `sheet`: one was kept."""

    note: str = ""
    sheet: bool = False
    state: LetterState = LetterState.PROCESSED
    silences: Sequence[str] = ()


@dataclass(slots=True)
class Tally:
    """What came of the letters dealt with; `unanswered` had an answer due, which limits forbade.

    `left` are those for which there was no room; then all that came before `read_until` were dealt with.
    """

    letters: int = 0
    sheets: int = 0
    set_aside: int = 0
    unanswered: int = 0
    left: int = 0
    read_until: dt.datetime | None = None


def answer_letters(
    house: House, now: dt.datetime, *, lane: str | None = None, most: int | None = None, progress: Progress = silent
) -> Tally:
    """Deals with every new letter, oldest first; of a lane alone, with those that may go now.

    After `most` bytes of letters the others are left for the next time. None takes more than its budget, or is
    charged with a third attempt.
    """
    tally, size = Tally(), 0
    with house.store.reading() as session:
        waiting = waiting_letters(session, lane)
        if not waiting:
            return tally
        known = frozenset(session.scalars(select(Campaign.name)))
    for at, group in in_groups(waiting):
        if most is not None and size >= most:
            tally.left, tally.read_until = len(waiting) - at, group[0].received_at
            break
        if group[0].attempts >= MOST_ATTEMPTS:
            tally.letters += 1
            tally.set_aside += set_aside_unread(house, now, group[0].id)
            continue
        with attempted(house.store, group):
            for mail in _load_mails(house, group):
                size += len(mail.raw)
                _answer(house, now, mail, known, tally)
                progress("answering", tally.letters, len(waiting))
    return tally


def _load_mails(house: House, letters: Sequence[Waiting]) -> list[Raw]:
    """Return some letters as they came, in the order given."""
    ids = [letter.id for letter in letters]
    with house.store.reading() as session:
        found = session.execute(select(LetterRow.id, LetterRow.raw, LetterRow.received_at).where(LetterRow.id.in_(ids)))
        rows = {row.id: Raw(*row) for row in found}
    return [rows[letter_id] for letter_id in ids]


def _answer(house: House, now: dt.datetime, mail: Raw, known: Names, tally: Tally) -> None:
    tally.letters += 1
    try:
        result = within(house.settings.letter_seconds, lambda: _process(house, now, mail, known))
    except StoreError:
        raise  # the letter is not to blame; it stays new for the next tick
    except (Exception, Overrun) as error:  # noqa: BLE001 - a letter nobody foresaw must not stop the others
        tally.set_aside += set_aside(house, now, mail.id, mail.raw, error)
    else:
        tally.sheets += result.sheet
        tally.set_aside += result.state == LetterState.QUARANTINED
        tally.unanswered += bool(result.silences)


def _process(house: House, now: dt.datetime, mail: Raw, known: Names) -> MessageResult:
    read = with_files(house, read_mail(house, mail, known))
    try:
        return _process_once(house, now, read, known)
    except IntegrityError:  # another process has answered the same sender meanwhile, which shows now
        return _process_once(house, now, read, known)


def _process_once(house: House, now: dt.datetime, read: Read, known: Names) -> MessageResult:
    """Answer a letter, if it is still new, and note what was done."""
    # What a power cut takes back is a letter still new, and a receipt not yet sent.
    with house.store.writing(durable=False) as session:
        # Before anything else, so that another process with the same letter waits here, and then finds it done.
        if not close_letter(session, read.mail.id, LetterState.PROCESSED, ""):
            return MessageResult()
        found = opened(house, session, now, read, known)
        result = _handle(found, read.mail.received_at, known)
        _save_result(found.case, result)
    tell("letter answered", letter=read.mail.id, note=result.note)
    return result


def _handle(found: Opened, received_at: dt.datetime, known: Names) -> MessageResult:
    case = found.case
    try:
        _check_number(case, received_at)
        note, is_sheet = handle(found, known)
    except TooMany as many:
        told = f"; {many.told}" if many.told else ""
        left_alone = f"not dealt with: {many}; it can be tried again later{told}"
        return MessageResult(left_alone, state=LetterState.QUARANTINED)
    told = f"; {tell_of_echo(case)}" if ECHO in case.silences else ""
    return MessageResult(f"{note}{told}".removesuffix("; "), is_sheet, silences=tuple(case.silences))


def _check_number(case: Case, received_at: dt.datetime) -> None:
    if has_sent_enough(case, received_at):
        said = f"{LETTERS_A_DAY} letters like it came from {case.shown_sender} that day"
        raise TooMany(said, tell_of_letters(case, LETTERS_A_DAY))


def _save_result(case: Case, result: MessageResult) -> None:
    """Note what became of a letter, and what limits count. What programs send counts against nobody's."""
    row = {
        "letter": case.letter_id,
        "state_": result.state,
        "note_": result.note,
        "sender_": case.sender,
        "verdict_": case.verdict,
        "key_": case.key or ("automatic" if case.letter.automatic else ""),
        "unanswered_": bool(result.silences),
    }
    case.session.connection().execute(_SAVE, row)
