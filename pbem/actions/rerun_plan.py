"""Computes a rerun of the last turn with the GM's corrections, and its impact on reports."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.base import diff_lines
from pbem.actions.withdrawal import RERUN, version_before
from pbem.app import App
from pbem.archive.json_patch import PatchError
from pbem.archive.record import Patch, WithdrawnTurn, file_hash
from pbem.archive.writer import turn_files
from pbem.campaign.courtesies import split_host_words
from pbem.campaign.deadlines import new_deadline
from pbem.campaign.history import load_rolls, load_withdrawn, orders_disclosed, seats_removed_before
from pbem.campaign.later_orders import split_parts
from pbem.campaign.order_sheets import (
    Lines,
    SheetReading,
    is_still_valid,
    parse_sheet,
    require_valid_sheet,
)
from pbem.campaign.reports import SeatReport, TurnOpening, make_reports, report_files, report_text
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    LastReport,
    OpenTurn,
    ReceivedSheet,
    SeatView,
    current_turn,
    find_seat_view,
    load_last_reports,
    load_record,
    load_sheets,
)
from pbem.campaign.turns import (
    ResolvedState,
    TurnInputs,
    build_setup_record,
    compute_setup,
    initial_state,
    opening_of,
    resolve_turn,
    run_files,
    run_record,
)
from pbem.errors import PARSE_ERRORS, CampaignError
from pbem.report.changes import describe_changes
from pbem.report.facts import Correction, SheetUsed
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import SeatName, View
from pbem.store.models import Report, Turn
from pbem.store.types import CampaignState


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunChanges:
    """A GM's corrections of the last turn: sheets of seats, and the state that came out.

    A `patch` given earlier stays in force, unless `drop_patch`. One given now
    was made for the state with the hash `of_state`.
    """

    sheets: Mapping[SeatName, Lines] = field(default_factory=dict)
    patch: Patch = ()
    of_state: str = ""
    drop_patch: bool = False


NO_CHANGES = RerunChanges()
"""The turn as it was run, to see whether it comes out the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """A turn, or the set-up, resolved again. `number` is its own; `turn` and `following` are the rows as they are.

    `before` is None for the set-up. `given` are the GM's sheets as they were read;
    `withdrawn` are all turns that are withdrawn once this run is stored.
    """

    snapshot: CampaignSnapshot
    ruleset: AnyRuleset
    number: int
    turn: Turn
    following: Turn
    before: TurnInputs | None
    outcome: ResolvedState
    given: Mapping[SeatName, SheetReading]
    withdrawn: tuple[WithdrawnTurn, ...]

    @property
    def former_record(self) -> Mapping[str, Any]:
        """The record of the run that counts until now."""
        return dict(json.loads(self.turn.record or b"{}"))

    def files(self, reports: Sequence[Mapping[str, bytes]]) -> dict[str, bytes]:
        """Return the files for the archive, with the reports of all seats."""
        if self.before is None:
            return turn_files(reports)
        return run_files(self.before, self.outcome, reports)

    def record(self, files: Mapping[str, bytes], now: dt.datetime) -> bytes:
        """Return the record that replaces the current one."""
        if self.before is None:
            began = self.turn.opened_at
            given = initial_state(self.ruleset, self.turn)
            return build_setup_record(self.snapshot, self.ruleset, self.outcome, given, files, began, self.withdrawn)
        return run_record(self.before, self.outcome, files, now)


def compute_rerun(context: Context, changes: RerunChanges) -> Rerun:
    """Resolve the last turn again.

    Raises:
        CampaignError: If there is no such turn, or the changes do not fit it; the message says what can be done.
    """
    session, snapshot = context.session, context.snapshot
    if snapshot.status == CampaignState.FORMING:
        raise CampaignError(f"campaign {snapshot.name} has not begun: there is no turn to run again")
    ruleset, number = context.app.game(snapshot.game), snapshot.turn - 1
    turn, following = current_turn(session, snapshot, number), current_turn(session, snapshot, snapshot.turn)
    if changes.patch and following.state_hash != changes.of_state:
        raise CampaignError(
            f"the state of {snapshot.name} has changed since you edited it; to see it as it is now: "
            f"pbem state {snapshot.name} (by mail: STATE)"
        )
    # An earlier patch is part of the run that it was made for, so it stays in force (decision 7).
    patch = (() if changes.drop_patch else tuple(json.loads(turn.record or b"{}").get("patch", ()))) + tuple(
        changes.patch
    )
    given: dict[SeatName, SheetReading] = {}
    before = None
    withdrawn = (*load_withdrawn(session, snapshot.id), WithdrawnTurn(number, file_hash(turn.record or b""), RERUN))
    if number != snapshot.origin:
        # Seats, views and game version are those of that time: who left the game since was in it then.
        before, given = _load_inputs(session, ruleset, snapshot, turn, changes.sheets, patch)
        before = replace(before, withdrawn=withdrawn)
    elif changes.sheets:
        raise CampaignError(
            f"{snapshot.name} has run no turn yet: a sheet for the open one is entered with pbem sheet (by mail: SHEET)"
        )
    outcome = _resolve_again(session, snapshot, ruleset, turn, before, patch)
    return Rerun(
        # The revision is part of codes and Message-IDs: codes of withdrawn reports are recognised by it (decision 7).
        snapshot=replace(snapshot, revision=snapshot.revision + 1),
        ruleset=ruleset,
        number=number,
        turn=turn,
        following=following,
        before=before,
        outcome=outcome,
        given=given,
        withdrawn=withdrawn,
    )


def _resolve_again(
    session: Session,
    snapshot: CampaignSnapshot,
    ruleset: AnyRuleset,
    turn: Turn,
    before: TurnInputs | None,
    patch: Patch,
) -> ResolvedState:
    try:
        if before is None:
            outcome = compute_setup(snapshot, ruleset, initial_state(ruleset, turn), patch)
        else:
            # With the same dice: they are keyed by turn, not drawn in order (decision 7).
            outcome = resolve_turn(session, before)
        return replace(outcome, views=tuple(outcome.views))  # a changed state may be one that cannot be shown
    except PatchError as error:
        raise CampaignError(
            f"your earlier change of the state does not fit what comes out now: {error}; "
            "leave it out with pbem rerun --without-patch, and make it anew afterwards"
        ) from None
    except PARSE_ERRORS as error:
        if not patch:
            raise
        raise CampaignError(
            f"{ruleset.title} cannot go on from the changed state ({type(error).__name__}: {error})"
        ) from error


def _load_inputs(
    session: Session,
    ruleset: AnyRuleset,
    snapshot: CampaignSnapshot,
    turn: Turn,
    sheets: Mapping[SeatName, Lines],
    patch: Patch,
) -> tuple[TurnInputs, dict[SeatName, SheetReading]]:
    """Return the inputs of a turn that was run: seats, views, sheets and rulings of that time, with the GM's sheets."""
    out = seats_removed_before(session, snapshot.id, turn.number + 1)
    then = replace(
        snapshot,
        turn=turn.number,
        version=version_before(session, snapshot, turn.number),
        places=tuple(replace(place, playing=place.seat not in out) for place in snapshot.places),
    )
    last = load_last_reports(session, snapshot, until=turn.number)
    came = load_sheets(session, turn.id)
    given = dict(_read_given_sheet(ruleset, then, last, seat, lines) for seat, lines in sheets.items())
    before = TurnInputs(
        snapshot=then,
        ruleset=ruleset,
        turn=OpenTurn.of(turn, (*came, *(_as_received(then, came, seat, reading) for seat, reading in given.items()))),
        last=last,
        previous=load_record(session, snapshot, turn.number - 1),
        withdrawn=(),
        removed=frozenset(json.loads(turn.record or b"{}")["removed"]),
        patch=patch,
        rolls=load_rolls(session, then, turn.number),
    )
    return before, given


def _read_given_sheet(
    ruleset: AnyRuleset, snapshot: CampaignSnapshot, last: Mapping[SeatName, LastReport], seat: SeatName, lines: Lines
) -> tuple[SeatName, SheetReading]:
    place = find_seat_view(snapshot, seat)
    if not place.playing:
        raise CampaignError(f"seat {place.seat} of {snapshot.name} was removed by turn {snapshot.turn}")
    view = json.loads(last[place.seat].view)
    # The turn is run now, so WAIT and FINAL say nothing; what a sheet has for later turns is not for it.
    ordered, _ = split_host_words(split_parts(ruleset, view, lines)[0])
    return place.seat, require_valid_sheet(parse_sheet(ruleset, view, ordered), place.seat)


def _as_received(
    snapshot: CampaignSnapshot, came: Sequence[ReceivedSheet], seat: SeatName, reading: SheetReading
) -> ReceivedSheet:
    place = find_seat_view(snapshot, seat)
    version = 1 + max((sheet.version for sheet in came if sheet.seat_id == place.id), default=0)
    # 0 marks it as one that is not in the database: it is put there only if the run is kept.
    return ReceivedSheet(0, place.id, version, True, reading.digest, reading.text, reading.orders)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSeat:
    """A seat whose report changes: the differences, and the fate of its sheet for the open turn."""

    seat: SeatName
    version: int
    differences: tuple[str, ...]
    sheet: Literal["none", "kept", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunImpact:
    """The seats whose reports a rerun changes, and those whose reports stay.

    `gone` are seats whose report is withdrawn without another in its place; `given` are
    the GM's sheets as read, `tried` describes the changes in words. `seed_known`: the
    game was over, so players may know the dice of all turns to come. `moved`: the deadline
    of the open turn had passed, and another is set; `nothing_to_do`: the turn comes out as it was.
    """

    campaign: str
    turn: int
    touched: tuple[ChangedSeat, ...]
    untouched: tuple[SeatName, ...]
    gone: tuple[SeatName, ...]
    given: Mapping[SeatName, SheetReading]
    tried: tuple[str, ...]
    deadline: dt.datetime | None
    zone: str
    over: bool
    seed_known: bool
    set_up: bool = False
    moved: bool = False
    nothing_to_do: bool = False

    @property
    def what(self) -> str:
        """The name of the turn that is run again."""
        return "the set-up" if self.set_up else f"turn {self.turn}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunPlan:
    """A computed rerun with all that is stored and mailed of it."""

    again: Rerun
    impact: RerunImpact
    reports: Sequence[SeatReport]
    record: bytes


def plan_rerun(context: Context, changes: RerunChanges) -> RerunPlan:
    """Compute a rerun of the last turn, changing nothing. Raises CampaignError as `compute_rerun` does."""
    session, app, now = context.session, context.app, context.now
    again = compute_rerun(context, changes)
    old = load_reports(session, again.following)
    # Views are compared, not rendered reports: templates may have changed since, and that is no correction.
    affected = [(place, view) for place, view in again.outcome.views if _is_affected(again, old, place, view)]
    deadline = _choose_deadline(session, again, now, anew=bool(affected))
    previous = again.before.previous if again.before else b"{}"
    opening = opening_of(context, again.snapshot, again.number + 1, again.outcome, deadline, previous)
    waiting = load_sheets(session, again.following.id)
    corrections = {
        place.seat: _build_correction(app, again, opening, old[place.id], place, canonical_json(view), waiting)
        for place, view in affected
        if place.id in old
    }
    made = make_reports(app, again.ruleset, replace(opening, corrections=corrections), affected)
    reports = [_as_reply(each, old.get(each.place.id)) for each in made]
    new_files = {made.place.id: made.files for made in reports}
    # Unchanged reports are archived with the bytes that were mailed, whatever templates are now.
    files = again.files(
        [new_files.get(place.id) or report_files(context, old[place.id]) for place, _ in again.outcome.views]
    )
    return RerunPlan(
        again=again,
        impact=_build_impact(again, old, affected, corrections, deadline),
        reports=reports,
        record=again.record(files, now),
    )


def load_reports(session: Session, turn: Turn) -> dict[int, Report]:
    """Return the reports that opened a turn, by id of the seat."""
    found = session.scalars(select(Report).where(Report.turn_id == turn.id).order_by(Report.seat_id))
    return {report.seat_id: report for report in found}


def _choose_deadline(session: Session, again: Rerun, now: dt.datetime, *, anew: bool) -> dt.datetime | None:
    """Return the deadline of the open turn: the old one, if it has one that can stay.

    A turn that had none, because the game was over, gets one. So does a turn that is due
    already if players have to plan `anew`: it would be run before they could.
    """
    snapshot, old = again.snapshot, again.following.deadline
    if again.outcome.standing.over:
        return None
    # The deadline is what players were told, so it stays wherever it can.
    if old is not None and (now < old or not anew):
        return old
    return new_deadline(session, snapshot, now)


def _is_affected(again: Rerun, old: Mapping[int, Report], place: SeatView, view: View) -> bool:
    """Return True if a seat's report changes, in its view or in what it says of the sheet used."""
    if place.id not in old or canonical_json(view) != old[place.id].view:
        return True
    missed = place.seat in again.outcome.turn.missing
    return _sheets_used_before(again).get(place.seat) != again.outcome.used.get(place.seat) or missed != (
        place.seat in again.former_record.get("missing", ())
    )


def _sheets_used_before(again: Rerun) -> dict[SeatName, SheetUsed]:
    return {seat: SheetUsed(**sheet) for seat, sheet in again.former_record.get("sheets", {}).items()}


def _build_correction(
    app: App,
    again: Rerun,
    opening: TurnOpening,
    old: Report,
    place: SeatView,
    view: bytes,
    waiting: Sequence[ReceivedSheet],
) -> Correction:
    before = replace(
        opening,
        used=_sheets_used_before(again),
        missing=frozenset(again.former_record.get("missing", ())),
        orders=orders_disclosed(again.former_record, again.ruleset.orders),
    )
    both = ((before, old.view), (opening, view))
    texts = [report_text(app, again.ruleset, facts, place, seen) for facts, seen in both]
    told = [
        app.reporter.sentences(again.ruleset, json.loads(seen), facts.orders.get(place.seat, ()))
        for facts, seen in both
    ]
    counting = [sheet for sheet in waiting if sheet.seat_id == place.id and sheet.accepted]
    # A sheet in already stays unless the corrected view no longer allows its orders (decision 7).
    kept = bool(counting) and is_still_valid(again.ruleset, json.loads(view), counting[-1].orders)
    return Correction(
        edition=old.edition + 1,
        differences=diff_lines(*texts),
        sheet="none" if not counting else "kept" if kept else "dropped",
        moved=again.following.deadline not in (None, opening.deadline) and opening.deadline is not None,
        changes=describe_changes(*told),
    )


def _as_reply(made: SeatReport, old: Report | None) -> SeatReport:
    if old is None:
        return made
    mail = dataclasses.replace(made.mail, in_reply_to=old.message_id, references=(old.message_id,))
    return dataclasses.replace(made, mail=mail)


def _build_impact(
    again: Rerun,
    old: Mapping[int, Report],
    affected: Sequence[tuple[SeatView, View]],
    corrections: Mapping[SeatName, Correction],
    deadline: dt.datetime | None,
) -> RerunImpact:
    snapshot = again.snapshot
    told = {place.id for place, _ in again.outcome.views}
    changed = {place.id for place, _ in affected}
    first = Correction(edition=1, differences=())
    touched = ((place.seat, corrections.get(place.seat, first)) for place, _ in affected)
    return RerunImpact(
        campaign=snapshot.name,
        turn=again.number,
        touched=tuple(
            ChangedSeat(seat=seat, version=each.edition, differences=each.differences, sheet=each.sheet)
            for seat, each in touched
        ),
        untouched=tuple(place.seat for place in snapshot.places if place.id not in changed | (set(old) - told)),
        gone=tuple(place.seat for place in snapshot.places if place.id in set(old) - told),
        given=again.given,
        tried=tuple(_describe_changes(again)),
        deadline=deadline,
        zone=snapshot.schedule.zone,
        over=again.outcome.standing.over,
        seed_known=snapshot.status == CampaignState.OVER,
        set_up=again.before is None,
        moved=again.following.deadline not in (None, deadline) and deadline is not None,
        nothing_to_do=again.outcome.state_hash == again.following.state_hash and not (affected or set(old) - told),
    )


def _describe_changes(again: Rerun) -> Iterator[str]:
    if again.given:
        yield "other sheets"
    if list(again.outcome.patch) != again.former_record.get("patch", []):
        yield "another state"
