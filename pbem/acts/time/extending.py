"""More time for the open turn: by its GM, or because enough players ask for it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated
from zoneinfo import ZoneInfo

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from pbem.acts.act import Confirmed, Deed, Harmless, Scene, Weighty
from pbem.acts.arguments import NUMBER, SURE, Free, GmCommand, SeatCommand, Typed, Valued
from pbem.calendar.schedule import read_span
from pbem.campaign.due import Waiting, load_waiting
from pbem.campaign.holds import NO_HOLD, is_pause
from pbem.campaign.journal import note
from pbem.campaign.notices import Postman, tell_players
from pbem.campaign.snapshot import CampaignSnapshot, Place, check_running, find_place
from pbem.errors import CampaignError
from pbem.report.notices import DeadlineMoved
from pbem.ruleset.values import Seat
from pbem.store.models import Campaign, Turn, Vote
from pbem.store.types import HoldKind, Phase
from pbem.text import when

_SPAN_PATTERN = re.compile(r"\d++\w?")

LATEST = dt.timedelta(days=400)
"""A deadline later than that from now is a slip of the pen."""


class _Span(Free, Valued):
    """A span of time or a moment; the word YES is none, and nothing needs it there."""

    def value(self, typed: str | None) -> str | None:
        return None if typed is None or typed.upper() == "YES" else typed


_BY = _Span("span", "a span of time like 24h or 3d, or a moment like 2026-12-24T20:00", "24h")


@dataclass(frozen=True, slots=True)
class Extend(GmCommand, Weighty[Deed]):
    """Give more time for the open turn, or set its deadline; without a span, as much as the house rules say."""

    usage = "EXTEND [by] [sure] [asked]"
    command = "extend"
    typed = Typed(
        """Give the open turn more time, or another deadline, and tell everybody.

        BY is a span like 24h or 3d, or the new deadline, like 2026-12-24T20:00 by
        the campaign's clocks. Without it, the house rule `extension` says how much.
        A deadline that is earlier, or later by more than two usual turns, is asked about.
        """,
    )
    weight = Confirmed("the deadline that players know", "pbem extend NAME BY")
    by: Annotated[str | None, _BY] = None
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def asks(self, scene: Scene, facts: Deed) -> bool:
        """Return whether the deadline would be earlier, or later by more than two usual turns."""
        move = self._planned(scene)
        return move.new < move.old or (bool(self.by) and move.new > _usual(scene.snapshot, max(move.old, scene.now)))

    def look(self, scene: Scene) -> Deed:
        """Return which deadline would give way to which. Raises CampaignError."""
        move, zone = self._planned(scene), scene.snapshot.schedule.zone
        said = f"Turn {move.turn.turn} of {scene.snapshot.name} would be due {when(move.new, zone)}"
        how = "earlier" if move.new < move.old else "later"
        return Deed(f"{said}, {how} than now: it is due {when(move.old, zone)}. Everybody would be told.")

    def do(self, scene: Scene) -> Deed:
        """Moves the deadline."""
        return Deed(extend(scene, self._by(scene)))

    def _by(self, scene: Scene) -> dt.timedelta | dt.datetime | None:
        return read_extension(self.by, scene.snapshot.schedule.zone) if self.by else None

    def _planned(self, scene: Scene) -> _Move:
        return _plan(scene, self._by(scene))


@dataclass(frozen=True, slots=True)
class _Move:
    """A deadline of the open turn that gives way to another."""

    turn: Waiting
    old: dt.datetime
    new: dt.datetime


@dataclass(frozen=True, slots=True)
class AskForTime(SeatCommand):
    """Ask for more time for this turn; it is given when enough players ask."""

    usage = "EXTEND"
    weight = Harmless("a vote for more time takes nothing from anybody")

    def do(self, scene: Scene) -> Deed:
        """Counts his wish, and moves the deadline when enough ask."""
        snapshot = scene.snapshot
        if snapshot.status != Phase.RUNNING:
            return Deed(f"The campaign {snapshot.name} has no turn open, so there is nothing to extend.")
        return Deed(vote(scene, self.seat))


def read_extension(text: str, zone: str) -> dt.timedelta | dt.datetime:
    """A GM's words: a span like "24h" or "3d", or a moment, by the clocks of the zone unless it names another.

    Raises CampaignError.
    """
    if _SPAN_PATTERN.fullmatch(text):
        return read_span(text)
    try:
        moment = dt.datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))
        return moment.astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise CampaignError(f"{text!r} is no time: write a span like 24h or 3d, or 2026-12-24T20:00") from None


def extend(scene: Scene, by: dt.timedelta | dt.datetime | None = None) -> str:
    """Moves the deadline of the open turn of a locked campaign, by a span or to a moment, or as the house rules say.

    Everybody is told. A hold that waits for the GM's word is ended by it, but
    not his own pause, nor that of a turn he has ruled on: more sheets may come
    than his ruling knows of. Returns what was done, in a sentence. Raises CampaignError.
    """
    session, snapshot = scene.session, scene.snapshot
    move = _plan(scene, by)
    turn, zone = move.turn, snapshot.schedule.zone
    stays = is_pause(turn.hold_kind) or turn.hold_kind == HoldKind.RULED
    if turn.held and not stays:
        session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(NO_HOLD))
    _move(scene, turn, move.old, move.new, actor="gm")
    left = f" It is still held: {turn.held}." if stays else ""
    back = f" To take that back: {_back(snapshot, move.old)}" if move.old > scene.now else ""
    return f"Turn {turn.turn} of {snapshot.name} is due {when(move.new, zone)} now; everybody is told.{left}{back}"


def _plan(scene: Scene, by: dt.timedelta | dt.datetime | None) -> _Move:
    """Return where the deadline of the open turn is to be moved. Raises CampaignError."""
    snapshot, now = scene.snapshot, scene.now
    turn = _open_turn(scene.session, snapshot)
    if turn.deadline is None:
        raise CampaignError(f"turn {turn.turn} of {snapshot.name} has no deadline to be moved")
    by = by if by is not None else dt.timedelta(minutes=snapshot.policy.extension)
    new = by if isinstance(by, dt.datetime) else max(turn.deadline, now) + by
    _check(turn, turn.deadline, new, now)
    return _Move(turn, turn.deadline, new)


def _usual(snapshot: CampaignSnapshot, base: dt.datetime) -> dt.datetime:
    """Return the latest deadline that is no surprise: two usual turns later, or as much as the house rules give."""
    later = base
    for _ in range(2):
        later = snapshot.schedule.next_after(later, least=dt.timedelta(minutes=1))
    return max(later, base + dt.timedelta(minutes=snapshot.policy.extension))


def _back(snapshot: CampaignSnapshot, old: dt.datetime) -> str:
    """Return how a GM sets the deadline that was, to the microsecond and whatever clocks do."""
    local = old.astimezone(ZoneInfo(snapshot.schedule.zone))
    moment = local.isoformat(timespec="auto" if local.second or local.microsecond else "minutes")
    return f"pbem extend {snapshot.name} {moment} (by mail: EXTEND {moment})"


def vote(scene: Scene, seat: Seat) -> str:
    """Counts a seat's wish for more time, and gives it when enough ask; returns the answer to its player.

    The campaign is locked. Who is awaited may be secret, as in a fight that others do not hear of. So all who play
    have a vote, half of them decide, and neither the answer nor what comes of it depends on who is awaited.
    """
    session, snapshot, now = scene.session, scene.snapshot, scene.now
    turn = _open_turn(session, snapshot)
    place = find_place(snapshot, seat)
    refused = _refused(session, snapshot, turn, place)
    if refused or turn.deadline is None:
        return refused
    mine = (Vote.turn_id == turn.turn_id, Vote.seat_id == place.id)
    if session.scalar(select(Vote.id).where(*mine)) is None:
        session.add(Vote(turn_id=turn.turn_id, seat_id=place.id, at=now))
        session.flush()
    voters = {place.id for place in snapshot.places if place.manned}
    if _asked(session, turn, voters) < needed_votes(snapshot.policy.vote, len(voters)):
        due = when(turn.deadline, snapshot.schedule.zone)
        return f"Your wish for more time is noted; the turn has it when enough players ask. Orders are still due {due}."
    new = max(turn.deadline, now) + dt.timedelta(minutes=snapshot.policy.extension)
    session.execute(delete(Vote).where(Vote.turn_id == turn.turn_id))
    session.execute(update(Turn).where(Turn.id == turn.turn_id).values(extensions=Turn.extensions + 1))
    _move(scene, turn, turn.deadline, new, actor="players")
    return f"Enough have asked: the turn has more time. Orders are due {when(new, snapshot.schedule.zone)}."


def needed_votes(rule: str, players: int) -> int:
    """How many of so many players must ask. Half of two would be one alone, who decides for nobody else."""
    return players if rule == "all" else max(min(2, players), (players + 1) // 2)


def _refused(session: Session, snapshot: CampaignSnapshot, turn: Waiting, place: Place) -> str:
    """Why a seat's wish cannot be counted; "" if it can."""
    most = snapshot.policy.extensions if snapshot.policy.vote != "none" else 0
    given = session.scalar(select(Turn.extensions).where(Turn.id == turn.turn_id)) or 0
    if most == 0:
        return f"In {snapshot.name} the GM alone extends deadlines: please write to {snapshot.gm}."
    if turn.deadline is None:
        return "The turn has no deadline, so there is nothing to extend."
    if turn.held:
        why = f": {turn.held}" if is_pause(turn.hold_kind) else ""
        return f"The turn is held until your GM lets it run, so you have time{why}."
    if place.paused:
        return "Your seat is paused, so no turn waits for you; RESUME ends that."
    if given >= most:
        times = "once" if given == 1 else f"{given} times"
        return f"This turn was extended {times} already, and that is all players may ask for; your GM is {snapshot.gm}."
    return ""


def _asked(session: Session, turn: Waiting, voters: Collection[int]) -> int:
    """How many of the voters have asked, who are known by the ids of their seats."""
    asked = session.scalars(select(Vote.seat_id).where(Vote.turn_id == turn.turn_id))
    return len(set(asked).intersection(voters))


def _open_turn(session: Session, snapshot: CampaignSnapshot) -> Waiting:
    check_running(snapshot)
    return load_waiting(session, snapshot.name)[0]


def _check(turn: Waiting, old: dt.datetime, new: dt.datetime, now: dt.datetime) -> None:
    zone = turn.schedule.zone
    if new <= now:
        raise CampaignError(f"{when(new, zone)} is not later than now, {when(now, zone)}; to run the turn: pbem run")
    if new == old:
        raise CampaignError(f"turn {turn.turn} is due {when(new, zone)} already")
    if new > now + LATEST:
        raise CampaignError(f"{when(new, zone)} is more than {LATEST.days} days away: hold the campaign instead")


def _move(scene: Scene, turn: Waiting, old: dt.datetime, new: dt.datetime, *, actor: str) -> None:
    """Sets the deadline, so that reminders go out anew, and tells everybody."""
    session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
    session.execute(update(Turn).where(Turn.id == turn.turn_id).values(deadline=new, reminded_at=None))
    zone = snapshot.schedule.zone
    how = "extended" if new > old else "shortened"
    said = f"turn {turn.turn} {how}: it was due {when(old, zone)}, and is due {when(new, zone)}"
    act = note(session, snapshot.id, now, actor=actor, text=said)
    page = DeadlineMoved(
        campaign=snapshot.name,
        old=old,
        new=new,
        closes=new + snapshot.policy.grace_time,
        zone=zone,
        by_vote=actor == "players",
    )
    files = (Postman.of(house, snapshot).deadline_file(new, now),)
    subject = "The deadline has moved"
    tell_players(session, house, snapshot, now, act=act, subject=subject, page=page, topic="reminder", files=files)
