"""Where a letter goes: it is read and opened, and what it brings shows who is to deal with it."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from pbem.app import House
from pbem.desk.bounces import note_automatic
from pbem.desk.choosing import upper
from pbem.desk.claims import Claim, Declined, Seated, Unproven
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
from pbem.mail.authentication import Verdict, is_stamping, sender_verdict
from pbem.mail.bounces import DELIVERY_REPORT, LOOPING, OWN
from pbem.mail.message import Message, read_letter
from pbem.report.answers import Doubt

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
    letter: Message
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
    counts = read.verdict == "none" or is_stamping(session, house.settings.authserv_id)
    case = Case(house, session, now, read.mail.id, read.letter, read.verdict if counts else "none")
    key = right_key(case, read.sheet, read.gm_sheet, known)
    return Opened(replace(case, key=key), read.sheet, read.gm_sheet, read.wishes)


def handle(found: Opened, known: Names) -> Outcome:
    """Do what a letter asks; return what to note of it."""
    if found.case.letter.automatic:
        return _handle_automatic(found.case, found.sheet)
    if found.gm_sheet:
        return answer_gm_letter(found.case, found.gm_sheet, found.wishes), False
    case, sheet = _without_ours(found, known)
    if sheet.header is None and (words := find_help(case)) is not None:
        return give_help(case, words), False
    if asked := find_question(case):
        again = answer_question(case, asked, sheet, known, lambda kept: _handle_again(kept, known))
        return again or _handle_own(found, case, sheet, known)
    return _handle_own(found, case, sheet, known)


def _without_ours(found: Opened, known: Names) -> tuple[Case, SheetText]:
    """Return the letter without what it quotes of ours, and the sheet that is left."""
    letter = unquoted(found.case.session, found.case.letter)
    if letter is found.case.letter:
        return found.case, found.sheet
    return replace(found.case, letter=letter), find_sheet(letter.lines, known)


def _handle_own(found: Opened, case: Case, sheet: SheetText, known: Names) -> Outcome:
    """Handle a letter that neither asks for help nor answers a question of ours."""
    # Words to others may quote us on purpose.
    if press := find_press(found.case.letter.lines, found.sheet, known):
        return serve(found.case, press, declined), False
    if sheet.header is None and (request := find_asked(case, known)):
        return serve(case, request, declined), False
    claim = judge(case, sheet.header)
    if isinstance(claim, Declined) and claim.reason in _OUT_OF_DATE:
        claim, sheet = _above(case, sheet, claim)
    return _take(case, claim, sheet) if isinstance(claim, Seated) else (declined(case, claim), False)


def _take(case: Case, claim: Seated, sheet: SheetText) -> Outcome:
    """Take a sheet; of one that may not be meant its sender is asked."""
    taken = take_sheet(case, claim, sheet)
    if not isinstance(taken, Doubt):
        return taken
    to = claim.deputy or claim.spot.address
    return keep(case, Unproven(claim.spot, to=to, orders=True, doubt=taken)), False


def _above(case: Case, sheet: SheetText, claim: Declined) -> tuple[Claim, SheetText]:
    """Return the orders above a sheet that is an older report's, where the letter itself answers the newest."""
    plain = judge(case, None)
    if not isinstance(plain, Seated):
        return claim, sheet
    found = upper(case.house.game(plain.spot.game), json.loads(plain.spot.view), sheet)
    return (claim, sheet) if found is None else (plain, replace(found, header=None))


def _handle_again(case: Case, known: Names) -> Outcome:
    """Handle a letter that its owner has confirmed."""
    lines = case.letter.lines
    return handle(Opened(case, find_sheet(lines, known), find_gm_sheet(lines)), known)


def _handle_automatic(case: Case, sheet: SheetText) -> Outcome:
    """Take a sheet that a program has sent for a person, and answer nothing else (RFC 3834).

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
    return _take(case, claim, sheet)
