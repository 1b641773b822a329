"""Reminders before a deadline to seats for which the turn waits, and after it to late ones."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from sqlalchemy import update

from pbem.actions.time_bank import cover
from pbem.app import App
from pbem.campaign.deadlines import (
    DueTurn,
    OpenTurnStatus,
    WaitingSheet,
    is_late,
    load_open_turns,
    needs_claim,
    needs_notice,
    turns_to_notify,
    waiting_sheets,
)
from pbem.campaign.house_rules import OFF
from pbem.campaign.notices import GM, describe_fault, gm_moment, post
from pbem.campaign.snapshot import (
    CampaignSnapshot,
    Context,
    LastReport,
    SeatView,
    load_campaign,
    load_last_reports,
    locked_campaign,
)
from pbem.errors import ConfigError, StoreError
from pbem.log import log_name
from pbem.report import small
from pbem.report.notices import Notice, Page, Reminder
from pbem.ruleset.order_types import Finding
from pbem.ruleset.values import SeatName, View
from pbem.store.models import Turn
from pbem.store.types import PageDelivery
from pbem.text import as_sentence, format_span
from pbem.util import isolated

_AWAY = 14
"""Days of the absence that a reminder offers to ask for."""

_MOST_OPEN = 5
"""Errors of a sheet that a reminder repeats."""


def send_reminders(app: App, turns: Iterable[OpenTurnStatus], now: dt.datetime) -> tuple[int, list[str]]:
    """Queue the reminders and late notices that are to go out now, each once to each seat.

    Returns:
        Their number, and a sentence for each campaign whose reminders could not be written.
    """
    count, problems = 0, []
    for turn in turns_to_notify(turns, now):
        with isolated() as faults:
            count += _remind_campaign(app, turn, now)
        for fault in faults:
            said = describe_fault(app, turn.campaign, fault)
            problems.append(f"campaign {turn.campaign}: no player could be reminded ({said})")
    return count, problems


def _remind_campaign(app: App, found: OpenTurnStatus, now: dt.datetime) -> int:
    with app.store.writing() as session:
        snapshot = locked_campaign(session, found.campaign)
        # Loaded again under the lock: another process may have sent them, or run the turn.
        turn = next((turn for turn in load_open_turns(session, snapshot.name) if turn.turn_id == found.turn_id), None)
        if turn is None or turn.deadline is None or not needs_notice(turn, now):
            return 0
        late, claim, context = is_late(turn, now), needs_claim(turn, now), Context(session, app, snapshot, now)
        # Time of one's own comes before the word of an opponent.
        if claim and cover(context, turn):
            return 0
        # In the transaction that queues the mails, so that a kill loses both or neither.
        session.execute(update(Turn).where(Turn.id == turn.turn_id).values(reminded_at=now))
        waiting = waiting_sheets(session, turn.turn_id)
        notices = _Notices(app, snapshot, turn, load_last_reports(session, snapshot), waiting, turn.missing)
        pages = list(notices.claim() if claim else notices.after() if late else notices.before())
        if late:
            _notify_gm(context, turn)
        elif claim and turn.claimant is not None:
            (late_seat,), of = turn.missing, turn.claimant
            told = small.opponent_decides(campaign=snapshot.name, turn=turn.turn, late=late_seat, opponent=of)
            post(context, GM, told, id_=gm_moment(snapshot, "claim", turn.deadline.isoformat()), topic="late")
        for place, page in pages:
            kind = "claim" if claim else "late" if late else "reminder"
            id_ = (kind, snapshot.name, place.seat, turn.turn, snapshot.revision, turn.deadline.isoformat())
            # One topic for both, so that a late notice supersedes a reminder that is still queued.
            post(context, place, page, id_=id_, under=notices.last[place.seat], kind="reminder", topic="reminder")
        return len(pages)


@dataclass(frozen=True, slots=True)
class _Notices:
    """Reminders and late notices of one turn."""

    app: App
    snapshot: CampaignSnapshot
    turn: OpenTurnStatus
    last: dict[SeatName, LastReport]
    waiting: Mapping[SeatName, WaitingSheet]
    missing: tuple[SeatName, ...]

    @property
    def late(self) -> tuple[SeatName, ...]:
        """The seats without a sheet, where the campaign tells all players."""
        return self.missing if self.turn.policy.late_list == "players" else ()

    def before(self) -> Iterator[tuple[SeatView, Page]]:
        """Yield a reminder to each seat for which the turn waits."""
        for place in self.snapshot.playing:
            if self.turn.is_held_by(place.seat):
                yield place, self._reminder(place)

    def after(self) -> Iterator[tuple[SeatView, Page]]:
        """Yield a late notice to each seat without a sheet; where the campaign tells them, a notice to the others."""
        missing = frozenset(self.missing)
        for place in self.snapshot.playing:
            if place.seat in missing:
                yield place, self._reminder(place, late=True)
            elif self.late and place.address:
                yield place, self._others(place)

    def claim(self) -> Iterator[tuple[SeatView, Page]]:
        """Yield a notice to each of two players, of whom one is late and the other may claim the turn."""
        assert self.turn.claimant is not None
        more = format_span(self.turn.policy.extension_time)
        for place in self.snapshot.playing:
            if place.seat == self.turn.claimant:
                yield place, small.claim_or_wait(label=self._label(place), late=self.missing[0], more=more)
            elif place.seat in self.missing:
                yield place, small.may_be_claimed(label=self._label(place), opponent=self.turn.claimant)

    def _label(self, place: SeatView) -> str:
        return str(self._view(place)["label"])

    def _reminder(self, place: SeatView, *, late: bool = False) -> Reminder:
        assert self.turn.deadline is not None
        sheet, policy = self.turn.sheets.get(place.seat), self.snapshot.policy
        found = None if late else self.waiting.get(place.seat)
        return Reminder(
            campaign=self.snapshot.name,
            seat=place.seat,
            label=self._label(place),
            deadline=self.turn.deadline,
            zone=self.snapshot.zone_for(place),
            header=self._header(place),
            address=self.app.settings.address,
            without=self._without(place),
            order_lines=self._order_lines(place),
            with_page=self.snapshot.pages_for(place) != PageDelivery.OFF,
            extendable=policy.extension_votes != OFF and not late,
            absent="" if late else self._absence(place, policy.absence),
            counted=sheet.version if sheet else None,
            correct=found.version if found and found.errors else None,
            refused=found.lines if found else 0,
            open=tuple(map(_describe_error, found.errors[:_MOST_OPEN])) if found else (),
            missing=self.late,
            closes=self.turn.closes if late else None,
        )

    def _others(self, place: SeatView) -> Notice:
        assert self.turn.closes is not None
        return small.waiting_for_others(
            label=self._label(place),
            closes=self.turn.closes,
            zone=self.snapshot.zone_for(place),
            late=self.late,
        )

    def _view(self, place: SeatView) -> View:
        view: View = json.loads(self.last[place.seat].view)
        return view

    def _without(self, place: SeatView) -> str:
        return self.app.game(self.snapshot.game).without_orders(self._view(place))

    def _absence(self, place: SeatView, most_days: int) -> str:
        """Return an example of the command that says that a player is away, "" if turns wait for no absence."""
        assert self.turn.deadline is not None
        first = self.turn.deadline.astimezone(ZoneInfo(self.snapshot.clock_of(place))).date()
        last = first + dt.timedelta(days=min(most_days, _AWAY) - 1)
        return f"ABSENT {first} TO {last}" if most_days else ""

    def _header(self, place: SeatView) -> str:
        return f"ORDERS {self.snapshot.name} {place.seat} {self.last[place.seat].code}"

    def _order_lines(self, place: SeatView) -> tuple[str, ...]:
        return tuple(self.app.game(self.snapshot.game).template(self._view(place)))


def _describe_error(error: Finding) -> str:
    hint = f"Perhaps: {error.corrected}" if error.corrected else as_sentence(error.hint)
    return f"{as_sentence(error.text)} {hint}".strip()


def _notify_gm(context: Context, turn: OpenTurnStatus) -> None:
    snapshot = context.snapshot
    assert turn.deadline is not None
    assert turn.closes is not None
    page = small.overdue_digest(
        campaign=snapshot.name,
        turn=turn.turn,
        deadline=turn.deadline,
        closes=turn.closes,
        zone=turn.schedule.zone,
        late=turn.missing,
        came=tuple(seat for seat in turn.awaited if seat in turn.sheets),
    )
    post(context, GM, page, id_=gm_moment(snapshot, "late", turn.deadline.isoformat()), topic="late")


def notify_turn_failure(app: App, turn: DueTurn, error: Exception, now: dt.datetime) -> str:
    """Queue the mail to the GM, unless they have had it; return the same in one sentence."""
    problem = describe_fault(app, turn.campaign, error)
    where = log_name(app.settings.log)
    said = f"campaign {turn.campaign}: turn {turn.turn} could not be run ({problem}); the traceback is in {where}"
    try:
        _mail(app, turn, problem, now)
    except StoreError:
        raise
    except ConfigError as fault:
        return f"{said}, nor could its GM be mailed ({fault})"
    return said


def _mail(app: App, turn: DueTurn, problem: str, now: dt.datetime) -> None:
    with app.store.writing() as session:
        snapshot = load_campaign(session, turn.campaign, lock=True)
        context = Context(session, app, snapshot, now)
        page = small.turn_failed(
            campaign=snapshot.name,
            label=f"turn {turn.turn}",
            problem=problem,
            log=log_name(app.settings.log),
            at=now,
            zone=snapshot.schedule.zone,
        )
        # The turn that failed, whichever is open now.
        id_ = ("problem", snapshot.name, turn.turn, snapshot.revision)
        post(context, GM, page, id_=id_, kind="problem", topic="problem", turn=turn.turn)
