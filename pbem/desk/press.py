"""Commands by which a player writes to others, to all, or for later, and chooses whose press he gets."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from sqlalchemy import update

from pbem.acts.words.mailing import send_letter
from pbem.acts.words.writing import goes_at_once, put_diary, put_news, read_recipients, room_left
from pbem.campaign.press.passing import Passed, passable
from pbem.campaign.press.pieces import LETTER, UNSIGNED, Piece, muted_seats, readers
from pbem.campaign.table import Place, Table, find_place, load_table
from pbem.desk.commands import Mute, Unmute, WriteDiary, WriteNews, WritePress, WriteUnsigned
from pbem.desk.requests import Asked, Handlers
from pbem.errors import CampaignError
from pbem.masking import MASK
from pbem.report.wording import joined, when
from pbem.ruleset import Seat
from pbem.store.models import SeatRow


def _write_signed(asked: Asked, order: WritePress) -> str:
    return _write(asked, order.seats, unsigned=False)


def _write_unsigned(asked: Asked, order: WriteUnsigned) -> str:
    return _write(asked, order.seats, unsigned=True)


def _write(asked: Asked, seats: Sequence[str], *, unsigned: bool) -> str:
    case, (table, own) = asked.case, _at(asked)
    passed = passable(asked.text)
    to = read_recipients(table, seats)
    piece = Piece(kind=LETTER, sender=own, text=passed.text, to=to, unsigned=unsigned)
    at = send_letter(case.session, case.house, table, piece, case.now)
    room = "" if goes_at_once(table, piece) else _room(asked, table, own)
    return "\n".join([f"{_delivery(table, piece, at, case.now)}{_vacant(table, piece)}{room}", *_mask_notes(passed)])


def _write_news(asked: Asked, _: WriteNews) -> str:
    table, own = _at(asked)
    passed = passable(asked.text)
    put_news(asked.case.session, table, own, passed.text, asked.case.now)
    said = f"Your news, signed {own.seat}, stand in the newspaper of the next reports, for all seats of {table.name}."
    return "\n".join([f"{said}{_room(asked, table, own)}", *_mask_notes(passed)])


def _write_diary(asked: Asked, _: WriteDiary) -> str:
    table, own = _at(asked)
    passed = passable(asked.text)
    put_diary(asked.case.session, table, own, passed.text, asked.case.now)
    said = f"Entered into the diary of {own.seat}, turn {table.turn}. All diaries of {table.name} are opened to all"
    return "\n".join([f"{said} when the game is over, and not before.", *_mask_notes(passed)])


def _mute(asked: Asked, order: Mute) -> str:
    table, own = _at(asked)
    whom = _writer(table, order.seat)
    if whom == own.seat:
        raise CampaignError("nobody can mute himself: name another seat")
    muted = muted_seats(asked.case.session, table).get(own.id, frozenset())
    _set_muted(asked, muted | {whom})
    if whom == UNSIGNED:
        return f"You get no more unsigned letters in {table.name}. UNMUTE UNSIGNED brings them back."
    return (
        f"You get no more letters and news of {whom} in {table.name}, and {whom} is not told. "
        f"Letters that {whom} does not sign still reach you. UNMUTE {whom} takes this back."
    )


def _unmute(asked: Asked, order: Unmute) -> str:
    table, own = _at(asked)
    whom = _writer(table, order.seat)
    muted = muted_seats(asked.case.session, table).get(own.id, frozenset())
    _set_muted(asked, muted - {whom})
    what = "unsigned letters" if whom == UNSIGNED else f"the press of {whom}"
    return f"You get {what} in {table.name}" + (" again." if whom in muted else ": that was not muted.")


def _set_muted(asked: Asked, muted: frozenset[Seat]) -> None:
    own = update(SeatRow).where(SeatRow.id == asked.spot.seat_id)
    asked.case.session.execute(own.values(muted=sorted(muted)))


def _writer(table: Table, word: str) -> Seat:
    """Whose press is meant: a seat's, or that of nobody in particular."""
    return UNSIGNED if word.lower() == UNSIGNED else find_place(table, word).seat


def _at(asked: Asked) -> tuple[Table, Place]:
    table = load_table(asked.case.session, asked.spot.campaign)
    return table, find_place(table, asked.spot.seat)


def _delivery(table: Table, piece: Piece, at: dt.datetime | None, now: dt.datetime) -> str:
    """Who gets a letter, when, and what they are told of its writer."""
    everybody = "all seats, yours as well" if piece.unsigned else "all other seats"
    whom = everybody if piece.to is None else joined(piece.to)
    what = "Your unsigned letter" if piece.unsigned else f"Your letter, signed {piece.byline},"
    if at is None:
        return f"{what} goes with the next reports of {table.name}, to {whom}."
    time = "at once" if at == now else f"on the hour, {when(at, table.schedule.zone)},"
    return f"{what} goes by mail {time} to {whom}."


def _room(asked: Asked, table: Table, own: Place) -> str:
    """A sentence on how much more a seat may put into the next reports."""
    return f" Your seat has room for {room_left(asked.case.session, table, own)} characters more in them."


def _vacant(table: Table, piece: Piece) -> str:
    """A sentence on the seats written to where nobody sits."""
    vacant = [place.seat for place in readers(table, piece) if not place.address]
    return f" Nobody sits at {joined(vacant)} now." if vacant else ""


def _mask_notes(passed: Passed) -> list[str]:
    if not passed.masked:
        return []
    lines = "1 line" if passed.masked == 1 else f"{passed.masked} lines"
    return [f"In {lines} stood what looks like a key or the head of a mail; it was passed on as {MASK}."]


HANDLERS: Handlers = {
    WritePress: _write_signed,
    WriteUnsigned: _write_unsigned,
    WriteNews: _write_news,
    WriteDiary: _write_diary,
    Mute: _mute,
    Unmute: _unmute,
}
"""What is done for each command of this module."""
