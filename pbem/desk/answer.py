"""Answers the letters that have come: each in its own transaction, each to its end or not at all."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from pbem.desk import gm_acts, gm_history
from pbem.desk.bounces import note_automatic
from pbem.desk.claims import Seated
from pbem.desk.commands import REFERENCE
from pbem.desk.declining import declined
from pbem.desk.dispatch import find_asked, serve
from pbem.desk.gm import answer_gm_letter
from pbem.desk.gm_commands import find_gm_sheet
from pbem.desk.judging import judge
from pbem.desk.limits import LETTERS_A_DAY, Quota
from pbem.desk.pages import Fault, LetterProblem
from pbem.desk.replies import Case, answer, notify
from pbem.desk.requests import find_press
from pbem.desk.seats import is_known, seats_of
from pbem.desk.sheet import SheetText, find_sheet
from pbem.desk.taking import is_untouched, take_sheet
from pbem.errors import StoreError, in_words
from pbem.house import House
from pbem.logbook import tell
from pbem.masking import masked
from pbem.post.authentication import Verdict, sender_verdict
from pbem.post.reading import DELIVERY_REPORT, LOOPING, OWN, Letter, read_letter
from pbem.progress import Progress, silent
from pbem.report import Help
from pbem.store.models import Campaign
from pbem.store.models import Letter as LetterRow

GM_HANDLERS = {**gm_acts.HANDLERS, **gm_history.HANDLERS}

AT_ONCE = 100
"""Letters read from the database at a time."""

_LONGEST_NOTE = 4_000
_NEVER_READ = frozenset({OWN, DELIVERY_REPORT, LOOPING})
_HELP = re.compile(r"\A\s*+(?:(?:re|aw|fwd?):\s*+)*+help\b", re.IGNORECASE)


@dataclass(slots=True)
class Tally:
    """What came of the letters answered."""

    letters: int = 0
    sheets: int = 0
    set_aside: int = 0


@dataclass(frozen=True, slots=True)
class _Read:
    """A letter that was read; `verdict` is what the receiving server says of its sender.

    `too_many`: its sender has sent so many that it is left alone.
    """

    id: int
    letter: Letter
    verdict: Verdict
    too_many: bool


def answer_letters(house: House, now: dt.datetime, *, progress: Progress = silent) -> Tally:
    """Deals with every new letter, oldest first."""
    tally = Tally()
    with house.store.reading() as session:
        new = select(LetterRow.id).where(LetterRow.state == "new").order_by(LetterRow.received_at, LetterRow.id)
        ids = session.scalars(new).all()
        if not ids:
            return tally
        known = frozenset(session.scalars(select(Campaign.name)))
        quota = Quota(session, now, waiting=len(ids), authserv_id=house.settings.authserv_id)
    for start in range(0, len(ids), AT_ONCE):
        for read in _read(house, ids[start : start + AT_ONCE], quota):
            _answer(house, now, read, known, tally)
            progress("answering", tally.letters, len(ids))
    return tally


def _read(house: House, ids: Sequence[int], quota: Quota) -> Iterator[_Read]:
    """Some letters, in the order of their ids given."""
    with house.store.reading() as session:
        found = session.execute(select(LetterRow.id, LetterRow.raw, LetterRow.received_at).where(LetterRow.id.in_(ids)))
        rows = {row.id: row for row in found}
    for letter_id in ids:
        _, raw, received_at = rows[letter_id]
        letter = read_letter(raw)
        verdict = sender_verdict(raw, house.settings.authserv_id, letter.sender)
        yield _Read(letter_id, letter, verdict, quota.spent(letter, received_at, verdict))


def _answer(house: House, now: dt.datetime, read: _Read, known: frozenset[str], tally: Tally) -> None:
    tally.letters += 1
    if read.too_many:
        tally.set_aside += _left_alone(house, read)
        return
    try:
        try:
            tally.sheets += _deal(house, now, read, known)
        except IntegrityError:  # another desk has answered the same sender meanwhile, which shows now
            tally.sheets += _deal(house, now, read, known)
    except StoreError:
        raise  # the letter is not to blame; it stays new for the next tick
    except Exception as error:  # noqa: BLE001 - a letter nobody foresaw must not stop the others
        _set_aside(house, now, read.id, read.letter, error)
        tally.set_aside += 1


def _left_alone(house: House, read: _Read) -> bool:
    """Keeps a letter of somebody who has sent too many, unanswered; whether it was still new."""
    sender = read.letter.sender or "an unreadable sender"
    note = f"not dealt with: more than {LETTERS_A_DAY} letters came from {sender} that day; it can be tried again later"
    with house.store.writing(durable=False) as session:
        return _closed(session, read.id, "quarantined", note)


def _deal(house: House, now: dt.datetime, read: _Read, known: frozenset[str]) -> bool:
    """Answers a letter, if it is still new, and notes what was done; returns whether a sheet was kept."""
    # What a power cut takes back is a letter still new, and a receipt not yet sent.
    with house.store.writing(durable=False) as session:
        if not _closed(session, read.id, "done", ""):
            return False
        note, is_sheet = _dealt_with(Case(house, session, now, read.id, read.letter, read.verdict), known)
        _noted(session, read.id, note)
    tell("letter answered", letter=read.id, note=note)
    return is_sheet


def _dealt_with(case: Case, known: frozenset[str]) -> tuple[str, bool]:
    """Answers a letter; returns what to note of it, and whether a sheet was kept."""
    letter = case.letter
    sheet = find_sheet(letter.lines, known.__contains__)
    if letter.automatic:
        return _automatic(case, sheet)
    if gm_sheet := find_gm_sheet(letter.lines):
        return answer_gm_letter(case, gm_sheet, GM_HANDLERS), False
    if sheet.header and (press := find_press(letter.lines, sheet.at, known.__contains__)):
        return serve(case, press, declined), False
    if sheet.header is None and _asks_help(letter):
        return _help(case), False
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


def _asks_help(letter: Letter) -> bool:
    """Whether the subject is HELP, or the first word of the text."""
    first = next((line for line in letter.lines if line.strip() and not line.lstrip().startswith(">")), "")
    return bool(_HELP.fullmatch(letter.subject.strip()) or _HELP.match(first))


def _help(case: Case) -> str:
    if case.letter.sender is None:
        return "help; not answered: no sender can be read"
    seats = seats_of(case.session, case.letter.sender)
    page = Help(address=case.address, commands=REFERENCE)
    if seats:
        verbs = tuple(verb.usage for verb in case.house.game(seats[0].game).orders.verbs)
        page = dataclasses.replace(page, campaign=seats[0].campaign, seat=seats[0].seat, verbs=verbs)
    return "help; " + answer(case, to=case.letter.sender, text=case.house.reporter.write(page), kind="help")


_CLOSE = (
    update(LetterRow)
    .where(LetterRow.id == bindparam("letter"), LetterRow.state == "new")
    .values(state=bindparam("state"), note=bindparam("note"))
    .returning(LetterRow.id)
)
_NOTE = update(LetterRow).where(LetterRow.id == bindparam("letter")).values(note=bindparam("note"))


def _closed(session: Session, letter_id: int, state: str, note: str) -> bool:
    """Takes a new letter off the pile; False if another process was faster."""
    values = {"letter": letter_id, "state": state, "note": note}
    return session.connection().execute(_CLOSE, values).first() is not None


def _noted(session: Session, letter_id: int, note: str) -> None:
    session.connection().execute(_NOTE, {"letter": letter_id, "note": note})


def _set_aside(house: House, now: dt.datetime, letter_id: int, letter: Letter, error: Exception) -> None:
    """Keeps a letter that could not be dealt with, and tells those concerned."""
    tell("letter set aside", level="error", fault=error, letter=letter_id)
    trace = masked(traceback.format_exc())[-_LONGEST_NOTE:]
    try:
        with house.store.writing() as session:
            if _closed(session, letter_id, "quarantined", trace):
                _tell(Case(house, session, now, letter_id, letter), error)
    except StoreError:
        raise
    except Exception:
        # If there are no words for it either, whoever runs the program hears of that; the letter is kept all the same.
        with house.store.writing() as session:
            _closed(session, letter_id, "quarantined", trace)
        raise


def _tell(case: Case, error: Exception) -> None:
    """Tells the GMs that a letter was set aside, and its writer if he is known."""
    letter, reporter = case.letter, case.house.reporter
    page = LetterProblem(
        letter=case.letter_id,
        sender=letter.sender or "",
        subject=masked(letter.subject),
        problem=masked(in_words(error)),
    )
    text = reporter.page(page.page, page=page)
    for gm in case.session.scalars(select(Campaign.gm).where(Campaign.status == "running").distinct()):
        notify(case, to=gm, subject=f"[pbem] Letter {case.letter_id} was set aside", text=text)
    if letter.sender is not None and not letter.automatic and is_known(case.session, letter.sender):
        answer(case, to=letter.sender, text=reporter.page(Fault.page, page=Fault(address=case.address)))
