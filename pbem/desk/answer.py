"""Answers the letters that have come: each to its end or not at all, plain order sheets many at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from pbem.budget import Overrun, within
from pbem.desk.aside import close_letter, set_aside, set_aside_unread
from pbem.desk.attempts import MOST_ATTEMPTS, Waiting, attempted, in_groups, waiting_letters
from pbem.desk.floods import tell_of_echo, tell_of_letters
from pbem.desk.limits import LETTERS_A_DAY, TooMany, has_sent_enough
from pbem.desk.replies import ECHO, Case
from pbem.desk.routes import Raw, Read, follow, opened, read_mail, way_of, with_files
from pbem.desk.sheet import Names
from pbem.desk.together import Dealt, note_dealt, take_together
from pbem.errors import StoreError
from pbem.house import House
from pbem.logbook import tell
from pbem.progress import Progress, silent
from pbem.store.models import Campaign
from pbem.store.models import Letter as LetterRow
from pbem.store.states import LetterState


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
            mails = _mails(house, group)
            size += sum(len(mail.raw) for mail in mails)
            for _ in _answered(house, now, mails, known, tally):
                progress("answering", tally.letters, len(waiting))
    return tally


def _mails(house: House, letters: Sequence[Waiting]) -> list[Raw]:
    """Some letters as they came, in the order given."""
    ids = [letter.id for letter in letters]
    with house.store.reading() as session:
        found = session.execute(select(LetterRow.id, LetterRow.raw, LetterRow.received_at).where(LetterRow.id.in_(ids)))
        rows = {row.id: Raw(*row) for row in found}
    return [rows[letter_id] for letter_id in ids]


def _answered(house: House, now: dt.datetime, mails: Sequence[Raw], known: Names, tally: Tally) -> Iterator[None]:
    """Answers letters in their order, and stops to tell of it each time that some have been."""
    left = [(mail, _read(house, mail, known)) for mail in mails]
    while left:
        readable = [read for _, read in left]
        first = readable.index(None) if None in readable else len(left)
        several = [read for read in readable[:first] if read] if first > 1 else []
        taken = take_together(house, now, several, known)
        tally.letters += len(taken)
        tally.sheets += len(taken)
        left = [letter for at, letter in enumerate(left) if at not in taken]
        if not taken:
            _answer(house, now, *left.pop(0), known, tally)
        yield


def _read(house: House, mail: Raw, known: Names) -> Read | None:
    """The letter; None if it cannot be read in its time, or makes the reader stumble."""
    try:
        return within(house.settings.letter_seconds, lambda: read_mail(house, mail, known))
    except (Exception, Overrun):  # noqa: BLE001 - it is told when the letter's turn comes
        return None


def _answer(house: House, now: dt.datetime, mail: Raw, read: Read | None, known: Names, tally: Tally) -> None:
    tally.letters += 1
    try:
        dealt = within(
            house.settings.letter_seconds,
            lambda: _dealt(house, now, with_files(house, read or read_mail(house, mail, known)), known),
        )
    except StoreError:
        raise  # the letter is not to blame; it stays new for the next tick
    except (Exception, Overrun) as error:  # noqa: BLE001 - a letter nobody foresaw must not stop the others
        tally.set_aside += set_aside(house, now, mail.id, mail.raw, error)
    else:
        tally.sheets += dealt.sheet
        tally.set_aside += dealt.state == LetterState.QUARANTINED
        tally.unanswered += bool(dealt.silences)


def _dealt(house: House, now: dt.datetime, read: Read, known: Names) -> Dealt:
    try:
        return _deal(house, now, read, known)
    except IntegrityError:  # another desk has answered the same sender meanwhile, which shows now
        return _deal(house, now, read, known)


def _deal(house: House, now: dt.datetime, read: Read, known: Names) -> Dealt:
    """Answers a letter, if it is still new, and notes what was done."""
    # What a power cut takes back is a letter still new, and a receipt not yet sent.
    with house.store.writing(durable=False) as session:
        # Before anything else, so that another desk with the same letter waits here, and then finds it done.
        if not close_letter(session, read.mail.id, LetterState.PROCESSED, ""):
            return Dealt()
        found = opened(house, session, now, read, known)
        case = found.case
        try:
            _check_number(case, read.mail.received_at)
            note, is_sheet = follow(way_of(found, known))
        except TooMany as many:
            told = f"; {many.told}" if many.told else ""
            left_alone = f"not dealt with: {many}; it can be tried again later{told}"
            dealt = Dealt(left_alone, state=LetterState.QUARANTINED)
        else:
            told = f"; {tell_of_echo(case)}" if ECHO in case.silences else ""
            dealt = Dealt(f"{note}{told}".removesuffix("; "), is_sheet, silences=tuple(case.silences))
        note_dealt(session, [(case, dealt)])
    tell("letter answered", letter=read.mail.id, note=dealt.note)
    return dealt


def _check_number(case: Case, received_at: dt.datetime) -> None:
    if has_sent_enough(case, received_at):
        said = f"{LETTERS_A_DAY} letters like it came from {case.shown_sender} that day"
        raise TooMany(said, tell_of_letters(case, LETTERS_A_DAY))
