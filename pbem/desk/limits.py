"""How much may come in a day before it is left alone, and how often a seat's key may be guessed at.

A limit is an account's: of the right key that a letter shows, or else of its
sender as far as the receiving server vouches for him. So nobody uses up what
belongs to a key that he does not have, however many letters he forges.

None of it needs a table of its own. Letters are counted where they are kept; a
guess is entered into the journal, where the GM reads of it and players do not.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from sqlalchemy import Select, and_, func, not_, select
from sqlalchemy.orm import Session

from pbem.campaign.journal import note
from pbem.desk.replies import Case
from pbem.desk.seats import SeatContext
from pbem.masking import CODE_CHARACTERS, TOKEN_BYTES
from pbem.store.models import Act, Sheet
from pbem.store.models import Letter as LetterRow

LETTERS_A_DAY = 200
"""Of one account; what comes beyond that is kept and not dealt with."""

SHEETS_A_TURN = 100
"""Of one account, for one seat and turn: no person sends more."""

UNPROVEN_SHEETS_A_DAY = 20
"""For one seat, by nothing but a sender: each brings its player a receipt."""

GUESSES_A_DAY = 10
"""Wrong keys for one seat, of which its player and the GM are told."""

_DAY = dt.timedelta(days=1)

_KEY = re.compile(rf"[0-9a-f]{{{2 * TOKEN_BYTES}}}|[a-z2-7]{{{CODE_CHARACTERS}}}", re.IGNORECASE)


class TooMany(Exception):
    """So many letters or sheets of an account have come that this one is kept and left alone; the text says which.

    `told` is what to note of who hears of it.
    """

    def __init__(self, said: str, told: str) -> None:
        super().__init__(said)
        self.told = told


def has_sent_enough(case: Case, received_at: dt.datetime) -> bool:
    """Whether the letter's account has had its number on the letter's day (UTC), so far as those are 24 hours old.

    What a program sent is never answered, and so not counted.
    """
    if case.letter.automatic:
        return False
    midnight = _midnight(received_at)
    that_day = (LetterRow.received_at >= midnight, LetterRow.received_at < midnight + _DAY)
    lately = LetterRow.received_at > case.now - _DAY
    same = (LetterRow.sender == case.sender, LetterRow.key == case.key, LetterRow.verdict == case.verdict)
    others = select(LetterRow.id).where(*same, *that_day, lately, LetterRow.id != case.letter_id)
    return _reaches(case.session, others, LETTERS_A_DAY)


def sheets_enough(case: Case, spot: SeatContext) -> int:
    """The number of sheets, if the letter's account has sent as many for the seat as are taken; else 0."""
    own = LetterRow.sender == spot.address.lower()
    same = and_(
        LetterRow.key == case.key,
        LetterRow.verdict == case.verdict,
        own if case.sender == spot.address.lower() else not_(own),
    )
    sheets = (
        select(Sheet.id)
        .join(LetterRow, LetterRow.id == Sheet.letter_id)
        .where(Sheet.turn_id == spot.turn_id, Sheet.seat_id == spot.seat_id, same)
    )
    if _reaches(case.session, sheets, SHEETS_A_TURN):
        return SHEETS_A_TURN
    today = sheets.where(Sheet.received_at >= _midnight(case.now))
    unproven = not case.proven and _reaches(case.session, today, UNPROVEN_SHEETS_A_DAY)
    return UNPROVEN_SHEETS_A_DAY if unproven else 0


def _reaches(session: Session, rows: Select[Any], number: int) -> bool:
    """Whether there are so many rows; no more are looked at."""
    return (session.scalar(select(func.count()).select_from(rows.limit(number).subquery())) or 0) >= number


def is_guess(key: str) -> bool:
    """Whether a word looks like a token or a reply code; no other is a try at one."""
    return _KEY.fullmatch(key) is not None


def note_guess(case: Case, spot: SeatContext) -> bool:
    """Enters a wrong key for a seat into the journal; whether it is the one that player and GM are told of."""
    guessed = _guesses(case, spot)
    if guessed < GUESSES_A_DAY:
        sender = case.letter.sender or "an unreadable sender"
        note(case.session, spot.campaign_id, case.now, actor="pbem", text=f"{_words(spot)} {sender}", secret=True)
    return guessed + 1 == GUESSES_A_DAY


def _guesses(case: Case, spot: SeatContext) -> int:
    today = (Act.campaign_id == spot.campaign_id, Act.secret, Act.at >= _midnight(case.now))
    told = Act.text.startswith(_words(spot), autoescape=True)
    return case.session.scalar(select(func.count()).where(*today, told)) or 0


def _words(spot: SeatContext) -> str:
    return f"a wrong key was tried for the seat {spot.seat}, by"


def _midnight(at: dt.datetime) -> dt.datetime:
    return at.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
