"""Optimistic locking: the rows an action was computed from, compared again before commit.

Every change of a campaign, such as the run of a turn or an action of its GM, is
made under the campaign's lock. Long computations are done before, from one
snapshot of the database, and committed only if the read set is unchanged; else
they are repeated. So any two actions come out as if one had been done after the
other.

The read set is the same for all actions: the columns that the models declare as
planned from (`pbem.store.columns`), in the campaign's rows of no turn and in those of
its last two turns. Earlier rows are covered by these: a turn that was run changes only
with a new revision, and the rows of states, sheets and reports are written once.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    Executable,
    Integer,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    literal,
    null,
    select,
    text,
    union_all,
)
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.snapshot import CampaignSnapshot, Context, load_campaign, require_here
from pbem.errors import Conflict
from pbem.store.columns import facts_of, of_campaigns, since_turn
from pbem.store.models import Base
from pbem.store.session import flushed_connection

ATTEMPTS = 3
"""Plans of an action without the lock; the next one is made under the lock, while others wait."""

Plan = TypeVar("Plan")
Done = TypeVar("Done")


ReadSet = str
"""A hash of the rows that an action was planned from, which another process can compare with that of a later one."""


@cache
def _planned_rows() -> Executable:
    """Return the query of all planned columns of a campaign, in rows of no turn or since the turn `first`.

    Each row has the name of its table, its id, and the columns as texts.
    """
    first, ids = bindparam("first", type_=Integer), [bindparam("campaign", type_=Integer)]
    planned = {
        table: columns
        for table in Base.metadata.sorted_tables
        if (columns := [each for each in table.columns if facts_of(each).planned])
    }
    most = max(map(len, planned.values()))

    def query(table: Table, columns: Sequence[Column[Any]]) -> Select[Any]:
        rows = of_campaigns(table, ids, lambda each: since_turn(each, first))
        texts = [cast(each, Text) for each in columns] + [cast(null(), Text)] * (most - len(columns))
        return select(*[literal(table.name), *table.primary_key, *texts]).where(rows)

    # Built once: building it takes longer than executing it. And one for all tables, each of which takes its time.
    return union_all(*(query(*each) for each in planned.items())).order_by(text("1"), text("2"))


def load_read_set(session: Session, snapshot: CampaignSnapshot) -> ReadSet:
    database, read = flushed_connection(session), hashlib.sha256()
    for row in database.execute(_planned_rows(), {"campaign": snapshot.id, "first": snapshot.turn - 1}):
        read.update(repr(tuple(row)).encode())
    return read.hexdigest()


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
    now = (snapshot.turn, snapshot.revision)
    if before not in (None, now):
        raise Conflict(snapshot.name, snapshot.turn)
    return now
