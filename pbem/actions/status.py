"""Status of campaigns for the GM: sheets, missing seats, deadlines and undelivered mail."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from pbem.actions.base import Channel, Query, format_days, last_day
from pbem.app import App
from pbem.campaign.deadlines import AbsencePeriod, CountingSheet, load_open_turns, time_left, waiting_sheets
from pbem.campaign.people import list_standbys, load_deputies, open_invitations
from pbem.campaign.snapshot import CampaignSnapshot, Context, describe_hold, is_current, load_state
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import SeatName
from pbem.store.models import Absence, JournalEntry, OutgoingMail, PendingRequest, Seat, Turn
from pbem.store.types import CampaignState, HoldKind, OutgoingState, SeatState
from pbem.text import count_noun, format_span, format_table, format_time


@dataclass(frozen=True, slots=True)
class DeputyStatus:
    """A person who may send sheets for a seat, until a time."""

    address: str
    until: dt.datetime


@dataclass(frozen=True, slots=True)
class StandbyStatus:
    """A person on the waiting list, and the seat that they would like, "" for any."""

    address: str
    wish: SeatName


@dataclass(frozen=True, slots=True)
class HoldStatus:
    """A hold: its kind, the reason as free text ("" for none), and since when, if the journal tells."""

    kind: HoldKind
    reason: str
    since: dt.datetime | None

    @property
    def words(self) -> str:
        """The hold with its reason, for readers."""
        return describe_hold(self.kind, self.reason)


@dataclass(frozen=True, slots=True)
class ImportStatus:
    """Seats of an imported campaign whose players have confirmed it, and those that have not."""

    confirmed: tuple[SeatName, ...]
    missing: tuple[SeatName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStatus:
    """A seat: whether it is awaited, the version of the sheet that counts (None: none), and missed sheets.

    A seat without an address has no player; with `bot`, the game's bot orders for it. With `wait` the turn does not run
    before its deadline because of the sheet: its player said so, it is not complete, it has lines to correct, or it was
    sent for a turn that was run otherwise since. `lines_refused` are the lines of the seat's newest sheet for whose
    correction the turn waits. `bank_minutes` are left in the player's time bank, None where there are none. `absences`
    are those that were not over when the turn opened; `deputies` those of now.
    """

    seat: SeatName
    address: str
    playing: bool
    bot: bool = False
    paused: bool
    awaited: bool
    sheet_version: int | None
    wait: bool
    lines_refused: int = 0
    nmr_in_a_row: int
    nmr_total: int
    bank_minutes: int | None = None
    absences: tuple[AbsencePeriod, ...] = ()
    deputies: tuple[DeputyStatus, ...] = ()


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

    `hold` is None if turns are run; `moved_to` is the address to which the campaign has moved, or "".
    `ruled`: its GM has ruled on the open turn, at `ruled_at`; `awaits_ruling`: it is held for a ruling.
    `closes` is the time after which late sheets do not count. `imported` is None unless it waits for its players.
    `invited` are those who have not answered.
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
    hold: HoldStatus | None
    moved_to: str
    ruled: bool
    ruled_at: dt.datetime | None
    awaits_ruling: bool
    seats: tuple[SeatStatus, ...]
    standbys: tuple[StandbyStatus, ...]
    imported: ImportStatus | None
    invited: tuple[StandbyStatus, ...]
    undelivered: tuple[Undelivered, ...]
    result: GameResult | None


@dataclass(frozen=True, slots=True)
class ShowStatus(Query[CampaignStatus]):
    """See how the campaign stands: sheets, deadlines, mail not delivered."""

    def look(self, context: Context) -> CampaignStatus:
        """Return turn, seats and undelivered mail."""
        return campaign_status(context.session, context.app, context.snapshot, context.now)

    def render(self, facts: CampaignStatus, channel: Channel) -> Iterator[str]:
        where = {
            CampaignState.FORMING: "not started",
            CampaignState.RUNNING: f"turn {facts.turn}",
            CampaignState.OVER: f"over after turn {facts.turn}",
            CampaignState.MOVED: f"moved to {facts.moved_to} at turn {facts.turn}",
        }
        yield f"{facts.name}: {facts.title}, {where[facts.status]}"
        if facts.deadline is not None:
            yield f"  deadline: {format_time(facts.deadline, facts.zone)}  [{facts.schedule}]"
            if facts.closes is not None and facts.closes > facts.deadline:
                yield f"  late sheets count until: {format_time(facts.closes, facts.zone)}"
        elif facts.status == CampaignState.FORMING:
            start = channel.either(f"pbem start {facts.name}", "START")
            yield f"  deadlines: {facts.schedule}; start it with: {start}"
        yield from (f"  {line}" for line in _hold_lines(facts, channel))
        if facts.result is not None:
            winners = ", ".join(facts.result.winners) or "no seat"
            yield f"  won by {winners}: {facts.result.reason}"
        rows = [
            (
                seat.seat,
                "a bot" if seat.bot else seat.address,
                _sheet_cell(seat),
                f"{seat.nmr_in_a_row} in a row, {seat.nmr_total} in all",
            )
            for seat in facts.seats
        ]
        yield from (f"  {line}" for line in format_table(rows, "seat", "address", "sheet", "missed").splitlines())
        for seat in facts.seats:
            yield from (
                f"  {seat.seat} is absent {format_days(away.since, away.until, facts.zone)}" for away in seat.absences
            )
            yield from (f"  {line}" for line in deputy_lines(seat.seat, seat.deputies, facts.zone))
            if seat.bank_minutes is not None and seat.playing:
                yield f"  {seat.seat} has {format_span(dt.timedelta(minutes=seat.bank_minutes))} of the time bank left"
        yield from (f"  {line}" for line in standby_lines(facts.standbys))
        for each in facts.invited:
            yield f"  invited, no answer yet: {each.address}" + (f", for {each.wish}" if each.wish else "")
        yield from render_undelivered(facts.undelivered, "  ")


def _hold_lines(status: CampaignStatus, channel: Channel) -> Iterator[str]:
    """Yield what keeps turns from being run, with the command that goes on, and the ruling in force."""
    name, release = status.name, channel.either(f"pbem release {status.name}", "RELEASE")
    if status.status == CampaignState.MOVED:
        yield f"moved to {status.moved_to}. If it is not played there: {channel.undo(name)}"
    elif status.hold is not None and status.hold.kind != HoldKind.RULED:
        since = f" since {format_time(status.hold.since, status.zone)}" if status.hold.since else ""
        ruling = channel.either(f"Next: pbem ruling {name} --edit", "Rule with: RULING")
        then = ruling if status.awaits_ruling else f"Release: {release}"
        yield f"{describe_hold(status.hold.kind, status.hold.reason, since)}. {then}"
    if status.imported is not None:
        yield f"imported. {render_confirmed(status.imported)}"
    if status.ruled:
        at = f" {format_time(status.ruled_at, status.zone)}" if status.ruled_at else ""
        yield f"ruling submitted{at}. Run it: {release}"


def render_confirmed(status: ImportStatus) -> str:
    """Return which players of an imported campaign have confirmed it."""
    return f"Confirmed: {', '.join(status.confirmed) or 'none'}. Not yet: {', '.join(status.missing) or 'none'}."


def deputy_lines(seat: SeatName, deputies: Iterable[DeputyStatus], zone: str) -> Iterator[str]:
    """Yield the deputies of a seat, each with the last day, as the player named it."""
    for deputy in deputies:
        yield f"deputy of {seat} until {last_day(deputy.until, zone)}: {deputy.address}"


def standby_lines(standbys: Iterable[StandbyStatus]) -> Iterator[str]:
    """Yield the waiting list in its order."""
    for number, each in enumerate(standbys, start=1):
        yield f"standby {number}: {each.address}" + (f", would like {each.wish}" if each.wish else "")


def _sheet_cell(seat: SeatStatus) -> str:
    if not seat.playing:
        return "removed"
    paused = ", paused" if seat.paused else ""
    refused = f", {count_noun(seat.lines_refused, 'line')} refused" if seat.lines_refused else ""
    if seat.sheet_version is not None:
        return f"sheet {seat.sheet_version}" + (refused or (", WAIT" if seat.wait else "")) + paused
    return ("missing" if seat.awaited else "-") + refused + paused


def render_undelivered(mails: Sequence[Undelivered], indent: str = "") -> Iterator[str]:
    """Yield how much mail is queued, and a line for each that was tried in vain."""
    tried = [mail for mail in mails if mail.attempts or mail.state != OutgoingState.QUEUED]
    if len(tried) < len(mails):
        yield f"{indent}{count_noun(len(mails) - len(tried), 'mail')} queued"
    for mail in tried:
        tries = f" after {count_noun(mail.attempts, 'try', 'tries')}" if mail.attempts else ""
        reply = f": {mail.reply}" if mail.reply else ""
        state = "deferred" if mail.state == OutgoingState.QUEUED else mail.state
        yield f"{indent}not delivered to {mail.recipient}, {state}{tries}{reply}"


def campaign_status(session: Session, app: App, snapshot: CampaignSnapshot, now: dt.datetime) -> CampaignStatus:
    waiting = next(iter(load_open_turns(session, snapshot.name)), None)
    awaited = waiting.awaited if waiting else ()
    sheets = waiting.sheets if waiting else {}
    held_by = waiting_sheets(session, waiting.turn_id) if waiting else {}
    refused = {seat: sheet.lines for seat, sheet in held_by.items()}
    seats = select(Seat).where(Seat.campaign_id == snapshot.id).order_by(Seat.id)
    rows = session.scalars(seats.options(joinedload(Seat.person)))
    deputies = load_seat_deputies(session, snapshot, now)
    away = _load_absences(session, snapshot, waiting.opened_at if waiting else None)
    banks = time_left(session, snapshot) if snapshot.policy.bank else {}
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
        hold=_load_hold(session, snapshot),
        moved_to=snapshot.moved_to,
        ruled=(ruled := _is_ruled(session, snapshot)),
        ruled_at=_last_entry(session, snapshot, f"ruled on turn {snapshot.turn} (") if ruled else None,
        awaits_ruling=snapshot.hold_kind == HoldKind.RULING,
        seats=tuple(
            _build_seat(
                row,
                row.name in awaited,
                sheets.get(row.name),
                refused.get(row.name, 0),
                away[row.id],
                deputies[row.id],
                banks.get(row.name),
            )
            for row in rows
        ),
        standbys=load_standbys(session, snapshot),
        imported=load_confirmations(session, snapshot) if snapshot.hold_kind == HoldKind.IMPORTED else None,
        invited=load_invited(session, snapshot, now),
        undelivered=load_undelivered(session, snapshot.id),
        result=_load_result(session, app.game(snapshot.game), snapshot)
        if snapshot.status == CampaignState.OVER
        else None,
    )


def load_seat_deputies(
    session: Session, snapshot: CampaignSnapshot, now: dt.datetime
) -> Mapping[int, Sequence[DeputyStatus]]:
    """Return the present deputies of each seat, by its id."""
    found: Mapping[int, list[DeputyStatus]] = defaultdict(list)
    for deputy, person in load_deputies(session, [place.id for place in snapshot.places], now):
        found[deputy.seat_id].append(DeputyStatus(person.address, deputy.until))
    return found


def load_standbys(session: Session, snapshot: CampaignSnapshot) -> tuple[StandbyStatus, ...]:
    """Return the waiting list in its order."""
    return tuple(StandbyStatus(person.address, wish) for person, wish in list_standbys(session, snapshot.id))


def load_invited(session: Session, snapshot: CampaignSnapshot, now: dt.datetime) -> tuple[StandbyStatus, ...]:
    """Return who is invited and may still answer, with the seat that is offered, "" for any."""
    asked = open_invitations(session, now, PendingRequest.campaign_id == snapshot.id)
    waiting = {each.data["address"]: each.data["wish"] for each in asked}
    return tuple(StandbyStatus(address, wish) for address, wish in waiting.items())


def load_confirmations(session: Session, snapshot: CampaignSnapshot) -> ImportStatus:
    """Return which players have confirmed that an imported campaign is played here."""
    # An import leaves all tokens behind, and each player who confirms it is mailed another.
    done = set(session.scalars(select(Seat.name).where(Seat.campaign_id == snapshot.id, Seat.token_hash != "")))
    seats = [place.seat for place in snapshot.playing if place.address]
    return ImportStatus(
        tuple(seat for seat in seats if seat in done), tuple(seat for seat in seats if seat not in done)
    )


def _load_hold(session: Session, snapshot: CampaignSnapshot) -> HoldStatus | None:
    if snapshot.hold_kind == HoldKind.NONE:
        return None
    since = _last_entry(session, snapshot, f"turn {snapshot.turn} on hold")
    return HoldStatus(snapshot.hold_kind, snapshot.hold_reason, since)


def _last_entry(session: Session, snapshot: CampaignSnapshot, begins: str) -> dt.datetime | None:
    """Return the time of the newest journal entry that begins so."""
    entries = select(JournalEntry.at).where(
        JournalEntry.campaign_id == snapshot.id, JournalEntry.text.startswith(begins, autoescape=True)
    )
    return session.scalar(entries.order_by(JournalEntry.id.desc()).limit(1))


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


def _build_seat(
    row: Seat,
    awaited: bool,
    sheet: CountingSheet | None,
    refused: int,
    absences: Sequence[AbsencePeriod],
    deputies: Sequence[DeputyStatus],
    bank: dt.timedelta | None,
) -> SeatStatus:
    return SeatStatus(
        seat=row.name,
        address=row.address,
        playing=row.status != SeatState.REMOVED,
        bot=row.status == SeatState.BOT,
        paused=row.paused,
        awaited=awaited,
        sheet_version=sheet.version if sheet else None,
        wait=sheet.wait if sheet else False,
        lines_refused=refused,
        nmr_in_a_row=row.nmr_in_a_row,
        nmr_total=row.nmr_total,
        absences=tuple(absences),
        deputies=tuple(deputies),
        bank_minutes=bank // dt.timedelta(minutes=1) if bank is not None else None,
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
