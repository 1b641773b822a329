"""Rolls a campaign back to an earlier open turn, and undoes a rollback.

A turn that is open again keeps its reports and the sheets that had arrived. It
waits for its new deadline, whatever those sheets said: they were sent for a turn
whose results have been seen since.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.arguments import NUMBER, SURE, GmCommand, Numeral
from pbem.actions.base import Channel, PreviewedChange, Query, versions
from pbem.actions.seats import bring_back, remove_seat
from pbem.actions.weight import Confirmed
from pbem.actions.welcome import renew_codes
from pbem.actions.withdrawal import (
    ROLLBACK,
    SEED_KNOWN,
    UNDO,
    find_inconsistency,
    misses_in_a_row,
    move_reports,
    reinstate_turns,
    reopen_turn,
    replace_turns,
)
from pbem.app import App
from pbem.campaign.deadlines import least_time, new_deadline
from pbem.campaign.history import seats_removed_before
from pbem.campaign.notices import post
from pbem.campaign.order_sheets import copy_sheets
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    LastReport,
    SeatView,
    add_entry,
    counting_versions,
    current_turn,
    find_seat_view,
    is_current,
    load_campaign,
    load_last_reports,
)
from pbem.errors import CampaignError
from pbem.report.notices import RolledBack
from pbem.ruleset.values import SeatName
from pbem.store.models import Turn
from pbem.store.types import CampaignState, PageDelivery
from pbem.text import format_time, wrap


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackResult:
    """A campaign that stands, or would stand, at another turn: the open turn before and then, with its deadline.

    `sheets` are the versions that count there. `seed_known`: the game was over,
    so players can know the dice of all turns to come. `back` are removed seats
    that are in the game again, as when that turn opened; `out` those that are not any more.
    """

    campaign: str
    before: int
    turn: int
    deadline: dt.datetime | None
    zone: str
    sheets: Mapping[SeatName, int]
    seed_known: bool
    back: tuple[SeatName, ...] = ()
    out: tuple[SeatName, ...] = ()


_TURN = Numeral("turn", "a turn as your reports call it, or its number", "4", least=0)


@dataclass(frozen=True, slots=True)
class RollBack(GmCommand, PreviewedChange[RollbackResult]):
    """Go back to when a turn was open. Without YES you are told what that would do."""

    usage = "ROLLBACK turn [sure [asked]]"
    weight = Confirmed("the turns since", "pbem undo NAME")
    kind = "rollback"
    rewrites = True
    turn: Annotated[int, _TURN]
    sure: Annotated[str | None, SURE] = None
    asked: Annotated[str | None, NUMBER] = None

    def look(self, context: Context) -> RollbackResult:
        """Return the turn, deadline, sheets and seats as they would be.

        Raises:
            CampaignError: If there is no such turn to go back to.
        """
        session, snapshot, number = context.session, context.snapshot, self.turn
        if snapshot.status == CampaignState.FORMING:
            raise CampaignError(f"campaign {snapshot.name} has not begun: there is nothing to take back")
        if number == snapshot.turn:
            raise CampaignError(
                f"turn {number} of {snapshot.name} is the one that is open: there is nothing to take back"
            )
        if snapshot.first == snapshot.turn:
            raise CampaignError(f"{snapshot.name} has no earlier turn")
        if not snapshot.first <= number < snapshot.turn:
            raise CampaignError(
                f"{snapshot.name} has no turn {number} to go back to: it can be {snapshot.first} to {snapshot.turn - 1}"
            )
        deadline = new_deadline(session, snapshot, context.now)
        return _rolled_to(session, snapshot, current_turn(session, snapshot, number), deadline)

    def do(self, context: Context) -> RollbackResult:
        """Withdraw all turns from that one on, and open it again."""
        session, snapshot, now = context.session, context.snapshot, context.now
        plan = self.look(context)

        def reopen(gone: Sequence[Turn]) -> Sequence[Turn]:
            # What was ruled then did not know of the sheets that may come now.
            turn = reopen_turn(session, gone[0], opened_at=now, deadline=plan.deadline, ruling=None)
            move_reports(session, gone[0], turn)
            # The sheets count again, but wait for the deadline: their senders have seen the results (decision 7).
            copy_sheets(session, gone[0], turn, wait=True)
            return [turn]

        replace_turns(context, ROLLBACK, self.turn, reopen)
        if plan.seed_known:
            # The archive of a finished game holds all codes, and its players may have it, or the site may show it.
            for place in snapshot.playing:
                renew_codes(context, place)
        said = f"rolled back from turn {snapshot.turn} to turn {self.turn}"
        if plan.seed_known:
            said += "; the seed of the dice had been told"
        act = add_entry(session, snapshot.id, now, actor="gm", text=said)
        _tell_rolled(_seat_again(context, plan), plan, act=act, back=True)
        return plan

    def render(self, facts: RollbackResult, channel: Channel) -> Iterator[str]:
        if channel.done:
            yield channel.fact(f"turn {facts.turn} is open (it was turn {facts.before}).")
        else:
            yield channel.fact(f"reopen turn {facts.turn} (turn {facts.before} is open now).")
        if facts.deadline is not None:
            yield f"It is due {format_time(facts.deadline, facts.zone)}."
        yield f"Sheets that count: {versions(facts.sheets)}."
        verb = "is" if channel.done else "would be"
        yield from (f"Seat {seat} {verb} in the game again, as it was then." for seat in facts.back)
        yield from (f"Seat {seat} {verb} removed again." for seat in facts.out)
        if facts.seed_known:
            yield wrap(SEED_KNOWN)
        yield channel.undone or f"Players are notified. Undo: {channel.either(f'pbem undo {facts.campaign}', 'UNDO')}"


@dataclass(frozen=True, slots=True)
class TurnsRun:
    """The turns of a campaign that were run, with their times, oldest first; `open` is the open one."""

    campaign: str
    open: int
    zone: str
    turns: tuple[tuple[int, dt.datetime], ...]


@dataclass(frozen=True, slots=True)
class ShowTurns(GmCommand, Query[TurnsRun]):
    """See to which turns the campaign can go back."""

    usage = "ROLLBACK"

    def look(self, context: Context) -> TurnsRun:
        snapshot = context.snapshot
        run = select(Turn.number, Turn.resolved_at).where(
            is_current(snapshot.id), Turn.resolved_at.is_not(None), Turn.number >= snapshot.first
        )
        rows = context.session.execute(run.order_by(Turn.number))
        return TurnsRun(
            snapshot.name,
            snapshot.turn,
            snapshot.schedule.zone,
            tuple((row.number, row.resolved_at) for row in rows if row.resolved_at),
        )

    def render(self, facts: TurnsRun, channel: Channel) -> Iterator[str]:
        if not facts.turns:
            yield f"{facts.campaign} has no earlier turn."
            return
        last = facts.turns[-1][0]
        back = channel.either(f"pbem rollback {facts.campaign} {last}", f"ROLLBACK {last}")
        yield f"Turn {facts.open} of {facts.campaign} is the newest. To reopen the last one: {back}"
        for number, at in facts.turns:
            yield f"  turn {number}, run {format_time(at, facts.zone)}"


def undo_rollback(context: Context, withdrawal_id: int) -> None:
    """Reinstate the turns that a rollback withdrew, as long as the turn that it opened is open.

    Raises:
        CampaignError: If they are not consistent.
    """
    session, snapshot = context.session, context.snapshot

    def reinstate(gone: Sequence[Turn]) -> Sequence[Turn]:
        # Exactly one is gone: a rollback whose turn was run since is not undone.
        restored = reinstate_turns(session, withdrawal_id, instead=gone[0])
        # Checked now that there is a chain to check; the error rolls the transaction back.
        if broken := find_inconsistency(session, replace(snapshot, turn=restored[-1].number)):
            raise CampaignError(f"the rollback of {snapshot.name} cannot be undone, since {broken} then")
        _leave_time(session, snapshot, restored[-1], context.now)
        return restored

    last = replace_turns(context, UNDO, snapshot.turn, reinstate)[-1]
    said = f"the rollback to turn {snapshot.turn} is undone: turn {last.number} is the last again"
    act = add_entry(session, snapshot.id, context.now, actor="gm", text=said)
    plan = _rolled_to(session, snapshot, last, last.deadline)
    _tell_rolled(_seat_again(context, plan), plan, act=act, back=False, over=not last.awaited)


def _leave_time(session: Session, snapshot: CampaignSnapshot, turn: Turn, now: dt.datetime) -> None:
    """Give a reinstated turn another deadline if its own leaves players less than the least time."""
    earliest = now + least_time(snapshot.schedule, snapshot.policy)
    if turn.deadline is None or turn.deadline >= earliest:
        return
    # After weeks it has passed, and the next tick would run the turn before anyone could write.
    turn.deadline = earliest if turn.deadline > now else new_deadline(session, snapshot, now)
    turn.reminded_at = None


def _rolled_to(
    session: Session, snapshot: CampaignSnapshot, turn: Turn, deadline: dt.datetime | None
) -> RollbackResult:
    back, out = _seats_to_change(session, snapshot, turn.number)
    return RollbackResult(
        campaign=snapshot.name,
        before=snapshot.turn,
        turn=turn.number,
        deadline=deadline,
        zone=snapshot.schedule.zone,
        sheets=counting_versions(session, snapshot, turn),
        seed_known=snapshot.status == CampaignState.OVER,
        back=back,
        out=out,
    )


def _seats_to_change(
    session: Session, snapshot: CampaignSnapshot, number: int
) -> tuple[tuple[SeatName, ...], tuple[SeatName, ...]]:
    """Return the removed seats that were in the game when a turn opened, and those in the game that were not.

    A seat that the house rules had removed by then, for missed sheets, stays removed.
    """
    told = seats_removed_before(session, snapshot.id, number)
    # A seat that the house rules removed when the turn opened is in no record before it: missed sheets have to tell.
    missed, most = misses_in_a_row(session, snapshot, number), snapshot.policy.remove_after_missed
    gone = {seat for seat in snapshot.seats if seat in told or (most and missed.get(seat, 0) >= most)}
    return (
        tuple(place.seat for place in snapshot.places if not place.playing and place.seat not in gone),
        tuple(place.seat for place in snapshot.playing if place.seat in told),
    )


def _seat_again(context: Context, rolled: RollbackResult) -> Context:
    """Bring back or remove seats as they were at the turn to which a campaign was rolled.

    Returns:
        The context with the changed snapshot.
    """
    then = _reload(context)
    for seat in rolled.back:
        bring_back(then, find_seat_view(then.snapshot, seat), f"turn {rolled.turn} is open again, as it was then")
    for seat in rolled.out:
        remove_seat(then, find_seat_view(then.snapshot, seat), "the rollback was undone", actor="gm")
    return _reload(context)


def _reload(context: Context) -> Context:
    return replace(context, snapshot=load_campaign(context.session, context.snapshot.name))


def _tell_rolled(context: Context, rolled: RollbackResult, *, act: int, back: bool, over: bool = False) -> None:
    """Mail every player the turn, deadline and sheet that count now; a reply is taken as orders for it."""
    session, app, snapshot = context.session, context.app, context.snapshot
    last = load_last_reports(session, snapshot)
    for place in snapshot.playing:
        if place.address and place.seat in last:
            under = last[place.seat]
            page = _build_page(app, snapshot, rolled, place, under, back=back, over=over)
            # Of several such mails in the outbox the last alone is true; whatever turn it was, so 0.
            post(context, place, page, id_=("act", act, place.seat), under=under, topic="rolled", turn=0)


def _build_page(
    app: App,
    snapshot: CampaignSnapshot,
    rolled: RollbackResult,
    place: SeatView,
    last: LastReport,
    *,
    back: bool,
    over: bool,
) -> RolledBack:
    view = json.loads(last.view)
    return RolledBack(
        campaign=snapshot.name,
        seat=place.seat,
        back=back,
        label=view["label"],
        deadline=rolled.deadline,
        zone=snapshot.zone_for(place),
        # An older report says who was awaited in its own turn, not in this one.
        awaited=view["awaited"] and last.number == rolled.turn,
        over=over,
        sheet=rolled.sheets.get(place.seat),
        header=f"ORDERS {snapshot.name} {place.seat} {last.code}",
        address=app.settings.address,
        order_lines=tuple(app.game(snapshot.game).template(view)),
        with_page=snapshot.pages_for(place) != PageDelivery.OFF,
    )
