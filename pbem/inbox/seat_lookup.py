"""Look-up of seats, and of the reports whose codes a message shows."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import BindParameter, Executable, bindparam, func, or_, select
from sqlalchemy.orm import Session, aliased

from pbem.campaign.house_rules import HouseRules
from pbem.campaign.schedule import Schedule
from pbem.mail.headers import with_name
from pbem.ruleset.values import SeatName, View
from pbem.store.models import Campaign, Deputy, DeputyReport, Person, Report, Seat, Turn
from pbem.store.types import CampaignState, HoldKind, SeatState
from pbem.text import zone_for


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatContext:
    """A seat, its campaign, and the report its sheets are read against.

    Before the start there is none; then `code` is that of the mail about the dice. `address` is "" for a vacant seat.
    `held`: no turn runs before the GM releases it. `moved_to` is the address at which the campaign is played now, ""
    if that is here.
    """

    seat_id: int
    seat: SeatName
    address: str
    token_hash: str
    playing: bool
    paused: bool
    campaign_id: int
    campaign: str
    game: str
    gm: str
    gm_name: str
    schedule: str
    own_zone: str
    status: CampaignState
    mail_key: bytes
    revision: int
    policy: HouseRules
    held: bool
    moved_to: str
    turn_id: int
    turn: int
    deadline: dt.datetime | None
    report_id: int
    code: str
    report_message_id: str
    view: View

    @property
    def gm_shown(self) -> str:
        """The GM as shown to people, with the name if there is one."""
        return with_name(self.gm_name, self.gm)

    @property
    def zone(self) -> str:
        """The zone in which times are told to the seat's player (`pbem.text.zone_for`)."""
        return zone_for(self.own_zone, Schedule.read(self.schedule).zone)

    @property
    def label(self) -> str:
        """The label of the seat's newest report; "" before the first."""
        return str(self.view.get("label", ""))


@dataclass(frozen=True, slots=True)
class DeputyInfo:
    """Deputy of a seat's player, present, past or future."""

    address: str
    since: dt.datetime
    until: dt.datetime

    def is_on(self, now: dt.datetime) -> bool:
        """Return True if the deputy may act now."""
        return self.since <= now < self.until


@dataclass(frozen=True, slots=True)
class KnownSeat:
    """Seat of a person known by their address."""

    campaign: str
    game: str
    seat: SeatName


_NEWEST = (
    select(Report.id)
    .join(Turn, Turn.id == Report.turn_id)
    .where(Turn.campaign_id == Seat.campaign_id, Report.seat_id == Seat.id, Turn.withdrawal_id.is_(None))
    .order_by(Turn.number.desc())
    .limit(1)
    .correlate(Seat)
    .scalar_subquery()
)
_IS_OPEN = (Turn.campaign_id == Campaign.id) & (Turn.number == Campaign.turn) & Turn.withdrawal_id.is_(None)
_SEAT = (
    select(
        Seat.id.label("seat_id"),
        Seat.name.label("seat"),
        func.coalesce(Person.address, "").label("address"),
        Seat.token_hash,
        (Seat.status != SeatState.REMOVED).label("playing"),
        Seat.paused,
        Campaign.id.label("campaign_id"),
        Campaign.name.label("campaign"),
        Campaign.game,
        Campaign.gm,
        Campaign.gm_name,
        Campaign.schedule,
        func.coalesce(Person.zone, "").label("own_zone"),
        Campaign.status,
        Campaign.mail_key,
        Campaign.turn,
        Campaign.revision,
        Campaign.policy,
        (Campaign.hold_kind != HoldKind.NONE).label("held"),
        Campaign.moved_to,
        func.coalesce(Turn.id, 0).label("turn_id"),
        Turn.deadline,
        func.coalesce(Report.id, 0).label("report_id"),
        func.coalesce(Report.code, Seat.dice_code).label("code"),
        func.coalesce(Report.message_id, "").label("report_message_id"),
        Report.view,
    )
    .join(Campaign, Campaign.id == Seat.campaign_id)
    .outerjoin(Person, Person.id == Seat.person_id)
    .outerjoin(Turn, _IS_OPEN)
    .outerjoin(Report, Report.id == _NEWEST)
)
_SEAT_BY_ID = _SEAT.where(Seat.id == bindparam("seat"))
_SEAT_BY_NAMES = _SEAT.where(Campaign.name == bindparam("campaign"), Seat.name == bindparam("seat"))
_CAMPAIGN_OF_SEAT = select(Seat.campaign_id).where(Seat.id == bindparam("seat")).scalar_subquery()
_LOCK_BY_ID = select(Campaign.id).where(Campaign.id == _CAMPAIGN_OF_SEAT).with_for_update()
_LOCK_BY_NAMES = select(Campaign.id).where(Campaign.name == bindparam("campaign")).with_for_update()
_COPY_OF = (
    select(DeputyReport.code, DeputyReport.message_id)
    .join(Deputy, Deputy.id == DeputyReport.deputy_id)
    .join(Person, Person.id == Deputy.person_id)
    .where(DeputyReport.report_id == bindparam("report_id"), Person.key == bindparam("key"))
    .order_by(DeputyReport.id.desc())
    .limit(1)
)
_DEPUTIES = (
    select(Person.address, Deputy.since, Deputy.until)
    .join(Person, Person.id == Deputy.person_id)
    .where(Deputy.seat_id == bindparam("seat_id"), Person.key == bindparam("key"))
    .order_by(Deputy.until.desc())
)
_PLAYED_FROM = (
    select(Campaign.name, Campaign.game, Seat.name)
    .join(Seat, Seat.campaign_id == Campaign.id)
    .join(Person, Person.id == Seat.person_id)
    .where(Person.key == bindparam("key"))
)
_PLAYER = select(Person.id).where(Person.key == bindparam("address")).limit(1)
_GM = select(Campaign.id).where(func.lower(Campaign.gm) == bindparam("address")).limit(1)
"""Statements of every message, built once: building them takes longer than running them."""


def load_seat(session: Session, seat_id: int) -> SeatContext:
    """Load a seat; its campaign stays locked for the transaction, so that no turn runs."""
    place = _load_locked(session, _LOCK_BY_ID, _SEAT_BY_ID, {"seat": seat_id})
    assert place is not None
    return place


def find_seat(session: Session, campaign: str, seat: SeatName) -> SeatContext | None:
    """Load the seat of these names, if there is one; its campaign stays locked, as by `load_seat`."""
    return _load_locked(session, _LOCK_BY_NAMES, _SEAT_BY_NAMES, {"campaign": campaign, "seat": seat})


def _load_locked(
    session: Session, lock: Executable, which: Executable, names: Mapping[str, int | str]
) -> SeatContext | None:
    database = session.connection()
    # One statement would be faster, but PostgreSQL re-reads only the locked row after a wait, and no others of a join:
    # the seat may have another player by now. The next statement sees all of it.
    if database.dialect.name != "sqlite":  # there the transaction has a lock on all campaigns
        database.execute(lock, names)
    if (row := database.execute(which, names).first()) is None:
        return None
    known = row._asdict()
    read = {"policy": HouseRules.read(known["policy"]), "view": json.loads(known["view"] or b"{}")}
    return SeatContext(**{**known, **read})


def seat_names(session: Session, campaign: str) -> list[SeatName]:
    """Return the names of a campaign's seats; none if there is no such campaign."""
    return list(session.scalars(select(Seat.name).join(Campaign).where(Campaign.name == campaign)))


def seat_for_deputy(session: Session, place: SeatContext, deputy: str) -> SeatContext:
    """Return the seat with the reply code of the deputy's own copy of its report, "" without a copy."""
    found = session.connection().execute(_COPY_OF, {"report_id": place.report_id, "key": deputy.lower()}).first()
    code, message_id = found or ("", "")
    return replace(place, code=code, report_message_id=message_id)


def find_stand_in(session: Session, seat_id: int, address: str, now: dt.datetime) -> DeputyInfo | None:
    """Return the deputy of this address for a seat: the present one, else a past or future one, else None."""
    rows = session.connection().execute(_DEPUTIES, {"seat_id": seat_id, "key": address.lower()})
    found = [DeputyInfo(*row) for row in rows]
    return next((each for each in found if each.is_on(now)), found[0] if found else None)


def seats_of(session: Session, address: str | None) -> list[KnownSeat]:
    """Return the seats played from an address, in campaigns not over."""
    going_on = _PLAYED_FROM.where(Campaign.status != CampaignState.OVER).order_by(Campaign.name, Seat.id)
    return [KnownSeat(*row) for row in session.execute(going_on, {"key": (address or "").lower()})]


def last_seats_of(session: Session, address: str | None) -> list[KnownSeat]:
    """Return the seat that was played from an address in the campaign that ended last, if one has."""
    over = _PLAYED_FROM.outerjoin(Turn, _IS_OPEN).where(Campaign.status == CampaignState.OVER)
    rows = session.execute(over.order_by(Turn.opened_at.desc(), Seat.id).limit(1), {"key": (address or "").lower()})
    return [KnownSeat(*row) for row in rows]


def games_of(session: Session, address: str, now: dt.datetime) -> dict[str, str]:
    """Return the games, by campaign, in which a person is player, deputy or GM, unless the campaign is over."""
    person = Person.key == address.lower()
    seats = select(Seat.campaign_id).join(Person, Person.id == Seat.person_id).where(person)
    stands_in = (
        select(Seat.campaign_id)
        .join(Deputy, Deputy.seat_id == Seat.id)
        .join(Person, Person.id == Deputy.person_id)
        .where(person, Deputy.since <= now, Deputy.until > now)
    )
    concerned = or_(Campaign.id.in_(seats), Campaign.id.in_(stands_in), func.lower(Campaign.gm) == address.lower())
    rows = session.execute(
        select(Campaign.name, Campaign.game)
        .where(Campaign.status != CampaignState.OVER, concerned)
        .order_by(Campaign.name)
    )
    return {row.name: row.game for row in rows}


def taking_players(session: Session) -> dict[str, str]:
    """Return the games, by campaign, of the campaigns in which anyone may ask for a seat by mail."""
    rows = session.execute(
        select(Campaign.name, Campaign.game, Campaign.policy)
        .where(Campaign.status.not_in((CampaignState.OVER, CampaignState.MOVED)))
        .order_by(Campaign.name)
    )
    return {name: game for name, game, policy in rows if HouseRules.read(policy).signup}


_Further = aliased(Person)
_KEY: BindParameter[str] = bindparam("key")
_GM_WRITES = select(Campaign.id).where(
    func.lower(Campaign.gm) == _KEY, Campaign.status.not_in((CampaignState.OVER, CampaignState.MOVED))
)
FIRST_ADDRESS = (
    select(Person.address)
    .join(_Further, _Further.also == Person.key)
    .where(_Further.key == _KEY, _Further.also != "", ~_GM_WRITES.exists())
    .scalar_subquery()
)
"""The first address of a person who writes from a further one; mail from the address of a GM stays the GM's."""


def is_known(session: Session, address: str | None) -> bool:
    """Return True if an address is that of a player, standby or GM, past or present."""
    database, who = session.connection(), {"address": (address or "").lower()}
    return any(database.execute(known, who).first() is not None for known in (_PLAYER, _GM))
