"""Copies whole databases into a SQLite file and back, as of one moment.

A database is moved as a SQLite file only, whatever its server. Values are copied
as stored, still compressed, without being decoded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Enum,
    MetaData,
    Row,
    String,
    Table,
    delete,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

from pbem.errors import StoreError
from pbem.store.columns import CAMPAIGN, Leaves, of_campaigns, tables_leaving, way_home
from pbem.store.migrate import migrate, require_current_schema, require_tables, schema_is_current, sqlite_path
from pbem.store.models import Base
from pbem.store.session import BUSY_SECONDS, existing_file, open_engine, transaction, why_refused
from pbem.store.types import UtcDateTime

PASSING = frozenset(Base.metadata.tables) - {table.name for table in tables_leaving(Base.metadata, Leaves.HOME)}
"""Tables that describe running processes. They are in no copy."""

AT_ONCE = 50
"""Rows in memory at a time: states and reports are long."""


def copy_to_file(url: str, target: Path) -> None:
    """Copy a database into a new file, as of one moment, while other processes go on. Raises ConfigError.

    A SQLite database may be of any version. Deleted content, such as masked tokens in
    free pages, is not in the copy.
    """
    require_tables(url)
    path = sqlite_path(url)
    if path is None:
        _copy_server(url, target)
    else:
        _vacuum_into(path, target)


def copy_from_file(source: Path, url: str, *, also: Callable[[Connection], object] = lambda _: None) -> None:
    """Copy a file of the current version into an empty database on a server, completely or not at all.

    `also` is called in the same transaction, after the rows. Raises ConfigError.
    """
    engine = open_engine(f"sqlite:///{source}")

    def fill(target: Connection) -> None:
        _copy_rows(rows, target)
        _advance_sequences(target)
        also(target)

    try:
        with engine.connect() as rows, transaction(rows):
            migrate(url, fresh=True, also=fill)
    finally:
        engine.dispose()


def is_empty(url: str) -> bool:
    """Return True if a database on a server has no tables. Raises ConfigError if it cannot be opened."""
    schema_is_current(url)  # raises ConfigError with the reason
    engine = open_engine(url)
    try:
        return not inspect(engine).get_table_names()
    finally:
        engine.dispose()


def _vacuum_into(path: Path, target: Path) -> None:
    with open_file(path, room=target.parent) as database:
        # VACUUM INTO waits for no writer, and leaves out free pages, in which masked tokens may still be.
        database.execute("VACUUM INTO ?", (str(target),))
    with open_file(target) as copy:
        there = {name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for name in PASSING & there:
            copy.execute(f"DELETE FROM {name}")  # noqa: S608 - a name of ours


@contextmanager
def open_file(path: Path, *, room: Path | None = None) -> Iterator[sqlite3.Connection]:
    """Open a SQLite file in autocommit mode. Raises StoreError, for SQLite errors in the block too.

    `room` is the folder that the block writes to, if it is not the folder of the file.
    """
    uri = existing_file(path)
    try:
        with closing(sqlite3.connect(uri, timeout=BUSY_SECONDS, isolation_level=None, uri=True)) as database:
            yield database
    except sqlite3.Error as error:
        said = why_refused(error, room / path.name if room else path)
        raise StoreError(f"the database {path} cannot be copied: {said}") from None


def _copy_server(url: str, target: Path) -> None:
    require_current_schema(url)
    migrate(f"sqlite:///{target}")
    source, copy = open_engine(url), open_engine(f"sqlite:///{target}")
    try:
        # REPEATABLE READ: all tables as of one moment.
        moment = source.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with moment.connect() as rows, copy.execution_options(pbem_writes=True).connect() as file, transaction(file):
            _copy_rows(rows, file)
    finally:
        source.dispose()
        copy.dispose()
    checkpoint(target)


def checkpoint(file: Path) -> None:
    """Make a database one plain file, without a write-ahead log beside it."""
    with open_file(file) as database:
        database.execute("PRAGMA journal_mode = DELETE")


def remove_campaign(target: Connection, campaign_id: int) -> None:
    """Delete all rows of a campaign in the order of their foreign keys; messages belong to the home and stay."""
    for table in reversed(Base.metadata.sorted_tables):
        # sorted_tables has referenced tables first, so the campaign itself goes last.
        if table.name == CAMPAIGN or way_home(table) is not None:
            target.execute(delete(table).where(of_campaigns(table, [campaign_id])))


def _advance_sequences(target: Connection) -> None:
    """Make a server number new rows after those that were inserted with their ids."""
    if target.dialect.name != "postgresql":
        return
    for table in Base.metadata.sorted_tables:
        key = table.c.get("id")
        if key is not None and key.autoincrement is not False:
            newest = target.scalar(select(func.max(key)))
            if newest is not None:
                sequence = func.pg_get_serial_sequence(table.name, "id")
                target.execute(select(func.setval(sequence, newest)))


def _copy_rows(source: Connection, target: Connection) -> None:
    """Copy all rows, table by table, those that others point to first."""
    for table in _plain_tables():
        if table.name not in PASSING:
            for rows in _rows_of(source, table):
                target.execute(insert(table), [_replace_nul(row) for row in rows])


def _replace_nul(row: Row[Any]) -> dict[str, Any]:
    """Return a row for any database: SQLite takes text with NUL in it, PostgreSQL does not."""
    return {
        name: value.replace("\0", "\N{REPLACEMENT CHARACTER}") if isinstance(value, str) else value
        for name, value in row._mapping.items()
    }


def _rows_of(source: Connection, table: Table) -> Iterator[Sequence[Row[Any]]]:
    query = select(table).order_by(*table.primary_key).execution_options(yield_per=AT_ONCE)
    yield from source.execute(query).partitions()


def _plain_tables() -> list[Table]:
    """Return the tables with types that leave stored values as they are, in the order of their foreign keys."""
    tables, plain = Base.metadata.sorted_tables, MetaData()
    return [
        Table(
            table.name,
            plain,
            *(Column(each.name, _stored_type(each.type), primary_key=each.primary_key) for each in table.columns),
        )
        for table in tables
    ]


def _stored_type(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    """Return a type that leaves values as they are; times alone must be parsed, since SQLite has them as text."""
    if isinstance(kind, UtcDateTime):
        return kind
    if isinstance(kind, TypeDecorator):
        return kind.impl_instance
    return String(kind.length) if isinstance(kind, Enum) else kind


def revision_of(file: Path) -> str:
    """Return the migration that a file's tables are of. Raises StoreError if it is no database of pbem."""
    try:
        with closing(sqlite3.connect(existing_file(file), uri=True)) as database:
            row = database.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise StoreError(f"it is no database of pbem: {error}") from None
    if row is None:
        raise StoreError("it is no database of pbem: it has no version")
    return str(row[0])
