"""Rows that an action of the GM changed: recorded as data, compared with what is there now, and restored.

The rows of the tables that an action declares are read before it and after it, in
its transaction, and the difference goes into its journal entry. So no action has
to say what it changed, however it wrote it. `TABLES` lists all that is ever
compared or restored; nothing else can be written here, whatever the data says: it
may have come with the database of a stranger (decision 37).

A value is stored as its column takes it, with times as text. A ruling may be long,
and is restored by other means: its digest alone is compared.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, delete, insert, select, update
from sqlalchemy.orm import Session

from pbem.campaign.column_checks import CHECKS, LARGEST_ID, read_value
from pbem.campaign.value_checks import Unfit
from pbem.campaign.waiting_sheets import WITHDRAWN
from pbem.ruleset.serialization import canonical_json, json_sha256
from pbem.ruleset.values import Json
from pbem.store.models import Base, Seat, Turn
from pbem.store.session import flushed_connection
from pbem.store.types import CanonicalJson, RequestKind

Rows = Mapping[tuple[str, int], Mapping[str, Any]]
"""Rows by table and id, with the values of their columns as they are stored in the journal."""

MOST_ROWS = 20_000
"""The most rows in one entry; a campaign has at most some thousand seats and sheets."""


@dataclass(frozen=True, slots=True)
class _TableRule:
    """The columns of a table that are recorded, and the rows of a campaign, given its id, of which they are.

    Of columns in `mild`, a later change is left as it is. Those in `digests` are only
    compared. If actions may add rows (`adds`), undoing removes them, or sets the values
    of `withdrawn`; rows that actions removed (`removes`) are added again. `links` are
    the columns that refer to other rows, which must be of the campaign.
    """

    columns: tuple[str, ...]
    rows: Callable[[Table, int], ColumnElement[bool]]
    mild: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    adds: bool = False
    removes: bool = False
    withdrawn: Mapping[str, Any] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)


def _of_campaign(table: Table, campaign_id: int) -> ColumnElement[bool]:
    return table.c.campaign_id == campaign_id


def _of_seats(table: Table, campaign_id: int) -> ColumnElement[bool]:
    return table.c.seat_id.in_(select(Seat.id).where(Seat.campaign_id == campaign_id))


def _open_turns(table: Table, campaign_id: int) -> ColumnElement[bool]:
    return and_(table.c.campaign_id == campaign_id, table.c.shelf_id.is_(None), table.c.resolved_at.is_(None))


def _of_open_turns(table: Table, campaign_id: int) -> ColumnElement[bool]:
    open_ = Turn.shelf_id.is_(None) & Turn.resolved_at.is_(None)
    return table.c.turn_id.in_(select(Turn.id).where(Turn.campaign_id == campaign_id, open_))


def _copies(table: Table, campaign_id: int) -> ColumnElement[bool]:
    reports = Base.metadata.tables["report"]
    return table.c.report_id.in_(select(reports.c.id).where(_of_seats(reports, campaign_id)))


def _invitations(table: Table, campaign_id: int) -> ColumnElement[bool]:
    return and_(table.c.campaign_id == campaign_id, table.c.kind == RequestKind.INVITE, table.c.done_at.is_(None))


_PERIOD = ("seat_id", "person_id", "since", "until")

TABLES: Mapping[str, _TableRule] = {
    "campaign": _TableRule(("schedule", "policy", "hold_kind", "hold_reason"), lambda table, id_: table.c.id == id_),
    "seat": _TableRule(
        (
            *("person_id", "token_hash", "status", "paused", "muted", "dice_word", "dice_code"),
            *("nmr_in_a_row", "nmr_total", "since"),
        ),
        _of_campaign,
    ),
    "applicant": _TableRule(("status",), _of_campaign),
    "deputy": _TableRule(_PERIOD, _of_seats, removes=True, links={"seat_id": "seat"}),
    "absence": _TableRule(("seat_id", "since", "until"), _of_seats, removes=True, links={"seat_id": "seat"}),
    "report": _TableRule(("code", "message_id"), _of_seats),
    "report_copy": _TableRule(
        ("report_id", "deputy_id", "code", "message_id"),
        _copies,
        removes=True,
        links={"report_id": "report", "deputy_id": "deputy"},
    ),
    "turn": _TableRule(("deadline", "reminded_at", "ruling"), _open_turns, mild=("reminded_at",), digests=("ruling",)),
    # A sheet stays with its number, which is in the Message-ID of its receipt.
    "sheet": _TableRule(("accepted",), _of_open_turns, adds=True, withdrawn=WITHDRAWN),
    "request": _TableRule(("code",), _invitations, adds=True),
    "gm_text": _TableRule(
        ("campaign_id", "turn", "seat_id", "text", "at"),
        _of_campaign,
        adds=True,
        removes=True,
        links={"campaign_id": "campaign", "seat_id": "seat"},
    ),
}
"""The tables that can be restored, those to which others refer first."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row before and after an action, as far as they differ; None where it was not there."""

    table: str
    id: int
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def load_rows(session: Session, campaign_id: int, tables: Sequence[str]) -> Rows:
    """Return the rows of these tables that belong to a campaign, as they are stored in the journal."""
    database = flushed_connection(session)
    found: dict[tuple[str, int], Mapping[str, Any]] = {}
    for name in tables:
        table, rule = Base.metadata.tables[name], TABLES[name]
        columns = [table.c[column] for column in rule.columns]
        for row in database.execute(select(table.c.id, *columns).where(rule.rows(table, campaign_id))):
            values = zip(rule.columns, row[1:], strict=True)
            found[name, row.id] = {column: _stored(name, column, value) for column, value in values}
    return found


def _stored(table: str, column: str, value: Any) -> Any:
    if value is None:
        return None
    if column in TABLES[table].digests:
        return json_sha256(value)
    if isinstance(Base.metadata.tables[table].c[column].type, CanonicalJson):
        return canonical_json(value).decode()
    return str(value.astimezone(dt.UTC)) if isinstance(value, dt.datetime) else value


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
    return [{"table": each.table, "id": each.id, "before": each.before, "after": each.after} for each in changes]


def read_changes(data: Json, tables: Sequence[str]) -> tuple[RowChange, ...]:
    """Return the changes that a journal entry keeps, if all are of these tables.

    Raises:
        Unfit: If the data is not as `write_changes` makes it, or has a value that its column may not hold.
    """
    if not isinstance(data, list) or len(data) > MOST_ROWS:
        raise Unfit("a list of changed rows is expected")
    return tuple(_read_change(each, tables) for each in data)


def _read_change(data: Any, tables: Sequence[str]) -> RowChange:
    if not isinstance(data, dict) or set(data) != {"table", "id", "before", "after"} or data["table"] not in tables:
        raise Unfit("a changed row is expected, of a table that the action changes")
    table, id_, old, new = data["table"], data["id"], data["before"], data["after"]
    if type(id_) is not int or not 0 < id_ <= LARGEST_ID:
        raise Unfit("the id of a row is expected")
    for values in (old, new):
        if values is not None:
            _check_values(table, values)
    rule = TABLES[table]
    if old is None or new is None:
        whole, may_be = (new, rule.adds) if old is None else (old, rule.removes)
        if not may_be or whole is None or set(whole) != set(rule.columns):
            raise Unfit("a whole row is expected, of a table in which actions add or remove rows")
    elif set(old) != set(new) or not old:
        raise Unfit("a row is expected with the same columns before and after")
    return RowChange(table, id_, old, new)


def _check_values(table: str, values: Any) -> None:
    rule = TABLES[table]
    if not isinstance(values, dict) or not set(values) <= set(rule.columns):
        raise Unfit("the columns of a row are expected that an action changes")
    for column, value in values.items():
        if column in rule.digests:
            if value is not None and not isinstance(value, str):
                raise Unfit("a digest is expected")
        else:
            _read(table, column, value)


def _read(table: str, column: str, value: Any) -> Any:
    """Return a value for its column. Raises Unfit unless the column may hold it."""
    found = read_value(Base.metadata.tables[table].c[column], value)
    if found is not None:
        CHECKS[table][column](found)
    return found


def find_conflicts(changes: Sequence[RowChange], now: Rows) -> Iterator[RowChange]:
    """Yield the changes whose rows are no longer as the action left them."""
    for each in changes:
        row, mild = now.get((each.table, each.id)), TABLES[each.table].mild
        if each.after is None:
            same = row is None
        else:
            same = row is not None and all(
                row[column] == value for column, value in each.after.items() if column not in mild
            )
        if not same:
            yield each


def restore_rows(session: Session, campaign_id: int, changes: Sequence[RowChange]) -> None:
    """Set rows back to what they were before; call it with the campaign locked, and without conflicts.

    Raises:
        Unfit: If a row refers to rows of another campaign. Nothing may be committed then.
    """
    now, order = load_rows(session, campaign_id, list(TABLES)), list(TABLES)
    changes = sorted(changes, key=lambda each: order.index(each.table))
    for each in reversed(changes):
        if each.before is None:
            _remove(session, each)
    known = {*now, *((each.table, each.id) for each in changes if each.after is None)}
    for each in changes:
        if each.before is not None:
            _check_links(TABLES[each.table], each.before, known)
            _put_back(session, each, now)
    # What the session has loaded is not what is there now.
    session.expire_all()


def _remove(session: Session, change: RowChange) -> None:
    table, rule = Base.metadata.tables[change.table], TABLES[change.table]
    this = table.c.id == change.id
    session.execute(update(table).where(this).values(rule.withdrawn) if rule.withdrawn else delete(table).where(this))


def _check_links(rule: _TableRule, values: Mapping[str, Any], known: Collection[tuple[str, int]]) -> None:
    for column, kind in rule.links.items():
        if values[column] is not None and (kind, values[column]) not in known:
            raise Unfit(f"a {kind} of the campaign is expected in {column}")


def _put_back(session: Session, change: RowChange, now: Rows) -> None:
    table, rule = Base.metadata.tables[change.table], TABLES[change.table]
    assert change.before is not None
    values = {
        column: _read(table.name, column, value)
        for column, value in change.before.items()
        if column not in rule.digests and not (column in rule.mild and _has_changed(change, column, now))
    }
    if change.after is None:
        session.execute(insert(table).values(id=change.id, **values))
    elif values:
        session.execute(update(table).where(table.c.id == change.id).values(values))


def _has_changed(change: RowChange, column: str, now: Rows) -> bool:
    return change.after is not None and now[change.table, change.id][column] != change.after[column]
