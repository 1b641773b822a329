"""The replay of a game that is over: every turn as each seat was told it, and what was true.

It is made of what was mailed and recorded: the views, the orders of the records,
the words of people. A page has the course of the game; each opening is a file
beside it, which the page loads when it is looked at, so that a long game costs
no more memory than a short one. Such a file is a script, since pages opened
from a disk can load nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.campaign.history import orders_told
from pbem.campaign.press.pieces import DIARY, LETTER
from pbem.campaign.snapshot import CampaignSnapshot, live
from pbem.house import House
from pbem.report.pictures import UnfitPicture, check
from pbem.ruleset import AnyRuleset, Json, Order, Picture, Seat, View, live_svg
from pbem.site.folder import SiteFolder
from pbem.site.known import ALL
from pbem.store.models import Press, Report, SeatRow, Turn

GROUND = "\x01"
"""Stands in a picture for its ground, which many share; no XML has it otherwise."""

MOST_SEATS = 24
"""Seats whose eyes a replay opens; of a larger game, those of so many that came first."""

MOST_TOGETHER = 12
"""Seats up to which a moment is also shown as all of them saw it together."""


@dataclass(slots=True)
class Course:
    """The course of a game, for the page: its openings, and scores by seat: one for each opening, None where untold."""

    seats: tuple[Seat, ...]
    moments: list[Json] = field(default_factory=list)
    scores: dict[Seat, list[int | None]] = field(default_factory=dict)
    of: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    """A piece of press as the replay has it; `turn` was open when it was written."""

    turn: int
    data: Json


def write_replay(session: Session, house: House, snapshot: CampaignSnapshot, folder: SiteFolder, home: str) -> Course:
    """Writes the files of all openings below `home`; returns what their page needs to know of them."""
    ruleset = house.game(snapshot.game)
    seats = snapshot.seats[:MOST_SEATS]
    course = Course(seats, scores={seat: [] for seat in seats})
    said = _words(session, snapshot)
    before: Mapping[str, Any] = {}
    for turn_id, number, at, record in _turns(session, snapshot):
        views = _views(session, turn_id, seats)
        if views:
            label = str(next(iter(views.values()))["label"])
            opening = _Opening(house, ruleset, snapshot, views, before)
            data = {"number": number, "label": label, "seats": opening.seats(), "all": opening.together()}
            data["words"] = [each.data for each in said if each.turn == number - 1]
            data["diaries"] = [each.data for each in said if each.turn == number and each.data["kind"] == DIARY]
            data["words"] = [each for each in data["words"] if each["kind"] != DIARY]
            for key, ground in opening.grounds.items():
                folder.write(f"{home}/grounds/{key}.js", _script("ground", key, ground))
            folder.write(f"{home}/turns/{number:04d}.js", _script("turn", number, data))
            course.moments.append({"number": number, "label": label, "at": at.isoformat()})
            _score(course, views, opening.scores)
        before = json.loads(record) if record else {}
    return course


def _turns(session: Session, snapshot: CampaignSnapshot) -> Iterator[Any]:
    ids = session.scalars(select(Turn.id).where(live(snapshot.id)).order_by(Turn.number)).all()
    for id_ in ids:
        yield session.execute(select(Turn.id, Turn.number, Turn.opened_at, Turn.record).where(Turn.id == id_)).one()


def _views(session: Session, turn_id: int, seats: Sequence[Seat]) -> dict[Seat, View]:
    rows = session.execute(
        select(SeatRow.name, Report.view)
        .join(SeatRow, SeatRow.id == Report.seat_id)
        .where(Report.turn_id == turn_id, SeatRow.name.in_(seats))
        .order_by(SeatRow.id)
    )
    return {seat: json.loads(view) for seat, view in rows}


def _words(session: Session, snapshot: CampaignSnapshot) -> list[_Said]:
    """News and diaries, and where the house rules say so letters."""
    rows = session.execute(
        select(Press, SeatRow.name)
        .outerjoin(SeatRow, SeatRow.id == Press.sender_id)
        .where(Press.campaign_id == snapshot.id)
        .order_by(Press.id)
    )
    return [
        _Said(
            piece.turn,
            {
                "kind": piece.kind,
                "by": "" if piece.anonymous else seat or "the GM",
                "to": piece.recipients or [],
                "text": piece.text,
            },
        )
        for piece, seat in rows
        if piece.kind != LETTER or snapshot.policy.site == ALL
    ]


class _Opening:
    """One opening: the reports that were mailed then, and what came of the orders before."""

    def __init__(
        self,
        house: House,
        ruleset: AnyRuleset,
        snapshot: CampaignSnapshot,
        views: Mapping[Seat, View],
        before: Mapping[str, Any],
    ) -> None:
        self._house, self._ruleset, self._snapshot, self._views = house, ruleset, snapshot, views
        self._orders = orders_told(before, ruleset.orders)
        self._missing = before.get("missing", ())
        self.grounds: dict[str, str] = {}
        self.scores: Mapping[Seat, int] = {}

    def seats(self) -> Json:
        """What each seat was told."""
        return {seat: self._seat(seat, view) for seat, view in self._views.items()}

    def together(self) -> Json:
        """What was true, as far as all views show it together; None where the game does not say."""
        if len(self._snapshot.seats) > MOST_TOGETHER:
            return None
        panorama = self._ruleset.together(self._views)
        if panorama is None:
            return None
        self.scores = panorama.scores
        return {"pictures": [*self._pictures(panorama.pictures)], "scores": dict(panorama.scores), "of": panorama.of}

    def _seat(self, seat: Seat, view: View) -> Json:
        pictures = list(self._pictures(self._ruleset.pictures(view)))
        return {
            "brief": list(self._ruleset.brief(view)),
            "happened": self._house.reporter.happened(self._ruleset, view),
            "orders": list(self._ordered(view, self._orders.get(seat, ()))),
            "missed": seat in self._missing,
            "pictures": pictures,
            "map": "" if pictures else self._ruleset.text_map(view),
        }

    def _ordered(self, view: View, orders: Sequence[Order]) -> Iterator[Json]:
        """Each order as it is written, in words, and what became of it."""
        book = self._ruleset.orders
        for order, became in zip(orders, self._ruleset.became(view, orders), strict=True):
            yield [book.line(order), order.words(), became]

    def _pictures(self, pictures: Sequence[Picture]) -> Iterator[Json]:
        for picture in pictures:
            try:
                check(picture)
            except UnfitPicture:
                continue
            shown, ground = live_svg(picture), picture.drawing.ground.body if picture.drawing else ""
            key = hashlib.sha256(ground.encode()).hexdigest()[:12] if ground else ""
            self.grounds |= {key: ground} if key else {}
            svg = shown.replace(ground, GROUND, 1) if key else shown
            yield {"name": picture.name, "title": picture.title, "ground": key, "svg": svg}


def _score(course: Course, views: Mapping[Seat, View], together: Mapping[Seat, int]) -> None:
    for seat in course.seats:
        told = views[seat].get("memory", {}).get("scores") if seat in views else None
        course.of = course.of or (told["of"] if told else "")
        score = told["turns"][-1][1] if told and told["turns"] else together.get(seat) if seat in views else None
        course.scores[seat].append(score)


def _script(what: str, key: int | str, data: Json) -> str:
    """A call that hands data to the page that has asked for it."""
    return f"pbem.{what}({json.dumps(key)},{json.dumps(data, ensure_ascii=False, separators=(',', ':'))})\n"
