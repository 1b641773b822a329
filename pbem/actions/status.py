"""Status of campaigns for the GM: sheets, missing seats, deadlines and undelivered mail."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from pbem.actions.base import Channel, Query, format_days
from pbem.app import App
from pbem.campaign.deadlines import AbsencePeriod, CountingSheet, load_open_turns
from pbem.campaign.snapshot import CampaignSnapshot, Context, is_current, load_state
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import SeatName
from pbem.store.models import Absence, OutgoingMail, Seat, Turn
from pbem.store.types import CampaignState, HoldKind, OutgoingState, SeatState
from pbem.text import count_noun, format_table, format_time


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStatus:
    """A seat: whether it is awaited, the version of the sheet that counts (None: none), and missed sheets.

    A seat without an address has no player. With `wait` the turn does not run before its deadline because of
    the sheet: its player said so, it is not complete, or it was sent for a turn that was run otherwise since.
    `absences` are those that were not over when the turn opened.
    """

    seat: SeatName
    address: str
    playing: bool
    paused: bool
    awaited: bool
    sheet: int | None
    wait: bool
    nmr_in_a_row: int
    nmr_total: int
    absences: tuple[AbsencePeriod, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Undelivered:
    """A mail that was not sent, or bounced. `reply` is the last reply of the other server."""

    recipient: str
    state: str
    attempts: int
    since: dt.datetime
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """The end of a game: its winners, scores and reason."""

    winners: tuple[SeatName, ...]
    scores: Mapping[SeatName, int]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignStatus:
    """A campaign. `turn` is the number of the open turn, or of turns played when it is over.

    `held` is the reason of a hold, "" if turns are run, or the address to which the campaign has moved.
    `ruled`: its GM has ruled on the open turn; `awaits_ruling`: it is held for a ruling.
    `closes` is the time after which late sheets do not count.
    """

    name: str
    game: str
    title: str
    status: CampaignState
    turn: int
    schedule: str
    zone: str
    deadline: dt.datetime | None
    closes: dt.datetime | None
    held: str
    ruled: bool
    awaits_ruling: bool
    seats: tuple[SeatStatus, ...]
    undelivered: tuple[Undelivered, ...]
    result: GameResult | None


@dataclass(frozen=True, slots=True)
class ShowStatus(Query[CampaignStatus]):
    """See how the campaign stands: sheets, deadlines, mail not delivered."""

    def look(self, context: Context) -> CampaignStatus:
        """Return turn, seats and undelivered mail."""
        return campaign_status(context.session, context.app, context.snapshot)

    def render(self, facts: CampaignStatus, channel: Channel) -> Iterator[str]:
        return render_status(facts, channel)


def render_status(status: CampaignStatus, channel: Channel) -> Iterator[str]:
    """Yield the status of a campaign: its turn, its seats, and undelivered mail."""
    where = {
        CampaignState.FORMING: "not started",
        CampaignState.RUNNING: f"turn {status.turn}",
        CampaignState.OVER: f"over after turn {status.turn}",
        CampaignState.MOVED: f"moved to {status.held} at turn {status.turn}",
    }
    yield f"{status.name}: {status.title}, {where[status.status]}"
    if status.deadline is not None:
        yield f"  deadline: {format_time(status.deadline, status.zone)}  [{status.schedule}]"
        if status.closes is not None and status.closes > status.deadline:
            yield f"  late sheets count until: {format_time(status.closes, status.zone)}"
    elif status.status == CampaignState.FORMING:
        start = channel.either(f"pbem start {status.name}", "START")
        yield f"  deadlines: {status.schedule}; start it with: {start}"
    if status.status == CampaignState.MOVED:
        yield f"  if it is not played there, take it back with: pbem export {status.name} --back"
    elif status.awaits_ruling:
        rule = channel.either(f"pbem adjudicate {status.name} --edit", "RULING")
        yield f"  held: {status.held}; rule with: {rule}"
    elif status.held:
        release = channel.either(f"pbem release {status.name}", "RELEASE")
        yield f"  held: {status.held}; let turns run with: {release}"
    if status.ruled:
        show = channel.either(f"pbem adjudicate {status.name}", "RULING")
        drop = channel.either(f"pbem adjudicate {status.name} --drop", "RULING OFF")
        yield f"  ruled: turn {status.turn} has your ruling; show it with: {show}; drop it with: {drop}"
    if status.result is not None:
        winners = ", ".join(status.result.winners) or "nobody"
        yield f"  won by {winners}: {status.result.reason}"
    rows = [
        (seat.seat, seat.address, _sheet_cell(seat), f"{seat.nmr_in_a_row} in a row, {seat.nmr_total} in all")
        for seat in status.seats
    ]
    yield from (f"  {line}" for line in format_table(rows, "seat", "address", "sheet", "missed").splitlines())
    for seat in status.seats:
        yield from (
            f"  {seat.seat} is absent {format_days(away.since, away.until, status.zone)}" for away in seat.absences
        )
    yield from render_undelivered(status.undelivered, "  ")


def _sheet_cell(seat: SeatStatus) -> str:
    if not seat.playing:
        return "removed"
    paused = ", paused" if seat.paused else ""
    if seat.sheet is not None:
        return f"version {seat.sheet}" + (", waits for the deadline" if seat.wait else "") + paused
    return ("awaited" if seat.awaited else "-") + paused


def render_undelivered(mails: Sequence[Undelivered], indent: str = "") -> Iterator[str]:
    """Yield how much mail is queued, and a line for each that was tried in vain."""
    tried = [mail for mail in mails if mail.attempts or mail.state != OutgoingState.QUEUED]
    if len(tried) < len(mails):
        yield f"{indent}{count_noun(len(mails) - len(tried), 'mail waits', 'mails wait')} to be sent"
    for mail in tried:
        tries = f", {count_noun(mail.attempts, 'try', 'tries')}" if mail.attempts else ""
        reply = f": {mail.reply}" if mail.reply else ""
        yield f"{indent}not delivered to {mail.recipient} ({mail.state}{tries}){reply}"


def campaign_status(session: Session, app: App, snapshot: CampaignSnapshot) -> CampaignStatus:
    """Return the status of one campaign."""
    waiting = next(iter(load_open_turns(session, snapshot.name)), None)
    awaited = waiting.awaited if waiting else ()
    sheets = waiting.sheets if waiting else {}
    seats = select(Seat).where(Seat.campaign_id == snapshot.id).order_by(Seat.id)
    rows = session.scalars(seats.options(joinedload(Seat.person)))
    away = _load_absences(session, snapshot, waiting.opened_at if waiting else None)
    return CampaignStatus(
        name=snapshot.name,
        game=snapshot.game,
        title=snapshot.policy.title or app.game(snapshot.game).title,
        status=snapshot.status,
        # The turn that opened when the game ended is not played.
        turn=snapshot.turn - 1 if snapshot.status == CampaignState.OVER else snapshot.turn,
        schedule=snapshot.schedule.text,
        zone=snapshot.schedule.zone,
        deadline=waiting.deadline if waiting else None,
        closes=waiting.closes if waiting else None,
        held=snapshot.held or snapshot.moved_to,
        ruled=_is_ruled(session, snapshot),
        awaits_ruling=snapshot.hold_kind == HoldKind.RULING,
        seats=tuple(_build_seat(row, row.name in awaited, sheets.get(row.name), away[row.id]) for row in rows),
        undelivered=load_undelivered(session, snapshot.id),
        result=_load_result(session, app.game(snapshot.game), snapshot)
        if snapshot.status == CampaignState.OVER
        else None,
    )


def _is_ruled(session: Session, snapshot: CampaignSnapshot) -> bool:
    open_turn = select(Turn.ruling).where(is_current(snapshot.id), Turn.number == snapshot.turn)
    return snapshot.status == CampaignState.RUNNING and session.scalar(open_turn) is not None


def _load_absences(
    session: Session, snapshot: CampaignSnapshot, opened_at: dt.datetime | None
) -> Mapping[int, Sequence[AbsencePeriod]]:
    """Return the absences of each seat, by its id, that touch the open turn or those to come."""
    rows = select(Absence).join(Seat, Seat.id == Absence.seat_id).where(Seat.campaign_id == snapshot.id)
    found: Mapping[int, list[AbsencePeriod]] = defaultdict(list)
    for row in session.scalars(rows.order_by(Absence.since, Absence.id)):
        if opened_at is None or row.until > opened_at:
            found[row.seat_id].append(AbsencePeriod(row.since, row.until))
    return found


def _build_seat(row: Seat, awaited: bool, sheet: CountingSheet | None, absences: Sequence[AbsencePeriod]) -> SeatStatus:
    return SeatStatus(
        seat=row.name,
        address=row.address,
        playing=row.status != SeatState.REMOVED,
        paused=row.paused,
        awaited=awaited,
        sheet=sheet.version if sheet else None,
        wait=sheet.wait if sheet else False,
        nmr_in_a_row=row.nmr_in_a_row,
        nmr_total=row.nmr_total,
        absences=tuple(absences),
    )


def load_undelivered(session: Session, campaign_id: int | None) -> tuple[Undelivered, ...]:
    rows = session.execute(
        select(
            OutgoingMail.recipient,
            OutgoingMail.state,
            OutgoingMail.attempts,
            OutgoingMail.created_at,
            OutgoingMail.reply,
        )
        .where(
            OutgoingMail.campaign_id == campaign_id,
            OutgoingMail.state.not_in((OutgoingState.SENT, OutgoingState.SUPERSEDED)),
        )
        .order_by(OutgoingMail.id)
    )
    return tuple(
        Undelivered(recipient=to, state=state, attempts=attempts, since=since, reply=reply)
        for to, state, attempts, since, reply in rows
    )


def _load_result(session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot) -> GameResult:
    standing = ruleset.standing(load_state(session, ruleset, snapshot))
    return GameResult(winners=standing.winners, scores=dict(standing.scores), reason=standing.reason)
