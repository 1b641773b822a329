"""Deadlines as actions: extensions by the GM or by vote, schedules, and holds.

A GM who holds a campaign thereby notifies its players, and again on release. The
holds of the host concern the GM alone: a turn that awaits the GM's review, ruling,
or decision about many missing sheets.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from pbem.actions.arguments import NUMBER, SURE, GmCommand, SeatCommand, Words
from pbem.actions.base import TICK, Change, Channel, PreviewedChange, Query, TextResult
from pbem.actions.days import TIMES, read_time, write_time
from pbem.actions.run_turn import RequestRun, drop_claim
from pbem.actions.weight import Confirmed, Harmless, Reversible
from pbem.campaign.deadlines import OpenTurnStatus, load_open_turns, new_deadline
from pbem.campaign.house_rules import OFF
from pbem.campaign.notices import CampaignMailer, others, post
from pbem.campaign.prospects import Next, foresee
from pbem.campaign.schedule import parse_duration
from pbem.campaign.snapshot import (
    NO_HOLD,
    CampaignSnapshot,
    Context,
    SeatView,
    add_entry,
    describe_hold,
    find_seat_view,
    is_gm_hold,
    load_campaign,
    open_deadline,
    require_running,
)
from pbem.errors import CampaignError
from pbem.mail.compose import MailPart
from pbem.report import small
from pbem.report.notices import Notice
from pbem.ruleset.fields import Field, FieldError
from pbem.ruleset.protocol import Adjudicated
from pbem.ruleset.values import SeatName
from pbem.store.models import Campaign, ExtensionVote, Turn
from pbem.store.types import CampaignState, HoldKind
from pbem.text import format_span, format_time, join_names, own_zone

LATEST = dt.timedelta(days=400)
"""The furthest deadline from now; a later one is a typing error."""


class _Time(Field):
    """Field for a span of time or a moment, kept as it was typed."""

    shown, expected, example = "time", TIMES, "24h"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the words as typed. Raises FieldError if they are neither."""
        if not write_time(word):
            raise FieldError("not-a-time", f"expected {self.expected}, got {word!r}")
        return word

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return (self.example, "Fri 20:00")


class _VotedSpan(Field):
    """Field for a span of time."""

    shown, expected, example = "span", "a span of time like 24h or 2d", "24h"

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the span as typed. Raises FieldError if it is none."""
        if parse_duration(word) is None:
            raise FieldError("not-a-span", f"expected {self.expected}, got {word!r}")
        return word.lower()

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return (self.example,)


_VOTED = _VotedSpan()
_BY = _Time()


@dataclass(frozen=True, slots=True)
class ExtendDeadline(GmCommand, PreviewedChange[TextResult]):
    """Give more time for the open turn, or set its deadline."""

    usage = "DEADLINE by [sure [asked]]"
    weight = Confirmed("the deadline that players know", "pbem deadline NAME BY")
    kind = "deadline"
    by: Annotated[str, _BY]
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def asks(self, context: Context, facts: TextResult) -> bool:
        """Return True if the deadline would be earlier, or later by more than two usual turns."""
        move = self._plan(context)
        return not move.old <= move.new <= _latest_usual_deadline(context.snapshot, max(move.old, context.now))

    def look(self, context: Context) -> TextResult:
        """Return a sentence on the old and the new deadline."""
        move, zone = self._plan(context), context.snapshot.schedule.zone
        how = "earlier" if move.new < move.old else "later"
        times = f"from {format_time(move.old, zone)} to {format_time(move.new, zone)}"
        return TextResult(f"move the deadline {times}, {how}. Players are notified.")

    def do(self, context: Context) -> TextResult:
        move = self._plan(context)
        # A deadline that has passed cannot be set again.
        return TextResult(extend(context, move.new), undo=context.snapshot.name if move.old > context.now else "")

    def _plan(self, context: Context) -> _Move:
        turn, zone = _open_turn(context.session, context.snapshot), context.snapshot.schedule.zone
        clock = (turn.deadline or context.now).astimezone(ZoneInfo(zone)).time()
        return _plan_move(context, read_time(self.by, context.now, zone, clock))


@dataclass(frozen=True, slots=True)
class _Move:
    """A new deadline for the open turn."""

    turn: OpenTurnStatus
    old: dt.datetime
    new: dt.datetime


@dataclass(frozen=True, slots=True)
class VoteForExtension(SeatCommand):
    """Ask for more time for this turn; it is given when enough players ask."""

    usage = "EXTEND [span]"
    weight = Harmless("a vote for more time takes nothing from anybody")
    span: Annotated[str | None, _VOTED] = None

    def do(self, context: Context) -> TextResult:
        """Count the player's vote, and move the deadline when enough have voted."""
        snapshot = context.snapshot
        if snapshot.status != CampaignState.RUNNING:
            raise CampaignError(f"the campaign {snapshot.name} has no turn open, so there is nothing to extend")
        said = vote(context, self.seat)
        usual = snapshot.policy.extension_time
        # Votes for different spans could not be counted together.
        if self.span is None or parse_duration(self.span) == usual:
            return TextResult(said)
        return TextResult(
            f"{said}\nAn extension by the players is {format_span(usual)} here, whatever span is asked for."
        )


def extend(context: Context, by: dt.timedelta | dt.datetime) -> str:
    """Move the deadline of the open turn of a locked campaign, and notify its players.

    Any hold ends, but for a GM's own pause and that of a turn with a ruling.

    Args:
        by: The span to add, or the new deadline.

    Returns:
        A sentence on what was done.

    Raises:
        CampaignError: If no turn is open, or it has no deadline, or cannot have the new one.
    """
    session, snapshot = context.session, context.snapshot
    move = _plan_move(context, by)
    turn, zone = move.turn, snapshot.schedule.zone
    # A turn with a ruling stays held: sheets may come now of which the ruling does not know.
    stays = is_gm_hold(turn.hold_kind) or turn.hold_kind == HoldKind.RULED
    if turn.held and not stays:
        session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(NO_HOLD))
    set_deadline(context, turn, move.old, move.new, actor="gm")
    left = f" {snapshot.name} is still {turn.held}." if stays else ""
    times = f"{format_time(move.new, zone)} (was {format_time(move.old, zone)})"
    return f"turn {turn.turn} is due {times}. Players are notified.{left}"


def _plan_move(context: Context, by: dt.timedelta | dt.datetime) -> _Move:
    """Return how the deadline of the open turn is to be moved. Raises CampaignError."""
    snapshot, now = context.snapshot, context.now
    turn = _open_turn(context.session, snapshot)
    if turn.deadline is None:
        raise CampaignError(f"turn {turn.turn} of {snapshot.name} has no deadline to be moved")
    # In the grace period the deadline has passed: a day more is a day from now.
    new = by if isinstance(by, dt.datetime) else max(turn.deadline, now) + by
    _check_deadline(turn, turn.deadline, new, now)
    return _Move(turn, turn.deadline, new)


def _latest_usual_deadline(snapshot: CampaignSnapshot, base: dt.datetime) -> dt.datetime:
    """Return the latest deadline that needs no confirmation: two usual turns later, or as the house rules extend it."""
    later = base
    for _ in range(2):
        later = snapshot.schedule.next_after(later, least=dt.timedelta(minutes=1))
    return max(later, base + snapshot.policy.extension_time)


def vote(context: Context, seat: SeatName) -> str:
    """Count a seat's vote for more time, and extend the turn when enough have voted.

    Call with the campaign locked. Neither the answer nor the result depends on who is
    awaited.

    Returns:
        The answer to the player.
    """
    session, snapshot, now = context.session, context.snapshot, context.now
    turn = _open_turn(session, snapshot)
    place = find_seat_view(snapshot, seat)
    refused = _explain_refusal(session, snapshot, turn, place)
    if refused or turn.deadline is None:
        return refused
    mine = (ExtensionVote.turn_id == turn.turn_id, ExtensionVote.seat_id == place.id)
    if session.scalar(select(ExtensionVote.id).where(*mine)) is None:
        session.add(ExtensionVote(turn_id=turn.turn_id, seat_id=place.id, at=now))
        session.flush()
    # All who play vote: it may be secret who is awaited, as in a fight that others do not hear of, and a player who
    # could extend the turn alone would learn that no other is awaited.
    voters = {place.id for place in snapshot.places if place.manned}
    asked = session.scalars(select(ExtensionVote.seat_id).where(ExtensionVote.turn_id == turn.turn_id))
    if len(voters.intersection(asked)) < needed_votes(snapshot.policy.extension_votes, len(voters)):
        due = format_time(turn.deadline, snapshot.zone_for(place))
        return f"Your wish for more time is noted; the turn has it when enough players ask. Orders are still due {due}."
    new = max(turn.deadline, now) + snapshot.policy.extension_time
    # Another extension needs as many votes again.
    session.execute(delete(ExtensionVote).where(ExtensionVote.turn_id == turn.turn_id))
    # Counted for votes alone: what the GM grants does not use up what players may ask for.
    session.execute(update(Turn).where(Turn.id == turn.turn_id).values(extensions=Turn.extensions + 1))
    why = "Enough players asked for more time."
    set_deadline(context, turn, turn.deadline, new, actor="players", why=why)
    return f"Enough have asked: the turn has more time. Orders are due {format_time(new, snapshot.zone_for(place))}."


def needed_votes(rule: str, players: int) -> int:
    """Return how many of so many players must vote for more time."""
    # Of two players both must vote: half of them would be one alone.
    return players if rule == "all" else max(min(2, players), (players + 1) // 2)


def _explain_refusal(session: Session, snapshot: CampaignSnapshot, turn: OpenTurnStatus, place: SeatView) -> str:
    """Return why a seat's vote cannot be counted, "" if it can."""
    most = snapshot.policy.extension_limit if snapshot.policy.extension_votes != OFF else 0
    given = session.scalar(select(Turn.extensions).where(Turn.id == turn.turn_id)) or 0
    if most == 0:
        return f"In {snapshot.name} the GM alone extends deadlines: please write to {snapshot.gm_shown}."
    if turn.deadline is None:
        return "The turn has no deadline, so there is nothing to extend."
    if turn.held:
        why = f": {turn.hold_reason}" if is_gm_hold(turn.hold_kind) and turn.hold_reason else ""
        return f"The turn is on hold until your GM releases it, so you have time{why}."
    if place.paused:
        return "Your seat is paused, so no turn waits for you; RESUME ends that."
    if given >= most:
        times = "once" if given == 1 else f"{given} times"
        return (
            f"This turn was extended {times} already, and that is all players may ask for; your GM is "
            f"{snapshot.gm_shown}."
        )
    return ""


def _open_turn(session: Session, snapshot: CampaignSnapshot) -> OpenTurnStatus:
    require_running(snapshot)
    return load_open_turns(session, snapshot.name)[0]


def _check_deadline(turn: OpenTurnStatus, old: dt.datetime, new: dt.datetime, now: dt.datetime) -> None:
    zone = turn.schedule.zone
    if new <= now:
        raise CampaignError(
            f"{format_time(new, zone)} is not later than now, {format_time(now, zone)}; to run the turn: pbem run"
        )
    if new == old:
        raise CampaignError(f"turn {turn.turn} is due {format_time(new, zone)} already")
    if new > now + LATEST:
        raise CampaignError(f"{format_time(new, zone)} is more than {LATEST.days} days away: hold the campaign instead")


MOVED = "Your GM moved the deadline."


def set_deadline(
    context: Context, turn: OpenTurnStatus, old: dt.datetime, new: dt.datetime, *, actor: str, why: str = MOVED
) -> None:
    """Set the deadline, let reminders go out again, and notify all players of it, and why."""
    session, snapshot, now = context.session, context.snapshot, context.now
    drop_claim(context)
    # Those who were reminded of the old deadline have to be reminded of the new one.
    session.execute(update(Turn).where(Turn.id == turn.turn_id).values(deadline=new, reminded_at=None))
    zone = snapshot.schedule.zone
    how = "extended" if new > old else "shortened"
    said = f"turn {turn.turn} {how}: it was due {format_time(old, zone)}, and is due {format_time(new, zone)}"
    act = add_entry(session, snapshot.id, now, actor=actor, text=said)
    tell_deadline(context, old, new, act=act, why=why)


def tell_deadline(
    context: Context,
    old: dt.datetime,
    new: dt.datetime,
    *,
    act: int,
    why: str = MOVED,
    but: Collection[SeatName] = (),
) -> None:
    """Notify the players, except those of the seats in `but`, that the deadline has moved, and why."""
    for zone, places in context.snapshot.by_zone(others(context.snapshot, but)):
        page, file = moved_notice(context, old, new, zone, why)
        post(context, places, page, id_=("act", act), topic="reminder", files=(file,))


def moved_notice(context: Context, old: dt.datetime, new: dt.datetime, zone: str, why: str) -> tuple[Notice, MailPart]:
    """Return the notice of a deadline that has moved, and why, and its calendar file, as told in a zone."""
    closes = new + context.snapshot.policy.grace_time
    page = small.deadline_moved(old=old, new=new, closes=closes, zone=zone, why=why)
    mailer = CampaignMailer.of(context.app, context.snapshot)
    return page, mailer.deadline_file(new, context.now, own_zone(zone))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineList:
    """The deadline of the open turn, if there is one, and that of the next, if this one is run in time."""

    campaign: str
    schedule: str
    zone: str
    turn: int
    deadline: dt.datetime | None
    closes: dt.datetime | None
    next: dt.datetime


@dataclass(frozen=True, slots=True)
class ShowDeadlines(GmCommand, Query[DeadlineList]):
    """See when turns are due."""

    usage = "DEADLINE"

    def look(self, context: Context) -> DeadlineList:
        """Return the deadlines that can be told. Raises CampaignError if the campaign is over."""
        session, snapshot, now = context.session, context.snapshot, context.now
        _check_not_over(snapshot)
        deadline = open_deadline(session, snapshot)
        closes = deadline + snapshot.policy.grace_time if deadline else None
        opens = max(closes, now) if closes else now
        return DeadlineList(
            campaign=snapshot.name,
            schedule=snapshot.schedule.text,
            zone=snapshot.schedule.zone,
            turn=snapshot.turn,
            deadline=deadline,
            closes=closes,
            next=new_deadline(session, snapshot, opens),
        )

    def render(self, facts: DeadlineList, channel: Channel) -> Iterator[str]:
        zone = facts.zone
        yield f"{facts.campaign}: {facts.schedule}"
        if facts.deadline is None:
            yield f"  its first turn would be due {format_time(facts.next, zone)} if it began now"
            return
        yield f"  turn {facts.turn} is due {format_time(facts.deadline, zone)}"
        if facts.closes is not None and facts.closes > facts.deadline:
            yield f"  late sheets count until {format_time(facts.closes, zone)}"
        yield f"  run then, the next is due {format_time(facts.next, zone)}"
        if channel.by_mail:
            yield "  more time: DEADLINE 24h"


def change_schedule(context: Context, text: str, act: int) -> None:
    """Set the schedule of the turns to come, and notify all players. Raises CampaignError if the campaign is over."""
    session, snapshot = context.session, context.snapshot
    _check_not_over(snapshot)
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(schedule=text))
    after = replace(context, snapshot=load_campaign(session, snapshot.name))
    tell_schedule(after, snapshot.schedule.text, act=act)


def tell_schedule(context: Context, old: str, *, act: int, but: Collection[SeatName] = ()) -> None:
    """Notify the players, except those of the seats in `but`, of the campaign's schedule, which was another."""
    snapshot, deadline = context.snapshot, open_deadline(context.session, context.snapshot)
    for zone, places in snapshot.by_zone(others(snapshot, but)):
        page = small.rescheduled(old=old, new=snapshot.schedule.text, deadline=deadline, zone=zone)
        post(context, places, page, id_=("act", act))


def _check_not_over(snapshot: CampaignSnapshot) -> None:
    if snapshot.status == CampaignState.OVER:
        raise CampaignError(f"campaign {snapshot.name} is over: no turn of it is due any more")


_LONGEST = 300


@dataclass(frozen=True, slots=True)
class HoldResult:
    """A campaign that is on hold, and why; it was so `already`, or is from now on."""

    campaign: str
    why: str
    already: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseResult:
    """A campaign that is or would be released, if it was `held`, and its open turn, of which this happens `next`.

    `until`: it waits until then at most, for the seats of which it `waits_for`. `due`: it is run at once, without the
    sheets of the `missing` seats. `unruled`: it waited for a ruling. `notified`: players are notified.
    """

    campaign: str
    held: bool
    turn: int
    deadline: dt.datetime | None
    zone: str
    next: Next
    until: dt.datetime | None
    waits_for: tuple[SeatName, ...]
    due: bool
    missing: tuple[SeatName, ...]
    unruled: bool
    notified: bool


@dataclass(frozen=True, slots=True)
class HoldCampaign(GmCommand, Change[HoldResult]):
    """Let no turn run until you say RELEASE."""

    usage = "HOLD [reason...]"
    weight = Reversible("pbem release NAME", "RELEASE")
    kind = "hold"
    reason: Annotated[str, Words("reason", "words", "I am on a train")] = ""

    def do(self, context: Context) -> HoldResult:
        """Put the campaign on hold. Raises CampaignError if no turn is open."""
        snapshot = context.snapshot
        if not hold(context, HoldKind.GM, self.reason):
            return HoldResult(snapshot.name, snapshot.held, already=True)
        return HoldResult(snapshot.name, self.reason)

    def render(self, facts: HoldResult, channel: Channel) -> Iterator[str]:
        release = f"Release: {channel.either(f'pbem release {facts.campaign}', 'RELEASE')}"
        if facts.already:
            yield f"Nothing to do: {facts.campaign} is already {facts.why}. {release}"
        else:
            yield channel.fact(f"{facts.campaign} is on hold. Players are notified. {release}", named=True)


@dataclass(frozen=True, slots=True)
class ReleaseCampaign(GmCommand, PreviewedChange[ReleaseResult]):
    """Let turns run again. Without YES you are told first what is missing, if the turn is due."""

    usage = "RELEASE [sure [asked]]"
    weight = Confirmed("the wait for sheets or a ruling", "pbem rollback NAME TURN")
    kind = "release"
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def asks(self, context: Context, facts: ReleaseResult) -> bool:
        """Return True if the turn is due, and sheets or a ruling are missing."""
        return facts.unruled or (facts.due and bool(facts.missing))

    def look(self, context: Context) -> ReleaseResult:
        session, snapshot = context.session, context.snapshot
        turn = next(iter(load_open_turns(session, snapshot.name)), None)
        kind = _load_hold(session, snapshot)[0]
        prospect = foresee(context)
        judged = isinstance(context.app.game(snapshot.game), Adjudicated)
        return ReleaseResult(
            campaign=snapshot.name,
            held=kind != HoldKind.NONE,
            turn=snapshot.turn,
            deadline=turn.deadline if turn else None,
            zone=snapshot.schedule.zone,
            next=prospect.next,
            until=prospect.until,
            waits_for=prospect.seats,
            due=prospect.next == Next.RUN,
            # A ruling was given in the knowledge of the sheets that are missing; without one the GM is asked for it.
            missing=turn.missing if turn and not judged else (),
            unruled=kind == HoldKind.RULING,
            notified=is_gm_hold(kind),
        )

    def do(self, context: Context) -> ReleaseResult:
        """Release the campaign. A turn that waits for a ruling is run without one."""
        facts = self.look(context)
        release(context)
        if facts.unruled:
            # The release alone would do nothing: the turn would be held again.
            RequestRun().do(context)
        return facts

    def render(self, facts: ReleaseResult, channel: Channel) -> Iterator[str]:
        name, turn = facts.campaign, facts.turn
        if not facts.held:
            yield f"Nothing to do: {name} is not on hold."
            return
        if channel.undone:
            without = "a ruling" if facts.unruled else f"a sheet from {join_names(facts.missing)}"
            yield channel.fact(f"release {name}. Turn {turn} is due, and is run without {without}.")
            yield channel.undone
            return
        told = " Players are notified." if facts.notified else ""
        later = facts.next in (Next.GRACE, Next.DEADLINE, Next.SETTLED, Next.ALL_IN) and not facts.unruled
        yield channel.fact(f"{name} released. {_when_run(facts)}{told}", named=True) + (
            "" if later else channel.next(TICK)
        )


def _when_run(facts: ReleaseResult) -> str:
    if facts.due or facts.unruled:
        return f"Turn {facts.turn} is due, and is run at once."
    until, late = format_time(facts.until, facts.zone) if facts.until else "", join_names(facts.waits_for)
    return (
        f"Turn {facts.turn} "
        + {
            Next.COVERED: f"is due, and has time of {late} until {until}: no sheet came from there.",
            Next.CLAIM: f"is due, and waits for the word of the opponent of {late}, who is late.",
            Next.HELD: "is due, and is held at once for you to look at: a mail says why.",
            Next.RULING: "is due, and waits for your ruling: its form is mailed to you.",
            Next.GRACE: f"is run when the grace after its deadline ends, {until}.",
            Next.DEADLINE: f"is run at its deadline, {until}.",
            Next.SETTLED: f"has all its sheets, and is due when the time for second thoughts ends, {until}.",
            Next.ALL_IN: "is run when all sheets are in.",
        }[facts.next]
    )


def hold(context: Context, kind: HoldKind, reason: str = "") -> bool:
    """Put a running campaign, which is locked, on hold; return False if it is on hold already.

    Its players are notified of a GM's own hold.

    Raises:
        CampaignError: If no turn is open.
    """
    session, snapshot, now = context.session, context.snapshot, context.now
    require_running(snapshot)
    reason = " ".join(reason.split())[:_LONGEST]
    if _load_hold(session, snapshot)[0] != HoldKind.NONE:
        return False
    values = {"hold_kind": kind, "hold_reason": reason}
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(values))
    said = f"turn {snapshot.turn} {describe_hold(kind, reason)}"
    actor = "gm" if is_gm_hold(kind) else "pbem"
    # Holds of the application are between it and the GM.
    act = add_entry(session, snapshot.id, now, actor=actor, text=said, secret=not is_gm_hold(kind))
    if is_gm_hold(kind):
        tell_hold(context, reason, act=act)
    return True


def tell_hold(context: Context, reason: str, *, act: int, but: Collection[SeatName] = ()) -> None:
    """Notify the players, except those of the seats in `but`, that the campaign is on hold."""
    page = small.held(why=reason, gm=context.snapshot.gm_shown)
    post(context, others(context.snapshot, but), page, id_=("act", act))


def release(context: Context) -> bool:
    """Let turns of a locked campaign run again; return False if it is not on hold.

    Its players are notified if they were notified of the hold.
    """
    session, snapshot, now = context.session, context.snapshot, context.now
    kind, reason = _load_hold(session, snapshot)
    if kind == HoldKind.NONE:
        return False
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(NO_HOLD))
    said = f"turn {snapshot.turn} released; it was {describe_hold(kind, reason)}"
    # Holds of the application are between it and the GM.
    act = add_entry(session, snapshot.id, now, actor="gm", text=said, secret=not is_gm_hold(kind))
    if is_gm_hold(kind):
        tell_release(context, act=act)
    return True


def tell_release(context: Context, *, act: int, but: Collection[SeatName] = ()) -> None:
    """Notify the players, except those of the seats in `but`, that the campaign goes on."""
    snapshot, prospect = context.snapshot, foresee(context)
    deadline = open_deadline(context.session, snapshot)
    passed = deadline if deadline and deadline <= context.now else None
    for zone, places in snapshot.by_zone(others(snapshot, but)):
        page = small.released(next_=prospect.next, until=prospect.until, passed=passed, zone=zone)
        post(context, places, page, id_=("act", act))


def _load_hold(session: Session, snapshot: CampaignSnapshot) -> tuple[HoldKind, str]:
    """Return kind and reason of the hold, read again: this transaction may have changed them since the snapshot."""
    hold_of = select(Campaign.hold_kind, Campaign.hold_reason).where(Campaign.id == snapshot.id)
    kind, reason = session.execute(hold_of).one()
    return kind, reason
