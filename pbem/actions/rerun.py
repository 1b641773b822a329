"""Reruns the last turn with corrections; only seats whose reports change are notified.

Everything is computed first, and its impact shown to the GM. Then one transaction
replaces the old run by the new one, if the read set is unchanged.

The state of an open turn is the result of the run before it. So an edit is a
change of that run: seats whose reports show it get corrected ones, and a replay of
the archive makes the same edit.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from pbem.actions.arguments import NUMBER, SEAT_OR_NONE, SURE, GmCommand, Number, TextBlock, unknown_owner
from pbem.actions.base import AuditEntry, Channel, PlannedChange, Query
from pbem.actions.deadlines import tell_deadline
from pbem.actions.rerun_plan import (
    NO_CHANGES,
    ChangedSeat,
    Rerun,
    RerunChanges,
    RerunImpact,
    RerunPlan,
    load_reports,
    plan_rerun,
)
from pbem.actions.weight import Confirmed
from pbem.actions.withdrawal import (
    RERUN,
    SEED_KNOWN,
    move_reports,
    reopen_turn,
    replace_turns,
)
from pbem.archive.json_patch import Difference, apply_patch, describe_patch, is_patch, make_patch
from pbem.campaign.notices import post
from pbem.campaign.order_sheets import PreviousSheets, SheetToSave, copy_sheets, save_sheets
from pbem.campaign.reports import save_reports
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    add_entry,
    current_turn,
    load_state,
    raise_validation_errors,
)
from pbem.errors import PARSE_ERRORS, CampaignError, RulesetError
from pbem.report import small
from pbem.ruleset.protocol import AnyRuleset, StateImporter
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.validation import ValidationError
from pbem.ruleset.values import Json, SeatName
from pbem.store.models import ExtensionVote, OrderSheet, Turn
from pbem.store.types import Author, CampaignState
from pbem.text import format_time, wrap

NOTED = "Players will read in the next report that you tried this, but not with whose sheet."
"""The note for a GM who has only asked about the effect of changes."""


@dataclass(frozen=True, slots=True)
class RerunTurn(PlannedChange[RerunImpact, RerunPlan]):
    """Run the last turn again with a GM's changes.

    A dry run with changes has tried them against the real dice, so the next reports disclose it.
    """

    weight = Confirmed("the last run of the turn, and its reports", "the archive, in withdrawn/")
    kind = "rerun"
    rewrites = True
    changes: RerunChanges = NO_CHANGES

    def plan(self, context: Context) -> RerunPlan:
        """Return the computed rerun. Raises CampaignError."""
        if "" in self.changes.sheets:
            raise unknown_owner(context, "RERUN")
        return plan_rerun(context, self.changes)

    def keep(self, context: Context, plan: RerunPlan) -> None:
        """Replace the last run by the new one."""
        apply_rerun(context, plan)

    def facts(self, plan: RerunPlan) -> RerunImpact:
        """Return the impact: whose reports change."""
        return plan.impact

    def traces(self, facts: RerunImpact) -> tuple[AuditEntry, ...]:
        """Return the entry that changes were tried, and for the GM alone, whose sheets."""
        if not facts.tried:
            return ()
        said = f"looked at what {facts.what} would have come to with {' and '.join(facts.tried)}"
        # Whose sheet was tried stays secret (decision 16).
        whose = (AuditEntry(f"{said}: of {', '.join(facts.given)}", secret=True),) if facts.given else ()
        return AuditEntry(said, told=True), *whose

    def render(self, facts: RerunImpact, channel: Channel) -> Iterator[str]:
        for seat, reading in facts.given.items():
            errors = [finding for finding in reading.findings if finding.severity == "error"]
            yield from (f"sheet of {seat}, line {finding.line}: {finding.text}" for finding in errors)
        what = facts.what
        yield f"{facts.campaign}: {what} " + ("was run again." if channel.done else "would come out so:")
        for touched in facts.touched:
            yield from _render_changed_seat(touched)
        if facts.gone:
            yield f"  {', '.join(facts.gone)}: report withdrawn, none in its place"
        if facts.untouched:
            yield f"  {', '.join(facts.untouched)}: nothing changes, no mail"
        if facts.seed_known:
            yield wrap(SEED_KNOWN)
        if facts.tried and not channel.done:
            yield NOTED
        if facts.moved and facts.deadline is not None:
            due = format_time(facts.deadline, facts.zone)
            yield f"The deadline has passed: the open turn {'is' if channel.done else 'would be'} due {due}."
        if facts.nothing_to_do and not channel.done:
            yield "Nothing to do: no report would change."
            return
        sent = channel.queued("Corrected reports are queued") if facts.touched else "No mail is sent."
        yield channel.undone or sent


class _MessageNumber(Number):
    """Field for the number of a message that was received."""

    shown, expected, example = "message", "the number of a message", "20"


MESSAGE = _MessageNumber()


@dataclass(frozen=True, slots=True)
class RunAgain(GmCommand):
    """Run the last turn again, with the order lines below as a seat's sheet; it shows first whom that touches.

    With the number of a message that came too late, its orders are that sheet.
    """

    usage = "RERUN [seat [message]] [sure [asked]]"
    takes_text = True
    seat: Annotated[SeatName | None, SEAT_OR_NONE] = None
    message: Annotated[str | None, MESSAGE] = None
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def wish(self, text: TextBlock) -> RerunTurn:
        """Return the rerun with that sheet; one of no seat is refused when the seats are known."""
        if self.seat is None and not text.words:
            return RerunTurn()
        return RerunTurn(RerunChanges(sheets={self.seat or "": text.orders}))


def _render_changed_seat(touched: ChangedSeat) -> Iterator[str]:
    kind = f"corrected report, version {touched.version}" if touched.version > 1 else "a report, where there was none"
    sheet = {"none": "", "kept": "; the sheet sent since is kept", "dropped": "; the sheet sent since no longer fits"}
    yield f"  {touched.seat}: {kind}{sheet[touched.sheet]}"
    yield from (f"    {line}" for line in touched.differences)


def apply_rerun(context: Context, amendment: RerunPlan) -> None:
    """Replace the last run by a computed one. Call with the campaign locked and unchanged since planning."""
    # No row is changed: the old ones are withdrawn, and new ones take their place (decision 7).
    _, following = replace_turns(context, RERUN, amendment.again.number, partial(_put_rerun, context, amendment))
    save_reports(context, following.id, amendment.reports, following.deadline)
    _announce_rerun(context, amendment)


def _put_rerun(context: Context, amendment: RerunPlan, gone: Sequence[Turn]) -> Sequence[Turn]:
    """Insert the turns of a rerun, with the sheets, reports and votes that stay."""
    session, again, impact = context.session, amendment.again, amendment.impact
    old_turn, old_following = gone
    turn = _insert_rerun(session, old_turn, amendment, context.now)
    following = _insert_following(session, old_following, amendment)
    changed = _seat_ids(again, [*(touched.seat for touched in impact.touched), *impact.gone])
    dropped = _seat_ids(again, [touched.seat for touched in impact.touched if touched.sheet == "dropped"])
    # Unchanged reports stay valid with their codes, and their readers are not mailed (decision 7).
    move_reports(session, old_turn, turn)
    move_reports(session, old_following, following, but=changed)
    copy_sheets(session, old_turn, turn)
    # After those of the players: of the sheets of a seat the last accepted one counts.
    _save_given_sheets(session, again, turn, context.now)
    copy_sheets(session, old_following, following, but=dropped)
    # Players whose report changes get time to think again: the turn waits for its deadline.
    anew = update(OrderSheet).where(OrderSheet.turn_id == following.id, OrderSheet.seat_id.in_(changed))
    session.execute(anew.values(wait=True))
    # Votes for more time stay with the open turn.
    session.execute(update(ExtensionVote).where(ExtensionVote.turn_id == old_following.id).values(turn_id=following.id))
    return turn, following


def _seat_ids(again: Rerun, seats: Sequence[SeatName]) -> list[int]:
    return [place.id for place in again.snapshot.places if place.seat in seats]


def _insert_rerun(session: Session, old: Turn, amendment: RerunPlan, now: dt.datetime) -> Turn:
    return reopen_turn(
        session,
        old,
        reminded_at=old.reminded_at,
        extensions=old.extensions,
        # Of the set-up it is the time of the start, which the new record tells again.
        resolved_at=now if amendment.again.before else old.resolved_at,
        record=amendment.record,
    )


def _insert_following(session: Session, old: Turn, amendment: RerunPlan) -> Turn:
    outcome = amendment.again.outcome
    return reopen_turn(
        session,
        old,
        state=outcome.state,
        state_hash=outcome.state_hash,
        awaited=sorted(outcome.standing.awaiting),
        deadline=amendment.impact.deadline,
        reminded_at=old.reminded_at,
        extensions=old.extensions,
    )


def _save_given_sheets(session: Session, again: Rerun, turn: Turn, now: dt.datetime) -> None:
    """Save the GM's sheets with the turn for which they were used."""
    given = {place.id: again.given[place.seat] for place in again.snapshot.places if place.seat in again.given}
    sheets = [
        SheetToSave(
            reading=given[sheet.seat_id],
            earlier=PreviousSheets(turn.id, sheet.seat_id, sheet.version - 1),
            author=Author.GM,
        )
        for sheet in (again.before.turn.sheets if again.before else ())
        if sheet.id == 0
    ]
    save_sheets(session, sheets, now)


def _announce_rerun(context: Context, amendment: RerunPlan) -> None:
    """Add journal entries on the rerun, and notify those whose report is withdrawn without another.

    Players are told what was done, the GM alone whose reports changed.
    """
    session, snapshot, now = context.session, context.snapshot, context.now
    again, impact = amendment.again, amendment.impact
    what = f"turn {again.number} was run again" if again.before else "the set-up was made again"
    with_sheets = f" with another sheet of {', '.join(impact.given)}" if impact.given else ""
    patch = again.outcome.patch
    changed = "; the GM has changed the state" if patch and list(patch) != again.former_record.get("patch") else ""
    act = add_entry(session, snapshot.id, now, actor="gm", text=what + with_sheets + changed)
    touched = ", ".join(each.seat for each in impact.touched) or "nobody"
    add_entry(session, snapshot.id, now, actor="gm", text=f"{what}: corrected reports to {touched}", secret=True)
    old = load_reports(session, again.following)
    labels = {seat_id: json.loads(report.view)["label"] for seat_id, report in old.items()}
    for place in snapshot.places:
        if place.seat in impact.gone:
            page = small.report_withdrawn(campaign=snapshot.name, seat=place.seat, label=labels[place.id])
            post(context, place, page, id_=("act", act, place.seat))
    if impact.moved and again.following.deadline and impact.deadline:
        # Those whose report stays have read the deadline that has passed.
        told = {*impact.gone, *(touched.seat for touched in impact.touched)}
        tell_deadline(context, again.following.deadline, impact.deadline, act=act, but=told)


@dataclass(frozen=True, slots=True)
class StateEdit:
    """A GM's valid edit of a state: the changes of the last turn that it means, and its differences, path by path."""

    changes: RerunChanges
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class StateEdited:
    """An edit, and its impact on reports."""

    edit: StateEdit
    impact: RerunImpact


@dataclass(frozen=True, slots=True)
class ShownState:
    """The state of an open turn."""

    campaign: str
    turn: int
    state: Json

    @property
    def text(self) -> str:
        """The state as JSON, to be edited."""
        return json.dumps(self.state, indent=2, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class ShowState(Query[ShownState]):
    """Get the state of the open turn as JSON."""

    def look(self, context: Context) -> ShownState:
        """Return the state, as its game dumps it now. Raises CampaignError before the start."""
        snapshot, ruleset = context.snapshot, context.app.game(context.snapshot.game)
        if snapshot.status == CampaignState.FORMING:
            raise CampaignError(f"campaign {snapshot.name} has not begun: it has no state yet")
        state = load_state(context.session, ruleset, snapshot)
        return ShownState(snapshot.name, snapshot.turn, _dump(ruleset, state))

    def render(self, facts: ShownState, channel: Channel) -> Iterator[str]:
        yield f"The state of turn {facts.turn} of {facts.campaign} is attached."
        yield "To change it: STATE, and below it a JSON Patch, or the whole state."


@dataclass(frozen=True, slots=True)
class EditState(PlannedChange[StateEdited, "StateEditPlan"]):
    """Change the state, by a JSON Patch (RFC 6902) or the whole of it."""

    weight = Confirmed("the state of the open turn", "the journal, and a patch back")
    kind = "state"
    rewrites = True
    data: Json = None

    def plan(self, context: Context) -> StateEditPlan:
        """Return the checked edit, and the last turn rerun with it. Raises CampaignError."""
        edit = read_edit(context, self.data)
        return StateEditPlan(edit, plan_rerun(context, edit.changes))

    def keep(self, context: Context, plan: StateEditPlan) -> None:
        """Replace the last run by the one with the edit."""
        apply_rerun(context, plan.amendment)

    def facts(self, plan: StateEditPlan) -> StateEdited:
        """Return the differences of the edit, and whose reports change."""
        return StateEdited(plan.edit, plan.amendment.impact)

    def traces(self, facts: StateEdited) -> tuple[AuditEntry, ...]:
        """Return the entry that another state was tried."""
        return RerunTurn().traces(facts.impact)

    def render(self, facts: StateEdited, channel: Channel) -> Iterator[str]:
        for each in facts.edit.differences:
            yield f"{each.path}: {each.text}"
        yield from RerunTurn().render(facts.impact, channel)


@dataclass(frozen=True, slots=True)
class StateEditPlan:
    """An edit of the state, and the computed rerun with it."""

    edit: StateEdit
    amendment: RerunPlan


def read_edit(context: Context, data: Json) -> StateEdit:
    """Return a GM's edit, checked with the game.

    Args:
        data: The wanted state, or a JSON Patch (RFC 6902) of the current one.

    Raises:
        CampaignError: If nothing changes, or the game does not take the state.
        PatchError: If the patch does not apply.
    """
    snapshot, before = context.snapshot, ShowState().look(context).state
    state = current_turn(context.session, snapshot, snapshot.turn).state_hash
    # Where a state itself looks like a patch, what is given is always a state.
    wanted = apply_patch(before, data) if is_patch(data) and not is_patch(before) else data
    patch = make_patch(before, wanted)
    if not patch:
        raise CampaignError(f"this is the state that {snapshot.name} has: there is nothing to change")
    _require_turn(snapshot, before, wanted)
    _try_out(context.app.game(snapshot.game), snapshot, before, wanted)
    return StateEdit(RerunChanges(patch=tuple(patch), of_state=state), tuple(describe_patch(before, patch)))


def _require_turn(snapshot: CampaignSnapshot, before: Json, wanted: Json) -> None:
    """Raise CampaignError if a game that counts its turns in its state would count another than is open."""
    turn, other = (each.get("turn") if isinstance(each, dict) else None for each in (before, wanted))
    if type(turn) is int and other != turn:
        earlier = snapshot.turn - 1
        back = f"; the turn before is reopened by: pbem rollback {snapshot.name} {earlier}"
        raise CampaignError(
            f"/turn counts the turns that were played, so it stays {turn}, here and in the archive"
            f"{back if earlier >= snapshot.first else ''}"
        )


def _try_out(ruleset: AnyRuleset, snapshot: CampaignSnapshot, before: Json, wanted: Json) -> None:
    """Raise CampaignError unless the game loads the state unchanged, and can show it to every seat."""
    refused = f"{ruleset.title} refuses this state"
    faults = _find_new_faults(ruleset, snapshot, before, wanted)
    try:
        state = ruleset.load(wanted, ruleset.version)
        written = _dump(ruleset, state)
        standing = ruleset.standing(state)
        for seat in snapshot.seats:
            canonical_json(ruleset.view(state, seat, ()))
    except RulesetError as error:
        raise_validation_errors(refused, faults)
        raise CampaignError(f"{refused}: {error}") from None
    except PARSE_ERRORS as error:
        raise_validation_errors(refused, faults)
        raise CampaignError(f"{ruleset.title} cannot read this state ({type(error).__name__}: {error})") from None
    if not standing.over:  # of a game that is over nothing is asked but that it can be shown
        raise_validation_errors(refused, faults)
    # What the game reads otherwise would be lost in silence.
    if canonical_json(written) != canonical_json(wanted):
        first = describe_patch(wanted, make_patch(wanted, written))[0]
        raise CampaignError(f"{ruleset.title} reads this state otherwise than written: {first.path}: {first.text}")
    strangers = standing.awaiting - set(snapshot.seats)
    if strangers or standing.over == bool(standing.awaiting):
        raise CampaignError(f"{ruleset.title} cannot go on from this state: nobody at the table would be to move")


def _find_new_faults(
    ruleset: AnyRuleset, snapshot: CampaignSnapshot, before: Json, wanted: Json
) -> list[ValidationError]:
    """Return the faults that the game finds in the wanted state, but not in the one before."""
    if not isinstance(ruleset, StateImporter):
        return []
    found = ruleset.check_state(wanted, snapshot.seats)
    known = ruleset.check_state(before, snapshot.seats) if found else ()
    return [fault for fault in found if fault not in known]


def _dump(ruleset: AnyRuleset, state: Any) -> Json:
    return json.loads(canonical_json(ruleset.dump(state)))
