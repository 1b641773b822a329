"""Where a letter goes: it is read and opened, and what it brings shows who is to deal with it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from pbem.desk.bounces import note_automatic
from pbem.desk.choosing import upper
from pbem.desk.claims import Claim, Declined, Seated
from pbem.desk.declining import declined
from pbem.desk.dispatch import find_asked, serve
from pbem.desk.gm import Wishes, answer_gm_letter, examine_files
from pbem.desk.gm_commands import GmSheet, find_gm_sheet
from pbem.desk.helping import find_help, give_help
from pbem.desk.judging import judge
from pbem.desk.kept import answer_question, find_question, keep
from pbem.desk.keys import right_key
from pbem.desk.quotations import unquoted
from pbem.desk.replies import Case
from pbem.desk.requests import find_press
from pbem.desk.sheet import Names, SheetText, find_sheet
from pbem.desk.taking import Outcome, is_untouched, take_sheet
from pbem.house import House
from pbem.post.authentication import Verdict, sender_verdict
from pbem.post.reading import Letter, read_letter
from pbem.post.robots import DELIVERY_REPORT, LOOPING, OWN

_NEVER_READ = frozenset({OWN, DELIVERY_REPORT, LOOPING})
"""In such mail not even a sheet is looked for: it may be one that is only quoted."""

_OUT_OF_DATE = ("stale-code", "withdrawn")


@dataclass(frozen=True, slots=True)
class Raw:
    """A letter yet to be read."""

    id: int
    raw: bytes
    received_at: dt.datetime


@dataclass(frozen=True, slots=True)
class Read:
    """A letter that was read, and the frames in it; `verdict` is what the receiving server says of its sender.

    `wishes` are those of a GM's commands that take files, once these were examined.
    """

    mail: Raw
    letter: Letter
    verdict: Verdict
    sheet: SheetText
    gm_sheet: GmSheet | None
    wishes: Wishes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opened:
    """A letter on the desk, by the key that it shows, with the frames found in it."""

    case: Case
    sheet: SheetText
    gm_sheet: GmSheet | None
    wishes: Wishes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Taking:
    """The letter brings a sheet, which may be taken."""

    case: Case
    claim: Seated
    sheet: SheetText


Way = Taking | Callable[[], Outcome]
"""What is to be done with a letter: a sheet is to be taken, or something else done."""


def read_mail(house: House, mail: Raw, known: Names) -> Read:
    """Reads a letter; `known` are the campaigns there are."""
    letter = read_letter(mail.raw)
    verdict = sender_verdict(mail.raw, house.settings.authserv_id, letter.sender)
    return Read(mail, letter, verdict, find_sheet(letter.lines, known), find_gm_sheet(letter.lines))


def with_files(house: House, read: Read) -> Read:
    """Return the letter with the files of its GM's ruling examined. May take long: no transaction is to be open."""
    if read.gm_sheet is None or read.letter.automatic:
        return read
    return replace(read, wishes=examine_files(house, read.mail.raw, read.gm_sheet))


def opened(house: House, session: Session, now: dt.datetime, read: Read, known: Names) -> Opened:
    """The letter on the desk, with the right key that it shows."""
    case = Case(house, session, now, read.mail.id, read.letter, read.verdict)
    key = right_key(case, read.sheet, read.gm_sheet, known)
    return Opened(replace(case, key=key), read.sheet, read.gm_sheet, read.wishes)


def way_of(found: Opened, known: Names) -> Way:
    """What is to be done with a letter; nothing is done yet."""
    if found.case.letter.automatic:
        return _automatic(found.case, found.sheet)
    if gm_sheet := found.gm_sheet:
        return lambda: (answer_gm_letter(found.case, gm_sheet, found.wishes), False)
    case, sheet = _uncovered(found, known)
    if sheet.header is None and (words := find_help(case)) is not None:
        return lambda: (give_help(case, words), False)
    if asked := find_question(case):
        return lambda: (
            answer_question(case, asked, sheet, known, lambda again: _again(again, known))
            or follow(_way_onwards(found, case, sheet, known))
        )
    return _way_onwards(found, case, sheet, known)


def follow(way: Way) -> Outcome:
    """Does what is to be done with a letter."""
    if isinstance(way, Taking):
        return take_sheet(way.case, way.claim.spot, way.sheet, way.claim.notes, deputy=way.claim.deputy, ask=keep)
    return way()


def _uncovered(found: Opened, known: Names) -> tuple[Case, SheetText]:
    """The letter without what it quotes of ours, and the sheet that is left."""
    letter = unquoted(found.case.session, found.case.letter)
    if letter is found.case.letter:
        return found.case, found.sheet
    return replace(found.case, letter=letter), find_sheet(letter.lines, known)


def _way_onwards(found: Opened, case: Case, sheet: SheetText, known: Names) -> Way:
    """The same for a letter that neither asks for help nor answers a question of ours."""
    # Words to others may quote us on purpose.
    if press := find_press(found.case.letter.lines, found.sheet, known):
        return lambda: (serve(found.case, press, declined), False)
    if sheet.header is None and (request := find_asked(case, known)):
        return lambda: (serve(case, request, declined), False)
    claim = judge(case, sheet.header)
    if isinstance(claim, Seated):
        return Taking(case, claim, sheet)
    return _above(case, sheet, claim) or (lambda: (declined(case, claim), False))


def _above(case: Case, sheet: SheetText, claim: Claim) -> Taking | None:
    """The orders above a sheet that is an older report's, where the letter itself answers the newest."""
    if not (isinstance(claim, Declined) and claim.reason in _OUT_OF_DATE):
        return None
    plain = judge(case, None)
    if not isinstance(plain, Seated):
        return None
    found = upper(case.house.game(plain.spot.game), json.loads(plain.spot.view), sheet)
    return None if found is None else Taking(case, plain, replace(found, header=None))


def _again(case: Case, known: Names) -> Outcome:
    """Deals with a letter that its owner has said to be his."""
    lines = case.letter.lines
    return follow(way_of(Opened(case, find_sheet(lines, known), find_gm_sheet(lines)), known))


def _automatic(case: Case, sheet: SheetText) -> Way:
    """Takes a sheet that somebody has sent by a program, and answers nothing else (RFC 3834).

    An answering machine may quote a report, with its code and the form at its
    end. So the sheet must be all there is: whole, filled in, first in the mail,
    not quoted, and with the key in its own line.
    """
    whole = sheet.closed and not (sheet.empty or sheet.below_text or case.letter.sent_back)
    if sheet.header is None or not whole or case.letter.automatic in _NEVER_READ:
        return lambda: (note_automatic(case), False)
    claim = judge(case, sheet.header)
    if not (isinstance(claim, Seated) and claim.proof in ("token", "code")) or is_untouched(case, claim.spot, sheet):
        return lambda: (note_automatic(case), False)
    return Taking(case, claim, sheet)
