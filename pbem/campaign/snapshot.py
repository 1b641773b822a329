"""Snapshot of a campaign: its rows from one read of the database, as plain values; and its journal."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, cast

from sqlalchemy import BindParameter, ColumnElement, CursorResult, Table, and_, bindparam, func, insert, select
from sqlalchemy.orm import Session

from pbem.archive.record import mixed_seed
from pbem.campaign.house_rules import HouseRules
from pbem.campaign.schedule import Schedule
from pbem.errors import CampaignError
from pbem.mail.headers import with_name
from pbem.report.facts import DiceWord
from pbem.ruleset.fields import suggest_name
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.validation import ValidationError
from pbem.ruleset.values import Json, SeatName, Seats, is_plain_seat
from pbem.store.models import Campaign, JournalEntry, OrderSheet, Person, Report, Seat, Turn
from pbem.store.session import flushed_connection
from pbem.store.types import CampaignState, HoldKind, PageDelivery, SeatState
from pbem.text import zone_for

if TYPE_CHECKING:
    from pbem.app import App

_HOLD_REASONS = {
    HoldKind.NO_MAIL: "no mail has come in since the turn opened",
    HoldKind.NO_PLAYERS: "every seat is open, paused or a bot's, so no orders of a player would come",
    HoldKind.REVIEW: "needs your review",
    HoldKind.RULING: "needs a ruling",
    HoldKind.RULED: "ruling submitted",
}

_NAME = re.compile(r"[a-z0-9-]{1,40}")


def is_campaign_name(text: str) -> bool:
    """Return True if a campaign may have this name."""
    return _NAME.fullmatch(text) is not None


NO_HOLD: Mapping[str, Any] = {"hold_kind": HoldKind.NONE, "hold_reason": ""}
"""The columns of a campaign that is not held."""


def is_gm_hold(kind: HoldKind) -> bool:
    """Return True if a hold is a GM's own, which the players are told of."""
    return kind in (HoldKind.GM, HoldKind.RESTORED, HoldKind.IMPORTED)


def hold_reason(kind: HoldKind, reason: str) -> str:
    """Return the reason of a hold as a clause, "" if there is none: its own, or that of its kind."""
    return reason or _HOLD_REASONS.get(kind, "")


def describe_hold(kind: HoldKind, reason: str, since: str = "") -> str:
    """Return a hold with its reason, such as 'on hold by the GM: "snow"'; "" if turns are run."""
    if kind == HoldKind.NONE:
        return ""
    by = " by the GM" if kind == HoldKind.GM else ""
    # The GM's own words are quoted.
    why = f'"{reason}"' if by and reason else hold_reason(kind, reason)
    return f"on hold{by}{since}" + (f": {why}" if why else "")


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat and its player, as read; without a player its address is "". A seat not `playing` is out of the game.

    `plain`, `pages` and `zone` are the player's wishes for mail, as in `Person`. `bot`: it has no player, and the
    game's bot orders for it.
    """

    id: int
    seat: SeatName
    address: str
    playing: bool
    paused: bool = False
    plain: bool = False
    pages: PageDelivery | None = None
    zone: str = ""
    bot: bool = False

    @property
    def manned(self) -> bool:
        """True if the seat has a player whose orders are awaited."""
        return self.playing and bool(self.address) and not self.paused


@dataclass(frozen=True, kw_only=True)  # without slots, for the cached properties
class CampaignSnapshot:
    """A campaign and its seats, in their order. `turn` is the number of the open turn.

    `seed` is the sealed seed; `words` are mixed with it, and there are none before the start.
    `origin` is the number of the set-up: the turn before the first.
    """

    id: int
    name: str
    game: str
    version: int
    options: Mapping[str, Any]
    schedule: Schedule
    status: CampaignState
    turn: int
    seed: bytes
    mail_key: bytes
    gm: str
    gm_name: str
    policy: HouseRules
    hold_kind: HoldKind
    hold_reason: str
    moved_to: str
    revision: int
    places: tuple[SeatView, ...]
    words: tuple[DiceWord, ...] = ()
    origin: int = 0

    @property
    def first(self) -> int:
        """The number of the first turn."""
        return self.origin + 1

    @property
    def gm_shown(self) -> str:
        """The GM as shown to people, with the name if there is one."""
        return with_name(self.gm_name, self.gm)

    @property
    def held(self) -> str:
        """The hold with its reason; "" if turns are run."""
        return describe_hold(self.hold_kind, self.hold_reason)

    @property
    def dice_seed(self) -> bytes:
        """The seed of the dice, mixed from the sealed seed and the dice words."""
        return mixed_seed(self.seed, self.words)

    @cached_property
    def seats(self) -> tuple[SeatName, ...]:
        """All seats there ever were."""
        return tuple(place.seat for place in self.places)

    def pages_for(self, place: SeatView) -> PageDelivery:
        """Return the delivery of reports as pages to a seat: as its player wants, or else by the house rules."""
        wanted = place.pages or (PageDelivery(self.policy.page))
        return PageDelivery.OFF if place.plain and wanted == PageDelivery.ATTACHED else wanted

    def zone_for(self, place: SeatView) -> str:
        """Return the zone in which times are told to a seat (`pbem.text.zone_for`)."""
        return zone_for(place.zone, self.schedule.zone)

    def clock_of(self, place: SeatView) -> str:
        """Return the time zone by which a seat's player reads days."""
        return place.zone or self.schedule.zone

    def by_zone(self, places: Iterable[SeatView]) -> Iterable[tuple[str, list[SeatView]]]:
        """Return the zones in which times are told to these seats, each with its seats."""
        found: dict[str, list[SeatView]] = {}
        for place in places:
            found.setdefault(self.zone_for(place), []).append(place)
        return found.items()

    @cached_property
    def playing(self) -> tuple[SeatView, ...]:
        """The seats still in the game."""
        return tuple(place for place in self.places if place.playing)


@dataclass(frozen=True, slots=True)
class Context:
    """A campaign as read in a session of its app, and the current time."""

    session: Session
    app: App
    snapshot: CampaignSnapshot
    now: dt.datetime


@dataclass(frozen=True, slots=True)
class ReceivedSheet:
    """A sheet received for the open turn."""

    id: int
    seat_id: int
    version: int
    accepted: bool
    digest: str
    text: str
    orders: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """The open turn: its state, all sheets in the order they came, and the GM's ruling, if any."""

    id: int
    number: int
    awaited: frozenset[SeatName]
    state: bytes
    state_hash: str
    opened_at: dt.datetime
    sheets: tuple[ReceivedSheet, ...]
    ruling: Json = None
    deadline: dt.datetime | None = None

    @classmethod
    def of(cls, turn: Turn, sheets: Iterable[ReceivedSheet]) -> Self:
        """Return the open turn from its row, with the sheets received for it."""
        return cls(
            id=turn.id,
            number=turn.number,
            awaited=frozenset(turn.awaited),
            state=turn.state,
            state_hash=turn.state_hash,
            opened_at=turn.opened_at,
            sheets=tuple(sheets),
            ruling=turn.ruling,
            deadline=turn.deadline,
        )


@dataclass(frozen=True, slots=True)
class LastReport:
    """The last report mailed to a seat: the turn it opened, its code and Message-ID, and its view as JSON."""

    number: int
    code: str
    message_id: str
    view: bytes


_COLUMNS = Campaign.__table__.columns
# Built once, as all statements that run for each message, seat or turn: building one and finding its compiled form
# costs four to eight times what executing it does (bench.statements). Statements of commands are built where they run.
_CAMPAIGN = select(
    *(_COLUMNS[each.name] for each in fields(CampaignSnapshot) if each.name in _COLUMNS),
    Campaign.dice_words.label("words"),
).where(Campaign.name == bindparam("name"))
_LOCKED = _CAMPAIGN.with_for_update()
_SEATS = (
    select(Seat.id, Seat.name, Seat.status, Seat.paused, Person.address, Person.plain, Person.pages, Person.zone)
    .outerjoin(Person, Person.id == Seat.person_id)
    .where(Seat.campaign_id == bindparam("campaign"))
    .order_by(Seat.id)
)


def lock_campaign(session: Session, name: str) -> CursorResult[Any]:
    """Keep other transactions from changing a campaign, or saving a sheet of it, until this one ends; return its row.

    Objects that the session has loaded are expired: they may have changed while it waited.
    """
    # SQLite ignores FOR UPDATE, and needs no lock: a writing session there is the only one.
    found = flushed_connection(session).execute(_LOCKED, {"name": name})
    session.expire_all()
    return found


def load_campaign(session: Session, name: str, *, lock: bool = False) -> CampaignSnapshot:
    """Return the campaign of this name, locked if asked. Raises CampaignError with the nearest name there is."""
    database = flushed_connection(session)
    # A row that was replaced while its lock was waited for is found by a later statement only.
    locked = lock_campaign(session, name).first() if lock else None
    campaign = locked or database.execute(_CAMPAIGN, {"name": name}).first()
    if campaign is None:
        names = session.scalars(select(Campaign.name).order_by(Campaign.name)).all()
        raise CampaignError(f'no campaign "{name}". {suggest_name(name, names, "Campaigns")}')
    rows = database.execute(_SEATS, {"campaign": campaign.id})
    read = {
        "schedule": Schedule.read(campaign.schedule),
        "policy": HouseRules.read(campaign.policy),
        "places": tuple(_seat_view(*row) for row in rows),
        "words": tuple(DiceWord(*each) for each in campaign.words),
    }
    return CampaignSnapshot(**{**campaign._mapping, **read})


def _seat_view(
    id_: int,
    seat: SeatName,
    status: SeatState,
    paused: bool,
    address: str | None,
    plain: bool | None,
    pages: PageDelivery | None,
    zone: str | None,
) -> SeatView:
    playing, bot = status != SeatState.REMOVED, status == SeatState.BOT
    return SeatView(id_, seat, address or "", playing, paused, bool(plain), pages, zone or "", bot)


def locked_campaign(session: Session, name: str) -> CampaignSnapshot:
    """Lock the campaign of this name and return it.

    Raises CampaignError, also if it is not played here any more.
    """
    snapshot = load_campaign(session, name, lock=True)
    require_here(snapshot)
    return snapshot


def require_here(snapshot: CampaignSnapshot) -> None:
    """Raise CampaignError if the campaign is played in another home now."""
    if snapshot.status == CampaignState.MOVED:
        raise CampaignError(f"campaign {snapshot.name} has moved to {snapshot.moved_to}, and is played there alone")


def find_seat_view(snapshot: CampaignSnapshot, seat: SeatName) -> SeatView:
    """Return the seat of this name. Raises CampaignError with the nearest name there is."""
    for place in snapshot.places:
        if place.seat == seat.lower():
            return place
    raise CampaignError(f'{snapshot.name} has no seat "{seat}". {suggest_name(seat.lower(), snapshot.seats, "Seats")}')


def is_current(campaign_id: int | BindParameter[Any]) -> ColumnElement[bool]:
    """Return the condition that a turn is part of a campaign's history, and not withdrawn."""
    return and_(Turn.campaign_id == campaign_id, Turn.withdrawal_id.is_(None))


def require_running(snapshot: CampaignSnapshot) -> None:
    """Raise CampaignError if the campaign has no open turn."""
    require_here(snapshot)
    if snapshot.status != CampaignState.RUNNING:
        raise CampaignError(f"campaign {snapshot.name} is {snapshot.status}: it has no open turn")


_LIVE = is_current(bindparam("campaign"))
_TURN = select(Turn).where(_LIVE, Turn.number == bindparam("number"))
_RECORD = select(Turn.record).where(_LIVE, Turn.number == bindparam("number"))
# Built once: building these statements takes longer than executing them.
_SHEETS = (
    select(
        OrderSheet.id,
        OrderSheet.seat_id,
        OrderSheet.version,
        OrderSheet.accepted,
        OrderSheet.digest,
        OrderSheet.text,
        OrderSheet.orders,
    )
    .where(OrderSheet.turn_id == bindparam("turn"))
    .order_by(OrderSheet.id)
)


def current_turn(session: Session, snapshot: CampaignSnapshot, number: int) -> Turn:
    """Return the turn of this number. Raises CampaignError if the history is inconsistent and has none."""
    turn = session.scalar(_TURN, {"campaign": snapshot.id, "number": number})
    if turn is None:
        raise _history_error(snapshot, f"turn {number} is missing")
    return turn


def load_state(session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot) -> Any:
    """Return the state of the open turn, or that with which the game ended. Raises CampaignError if there is none."""
    return ruleset.load(json.loads(current_turn(session, snapshot, snapshot.turn).state), snapshot.version)


def open_deadline(session: Session, snapshot: CampaignSnapshot) -> dt.datetime | None:
    """Return the deadline of the open turn; None where there is none, or it waits for its GM."""
    begun = Turn.number >= snapshot.first
    return session.scalar(select(Turn.deadline).where(is_current(snapshot.id), Turn.number == snapshot.turn, begun))


def load_record(session: Session, snapshot: CampaignSnapshot, number: int) -> bytes:
    """Return the record of a turn that was run. Raises CampaignError if the history is inconsistent and has none."""
    record = flushed_connection(session).execute(_RECORD, {"campaign": snapshot.id, "number": number}).scalar()
    if record is None:
        raise _history_error(snapshot, f"turn {number} was not run")
    return record


def _history_error(snapshot: CampaignSnapshot, wrong: str) -> CampaignError:
    return CampaignError(
        f"the turn history of {snapshot.name} is inconsistent: {wrong}. Restore a backup: pbem restore FILE DIR"
    )


def load_open_turn(session: Session, snapshot: CampaignSnapshot) -> OpenTurn:
    """Return the open turn of a running campaign. Raises CampaignError if it has none."""
    require_running(snapshot)
    turn = current_turn(session, snapshot, snapshot.turn)
    return OpenTurn.of(turn, load_sheets(session, turn.id))


def counting_versions(session: Session, snapshot: CampaignSnapshot, turn: Turn) -> dict[SeatName, int]:
    """Return the versions of the sheets that count for a turn, also those of seats no longer in the game."""
    names = {place.id: place.seat for place in snapshot.places}
    return {names[sheet.seat_id]: sheet.version for sheet in load_sheets(session, turn.id) if sheet.accepted}


def load_sheets(session: Session, turn_id: int) -> list[ReceivedSheet]:
    """Return all sheets of a turn, in the order they came."""
    return [ReceivedSheet(**row) for row in flushed_connection(session).execute(_SHEETS, {"turn": turn_id}).mappings()]


NEVER = 2**31 - 1
"""A number that no turn has."""

_NEWEST = (
    select(Report.seat_id, func.max(Turn.number).label("number"))
    .join(Turn, Turn.id == Report.turn_id)
    .where(_LIVE, Turn.number <= bindparam("until"))
    .group_by(Report.seat_id)
    .subquery()
)
_LAST_REPORTS = (
    select(Seat.name, Turn.number, Report.code, Report.message_id, Report.view)
    .join(Turn, Turn.id == Report.turn_id)
    .join(Seat, Seat.id == Report.seat_id)
    .join(_NEWEST, (_NEWEST.c.seat_id == Report.seat_id) & (_NEWEST.c.number == Turn.number))
    .where(_LIVE)
)


def load_last_reports(
    session: Session, snapshot: CampaignSnapshot, *, until: int | None = None
) -> dict[SeatName, LastReport]:
    """Return the last report of each seat, or the last up to the turn of a number."""
    # By default without a limit: a turn after that of the snapshot may just have been restored.
    which = {"campaign": snapshot.id, "until": NEVER if until is None else until}
    rows = flushed_connection(session).execute(_LAST_REPORTS, which)
    return {row[0]: LastReport(*row[1:]) for row in rows}


RESERVED_SEATS = frozenset({"all", "gm", "pbem", "players", "unsigned"})
"""Words with a meaning of their own in press, in the GM's commands, and in the journal."""


def is_valid_seat_name(text: str) -> bool:
    """Return True if a seat may have this name, where its game has no names of its own."""
    return is_plain_seat(text) and text not in RESERVED_SEATS


def format_player_count(seats: Seats) -> str:
    """Return the number of players in words: "2 to 6"."""
    return str(seats.least) if seats.least == seats.most else f"{seats.least} to {seats.most}"


MOST_FAULTS = 20
"""Faults told at once; a wrong file may have thousands."""


def raise_validation_errors(what: str, faults: Sequence[ValidationError]) -> None:
    """Raise CampaignError if there are faults: the subject, and each fault on a line of its own."""
    if faults:
        raise CampaignError(list_faults(what, list(map(str, faults))))


def list_faults(what: str, wrong: Sequence[str]) -> str:
    more = [f"and {len(wrong) - MOST_FAULTS} more"] if len(wrong) > MOST_FAULTS else []
    return "\n  ".join([f"{what}:", *wrong[:MOST_FAULTS], *more])


_ENTER = insert(cast(Table, JournalEntry.__table__)).returning(JournalEntry.id)


HOST = "pbem"
"""The actor of what happens to a campaign with its home: its text is a clause of its own."""


def add_entry(
    session: Session,
    campaign_id: int,
    at: dt.datetime,
    *,
    actor: str,
    text: str,
    secret: bool = False,
    turn: int | None = None,
) -> int:
    """Add an entry to the journal, in the transaction of the action itself; return its id.

    Players cannot read an entry that is `secret`. With `turn`, the number of the open
    turn, the next report of each seat tells it: as an action of the GM, or of `HOST` as
    a sentence at its head.
    """
    row = {"campaign_id": campaign_id, "at": at, "actor": actor, "text": text, "secret": secret, "turn": turn}
    entry: int = flushed_connection(session).execute(_ENTER, row).scalar_one()
    return entry
