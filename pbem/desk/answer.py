"""Answers the letters that have come: each in its own transaction, each to its end or not at all."""

from __future__ import annotations

import datetime as dt
import re
import traceback
from dataclasses import dataclass

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from pbem.desk.bounces import note_automatic
from pbem.desk.claims import Claim, Declined, Disagreeing, Impostor, Seated, judge
from pbem.desk.pages import Disagreement, Fault, LetterProblem
from pbem.desk.replies import Case, answer, notify, warn
from pbem.desk.seats import is_known, seats_of
from pbem.desk.sheet import find_sheet
from pbem.desk.taking import take_sheet
from pbem.errors import StoreError, in_words
from pbem.house import House
from pbem.post.reading import Letter, read_letter
from pbem.progress import Progress, silent
from pbem.report import Help, Refusal
from pbem.store.models import Campaign
from pbem.store.models import Letter as LetterRow

AT_ONCE = 100
"""Letters read from the database at a time."""

_LONGEST_NOTE = 4_000
_HELP = re.compile(r"\s*(?:(?:re|aw|fwd?):\s*)*help\b", re.IGNORECASE)


@dataclass(slots=True)
class Tally:
    """What came of the letters answered."""

    letters: int = 0
    sheets: int = 0
    set_aside: int = 0


def answer_letters(house: House, now: dt.datetime, *, progress: Progress = silent) -> Tally:
    """Deals with every new letter, oldest first."""
    tally = Tally()
    with house.store.reading() as session:
        new = select(LetterRow.id).where(LetterRow.state == "new").order_by(LetterRow.received_at, LetterRow.id)
        ids = session.scalars(new).all()
        known = frozenset(session.scalars(select(Campaign.name)))
    for start in range(0, len(ids), AT_ONCE):
        part = ids[start : start + AT_ONCE]
        with house.store.reading() as session:
            found = session.execute(select(LetterRow.id, LetterRow.raw).where(LetterRow.id.in_(part)))
            raws = {row.id: row.raw for row in found}
        for letter_id in part:
            _answer(house, now, letter_id, raws[letter_id], known, tally)
            progress("answering", tally.letters, len(ids))
    return tally


def _answer(house: House, now: dt.datetime, letter_id: int, raw: bytes, known: frozenset[str], tally: Tally) -> None:
    tally.letters += 1
    letter = read_letter(raw)
    try:
        try:
            tally.sheets += _deal(house, now, letter_id, letter, known)
        except IntegrityError:  # another desk has answered the same sender meanwhile, which shows now
            tally.sheets += _deal(house, now, letter_id, letter, known)
    except StoreError:
        raise  # the letter is not to blame; it stays new for the next tick
    except Exception as error:  # noqa: BLE001 - a letter nobody foresaw must not stop the others
        _set_aside(house, now, letter_id, letter, error)
        tally.set_aside += 1


def _deal(house: House, now: dt.datetime, letter_id: int, letter: Letter, known: frozenset[str]) -> bool:
    """Answers a letter, if it is still new, and notes what was done; returns whether a sheet was kept."""
    # What a power cut takes back is a letter still new, and a receipt not yet sent.
    with house.store.writing(durable=False) as session:
        if not _closed(session, letter_id, "done", ""):
            return False
        note, is_sheet = _dealt_with(Case(house, session, now, letter_id, letter), known)
        _noted(session, letter_id, note)
        return is_sheet


def _dealt_with(case: Case, known: frozenset[str]) -> tuple[str, bool]:
    """Answers a letter; returns what to note of it, and whether a sheet was kept."""
    letter = case.letter
    if letter.automatic:
        return note_automatic(case), False
    sheet = find_sheet(letter.lines, known.__contains__)
    if sheet.header is None and _asks_help(letter):
        return _help(case), False
    claim = judge(case.session, letter, sheet.header, case.address)
    if isinstance(claim, Seated):
        return take_sheet(case, claim.spot, sheet, claim.notes)
    return _declined(case, claim), False


def _declined(case: Case, claim: Claim) -> str:
    match claim:
        case Declined(reason=reason, to=to, spot=spot):
            page = Refusal(
                reason=reason,
                address=case.address,
                campaign=spot.campaign if spot else "",
                seat=spot.seat if spot else "",
                label=spot.label if spot else "",
                typed=claim.typed,
                hint=claim.hint,
                gm=spot.gm if spot else "",
                notes=case.letter.notes,
            )
            return f"{reason}; " + answer(case, to=to, text=case.house.reporter.write(page), spot=spot)
        case Disagreeing(to=to, header=header):
            text = case.house.reporter.page(Disagreement.page, page=Disagreement(address=case.address, header=header))
            return "for two seats at once; " + answer(case, to=to, text=text)
        case Impostor(spot=spot):
            page = Refusal(
                reason="sender-mismatch",
                address=case.address,
                campaign=spot.campaign,
                seat=spot.seat,
                sender=case.letter.sender or "an unreadable sender",
                gm=spot.gm,
            )
            warned = warn(case, spot, case.house.reporter.write(page))
            return f"not from {spot.seat} of {spot.campaign}; {warned}; {_to_stranger(case)}"
        case _:
            return _to_stranger(case)


def _to_stranger(case: Case) -> str:
    """The same words whether or not what the letter names exists."""
    if case.letter.sender is None:
        return "not answered: no sender can be read"
    page = Refusal(reason="unknown-sender", address=case.address)
    return answer(case, to=case.letter.sender, text=case.house.reporter.write(page))


def _asks_help(letter: Letter) -> bool:
    """Whether the subject is HELP, or the first word of the text."""
    first = next((line for line in letter.lines if line.strip() and not line.lstrip().startswith(">")), "")
    return bool(_HELP.fullmatch(letter.subject.strip()) or _HELP.match(first))


def _help(case: Case) -> str:
    if case.letter.sender is None:
        return "help; not answered: no sender can be read"
    seats = seats_of(case.session, case.letter.sender)
    page = Help(address=case.address)
    if seats:
        verbs = tuple(verb.usage for verb in case.house.game(seats[0].game).orders.verbs)
        page = Help(address=case.address, campaign=seats[0].campaign, seat=seats[0].seat, verbs=verbs)
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
    trace = traceback.format_exc()[-_LONGEST_NOTE:]
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
        subject=letter.subject,
        problem=in_words(error),
    )
    text = reporter.page(page.page, page=page)
    for gm in case.session.scalars(select(Campaign.gm).where(Campaign.status == "running").distinct()):
        notify(case, to=gm, subject=f"[pbem] Letter {case.letter_id} was set aside", text=text)
    if letter.sender is not None and not letter.automatic and is_known(case.session, letter.sender):
        answer(case, to=letter.sender, text=reporter.page(Fault.page, page=Fault(address=case.address)))
