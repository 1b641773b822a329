"""Questions of players to their GM, and the GM's answers.

A question is mailed to the GM at once, with a code by which a plain reply is its
answer. An answer goes at once to the seats that it is for; those other than the one
that asked read the question too, and not whose it was. A second answer replaces the
first, which has been mailed: so it is asked about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pbem.actions.arguments import NUMBER, SURE, GmCommand, SeatCommand, TextBlock, Wish
from pbem.actions.base import Channel, PreviewedChange, Query, TextResult
from pbem.actions.press import mask_notes, render_question
from pbem.actions.press_delivery import PIECES_A_TURN
from pbem.actions.weight import Confirmed, Harmless
from pbem.actions.welcome import find_report
from pbem.campaign.history import current_turn_label
from pbem.campaign.notices import GM, post
from pbem.campaign.people import deputies_of
from pbem.campaign.press import sanitise_text
from pbem.campaign.questions import Asked, load_questions, next_number, questions_today
from pbem.campaign.snapshot import Context, SeatView, add_entry, find_seat_view
from pbem.errors import CampaignError
from pbem.mail.headers import reply_code
from pbem.report import small
from pbem.ruleset.fields import KeywordField
from pbem.ruleset.values import SeatName
from pbem.store.models import Question, QuestionAnswer
from pbem.store.types import Author
from pbem.text import count_noun, join_names, quote_block, shorten

ALL, ALLIES, SENDER = "ALL", "ALLIES", "SENDER"
AUDIENCES = (ALL, ALLIES, SENDER)
"""Those whom an answer is for: all seats; the asking seat and its allies; or that seat alone."""

_EXCERPT = 200


_WISH = re.compile(
    r"\b(?:(?:can|could|may|might) i|i would|id|let me)(?: please)?(?: (?:like|love|prefer|rather))?(?: to)? "
    r"(?:be|play|have|get|take|(?:swap|switch|change)(?: seats)? (?:to|with))(?: as)?(?: the)?(?: seat)? ([\w-]{1,20}+)"
)
"""A wish for another seat, in small letters and without punctuation."""

_LONGEST_WISH = 500

_MARKS = re.compile(r"[^\w\s-]++")


def may_wish(text: str) -> bool:
    """Return True if a text may wish for another seat, whatever the seats are called."""
    return _WISH.search(_plain(text)) is not None


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text[:_LONGEST_WISH].lower()).split())


def wished_seat(text: str, own: SeatName, seats: Sequence[SeatName]) -> SeatName:
    """Return the other seat that a player wishes to have, as in "could I be blue?"; "" if there is none."""
    found = _WISH.findall(_plain(text))
    return next((seat for seat in found if seat in seats and seat != own), "")


@dataclass(frozen=True, slots=True)
class AskGm(SeatCommand):
    """Write to your GM; what stands below is mailed there, with your seat and turn."""

    usage = "ASK GM"
    takes_text = True
    for_deputies = True
    weight = Harmless("words that are sent overwrite nothing")

    def do(self, context: Context) -> TextResult:
        """Keep the question, and mail it to the GM, in a mail that the GM can answer."""
        session, snapshot, now = context.session, context.snapshot, context.now
        own, passed = find_seat_view(snapshot, self.seat), sanitise_text(self.text)
        if questions_today(session, own, now) >= PIECES_A_TURN:
            raise CampaignError(
                f"you have asked {PIECES_A_TURN} times in a day, and no more is mailed: write to {snapshot.gm_shown}"
            )
        number, label = next_number(session, snapshot), current_turn_label(session, snapshot, own.id)
        # The time too, since a home restored from a backup gives numbers again.
        moment = (number, now.isoformat())
        code = reply_code(snapshot.mail_key, "question", *moment)
        page = small.player_question(
            campaign=snapshot.name,
            number=number,
            by=own.seat,
            deputy=self.deputy,
            label=label,
            text=passed.text,
            alliances=_load_allies(context, own.seat) is not None,
            wish=wished_seat(passed.text, own.seat, snapshot.seats),
        )
        session.add(
            Question(
                campaign_id=snapshot.id,
                number=number,
                turn=snapshot.turn,
                seat_id=own.id,
                author=Author.DEPUTY if self.deputy else Author.PLAYER,
                text=passed.text,
                at=now,
                code=code,
                message_id=post(context, GM, page, id_=("ask gm", snapshot.name, *moment), code=code),
            )
        )
        session.flush()
        said = shorten(" ".join(passed.text.split()), _EXCERPT)
        # Secret, as the number tells how many were asked.
        add_entry(session, snapshot.id, now, actor=own.seat, text=f"has asked question {number}: {said}", secret=True)
        readers = join_names([own.address, *([self.deputy] if self.deputy else [])])
        sent = f"Mailed to your GM, {snapshot.gm_shown}. The answer comes to {readers}."
        return TextResult("\n".join([sent, *mask_notes(passed)]))


@dataclass(frozen=True, slots=True)
class QuestionList:
    """Questions of a campaign, by their numbers."""

    campaign: str
    questions: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """An answer, and the seats that it is for; `before` is the one that it replaces, if any."""

    campaign: str
    number: int
    seat: SeatName
    to: tuple[SeatName, ...]
    text: str
    before: str = ""
    before_to: tuple[SeatName, ...] = ()


@dataclass(frozen=True, slots=True)
class ShowQuestions(Query[QuestionList]):
    """Show the questions to the GM: that of a number, or all."""

    number: int | None = None

    def look(self, context: Context) -> QuestionList:
        """Return the questions. Raises CampaignError if there is none of this number."""
        snapshot = context.snapshot
        if self.number is not None:
            return QuestionList(snapshot.name, (_find_question(context, self.number),))
        return QuestionList(snapshot.name, load_questions(context.session, snapshot))

    def render(self, facts: QuestionList, channel: Channel) -> Iterator[str]:
        name, waiting = facts.campaign, [each for each in facts.questions if each.answer is None]
        if not facts.questions:
            yield f"No questions in {name}."
        for each in facts.questions:
            yield from render_question(each)
        if waiting:
            number = waiting[0].number
            how = channel.either(
                f"pbem answer {name} {number} --text FILE", f"ANSWER {number}, and your words below it"
            )
            yield f"{count_noun(len(waiting), 'question')} not answered. Answer: {how}"


@dataclass(frozen=True, slots=True)
class AnswerQuestion(PreviewedChange[AnswerResult]):
    """Answer a question: to the seat that asked, to its allies too, or to all."""

    weight = Confirmed("the answer before, which its readers have by mail", "pbem journal NAME")
    number: int
    text: str
    audience: str = SENDER

    def asks(self, context: Context, facts: AnswerResult) -> bool:
        """Return True if there is an answer already."""
        return bool(facts.before)

    def look(self, context: Context) -> AnswerResult:
        """Return whom the answer would reach, and the one that it would replace.

        Raises:
            CampaignError: If there is no such question, no text, or no allies in this game.
        """
        return self._facts(context, _find_question(context, self.number))

    def do(self, context: Context) -> AnswerResult:
        """Keep the answer, and mail it."""
        session, snapshot, now = context.session, context.snapshot, context.now
        asked = _find_question(context, self.number)
        facts = self._facts(context, asked)
        session.add(
            QuestionAnswer(
                campaign_id=snapshot.id,
                question_id=asked.id,
                turn=snapshot.turn,
                recipients=None if self.audience == ALL else list(facts.to),
                text=facts.text,
                at=now,
            )
        )
        session.flush()
        _mail_answer(context, asked, facts, to_all=self.audience == ALL)
        whom = "all" if self.audience == ALL else join_names(facts.to)
        again = f", in place of: {facts.before}" if facts.before else ""
        text = f"answered question {asked.number}, to {whom}{again}"
        add_entry(session, snapshot.id, now, actor="gm", text=text, secret=True)
        return facts

    def _facts(self, context: Context, asked: Asked) -> AnswerResult:
        snapshot, before = context.snapshot, asked.answer
        everybody = tuple(place.seat for place in snapshot.playing)
        to = everybody if self.audience == ALL else (asked.seat,)
        if self.audience == ALLIES:
            allies = _find_allies(context, asked.seat)
            to = tuple(seat for seat in snapshot.seats if seat == asked.seat or seat in allies)
        reached = before.to if before and before.to is not None else everybody if before else ()
        return AnswerResult(
            campaign=snapshot.name,
            number=asked.number,
            seat=asked.seat,
            to=to,
            text=sanitise_text(self.text).text,
            before=before.text if before else "",
            before_to=reached,
        )

    def render(self, facts: AnswerResult, channel: Channel) -> Iterator[str]:
        if facts.before:
            done = "Replaced" if channel.done else "Would replace"
            yield f"{done} your answer to question {facts.number}, which went to {join_names(facts.before_to)}:"
            yield quote_block(facts.before)
        if channel.undone:
            yield channel.undone
            return
        yield f"Question {facts.number} of {facts.seat} is answered, by mail to {join_names(facts.to)}."
        if facts.to != (facts.seat,):
            yield f"The words of the question go along; that {facts.seat} has asked it is not told."


def _find_question(context: Context, number: int) -> Asked:
    known = load_questions(context.session, context.snapshot)
    found = next((each for each in known if each.number == number), None)
    if found is None:
        numbers = join_names([str(each.number) for each in known][-10:]) or "none"
        raise CampaignError(f"{context.snapshot.name} has no question {number}. Questions: {numbers}")
    return found


def _load_allies(context: Context, seat: SeatName) -> frozenset[SeatName] | None:
    """Return the allies of a seat by its newest report; None if the game has no alliances."""
    snapshot = context.snapshot
    report = find_report(context.session, snapshot, find_seat_view(snapshot, seat))
    allies = context.app.game(snapshot.game).allies(json.loads(report.view)) if report is not None else None
    return None if allies is None else frozenset(allies)


def _find_allies(context: Context, seat: SeatName) -> frozenset[SeatName]:
    """Return the allies of a seat, at least one. Raises CampaignError if there are none."""
    snapshot, allies = context.snapshot, _load_allies(context, seat)
    if allies is None:
        raise CampaignError(
            f"there are no alliances in {snapshot.name}, as the game declares none: answer TO ALL, or the sender alone"
        )
    if not allies:
        raise CampaignError(f"{seat} has no allies now: answer the sender alone, or TO ALL")
    return allies


def _mail_answer(context: Context, asked: Asked, facts: AnswerResult, *, to_all: bool) -> None:
    session, snapshot, now = context.session, context.snapshot, context.now
    own = [each.id for each in load_questions(session, snapshot) if each.seat == asked.seat]
    # Not by the number of the question, which depends on what other seats have asked.
    moment = (asked.seat, own.index(asked.id), len(asked.answers), now.isoformat())
    for place in (find_seat_view(snapshot, seat) for seat in facts.to):
        page = small.gm_reply(
            own=place.seat == asked.seat,
            question=asked.text,
            answer=facts.text,
            others=len(facts.to) > 1,
            to_all=to_all,
            again=place.seat in facts.before_to,
        )
        for at, address in enumerate(_addresses(context, asked, place)):
            post(context, address, page, id_=("answer", snapshot.name, *moment, place.seat, at))


def _addresses(context: Context, asked: Asked, place: SeatView) -> tuple[str, ...]:
    """Return the addresses of a seat that get an answer: the player's, and the deputy's who has asked."""
    deputies = deputies_of(context.session, [place.id], context.now).get(place.id, [])
    asking = [each.address for each in deputies] if asked.author == "deputy" and asked.seat == place.seat else []
    return tuple(address for address in dict.fromkeys([place.address, *asking]) if address)


@dataclass(frozen=True, slots=True)
class AnswerCommand(GmCommand):
    """Answer a question with the text below; without TO, the answer goes to the seat that asked.

    Alone it lists the questions; with a number alone it shows one.
    """

    usage = "ANSWER [number] [TO audience] [sure]"
    acts = (AnswerQuestion,)
    takes_text = True
    number: Annotated[str | None, NUMBER] = None
    audience: Annotated[str | None, KeywordField(AUDIENCES)] = None
    sure: Annotated[str | None, SURE] = None

    def wish(self, text: TextBlock) -> Wish:
        number = None if self.number is None else int(self.number)
        if not text.words:
            return ShowQuestions(number)
        if number is None:
            raise CampaignError("which question do you answer? Write its number, such as ANSWER 3")
        return AnswerQuestion(number, text.words, self.audience or SENDER)
