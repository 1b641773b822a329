"""Tells a player, at his registered address, and his GM when too much mail comes in his name: once a day."""

from __future__ import annotations

from sqlalchemy import select

from pbem.desk.pages import Flood, FloodOf
from pbem.desk.replies import SAME_A_DAY, Case, warn_once
from pbem.desk.seats import SeatContext
from pbem.report.notices import Notice
from pbem.store.models import Campaign, Person, SeatRow
from pbem.store.types import Phase

_SEATS = (
    select(Campaign.name, Campaign.gm, SeatRow.name, Person.address)
    .join(SeatRow, SeatRow.campaign_id == Campaign.id)
    .join(Person, Person.id == SeatRow.person_id)
    .where(Campaign.status != Phase.OVER)
    .order_by(Campaign.id, SeatRow.id)
)


def tell_of_letters(case: Case, most: int) -> str:
    """After too many letters of one sender in a day, if seats are played from that address; returns what to note."""
    if case.key or not case.sender:
        return ""
    rows = case.session.execute(_SEATS.where(Person.key == case.sender)).all()
    told = [_tell(case, row.address, row.gm, row[0], row[2], "letters", most) for row in rows]
    return "; ".join(filter(None, told))


def tell_of_sheets(case: Case, spot: SeatContext, most: int) -> str:
    """After too many sheets for a seat in a day, or for a turn; returns what to note."""
    return _tell(case, spot.address, spot.gm, spot.campaign, spot.seat, "sheets", most)


def tell_of_guesses(case: Case, spot: SeatContext, most: int) -> str:
    """After too many wrong keys for a seat in a day; returns what to note."""
    return _tell(case, spot.address, spot.gm, spot.campaign, spot.seat, "keys", most)


def tell_of_echo(case: Case) -> str:
    """Tell the GMs of the sender's seats, once a day, of an answering machine; return what to note."""
    rows = case.session.execute(_SEATS.where(Person.key == case.sender)).all()
    return "; ".join(filter(None, (_tell_gm_of_echo(case, row[0], row.gm, row[2]) for row in rows)))


def _tell_gm_of_echo(case: Case, campaign: str, gm: str, seat: str) -> str:
    said = (
        f"{case.shown_sender}, who plays {seat} in {campaign}, has sent the same words more than {SAME_A_DAY} times "
        "today, which are no orders. It looks like an answering machine that does not say so, and would be answered "
        "without end; so these words have no answer any more. Sheets, commands and other words count as ever."
    )
    help_ = "pbem letters shows them. Please ask the player to switch it off, or to have it leave this address alone."
    page = Notice(paragraphs=(said, help_), campaign=campaign)
    return warn_once(case, gm, campaign, f"An answering machine at {seat}?", page, ("echo", campaign, seat))


def _tell(case: Case, player: str, gm: str, campaign: str, seat: str, of: FloodOf, most: int) -> str:
    told = []
    for to in dict.fromkeys((player, gm)):
        page = Flood(of=of, most=most, campaign=campaign, seat=seat, player=player, to_gm=to == gm, gm=gm)
        subject = f"Too much mail in the name of {seat}"
        told.append(warn_once(case, to, campaign, subject, page, ("flood", of, campaign, seat)))
    return "; ".join(filter(None, told))
