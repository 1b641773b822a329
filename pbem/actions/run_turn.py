"""Runs a turn and commits it, with the consequences of missed sheets.

A sheet that arrives meanwhile means computing again. So two processes at once run
a turn once, and no sheet is overlooked. A missed sheet leads to a warning, and
after several to the next player of the seat or its end.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.orm import Session

from pbem.actions.arguments import NUMBER, SURE, GmCommand
from pbem.actions.base import PreviewedChange, TextResult
from pbem.actions.reversal import store_undo
from pbem.actions.seats import back_hint, remove_seat, vacate_seat
from pbem.actions.weight import Confirmed
from pbem.app import App
from pbem.campaign.archive_sync import archive_now
from pbem.campaign.deadlines import BY_CLAIM, BY_GM, RUN, describe_reason, load_open_turns
from pbem.campaign.history import current_turn_label
from pbem.campaign.house_rules import HouseRules
from pbem.campaign.later_orders import use_kept_orders
from pbem.campaign.notices import GM, gm_moment, others, post
from pbem.campaign.optimistic_lock import run_optimistic
from pbem.campaign.order_sheets import PreviousSheets, SheetToSave, save_sheets
from pbem.campaign.reports import save_reports
from pbem.campaign.snapshot import (
    NO_HOLD,
    CampaignSnapshot,
    Context,
    SeatView,
    add_entry,
    load_campaign,
    require_running,
)
from pbem.campaign.turns import TurnInputs, TurnResult, compute_turn, insert_turn, load_before
from pbem.errors import Conflict
from pbem.mail.outbox import withdraw_turn_mail
from pbem.report import small
from pbem.report.notices import Miss, Notice
from pbem.ruleset.values import SeatName
from pbem.store.models import Campaign, PendingRequest, Seat, Turn
from pbem.store.session import JobQueue, QueuedJob, enqueue_on_commit, flushed_connection
from pbem.store.types import Author, CampaignState
from pbem.text import as_sentence, format_time, join_names


@dataclass(frozen=True, slots=True)
class _Misser:
    """A seat that missed, and how often, this time included."""

    place: SeatView
    in_a_row: int
    in_all: int


def handle_missed_sheets(context: Context, missing: frozenset[SeatName], *, act: int) -> None:
    """Warn players who missed, notify the GM, and open or remove seats as the house rules say.

    Args:
        context: The campaign as it was when the turn was run; misses are counted already.
        missing: The seats without a sheet.
        act: The id of the run's journal entry.
    """
    snapshot = context.snapshot
    missers = _load_missers(context.session, snapshot, missing)
    if not missers:
        return
    _warn(context, missers, act)
    if snapshot.policy.late_list == "players":
        seats = tuple(each.place.seat for each in missers)
        post(context, others(snapshot, seats), small.others_missed(missed=seats), id_=("act", act))
    misses = tuple(
        Miss(each.place.seat, each.in_a_row, each.in_all, _enforce_limits(context, each)) for each in missers
    )
    page = small.missed_digest(turn=snapshot.turn, missed=misses)
    post(context, GM, page, id_=gm_moment(snapshot, "missed", str(act)))


def _load_missers(session: Session, snapshot: CampaignSnapshot, missing: frozenset[SeatName]) -> list[_Misser]:
    """Return the seats without a sheet that had a player to send one."""
    places = {place.id: place for place in snapshot.places if place.manned and place.seat in missing}
    rows = session.execute(
        select(Seat.id, Seat.nmr_in_a_row, Seat.nmr_total)
        .where(Seat.campaign_id == snapshot.id, Seat.nmr_in_a_row > 0)
        .order_by(Seat.id)
    )
    return [_Misser(places[id_], in_a_row, in_all) for id_, in_a_row, in_all in rows if id_ in places]


def _warn(context: Context, missers: Sequence[_Misser], act: int) -> None:
    """Warn those for whom a miss has consequences, or who miss repeatedly; of a single miss the report tells enough."""
    policy = context.snapshot.policy
    for each in missers:
        matters = policy.open_after_missed or policy.remove_after_missed or each.in_a_row > 1
        if matters and not _is_too_many(policy, each):
            label = current_turn_label(context.session, context.snapshot, each.place.id)
            post(context, each.place, _build_warning(context, each, label), id_=("act", act, each.place.seat))


def _build_warning(context: Context, misser: _Misser, label: str) -> Notice:
    snapshot, policy = context.snapshot, context.snapshot.policy
    removed_in = policy.remove_after_missed - misser.in_a_row if policy.remove_after_missed else None
    opens_in = policy.open_after_missed - misser.in_a_row if policy.open_after_missed else None
    opens_first = opens_in is not None and (removed_in is None or opens_in < removed_in)
    return small.sheet_missed(
        seat=misser.place.seat,
        label=label,
        in_a_row=misser.in_a_row,
        opens_in=opens_in if opens_first else None,
        removed_in=None if opens_first else removed_in,
        gm=snapshot.gm_shown,
        address=context.app.settings.address,
    )


def _is_too_many(policy: HouseRules, misser: _Misser) -> bool:
    return any(limit and misser.in_a_row >= limit for limit in (policy.open_after_missed, policy.remove_after_missed))


def _enforce_limits(context: Context, misser: _Misser) -> str:
    """Open or remove a seat that missed too often; return what was done, "" if nothing."""
    if not _is_too_many(context.snapshot.policy, misser):
        return ""
    why = f"its player sent no sheet {misser.in_a_row} times in a row"
    # The run has changed the campaign since the snapshot was read.
    newest = load_campaign(context.session, context.snapshot.name)
    since = replace(context, snapshot=newest)
    if newest.policy.remove_after_missed and misser.in_a_row >= newest.policy.remove_after_missed:
        remove_seat(since, misser.place, why)
        back = back_hint(newest.name, misser.place.seat)
        return f"The seat is removed. Until turn {newest.turn} is run, bring it back with: {back}"
    return as_sentence(vacate_seat(since, misser.place, why))


_RESOLVED = (
    update(Turn).where(Turn.id == bindparam("turn")).values(resolved_at=bindparam("at"), record=bindparam("its"))
)
_ADVANCE = (
    update(Campaign)
    .where(Campaign.id == bindparam("campaign"))
    .values(turn=bindparam("its_turn"), status=bindparam("its_status"), version=bindparam("its_version"), **NO_HOLD)
)
_THESE = Seat.id.in_(bindparam("seats", expanding=True))
_MISSED = update(Seat).where(_THESE).values(nmr_in_a_row=Seat.nmr_in_a_row + 1, nmr_total=Seat.nmr_total + 1)
# Statements of every turn, built once: building them takes longer than running them.
_CAME = update(Seat).where(_THESE, Seat.nmr_in_a_row > 0).values(nmr_in_a_row=0)

RunCondition = Callable[[Context], bool]
"""Returns True if a turn is still to be run; asked each time the run is planned."""


def is_not_held(context: Context) -> bool:
    """Return True if turns of the campaign may run at all: the least condition of a scheduled run."""
    return not context.snapshot.held


def always(_: Context) -> bool:
    """Return True: a GM's request is enough, whatever holds the turn."""
    return True


def run_turn(
    app: App,
    name: str,
    now: dt.datetime,
    *,
    reason: str,
    number: int | None = None,
    still: RunCondition = is_not_held,
) -> TurnResult | None:
    """Resolve the open turn of a campaign, queue its reports and archive it, or leave archiving to others.

    Args:
        number: Run only if this is the open turn.
        still: Asked each time the turn is planned; the turn is run only if it returns True.

    Returns:
        The result; None, with nothing changed, if the turn is not to be run or the past was changed meanwhile.

    Raises:
        CampaignError: If no turn is open.
    """

    def plan(context: Context) -> tuple[TurnInputs, TurnResult]:
        snapshot = context.snapshot
        is_open = number is None or (snapshot.turn, snapshot.status) == (number, CampaignState.RUNNING)
        if not (is_open and still(context)):
            raise Conflict(snapshot.name, snapshot.turn)
        before = load_before(context)
        return before, compute_turn(context, before)

    def keep(context: Context, planned: tuple[TurnInputs, TurnResult]) -> tuple[int, TurnResult]:
        before, after = planned
        commit_run(context, before, after, reason=reason)
        # This process does not serve the archive: the commit enqueues the job for one that does (decision 22).
        if not app.archives:
            enqueue_on_commit(context.session, QueuedJob(JobQueue.ARCHIVE))
        return before.turn.id, after

    try:
        turn_id, after = run_optimistic(app, name, now, plan, keep)
    # For a run by the clock that is no error: the turn is no longer the one that was due (decision 13).
    except Conflict:
        return None
    # After the commit: if it fails, the next tick writes the folder from the rows (decision 3).
    if app.archives:
        archive_now(app, turn_id, after.record, after.files, now)
    return after


def commit_run(context: Context, before: TurnInputs, after: TurnResult, *, reason: str) -> None:
    """Commit a computed turn. Call with the campaign locked and unchanged since planning."""
    session, snapshot, turn, now = context.session, context.snapshot, before.turn, context.now
    # Past the session: building such statements anew took a tenth of a turn's processor time.
    flushed_connection(session).execute(_RESOLVED, {"turn": turn.id, "at": now, "its": after.record})
    turn_id = insert_turn(
        session,
        snapshot,
        number=turn.number + 1,
        state=after.state,
        state_hash=after.state_hash,
        awaited=after.standing.awaiting,
        deadline=after.deadline,
        now=now,
    )
    # Reminders that are still queued would come after the reports.
    withdraw_turn_mail(session, snapshot.name, turn.number, snapshot.seats)
    for reports in after.reports.batches():
        save_reports(context, turn_id, reports, after.deadline)
    _advance(session, before, after)
    _save_bot_sheets(context, before)
    opened = chain.from_iterable(after.reports.batches())
    use_kept_orders(context, turn_id, number=turn.number + 1, deadline=after.deadline, reports=opened)
    # Counted before consequences are decided: the limits of the house rules include this miss.
    _count_missed(session, before, after)
    act = add_entry(session, snapshot.id, now, actor="pbem", text=_journal_text(before, after, reason))
    if reason == BY_GM:
        # So that `undo` does not skip it.
        store_undo(session, act, {"action": "run", "turn": turn.number})
    if _hides_misses(before, after):
        add_entry(session, snapshot.id, now, actor="pbem", text=_missed_text(before, after), secret=True)
    # If the turn is run before its deadline, players had not all their time, and have missed nothing.
    if not after.standing.over and turn.deadline is not None and now >= turn.deadline:
        handle_missed_sheets(context, after.turn.missing, act=act)


def _save_bot_sheets(context: Context, before: TurnInputs) -> None:
    """Save the sheets of bots with the turn for which they were used, and tell the GM of those that have none."""
    session, snapshot, turn = context.session, context.snapshot, before.turn
    sheets = [
        SheetToSave(
            reading=each.reading,
            earlier=PreviousSheets(turn.id, each.place.id, each.sheet.version - 1),
            author=Author.BOT,
            says_wait=False,
        )
        for each in before.bots
        if each.sheet and each.reading
    ]
    save_sheets(session, sheets, context.now)
    for each in before.bots:
        if each.fault:
            page = small.bot_failed(campaign=snapshot.name, seat=each.place.seat, turn=turn.number, fault=each.fault)
            post(context, GM, page, id_=gm_moment(snapshot, "bot", each.place.seat))


def _advance(session: Session, before: TurnInputs, after: TurnResult) -> None:
    status = CampaignState.OVER if after.standing.over else CampaignState.RUNNING
    version = before.ruleset.version
    # A hold was for the turn that has now been run; a GM who has it run ends their own pause, too.
    values = {"its_turn": before.turn.number + 1, "its_status": status, "its_version": version}
    flushed_connection(session).execute(_ADVANCE, {"campaign": before.snapshot.id, **values})


def _count_missed(session: Session, before: TurnInputs, after: TurnResult) -> None:
    ids = {
        place.seat: place.id for place in before.snapshot.places if place.manned and place.seat in before.turn.awaited
    }
    missed = [id_ for seat, id_ in ids.items() if seat in after.turn.missing]
    came = [id_ for seat, id_ in ids.items() if seat not in after.turn.missing]
    if missed:
        flushed_connection(session).execute(_MISSED, {"seats": missed})
    if came:
        flushed_connection(session).execute(_CAME, {"seats": came})


def _journal_text(before: TurnInputs, after: TurnResult, reason: str) -> str:
    parts = [f"turn {before.turn.number} run ({describe_reason(reason)})"]
    if after.turn.missing and not _hides_misses(before, after):
        parts.append(_missed_text(before, after))
    if after.standing.over:
        parts.append("game over: " + after.standing.reason)
    return "; ".join(parts)


def _hides_misses(before: TurnInputs, after: TurnResult) -> bool:
    """Return True if sheets were missed, and only the GM may know whose: it may be secret who was awaited at all."""
    return bool(after.turn.missing) and before.snapshot.policy.late_list != "players"


def _missed_text(before: TurnInputs, after: TurnResult) -> str:
    return f"turn {before.turn.number}: no sheet from " + ", ".join(sorted(after.turn.missing))


@dataclass(frozen=True, slots=True)
class RequestRun(GmCommand, PreviewedChange[TextResult]):
    """Run the open turn now. Without YES you are told first whose sheets are missing before the deadline."""

    usage = "RUN [sure [asked]]"
    weight = Confirmed("the time until the deadline, for those whose sheets are missing", "pbem rollback NAME TURN")
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def asks(self, context: Context, facts: TextResult) -> bool:
        """Return True if sheets are missing before the deadline."""
        return any(
            turn.missing and (turn.deadline is None or context.now < turn.deadline)
            for turn in load_open_turns(context.session, context.snapshot.name)
        )

    def look(self, context: Context) -> TextResult:
        """Return a sentence on the sheets that would be missing. Raises CampaignError if no turn is open."""
        require_running(context.snapshot)
        (turn,) = load_open_turns(context.session, context.snapshot.name)
        due = f" due {format_time(turn.deadline, turn.schedule.zone)}," if turn.deadline else ""
        sheets = f"without a sheet from {join_names(turn.missing)}" if turn.missing else "with all sheets"
        return TextResult(f"run turn {turn.turn},{due} now, {sheets}. Messages that wait are read first.")

    def do(self, context: Context) -> TextResult:
        """Save the request for the next tick, once for a turn. Raises CampaignError if no turn is open."""
        require_running(context.snapshot)
        request_run(context, BY_GM)
        return TextResult(
            f"turn {context.snapshot.turn} of {context.snapshot.name} is run as soon as all messages are read."
        )


def request_run(context: Context, reason: str) -> None:
    """Save the request of a run of the open turn for the next tick, once for a turn."""
    session, snapshot = context.session, context.snapshot
    # Not run here: sheets that came before this mail, or with it, are yet to be processed.
    if not is_requested(context, reason):
        # The code is mailed to no one, but the daily limit of codes reads `to` and `by` of every request.
        data = {"turn": snapshot.turn, "revision": snapshot.revision, "to": "", "by": "", "reason": reason}
        code, of = _run_code(snapshot, reason), snapshot.id
        session.add(PendingRequest(kind=RUN, code=code, campaign_id=of, data=data, created_at=context.now))
        enqueue_on_commit(session, QueuedJob(JobQueue.PROCESS, snapshot.name))


def is_requested(context: Context, reason: str = BY_GM) -> bool:
    """Return True if the run of the open turn is requested, by its GM or for another reason."""
    asked = select(PendingRequest.id).where(PendingRequest.code == _run_code(context.snapshot, reason))
    return context.session.scalar(asked) is not None


def drop_claim(context: Context) -> None:
    """Drop a claim of the open turn, which has another deadline now."""
    context.session.execute(delete(PendingRequest).where(PendingRequest.code == _run_code(context.snapshot, BY_CLAIM)))


def _run_code(snapshot: CampaignSnapshot, reason: str) -> str:
    return f"{RUN if reason == BY_GM else reason}-{snapshot.id}-{snapshot.turn}-{snapshot.revision}"
