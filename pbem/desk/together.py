"""Plain order sheets, taken many at once: from one look at the database, with few statements and one commit.

What all of them need is looked up together. Then each is read by itself, and
nothing is changed; at the end all are kept and answered. Whatever else a letter
may be, or where anything is wrong with it, it is left to be dealt with alone.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, takewhile

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from pbem.budget import Overrun, within
from pbem.campaign.sheets import VERSIONS
from pbem.desk.kept import ASKED, shown_words
from pbem.desk.limits import TooMany, foresee_letters, has_sent_enough
from pbem.desk.replies import Case
from pbem.desk.routes import Read, Taking, opened, way_of
from pbem.desk.seats import ANSWERED, CONTEXTS, NAMED, SHOWN
from pbem.desk.sheet import Names
from pbem.desk.taking import Taken, keep_taken, read_sheet
from pbem.errors import StoreError
from pbem.house import House
from pbem.logbook import tell
from pbem.post.codes import find_codes
from pbem.store.models import Letter as LetterRow
from pbem.store.states import LetterState

PATIENCE = 1.0
"""Seconds after which no more sheets are read before those read so far are kept: others wait for the database."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """What became of a letter: a note, and why it was not answered where it should have been. `sheet`: one was kept."""

    note: str = ""
    sheet: bool = False
    state: LetterState = LetterState.PROCESSED
    silences: Sequence[str] = ()


_STILL_NEW = (
    select(LetterRow.id)
    .where(LetterRow.id.in_(bindparam("letters", expanding=True)), LetterRow.state == LetterState.NEW)
    .with_for_update()
)
_NOTE = (
    update(LetterRow)
    .where(LetterRow.id == bindparam("letter"))
    .values({name: bindparam(f"{name}_") for name in ("state", "note", "sender", "verdict", "key", "unanswered")})
)


def note_dealt(session: Session, letters: Sequence[tuple[Case, Dealt]]) -> None:
    """Notes what became of letters, and what limits count. What programs send counts against nobody's."""
    rows = [
        {
            "letter": case.letter_id,
            "state_": dealt.state,
            "note_": dealt.note,
            "sender_": case.sender,
            "verdict_": case.verdict,
            "key_": case.key or ("automatic" if case.letter.automatic else ""),
            "unanswered_": bool(dealt.silences),
        }
        for case, dealt in letters
    ]
    session.connection().execute(_NOTE, rows)


class _Unreadable(Exception):
    """One of the letters is the fault of it: that at this place."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def take_together(house: House, now: dt.datetime, letters: Sequence[Read], known: Names) -> frozenset[int]:
    """Takes plain sheets among these letters, up to the first that is none; returns the places of those it took.

    No two of them are of the same seat, or from or to the same person, as then one
    could change what holds for the other: further ones are left for next time.
    If none is taken, the first letter is to be dealt with alone.
    """
    most = len(letters)
    while most:
        try:
            return _take(house, now, letters[:most], known)
        except StoreError:
            raise
        except _Unreadable as error:  # what was looked up before it may be spoilt
            most = error.at
        except Exception:  # noqa: BLE001 - whichever of them was at fault, alone it will show
            break
    return frozenset()


def _take(house: House, now: dt.datetime, letters: Sequence[Read], known: Names) -> frozenset[int]:
    # What a power cut takes back are letters still new, and receipts not yet sent.
    with house.store.writing(durable=False) as session:
        ids = [letter.mail.id for letter in letters]
        new = set(session.connection().execute(_STILL_NEW, {"letters": ids}).scalars())
        _foresee(session, now, letters, house.settings.address)
        still_new = takewhile(lambda letter: letter.mail.id in new, letters)
        plain = list(_plain(house, session, now, still_new, known))
        if plain:
            keep_taken(session, house, [taken for _, _, taken in plain], now)
            note_dealt(session, [(case, Dealt(taken.note, sheet=True)) for _, case, taken in plain])
    for _, case, taken in plain:
        tell("letter answered", letter=case.letter_id, note=taken.note)
    return frozenset(at for at, _, _ in plain)


def _foresee(session: Session, now: dt.datetime, letters: Sequence[Read], address: str) -> None:
    """Looks up what the letters show, and all that is asked of a plain sheet for the seats that they show."""
    headers = [letter.sheet.header for letter in letters if letter.sheet.header]
    codes = [find_codes(letter.letter, address) for letter in letters]
    keys = [header.key.lower() for header in headers if header.key]
    shown = SHOWN.foresee(session, [*chain.from_iterable(codes), *keys])
    by_reply = [letter.letter for letter, own in zip(letters, codes, strict=True) if not any(map(shown.get, own))]
    answered = ANSWERED.foresee(session, chain.from_iterable(letter.references for letter in by_reply))
    named = NAMED.foresee(session, [(header.campaign, header.seat) for header in headers])
    reports = (*shown.values(), *answered.values())
    spots = CONTEXTS.foresee(session, [*(each.seat_id for each in reports), *(seat.id for seat in named.values())])
    VERSIONS.foresee(session, [(spot.turn_id, spot.seat_id) for spot in spots.values()])
    ASKED.foresee(session, chain.from_iterable(shown_words(letter.letter, address) for letter in letters))
    foresee_letters(session, {(letter.letter.sender or "").lower() for letter in letters}, now)


def _plain(
    house: House, session: Session, now: dt.datetime, letters: Iterable[Read], known: Names
) -> Iterator[tuple[int, Case, Taken]]:
    """The sheets among the letters, up to the first that brings none, read, with their places. Raises _Unreadable."""
    seats, people, began = set[int](), set[str](), time.monotonic()
    for at, letter in enumerate(letters):
        if time.monotonic() - began > PATIENCE:
            return
        try:
            way = within(house.settings.letter_seconds, partial(_way, house, session, now, letter, known))
            if way is None:
                return
            spot, both = way.claim.spot, {way.case.sender, way.claim.spot.address.lower()}
            is_later = spot.seat_id in seats or not people.isdisjoint(both)
            seats.add(spot.seat_id)
            people |= both
            if is_later:
                continue
            taken = within(house.settings.letter_seconds, partial(_read, way))
        except (Exception, Overrun) as error:
            raise _Unreadable(at) from error
        if taken is None:
            return
        yield at, way.case, taken


def _way(house: House, session: Session, now: dt.datetime, letter: Read, known: Names) -> Taking | None:
    """The sheet that a letter brings; None if it brings anything else, or too much has come."""
    found = opened(house, session, now, letter, known)
    if has_sent_enough(found.case, letter.mail.received_at):
        return None
    way = way_of(found, known)
    return way if isinstance(way, Taking) and not way.claim.deputy else None


def _read(way: Taking) -> Taken | None:
    try:
        taken = read_sheet(way.case, way.claim.spot, way.sheet, way.claim.notes)
    except TooMany:
        return None
    return taken if isinstance(taken, Taken) else None
