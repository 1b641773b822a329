"""Words for the dice: until a campaign begins each player may choose one, and whoever has a seat is told how.

The sealed seed was drawn by whoever made the campaign; the words are what the
players add to it (`pbem.archive.dice` mixes them). Before the start a word is
told to nobody but its player.
"""

from __future__ import annotations

import datetime as dt
import secrets
import unicodedata
from collections.abc import Iterable

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.archive.record import drawn_word
from pbem.campaign.journal import note
from pbem.campaign.notices import Postman
from pbem.campaign.snapshot import CampaignSnapshot, Place
from pbem.errors import CampaignError
from pbem.mail.compose import Mail
from pbem.mail.headers import reply_code
from pbem.mail.outbox import DICE, topic_of
from pbem.report.facts import DiceWord
from pbem.report.notices import DiceNotice
from pbem.ruleset.dice import seal
from pbem.ruleset.protocol import Adjudicated
from pbem.store.models import SeatRow
from pbem.store.types import Phase

LONGEST = 40
"""Characters of a word: as many as stand on one line of a report beside the longest name of a seat."""


def tell_of_dice(
    session: Session, house: House, snapshot: CampaignSnapshot, places: Iterable[Place], now: dt.datetime
) -> int:
    """Gives each player at these places, before the start, a code to choose his word with, and mails it to him.

    Returns how many are mailed. Who sat there before can no longer choose.
    """
    codes = {
        place: reply_code(snapshot.mail_key, "dice", place.seat, secrets.token_hex(8))
        for place in places
        if place.address
    }
    if codes:
        rows = [{"id": place.id, "dice_code": code, "dice_word": ""} for place, code in codes.items()]
        session.execute(update(SeatRow), rows)
    Postman.of(house, snapshot).send(
        session, now, *[_dice_notice(house, snapshot, place, code) for place, code in codes.items()]
    )
    return len(codes)


def tell_gm_of_dice(session: Session, house: House, snapshot: CampaignSnapshot, now: dt.datetime) -> None:
    """Mails the GM the seal, and that the players may choose words."""
    Postman.of(house, snapshot).send(session, now, _dice_notice(house, snapshot, None, ""))


def choose_word(
    session: Session, snapshot: CampaignSnapshot, place: Place, words: Iterable[str], now: dt.datetime
) -> str:
    """Keeps a player's own word, of a locked campaign that has not begun; returns it. Raises CampaignError."""
    if snapshot.status != Phase.FORMING:
        raise CampaignError(
            f"it is too late: the dice of {snapshot.name} were fixed when it began, and your first report tells of them"
        )
    word = unicodedata.normalize("NFC", " ".join(words))
    if not (0 < len(word) <= LONGEST and word.isprintable()):
        raise CampaignError(f"a word for the dice is at most {LONGEST} characters that can be printed")
    session.execute(update(SeatRow).where(SeatRow.id == place.id).values(dice_word=word))
    note(session, snapshot.id, now, actor=place.seat, text="has chosen a word for the dice")
    return word


def words_now(session: Session, snapshot: CampaignSnapshot) -> tuple[DiceWord, ...]:
    """The words as they would be fixed now, one for each place of the snapshot, in their order."""
    rows = session.execute(select(SeatRow.id, SeatRow.dice_word).where(SeatRow.campaign_id == snapshot.id))
    own = {row.id: row.dice_word for row in rows}
    return tuple(
        DiceWord(place.seat, own[place.id] or drawn_word(snapshot.seed, place.seat), own=bool(own[place.id]))
        for place in snapshot.places
    )


def _dice_notice(house: House, snapshot: CampaignSnapshot, place: Place | None, code: str) -> Mail:
    """To a player, or with no place to the GM."""
    ruleset = house.game(snapshot.game)
    page = DiceNotice(
        campaign=snapshot.name,
        game=ruleset.title,
        seat=place.seat if place else "",
        seal=seal(snapshot.seed),
        word=drawn_word(snapshot.seed, place.seat) if place else "",
        longest=LONGEST,
        gm=snapshot.gm,
        judged=isinstance(ruleset, Adjudicated),
    )
    return Postman.of(house, snapshot).mail(
        place.address if place else snapshot.gm,
        "The dice are sealed" + (": add a word of yours" if place else ""),
        page,
        ("dice", snapshot.name, code),
        code=code,
        kind=DICE,
        topic=topic_of(DICE, snapshot.name, snapshot.turn, place.seat if place else "gm"),
    )
