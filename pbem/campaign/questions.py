"""Questions of players to their GM, and the GM's answers: storage, and inclusion in reports.

The numbers of questions are for the GM alone, since they tell how many were asked.
Those who read a question of another seat are not told whose it was.

Reports bring what was asked and answered since the seat's last report, by the turns
that were open then. So a turn that is run again brings the same.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.campaign.snapshot import CampaignSnapshot, SeatView
from pbem.report.facts import QuestionText
from pbem.ruleset.values import SeatName
from pbem.store.models import Question, QuestionAnswer


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of the GM. `turn` was open when it was given; `to` are the seats that got it, None for all."""

    turn: int
    at: dt.datetime
    text: str
    to: tuple[SeatName, ...] | None

    def is_for(self, seat: SeatName) -> bool:
        """Return True if a seat got it."""
        return self.to is None or seat in self.to


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to the GM, with its answers, the last of which counts; `author` is "player" or "deputy"."""

    id: int
    number: int
    turn: int
    at: dt.datetime
    seat: SeatName
    author: str
    text: str
    answers: tuple[Answered, ...]

    @property
    def answer(self) -> Answered | None:
        """The answer that counts."""
        return self.answers[-1] if self.answers else None


def load_questions(session: Session, snapshot: CampaignSnapshot) -> tuple[Asked, ...]:
    given: dict[int, list[Answered]] = {}
    answers = select(QuestionAnswer).where(QuestionAnswer.campaign_id == snapshot.id).order_by(QuestionAnswer.id)
    for row in session.scalars(answers):
        to = None if row.recipients is None else tuple(row.recipients)
        given.setdefault(row.question_id, []).append(Answered(row.turn, row.at, row.text, to))
    seats = {place.id: place.seat for place in snapshot.places}
    asked = select(Question).where(Question.campaign_id == snapshot.id).order_by(Question.number)
    return tuple(
        Asked(
            id=row.id,
            number=row.number,
            turn=row.turn,
            at=row.at,
            seat=seats[row.seat_id],
            author=row.author,
            text=row.text,
            answers=tuple(given.get(row.id, ())),
        )
        for row in session.scalars(asked)
    )


def unanswered_questions(session: Session, snapshot: CampaignSnapshot) -> tuple[Asked, ...]:
    """Return the questions that wait for an answer of the GM, by their numbers."""
    return tuple(each for each in load_questions(session, snapshot) if each.answer is None)


def next_number(session: Session, snapshot: CampaignSnapshot) -> int:
    """Return the number of the next question. Call with the campaign locked."""
    return 1 + (session.scalar(select(func.max(Question.number)).where(Question.campaign_id == snapshot.id)) or 0)


def questions_today(session: Session, place: SeatView, now: dt.datetime) -> int:
    """Return how many questions a seat has asked within a day."""
    lately = (Question.seat_id == place.id, Question.at > now - dt.timedelta(days=1))
    return session.scalar(select(func.count()).select_from(Question).where(*lately)) or 0


@dataclass(frozen=True, slots=True)
class QuestionsForTurn:
    """All questions for the reports that open turn `number`; `since` is as in `pbem.campaign.press`."""

    number: int = 0
    since: Mapping[int, int] = field(default_factory=dict)
    asked: tuple[Asked, ...] = ()

    def texts(self, place: SeatView) -> Iterator[QuestionText]:
        """Yield the seat's own questions since its last report, and all answers to it since then."""
        since = self.since.get(place.id, 0)
        for each in self.asked:
            own = each.seat == place.seat
            # By the turns in which they were given, so that a turn that is run again has the answer it had.
            before = [answer for answer in each.answers if answer.turn < self.number]
            answer = before[-1] if before else None
            told = answer is not None and answer.is_for(place.seat)
            fresh = (told and answer is not None and since <= answer.turn) or (own and since <= each.turn < self.number)
            if fresh:
                yield QuestionText(own=own, text=each.text, answer=answer.text if told and answer else "")
