"""Daily limits of messages, order sheets and wrong keys.

A limit belongs to an account: to the right key that a message shows, or else to
its sender as far as the receiving server vouches for them. So forged messages use
up nothing of a key that their sender does not have.

No table is needed. Messages are counted in the inbox; a wrong key is entered into
the journal, where the GM sees it and players do not.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, not_, select

from pbem.campaign.history import add_entry
from pbem.inbox.context import MessageContext, start_of_day_utc
from pbem.inbox.seat_lookup import SeatContext
from pbem.store.models import InboxMessage, JournalEntry, OrderSheet
from pbem.util import CODE_CHARACTERS, TOKEN_BYTES

LETTERS_A_DAY = 200
"""Messages of one account; more are quarantined."""

SHEETS_A_TURN = 100
"""Sheets of one account, for one seat and turn: no person sends more."""

UNPROVEN_SHEETS_A_DAY = 20
"""Sheets for one seat with no proof but a sender: each brings its player a receipt."""

GUESSES_A_DAY = 10
"""Wrong keys for one seat after which its player and the GM are warned."""

_DAY = dt.timedelta(days=1)

_KEY = re.compile(rf"[0-9a-f]{{{2 * TOKEN_BYTES}}}|[a-z2-7]{{{CODE_CHARACTERS}}}", re.IGNORECASE)


def _up_to(rows: Select[Any]) -> Select[int]:
    """Count rows, up to `number`, so that the database reads no more of them."""
    return select(func.count()).select_from(rows.limit(bindparam("number")).subquery())


_FROM = InboxMessage.sender == bindparam("address")
_ACCOUNT = and_(InboxMessage.key == bindparam("key"), InboxMessage.verdict == bindparam("verdict"))
_LETTERS = _up_to(
    select(InboxMessage.id).where(
        _FROM,
        _ACCOUNT,
        InboxMessage.received_at >= bindparam("midnight"),
        InboxMessage.received_at < bindparam("next_midnight"),
        InboxMessage.received_at > bindparam("a_day_ago"),
        InboxMessage.id != bindparam("letter"),
    )
)
_SHEETS = (
    select(OrderSheet.id)
    .join(InboxMessage, InboxMessage.id == OrderSheet.letter_id)
    .where(OrderSheet.turn_id == bindparam("turn"), OrderSheet.seat_id == bindparam("seat"), _ACCOUNT)
)
_TODAY = OrderSheet.received_at >= bindparam("midnight")
_OWN_SHEETS, _OWN_SHEETS_TODAY = _up_to(_SHEETS.where(_FROM)), _up_to(_SHEETS.where(_FROM, _TODAY))
_OTHER_SHEETS, _OTHER_SHEETS_TODAY = _up_to(_SHEETS.where(not_(_FROM))), _up_to(_SHEETS.where(not_(_FROM), _TODAY))
"""Statements of every message, built once: building them takes longer than running them."""


class RateLimitExceeded(Exception):
    """Raised when an account has sent so much that this message or sheet is left alone; the text says how much.

    `told` is the note on those who were warned.
    """

    def __init__(self, said: str, told: str) -> None:
        super().__init__(said)
        self.told = told


def message_limit_reached(case: MessageContext, received_at: dt.datetime) -> bool:
    """Return True if the message's account has had its share of the message's day (UTC), within the last 24 hours.

    Automatic mail is never answered, and so is not counted.
    """
    if case.letter.written_by_program:
        return False
    began = start_of_day_utc(received_at)
    return _reaches(
        case,
        _LETTERS,
        LETTERS_A_DAY,
        address=case.sender,
        letter=case.letter_id,
        midnight=began,
        next_midnight=began + _DAY,
        a_day_ago=case.now - _DAY,
    )


def sheet_limit(case: MessageContext, spot: SeatContext, sent: int) -> int:
    """Return the limit that the message's account has reached with its sheets for the seat; 0 if none.

    `sent` counts the sheets of all accounts: while they are few, no account is looked up.
    """
    if sent < min(SHEETS_A_TURN, UNPROVEN_SHEETS_A_DAY):
        return 0
    address = spot.address.lower()
    own = case.sender == address
    same = {"address": address, "turn": spot.turn_id, "seat": spot.seat_id}
    if _reaches(case, _OWN_SHEETS if own else _OTHER_SHEETS, SHEETS_A_TURN, **same):
        return SHEETS_A_TURN
    today = _OWN_SHEETS_TODAY if own else _OTHER_SHEETS_TODAY
    unproven = not case.proven and _reaches(
        case, today, UNPROVEN_SHEETS_A_DAY, **same, midnight=start_of_day_utc(case.now)
    )
    return UNPROVEN_SHEETS_A_DAY if unproven else 0


def _reaches(case: MessageContext, counted: Select[int], number: int, **which: Any) -> bool:
    """Return True if the message's account has as many rows as `number`."""
    found = case.session.connection().execute(
        counted, {"number": number, "key": case.key, "verdict": case.verdict, **which}
    )
    return found.scalar_one() >= number


def is_guess(key: str) -> bool:
    """Return True if a word looks like a token or a reply code, so that it may be a guess."""
    return _KEY.fullmatch(key) is not None


def count_guess(case: MessageContext, spot: SeatContext) -> bool:
    """Enter a wrong key for a seat into the journal; return True if player and GM are to be warned of this one."""
    guessed = _guesses(case, spot)
    if guessed < GUESSES_A_DAY:
        text = f"{_words(spot)} {case.shown_sender}"
        add_entry(case.session, spot.campaign_id, case.now, actor="pbem", text=text, secret=True)
    return guessed + 1 == GUESSES_A_DAY


def _guesses(case: MessageContext, spot: SeatContext) -> int:
    today = (
        JournalEntry.campaign_id == spot.campaign_id,
        JournalEntry.secret,
        JournalEntry.at >= start_of_day_utc(case.now),
    )
    told = JournalEntry.text.startswith(_words(spot), autoescape=True)
    return case.session.scalar(select(func.count()).where(*today, told)) or 0


def _words(spot: SeatContext) -> str:
    return f"a wrong key was tried for the seat {spot.seat}, by"
