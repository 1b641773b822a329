"""Resets a home to an earlier state, again and again, at the cost of what has changed in it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Engine

from pbem.archive.record import RECORD
from pbem.store.models import Base

Stamps = frozenset[tuple[Path, int, int]]
"""The files of a folder, with size and time of each."""


@contextmanager
def kept_rows(engine: Engine) -> Iterator[Callable[[], object]]:
    """Yield a function that resets the database to its present content."""
    with (_kept_by_sqlite if engine.dialect.name == "sqlite" else _kept_by_postgres)(engine) as rewind:
        yield rewind


@contextmanager
def _kept_by_sqlite(engine: Engine) -> Iterator[Callable[[], object]]:
    path = str(engine.url.database)
    with closing(sqlite3.connect(path)) as live, closing(sqlite3.connect(":memory:")) as kept:
        live.backup(kept)
        yield lambda: kept.backup(live)


@contextmanager
def _kept_by_postgres(engine: Engine) -> Iterator[Callable[[], object]]:
    """Keep the rows in a schema beside the tables; they are restored by one query, so it costs this process nothing."""
    tables = Base.metadata.sorted_tables
    keep = [
        "CREATE SCHEMA kept",
        *(f"CREATE TABLE kept.{snapshot.name} AS TABLE {snapshot.name}" for snapshot in tables),
    ]
    empty = [f"DELETE FROM {snapshot.name}" for snapshot in reversed(tables)]
    fill = [f"INSERT INTO {snapshot.name} TABLE kept.{snapshot.name}" for snapshot in tables]
    # The sequences of a table that has another name now are still called by the old one.
    next_id = "SELECT setval(pg_get_serial_sequence('{0}', 'id'), (SELECT coalesce(max(id), 0) + 1 FROM {0}), false)"
    numbered = [snapshot.name for snapshot in tables if snapshot.autoincrement_column is not None]
    count = [next_id.format(name) for name in numbered]
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("; ".join(keep))
        rewinding = "; ".join(["BEGIN", *empty, *fill, *count, "COMMIT"])
        yield lambda: connection.exec_driver_sql(rewinding).close()


def rewind_archive(kept: Path, archive: Path) -> None:
    """Reset an archive to the copy that was kept of it; turns with unchanged files are skipped."""
    before, now = _turns(kept), _turns(archive)
    changed = {turn for turn in before.keys() | now.keys() if before.get(turn) != now.get(turn)}
    for turn in changed & now.keys():
        shutil.rmtree(archive / turn)
    for turn in changed & before.keys():
        shutil.copytree(kept / turn, archive / turn)


def _turns(archive: Path) -> dict[Path, Stamps]:
    return {path.parent.relative_to(archive): _stamps(path.parent) for path in archive.rglob(RECORD)}


def _stamps(folder: Path) -> Stamps:
    stats = ((path, path.stat()) for path in folder.rglob("*") if path.is_file())
    return frozenset((path.relative_to(folder), stat.st_size, stat.st_mtime_ns) for path, stat in stats)
