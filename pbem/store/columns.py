"""Facts of tables and columns, declared at the models, and what follows from them.

What becomes of a row when a campaign is exported, forked or undone, and whether turns
are computed from it, is said where its table is declared, and nowhere else. To which
campaign a row belongs follows from the foreign keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from functools import cache
from typing import Any

from sqlalchemy import Column, ColumnElement, MetaData, Select, Table, and_, false, or_, select, true
from sqlalchemy.orm import MappedColumn, mapped_column


class Leaves(IntEnum):
    """The copies into which the rows of a table go; those of each member go into those of the members before too.

    Rows of running processes are in no copy; those of a home are in its backups; those
    of a campaign are exported with it; and those of its history are in a fork too.
    """

    RUNNING = 0
    HOME = 1
    CAMPAIGN = 2
    HISTORY = 3


class Form(Enum):
    """The kind of the values of a column, beyond its type: checked in a campaign that comes from another home.

    Each has its check in `pbem.backup.lines`, but for MADE_ANEW: an import makes such a value of the archive, or
    of a key of this home, and no export has it. Keys, counts and plain texts need none.
    """

    MADE_ANEW = auto()
    ADDRESS = auto()
    ADDRESS_OR_NONE = auto()
    PERSON_NAME_OR_NONE = auto()
    CAMPAIGN_NAME = auto()
    SCHEDULE = auto()
    ZONE_OR_NONE = auto()
    HOUSE_RULES = auto()
    SECRET = auto()
    DICE = auto()
    DICE_WORD = auto()
    SEAT = auto()
    SEATS = auto()
    ORDERS = auto()
    FINDINGS = auto()
    MESSAGE_ID = auto()


class Undo(Enum):
    """The way in which undoing an action treats a column that the action changed.

    SET sets it back, if it is as the action left it; MILD only then, and otherwise
    leaves it without a conflict.
    """

    SET = auto()
    MILD = auto()


@dataclass(frozen=True, slots=True)
class Undoing:
    """The rows of a campaign that undoing an action can change: those that meet `where`.

    With `parent`, a foreign key, they are those of rows that undoing can change too. If
    actions may add rows (`adds`), undoing removes them, or sets the values of
    `withdrawn`; rows that actions removed (`removes`) are added again, with all columns.
    """

    where: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""
    adds: bool = False
    removes: bool = False
    withdrawn: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The facts of a table, see `facts`."""

    leaves: Leaves
    undo: Undoing | None


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """The facts of a column, see `column`."""

    form: Form | None = None
    left: tuple[Any, ...] = ()
    undo: Undo | None = None
    until: int | None = None
    planned: bool = False


NO_FACTS = ColumnFacts()

_SAME: Any = object()


def facts(leaves: Leaves, undo: Undoing | None = None) -> dict[str, Any]:
    """Return the facts of a table, as the last of its `__table_args__`."""
    return {"info": {"facts": TableFacts(leaves, undo)}}


def column(
    *args: Any,
    form: Form | None = None,
    left: Any = _SAME,
    undo: Undo | None = None,
    until: int | None = None,
    planned: bool = False,
    **options: Any,
) -> MappedColumn[Any]:
    """Return a mapped column with its facts.

    Args:
        args: The type and foreign key, as for `mapped_column`.
        form: What its values are, beyond its type.
        left: The value in a copy that leaves the home; without one, the value stays.
        undo: What undoing an action does to it; without one, actions that change it cannot be undone.
        until: The column has the number of a turn, and a fork of turn n has the rows up to n plus this.
        planned: Turns are computed from it, so what was computed is void once it has changed.
        options: Further arguments of `mapped_column`.
    """
    kept = ColumnFacts(form, () if left is _SAME else (left,), undo, until, planned)
    return mapped_column(*args, info={"facts": kept}, **options)


def facts_of(what: Column[Any]) -> ColumnFacts:
    found: ColumnFacts = what.info.get("facts", NO_FACTS)
    return found


def table_facts(table: Table) -> TableFacts:
    """Return the facts of a table. Raises KeyError if none were declared."""
    found: TableFacts = table.info["facts"]
    return found


def tables_leaving(metadata: MetaData, least: Leaves) -> list[Table]:
    """Return the tables whose rows go at least so far, those to which others refer first."""
    return [table for table in metadata.sorted_tables if table_facts(table).leaves >= least]


def target_of(key: Column[Any]) -> Table | None:
    """Return the table to which a foreign key refers; None for another column."""
    return next((each.column.table for each in key.foreign_keys), None)


@cache
def way_home(table: Table) -> Column[Any] | None:
    """Return the foreign key by which each row belongs to a campaign, directly if it has such a key; None if none."""
    keys = [(each, target) for each in table.columns if (target := target_of(each)) is not None and target is not table]
    direct = (key for key, target in keys if target.name == CAMPAIGN)
    return next(direct, next((key for key, target in keys if way_home(target) is not None), None))


CAMPAIGN = "campaign"
"""The table of campaigns, to which the rows of others belong."""


def of_campaigns(
    table: Table,
    ids: Sequence[Any] | Select[Any],
    bounds: Callable[[Table], Iterable[ColumnElement[bool]]] = lambda _: (),
) -> ColumnElement[bool]:
    """Return the condition of rows that belong to the campaigns with these ids.

    Rows with no way to a campaign belong to it if rows that leave with it refer to
    them, such as people. `bounds` are added, and those of the tables on the way.
    """
    key = way_home(table)
    if table.name == CAMPAIGN:
        mine: ColumnElement[bool] = table.c.id.in_(ids)
    elif key is None:
        mine = or_(false(), *(table.c.id.in_(each) for each in _references(table, ids)))
    else:
        parent = target_of(key)
        assert parent is not None
        direct = parent.name == CAMPAIGN
        mine = key.in_(ids if direct else select(parent.c.id).where(of_campaigns(parent, ids, bounds)))
    return and_(mine, *bounds(table))


def _references(table: Table, ids: Sequence[Any] | Select[Any]) -> Iterator[Select[Any]]:
    for other in tables_leaving(table.metadata, Leaves.CAMPAIGN):
        for key in other.columns:
            if target_of(key) is table and way_home(other) is not None:
                yield select(key).where(of_campaigns(other, ids))


def left_values(table: Table, least: Leaves) -> dict[str, Any]:
    """Return the values of columns in a copy of rows that go so far; what they refer to and that stays is None."""
    gone = {
        key.name: None
        for key in table.columns
        if (target := target_of(key)) is not None and table_facts(target).leaves < least
    }
    return gone | {each.name: value for each in table.columns for value in facts_of(each).left}


def until_turn(table: Table, number: int) -> ColumnElement[bool]:
    """Return the condition of rows of a campaign's history up to an open turn, with what they belong to."""
    return and_(true(), *_until(table, number))


def _until(table: Table, number: int) -> Iterator[ColumnElement[bool]]:
    for each in table.columns:
        until, parent = facts_of(each).until, target_of(each)
        if until is not None:
            yield each <= number + until
        if parent is not None and parent is not table and (bounds := list(_until(parent, number))):
            yield each.in_(select(parent.c.id).where(*bounds))
    yield from _history(table)


def since_turn(table: Table, number: ColumnElement[int]) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of rows of a turn of a campaign's history and of later ones, if the rows are of turns."""
    for each in table.columns:
        if (until := facts_of(each).until) is not None:
            yield each >= number + until
    yield from _history(table)


def _history(table: Table) -> Iterator[ColumnElement[bool]]:
    # A withdrawn turn is no history.
    if "withdrawal_id" in table.c:
        yield table.c.withdrawal_id.is_(None)
