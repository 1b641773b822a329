"""Actions of a player on a seat: leave, pause, deputies, absences and dice words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated
from zoneinfo import ZoneInfo

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from pbem.actions.arguments import ADDRESS, CAMPAIGN, DAY, FreeText, Proof, SeatCommand
from pbem.actions.base import TextResult
from pbem.actions.seats import pause_seat, vacate_seat
from pbem.actions.weight import Confirmed, Reversible
from pbem.actions.welcome import tell_deputies, withdraw_deputy_copies
from pbem.campaign.history import set_dice_word
from pbem.campaign.notices import post
from pbem.campaign.people import DAYS, ENOUGH_CODES, MOST_DAYS, create_request, dismiss, find_person
from pbem.campaign.schedule import start_of_day
from pbem.campaign.snapshot import CampaignSnapshot, Context, SeatView, add_entry, find_seat_view, open_deadline
from pbem.errors import CampaignError
from pbem.mail.headers import require_address
from pbem.report.answers import Confirmation
from pbem.ruleset.base import BaseRuleset
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.models import Absence
from pbem.store.types import CampaignState, RequestKind
from pbem.text import count_noun, format_time


@dataclass(frozen=True, slots=True)
class LeaveSeat(SeatCommand):
    """Give your seat up, or your place on the standby list.

    You are asked whether you mean it; then someone else may take the seat over.
    """

    usage = "LEAVE [campaign]"
    proof = Proof.STRONG
    weight = Confirmed("the seat, to its player", "pbem give NAME SEAT to ADDRESS")
    campaign: Annotated[str | None, CAMPAIGN] = None

    def do(self, context: Context) -> TextResult:
        """Open the seat; the first standby gets it."""
        snapshot, place = context.snapshot, find_seat_view(context.snapshot, self.seat)
        vacate_seat(context, place, "its player has left", actor=place.seat, told=True)
        return TextResult(f"You have given up the seat {place.seat} in {snapshot.name}. Thank you for playing!")


@dataclass(frozen=True, slots=True)
class Pause(SeatCommand):
    """Pause: turns no longer wait for you, until you say RESUME."""

    usage = "PAUSE"
    proof = Proof.STRONG
    weight = Reversible("", "RESUME")

    def do(self, context: Context) -> TextResult:
        snapshot, place = context.snapshot, find_seat_view(context.snapshot, self.seat)
        if not pause_seat(context, place, paused=True, actor=place.seat):
            raise CampaignError(f"your seat {place.seat} in {snapshot.name} was paused already. RESUME ends it")
        return TextResult(
            f"Your seat {place.seat} in {snapshot.name} is paused: turns no longer wait for you, and "
            f"{_describe_defaults(context.app.game(snapshot.game))} unless you send a sheet. "
            "You still get every report. RESUME ends it."
        )


def _describe_defaults(ruleset: AnyRuleset) -> str:
    """Return as a clause what a seat does whose sheet does not come."""
    has_defaults = type(ruleset).defaults is not BaseRuleset.defaults
    return "the game's defaults are used" if has_defaults else "nothing is ordered for you"


@dataclass(frozen=True, slots=True)
class Resume(SeatCommand):
    """End your pause."""

    usage = "RESUME"
    proof = Proof.STRONG
    weight = Reversible("", "PAUSE")

    def do(self, context: Context) -> TextResult:
        snapshot, place = context.snapshot, find_seat_view(context.snapshot, self.seat)
        if not pause_seat(context, place, paused=False, actor=place.seat):
            raise CampaignError(f"your seat {place.seat} in {snapshot.name} was not paused")
        return TextResult(f"Your pause is over: turns of {snapshot.name} wait for {place.seat} again.")


@dataclass(frozen=True, slots=True)
class SetDiceWord(SeatCommand):
    """Choose your word for the dice, until the campaign begins."""

    usage = "DICE said..."
    weight = Reversible("", "DICE said")
    said: Annotated[Sequence[str], FreeText("words", "words", "hello")]

    def do(self, context: Context) -> TextResult:
        """Set the word, replacing any before."""
        place = find_seat_view(context.snapshot, self.seat)
        word = set_dice_word(context.session, context.snapshot, place, self.said, context.now)
        return TextResult(
            f"Your word for the dice of {context.snapshot.name} is now: {word}\n"
            "You may choose another until the campaign begins. Your first report lists the words of all."
        )


@dataclass(frozen=True, slots=True)
class AppointDeputy(SeatCommand):
    """Let someone else send sheets for your seat until the end of a day, from the address you name."""

    usage = "DEPUTY address UNTIL last"
    proof = Proof.STRONG
    weight = Reversible("", "UNDEPUTE")
    address: Annotated[str, ADDRESS]
    last: Annotated[str, DAY]

    def do(self, context: Context) -> TextResult:
        """Mail the deputy a code; their right begins when the code comes back."""
        session, app, snapshot, now = context.session, context.app, context.snapshot, context.now
        place = find_seat_view(snapshot, self.seat)
        address = require_address(self.address, "a deputy", app.settings.address)
        today = now.astimezone(ZoneInfo(snapshot.clock_of(place))).date()
        if not today <= dt.date.fromisoformat(self.last) <= today + dt.timedelta(days=MOST_DAYS):
            raise CampaignError(
                f"a deputy may stand in from today to a day at most {MOST_DAYS} days ahead, not to {self.last}"
            )
        if address.lower() == place.address.lower():
            raise CampaignError("that is your own address: name that of someone else")
        player = find_person(session, place.address)
        assert player is not None
        code = create_request(
            session,
            RequestKind.DEPUTY,
            now,
            to=address,
            by=player.key,
            data={"seat_id": place.id, "person_id": player.id, "address": address, "until": self.last},
            campaign_id=snapshot.id,
            account=self.account,
        )
        if code is None:
            raise CampaignError(ENOUGH_CODES)
        page = Confirmation(
            kind="deputy",
            code=code,
            address=app.settings.address,
            days=DAYS,
            campaign=snapshot.name,
            seat=place.seat,
            game=app.game(snapshot.game).title,
            about=place.address,
            until=self.last,
        )
        post(context, address, page, kind="confirmation", code=code, tagged=False)
        # The answer is the same for known and unknown addresses: it must not tell who plays here.
        asked = f"{address} was asked to stand in for you to the end of {self.last}"
        return TextResult(f"{asked}. You hear of it once that is confirmed.")


@dataclass(frozen=True, slots=True)
class DismissDeputy(SeatCommand):
    """Dismiss your deputy."""

    usage = "UNDEPUTE"
    proof = Proof.STRONG
    weight = Reversible("", "DEPUTY address UNTIL last")

    def do(self, context: Context) -> TextResult:
        """Dismiss the deputy, and notify them."""
        session, snapshot, now = context.session, context.snapshot, context.now
        place = find_seat_view(snapshot, self.seat)
        dismissed = dismiss(session, place, now)
        if not dismissed:
            raise CampaignError(f"{place.seat} in {snapshot.name} has no deputy, and no one is asked to be it any more")
        add_entry(session, snapshot.id, now, actor=place.seat, text="has no deputy any more", secret=True)
        withdraw_deputy_copies(session, place)
        tell_deputies(context, place, dismissed)
        ended = f"{dismissed[0].address} no longer stands in for {place.seat} in {snapshot.name}"
        return TextResult(f"{ended}, and the reports mailed there open your seat no more.")


MOST_ABSENCES = 6
"""The most absences of one seat at a time."""

AHEAD = dt.timedelta(days=366)
"""The furthest end of an absence from now."""

_DAY = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class NoteAbsence(SeatCommand):
    """Tell that you cannot send orders from one day to another: ABSENT 24.12. TO 3.1. is as good as 24 Dec to 3 Jan.

    Deadlines yet to be set keep out of that time.
    """

    usage = "ABSENT first [TO last]"
    weight = Reversible("", "PRESENT")
    first: Annotated[str, DAY]
    last: Annotated[str | None, DAY] = None

    def do(self, context: Context) -> TextResult:
        """Save the absence, unless its days are invalid or exceed what the house rules allow."""
        session, snapshot, now = context.session, context.snapshot, context.now
        place = find_seat_view(snapshot, self.seat)
        # Days are those of the player's own clock.
        zone = snapshot.clock_of(place)
        first, last = dt.date.fromisoformat(self.first), dt.date.fromisoformat(self.last or self.first)
        if wrong := _explain_bad_days(first, last, now):
            raise CampaignError(f"your absence was not noted: {wrong}")
        first = max(first, now.date() - _DAY)  # days that are over count against no limit
        since, until = start_of_day(first, zone), start_of_day(last + _DAY, zone)
        coming = _load_coming_absences(session, place.id, now)
        days = f"on {first}" if first == last else f"from {first} to {last}"
        if any(away.since <= since and until <= away.until for away in coming):
            return TextResult(f"You are absent {days}, as you told before. {_deadline_note(session, snapshot, place)}")
        refused = _explain_limit(snapshot, coming, since, until)
        if refused := refused or _explain_budget(session, snapshot, place, since, until):
            raise CampaignError(f"your absence was not noted: {refused}")
        session.add(Absence(seat_id=place.id, since=since, until=until))
        said = f"seat {place.seat} is absent from {first} to {last}"
        add_entry(session, snapshot.id, now, actor=place.seat, text=said, secret=True)
        last_day = f"The last day is {last:%A}, {last.day} {last:%B}, by the clocks of {zone}."
        kept = f"You are absent {days}. {last_day} Deadlines that are set from now on keep out of that time."
        return TextResult(f"{kept} {_deadline_note(session, snapshot, place)}")


@dataclass(frozen=True, slots=True)
class EndAbsences(SeatCommand):
    """Take back all your absences."""

    usage = "PRESENT"
    weight = Reversible("", "ABSENT first TO last")

    def do(self, context: Context) -> TextResult:
        """Delete all absences of the seat that are not over."""
        session, snapshot, now = context.session, context.snapshot, context.now
        place = find_seat_view(snapshot, self.seat)
        absences = _load_coming_absences(session, place.id, now)
        if not absences:
            raise CampaignError("you had told of no absence, so there is none to take back")
        session.execute(delete(Absence).where(Absence.id.in_([absence.id for absence in absences])))
        # What was had of one that has begun counts in its year.
        session.add_all(Absence(seat_id=place.id, since=away.since, until=now) for away in absences if away.since < now)
        add_entry(session, snapshot.id, now, actor=place.seat, text=f"seat {place.seat} is not absent", secret=True)
        return TextResult(f"Your absences are cancelled. {_deadline_note(session, snapshot, place)}")


def _load_coming_absences(session: Session, seat_id: int, now: dt.datetime) -> list[Absence]:
    mine = select(Absence).where(Absence.seat_id == seat_id, Absence.until > now)
    return list(session.scalars(mine.order_by(Absence.since)))


def _explain_bad_days(first: dt.date, last: dt.date, now: dt.datetime) -> str:
    """Return why these days cannot be an absence, "" if they can."""
    if last < first:
        return f"{last} is before {first}."
    # A day's tolerance, since the zones of player and campaign may differ.
    if last < now.date() - _DAY:
        return f"{last} is over."
    if last > (now + AHEAD).date():
        return f"{last} is more than a year ahead; please tell nearer the time."
    return ""


def _explain_limit(snapshot: CampaignSnapshot, absences: list[Absence], since: dt.datetime, until: dt.datetime) -> str:
    """Return which limit the new absence would exceed, alone or with those that touch it, "" if none."""
    most = snapshot.policy.absence
    if most == 0:
        return f"in {snapshot.name} deadlines do not wait for absences. You may PAUSE instead, or name a DEPUTY."
    if len(absences) >= MOST_ABSENCES:
        return f"you have told of {MOST_ABSENCES} already. PRESENT takes them all back."
    if _longest_span([*((absence.since, absence.until) for absence in absences), (since, until)]).days > most:
        return (
            f"in {snapshot.name} deadlines wait for no more than {most} days in a row. You may tell of fewer, or PAUSE,"
            " or name a DEPUTY for the time."
        )
    return ""


def _explain_budget(
    session: Session, snapshot: CampaignSnapshot, place: SeatView, since: dt.datetime, until: dt.datetime
) -> str:
    """Return why the new absence is more than is left of the days of a year, "" if it is not."""
    most = snapshot.policy.absence_year
    if not most:
        return ""
    had = _spans_near(session, place, since)
    if _count_days([*had, (since, until)]) <= most:
        return ""
    left = max(most - _count_days(had), 0)
    return f"in {snapshot.name} a player may be absent for {most} days in a year, and you have {left} left."


def tell_absence_left(session: Session, snapshot: CampaignSnapshot, place: SeatView, now: dt.datetime) -> Iterator[str]:
    """Yield a sentence on the days of absence that a seat's player has left, if there are so many in a year."""
    if most := snapshot.policy.absence_year:
        left = max(most - _count_days(_spans_near(session, place, now)), 0)
        yield f"Of {count_noun(most, 'day')} of absence in a year you have {left} left."


_YEAR = dt.timedelta(days=365)
_Span = tuple[dt.datetime, dt.datetime]


def _spans_near(session: Session, place: SeatView, at: dt.datetime) -> list[_Span]:
    """Return a seat's absences of the year before and of that after a time."""
    near = (Absence.seat_id == place.id, Absence.since > at - _YEAR, Absence.since < at + _YEAR)
    return [(away.since, away.until) for away in session.scalars(select(Absence).where(*near))]


def _count_days(spans: list[_Span]) -> int:
    """Return the days in some spans, each once; one on which clocks change has an hour more or less."""
    return round(sum((until - since for since, until in _merge(spans)), dt.timedelta()) / _DAY)


def _longest_span(spans: list[_Span]) -> dt.timedelta:
    """Return the longest time that the spans cover without a gap."""
    return max(until - since for since, until in _merge(spans))


def _merge(spans: list[_Span]) -> list[_Span]:
    """Return the same time as spans with gaps between them."""
    ordered = sorted(spans)
    merged = ordered[:1]
    for _, (since, until) in pairwise(ordered):
        start, end = merged[-1]
        if since <= end:
            merged[-1] = (start, max(end, until))
        else:
            merged.append((since, until))
    return merged


def _deadline_note(session: Session, snapshot: CampaignSnapshot, place: SeatView) -> str:
    due = open_deadline(session, snapshot) if snapshot.status == CampaignState.RUNNING else None
    return f"The current deadline stays: {format_time(due, snapshot.zone_for(place))}." if due else ""
