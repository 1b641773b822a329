"""A GM's own words: texts for the reports to come, and letters to his players at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from sqlalchemy import delete, select

from pbem.acts.act import Act, Harmless, Question, Reversible, Scene
from pbem.acts.arguments import SEAT, GmCommand, Numeral, TextBlock
from pbem.acts.channel import Channel, format_utc
from pbem.acts.press.mailing import mail_press
from pbem.acts.press.writing import EVERYBODY, read_recipients
from pbem.campaign.journal import note
from pbem.campaign.press.passing import passable
from pbem.campaign.press.pieces import DIARY, PRESS, Piece, put_piece, readers
from pbem.campaign.snapshot import find_place
from pbem.errors import CampaignError
from pbem.report.notices import Broadcast as GmLetter
from pbem.ruleset.order_types import FILLED_IN
from pbem.ruleset.values import Seat
from pbem.store.models import GmText, Press, SeatRow
from pbem.store.types import Phase
from pbem.text import barred, counted, joined


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


@dataclass(frozen=True, slots=True)
class Texts:
    """A GM's texts, by the turns whose reports bring them; those of turns up to that which is open have gone."""

    campaign: str
    turn: int
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """The seats to which a GM's words are mailed."""

    to: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class PressBook:
    """All press of a campaign that its GM may see."""

    campaign: str
    press: tuple[PressShown, ...]


@dataclass(frozen=True, slots=True)
class AddText(GmCommand, Act[Text]):
    """Put the text below into the next report of a seat, or of ALL."""

    usage = "TEXT TO seat"
    takes_text = True
    command = "text"
    weight = Reversible("pbem text NAME --drop ID", "DROP text")
    text: Annotated[str, FILLED_IN] = ""
    seat: Annotated[Seat | None, SEAT] = None

    def wish(self, text: TextBlock) -> AddText:
        """Return it with the text below."""
        return AddText(text.needed, None if self.seat is None or self.seat.lower() == EVERYBODY else self.seat)

    def do(self, scene: Scene) -> Text:
        """Keeps the text for them."""
        session, snapshot, now = scene.session, scene.snapshot, scene.now
        if snapshot.status == Phase.OVER:
            raise CampaignError(f"campaign {snapshot.name} is over: it sends no more reports, but press is mailed")
        place = find_place(snapshot, self.seat) if self.seat else None
        row = GmText(
            campaign_id=snapshot.id,
            turn=snapshot.turn + 1,
            seat_id=place.id if place else None,
            text=passable(self.text).text,
            at=now,
        )
        session.add(row)
        session.flush()
        said = f"text {row.id} for {place.seat if place else 'all'} put into the reports that open turn {row.turn}"
        note(session, snapshot.id, now, actor="gm", text=said, secret=place is not None)
        return Text(row.id, row.turn, place.seat if place else "", row.text)

    def render(self, facts: Text, channel: Channel) -> Iterator[str]:
        where = f"stands in the reports that open turn {facts.turn}"
        yield f"Your text is number {facts.id}, and {where}, for {_whom(facts)}."


@dataclass(frozen=True, slots=True)
class DropText(GmCommand, Act[Texts]):
    """Take a text out again, before its reports are sent; TEXTS has its number."""

    usage = "DROP text_id"
    command = "text"
    weight = Reversible("pbem text NAME FILE", "TEXT TO seat")
    text_id: Annotated[int, Numeral("text", "the number of a text", "3")]

    def do(self, scene: Scene) -> Texts:
        """Drops it; the rest is told."""
        snapshot = scene.snapshot
        waiting = [text for text in ShowTexts().look(scene).texts if text.turn > snapshot.turn]
        if self.text_id not in {text.id for text in waiting}:
            known = joined([str(text.id) for text in waiting]) or "none"
            raise CampaignError(f"{snapshot.name} has no text {self.text_id} that waits for reports; there is: {known}")
        scene.session.execute(delete(GmText).where(GmText.id == self.text_id))
        words = next(text.text for text in waiting if text.id == self.text_id)
        said = f"text {self.text_id} taken back: {words}"
        note(scene.session, snapshot.id, scene.now, actor="gm", text=said, secret=True)
        return ShowTexts().look(scene)

    def render(self, facts: Texts, channel: Channel) -> Iterator[str]:
        return ShowTexts().render(facts, channel)


@dataclass(frozen=True, slots=True)
class ShowTexts(GmCommand, Question[Texts]):
    """See your texts for reports."""

    usage = "TEXTS"

    def look(self, scene: Scene) -> Texts:
        """Those that wait, and those that went, by the turns whose reports bring them."""
        snapshot = scene.snapshot
        rows = scene.session.execute(
            select(GmText.id, GmText.turn, SeatRow.name, GmText.text)
            .outerjoin(SeatRow, SeatRow.id == GmText.seat_id)
            .where(GmText.campaign_id == snapshot.id)
            .order_by(GmText.turn, GmText.id)
        )
        texts = tuple(Text(id_, turn, seat or "", text) for id_, turn, seat, text in rows)
        return Texts(snapshot.name, snapshot.turn, texts)

    def render(self, facts: Texts, channel: Channel) -> Iterator[str]:
        if not facts.texts:
            yield f"There are no texts for reports of {facts.campaign}."
        for each in facts.texts:
            state = "waits for" if each.turn > facts.turn else "went with"
            yield f"{each.id}  {state} the reports that open turn {each.turn}, for {_whom(each)}"
            yield barred(each.text)


def _whom(text: Text) -> str:
    return text.seat or "all"


@dataclass(frozen=True, slots=True)
class Broadcast(GmCommand, Act[Reached]):
    """Mail the text below to all players at once, or to some."""

    usage = "ANNOUNCE [TO to...]"
    takes_text = True
    command = "press"
    weight = Harmless("words that are sent overwrite nothing")
    text: Annotated[str, FILLED_IN] = ""
    to: Annotated[Sequence[str], SEAT] = ()

    def wish(self, text: TextBlock) -> Broadcast:
        """Return it with the text below."""
        return Broadcast(text.needed, self.to)

    def do(self, scene: Scene) -> Reached:
        """Queues the letters."""
        session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
        to = read_recipients(snapshot, self.to or (EVERYBODY,))
        piece = Piece(kind=PRESS, sender=None, text=passable(self.text).text, to=to)
        places = [place for place in readers(snapshot, piece) if place.address]
        if not places:
            raise CampaignError(f"nobody sits there in {snapshot.name} now, so nobody would read it")
        id_ = put_piece(session, snapshot, piece, now, mailed=True)
        page = GmLetter(campaign=snapshot.name, gm=snapshot.gm, to=piece.to or (), text=piece.text)
        mail_press(session, house, snapshot, id_, page, places=places, subject="A word from your GM", at=now)
        said = f"letter to {joined(piece.to) if piece.to else 'all'} mailed"
        note(session, snapshot.id, now, actor="gm", text=said, secret=piece.to is not None)
        return Reached(tuple(place.seat for place in places))

    def render(self, facts: Reached, channel: Channel) -> Iterator[str]:
        said = f"{counted(len(facts.to), 'mail')} queued, to {joined(facts.to)}."
        yield said + channel.either(" Send: pbem tick", "")


@dataclass(frozen=True, slots=True)
class ShowPress(GmCommand, Question[PressBook]):
    """See what people wrote each other, by whom it truly is."""

    usage = "PRESS"

    def look(self, scene: Scene) -> PressBook:
        """Letters and news, by whom they truly are; diaries stay shut until the game is over."""
        snapshot = scene.snapshot
        shut = () if snapshot.status == Phase.OVER else (Press.kind != DIARY,)
        rows = scene.session.execute(
            select(Press, SeatRow.name)
            .outerjoin(SeatRow, SeatRow.id == Press.sender_id)
            .where(Press.campaign_id == snapshot.id, *shut)
            .order_by(Press.id)
        )
        return PressBook(snapshot.name, tuple(_shown(row, seat) for row, seat in rows))

    def render(self, facts: PressBook, channel: Channel) -> Iterator[str]:
        if not facts.press:
            yield "There is no press."
        for each in facts.press:
            by = (each.seat or "the GM") + (" (unsigned)" if each.unsigned else "")
            to = "" if each.kind != "press" else f" to {joined(each.to) or 'all'}"
            yield f"{each.id}  turn {each.turn}, {format_utc(each.at)} UTC: {each.kind} by {by}{to}"
            yield barred(each.text)


def _shown(row: Press, seat: Seat | None) -> PressShown:
    to = tuple(row.recipients or ())
    return PressShown(row.id, row.turn, row.at, row.kind, seat or "", row.anonymous, to, row.text)
