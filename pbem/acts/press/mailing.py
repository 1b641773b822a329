"""Letters between players as mails, and who does not want them.

Nothing in such a mail tells more of its writer than the writer wished: it comes
from the house, its Message-ID is a keyed hash, it answers nothing. Letters
without a name go out on the hour, so that their time does not tell who was at
his mail just then.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from pbem.acts.press.writing import check_letter, goes_at_once
from pbem.app import House
from pbem.campaign.notices import Postman
from pbem.campaign.press.pieces import Piece, is_muted, muted_seats, put_piece, readers
from pbem.campaign.snapshot import CampaignSnapshot, Place
from pbem.mail.outbox import press_topic
from pbem.report.notices import Broadcast, PressMail


def send_letter(
    session: Session, house: House, snapshot: CampaignSnapshot, piece: Piece, now: dt.datetime
) -> dt.datetime | None:
    """Keeps a player's letter, and mails it or leaves it for the next reports.

    Returns when its mails go, None if with the reports. Raises CampaignError
    if the campaign does not allow it.
    """
    check_letter(session, snapshot, piece)
    if not goes_at_once(snapshot, piece):
        put_piece(session, snapshot, piece, now)
        return None
    id_ = put_piece(session, snapshot, piece, now, mailed=True)
    page = PressMail(campaign=snapshot.name, by=piece.byline, to=piece.to or (), text=piece.text)
    muted = muted_seats(session, snapshot)
    places = [place for place in readers(snapshot, piece) if not is_muted(piece, muted.get(place.id, ()))]
    at = next_hour(now) if piece.unsigned else now
    subject = f"Press from {piece.byline}" if piece.byline else "Press, unsigned"
    mail_press(session, house, snapshot, id_, page, places=places, subject=subject, at=at)
    return at


def mail_press(
    session: Session,
    house: House,
    snapshot: CampaignSnapshot,
    press_id: int,
    page: PressMail | Broadcast,
    *,
    places: Sequence[Place],
    subject: str,
    at: dt.datetime,
) -> None:
    """Queues the mails of a piece of press, to go out at a time; none to places where nobody sits."""
    postman, text = Postman.of(house, snapshot), house.reporter.write(page)
    era = (snapshot.era,) if snapshot.era else ()  # numbers are given again in a home restored from a backup
    html = house.reporter.letter(text, page.text, page.level)
    mails = [
        postman.mail(
            place.address,
            subject,
            text,
            ("press", snapshot.name, press_id, place.seat, *era),
            kind="press",
            topic=press_topic(snapshot.name, place.seat, press_id),
        )
        for place in places
        if place.address
    ]
    mails = [replace(mail, html=html) for mail in mails]
    postman.send(session, at, *mails)  # dated then too, so that the Date of an unsigned letter tells no more


def next_hour(now: dt.datetime) -> dt.datetime:
    """The next full hour, if this is none."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    return hour if hour == now else hour + dt.timedelta(hours=1)
