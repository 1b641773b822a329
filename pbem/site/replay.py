"""Replay pages of finished games: every turn as each seat saw it, and the full state.

A replay is made from mailed and recorded data: the views, the orders of the
records, the press. A page has the course of the game; each opening is a file
beside it, loaded when it is shown, so that a long game costs no more memory than a
short one. Such a file is a script, since pages opened from a disk can load nothing
else.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.files import AttachmentStore, attachments_of
from pbem.campaign.history import orders_disclosed
from pbem.campaign.press import DIARY, PRESS
from pbem.campaign.questions import load_questions
from pbem.campaign.snapshot import CampaignSnapshot, is_current
from pbem.report.attachments import raster_svg
from pbem.report.pictures import PictureError, check_svg
from pbem.report.renderer import Renderer
from pbem.report.typed_text import elements
from pbem.ruleset.drawing import Picture, interactive_svg
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Json, SeatName, View
from pbem.site.data import FULL, MOST_TOGETHER, SiteFolder
from pbem.site.moves import Knowledge, Move, draw_moves, read_moves
from pbem.store.models import Press, Report, Seat, Turn

GROUND = "\x01"
"""Placeholder in a picture for its background, which many share; XML never has this character."""

MOST_SEATS = 24
"""Seats whose views a replay has; of a larger game, the first ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayStep:
    """An opening: its time, the views of the seats that had a report, and the record of the turn before.

    `words` is the press up to then, for its reports; `diaries` are those written while the turn was open.
    """

    number: int
    at: dt.datetime
    views: Mapping[SeatName, View]
    before: Mapping[str, Any]
    words: Sequence[Json] = ()
    diaries: Sequence[Json] = ()

    @property
    def label(self) -> str:
        """The label of the turn in reports."""
        return str(next(iter(self.views.values()))["label"])


class Replay:
    """Writes the files of a replay below a path of a site, and collects the data of its page.

    `attachments` makes a new store of the GM's attachments for each opening. `moments` are
    the openings; `scores` have one for each of them, None where a seat had no report.
    `has_moves`: orders are drawn on pictures of at least one.
    """

    def __init__(
        self,
        reporter: Renderer,
        ruleset: AnyRuleset,
        seats: Sequence[SeatName],
        folder: SiteFolder,
        home: str,
        attachments: Callable[[], AttachmentStore] | None = None,
    ) -> None:
        self._reporter, self._ruleset, self._folder, self._home = reporter, ruleset, folder, home
        self._attachments = attachments
        self.seats = tuple(seats[:MOST_SEATS])
        self._together = len(seats) <= MOST_TOGETHER
        self.moments: list[Json] = []
        self.scores: dict[SeatName, list[int | None]] = {seat: [] for seat in self.seats}
        self.of = ""
        self.has_moves = False
        self._known: dict[SeatName, Knowledge] = {}

    def add(self, moment: ReplayStep) -> None:
        """Write the file of one opening, and the backgrounds that its pictures need."""
        attachments = self._attachments() if self._attachments else None
        opening = _Opening(self._reporter, self._ruleset, moment, self._known, attachments)
        # Before what all see together, whose picture has the moves of all.
        seats = opening.seats()
        together = opening.together() if self._together else None
        self._known |= opening.known
        self.has_moves = self.has_moves or opening.has_moves
        data = {"number": moment.number, "label": moment.label, "seats": seats, "all": together}
        data |= {"words": list(map(_with_elements, moment.words)), "diaries": list(map(_with_elements, moment.diaries))}
        for key, ground in opening.grounds.items():
            self._folder.write(f"{self._home}/grounds/{key}.js", _data_script("ground", key, ground))
        self._folder.write(f"{self._home}/turns/{moment.number:04d}.js", _data_script("turn", moment.number, data))
        self.moments.append({"number": moment.number, "label": moment.label, "at": moment.at.isoformat()})
        self._keep_scores(moment.views, opening)

    def _keep_scores(self, views: Mapping[SeatName, View], opening: _Opening) -> None:
        """Append the scores of an opening: those that the seat's view remembers, else the public ones."""
        self.of = self.of or opening.of
        for seat in self.seats:
            told = views[seat].get("memory", {}).get("scores") if seat in views else None
            self.of = self.of or (told["of"] if told else "")
            own = told["turns"][-1][1] if told and told["turns"] else opening.scores.get(seat)
            self.scores[seat].append(own if seat in views else None)


def write_replay(session: Session, app: App, snapshot: CampaignSnapshot, folder: SiteFolder, home: str) -> Replay:
    """Write the files of all openings of a game that is over."""
    replay = Replay(
        app.reporter,
        app.game(snapshot.game),
        snapshot.seats,
        folder,
        home,
        lambda: AttachmentStore(session, snapshot.id),
    )
    said = [*_load_press(session, snapshot), *_load_answers(session, snapshot)]
    before: Mapping[str, Any] = {}
    for turn_id, number, at, record in _load_turns(session, snapshot):
        views = _load_views(session, turn_id, replay.seats)
        if views:
            words = [each.data for each in said if each.turn == number - 1 and each.data["kind"] != DIARY]
            diaries = [each.data for each in said if each.turn == number and each.data["kind"] == DIARY]
            replay.add(ReplayStep(number=number, at=at, views=views, before=before, words=words, diaries=diaries))
        before = json.loads(record) if record else {}
    return replay


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of press as the replay has it; `turn` was open when it was written."""

    turn: int
    data: Json


def _load_turns(session: Session, snapshot: CampaignSnapshot) -> Iterator[Any]:
    # One turn at a time: the records of a long game would fill the memory together.
    ids = session.scalars(select(Turn.id).where(is_current(snapshot.id)).order_by(Turn.number)).all()
    for id_ in ids:
        yield session.execute(select(Turn.id, Turn.number, Turn.opened_at, Turn.record).where(Turn.id == id_)).one()


def _load_views(session: Session, turn_id: int, seats: Sequence[SeatName]) -> dict[SeatName, View]:
    rows = session.execute(
        select(Seat.name, Report.view)
        .join(Seat, Seat.id == Report.seat_id)
        .where(Report.turn_id == turn_id, Seat.name.in_(seats))
        .order_by(Seat.id)
    )
    return {seat: json.loads(view) for seat, view in rows}


def _load_press(session: Session, snapshot: CampaignSnapshot) -> list[_Piece]:
    """Load news and diaries, and press where the house rules say so; unsigned pieces come last."""
    rows = session.execute(
        select(Press, Seat.name)
        .outerjoin(Seat, Seat.id == Press.sender_id)
        .where(Press.campaign_id == snapshot.id)
        .order_by(Press.id)
    ).all()
    # In the order of their texts: their places among the others would disclose when they were written.
    unsigned = sorted((row for row in rows if row.Press.anonymous), key=lambda row: str(row.Press.text))
    return [
        _Piece(
            piece.turn,
            {
                "kind": piece.kind,
                "by": "" if piece.anonymous else seat or "the GM",
                "to": piece.recipients or [],
                "text": piece.text,
            },
        )
        for piece, seat in [*(row for row in rows if not row.Press.anonymous), *unsigned]
        if piece.kind != PRESS or snapshot.policy.site == FULL
    ]


def _load_answers(session: Session, snapshot: CampaignSnapshot) -> Iterator[_Piece]:
    """Yield the questions to the GM that were answered, with the answers: those to all, and others as press."""
    for asked in load_questions(session, snapshot):
        answer = asked.answer
        if answer is not None and (answer.to is None or snapshot.policy.site == FULL):
            # Whose question it was is not told to others, before the end or after.
            for by, text in (("a player", asked.text), ("the GM", answer.text)):
                data = {"kind": "question", "by": by, "to": list(answer.to or ()), "text": text}
                yield _Piece(answer.turn, data)


class _Opening:
    """Data of one opening: the reports that were mailed then, and the outcomes of the orders before."""

    def __init__(
        self,
        reporter: Renderer,
        ruleset: AnyRuleset,
        moment: ReplayStep,
        before: Mapping[SeatName, Knowledge],
        attachments: AttachmentStore | None = None,
    ) -> None:
        self._before, self._moves = before, list[Move]()
        self.known: dict[SeatName, Knowledge] = {}
        self.has_moves = False
        self._reporter, self._ruleset, self._views, self._attachments = reporter, ruleset, moment.views, attachments
        self._orders = orders_disclosed(moment.before, ruleset.orders)
        self._missing = moment.before.get("missing", ())
        self.grounds: dict[str, str] = {}
        self.scores: Mapping[SeatName, int] = {}
        self.of = ""

    def seats(self) -> Json:
        return {seat: self._seat(seat, view) for seat, view in self._views.items()}

    def together(self) -> Json:
        """Return what all views together show; None where the game has no such view."""
        panorama = self._ruleset.full_view(self._views)
        if panorama is None:
            return None
        self.scores, self.of = panorama.scores, panorama.of
        pictures = [*self._pictures(panorama.pictures, self._moves)]
        return {"pictures": pictures, "scores": dict(panorama.scores)}

    def _seat(self, seat: SeatName, view: View) -> Json:
        shown = self._ruleset.pictures(view)
        moves = self._read_moves(seat, view, shown)
        pictures = [*self._pictures(shown, moves), *self._attached_pictures(view)]
        said = self._reporter.sentences(self._ruleset, view, self._orders.get(seat, ()))
        return {
            "brief": list(said.headlines),
            "happened": said.events,
            "orders": [[order.typed, order.words, order.told] for order in said.orders],
            "missed": seat in self._missing,
            "pictures": pictures,
            "map": "" if pictures else self._ruleset.text_map(view),
        }

    def _attached_pictures(self, view: View) -> Iterator[Json]:
        """Yield the pictures that the GM has shown the seat. Each is a background, since many openings may have it."""
        contents = self._attachments.of(self._ruleset, view) if self._attachments else {}
        shown = {
            each.sha256: each for each in attachments_of(self._ruleset, view) if each.shown and each.sha256 in contents
        }
        for key, each in shown.items():
            ground, head = raster_svg(each, contents[key])
            self.grounds[key[:12]] = ground
            yield {"name": each.title, "title": each.title, "ground": key[:12], "svg": f"{head}{GROUND}</svg>"}

    def _read_moves(self, seat: SeatName, view: View, pictures: Sequence[Picture]) -> tuple[Move, ...]:
        now = Knowledge(view, tuple(spot for picture in pictures for spot in picture.spots))
        self.known[seat] = now
        moves = read_moves(self._ruleset, seat, self._orders.get(seat, ()), self._before.get(seat, Knowledge()), now)
        self._moves += moves
        return moves

    def _pictures(self, pictures: Sequence[Picture], moves: Sequence[Move]) -> Iterator[Json]:
        for picture in pictures:
            try:
                check_svg(picture)
            except PictureError:
                continue
            shown, ground = interactive_svg(picture), picture.drawing.ground.body if picture.drawing else ""
            key = hashlib.sha256(ground.encode()).hexdigest()[:12] if ground else ""
            self.grounds |= {key: ground} if key else {}
            svg = shown.replace(ground, GROUND, 1) if key else shown
            drawn = draw_moves(picture.spots, moves) if moves else None
            self.has_moves = self.has_moves or drawn is not None
            yield {"name": picture.name, "title": picture.title, "ground": key, "svg": svg} | (
                {"moves": drawn} if drawn else {}
            )


def _with_elements(said: Json) -> Json:
    """Return a piece of press with its text as the elements that a page makes of it."""
    return said | {"text": [each.data for each in elements(said["text"])]}


def _data_script(what: str, key: int | str, data: Json) -> str:
    """Return a call that hands data to the page that has requested them."""
    # Without escapes for HTML: it is a file of its own, in which no text can end a <script>.
    return f"pbem.{what}({json.dumps(key)},{json.dumps(data, ensure_ascii=False, separators=(',', ':'))})\n"
