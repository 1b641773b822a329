"""Imports rows from untrusted SQLite files without running any code in them.

A SQLite file can hold more than rows: views, triggers, virtual tables, generated
columns and expressions are code that a query runs. So the file is opened
read-only; its schema is compared with that of its version, word by word, before
any table is read; and every statement has a time limit. The rows are copied into
a schema that our own migrations made. Their values are checked elsewhere: see
`pbem.campaign.column_checks`.
"""

from __future__ import annotations

import re
import sqlite3
import time
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy.exc import SQLAlchemyError

from pbem.errors import PARSE_ERRORS, ConfigError, StoreError
from pbem.store.migrate import knows_revision, migrate

SECONDS = 60.0
"""Time limit for reading a file of any size; as much again is added for every 64 MB."""

LARGEST_VALUE = 256 << 20
"""Bytes of one value. A report of 10,000 seats has less than a hundredth of it."""

MOST_OBJECTS = 500
"""Tables and indexes that are read of a schema; ours has about 70."""

_VERSION = "alembic_version"
# Homes of the versions 0013 to 0018 may lack these tables: see migration 0019.
_LACKED_BY_SOME = frozenset({"sealed_page"})

# Tables of ANALYZE. They are never read.
_STATISTICS = ("sqlite_stat1", "sqlite_stat4")

_WORD = re.compile(r"\w+|[^\w\s]")
# The start of the SQL of a table or an index; the name of an index does not matter, as it is not copied.
_OURS = re.compile(r'CREATE (?:TABLE |(?:UNIQUE )?INDEX (?:"[^"]*"|\w+) (?=ON ))', re.IGNORECASE)

_PLAIN_VERSION = """CREATE TABLE alembic_version (
    "version_num" VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"""
_REVISION = re.compile(r"[0-9]{4}")
# The actions that a statement on such a file may take; it may call no functions and change nothing.
_MAY = {
    sqlite3.SQLITE_SELECT: None,
    sqlite3.SQLITE_READ: None,
    sqlite3.SQLITE_PRAGMA: ("table_xinfo", "integrity_check"),
}


class Undecodable(bytes):
    """Text that is not UTF-8."""


def take_rows(source: Path, target: Path, *, leave: Collection[str] = ()) -> None:
    """Create a database of the current version with the rows of a file of this or an older version.

    The tables of `leave` stay empty. Raises StoreError naming what is wrong with the
    file; the target is of no use then.
    """
    with _open_untrusted(source) as rows:
        revision = _revision(rows)
        try:
            migrate(f"sqlite:///{target}", revision)
        except ConfigError as error:
            raise StoreError(f"it cannot be read: {error}") from None
        with closing(sqlite3.connect(target, isolation_level=None)) as ours:
            tables = _match_tables(rows, ours)
            if (told := _first_value(rows, "PRAGMA integrity_check(1)")) != "ok":
                raise StoreError(f"it is damaged: {' '.join(str(told).split())[:200]}")
            # Tables come in alphabetical order, not in that of their references, which are checked at the end.
            ours.execute("PRAGMA foreign_keys = OFF")
            ours.execute("BEGIN")
            for table, columns in tables.items():
                if table not in leave:
                    _copy(rows, ours, table, columns)
            ours.execute("COMMIT")
            if astray := ours.execute("PRAGMA foreign_key_check").fetchone():
                raise StoreError(f"row {astray[1]} of {astray[0]} points to a row of {astray[2]} that is not there")
    try:
        migrate(f"sqlite:///{target}")
    except (*PARSE_ERRORS, zlib.error, SQLAlchemyError, ConfigError) as error:
        said = " ".join(str(error).split())[:200]
        raise StoreError(f"its rows of migration {revision} cannot be brought to this version: {said}") from None


@contextmanager
def _open_untrusted(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a file so that it cannot change, call or run anything. Its errors become StoreError."""
    until = time.monotonic() + SECONDS * (1 + file.stat().st_size / (64 << 20))
    try:
        # immutable: SQLite looks for no journal or write-ahead log beside the file, which could change its content.
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro&immutable=1", uri=True)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
            database.text_factory = _decode_text
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"):
                database.execute(f"PRAGMA {pragma}")
            database.set_progress_handler(lambda: time.monotonic() > until, 1_000)
            database.set_authorizer(_authorize)
            yield database
    except sqlite3.Error as error:
        if "interrupted" in str(error):
            raise StoreError("reading it takes longer than a file of its size can take") from None
        raise StoreError(f"it is no database of pbem, or is damaged: {error}") from None


def _decode_text(raw: bytes) -> str | Undecodable:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return Undecodable(raw)


def _authorize(action: int, name: str | None, _column: str | None, _database: str | None, _by: str | None) -> int:
    allowed = _MAY.get(action, ())
    return sqlite3.SQLITE_OK if allowed is None or name in allowed else sqlite3.SQLITE_DENY


def _first_value(database: sqlite3.Connection, query: str) -> Any:
    row = database.execute(query).fetchone()
    return row[0] if row else None


def _objects(database: sqlite3.Connection) -> list[tuple[Any, Any, Any]]:
    return database.execute("SELECT type, name, sql FROM sqlite_master LIMIT ?", (MOST_OBJECTS,)).fetchall()


def _revision(rows: sqlite3.Connection) -> str:
    """Return the migration that the file is of; the table that names it is read only if it is a plain one."""
    found = [each for each in _objects(rows) if each[1] == _VERSION]
    if len(found) != 1:
        raise StoreError("it is no database of pbem: it does not say its version")
    _check_plain(*found[0], _words(_PLAIN_VERSION))
    versions = rows.execute(f"SELECT version_num FROM {_VERSION} LIMIT 2").fetchall()  # noqa: S608 - a name of ours
    if len(versions) != 1:
        raise StoreError("it is no database of pbem: it has no version, or several")
    (revision,) = versions[0]
    if not isinstance(revision, str) or not _REVISION.fullmatch(revision) or not knows_revision(revision):
        raise StoreError(
            f"it is of migration {str(revision)[:20]!r}, which this pbem does not know: install a newer one"
        )
    return revision


def _match_tables(rows: sqlite3.Connection, ours: sqlite3.Connection) -> Mapping[str, Sequence[str]]:
    """Return the columns of each table of the file. Raises StoreError unless it has our tables alone."""
    words = frozenset().union(*(_words(sql) for _, _, sql in _objects(ours)))
    here = {name for kind, name, _ in _objects(ours) if kind == "table"}
    there = set()
    for kind, name, sql in _objects(rows):
        if kind == "table" and name not in here and name not in _STATISTICS:
            raise StoreError(f"it has a table {_quote(name)}, which is not of pbem")
        _check_plain(kind, name, sql, words)
        if kind == "table" and name in here:
            there.add(name)
    for name in sorted(here - there - _LACKED_BY_SOME):
        raise StoreError(f"it lacks the table {name}")
    return {name: _columns(rows, ours, name) for name in sorted(there - {_VERSION})}


def _check_plain(kind: object, name: object, sql: object, words: frozenset[str]) -> None:
    """Raise StoreError for anything but a table or an index in words that ours have too, so without expressions."""
    if kind == "index" and sql is None:
        return
    if name in _STATISTICS and kind == "table":
        words = words | _words("create table sqlite_stat1(tbl,idx,stat,neq,nlt,ndlt,sample) sqlite_stat4")
    begun = _OURS.match(sql) if kind in ("table", "index") and isinstance(sql, str) else None
    if begun is None or not isinstance(sql, str):
        raise StoreError(f"it has the {_quote(kind)} {_quote(name)}, which is not of pbem")
    if strange := sorted(_words(sql[begun.end() :]) - words):
        raise StoreError(f"its {kind} {_quote(name)} is not as pbem makes it: there is {_quote(strange[0])} in it")


def _words(sql: object) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(str(sql or "")) if not word.isdigit())


def _columns(rows: sqlite3.Connection, ours: sqlite3.Connection, table: str) -> Sequence[str]:
    known = {row[1] for row in ours.execute(f"PRAGMA table_xinfo({table})")}
    found = rows.execute(f"PRAGMA table_xinfo({table})").fetchall()
    for _, name, _, _, _, _, hidden in found:
        if name not in known or hidden:
            raise StoreError(f"its table {table} has a column {_quote(name)}, which is not of pbem")
    return [row[1] for row in found]


def _copy(rows: sqlite3.Connection, ours: sqlite3.Connection, table: str, columns: Sequence[str]) -> None:
    """Copy a table row by row; a row that is refused is named by its number in the table."""
    names = ", ".join(f'"{name}"' for name in columns)
    marks = ", ".join("?" * len(columns))
    query = f'SELECT {names} FROM "{table}" NOT INDEXED'  # noqa: S608 - names of ours
    put = f'INSERT INTO "{table}" ({names}) VALUES ({marks})'  # noqa: S608 - names of ours
    for number, row in enumerate(rows.execute(query), start=1):
        for name, value in zip(columns, row, strict=True):
            if isinstance(value, Undecodable):
                raise StoreError(f"row {number} of {table}: {name} is no text: it is not in UTF-8")
        try:
            ours.execute(put, row)
        except (sqlite3.Error, OverflowError) as error:
            raise StoreError(f"row {number} of {table} cannot be taken: {error}") from None


def _quote(value: object) -> str:
    """Return a name from the file without characters that would control a terminal."""
    return ascii(str(value)[:60])
