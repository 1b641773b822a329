"""Takes the rows of a file into a new database without running code in it, and finds rows that cannot be read.

Rows are copied into a schema that our own migrations made. Views, triggers, virtual
tables and generated columns, which are code that a query would run, are refused before
any query. What is left, such as the conditions of indexes, may call nothing that reaches out of the file
(`trusted_schema`), and has a limit of time. Values are read by the types of their columns.
"""

from __future__ import annotations

import math
import sqlite3
import time
import zlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Integer,
    LargeBinary,
    Select,
    String,
    Table,
    cast,
    select,
    type_coerce,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import NullType, TypeDecorator, TypeEngine

from pbem.errors import PARSE_ERRORS, ConfigError, StoreError
from pbem.store.columns import of_campaigns
from pbem.store.copy import PASSING
from pbem.store.migrate import knows_revision, migrate
from pbem.store.models import Base
from pbem.store.session import Store, existing_file, why_refused
from pbem.store.types import UtcDateTime

SECONDS = 60.0
"""Time limit for reading a file of any size; as much again is added for every 64 MB."""

LARGEST_VALUE = 256 << 20
"""Bytes of one value. A report of 10,000 seats has less than a hundredth of it."""

FREE_BYTES, GROWTH = 16_000_000, 3
"""The most bytes of a database made from a file: a fixed number, and so many times its own."""

_SHOWN = 60
# SQLite itself begins the text of plain tables and indexes so; automatic indexes have none.
_CODE = (
    "SELECT type, name FROM sqlite_master WHERE NOT (type = 'table' AND sql LIKE 'CREATE TABLE %'"
    " OR type = 'index' AND (sql IS NULL OR sql LIKE 'CREATE INDEX %' OR sql LIKE 'CREATE UNIQUE INDEX %')) LIMIT 1"
)
# A generated column may have values of any length, though the file has none of them.
_GENERATED = (
    "SELECT 'generated column', x.name FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS x"
    " WHERE m.type = 'table' AND x.hidden <> 0 LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class UnreadableValue:
    """A value that cannot be read: its place, and what is wrong with it."""

    table: str
    row: str
    field: str
    said: str

    @property
    def text(self) -> str:
        """The fault as a clause."""
        return f"table {self.table}, row {self.row}, field {self.field}: {self.said}"


def take_rows(source: Path, target: Path) -> None:
    """Create a database of the current version with the rows of a file of this or an older version.

    Tables of running processes stay empty. Raises StoreError naming what is wrong with the
    file, or the value that cannot be read; the target is of no use then.
    """
    try:
        until = time.monotonic() + SECONDS * (1 + source.stat().st_size / (64 << 20))
        with _open_guarded(_immutable(source), until) as rows:
            revision = _require_whole(rows)
        migrate(f"sqlite:///{target}", revision)
        with _open_guarded(f"file:{quote(str(target))}", until) as ours:
            _copy_tables(ours, source)
        migrate(f"sqlite:///{target}")
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise StoreError("reading it takes longer than a file of its size can take") from None
        raise StoreError(f"it is no database of pbem, or is damaged: {_shorten(error)}") from None
    except StoreError:
        raise
    except (*PARSE_ERRORS, zlib.error, SQLAlchemyError, ConfigError) as error:
        raise StoreError(f"its rows cannot be brought to this version: {_shorten(error)}") from None
    with closing(Store(f"sqlite:///{target}")) as store, store.reading() as session:
        if fault := first_fault(session.connection()):
            raise StoreError(fault.text)


def find_damage(file: Path) -> str:
    """Return a description of the damage of a database file, or "" if its pages and foreign keys are consistent.

    Reads the whole file. Raises ConfigError if it cannot be opened.
    """
    try:
        with _open_guarded(existing_file(file)) as database:
            return _describe_damage(database)
    except sqlite3.OperationalError as error:  # a fault of the place, not of the content
        raise ConfigError(why_refused(error, file)) from error
    except sqlite3.Error as error:
        return str(error)


def _immutable(file: Path) -> str:
    # immutable: SQLite looks for no journal or write-ahead log beside the file, which could change its content.
    return f"file:{quote(str(file))}?mode=ro&immutable=1"


@contextmanager
def _open_guarded(uri: str, until: float = math.inf) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as database:
        database.set_progress_handler(lambda: time.monotonic() > until, 100)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
            database.execute(f"PRAGMA {pragma}")
        yield database


def _describe_damage(database: sqlite3.Connection) -> str:
    """Return what is wrong with a database; "" if nothing is. What holds code is found before it could run."""
    if found := database.execute(_CODE).fetchone() or database.execute(_GENERATED).fetchone():
        return f"it has the {_shorten(found[0])} {_shorten(found[1])}, which is not of pbem"
    (told,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if told != "ok":
        return _shorten(told)
    astray = database.execute("PRAGMA foreign_key_check").fetchone()
    return f"a row of {astray[0]} points to one of {astray[2]} that is not there" if astray else ""


def _require_whole(rows: sqlite3.Connection) -> str:
    """Return the migration that a file is of. Raises StoreError if it is damaged, or of one that is not known here."""
    if damage := _describe_damage(rows):
        raise StoreError(f"it is damaged: {damage}")
    versions = rows.execute("SELECT version_num FROM alembic_version LIMIT 2").fetchall()
    if len(versions) != 1:
        raise StoreError("it is no database of pbem: it has no version, or several")
    (revision,) = versions[0]
    if not isinstance(revision, str) or not knows_revision(revision):
        raise StoreError(f"it is of migration {_shorten(revision)!r}, which this pbem does not know: use one that does")
    return revision


def _copy_tables(ours: sqlite3.Connection, source: Path) -> None:
    ours.execute("PRAGMA foreign_keys = OFF")  # checked as a whole, in any order of the tables
    # Rows that lack a column have its default, which may be long: a million of them would fill the disk.
    (page,) = ours.execute("PRAGMA page_size").fetchone()
    ours.execute(f"PRAGMA max_page_count = {(FREE_BYTES + GROWTH * source.stat().st_size) // page}")
    ours.execute("ATTACH ? AS theirs", (_immutable(source),))
    tables = ours.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    ours.execute("BEGIN")
    for (table,) in tables:
        if table not in PASSING and table != "alembic_version":
            names = [f'"{row[1]}"' for row in ours.execute(f'PRAGMA main.table_info("{table}")')]
            # With the name of the table: SQLite takes the name of a missing column, quoted alone, for a text.
            theirs = ", ".join(f"t.{name}" for name in names)
            query = f'INSERT INTO main."{table}" ({", ".join(names)}) SELECT {theirs} FROM theirs."{table}" AS t'  # noqa: S608 - names of ours
            ours.execute(query)
    ours.execute("COMMIT")


def _shorten(value: object) -> str:
    """Return the beginning of a text that is not ours, without characters that would control a terminal."""
    return " ".join(ascii(str(value))[1:-1].split())[:200]


def find_faults(connection: Connection, campaign_id: int | None = None) -> Generator[UnreadableValue, None, None]:
    """Yield the first unreadable value of each row: of all, or of the rows of one campaign and its people."""
    with closing(stored_rows(connection, campaign_id)) as rows:
        for table, row in rows:
            yield from _row_faults(table, row, connection)


def first_fault(connection: Connection, campaign_id: int | None = None) -> UnreadableValue | None:
    with closing(find_faults(connection, campaign_id)) as faults:
        return next(faults, None)


def _row_faults(table: Table, row: Sequence[Any], connection: Connection) -> Iterator[UnreadableValue]:
    for column, value in zip(table.columns, row, strict=True):
        try:
            _read(column, value, connection)
        except (*PARSE_ERRORS, zlib.error) as error:
            said = "it is not in UTF-8" if isinstance(error, UnicodeError) else _shorten(str(error).partition(". ")[0])
            yield UnreadableValue(table.name, _shorten(row[0])[:_SHOWN], column.name, f"it cannot be read: {said}")
            return


def _read(column: Column[Any], value: Any, connection: Connection) -> None:
    """Raise an error unless the type of a column can read a stored value."""
    if value is None:
        if not column.nullable:
            raise ValueError("there is none")
        return
    # SQLite stores any type in any column, whatever it was declared as.
    if not isinstance(value, _storage_class(column.type)):
        raise TypeError(f"a value of type {type(value).__name__} is of another type than the column")
    if isinstance(value, str):
        value.encode()  # bytes that are not UTF-8 are read as surrogates (PEP 383)
    if isinstance(column.type, UtcDateTime) and connection.dialect.name == "postgresql":
        if value.endswith("infinity"):
            raise ValueError(f"the time {value} has no end")
    elif process := column.type.dialect_impl(connection.dialect).result_processor(connection.dialect, None):
        process(value)


def _storage_class(kind: TypeEngine[Any]) -> type[Any]:
    if isinstance(kind.impl_instance if isinstance(kind, TypeDecorator) else kind, LargeBinary):
        return bytes
    return int if isinstance(kind, Integer | Boolean) else str


def stored_rows(
    connection: Connection, campaign_id: int | None = None
) -> Generator[tuple[Table, Sequence[Any]], None, None]:
    """Yield all rows in their stored form, each with its table; or those of one campaign and its people."""
    for table in Base.metadata.sorted_tables:
        rows = _raw_rows(table, connection.dialect.name)
        if campaign_id is not None:
            rows = rows.where(of_campaigns(table, [campaign_id]))
        # Few rows at a time: they hold whole mails and reports.
        with connection.execute(rows.execution_options(yield_per=50)) as found:
            for row in found:
                yield table, row


def _raw_rows(table: Table, dialect: str) -> Select[Any]:
    return select(*(_raw_column(column, dialect) for column in table.columns)).order_by(*table.primary_key)


def _raw_column(column: Column[Any], dialect: str) -> Any:
    """Return a column without the conversions of SQLAlchemy."""
    # As text: psycopg cannot convert PostgreSQL's 'infinity'.
    if isinstance(column.type, UtcDateTime) and dialect == "postgresql":
        return cast(column, String).label(column.name)
    return type_coerce(column, NullType()).label(column.name)
