"""Delivers press of seats to other players, and checks the rules and limits for it.

Refusals are sentences for the sender.

Such a mail tells no more of its sender than the sender wished: it comes from the
application, its Message-ID is a keyed hash, and it is no reply. Unsigned messages
are sent on the hour, so that their time does not tell who was writing mail just
then.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from pbem.campaign.notices import post
from pbem.campaign.press import DIARY, NEWS, PressItem, is_muted, muted_seats, recipients_of, save_press
from pbem.campaign.snapshot import CampaignSnapshot, Context, SeatView, find_seat_view, require_running
from pbem.errors import CampaignError
from pbem.mail.outbox import press_topic
from pbem.report.notices import Page, PressMessage
from pbem.ruleset.fields import nearest
from pbem.ruleset.values import SeatName
from pbem.store.models import Press

EVERYBODY = "all"
"""The word for all seats, in any case."""

_EVERYBODY = frozenset((EVERYBODY, "everyone", "everybody"))

PIECES_A_TURN = 20
"""The most pieces of each kind from one seat."""

COPIES_A_TURN = 300
"""The most mails for the messages of one seat."""

ROOM_IN_REPORTS = 60_000
"""The most characters of press in the reports of one turn, so that each can still be mailed."""

LEAST_SHARE = 2_000
"""The least share of one seat in that; otherwise it is divided among the seats in the game."""

ROOM_FOR_DIARIES = 300_000
"""The most characters of all diaries of a campaign, in equal shares: the last report has them all."""


def is_everybody(word: str) -> bool:
    """Return True for a word that means all seats."""
    return word.lower() in _EVERYBODY


def parse_recipients(snapshot: CampaignSnapshot, words: Sequence[str]) -> tuple[SeatName, ...] | None:
    """Return the seats that words name; None for ALL.

    Raises:
        CampaignError: If a seat does not exist, or is out of the game; or if the words of the text stand behind it.
    """
    words = [word for word in words if word.lower() != "and"]
    # A text on the line of its seat may have "all" in it, or the name of the seat that it is about.
    at = next((at for at, word in enumerate(words) if not (is_everybody(word) or word.lower() in snapshot.seats)), 0)
    if at and not nearest(words[at], snapshot.seats):
        to = " ".join(words[:at])
        how = f"write your words below the line, or behind a colon, as in TO {to}: {words[at]} ..."
        raise CampaignError(f'"{words[at]}" is no seat, and nothing was sent; {how}')
    if at == 0 and any(is_everybody(word) and word.lower() not in snapshot.seats for word in words):
        return None
    places = [find_seat_view(snapshot, word) for word in words]
    for place in places:
        if not place.playing:
            raise CampaignError(f"{place.seat} has left the game and gets no press")
    return tuple(dict.fromkeys(place.seat for place in places))


def check_letter(session: Session, snapshot: CampaignSnapshot, piece: PressItem) -> None:
    """Raise CampaignError if the campaign does not allow a player's message, or its sender has reached a limit."""
    _check_press(snapshot)
    if piece.unsigned and snapshot.policy.press != "anonymous":
        raise CampaignError(f"the press of {snapshot.name} is signed: write PRESS TO instead of UNSIGNED TO")
    reached = [place for place in recipients_of(snapshot, piece) if place.address]
    if not reached:
        raise CampaignError("that seat has no player now to read it")
    _check_pieces(session, snapshot, piece)
    if is_immediate(snapshot, piece):
        _check_copies(session, snapshot, piece, len(reached))
    else:
        _check_reports(session, snapshot, piece)


def put_news(session: Session, snapshot: CampaignSnapshot, sender: SeatView, text: str, now: dt.datetime) -> None:
    """Add a text to the newspaper of the next reports. Raises CampaignError if that is not allowed."""
    _check_press(snapshot)
    piece = PressItem(kind=NEWS, sender=sender, text=text)
    _check_pieces(session, snapshot, piece)
    _check_reports(session, snapshot, piece)
    save_press(session, snapshot, piece, now)


def put_diary(session: Session, snapshot: CampaignSnapshot, sender: SeatView, text: str, now: dt.datetime) -> None:
    """Add a text to a seat's diary. Raises CampaignError if it is full."""
    piece = PressItem(kind=DIARY, sender=sender, text=text)
    _check_pieces(session, snapshot, piece)
    share = ROOM_FOR_DIARIES // len(snapshot.places)
    used = _count_characters(session, Press.kind == DIARY, Press.sender_id == sender.id)
    if used + len(text) > share:
        raise CampaignError(f"your diary has room for {max(share - used, 0)} characters more; this is {len(text)}")
    save_press(session, snapshot, piece, now)


def is_immediate(snapshot: CampaignSnapshot, piece: PressItem) -> bool:
    """Return True if a message is mailed by itself, as a GM's always is."""
    return piece.sender is None or snapshot.policy.press_delivery == "now"


def _check_press(snapshot: CampaignSnapshot) -> None:
    require_running(snapshot)
    if snapshot.policy.press == "off":
        raise CampaignError(f"there is no press in {snapshot.name}: its GM has chosen so")


def _check_pieces(session: Session, snapshot: CampaignSnapshot, piece: PressItem) -> None:
    written = select(func.count()).where(*_written_this_turn(snapshot, piece), Press.kind == piece.kind)
    if session.scalars(written).one() >= PIECES_A_TURN:
        raise CampaignError(
            f"you have written {PIECES_A_TURN} of these this turn, and no more are taken before the next"
        )


def _check_copies(session: Session, snapshot: CampaignSnapshot, piece: PressItem, copies: int) -> None:
    mailed = select(Press.recipients).where(*_written_this_turn(snapshot, piece), Press.published_at.is_not(None))
    everybody = len(snapshot.playing) - 1
    used = sum(everybody if to is None else len(to) for to in session.scalars(mailed))
    if used + copies > COPIES_A_TURN:
        raise CampaignError(
            f"your press of this turn would come to {used + copies} mails, and {COPIES_A_TURN} are the most: "
            "use NEWS to reach many"
        )


def _check_reports(session: Session, snapshot: CampaignSnapshot, piece: PressItem) -> None:
    left = characters_left(session, snapshot, piece.sender)
    if len(piece.text) > left:
        raise CampaignError(
            f"the next reports have room for {left} characters more from your seat; this is {len(piece.text)}"
        )
    # How much other seats have written is not told.
    if _count_characters(session, *_in_next_reports(snapshot)) + len(piece.text) > ROOM_IN_REPORTS:
        raise CampaignError("the next reports are full: please write again when they have come")


def characters_left(session: Session, snapshot: CampaignSnapshot, sender: SeatView | None) -> int:
    """Return how many characters a seat may still put into the next reports, of its share."""
    # A share for each seat: without one, eight long pieces of one seat filled the newspaper for all.
    share = max(ROOM_IN_REPORTS // len(snapshot.playing), LEAST_SHARE)
    used = _count_characters(session, *_in_next_reports(snapshot), Press.sender_id == (sender.id if sender else None))
    return max(share - used, 0)


def _in_next_reports(snapshot: CampaignSnapshot) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for press that goes with the next reports."""
    return (
        Press.campaign_id == snapshot.id,
        Press.turn == snapshot.turn,
        Press.kind != DIARY,
        Press.published_at.is_(None),
    )


def _written_this_turn(snapshot: CampaignSnapshot, piece: PressItem) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions for press that the sender of a piece has written in the open turn."""
    sender = piece.sender.id if piece.sender else None
    return Press.campaign_id == snapshot.id, Press.turn == snapshot.turn, Press.sender_id == sender


def _count_characters(session: Session, *which: ColumnElement[bool]) -> int:
    return int(session.scalar(select(func.sum(func.length(Press.text))).where(*which)) or 0)


def send_press(context: Context, piece: PressItem) -> dt.datetime | None:
    """Mail a player's message, or keep it for the next reports.

    Returns:
        The time at which its mails go; None if it goes with the reports.

    Raises:
        CampaignError: If the campaign does not allow it.
    """
    session, snapshot, now = context.session, context.snapshot, context.now
    check_letter(session, snapshot, piece)
    if not is_immediate(snapshot, piece):
        save_press(session, snapshot, piece, now)
        return None
    id_ = save_press(session, snapshot, piece, now, mailed=True)
    page = PressMessage(campaign=snapshot.name, by=piece.byline, to=piece.to or (), text=piece.text)
    muted = muted_seats(session, snapshot)
    # Muting is the reader's choice and not told to the writer: neither answer nor limits depend on it (decision 11).
    places = [place for place in recipients_of(snapshot, piece) if not is_muted(piece, muted.get(place.id, ()))]
    # On the hour, so that the time of the mail does not tell who was writing just then.
    at = next_hour(now) if piece.unsigned else now
    mail_press(replace(context, now=at), id_, page, places)
    return at


def mail_press(context: Context, press_id: int, page: Page, places: Sequence[SeatView]) -> None:
    """Queue the mails of a piece of press, to be sent and dated at the time of the context."""
    snapshot = context.snapshot
    # Numbers are given again in a home restored from a backup.
    revision = (snapshot.revision,) if snapshot.revision else ()
    # Without a reply code: an answer to press belongs to no turn and is never orders (decision 11).
    id_ = ("press", snapshot.name, press_id, *revision)
    post(context, places, page, id_=id_, kind="press", topic=lambda seat: press_topic(snapshot.name, seat, press_id))


def next_hour(now: dt.datetime) -> dt.datetime:
    """Return the next full hour, or the time itself if it is one."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    return hour if hour == now else hour + dt.timedelta(hours=1)
