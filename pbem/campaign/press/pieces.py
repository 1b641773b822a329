"""Pieces of press: letters between seats, news, and entries into diaries; whom they are for, and who has muted whom.

A letter is mailed by itself, or it goes with reports, as news always do. Which
reports: those that open the first turn after the one in which it was written;
so a turn that is run again tells the same once more. `Press.published_at` is
when a letter was mailed, and None for all that reports bring.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from pbem.campaign.snapshot import CampaignSnapshot, Place
from pbem.ruleset.values import Seat
from pbem.store.models import Press, SeatRow
from pbem.store.session import flushed

PRESS, NEWS, DIARY = "press", "news", "diary"
"""Kinds of press: to other players, for the newspaper, and for the writer's diary."""

UNSIGNED = "unsigned"
"""What a player calls the writer of letters whose writer he is not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of press: what its readers see. `sender` is None for the GM, `to` for all; its text is passable."""

    kind: str
    sender: Place | None
    text: str
    to: tuple[Seat, ...] | None = None
    unsigned: bool = False

    @property
    def byline(self) -> str:
        """Who wrote it, as readers are told: "" without a name, and for the GM."""
        return "" if self.unsigned or self.sender is None else self.sender.seat


def is_for(piece: Piece, place: Place) -> bool:
    """Whether a piece is for a place: news are for all, a letter to all is for all but its writer.

    One without his name is for its writer too, or he would be found out as the one who did not get it.
    """
    if piece.to is not None:
        return place.seat in piece.to
    return piece.kind == NEWS or piece.unsigned or piece.sender is None or piece.sender.id != place.id


def readers(snapshot: CampaignSnapshot, piece: Piece) -> list[Place]:
    """The places still in the game that a piece is for."""
    return [place for place in snapshot.playing if is_for(piece, place)]


def put_piece(
    session: Session, snapshot: CampaignSnapshot, piece: Piece, now: dt.datetime, *, mailed: bool = False
) -> int:
    """Keeps a piece of press; returns its id."""
    row = Press(
        campaign_id=snapshot.id,
        turn=snapshot.turn,
        kind=piece.kind,
        sender_id=piece.sender.id if piece.sender else None,
        recipients=list(piece.to) if piece.to is not None else None,
        anonymous=piece.unsigned,
        text=piece.text,
        at=now,
        published_at=now if mailed else None,
    )
    session.add(row)
    session.flush()
    return row.id


_MUTED = select(SeatRow.id, SeatRow.muted).where(SeatRow.campaign_id == bindparam("campaign"))


def muted_seats(session: Session, snapshot: CampaignSnapshot) -> Mapping[int, frozenset[Seat]]:
    """What the player of each seat, by its id, does not want press from; only of those who want less than all."""
    rows = flushed(session).execute(_MUTED, {"campaign": snapshot.id})
    return {id_: frozenset(muted) for id_, muted in rows if muted}


def is_muted(piece: Piece, muted: Collection[Seat]) -> bool:
    """Whether somebody who has muted these gets no such piece; who wrote an unsigned one does not count."""
    if piece.sender is None:
        return False
    return (piece.byline or UNSIGNED) in muted
