"""Answers the letters that have come: each in its own transaction, each to its end or not at all."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from pbem.budget import Overrun, within
from pbem.desk.aside import close_letter, set_aside, set_aside_unread
from pbem.desk.attempts import MOST_ATTEMPTS, Waiting, attempted, in_groups, waiting_letters
from pbem.desk.bounces import note_automatic
from pbem.desk.claims import Seated
from pbem.desk.declining import declined
from pbem.desk.dispatch import find_asked, serve
from pbem.desk.floods import tell_of_letters
from pbem.desk.gm import answer_gm_letter
from pbem.desk.gm_commands import GmSheet, find_gm_sheet
from pbem.desk.helping import find_help, give_help
from pbem.desk.judging import judge
from pbem.desk.kept import answer_question
from pbem.desk.keys import right_key
from pbem.desk.limits import LETTERS_A_DAY, TooMany, has_sent_enough
from pbem.desk.quotations import unquoted
from pbem.desk.replies import Case
from pbem.desk.requests import find_press
from pbem.desk.sheet import SheetText, find_sheet
from pbem.desk.taking import is_untouched, take_sheet
from pbem.errors import StoreError
from pbem.house import House
from pbem.logbook import tell
from pbem.post.authentication import Verdict, sender_verdict
from pbem.post.reading import DELIVERY_REPORT, LOOPING, OWN, Letter, read_letter
from pbem.progress import Progress, silent
from pbem.store.models import Campaign
from pbem.store.models import Letter as LetterRow
from pbem.store.states import LetterState

_NEVER_READ = frozenset({OWN, DELIVERY_REPORT, LOOPING})
"""In such mail not even a sheet is looked for: it may be one that is only quoted."""


@dataclass(slots=True)
class Tally:
    """What came of the letters dealt with; `unanswered` had an answer due, which limits forbade."""

    letters: int = 0
    sheets: int = 0
    set_aside: int = 0
    unanswered: int = 0


def answer_letters(house: House, now: dt.datetime, *, lane: str | None = None, progress: Progress = silent) -> Tally:
    """Deals with every new letter, oldest first; of a lane alone, with those that may go now.

    None takes more than its budget, or kills a third reader.
    """
    tally = Tally()
    with house.store.reading() as session:
        waiting = waiting_letters(session, lane)
        if not waiting:
            return tally
        known = frozenset(session.scalars(select(Campaign.name)))
    for group in in_groups(waiting):
        if group[0].attempts >= MOST_ATTEMPTS:
            tally.letters += 1
            tally.set_aside += set_aside_unread(house, now, group[0].id)
            continue
        with attempted(house.store, group):
            for mail in _mails(house, group):
                _answer(house, now, mail, known, tally)
                progress("answering", tally.letters, len(waiting))
    return tally


@dataclass(frozen=True, slots=True)
class _Mail:
    """A letter yet to be read."""

    id: int
    raw: bytes
    received_at: dt.datetime


def _mails(house: House, letters: Sequence[Waiting]) -> Iterator[_Mail]:
    """Some letters as they came, in the order given."""
    ids = [letter.id for letter in letters]
    with house.store.reading() as session:
        found = session.execute(select(LetterRow.id, LetterRow.raw, LetterRow.received_at).where(LetterRow.id.in_(ids)))
        rows = {row.id: _Mail(*row) for row in found}
    yield from (rows.pop(letter_id) for letter_id in ids)


def _answer(house: House, now: dt.datetime, mail: _Mail, known: frozenset[str], tally: Tally) -> None:
    tally.letters += 1
    try:
        dealt = within(house.settings.letter_seconds, lambda: _read_and_deal(house, now, mail, known))
    except StoreError:
        raise  # the letter is not to blame; it stays new for the next tick
    except (Exception, Overrun) as error:  # noqa: BLE001 - a letter nobody foresaw must not stop the others
        tally.set_aside += set_aside(house, now, mail.id, mail.raw, error)
    else:
        tally.sheets += dealt.sheet
        tally.set_aside += dealt.state == LetterState.QUARANTINED
        tally.unanswered += bool(dealt.silences)


@dataclass(frozen=True, slots=True)
class _Read:
    """A letter that was read; `verdict` is what the receiving server says of its sender."""

    mail: _Mail
    letter: Letter
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class _Dealt:
    """What became of a letter: a note, and why it was not answered where it should have been. `sheet`: one was kept."""

    note: str = ""
    sheet: bool = False
    state: LetterState = LetterState.DONE
    silences: Sequence[str] = ()


def _read_and_deal(house: House, now: dt.datetime, mail: _Mail, known: frozenset[str]) -> _Dealt:
    letter = read_letter(mail.raw)
    read = _Read(mail, letter, sender_verdict(mail.raw, house.settings.authserv_id, letter.sender))
    try:
        return _deal(house, now, read, known)
    except IntegrityError:  # another desk has answered the same sender meanwhile, which shows now
        return _deal(house, now, read, known)


def _deal(house: House, now: dt.datetime, read: _Read, known: frozenset[str]) -> _Dealt:
    """Answers a letter, if it is still new, and notes what was done."""
    # What a power cut takes back is a letter still new, and a receipt not yet sent.
    with house.store.writing(durable=False) as session:
        # Before anything else, so that another desk with the same letter waits here, and then finds it done.
        if not close_letter(session, read.mail.id, LetterState.DONE, ""):
            return _Dealt()
        found = _opened(house, session, now, read, known)
        dealt = _dealt_with(found, read.mail.received_at, known)
        _note(found.case, dealt)
    tell("letter answered", letter=read.mail.id, note=dealt.note)
    return dealt


@dataclass(frozen=True, slots=True)
class _Found:
    """A letter on the desk, by the key that it shows, with the frames found in it."""

    case: Case
    sheet: SheetText
    gm_sheet: GmSheet | None


def _opened(house: House, session: Session, now: dt.datetime, read: _Read, known: frozenset[str]) -> _Found:
    found = _found(Case(house, session, now, read.mail.id, read.letter, read.verdict), known)
    key = right_key(found.case, found.sheet, found.gm_sheet, known.__contains__)
    return dataclasses.replace(found, case=dataclasses.replace(found.case, key=key))


def _found(case: Case, known: frozenset[str]) -> _Found:
    lines = case.letter.lines
    return _Found(case, find_sheet(lines, known.__contains__), find_gm_sheet(lines))


def _dealt_with(found: _Found, received_at: dt.datetime, known: frozenset[str]) -> _Dealt:
    """Answers a letter, unless there were too many like it."""
    case = found.case
    try:
        _check_number(case, received_at)
        note, is_sheet = _served(found, known)
    except TooMany as many:
        told = f"; {many.told}" if many.told else ""
        return _Dealt(f"not dealt with: {many}; it can be tried again later{told}", state=LetterState.QUARANTINED)
    return _Dealt(note, is_sheet, silences=tuple(case.silences))


def _check_number(case: Case, received_at: dt.datetime) -> None:
    if has_sent_enough(case, received_at):
        sender = case.letter.sender or "an unreadable sender"
        said = f"{LETTERS_A_DAY} letters like it came from {sender} that day"
        raise TooMany(said, tell_of_letters(case, LETTERS_A_DAY))


def _served(found: _Found, known: frozenset[str]) -> tuple[str, bool]:
    """Answers a letter; returns what to note of it, and whether a sheet was kept."""
    if found.case.letter.automatic:
        return _automatic(found.case, found.sheet)
    if found.gm_sheet:
        return answer_gm_letter(found.case, found.gm_sheet), False
    letter = unquoted(found.case.session, found.case.letter)
    case, sheet = dataclasses.replace(found.case, letter=letter), find_sheet(letter.lines, known.__contains__)
    if sheet.header is None and (words := find_help(case)) is not None:
        return give_help(case, words), False
    if done := answer_question(case, sheet, known.__contains__, lambda again: _served(_found(again, known), known)):
        return done
    # Words to others may quote us on purpose.
    if press := find_press(found.case.letter.lines, found.sheet, known.__contains__):
        return serve(found.case, press, declined), False
    if sheet.header is None and (request := find_asked(case, known.__contains__)):
        return serve(case, request, declined), False
    claim = judge(case, sheet.header)
    if isinstance(claim, Seated):
        return take_sheet(case, claim.spot, sheet, claim.notes, deputy=claim.deputy)
    return declined(case, claim), False


def _automatic(case: Case, sheet: SheetText) -> tuple[str, bool]:
    """Takes a sheet that somebody has sent by a program, and answers nothing else (RFC 3834).

    An answering machine may quote a report, with its code and the form at its
    end. So the sheet must be all there is: whole, filled in, first in the mail,
    not quoted, and with the key in its own line.
    """
    whole = sheet.closed and not (sheet.empty or sheet.below_text or case.letter.sent_back)
    if sheet.header is None or not whole or case.letter.automatic in _NEVER_READ:
        return note_automatic(case), False
    claim = judge(case, sheet.header)
    if not (isinstance(claim, Seated) and claim.proof in ("token", "code")) or is_untouched(case, claim.spot, sheet):
        return note_automatic(case), False
    return take_sheet(case, claim.spot, sheet, claim.notes, deputy=claim.deputy)


_NOTE = (
    update(LetterRow)
    .where(LetterRow.id == bindparam("letter"))
    .values({name: bindparam(f"{name}_") for name in ("state", "note", "sender", "verdict", "key", "unanswered")})
)


def _note(case: Case, dealt: _Dealt) -> None:
    """Notes what became of a letter, and what limits count. What programs send counts against nobody's."""
    values = {
        "state": dealt.state,
        "note": dealt.note,
        "sender": case.sender,
        "verdict": case.verdict,
        "key": case.key or ("automatic" if case.letter.automatic else ""),
        "unanswered": bool(dealt.silences),
    }
    bound = {f"{name}_": value for name, value in values.items()}
    case.session.connection().execute(_NOTE, {"letter": case.letter_id, **bound})
