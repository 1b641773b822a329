"""Starts a campaign: set-up, tokens, welcome mails, and the reports that open the first turn."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from pbem.actions.arguments import SURE, GmCommand
from pbem.actions.base import TICK, Channel, PlannedChange
from pbem.actions.create import import_state
from pbem.actions.status import load_invited
from pbem.actions.weight import Confirmed
from pbem.actions.welcome import send_welcomes
from pbem.campaign.deadlines import new_deadline
from pbem.campaign.files import SpooledList
from pbem.campaign.history import load_dice_words
from pbem.campaign.people import generate_token, hash_token
from pbem.campaign.reports import SeatReport, render_reports, save_reports
from pbem.campaign.snapshot import CampaignSnapshot, Context, add_entry, format_player_count
from pbem.campaign.turns import ResolvedState, build_setup_record, compute_setup, insert_turn, opening_of
from pbem.errors import CampaignError
from pbem.mail.outbox import withdraw_turn_mail
from pbem.ruleset.dice import seed_hash
from pbem.ruleset.protocol import AnyRuleset, StateImporter
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Json, SeatName
from pbem.store.models import Campaign, Seat, Turn
from pbem.store.types import CampaignState
from pbem.text import count_noun, format_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A started campaign: its seats, the deadline of its first turn, and the seats whose players chose a dice word.

    `left_out` are the seats without a player, which were deleted.
    """

    campaign: str
    seats: tuple[SeatName, ...]
    deadline: dt.datetime
    zone: str
    seal: str
    first: int
    own_words: tuple[SeatName, ...]
    left_out: tuple[SeatName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _SetUp:
    """A set-up that is computed, but not stored yet; `snapshot` has only the seats with players."""

    snapshot: CampaignSnapshot
    left_out: tuple[SeatName, ...]
    outcome: ResolvedState
    given: Json
    deadline: dt.datetime
    tokens: Mapping[SeatName, str]
    reports: SpooledList[SeatReport]
    record: bytes
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class StartCampaign(GmCommand, PlannedChange[Started, _SetUp]):
    """Start the campaign with those who are seated. Without YES you are told first whose seats would be left out."""

    usage = "START [sure]"
    weight = Confirmed("the seats that nobody has taken")
    kind = "start"
    rewrites = True
    sure: Annotated[str | None, SURE] = None

    def asks(self, context: Context, facts: Started) -> bool:
        """Return True if seats would be left out."""
        return bool(facts.left_out)

    def plan(self, context: Context) -> _SetUp:
        """Compute the set-up. Raises CampaignError if the campaign has started already, or has too few players."""
        session, app, snapshot = context.session, context.app, context.snapshot
        if snapshot.status != CampaignState.FORMING:
            raise CampaignError(f"campaign {snapshot.name} is {snapshot.status}: it was started already")
        # Open seats go before anything is set up: seats, words and records name only those who play.
        seated = _drop_open_seats(context, app.game(snapshot.game))
        left_out = tuple(seat for seat in snapshot.seats if seat not in seated.seats)
        made = _set_up(replace(context, snapshot=replace(seated, words=load_dice_words(session, seated))))
        return replace(made, left_out=left_out)

    def keep(self, context: Context, plan: _SetUp) -> None:
        """Store the set-up and the first turn, and queue the mails."""
        context = replace(context, snapshot=plan.snapshot)
        session, snapshot = context.session, context.snapshot
        turn = _write_start(context, plan)
        # Welcomes first: a player's thread begins with theirs, and all later mail refers to it.
        send_welcomes(context, {place: plan.tokens[place.seat] for place in snapshot.places})
        for reports in plan.reports.batches():
            save_reports(context, turn, reports, plan.deadline)
        # Mails on the dice, which are of the set-up: no word is taken any more.
        withdraw_turn_mail(session, snapshot.name, snapshot.origin, snapshot.seats)
        add_entry(session, snapshot.id, context.now, actor="gm", text=f"started; dice seal {seed_hash(snapshot.seed)}")

    def facts(self, plan: _SetUp) -> Started:
        """Return who plays, and when the first turn is due."""
        snapshot = plan.snapshot
        return Started(
            campaign=snapshot.name,
            seats=snapshot.seats,
            deadline=plan.deadline,
            zone=snapshot.schedule.zone,
            seal=seed_hash(snapshot.seed),
            first=snapshot.first,
            own_words=tuple(each.seat for each in snapshot.words if each.own),
            left_out=plan.left_out,
        )

    def render(self, facts: Started, channel: Channel) -> Iterator[str]:
        if channel.undone:
            out = f"open and left out: {', '.join(facts.left_out)}"
            yield channel.fact(f"start {facts.campaign} with {', '.join(facts.seats)}; {out}.")
            yield channel.undone
            return
        yield f"Started {facts.campaign} with {', '.join(facts.seats)}."
        yield f"Turn {facts.first} is due {format_time(facts.deadline, facts.zone)}."
        yield f"Dice seal: {facts.seal}"
        yield f"Dice words from players: {', '.join(facts.own_words) or 'none'}."
        mails = count_noun(2 * len(facts.seats), "mail")
        yield f"{mails} queued: a welcome and a report for each seat.{channel.next(TICK)}"


def _close_seats(session: Session, snapshot: CampaignSnapshot, made: _SetUp) -> None:
    """Delete the seats without players, give the others their tokens, and fix the words for the dice."""
    # From here on dice come from the sealed seed mixed with these words (decision 16).
    session.get_one(Campaign, snapshot.id).dice_words = [list(each) for each in snapshot.words]
    session.execute(delete(Seat).where(Seat.campaign_id == snapshot.id, Seat.name.not_in(snapshot.seats)))
    for place in snapshot.places:
        hashed = hash_token(made.tokens[place.seat])
        session.execute(update(Seat).where(Seat.id == place.id).values(token_hash=hashed))


def _drop_open_seats(context: Context, ruleset: AnyRuleset) -> CampaignSnapshot:
    """Return the snapshot with only the seats that have players. Raises CampaignError if they are too few."""
    snapshot = context.snapshot
    places = tuple(place for place in snapshot.playing if place.address)
    if len(places) < ruleset.seats.least:
        number = format_player_count(ruleset.seats)
        silent = len(load_invited(context.session, snapshot, context.now))
        waits = f"; {silent} invited {'has' if silent == 1 else 'have'} not answered" if silent else ""
        raise CampaignError(
            f"{ruleset.title} is for {number} players, and {snapshot.name} has {len(places)}{waits}. "
            f"Invite more: pbem invite {snapshot.name} ADDRESS (by mail: INVITE)"
        )
    return replace(snapshot, places=places)


def _set_up(context: Context) -> _SetUp:
    session, app, snapshot, now = context.session, context.app, context.snapshot, context.now
    ruleset = app.game(snapshot.game)
    deadline = new_deadline(session, snapshot, now)
    given = _load_given_state(session, snapshot, ruleset)
    outcome = compute_setup(snapshot, ruleset, given)
    opening = opening_of(context, snapshot, snapshot.first, outcome, deadline)
    made = render_reports(app, ruleset, opening, outcome.views)
    return _SetUp(
        snapshot=snapshot,
        left_out=(),
        outcome=outcome,
        given=given,
        deadline=deadline,
        tokens={seat: generate_token() for seat in snapshot.seats},
        reports=made.pile,
        record=build_setup_record(snapshot, ruleset, outcome, given, made.files, now),
        files=made.files,
    )


def _load_given_state(session: Session, snapshot: CampaignSnapshot, ruleset: AnyRuleset) -> Json:
    """Return the state from which an imported game continues, or None. Raises CampaignError if it is invalid by now."""
    given = session.scalar(select(Campaign.given).where(Campaign.id == snapshot.id))
    if given is None:
        return None
    state = ruleset.load(json.loads(given), snapshot.version)
    dumped = json.loads(canonical_json(ruleset.dump(state)))
    # Checked as at the creation: open seats are gone by now, which the state may not allow (decision 36), and the game
    # may have another version.
    return import_state(ruleset, dumped, snapshot.seats, None).state if isinstance(ruleset, StateImporter) else dumped


def _write_start(context: Context, made: _SetUp) -> int:
    """Mark the campaign as running, and insert the set-up and the open first turn; return the id of the latter."""
    session, snapshot, now = context.session, context.snapshot, context.now
    begun = {
        "status": CampaignState.RUNNING,
        "turn": snapshot.first,
        "version": context.app.game(snapshot.game).version,
        # From now on the set-up has it, as its state.
        "given": None,
    }
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(begun))
    _close_seats(session, snapshot, made)
    none: frozenset[SeatName] = frozenset()
    # The set-up is a turn for the sake of its record. It has no state before it, unless one was imported.
    setup = insert_turn(
        session,
        snapshot,
        number=snapshot.origin,
        state=canonical_json(made.given),
        state_hash="",
        awaited=none,
        deadline=None,
        now=now,
    )
    session.execute(update(Turn).where(Turn.id == setup).values(resolved_at=now, record=made.record))
    return insert_turn(
        session,
        snapshot,
        number=snapshot.first,
        state=made.outcome.state,
        state_hash=made.outcome.state_hash,
        awaited=made.outcome.standing.awaiting,
        deadline=made.deadline,
        now=now,
    )
