"""The start of a campaign: set-up, tokens, welcome mails, and the reports that open turn 1."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.orm import Session

from pbem.archive import archive_turn, setup_dice, setup_record, turn_files
from pbem.campaign.journal import note
from pbem.campaign.reporting import MadeReport, Opening, make_reports, put_reports
from pbem.campaign.table import Place, Table, load_table
from pbem.campaign.tokens import draw_token, hash_token
from pbem.campaign.turnrun import mark_archived, put_turn
from pbem.errors import CampaignError, PbemError
from pbem.house import House
from pbem.post.codes import message_id
from pbem.post.outbox import queue_many
from pbem.post.writing import Mail
from pbem.report import Welcome
from pbem.ruleset import AnyRuleset, Seat, Standing, all_views, canonical, digest, seal
from pbem.store.models import Campaign, SeatRow, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A campaign that has begun: its seats, and when turn 1 is due."""

    campaign: str
    seats: tuple[Seat, ...]
    deadline: dt.datetime
    zone: str
    seal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _SetUp:
    """A campaign set up, before anything is written."""

    state: bytes
    state_hash: str
    standing: Standing
    deadline: dt.datetime
    tokens: Mapping[Seat, str]
    reports: list[MadeReport]
    record: bytes
    files: Mapping[str, bytes]


def start(house: House, name: str, now: dt.datetime) -> Started:
    """Sets the campaign up, queues welcomes and first reports, and archives the set-up.

    Raises CampaignError if it has begun already.
    """
    with house.store.reading() as session:
        table = load_table(session, name)
    if table.status != "forming":
        raise CampaignError(f"campaign {name} is {table.status}: it has begun already")
    ruleset = house.game(table.game)
    made = _set_up(house, table, ruleset, now)
    mails = [_welcome(house, table, ruleset, place, made.tokens[place.seat], table.gm) for place in table.places]
    with house.store.writing() as session:
        first = _keep(session, house, table, made, now)
        queue_many(session, [(mail, table.id) for mail in mails], house.settings, now)
        put_reports(session, house, table, turn_id=first.turn, reports=made.reports, now=now)
        note(session, table.id, now, actor="gm", text=f"started; dice seal {seal(table.seed)}")
    # What cannot be written now is left to `archive_left`, which tells why.
    with suppress(OSError, PbemError):
        archive_turn(house.settings.archive, made.record, made.files)
        mark_archived(house, first.setup, now)
    return Started(
        campaign=name, seats=table.seats, deadline=made.deadline, zone=table.schedule.zone, seal=seal(table.seed)
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    setup: int
    turn: int


def _set_up(house: House, table: Table, ruleset: AnyRuleset, now: dt.datetime) -> _SetUp:
    state = ruleset.setup(table.options, table.seats, setup_dice(table.seed))
    deadline = table.schedule.next_after(now)
    opening = Opening(table=table, number=1, deadline=deadline, seal=seal(table.seed), used={}, missing=frozenset())
    views = dict(all_views(ruleset, state, table.seats, ()))
    reports = make_reports(house, ruleset, opening, [(place, views[place.seat]) for place in table.places])
    files = turn_files([made.parts.files() for made in reports])
    dumped = ruleset.dump(state)
    record = setup_record(
        campaign=table.name,
        ruleset=ruleset,
        options=table.options,
        seats=table.seats,
        seal=opening.seal,
        started=now,
        state=digest(dumped),
        files=files,
    )
    return _SetUp(
        state=canonical(dumped),
        state_hash=digest(dumped),
        standing=ruleset.standing(state),
        deadline=deadline,
        tokens={seat: draw_token() for seat in table.seats},
        reports=reports,
        record=record,
        files=files,
    )


def _keep(session: Session, house: House, table: Table, made: _SetUp, now: dt.datetime) -> _Rows:
    """Marks the campaign as begun and writes the set-up as turn 0 and the open turn 1."""
    version = house.game(table.game).version
    ours = update(Campaign).where(Campaign.id == table.id, Campaign.status == "forming").returning(Campaign.id)
    if session.scalar(ours.values(status="running", turn=1, version=version)) is None:
        raise CampaignError(f"campaign {table.name} has begun already")
    for place in table.places:
        hashed = hash_token(made.tokens[place.seat])
        session.execute(update(SeatRow).where(SeatRow.id == place.id).values(token_hash=hashed))
    none: frozenset[Seat] = frozenset()
    setup = put_turn(session, table, number=0, state=b"null", state_hash="", awaited=none, deadline=None, now=now)
    session.execute(update(Turn).where(Turn.id == setup).values(resolved_at=now, record=made.record))
    turn = put_turn(
        session,
        table,
        number=1,
        state=made.state,
        state_hash=made.state_hash,
        awaited=made.standing.awaiting,
        deadline=made.deadline,
        now=now,
    )
    return _Rows(setup, turn)


def _welcome(house: House, table: Table, ruleset: AnyRuleset, place: Place, token: str, gm: str) -> Mail:
    page = Welcome(
        campaign=table.name,
        seat=place.seat,
        token=token,
        seats=table.seats,
        game=ruleset.title,
        designer=ruleset.designer,
        summary=ruleset.summary,
        gm=gm,
        address=house.settings.address,
        schedule=table.schedule.text,
        seal=seal(table.seed),
    )
    return Mail(
        recipient=place.address,
        subject=f"[{table.name}] Welcome to {ruleset.title}",
        text=house.reporter.write(page),
        message_id=message_id(table.mail_key, house.settings.domain, "welcome", table.name, place.seat),
        reply_to=house.settings.address,
        automatic="auto-generated",
    )
