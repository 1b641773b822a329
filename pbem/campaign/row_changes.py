"""Rows that an action of the GM changed: recorded as data, compared with what is there now, and restored.

The rows of the tables that an action declares are read before it and after it, in
its transaction, and the difference goes into its journal entry. So no action has
to say what it changed, however it wrote it. The facts of tables and columns
(`pbem.store.columns`) say what is compared and restored; nothing else is written here.

A value is stored as its column takes it, with times as text.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from sqlalchemy import Column, ColumnElement, Table, and_, delete, insert, select, update
from sqlalchemy.orm import Session

from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Json
from pbem.store.columns import Undo, Undoing, facts_of, of_campaigns, table_facts, target_of
from pbem.store.models import Base
from pbem.store.session import flushed_connection
from pbem.store.types import CanonicalJson, UtcDateTime

Rows = Mapping[tuple[str, int], Mapping[str, Any]]
"""Rows by table and id, with the values of their columns as they are stored in the journal."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row before and after an action, as far as they differ; None where it was not there."""

    table: str
    id: int
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def _undoing(table: Table) -> Undoing:
    undoing = table_facts(table).undo
    assert undoing is not None
    return undoing


@cache
def recorded_columns(name: str) -> Mapping[str, Column[Any]]:
    """Return the columns of a table that undoing can change, by name: all, where it adds rows again."""
    table = Base.metadata.tables[name]
    whole = _undoing(table).removes
    return {each.name: each for each in table.columns if (whole and not each.primary_key) or facts_of(each).undo}


def _undoable_rows(table: Table, campaign_id: int) -> ColumnElement[bool]:
    undoing = _undoing(table)
    wanted = [table.c[name] == value for name, value in undoing.where.items()]
    if not undoing.parent:
        return and_(of_campaigns(table, [campaign_id]), *wanted)
    key = table.c[undoing.parent]
    parent = target_of(key)
    assert parent is not None
    return and_(key.in_(select(parent.c.id).where(_undoable_rows(parent, campaign_id))), *wanted)


def load_rows(session: Session, campaign_id: int, tables: Sequence[str]) -> Rows:
    """Return the rows of these tables that belong to a campaign, as they are stored in the journal."""
    database = flushed_connection(session)
    found: dict[tuple[str, int], Mapping[str, Any]] = {}
    for name in tables:
        table, columns = Base.metadata.tables[name], recorded_columns(name)
        query = select(table.c.id, *columns.values()).where(_undoable_rows(table, campaign_id))
        for row in database.execute(query):
            found[name, row.id] = {
                column: _stored(of, value) for (column, of), value in zip(columns.items(), row[1:], strict=True)
            }
    return found


def _stored(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, CanonicalJson):
        return canonical_json(value).decode()
    return str(value.astimezone(dt.UTC)) if isinstance(value, dt.datetime) else value


def _read(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, CanonicalJson):
        return json.loads(value)
    return dt.datetime.fromisoformat(value) if isinstance(column.type, UtcDateTime) else value


def changed_rows(before: Rows, after: Rows) -> list[RowChange]:
    """Return the rows that differ, of rows that were changed the columns that differ."""
    found = []
    for table, id_ in sorted({*before, *after}):
        old, new = before.get((table, id_)), after.get((table, id_))
        if old is not None and new is not None:
            differs = [column for column in old if old[column] != new[column]]
            old, new = ({column: row[column] for column in differs} for row in (old, new))
        if old != new:
            found.append(RowChange(table, id_, old, new))
    return found


def write_changes(changes: Sequence[RowChange]) -> Json:
    """Return changes as the journal keeps them."""
    return [asdict(each) for each in changes]


def read_changes(data: Json) -> tuple[RowChange, ...]:
    """Return the changes that a journal entry keeps. Raises ValueError, KeyError or TypeError for anything else."""
    changes = tuple(RowChange(**each) for each in data)
    for each in changes:
        columns = recorded_columns(each.table)
        for values in (each.before, each.after):
            for column, value in (values or {}).items():
                _read(columns[column], value)
    return changes


def find_conflicts(changes: Sequence[RowChange], now: Rows) -> Iterator[RowChange]:
    """Yield the changes whose rows are no longer as the action left them."""
    for each in changes:
        row = now.get((each.table, each.id))
        if each.after is None:
            same = row is None
        else:
            same = row is not None and all(
                row[column] == value or _is_mild(each.table, column) for column, value in each.after.items()
            )
        if not same:
            yield each


def _is_mild(table: str, column: str) -> bool:
    return facts_of(recorded_columns(table)[column]).undo is Undo.MILD


def restore_rows(session: Session, campaign_id: int, changes: Sequence[RowChange]) -> None:
    """Set rows back to what they were before; call it with the campaign locked, and without conflicts."""
    order = [table.name for table in Base.metadata.sorted_tables]
    changes = sorted(changes, key=lambda each: order.index(each.table))
    now = load_rows(session, campaign_id, sorted({each.table for each in changes}))
    for each in reversed(changes):
        if each.before is None:
            _remove(session, each)
    for each in changes:
        if each.before is not None:
            _put_back(session, each, now)
    # What the session has loaded is not what is there now.
    session.expire_all()


def _remove(session: Session, change: RowChange) -> None:
    table = Base.metadata.tables[change.table]
    this, withdrawn = table.c.id == change.id, _undoing(table).withdrawn
    session.execute(update(table).where(this).values(withdrawn) if withdrawn else delete(table).where(this))


def _put_back(session: Session, change: RowChange, now: Rows) -> None:
    table, columns = Base.metadata.tables[change.table], recorded_columns(change.table)
    assert change.before is not None
    values = {
        name: _read(columns[name], value)
        for name, value in change.before.items()
        if not (_is_mild(change.table, name) and _has_changed(change, name, now))
    }
    if change.after is None:
        session.execute(insert(table).values(id=change.id, **values))
    elif values:
        session.execute(update(table).where(table.c.id == change.id).values(values))


def _has_changed(change: RowChange, column: str, now: Rows) -> bool:
    return change.after is not None and now[change.table, change.id][column] != change.after[column]
