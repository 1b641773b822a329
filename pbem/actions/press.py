"""Actions for press: announcements of the GM, letters, news and diaries of seats."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.actions.arguments import SEAT, SeatCommand
from pbem.actions.base import TICK, Change, Channel, Query, TextResult, format_utc
from pbem.actions.press_delivery import (
    EVERYBODY,
    characters_left,
    is_immediate,
    mail_press,
    parse_recipients,
    put_diary,
    put_news,
    send_press,
)
from pbem.actions.weight import Harmless, Reversible
from pbem.campaign.ending import LAST_WORDS, replay_url
from pbem.campaign.history import current_turn_label
from pbem.campaign.press import (
    DIARY,
    PRESS,
    UNSIGNED,
    PressItem,
    SanitisedText,
    muted_seats,
    recipients_of,
    sanitise_text,
    save_press,
)
from pbem.campaign.questions import Asked, load_questions
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    SeatView,
    add_entry,
    current_turn,
    find_seat_view,
    require_running,
)
from pbem.errors import CampaignError
from pbem.report import small
from pbem.ruleset.values import SeatName
from pbem.store.models import Announcement, Press, Seat
from pbem.store.types import CampaignState
from pbem.text import count_noun, format_time, join_names, quote_block
from pbem.util import MASK


@dataclass(frozen=True, slots=True)
class Text:
    """A GM's text for the reports that open a turn; `seat` is "" when it is for all."""

    id: int
    turn: int
    seat: SeatName
    text: str


@dataclass(frozen=True, slots=True)
class PressShown:
    """A piece of press as its GM sees it, with its true sender; `to` is empty for all, `seat` "" for the GM."""

    id: int
    turn: int
    at: dt.datetime
    kind: str
    seat: SeatName
    anonymous: bool
    to: tuple[SeatName, ...]
    text: str


@dataclass(frozen=True, slots=True)
class AnnouncementList:
    """A GM's texts, by the turns whose reports bring them; those up to the open turn have been sent."""

    campaign: str
    turn: int
    texts: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Recipients:
    """The seats to which a GM's message is mailed."""

    to: tuple[SeatName, ...]


@dataclass(frozen=True, slots=True)
class PressList:
    """All press of a campaign that its GM may see, and the questions to the GM."""

    campaign: str
    press: tuple[PressShown, ...]
    questions: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class AnnounceInReport(Change[tuple[Text, ...]]):
    """Put a text into the next reports of some seats, or of all."""

    weight = Reversible("pbem undo NAME", "UNDO")
    kind = "text"
    text: str
    to: Sequence[str] = ()

    def do(self, context: Context) -> tuple[Text, ...]:
        """Save the text for the next reports, once for each seat that is named. Raises CampaignError."""
        snapshot = context.snapshot
        to = parse_recipients(snapshot, self.to or (EVERYBODY,))
        if snapshot.status == CampaignState.OVER:
            raise CampaignError(f"campaign {snapshot.name} is over: it sends no more reports, but press is mailed")
        places = [find_seat_view(snapshot, seat) for seat in to] if to else [None]
        return tuple(_put_into_report(context, self.text, place) for place in places)

    def render(self, facts: tuple[Text, ...], channel: Channel) -> Iterator[str]:
        for text in facts:
            where = f"stands in the reports that open turn {text.turn}"
            yield f"Your text is number {text.id}, and {where}, for {text.seat or 'all'}."


def _put_into_report(context: Context, text: str, place: SeatView | None) -> Text:
    """Save a text for the next report of a seat, or for those of all."""
    session, snapshot = context.session, context.snapshot
    row = Announcement(
        campaign_id=snapshot.id,
        turn=snapshot.turn + 1,
        seat_id=place.id if place else None,
        # Without credentials and mail headers: forwarded words must never be read as orders (decision 11).
        text=sanitise_text(text).text,
        at=context.now,
    )
    session.add(row)
    session.flush()
    said = f"text {row.id} for {place.seat if place else 'all'} put into the reports that open turn {row.turn}"
    add_entry(session, snapshot.id, context.now, actor="gm", text=said, secret=place is not None)
    return Text(row.id, row.turn, place.seat if place else "", row.text)


@dataclass(frozen=True, slots=True)
class ShowTexts(Query[AnnouncementList]):
    """See your texts for reports."""

    def look(self, context: Context) -> AnnouncementList:
        """Return the texts that wait and those that were sent, by the turns whose reports bring them."""
        snapshot = context.snapshot
        rows = context.session.execute(
            select(Announcement.id, Announcement.turn, Seat.name, Announcement.text)
            .outerjoin(Seat, Seat.id == Announcement.seat_id)
            .where(Announcement.campaign_id == snapshot.id)
            .order_by(Announcement.turn, Announcement.id)
        )
        texts = tuple(Text(id_, turn, seat or "", text) for id_, turn, seat, text in rows)
        return AnnouncementList(snapshot.name, snapshot.turn, texts)

    def render(self, facts: AnnouncementList, channel: Channel) -> Iterator[str]:
        if not facts.texts:
            yield f"There are no texts for reports of {facts.campaign}."
        for each in facts.texts:
            state = "waits for" if each.turn > facts.turn else "went with"
            yield f"{each.id}  {state} the reports that open turn {each.turn}, for {each.seat or 'all'}"
            yield quote_block(each.text)


@dataclass(frozen=True, slots=True)
class Announce(Change[Recipients]):
    """Mail a text to all players at once, or to some."""

    weight = Harmless("words that are sent overwrite nothing")
    kind = "announce"
    text: str
    to: Sequence[str] = ()

    def do(self, context: Context) -> Recipients:
        """Queue the mails."""
        session, snapshot, now = context.session, context.snapshot, context.now
        to = parse_recipients(snapshot, self.to or (EVERYBODY,))
        piece = PressItem(kind=PRESS, sender=None, text=sanitise_text(self.text).text, to=to)
        places = [place for place in recipients_of(snapshot, piece) if place.address]
        if not places:
            raise CampaignError(f"no one plays there in {snapshot.name} now, so it would not be read")
        id_ = save_press(session, snapshot, piece, now, mailed=True)
        page = small.announcement(gm=snapshot.gm, to=piece.to or (), text=piece.text)
        mail_press(context, id_, page, places)
        said = f"letter to {join_names(piece.to) if piece.to else 'all'} mailed"
        add_entry(session, snapshot.id, now, actor="gm", text=said, secret=piece.to is not None)
        return Recipients(tuple(place.seat for place in places))

    def render(self, facts: Recipients, channel: Channel) -> Iterator[str]:
        yield f"{count_noun(len(facts.to), 'mail')} queued, to {join_names(facts.to)}.{channel.next(TICK)}"


@dataclass(frozen=True, slots=True)
class ShowPress(Query[PressList]):
    """See what people wrote each other, by whom it truly is."""

    turn: int | None = None

    def look(self, context: Context) -> PressList:
        """Return all press, or that of a turn, with its true senders; no diaries until the game is over."""
        snapshot = context.snapshot
        shut = () if snapshot.status == CampaignState.OVER else (Press.kind != DIARY,)
        of_turn = () if self.turn is None else (Press.turn == self.turn,)
        rows = context.session.execute(
            select(Press, Seat.name)
            .outerjoin(Seat, Seat.id == Press.sender_id)
            .where(Press.campaign_id == snapshot.id, *shut, *of_turn)
            .order_by(Press.id)
        )
        shown = (
            PressShown(
                id=row.id,
                turn=row.turn,
                at=row.at,
                kind=row.kind,
                seat=seat or "",
                anonymous=row.anonymous,
                to=tuple(row.recipients or ()),
                text=row.text,
            )
            for row, seat in rows
        )
        asked = load_questions(context.session, snapshot)
        return PressList(snapshot.name, tuple(shown), tuple(each for each in asked if self.turn in (None, each.turn)))

    def render(self, facts: PressList, channel: Channel) -> Iterator[str]:
        if not (facts.press or facts.questions):
            yield "There is no press."
        for each in facts.press:
            by = (each.seat or "the GM") + (" (anonymous)" if each.anonymous else "")
            to = "" if each.kind != "press" else f" to {join_names(each.to) or 'all'}"
            yield f"{each.id}  turn {each.turn}, {format_utc(each.at)} UTC: {each.kind} by {by}{to}"
            yield quote_block(each.text)
        for asked in facts.questions:
            yield from render_question(asked)


def render_question(asked: Asked) -> Iterator[str]:
    """Yield the lines on a question and its answer, as the GM sees them."""
    by = asked.seat + (" (by its deputy)" if asked.author == "deputy" else "")
    yield f"Question {asked.number} of {by}, turn {asked.turn}, {format_utc(asked.at)} UTC:"
    yield quote_block(asked.text)
    answer = asked.answer
    if answer is None:
        yield "Not answered yet."
    else:
        to = "all" if answer.to is None else join_names(answer.to)
        yield f"Answered {format_utc(answer.at)} UTC, to {to}:"
        yield quote_block(answer.text)


@dataclass(frozen=True, slots=True)
class SendPress(SeatCommand):
    """Write to other seats, or ALL; what stands below, up to END or a signature, is passed on.

    With an order or a command in it, it is first shown to you, and sent once you say YES.
    """

    usage = "PRESS TO to..."
    takes_text = True
    weight = Harmless("words that are sent overwrite nothing")
    to: Annotated[Sequence[str], SEAT]
    unsigned: ClassVar[bool] = False

    def do(self, context: Context) -> TextResult:
        """Mail the message, or keep it for the next reports."""
        snapshot, own = context.snapshot, find_seat_view(context.snapshot, self.seat)
        _require_no_gm(snapshot, self.to)
        to, passed = parse_recipients(snapshot, self.to), sanitise_text(self.text)
        piece = PressItem(kind=PRESS, sender=own, text=passed.text, to=to, unsigned=self.unsigned)
        at = send_press(context, piece)
        room = "" if is_immediate(snapshot, piece) else _room_note(context, own)
        vacant = [place.seat for place in recipients_of(snapshot, piece) if not place.address]
        vacancy = f" No player has {join_names(vacant)} now." if vacant else ""
        said = f"{_delivery_note(snapshot, own, piece, at, context.now)}{vacancy}{room}"
        return TextResult("\n".join([said, *mask_notes(passed)]))


def _require_no_gm(snapshot: CampaignSnapshot, to: Sequence[str]) -> None:
    """Raise CampaignError, with the line to send, if words of a PRESS TO name the GM, perhaps beside seats."""
    others = [word for word in to if word.lower() not in snapshot.seats]
    if others[:1] and others[0].lower() == "gm":
        said = " ".join(to[1:]) if len(others) > 1 else "your words"
        raise CampaignError(f"the GM has no seat, and nothing was sent; to write to your GM, send ASK GM: {said}")


@dataclass(frozen=True, slots=True)
class WriteUnsigned(SendPress):
    """The same, without your name, where the campaign allows it."""

    usage = "UNSIGNED TO to..."
    weight = Harmless("words that are sent overwrite nothing")
    unsigned = True


@dataclass(frozen=True, slots=True)
class WriteNews(SeatCommand):
    """Put what stands below into the newspaper that goes with the next reports."""

    usage = "NEWS"
    takes_text = True
    weight = Harmless("words that are sent overwrite nothing")

    def do(self, context: Context) -> TextResult:
        """Keep the text for the next reports."""
        snapshot, own, passed = context.snapshot, find_seat_view(context.snapshot, self.seat), sanitise_text(self.text)
        put_news(context.session, snapshot, own, passed.text, context.now)
        said = f"Your news, signed {own.seat}, stand in the newspaper of the next reports, for all seats of"
        return TextResult("\n".join([f"{said} {snapshot.name}.{_room_note(context, own)}", *mask_notes(passed)]))


@dataclass(frozen=True, slots=True)
class WriteDiary(SeatCommand):
    """Enter what stands below into your diary, opened when the game is over; then a last word for its replay."""

    usage = "DIARY"
    takes_text = after_end = True
    weight = Harmless("words that are added overwrite nothing")

    def do(self, context: Context) -> TextResult:
        replay = _require_open_diary(context)
        snapshot, own, passed = context.snapshot, find_seat_view(context.snapshot, self.seat), sanitise_text(self.text)
        put_diary(context.session, snapshot, own, passed.text, context.now)
        kept = f"Entered into the diary of {own.seat}, {current_turn_label(context.session, snapshot, own.id)}."
        opened = f"All diaries of {snapshot.name} are opened to all when the game is over, and not before."
        if replay:
            opened = f"It stands in the replay, where anyone can read it, as soon as that is written: {replay}"
        return TextResult("\n".join([f"{kept} {opened}", *mask_notes(passed)]))


def _require_open_diary(context: Context) -> str:
    """Raise CampaignError if no diary can be written; return the address of the replay that a last word is for."""
    snapshot = context.snapshot
    if snapshot.status != CampaignState.OVER:
        require_running(snapshot)
        return ""
    ended = current_turn(context.session, snapshot, snapshot.turn).opened_at
    replay = replay_url(context, snapshot)
    if not replay or context.now > ended + LAST_WORDS:
        late, too = ("", "")
        if replay:
            late, too = f", and a last word was taken for {LAST_WORDS.days} days", f", and in its replay: {replay}"
        told = f"All diaries stand in its last report, which RESEND brings{too}"
        raise CampaignError(f"campaign {snapshot.name} is over{late}. {told}")
    return replay


@dataclass(frozen=True, slots=True)
class Mute(SeatCommand):
    """Get no more press from a seat."""

    usage = "MUTE whom"
    weight = Reversible("", "UNMUTE seat")
    whom: Annotated[str, SEAT]

    def do(self, context: Context) -> TextResult:
        snapshot = context.snapshot
        own, whom = find_seat_view(snapshot, self.seat), _find_writer(snapshot, self.whom)
        if whom == own.seat:
            raise CampaignError("no seat can mute itself: name another")
        _set_muted(context.session, own, _load_muted(context, own) | {whom})
        if whom == UNSIGNED:
            said = f"You get no more anonymous messages in {snapshot.name}. UNMUTE UNSIGNED brings them back."
            return TextResult(said)
        return TextResult(
            f"You get no more messages and news of {whom} in {snapshot.name}, and {whom} is not told. "
            f"Press that {whom} does not sign still reach you. UNMUTE {whom} takes this back."
        )


@dataclass(frozen=True, slots=True)
class Unmute(SeatCommand):
    """Get press from a seat again."""

    usage = "UNMUTE whom"
    weight = Reversible("", "MUTE seat")
    whom: Annotated[str, SEAT]

    def do(self, context: Context) -> TextResult:
        """Let the press of the seat reach the player again."""
        snapshot = context.snapshot
        own, whom = find_seat_view(snapshot, self.seat), _find_writer(snapshot, self.whom)
        muted = _load_muted(context, own)
        what = "anonymous messages" if whom == UNSIGNED else f"the press of {whom}"
        if whom not in muted:
            raise CampaignError(f"you get {what} in {snapshot.name}: that was not muted")
        _set_muted(context.session, own, muted - {whom})
        return TextResult(f"You get {what} in {snapshot.name} again.")


def _load_muted(context: Context, own: SeatView) -> frozenset[SeatName]:
    return muted_seats(context.session, context.snapshot).get(own.id, frozenset())


def _set_muted(session: Session, own: SeatView, muted: frozenset[SeatName]) -> None:
    session.execute(update(Seat).where(Seat.id == own.id).values(muted=sorted(muted)))


def _find_writer(snapshot: CampaignSnapshot, word: str) -> SeatName:
    """Return the seat whose press is meant, or the word for unsigned press."""
    return UNSIGNED if word.lower() == UNSIGNED else find_seat_view(snapshot, word).seat


def _delivery_note(
    snapshot: CampaignSnapshot, own: SeatView, piece: PressItem, at: dt.datetime | None, now: dt.datetime
) -> str:
    """Return the sentence on who gets a message, when, and how it is signed."""
    everybody = "all seats, yours as well" if piece.unsigned else "all other seats"
    whom = everybody if piece.to is None else join_names(piece.to)
    what = "Your anonymous message" if piece.unsigned else f"Your message, signed {piece.byline},"
    if at is None:
        return f"{what} goes with the next reports of {snapshot.name}, to {whom}."
    time = "at once" if at == now else f"on the hour, {format_time(at, snapshot.zone_for(own))},"
    return f"{what} goes by mail {time} to {whom}."


def _room_note(context: Context, own: SeatView) -> str:
    """Return the sentence on how much more a seat may put into the next reports."""
    return f" Your seat has room for {characters_left(context.session, context.snapshot, own)} characters more in them."


def mask_notes(passed: SanitisedText) -> list[str]:
    """Return the note on what was not passed on of a text, if there is any."""
    if not passed.masked:
        return []
    stood = f"In {count_noun(passed.masked, 'line')} stood what looks like a key or the head of a mail"
    return [f"{stood}; it was passed on as {MASK}."]
