"""Press between players and announcements of the GM: storage and inclusion in reports.

A press message is mailed by itself, or goes with reports, as news always does:
with those that open the first turn after the one in which it was written. So a
turn that is run again brings the same press. `Press.published_at` is the time at
which a message was mailed, and None for everything that reports bring.

A seat gets all press since its last report, so in a game in which seats get
reports in turn nothing is missed.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from sqlalchemy import ColumnElement, ScalarSelect, bindparam, func, select
from sqlalchemy.orm import Session

from pbem.campaign.history import Labels, labels_named, load_turn_labels, relabel, turn_label
from pbem.campaign.questions import QuestionsForTurn, load_questions
from pbem.campaign.snapshot import HOST, CampaignSnapshot, SeatView, is_current
from pbem.errors import CampaignError
from pbem.report.facts import PressSection, QuotedText
from pbem.ruleset.values import SeatName
from pbem.store.models import Announcement, JournalEntry, Press, Question, QuestionAnswer, Report, Seat, Turn
from pbem.store.session import flushed_connection
from pbem.store.types import PressKind
from pbem.util import MASK, redact_all

MOST_CHARACTERS = 8_000
"""Characters of one text, blanks included."""

_TECHNICAL = (
    r"message-id|in-reply-to|references|reply-to|return-path|received|delivered-to|authentication-results|"
    r"dkim-signature|received-spf|mime-version|content-[a-z-]++|user-agent|list-[a-z-]++|arc-[a-z-]++|x-[a-z-]++"
)
# Header fields of mails; those with people only before an address: "From: the Queen" may begin a proclamation.
_HEADER = re.compile(
    rf"\A(?P<name>[\s>|]*+(?:(?:{_TECHNICAL})\s*+:(?=.)|(?:from|to|cc|bcc|sender)\s*+:(?=.*@))).*+", re.IGNORECASE
)

_GAPS = re.compile(r"\n{3,}+")


@dataclass(frozen=True, slots=True)
class SanitisedText:
    """A text that may be shown to others, and the number of its lines in which something is masked."""

    text: str
    masked: int = 0


def sanitise_text(text: str) -> SanitisedText:
    """Return a text without credentials, mail headers and invisible characters.

    Raises CampaignError if nothing is left, or too much.
    """
    from pbem.mail.reply_parser import normalise_text

    lines = [line.expandtabs(4).rstrip() for line in normalise_text(text).split("\n")]
    shown = [_HEADER.sub(rf"\g<name> {MASK}", redact_all(line)) for line in lines]
    passed = _GAPS.sub("\n\n", "\n".join(shown)).strip("\n")
    if not passed.strip():
        raise CampaignError("there are no words to pass on: write them below the command, in the mail's own text")
    if len(passed) > MOST_CHARACTERS:
        raise CampaignError(f"the text has {len(passed)} characters, and {MOST_CHARACTERS} at the most are passed on")
    return SanitisedText(passed, sum(one != other for one, other in zip(lines, shown, strict=True)))


PRESS, NEWS, DIARY = PressKind

UNSIGNED = "unsigned"
"""The players' word for the author of unsigned messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PressItem:
    """A piece of press as its readers see it. `sender` is None for the GM, `to` for all; the text is sanitised."""

    kind: PressKind
    sender: SeatView | None
    text: str
    to: tuple[SeatName, ...] | None = None
    unsigned: bool = False

    @property
    def byline(self) -> str:
        """The author as readers are told: "" for an unsigned piece, and for the GM."""
        return "" if self.unsigned or self.sender is None else self.sender.seat


def is_for(piece: PressItem, place: SeatView) -> bool:
    """Return True if a piece is for a seat: news are for all, a signed message to all is for all but its author."""
    if piece.to is not None:
        return place.seat in piece.to
    # An unsigned one is for its author too, who would otherwise be recognised as the one who did not get it.
    return piece.kind == NEWS or piece.unsigned or piece.sender is None or piece.sender.id != place.id


def recipients_of(snapshot: CampaignSnapshot, piece: PressItem) -> list[SeatView]:
    """Return the seats still in the game that a piece is for."""
    return [place for place in snapshot.playing if is_for(piece, place)]


def save_press(
    session: Session, snapshot: CampaignSnapshot, piece: PressItem, now: dt.datetime, *, mailed: bool = False
) -> int:
    """Store a piece of press; return its id."""
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


_MUTED = select(Seat.id, Seat.muted).where(Seat.campaign_id == bindparam("campaign"))


def muted_seats(session: Session, snapshot: CampaignSnapshot) -> Mapping[int, frozenset[SeatName]]:
    """Return the seats that each seat has muted, by the id of the seat; seats that muted none are left out."""
    rows = flushed_connection(session).execute(_MUTED, {"campaign": snapshot.id})
    return {id_: frozenset(muted) for id_, muted in rows if muted}


def is_muted(piece: PressItem, muted: Collection[SeatName]) -> bool:
    """Return True if a seat that muted these does not get the piece; the author of an unsigned one does not count."""
    if piece.sender is None:
        return False
    # By the byline alone: muting must not disclose the author of an unsigned message.
    return (piece.byline or UNSIGNED) in muted


PressVersion = tuple[int, ...]
"""Numbers and newest ids of press, announcements, disclosed queries, questions and answers of a campaign.

It changes when any are added or deleted. The ids are needed since a text that
replaces another leaves the number as it was.
"""

NOTHING_SAID: PressVersion = (0,) * 10


@dataclass(frozen=True, slots=True)
class Carried:
    """A piece of press that goes with reports, and the turn that was open when it was written."""

    turn: int
    piece: PressItem

    def quote(self) -> QuotedText:
        """Return the piece as its readers see it."""
        return QuotedText(by=self.piece.byline, to=self.piece.to or (), text=self.piece.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PressForTurn:
    """All press for the reports that open turn `number`.

    `since` has the turn that the last report before opened, by the id of its seat.
    `texts` are the GM's: turn, the id of a seat or None for all, words. `looks` are the
    disclosed queries in the journal, and `notes` what happened to the home: turn, words.
    `labels` has the names of the turns in these, by the id of a seat.
    """

    number: int
    since: Mapping[int, int] = field(default_factory=dict)
    carried: tuple[Carried, ...] = ()
    texts: tuple[tuple[int, int | None, str], ...] = ()
    looks: tuple[tuple[int, str], ...] = ()
    notes: tuple[tuple[int, str], ...] = ()
    labels: Mapping[int, Labels] = field(default_factory=dict)
    muted: Mapping[int, frozenset[SeatName]] = field(default_factory=dict)
    diaries: tuple[QuotedText, ...] = ()
    questions: QuestionsForTurn = field(default_factory=QuestionsForTurn)

    def words(self, place: SeatView) -> PressSection:
        """Return the press for the report of a seat."""
        mine = list(self._carry(place))
        letters = [each.quote() for each in mine if each.piece.kind == PRESS]
        unsigned = [said for said in letters if not said.by]
        return PressSection(
            gm_texts=tuple(self._texts(place)),
            questions=tuple(self.questions.texts(place)),
            notes=tuple(f"{said[:1].upper()}{said[1:]}." for said in self._count(place, self.notes)),
            looks=tuple(self._looks(place)),
            news=tuple(each.quote() for each in mine if each.piece.kind == NEWS),
            # Sorted by text: the position among the others would disclose when an unsigned message was written.
            press=(*(said for said in letters if said.by), *sorted(unsigned, key=lambda said: said.text)),
            diaries=self.diaries,
        )

    def _carry(self, place: SeatView) -> Iterator[Carried]:
        since, muted = self.since.get(place.id, 0), self.muted.get(place.id, frozenset())
        for each in self.carried:
            if since <= each.turn < self.number and is_for(each.piece, place) and not is_muted(each.piece, muted):
                yield each

    def _texts(self, place: SeatView) -> Iterator[str]:
        since = self.since.get(place.id, 0)
        # `turn` of an announcement is the turn that its reports open, that of press the turn in which it was written.
        for turn, seat_id, text in self.texts:
            if since < turn <= self.number and seat_id in (None, place.id):
                yield text

    def _looks(self, place: SeatView) -> Iterator[str]:
        for text, times in self._count(place, self.looks).items():
            yield f"The GM {text}" + (f" ({times} times)." if times > 1 else ".")

    def _count(self, place: SeatView, entries: tuple[tuple[int, str], ...]) -> Counter[str]:
        since = self.since.get(place.id, 0)
        labels = self.labels.get(place.id, {})
        return Counter(relabel(text, labels) for turn, text in entries if since <= turn < self.number)


def _count_and_newest(
    words: type[Press | Announcement | JournalEntry | Question | QuestionAnswer], *which: ColumnElement[bool]
) -> tuple[ScalarSelect[int], ...]:
    """Return the number of rows and the newest id, as subqueries."""
    mine = (words.campaign_id == bindparam("campaign"), *which)
    numbers = (func.count(words.id), func.coalesce(func.max(words.id), 0))
    return tuple(select(number).where(*mine).scalar_subquery() for number in numbers)


_VERSION = select(
    *_count_and_newest(Press),
    *_count_and_newest(Announcement),
    *_count_and_newest(JournalEntry, JournalEntry.turn.is_not(None)),
    *_count_and_newest(Question),
    *_count_and_newest(QuestionAnswer),
)


def press_version(session: Session, campaign_id: int) -> PressVersion:
    """Return the version of a campaign's press, for comparison."""
    return tuple(flushed_connection(session).execute(_VERSION, {"campaign": campaign_id}).one())


def load_press(session: Session, snapshot: CampaignSnapshot, number: int, *, over: bool) -> PressForTurn:
    """Return the press for the reports that open a turn; when the game is `over`, they have all diaries."""
    # In most turns of most campaigns there is no press: one query instead of several.
    if press_version(session, snapshot.id) == NOTHING_SAID:
        return PressForTurn(number=number)
    since = _last_told(session, snapshot, number)
    first = min(since.values(), default=0)
    looks, notes = _load_disclosed(session, snapshot)
    texts = [text for _, text in (*looks, *notes)]
    return PressForTurn(
        number=number,
        since=since,
        carried=tuple(_load_carried(session, snapshot, first)),
        texts=tuple(_load_texts(session, snapshot, first)),
        looks=looks,
        notes=notes,
        labels=labels_named(session, snapshot, [place.id for place in snapshot.places], texts),
        muted=muted_seats(session, snapshot),
        diaries=tuple(_load_diaries(session, snapshot)) if over else (),
        questions=QuestionsForTurn(number, since, load_questions(session, snapshot)),
    )


def _last_told(session: Session, snapshot: CampaignSnapshot, number: int) -> dict[int, int]:
    last = (
        select(Report.seat_id, func.max(Turn.number))
        .join(Turn, Turn.id == Report.turn_id)
        .where(is_current(snapshot.id), Turn.number < number)
        .group_by(Report.seat_id)
    )
    return {row[0]: row[1] for row in session.execute(last)}


def _load_carried(session: Session, snapshot: CampaignSnapshot, first: int) -> Iterator[Carried]:
    places = {place.id: place for place in snapshot.places}
    carried = (Press.campaign_id == snapshot.id, Press.kind != DIARY, Press.published_at.is_(None))
    for row in session.scalars(select(Press).where(*carried, Press.turn >= first).order_by(Press.id)):
        yield Carried(row.turn, _press_item(row, places))


def _load_texts(session: Session, snapshot: CampaignSnapshot, first: int) -> Iterator[tuple[int, int | None, str]]:
    texts = (
        select(Announcement)
        .where(Announcement.campaign_id == snapshot.id, Announcement.turn > first)
        .order_by(Announcement.id)
    )
    for row in session.scalars(texts):
        yield row.turn, row.seat_id, row.text


def _load_disclosed(
    session: Session, snapshot: CampaignSnapshot
) -> tuple[tuple[tuple[int, str], ...], tuple[tuple[int, str], ...]]:
    """Return turn and text of the entries that reports tell: those of the GM, and those of the host."""
    told = (JournalEntry.campaign_id == snapshot.id, JournalEntry.turn.is_not(None))
    columns = select(JournalEntry.turn, JournalEntry.text, JournalEntry.actor)
    rows = session.execute(columns.where(*told).order_by(JournalEntry.id)).all()
    looks, notes = (
        [(turn or 0, text) for turn, text, actor in rows if (actor == HOST) is host] for host in (False, True)
    )
    return tuple(looks), tuple(notes)


def _load_diaries(session: Session, snapshot: CampaignSnapshot) -> Iterator[QuotedText]:
    """Yield all diaries, in the order of seats and as they were written."""
    diaries = (
        select(Seat.id, Seat.name, Press.text, Press.turn)
        .join(Seat, Seat.id == Press.sender_id)
        .where(Press.campaign_id == snapshot.id, Press.kind == DIARY)
        .order_by(Press.sender_id, Press.id)
    )
    for (id_, seat), entries in groupby(session.execute(diaries).all(), key=lambda row: (row[0], row[1])):
        labels = load_turn_labels(session, snapshot, id_)
        for _, _, text, turn in entries:
            yield QuotedText(by=seat, text=text, label=turn_label(labels, turn))


def _press_item(row: Press, places: Mapping[int, SeatView]) -> PressItem:
    return PressItem(
        kind=row.kind,
        sender=places[row.sender_id] if row.sender_id is not None else None,
        text=row.text,
        to=tuple(row.recipients) if row.recipients is not None else None,
        unsigned=row.anonymous,
    )
