"""The start of a campaign: set-up, tokens, welcome mails, and the reports that open turn 1."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from pbem.acts.act import Planned, Scene
from pbem.acts.creation import players_allowed
from pbem.acts.people.welcoming import welcome
from pbem.acts.turns.turnrun import put_turn
from pbem.archive import Patch, Withdrawn, setup_dice, setup_record, turn_files
from pbem.campaign.deadlines import load_absences, next_deadline
from pbem.campaign.journal import note
from pbem.campaign.people.dicewords import words_now
from pbem.campaign.reporting import MadeReport, make_reports, put_reports
from pbem.campaign.resolving import Outcome, opening_of, patched
from pbem.campaign.snapshot import CampaignSnapshot, Place
from pbem.campaign.tokens import draw_token, hash_token
from pbem.errors import CampaignError
from pbem.house import House
from pbem.post.outbox import withdraw
from pbem.ruleset import AnyRuleset, Seat, all_views, seal
from pbem.store.models import Campaign, SeatRow, Turn
from pbem.store.states import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A campaign that has begun: its seats, when turn 1 is due, and who chose a word for the dice himself."""

    campaign: str
    seats: tuple[Seat, ...]
    deadline: dt.datetime
    zone: str
    seal: str
    own_words: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _SetUp:
    """A campaign set up, before anything is written. `table` has the places where somebody sits."""

    table: CampaignSnapshot
    outcome: Outcome
    deadline: dt.datetime
    tokens: Mapping[Seat, str]
    reports: list[MadeReport]
    record: bytes
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Start(Planned[Started, _SetUp]):
    """Sets a campaign up, and mails welcomes and first reports; seats that nobody has taken by now are left out."""

    rewrites = True

    def plan(self, scene: Scene) -> _SetUp:
        """The set-up. Raises CampaignError if the campaign has begun already, or if too few are seated."""
        session, house, table = scene.session, scene.house, scene.table
        if table.status != Phase.FORMING:
            raise CampaignError(f"campaign {table.name} is {table.status}: it has begun already")
        table = _seated(table, house.game(table.game))
        return _set_up(session, house, replace(table, words=words_now(session, table)), scene.now)

    def keep(self, scene: Scene, plan: _SetUp) -> None:
        """Writes turns 0 and 1, and queues the mails."""
        session, house, table, now = scene.session, scene.house, plan.table, scene.now
        turn = _keep(session, house, table, plan, now)
        welcome(session, house, table, {place: plan.tokens[place.seat] for place in table.places}, now)
        put_reports(session, house, table, turn_id=turn, reports=plan.reports, now=now)
        withdraw(session, table.name, 0)
        note(session, table.id, now, actor="gm", text=f"started; dice seal {seal(table.seed)}")

    def facts(self, plan: _SetUp) -> Started:
        """Who plays, and when turn 1 is due."""
        table = plan.table
        return Started(
            campaign=table.name,
            seats=table.seats,
            deadline=plan.deadline,
            zone=table.schedule.zone,
            seal=seal(table.seed),
            own_words=tuple(each.seat for each in table.words if each.own),
        )


def _close_seats(session: Session, table: CampaignSnapshot, made: _SetUp) -> None:
    """Gives each seat its token; those that nobody has taken are no more, and the words for the dice are fixed."""
    session.get_one(Campaign, table.id).dice_words = [list(each) for each in table.words]
    session.execute(delete(SeatRow).where(SeatRow.campaign_id == table.id, SeatRow.name.not_in(table.seats)))
    for place in table.places:
        hashed = hash_token(made.tokens[place.seat])
        session.execute(update(SeatRow).where(SeatRow.id == place.id).values(token_hash=hashed))


def _taken(table: CampaignSnapshot) -> tuple[Place, ...]:
    return tuple(place for place in table.playing if place.address)


def _seated(table: CampaignSnapshot, ruleset: AnyRuleset) -> CampaignSnapshot:
    """The table with the places where somebody sits. Raises CampaignError if they are too few."""
    places = _taken(table)
    if len(places) < ruleset.seats.least:
        number = players_allowed(ruleset.seats)
        raise CampaignError(
            f"{ruleset.title} is for {number} players, and {len(places)} sit in {table.name}: "
            "wait until somebody signs up, or invite somebody with: pbem invite (by mail: INVITE)"
        )
    return replace(table, places=places)


def _set_up(session: Session, house: House, table: CampaignSnapshot, now: dt.datetime) -> _SetUp:
    ruleset = house.game(table.game)
    deadline = next_deadline(table.schedule, table.policy, now, load_absences(session, table))
    outcome = set_up(table, ruleset)
    reports = make_reports(house, ruleset, opening_of(session, table, 1, outcome, deadline), outcome.views)
    files = turn_files([made.parts.files() for made in reports])
    return _SetUp(
        table=table,
        outcome=outcome,
        deadline=deadline,
        tokens={seat: draw_token() for seat in table.seats},
        reports=reports,
        record=set_up_record(table, ruleset, outcome, files, now),
        files=files,
    )


def set_up(table: CampaignSnapshot, ruleset: AnyRuleset, patch: Patch = ()) -> Outcome:
    """What a campaign begins with, the GM's patch of it done. Raises SetupError or PatchError."""
    state = ruleset.setup(table.options, table.seats, setup_dice(table.dice_seed))
    state, dumped = patched(ruleset, state, patch)
    views = dict(all_views(ruleset, state, table.seats, ()))
    return Outcome(
        dumped=dumped,
        standing=ruleset.standing(state),
        views=[(place, views[place.seat]) for place in table.places],
        patch=patch,
    )


def set_up_record(
    table: CampaignSnapshot,
    ruleset: AnyRuleset,
    outcome: Outcome,
    files: Mapping[str, bytes],
    started: dt.datetime,
    withdrawn: Sequence[Withdrawn] = (),
) -> bytes:
    """The record of a set-up; with another in its place, that and all else that was ever taken back is `withdrawn`."""
    return setup_record(
        campaign=table.name,
        ruleset=ruleset,
        options=table.options,
        seats=table.seats,
        seal=seal(table.seed),
        started=started,
        state=outcome.state_hash,
        files=files,
        withdrawn=withdrawn,
        patch=outcome.patch,
        words=table.words,
    )


def _keep(session: Session, house: House, table: CampaignSnapshot, made: _SetUp, now: dt.datetime) -> int:
    """Marks the campaign as begun, writes the set-up as turn 0 and the open turn 1; returns the id of that."""
    begun = {"status": Phase.RUNNING, "turn": 1, "version": house.game(table.game).version}
    session.execute(update(Campaign).where(Campaign.id == table.id).values(begun))
    _close_seats(session, table, made)
    none: frozenset[Seat] = frozenset()
    setup = put_turn(session, table, number=0, state=b"null", state_hash="", awaited=none, deadline=None, now=now)
    session.execute(update(Turn).where(Turn.id == setup).values(resolved_at=now, record=made.record))
    return put_turn(
        session,
        table,
        number=1,
        state=made.outcome.state,
        state_hash=made.outcome.state_hash,
        awaited=made.outcome.standing.awaiting,
        deadline=made.deadline,
        now=now,
    )
