"""Computes the run of a turn from one snapshot of the database, without changing it.

A sheet that arrives meanwhile means computing again. So two processes at once run
a turn once, and no sheet is overlooked.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, cast

from sqlalchemy import Table, insert
from sqlalchemy.orm import Session

from pbem.archive.json_patch import apply_patch
from pbem.archive.record import (
    Patch,
    WithdrawnTurn,
    attachment_path,
    disclose_dice_words,
    file_hash,
    setup_dice,
    setup_record,
    turn_dice,
    turn_record,
)
from pbem.archive.writer import turn_files
from pbem.campaign.bot_sheets import BotSheet, make_bot_sheets
from pbem.campaign.deadlines import new_deadline
from pbem.campaign.ending import load_ending
from pbem.campaign.files import AttachmentStore, SpooledList, attachments_of
from pbem.campaign.history import (
    events_from,
    has_rolled,
    load_rolls,
    load_withdrawn,
    orders_used,
    received_sheets,
    seats_removed_before,
)
from pbem.campaign.press import load_press
from pbem.campaign.reports import SeatReport, TurnOpening, render_reports
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    LastReport,
    OpenTurn,
    ReceivedSheet,
    SeatView,
    load_last_reports,
    load_open_turn,
    load_record,
)
from pbem.report.facts import SheetUsed
from pbem.ruleset.dice import Dice, seed_hash
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset, TurnInput, iter_views, with_memory
from pbem.ruleset.rolls import Roll
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Event, Json, SeatName, Standing, View
from pbem.store.models import Turn
from pbem.store.session import flushed_connection


@dataclass(frozen=True, slots=True)
class LazyViews:
    """Iterable of the views of seats, which computes them again for each iteration."""

    made: Callable[[], Iterator[tuple[SeatView, View]]]

    def __iter__(self) -> Iterator[tuple[SeatView, View]]:
        return self.made()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInputs:
    """The input of a turn's run.

    `previous` is the record of the turn before, `withdrawn` all records ever taken
    back; `removed` are the seats that the GM took out since. `patch` are the GM's
    changes of the resulting state, if the turn was run before; `rolls` are the rolls of
    the turn. `bots` are the sheets of bots, which are among those of the turn and not saved yet.
    """

    snapshot: CampaignSnapshot
    ruleset: AnyRuleset
    turn: OpenTurn
    last: Mapping[SeatName, LastReport]
    previous: bytes
    withdrawn: tuple[WithdrawnTurn, ...]
    removed: frozenset[SeatName]
    patch: Patch = ()
    rolls: tuple[Roll, ...] = ()
    bots: tuple[BotSheet, ...] = ()


@dataclass(frozen=True, kw_only=True)  # without slots, for the cached property
class ResolvedState:
    """The result of a resolver, or of a set-up, before reports are made.

    `dumped` is the state after the GM's `patch`; `used` are the sheets that counted;
    `views` are those of the seats that get a report now, computed again for each
    iteration: all views of a large game together would fill the memory.
    """

    dumped: Json
    standing: Standing
    views: Iterable[tuple[SeatView, View]]
    turn: TurnInput = field(default_factory=lambda: TurnInput({}))
    used: Mapping[SeatName, SheetUsed] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    patch: Patch = ()
    enclosed: Mapping[str, bytes] = field(default_factory=dict)

    @cached_property
    def state(self) -> bytes:
        """The state as the database keeps it."""
        return canonical_json(self.dumped)

    @property
    def state_hash(self) -> str:
        return hashlib.sha256(self.state).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """The result of a turn's run: the next state, and all that is stored, mailed and archived."""

    state: bytes
    state_hash: str
    standing: Standing
    deadline: dt.datetime | None
    turn: TurnInput
    reports: SpooledList[SeatReport]
    record: bytes
    files: Mapping[str, bytes]


def load_before(context: Context) -> TurnInputs:
    """Return the input for a run of the open turn. Raises CampaignError if there is no open turn."""
    session, snapshot = context.session, context.snapshot
    # In the session in which the read set is read, so that the plan and what is compared later agree (note 13).
    turn, ruleset = load_open_turn(session, snapshot), context.app.game(snapshot.game)
    last = load_last_reports(session, snapshot)
    bots = make_bot_sheets(snapshot, ruleset, turn, last)
    # The resolver is told of a removed seat once, in the next turn.
    gone = frozenset(place.seat for place in snapshot.places if not place.playing)
    return TurnInputs(
        snapshot=snapshot,
        ruleset=ruleset,
        turn=replace(turn, sheets=(*turn.sheets, *(each.sheet for each in bots if each.sheet))),
        last=last,
        previous=load_record(session, snapshot, turn.number - 1),
        withdrawn=load_withdrawn(session, snapshot.id),
        removed=gone - seats_removed_before(session, snapshot.id, turn.number) if gone else gone,
        rolls=load_rolls(session, snapshot, turn.number),
        bots=bots,
    )


def compute_turn(context: Context, before: TurnInputs) -> TurnResult:
    """Resolve the open turn and make its reports and record, in the session that read the input."""
    session, snapshot, now = context.session, before.snapshot, context.now
    outcome = resolve_turn(session, before)
    over = outcome.standing.over
    # Counted from the run: after a late one, players have the least time all the same.
    deadline = None if over else new_deadline(session, snapshot, now)
    opening = opening_of(context, snapshot, before.turn.number + 1, outcome, deadline, before.previous)
    made = render_reports(context.app, before.ruleset, opening, outcome.views)
    # The record names the hashes of all files, so it is made last.
    made.files.add(run_files(before, outcome, ()))
    return TurnResult(
        state=outcome.state,
        state_hash=outcome.state_hash,
        standing=outcome.standing,
        deadline=deadline,
        turn=outcome.turn,
        reports=made.pile,
        record=run_record(before, outcome, made.files, now),
        files=made.files,
    )


def resolve_turn(session: Session, before: TurnInputs, dice: Dice | None = None) -> ResolvedState:
    """Return the result of a turn's sheets, with its own dice or with others.

    Raises PatchError if the GM's patch does not fit the resulting state.
    """
    snapshot, ruleset, turn = before.snapshot, before.ruleset, before.turn
    counted = _counting_sheets(snapshot, turn.sheets)
    given = _build_input(before, counted)
    state, events = ruleset.resolve(
        ruleset.load(json.loads(turn.state), snapshot.version),
        given,
        dice or turn_dice(snapshot.dice_seed, turn.number),
    )
    # A GM's patch is part of the run that led to the state, so standing and views are of the patched one (note 7).
    state, dumped = patch_state(ruleset, state, before.patch)
    standing = ruleset.standing(state)
    views = _lazy_views(session, before, state, events, standing)
    return ResolvedState(
        dumped=dumped,
        standing=standing,
        views=views,
        turn=given,
        used={seat: SheetUsed(sheet.version, sheet.digest) for seat, sheet in counted.items()},
        events=events,
        patch=before.patch,
        enclosed={} if turn.ruling is None else _new_attachments(session, before, views),
    )


def _new_attachments(session: Session, before: TurnInputs, views: Iterable[tuple[SeatView, View]]) -> dict[str, bytes]:
    """Return the attachments that no earlier report named: the archive has each content once, with its first report."""
    ruleset, told = before.ruleset, (json.loads(report.view) for report in before.last.values())
    old = {each.sha256 for view in told for each in attachments_of(ruleset, view)}
    new = {each.sha256: each for _, view in views for each in attachments_of(ruleset, view) if each.sha256 not in old}
    contents = AttachmentStore(session, before.snapshot.id).find(new)
    return {attachment_path(new[hash_]): content for hash_, content in contents.items()}


def patch_state(ruleset: AnyRuleset, state: Any, patch: Patch) -> tuple[Any, Json]:
    """Return a state with the GM's changes, and its dump. Raises PatchError."""
    dumped = ruleset.dump(state)
    if not patch:
        return state, dumped
    dumped = apply_patch(json.loads(canonical_json(dumped)), patch)
    return ruleset.load(dumped, ruleset.version), dumped


def opening_of(
    context: Context,
    snapshot: CampaignSnapshot,
    number: int,
    outcome: ResolvedState,
    deadline: dt.datetime | None,
    previous: bytes = b"",
) -> TurnOpening:
    """Return the data that the reports opening turn `number` share.

    These reports are files of the record of the turn just run, so they cite the record before it, `previous`.
    """
    session, ruleset = context.session, context.app.game(snapshot.game)
    return TurnOpening(
        snapshot=snapshot,
        number=number,
        deadline=deadline,
        seal=seed_hash(snapshot.seed),
        # Published with the last report, when it can no longer tell a roll to come (note 5).
        seed=snapshot.seed.hex() if outcome.standing.over else "",
        over=outcome.standing.over,
        rolled=outcome.standing.over and has_rolled(session, snapshot),
        dice=disclose_dice_words(snapshot.words) if number == snapshot.first or outcome.standing.over else {},
        used=outcome.used,
        missing=outcome.turn.missing,
        orders=outcome.turn.orders,
        # A mailed report vouches for the archive by this salted hash (note 15).
        record=file_hash(previous) if previous else "",
        postbag=load_press(session, snapshot, number, over=outcome.standing.over),
        attachments=AttachmentStore(session, snapshot.id),
        ending=load_ending(context, snapshot, ruleset, outcome.standing, outcome.views),
    )


def run_files(before: TurnInputs, outcome: ResolvedState, reports: Iterable[Mapping[str, bytes]]) -> dict[str, bytes]:
    """Return the files of a turn for the archive; `reports` are the files of each report."""
    files = turn_files(
        reports,
        sheets=received_sheets(before.snapshot, before.turn.sheets),
        orders=outcome.turn.orders,
        book=before.ruleset.orders,
    )
    return {**files, **outcome.enclosed}


def run_record(before: TurnInputs, outcome: ResolvedState, files: Mapping[str, bytes], now: dt.datetime) -> bytes:
    snapshot, turn = before.snapshot, before.turn
    return turn_record(
        campaign=snapshot.name,
        ruleset=before.ruleset,
        number=turn.number,
        options=snapshot.options,
        seats=snapshot.seats,
        seal=seed_hash(snapshot.seed),
        opened=turn.opened_at,
        resolved=now,
        turn=outcome.turn,
        used=outcome.used,
        state_before=turn.state_hash,
        state_after=outcome.state_hash,
        events=outcome.events,
        files=files,
        previous=before.previous,
        withdrawn=before.withdrawn,
        patch=outcome.patch,
        seed=snapshot.seed.hex() if outcome.standing.over else "",
    )


def turn_input(before: TurnInputs) -> TurnInput:
    """Return the input that the resolver would get now: the sheets that count, and defaults for missing ones."""
    return _build_input(before, _counting_sheets(before.snapshot, before.turn.sheets))


def _counting_sheets(snapshot: CampaignSnapshot, sheets: Sequence[ReceivedSheet]) -> dict[SeatName, ReceivedSheet]:
    """Return the sheet that counts for each playing seat: its last accepted one."""
    # The sheets come in the order of their ids, so the last accepted one of a seat replaces those before it.
    names = {place.id: place.seat for place in snapshot.playing}
    return {names[sheet.seat_id]: sheet for sheet in sheets if sheet.accepted and sheet.seat_id in names}


def _build_input(before: TurnInputs, counted: Mapping[SeatName, ReceivedSheet]) -> TurnInput:
    ruleset, playing = before.ruleset, [place.seat for place in before.snapshot.playing]
    missing = [seat for seat in playing if seat in before.turn.awaited and seat not in counted]
    # The record has defaults too: a seat that misses several turns keeps its standing orders.
    kept = orders_used(before.previous, ruleset.orders) if missing else {}
    orders: dict[SeatName, tuple[Order, ...]] = {}
    for seat in playing:
        if seat in counted:
            orders[seat] = tuple(map(ruleset.orders.from_json, counted[seat].orders))
        elif seat in missing:
            # Of the mailed view, not of the state: defaults must not act on what the player cannot know (note 1).
            view = json.loads(before.last[seat].view)
            orders[seat] = tuple(ruleset.defaults(view, kept.get(seat, ())))
    return TurnInput(orders, frozenset(missing), before.removed, before.turn.ruling, before.rolls)


def _lazy_views(
    session: Session, before: TurnInputs, state: Any, events: tuple[Event, ...], standing: Standing
) -> LazyViews:
    """Return the views of the seats that get a report now, with all events since their last one, and their memory."""
    everyone = standing.over or standing.told is None
    awaited_or_told = standing.awaiting | (standing.told or frozenset())
    told = {place.seat: place for place in before.snapshot.playing if everyone or place.seat in awaited_or_told}
    # A seat left out of some openings has missed their events, so its next report has all of them.
    since = {seat: before.last[seat].number for seat in told}
    oldest = min(since.values(), default=before.turn.number)
    # Mostly empty: only in games that report to seats in turn does one hear of earlier turns.
    past = events_from(session, before.snapshot, before.ruleset, oldest) if oldest != before.turn.number else {}

    def generate() -> Iterator[tuple[SeatView, View]]:
        for first in sorted(set(since.values())):
            seats = [seat for seat, number in since.items() if number == first]
            earlier = chain.from_iterable(past[number] for number in range(first, before.turn.number))
            for seat, view in iter_views(before.ruleset, state, seats, (*earlier, *events)):
                yield told[seat], with_memory(before.ruleset, view, json.loads(before.last[seat].view))

    return LazyViews(generate)


def initial_state(ruleset: AnyRuleset, turn: Turn) -> Json:
    """Return the state that a set-up was given, upgraded, or None."""
    given = json.loads(turn.state)
    return given and ruleset.dump(ruleset.load(given, json.loads(turn.record or b"")["version"]))


def compute_setup(snapshot: CampaignSnapshot, ruleset: AnyRuleset, given: Json, patch: Patch = ()) -> ResolvedState:
    """Return the result of a set-up: the game's own, or the state `given` of a game taken over, with the GM's patch.

    Raises SetupError or PatchError.
    """
    if given is None:
        state = ruleset.setup(snapshot.options, snapshot.seats, setup_dice(snapshot.dice_seed))
    else:
        state = ruleset.load(given, ruleset.version)
    state, dumped = patch_state(ruleset, state, patch)
    places = {place.seat: place for place in snapshot.places}

    def generate() -> Iterator[tuple[SeatView, View]]:
        for seat, view in iter_views(ruleset, state, snapshot.seats, ()):
            yield places[seat], with_memory(ruleset, view, None)

    return ResolvedState(
        dumped=dumped,
        standing=ruleset.standing(state),
        views=LazyViews(generate),
        patch=patch,
    )


def build_setup_record(
    snapshot: CampaignSnapshot,
    ruleset: AnyRuleset,
    outcome: ResolvedState,
    given: Json,
    files: Mapping[str, bytes],
    started: dt.datetime,
    withdrawn: Sequence[WithdrawnTurn] = (),
) -> bytes:
    """Return the record of a set-up; `withdrawn` are the set-ups and turns that it replaces."""
    return setup_record(
        campaign=snapshot.name,
        ruleset=ruleset,
        options=snapshot.options,
        seats=snapshot.seats,
        seal=seed_hash(snapshot.seed),
        started=started,
        state=outcome.state_hash,
        files=files,
        withdrawn=withdrawn,
        patch=outcome.patch,
        words=snapshot.words,
        number=snapshot.origin,
        given=given,
    )


_OPEN = insert(cast(Table, Turn.__table__)).returning(Turn.id)


def insert_turn(
    session: Session,
    snapshot: CampaignSnapshot,
    *,
    number: int,
    state: bytes,
    state_hash: str,
    awaited: frozenset[SeatName],
    deadline: dt.datetime | None,
    now: dt.datetime,
) -> int:
    """Insert the row of an open turn; return its id."""
    row = {
        "campaign_id": snapshot.id,
        "number": number,
        "awaited": sorted(awaited),
        "state": state,
        "state_hash": state_hash,
        "opened_at": now,
        "deadline": deadline,
    }
    turn_id: int = flushed_connection(session).execute(_OPEN, row).scalar_one()
    return turn_id
