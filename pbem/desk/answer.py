"""Answers the letters that have come: each in its own transaction, each to its end or not at all."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from pbem.budget import Overrun, within
from pbem.desk import gm_acts, gm_history
from pbem.desk.aside import close_letter, set_aside, set_aside_unread
from pbem.desk.attempts import MOST_ATTEMPTS, Waiting, attempted, in_groups, waiting_letters
from pbem.desk.bounces import note_automatic
from pbem.desk.claims import Seated
from pbem.desk.commands import REFERENCE
from pbem.desk.declining import declined
from pbem.desk.dispatch import find_asked, serve
from pbem.desk.gm import answer_gm_letter
from pbem.desk.gm_commands import find_gm_sheet
from pbem.desk.judging import judge
from pbem.desk.limits import LETTERS_A_DAY, Quota
from pbem.desk.replies import Case, answer
from pbem.desk.requests import find_press
from pbem.desk.seats import seats_of
from pbem.desk.sheet import SheetText, find_sheet
from pbem.desk.taking import is_untouched, take_sheet
from pbem.errors import StoreError
from pbem.house import House
from pbem.logbook import tell
from pbem.post.authentication import Verdict, sender_verdict
from pbem.post.reading import DELIVERY_REPORT, LOOPING, OWN, Letter, read_letter
from pbem.progress import Progress, silent
from pbem.report import Help
from pbem.store.models import Campaign
from pbem.store.models import Letter as LetterRow

GM_HANDLERS = {**gm_acts.HANDLERS, **gm_history.HANDLERS}

_NEVER_READ = frozenset({OWN, DELIVERY_REPORT, LOOPING})
_HELP = re.compile(r"\A\s*+(?:(?:re|aw|fwd?):\s*+)*+help\b", re.IGNORECASE)


@dataclass(slots=True)
class Tally:
    """What came of the letters answered."""

    letters: int = 0
    sheets: int = 0
    set_aside: int = 0


def answer_letters(house: House, now: dt.datetime, *, progress: Progress = silent) -> Tally:
    """Deals with every new letter, oldest first. None takes more than its budget, or kills a third reader."""
    tally = Tally()
    with house.store.reading() as session:
        waiting = waiting_letters(session)
        if not waiting:
            return tally
        known = frozenset(session.scalars(select(Campaign.name)))
        quota = Quota(session, now, waiting=len(waiting), authserv_id=house.settings.authserv_id)
    for group in in_groups(waiting):
        if group[0].attempts >= MOST_ATTEMPTS:
            tally.letters += 1
            tally.set_aside += set_aside_unread(house, now, group[0].id)
            continue
        with attempted(house.store, group):
            for mail in _mails(house, group):
                _answer(house, now, mail, known, quota, tally)
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


def _answer(house: House, now: dt.datetime, mail: _Mail, known: frozenset[str], quota: Quota, tally: Tally) -> None:
    tally.letters += 1
    try:
        within(house.settings.letter_seconds, lambda: _read_and_deal(house, now, mail, known, quota, tally))
    except StoreError:
        raise  # the letter is not to blame; it stays new for the next tick
    except (Exception, Overrun) as error:  # noqa: BLE001 - a letter nobody foresaw must not stop the others
        tally.set_aside += set_aside(house, now, mail.id, mail.raw, error)


def _read_and_deal(
    house: House, now: dt.datetime, mail: _Mail, known: frozenset[str], quota: Quota, tally: Tally
) -> None:
    letter = read_letter(mail.raw)
    verdict = sender_verdict(mail.raw, house.settings.authserv_id, letter.sender)
    read = _Read(mail.id, letter, verdict)
    if quota.spent(letter, mail.received_at, verdict):
        tally.set_aside += _left_alone(house, read)
        return
    try:
        tally.sheets += _deal(house, now, read, known)
    except IntegrityError:  # another desk has answered the same sender meanwhile, which shows now
        tally.sheets += _deal(house, now, read, known)


@dataclass(frozen=True, slots=True)
class _Read:
    """A letter that was read; `verdict` is what the receiving server says of its sender."""

    id: int
    letter: Letter
    verdict: Verdict


def _left_alone(house: House, read: _Read) -> bool:
    """Keeps a letter of somebody who has sent too many, unanswered; whether it was still new."""
    sender = read.letter.sender or "an unreadable sender"
    note = f"not dealt with: more than {LETTERS_A_DAY} letters came from {sender} that day; it can be tried again later"
    with house.store.writing(durable=False) as session:
        return close_letter(session, read.id, "quarantined", note)


def _deal(house: House, now: dt.datetime, read: _Read, known: frozenset[str]) -> bool:
    """Answers a letter, if it is still new, and notes what was done; returns whether a sheet was kept."""
    # What a power cut takes back is a letter still new, and a receipt not yet sent.
    with house.store.writing(durable=False) as session:
        if not close_letter(session, read.id, "done", ""):
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


_NOTE = update(LetterRow).where(LetterRow.id == bindparam("letter")).values(note=bindparam("note"))


def _noted(session: Session, letter_id: int, note: str) -> None:
    session.connection().execute(_NOTE, {"letter": letter_id, "note": note})
