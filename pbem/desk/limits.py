"""How much one sender may ask of the desk in a day, and how often a seat's key may be guessed at.

Neither needs a table of its own. Letters are counted where they are kept; a
guess is entered into the journal, where the GM reads of it and players do not.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.campaign.journal import note
from pbem.desk.replies import Case
from pbem.desk.seats import Spot
from pbem.masking import CODE_CHARACTERS, TOKEN_BYTES
from pbem.post.authentication import Verdict, sender_verdict
from pbem.post.reading import Letter, read_sender
from pbem.store.models import Act
from pbem.store.models import Letter as LetterRow

LETTERS_A_DAY = 200
"""Of one sender; what he sends beyond that is kept and not read."""

GUESSES_A_DAY = 10
"""Wrong keys for one seat; after so many its token is good from its own address only, for the rest of the day."""

_DAY = dt.timedelta(days=1)
_LATELY = 20_000
"""How many of the newest letters are looked at: more than a house can get in a day, and still quick."""

_KEY = re.compile(rf"[0-9a-f]{{{2 * TOKEN_BYTES}}}|[a-z2-7]{{{CODE_CHARACTERS}}}", re.IGNORECASE)


class Quota:
    """The letters of each sender, by the day on which they came (UTC). Those of the last 24 hours count at first.

    Forged letters, where the receiving server knows them, do not use up the number of him whose name they bear.
    """

    def __init__(self, session: Session, now: dt.datetime, waiting: int, authserv_id: str = "") -> None:
        self._letters: Counter[tuple[str, Verdict, dt.date]] = Counter()
        lately = select(func.max(LetterRow.id) - _LATELY).scalar_subquery()
        dealt_with = (LetterRow.id > lately, LetterRow.state != "new", LetterRow.received_at > now - _DAY)
        # As long as all letters together are not too many, nobody's are.
        if waiting + (session.scalar(select(func.count()).where(*dealt_with)) or 0) > LETTERS_A_DAY:
            rows = session.execute(select(LetterRow.raw, LetterRow.received_at).where(*dealt_with))
            for raw, at in rows:
                sender = read_sender(raw)
                self._letters[_key(sender), sender_verdict(raw, authserv_id, sender), at.date()] += 1

    def spent(self, letter: Letter, received_at: dt.datetime, verdict: Verdict = "none") -> bool:
        """Counts a letter; whether its sender has sent too many that day. What a program sent is never answered."""
        if letter.automatic:
            return False
        sent = (_key(letter.sender), verdict, received_at.date())
        self._letters[sent] += 1
        return self._letters[sent] > LETTERS_A_DAY


def _key(sender: str | None) -> str:
    return (sender or "").lower()


def is_guess(key: str) -> bool:
    """Whether a word looks like a token or a reply code; no other is a try at one."""
    return _KEY.fullmatch(key) is not None


def note_guess(case: Case, spot: Spot) -> bool:
    """Enters a wrong key for a seat into the journal; whether it is the one that uses up the day's number."""
    guessed = _guesses(case, spot)
    if guessed < GUESSES_A_DAY:
        sender = case.letter.sender or "an unreadable sender"
        note(case.session, spot.campaign_id, case.now, actor="pbem", text=f"{_words(spot)} {sender}", secret=True)
    return guessed + 1 == GUESSES_A_DAY


def is_locked(case: Case, spot: Spot) -> bool:
    """Whether too many wrong keys were tried for a seat today (UTC)."""
    return _guesses(case, spot) >= GUESSES_A_DAY


def _guesses(case: Case, spot: Spot) -> int:
    midnight = case.now.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    today = (Act.campaign_id == spot.campaign_id, Act.secret, Act.at >= midnight)
    told = Act.text.startswith(_words(spot), autoescape=True)
    return case.session.scalar(select(func.count()).where(*today, told)) or 0


def _words(spot: Spot) -> str:
    return f"a wrong key was tried for the seat {spot.seat}, by"
