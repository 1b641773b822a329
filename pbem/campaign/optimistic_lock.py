"""Optimistic locking: the rows an action was computed from, compared again before commit.

Every change of a campaign, such as the run of a turn or an action of its GM, is
made under the campaign's lock. Long computations are done before, from one
snapshot of the database, and committed only if the read set is unchanged; else
they are repeated. So any two actions come out as if one had been done after the
other.

The read set is the same for all actions: the campaign and its seats, the last two
turns of its history, their sheets, the codes of the reports that opened the last,
absences, rolls, the newest press, and before the start the dice words. Earlier
rows are covered by these: a turn that was run changes only with a new revision,
and the rows of states, sheets and reports are written once.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.deadlines import AbsencePeriod, load_absences
from pbem.campaign.history import load_dice_words
from pbem.campaign.press import PressVersion, muted_seats, press_version
from pbem.campaign.snapshot import CampaignSnapshot, Context, is_current, load_campaign, require_here
from pbem.errors import CampaignError
from pbem.report.facts import DiceWord
from pbem.ruleset.values import Json, SeatName
from pbem.store.models import OrderSheet, Report, StoredRoll, Turn
from pbem.store.session import flushed_connection
from pbem.store.types import CampaignState

ATTEMPTS = 3
"""Plans of an action without the lock; the next one is made under the lock, while others wait."""

Plan = TypeVar("Plan")
Done = TypeVar("Done")


class Conflict(CampaignError):
    """Raised when the turn that an action was meant for is gone: another one is open, or the past was changed."""

    def __init__(self, snapshot: CampaignSnapshot) -> None:
        super().__init__(
            f"campaign {snapshot.name} has changed at this very moment, and is at turn {snapshot.turn} now: "
            "nothing was done; look at it, and try again"
        )
        self.campaign = snapshot.name


@dataclass(frozen=True, slots=True)
class _TurnRow:
    """The columns of a turn that can still change.

    With them the numbers of its rolls, of its sheets, and of those that are accepted: none of these rows is ever
    deleted, and only by `accepted` does a sheet that is there change what the turn is computed from.
    """

    id: int
    number: int
    resolved_at: dt.datetime | None
    deadline: dt.datetime | None
    ruling: Json
    rolls: int
    sheets: int
    accepted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSet:
    """The rows that an action was planned from."""

    snapshot: CampaignSnapshot
    turns: tuple[_TurnRow, ...]
    codes: tuple[str, ...]
    absences: tuple[AbsencePeriod, ...]
    words: PressVersion
    muted: Mapping[int, frozenset[SeatName]]
    dice: tuple[DiceWord, ...]


_ROLLS = select(func.count()).where(StoredRoll.campaign_id == Turn.campaign_id, StoredRoll.turn == Turn.number)
_SHEETS = select(func.count()).where(OrderSheet.turn_id == Turn.id)
_COUNTS = [rows.correlate(Turn).scalar_subquery() for rows in (_ROLLS, _SHEETS, _SHEETS.where(OrderSheet.accepted))]
_TURNS = (
    select(Turn.id, Turn.number, Turn.resolved_at, Turn.deadline, Turn.ruling, *_COUNTS)
    .where(is_current(bindparam("campaign")), Turn.number >= bindparam("first"))
    .order_by(Turn.number)
)
# Built once: building these statements takes longer than executing them.
_CODES = select(Report.code).where(Report.turn_id == bindparam("turn")).order_by(Report.id)


def load_read_set(session: Session, snapshot: CampaignSnapshot) -> ReadSet:
    """Return the read set of a campaign as it is now."""
    database = flushed_connection(session)
    last_two = database.execute(_TURNS, {"campaign": snapshot.id, "first": snapshot.turn - 1})
    turns = tuple(_TurnRow(*row) for row in last_two)
    return ReadSet(
        snapshot=snapshot,
        turns=turns,
        codes=tuple(database.execute(_CODES, {"turn": turns[-1].id}).scalars()) if turns else (),
        absences=load_absences(session, snapshot),
        words=press_version(session, snapshot.id),
        muted=muted_seats(session, snapshot),
        dice=load_dice_words(session, snapshot) if snapshot.status == CampaignState.FORMING else (),
    )


def fingerprint(read_set: ReadSet) -> str:
    """Return a hash of a read set, which another process can compare with that of a later one."""
    return hashlib.sha256(repr(_in_order(read_set)).encode()).hexdigest()


def _in_order(value: Any) -> Any:
    """Return a value as tuples and plain values, its sets and mappings in order."""
    if is_dataclass(value):
        return type(value).__name__, *(_in_order(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return tuple((key, _in_order(value[key])) for key in sorted(value))
    if isinstance(value, AbstractSet):
        return tuple(sorted(value))
    if isinstance(value, list | tuple):
        return tuple(map(_in_order, value))
    return value


def run_optimistic(
    app: App,
    name: str,
    now: dt.datetime,
    plan: Callable[[Context], Plan],
    keep: Callable[[Context, Plan], Done],
    *,
    moved: bool = False,
) -> Done:
    """Plan an action from one snapshot, and commit it under the campaign's lock if the read set is unchanged.

    Otherwise plan it again, after `ATTEMPTS` times under the lock.

    Args:
        app: The application.
        name: The name of the campaign.
        now: The time of the action.
        plan: Computes the action from a context, without changing anything. May be called several times.
        keep: Commits the plan. Called with the campaign locked.
        moved: The campaign may be played in another home.

    Returns:
        The result of `keep`.

    Raises:
        Conflict: Another turn is open than at first, or the past was changed: the action was not meant for that.
    """
    meant = None
    for _ in range(ATTEMPTS):
        with app.store.reading() as session:
            snapshot = load_campaign(session, name)
            # Planning again is for the turn of the first plan: a GM who wanted to run turn 4 must not run turn 5 by it.
            meant = _require_same_turn(snapshot, meant)
            if not moved:
                require_here(snapshot)
            read_set, planned = load_read_set(session, snapshot), plan(Context(session, app, snapshot, now))
        with app.store.writing() as session:
            snapshot = load_campaign(session, name, lock=True)
            # Compared by value, not by a counter: a writer that forgets to advance one would not be noticed.
            if load_read_set(session, snapshot) == read_set:
                return keep(Context(session, app, snapshot, now), planned)
    with app.store.writing() as session:
        snapshot = load_campaign(session, name, lock=True)
        _require_same_turn(snapshot, meant)
        context = Context(session, app, snapshot, now)
        return keep(context, plan(context))


def _require_same_turn(snapshot: CampaignSnapshot, before: tuple[int, int] | None) -> tuple[int, int]:
    """Return the open turn and the revision. Raise Conflict if they are not those of `before`."""
    now = (snapshot.turn, snapshot.era)
    if before not in (None, now):
        raise Conflict(snapshot)
    return now
