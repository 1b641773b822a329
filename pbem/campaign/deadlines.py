"""Deadlines of turns: the next deadline by schedule, holidays and absences, and turns that are due.

Holidays and absences affect a deadline only when it is set. A deadline once set is
moved by extensions.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping, bindparam, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from pbem.app import App
from pbem.campaign.house_rules import OPPONENTS, HouseRules
from pbem.campaign.schedule import Outage, Schedule, start_of_day
from pbem.campaign.snapshot import CampaignSnapshot, describe_hold
from pbem.ruleset.order_types import Finding
from pbem.ruleset.values import SeatName
from pbem.store.models import Absence, BankedTime, Campaign, OrderSheet, PendingRequest, Seat, Turn
from pbem.store.session import flushed_connection
from pbem.store.types import CampaignState, HoldKind, RequestKind, SeatState

FARTHEST = dt.timedelta(days=366)
"""Holidays and absences that would postpone a deadline by more are a typing error, and are ignored."""

_DAY = dt.timedelta(days=1)

STANDS = OrderSheet.accepted | OrderSheet.wait
"""A condition for sheets that were not withdrawn: they count, or wait for their correction."""


@dataclass(frozen=True, slots=True)
class AbsencePeriod:
    """A time in which a player cannot send orders: from `since` to just before `until`."""

    since: dt.datetime
    until: dt.datetime


_ABSENCES = (
    select(Absence.since, Absence.until)
    .join(Seat, Seat.id == Absence.seat_id)
    .where(Seat.campaign_id == bindparam("campaign"), Seat.status == SeatState.PLAYING, ~Seat.paused)
    .where(Seat.person_id.is_not(None))
)


def load_absences(session: Session, snapshot: CampaignSnapshot) -> tuple[AbsencePeriod, ...]:
    """Return the absences of all seats that turns wait for."""
    rows = flushed_connection(session).execute(_ABSENCES, {"campaign": snapshot.id})
    return tuple(AbsencePeriod(since, until) for since, until in rows)


def new_deadline(session: Session, snapshot: CampaignSnapshot, opened: dt.datetime) -> dt.datetime:
    """Return the deadline, in UTC, of a turn of this campaign that opens now."""
    return next_deadline(snapshot.schedule, snapshot.policy, opened, load_absences(session, snapshot))


def next_deadline(
    schedule: Schedule, policy: HouseRules, opened: dt.datetime, absences: Sequence[AbsencePeriod] = ()
) -> dt.datetime:
    """Return the deadline, in UTC, of a turn that opens now.

    A deadline on a holiday or in an absence is moved to the next moment of the
    schedule after it; a player who comes back has at least the least time of the
    policy. Absences longer than the policy allows move nothing.
    """
    # Holidays are whole days of the schedule's zone: one begins in Auckland while it is still the day before in London.
    least = policy.least_time
    first = deadline = schedule.next_after(opened, least=least)
    closed = sorted([*_holiday_spans(policy, schedule.zone, opened), *_absence_spans(schedule, policy, absences)])
    # The next moment of the schedule may fall into another holiday or absence.
    while ends := [until for since, until in closed if since <= deadline < until]:
        deadline = schedule.next_from(opened, max(ends))
    return deadline if deadline - first <= FARTHEST else first


def least_time(schedule: Schedule, policy: HouseRules) -> dt.timedelta:
    """Return the least time that a deadline leaves the players: that of the policy, or a schedule's own if less."""
    return min(policy.least_time, schedule.every or policy.least_time)


_Span = tuple[dt.datetime, dt.datetime]


def _holiday_spans(policy: HouseRules, zone: str, opened: dt.datetime) -> Iterator[_Span]:
    """Yield the holidays of the next two years as whole days of the zone."""
    # A span may end in the year 9999, the day after which `date` cannot represent.
    horizon = opened.date() + 2 * FARTHEST
    for span in policy.holidays:
        first, _, last = span.partition("..")
        start, end = dt.date.fromisoformat(first), min(dt.date.fromisoformat(last or first), horizon)
        if opened.date() - _DAY <= end and start <= end:
            yield start_of_day(start, zone), start_of_day(end + _DAY, zone)


def _absence_spans(schedule: Schedule, policy: HouseRules, absences: Sequence[AbsencePeriod]) -> Iterator[_Span]:
    margin = least_time(schedule, policy)
    for away in absences:
        # An hour more: a day on which clocks go back has 25.
        # A deadline on the morning after an absence would leave the player no time, so it is put off too.
        if away.until - away.since <= policy.absence * _DAY + dt.timedelta(hours=1):
            yield away.since, away.until + margin


BY_GM = "gm"
"""The reason of a run that the GM has asked for."""

BY_CLAIM = "claim"
"""The reason of a run that a player has asked for, whose opponent is late."""

BY_DEADLINE = "deadline"
"""The reason of a run at its deadline."""


ALL_IN = "all_in"
"""The reason of a turn for which all sheets are in."""

_REASONS = {BY_GM: "by the GM", BY_CLAIM: "claimed", ALL_IN: "all sheets in"}


def describe_reason(reason: str) -> str:
    """Return the reason of a run in words."""
    return _REASONS.get(reason, reason)


@dataclass(frozen=True, slots=True)
class CountingSheet:
    """The accepted sheet that counts for a seat.

    `wait` and `received_at` are those of the seat's newest sheet: if nothing in that one
    was accepted, another counts, but the turn waits for its correction.
    """

    version: int
    wait: bool
    received_at: dt.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurnStatus:
    """An open turn, and what it waits for. It does not run while it is `held`.

    `players` are the seats of the campaign, awaited or not, that have a player who is not paused.
    """

    campaign: str
    turn_id: int
    turn: int
    opened_at: dt.datetime
    deadline: dt.datetime | None
    reminded_at: dt.datetime | None
    schedule: Schedule
    policy: HouseRules
    hold_kind: HoldKind
    hold_reason: str
    players: tuple[SeatName, ...]
    awaited: tuple[SeatName, ...]
    sheets: dict[SeatName, CountingSheet]

    @property
    def held(self) -> str:
        """The hold with its reason; "" if it may be run."""
        return describe_hold(self.hold_kind, self.hold_reason)

    @property
    def closes(self) -> dt.datetime | None:
        """The end of the grace after the deadline, from when seats without a sheet are no longer waited for."""
        return None if self.deadline is None else self.deadline + self.policy.grace_time

    @property
    def missing(self) -> tuple[SeatName, ...]:
        """The awaited seats without a sheet."""
        return tuple(seat for seat in self.awaited if seat not in self.sheets)

    @property
    def claimant(self) -> SeatName | None:
        """The opponent of the one late player of two, who decides whether the turn waits (house rule `late`)."""
        if self.policy.late != OPPONENTS or len(self.players) != 2 or len(self.missing) != 1:
            return None
        return next(seat for seat in self.players if seat not in self.missing)

    def is_held_by(self, seat: SeatName) -> bool:
        """Return True if the turn waits for its deadline because of this seat."""
        return seat in self.awaited and (seat not in self.sheets or self.sheets[seat].wait)

    def reason(self, now: dt.datetime, *, by_deadline: bool) -> str | None:
        """Return the reason why the turn is to be run now, or None."""
        # A hold comes first: neither a deadline nor a full set of sheets runs a turn that its GM has to look at.
        if self.held:
            return None
        if by_deadline and self._is_past(now):
            return None if self.claimant else BY_DEADLINE
        # Without the mailbox a deadline says nothing, since sheets may wait in it; a turn with all sheets in runs.
        if any(map(self.is_held_by, self.awaited)):
            return None
        return ALL_IN if self._is_settled(now) else None

    def has_closed(self, now: dt.datetime) -> bool:
        """Return True if deadline and grace are over, and nothing holds the turn."""
        return self.closes is not None and not self.held and now >= self.closes

    def _is_past(self, now: dt.datetime) -> bool:
        """Return True if deadline and grace have passed; a last sheet within the grace has its settling time."""
        if self.deadline is None or self.closes is None or now < self.deadline:
            return False
        # The settling time ends with the grace: sheets that keep coming must not put a turn off without end. One that
        # came while the opponent let the turn wait has its own.
        if now >= self.closes and (self.missing or self.policy.late != OPPONENTS or self._last_sheet <= self.closes):
            return True
        # After the deadline WAIT no longer counts: grace is for sheets that are missing.
        return not self.missing and (self._last_sheet <= self.deadline or self._is_settled(now))

    def _is_settled(self, now: dt.datetime) -> bool:
        """Return True if there was time for second thoughts."""
        # A sheet later than `now` came while the clock was ahead; the turn does not wait for that time.
        return not self._last_sheet <= now < self._last_sheet + self.policy.settle_time

    def settles(self, now: dt.datetime) -> dt.datetime | None:
        """Return the end of the time for second thoughts, before deadline and grace end; None if no time is certain."""
        past = self.deadline is not None and now >= self.deadline
        if self.missing or not (past or not any(map(self.is_held_by, self.awaited))):
            return None
        at, end = self._last_sheet + self.policy.settle_time, self.closes if past else self.deadline
        return at if end is None or at < end else None

    @property
    def _last_sheet(self) -> dt.datetime:
        return max((sheet.received_at for sheet in self.sheets.values()), default=self.opened_at)


@dataclass(frozen=True, slots=True)
class DueTurn:
    """A turn to be run, and the reason; of one that is held instead, also the kind and the reason of the hold."""

    campaign: str
    turn: int
    reason: str
    hold_kind: HoldKind = HoldKind.NONE
    hold_reason: str = ""


def due_turns(
    turns: Iterable[OpenTurnStatus], now: dt.datetime, *, by_deadline: bool = True, outage: Outage | None = None
) -> list[DueTurn]:
    """Return those of some open turns that are to be run now.

    If not `by_deadline`, or if the deadline waits for an outage, only turns with all sheets in.
    """
    timely = ((turn, by_deadline and not (outage and outage.holds(turn.closes, now))) for turn in turns)
    reasons = ((turn, turn.reason(now, by_deadline=counts)) for turn, counts in timely)
    return [DueTurn(turn.campaign, turn.turn, reason) for turn, reason in reasons if reason is not None]


def recheck_due(session: Session, turn: DueTurn, now: dt.datetime) -> OpenTurnStatus | None:
    """Return a due turn as it waits now, or None if it is no longer open or due."""
    # Between the list of due turns and the run, a GM may have held or extended the turn, and a player said WAIT.
    for open_ in load_open_turns(session, turn.campaign):
        claimed = turn.reason == BY_CLAIM and open_.has_closed(now)
        if open_.turn == turn.turn and (claimed or open_.reason(now, by_deadline=turn.reason == BY_DEADLINE)):
            return open_
    return None


def open_turns(app: App, campaign: str | None = None) -> list[OpenTurnStatus]:
    """Return the open turns of all running campaigns, or of one, as they are now."""
    with app.store.reading() as session:
        return load_open_turns(session, campaign)


_IS_RUNNING = Campaign.status == CampaignState.RUNNING
_IS_OPEN = Turn.resolved_at.is_(None)
_AT_TABLE = (Turn.campaign_id == Campaign.id) & (Turn.number == Campaign.turn) & Turn.withdrawal_id.is_(None)

_TURNS = (
    select(
        Campaign.id.label("campaign_id"),
        Campaign.name.label("campaign"),
        Campaign.schedule,
        Campaign.policy,
        Campaign.hold_kind,
        Campaign.hold_reason,
        Turn.id.label("turn_id"),
        Turn.number.label("turn"),
        Turn.opened_at,
        Turn.deadline,
        Turn.reminded_at,
        Turn.awaited,
    )
    .join(Turn, _AT_TABLE)
    .where(_IS_RUNNING, _IS_OPEN)
    .order_by(Campaign.id)
)
_MANNED = (
    select(Seat.campaign_id, Seat.name)
    .join(Campaign, Campaign.id == Seat.campaign_id)
    .where(Seat.status == SeatState.PLAYING, ~Seat.paused, _IS_RUNNING)
    .order_by(Seat.id)
)
_SHEETS = (
    select(
        OrderSheet.turn_id,
        Seat.name,
        OrderSheet.version,
        OrderSheet.accepted,
        OrderSheet.wait,
        OrderSheet.received_at,
    )
    .join(Seat, Seat.id == OrderSheet.seat_id)
    .join(Turn, Turn.id == OrderSheet.turn_id)
    .join(Campaign, _AT_TABLE)
    .where(STANDS, _IS_RUNNING, _IS_OPEN)
    .order_by(OrderSheet.version)
)
# Built once: every tick executes them for every home, and building one takes as long as executing it.
_OF_ALL = (_TURNS, _MANNED, _SHEETS)

_OF_ONE = tuple(asked.where(Campaign.name == bindparam("campaign")) for asked in _OF_ALL)


def load_open_turns(session: Session, campaign: str | None = None) -> list[OpenTurnStatus]:
    """Return the open turns of all running campaigns, or of one, in the order of the campaigns' creation."""
    connection, of = flushed_connection(session), {} if campaign is None else {"campaign": campaign}
    turns, seats, sheets = (connection.execute(asked, of).all() for asked in (_OF_ONE if of else _OF_ALL))
    manned: dict[int, list[SeatName]] = defaultdict(list)
    for campaign_id, seat in seats:
        manned[campaign_id].append(seat)
    counting: dict[int, dict[SeatName, CountingSheet]] = defaultdict(dict)
    for turn_id, seat, version, accepted, wait, received_at in sheets:
        # Ordered by version, so the last accepted sheet of a seat replaces those before it.
        if accepted:
            counting[turn_id][seat] = CountingSheet(version, wait, received_at)
        elif before := counting[turn_id].get(seat):
            counting[turn_id][seat] = CountingSheet(before.version, wait, received_at)
    return [_open_turn_status(row._mapping, manned[row.campaign_id], counting[row.turn_id]) for row in turns]


def _open_turn_status(
    row: RowMapping, manned: Sequence[SeatName], sheets: dict[SeatName, CountingSheet]
) -> OpenTurnStatus:
    plain = ("campaign", "turn_id", "turn", "opened_at", "deadline", "reminded_at", "hold_kind", "hold_reason")
    return OpenTurnStatus(
        **{name: row[name] for name in plain},
        schedule=Schedule.read(row["schedule"]),
        policy=HouseRules.read(row["policy"]),
        players=tuple(manned),
        # A game awaits seats without knowing which are open or paused; no turn waits for those.
        awaited=tuple(seat for seat in manned if seat in row["awaited"]),
        sheets=sheets,
    )


def time_left(session: Session, snapshot: CampaignSnapshot) -> dict[SeatName, dt.timedelta]:
    """Return the time that is left in the bank of each seat's player; what the one before them spent is not theirs."""
    spent = (
        select(Seat.name, func.sum(BankedTime.minutes).label("minutes"))
        .join(BankedTime, BankedTime.seat_id == Seat.id)
        .join(Turn, Turn.id == BankedTime.turn_id)
        .where(Seat.campaign_id == snapshot.id, Turn.withdrawal_id.is_(None))
        .where(Seat.since.is_(None) | (Seat.since <= BankedTime.at))
        .group_by(Seat.name)
    )
    charged = {row.name: row.minutes for row in session.execute(spent)}
    whole = snapshot.policy.bank_time
    return {seat: max(whole - dt.timedelta(minutes=charged.get(seat, 0)), dt.timedelta()) for seat in snapshot.seats}


REMINDER = dt.timedelta(hours=24)
"""Time before the deadline at which reminders go out; at the soonest halfway to it."""


def needs_reminding(turn: OpenTurnStatus, now: dt.datetime) -> bool:
    """Return True if reminders are to go out now; after the deadline it is too late for them."""
    if turn.deadline is None or turn.reminded_at is not None or turn.held:
        return False
    # With less than two days to play, a day before the deadline would be soon after the report.
    return turn.deadline - min(REMINDER, (turn.deadline - turn.opened_at) / 2) <= now < turn.deadline


def is_late(turn: OpenTurnStatus, now: dt.datetime) -> bool:
    """Return True if the deadline has passed, the turn waits out its grace, and no late notices went out."""
    if turn.deadline is None or turn.closes is None or turn.held or not turn.missing:
        return False
    told = turn.reminded_at is not None and turn.reminded_at >= turn.deadline  # an earlier time is that of reminders
    return turn.deadline <= now < turn.closes and not told


def may_be_claimed(turn: OpenTurnStatus, now: dt.datetime) -> bool:
    """Return True if the turn waits for the word of an opponent, deadline and grace being over."""
    return turn.claimant is not None and turn.has_closed(now)


def needs_notice(turn: OpenTurnStatus, now: dt.datetime) -> bool:
    """Return True if players are to be notified of an open turn now."""
    return needs_reminding(turn, now) or is_late(turn, now) or needs_claim(turn, now)


def needs_claim(turn: OpenTurnStatus, now: dt.datetime) -> bool:
    """Return True if an opponent is to be asked now whether the turn waits, which is once for a deadline."""
    told = turn.reminded_at is not None and turn.closes is not None and turn.reminded_at >= turn.closes
    return may_be_claimed(turn, now) and not told


def turns_to_notify(turns: Iterable[OpenTurnStatus], now: dt.datetime) -> list[OpenTurnStatus]:
    """Return the open turns of which players are to be notified now."""
    return [turn for turn in turns if needs_notice(turn, now)]


RUN = RequestKind.RUN
"""The kind of a `PendingRequest` for a run."""


def requested_runs(app: App, now: dt.datetime, campaign: str | None) -> list[DueTurn]:
    """Return the open turns, of all campaigns or of one, whose run the GM has requested, or a player by a claim.

    Requests for turns that are no longer open are closed; a claim waits while its campaign is on hold.
    """
    here = (
        select(
            PendingRequest.id,
            PendingRequest.data,
            Campaign.name,
            Campaign.turn,
            Campaign.revision,
            Campaign.status,
            Campaign.hold_kind,
        )
        .join(Campaign, Campaign.id == PendingRequest.campaign_id)
        .where(PendingRequest.kind == RUN, PendingRequest.done_at.is_(None))
        .order_by(PendingRequest.id)
    )
    if campaign is not None:
        here = here.where(Campaign.name == campaign)
    with app.store.reading() as session:
        asked = session.connection().execute(here).all()
    over = [
        row.id
        for row in asked
        # With the revision: a GM who asked for turn 4 has not asked for what a rerun of turn 3 has made of it.
        if (row.turn, row.revision, row.status) != (row.data["turn"], row.data["revision"], CampaignState.RUNNING)
    ]
    if over:
        with app.store.writing() as session:
            session.execute(update(PendingRequest).where(PendingRequest.id.in_(over)).values(done_at=now))
    return [
        DueTurn(row.name, row.turn, reason)
        for row in asked
        if row.id not in over
        and ((reason := row.data.get("reason", BY_GM)) != BY_CLAIM or row.hold_kind == HoldKind.NONE)
    ]


def held_for_rulings(session: Session, campaign: str | None) -> list[str]:
    """Return the campaigns, of all or only the given one, whose open turn is held for a ruling."""
    held = select(Campaign.name).where(_IS_RUNNING, Campaign.hold_kind.in_((HoldKind.RULING, HoldKind.RULED)))
    here = held if campaign is None else held.where(Campaign.name == campaign)
    return list(flushed_connection(session).execute(here.order_by(Campaign.id)).scalars())


@dataclass(frozen=True, slots=True)
class WaitingSheet:
    """The newest sheet of a seat, because of which the turn waits for its deadline.

    `errors` are its errors, if it waits for a correction; `lines` is the number of lines refused.
    """

    version: int
    errors: tuple[Finding, ...] = ()

    @property
    def lines(self) -> int:
        """The number of lines not accepted; one line may have several errors."""
        return len({error.line for error in self.errors})


def waiting_sheets(session: Session, turn_id: int, seat: SeatName | None = None) -> Mapping[SeatName, WaitingSheet]:
    """Return the newest sheets because of which a turn waits for its deadline, of all seats or of one."""
    newer = aliased(OrderSheet)
    later = (newer.turn_id == OrderSheet.turn_id) & (newer.seat_id == OrderSheet.seat_id)
    found = (
        select(Seat.name, OrderSheet.version, OrderSheet.findings)
        .join(Seat, Seat.id == OrderSheet.seat_id)
        .where(OrderSheet.turn_id == turn_id, OrderSheet.wait)
        .where(~exists().where(later, newer.version > OrderSheet.version, newer.accepted | newer.wait))
    )
    if seat is not None:
        found = found.where(Seat.name == seat)
    return {name: WaitingSheet(version, tuple(_errors_in(rows))) for name, version, rows in session.execute(found)}


def _errors_in(findings: Iterable[Mapping[str, Any]]) -> Iterator[Finding]:
    # By name: rows of earlier versions lack fields that have a default.
    return (Finding(**each) for each in findings if each["severity"] == "error")
