"""A GM's own words: texts for the reports to come, and letters to his players at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from pbem.acts.words.mailing import mail_press
from pbem.acts.words.writing import read_recipients
from pbem.campaign.journal import note
from pbem.campaign.press.passing import passable
from pbem.campaign.press.pieces import DIARY, LETTER, Piece, put_piece, readers
from pbem.campaign.table import Table, find_place
from pbem.errors import CampaignError
from pbem.house import House
from pbem.report.press_pages import Broadcast
from pbem.report.wording import joined
from pbem.ruleset import Seat
from pbem.store.models import GmText, Press, SeatRow


@dataclass(frozen=True, slots=True)
class Text:
    """A GM's text for the reports that open a turn; `seat` is "" when it is for all."""

    id: int
    turn: int
    seat: Seat
    text: str


@dataclass(frozen=True, slots=True)
class PressShown:
    """A piece of press as its GM sees it: by whom it truly is; `to` is empty for all, `seat` "" for the GM himself."""

    id: int
    turn: int
    at: dt.datetime
    kind: str
    seat: Seat
    unsigned: bool
    to: tuple[Seat, ...]
    text: str


def add_text(
    session: Session, table: Table, words: str, now: dt.datetime, *, seat: Seat | None = None, actor: str = "gm"
) -> Text:
    """Puts words into the reports that open the next turn: of one seat, or of all. Raises CampaignError."""
    if table.status == "over":
        raise CampaignError(f"campaign {table.name} is over: it sends no more reports; write with: pbem press")
    place = find_place(table, seat) if seat else None
    row = GmText(
        campaign_id=table.id,
        turn=table.turn + 1,
        seat_id=place.id if place else None,
        text=passable(words).text,
        at=now,
    )
    session.add(row)
    session.flush()
    said = f"text {row.id} for {place.seat if place else 'all'} put into the reports that open turn {row.turn}"
    note(session, table.id, now, actor=actor, text=said, secret=place is not None)
    return Text(row.id, row.turn, place.seat if place else "", row.text)


def drop_text(session: Session, table: Table, text_id: int, now: dt.datetime, *, actor: str = "gm") -> None:
    """Takes a text out again, before its reports are sent. Raises CampaignError."""
    waiting = [text for text in list_texts(session, table) if text.turn > table.turn]
    if text_id not in {text.id for text in waiting}:
        known = joined([str(text.id) for text in waiting]) or "none"
        raise CampaignError(f"{table.name} has no text {text_id} that waits for its reports; there is: {known}")
    session.execute(delete(GmText).where(GmText.id == text_id))
    note(session, table.id, now, actor=actor, text=f"text {text_id} taken back", secret=True)


def list_texts(session: Session, table: Table) -> list[Text]:
    """All texts of a campaign's GM, by the turns whose reports bring them."""
    rows = session.execute(
        select(GmText.id, GmText.turn, SeatRow.name, GmText.text)
        .outerjoin(SeatRow, SeatRow.id == GmText.seat_id)
        .where(GmText.campaign_id == table.id)
        .order_by(GmText.turn, GmText.id)
    )
    return [Text(id_, turn, seat or "", text) for id_, turn, seat, text in rows]


def broadcast(
    session: Session,
    house: House,
    table: Table,
    words: str,
    now: dt.datetime,
    *,
    to: Sequence[str] = ("all",),
    actor: str = "gm",
) -> tuple[Seat, ...]:
    """Mails a GM's words to seats, or to all, at once; returns the seats that get them. Raises CampaignError."""
    piece = Piece(kind=LETTER, sender=None, text=passable(words).text, to=read_recipients(table, to))
    places = [place for place in readers(table, piece) if place.address]
    if not places:
        raise CampaignError(f"nobody sits there in {table.name} now, so nobody would read it")
    id_ = put_piece(session, table, piece, now, mailed=True)
    page = Broadcast(campaign=table.name, gm=table.gm, to=piece.to or (), text=piece.text)
    mail_press(session, house, table, id_, page, places=places, subject="A word from your GM", at=now)
    said = f"letter to {joined(piece.to) if piece.to else 'all'} mailed"
    note(session, table.id, now, actor=actor, text=said, secret=piece.to is not None)
    return tuple(place.seat for place in places)


def list_press(session: Session, table: Table) -> list[PressShown]:
    """Letters and news of a campaign as its GM may see them; diaries stay shut until the game is over."""
    shut = () if table.status == "over" else (Press.kind != DIARY,)
    rows = session.execute(
        select(Press, SeatRow.name)
        .outerjoin(SeatRow, SeatRow.id == Press.sender_id)
        .where(Press.campaign_id == table.id, *shut)
        .order_by(Press.id)
    )
    return [
        PressShown(row.id, row.turn, row.at, row.kind, seat or "", row.anonymous, tuple(row.recipients or ()), row.text)
        for row, seat in rows
    ]
