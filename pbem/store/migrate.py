"""Migrates the tables of a database to a revision; the steps are in `migrations/`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from sqlalchemy import Connection, inspect, make_url, text
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from pbem.errors import ConfigError, StoreError
from pbem.store import plain
from pbem.store.session import open_engine, restoring, transaction, why_refused

NOT_EMPTY = (
    "the database is not empty, and a home is restored into an empty one alone: give the URL of another; if it was "
    "filled by a restore that was interrupted, drop it and make it again (dropdb, createdb)"
)

# Advisory lock on PostgreSQL ("pbem"): two migrations at once run one after the other.
_LOCK = 0x7062656D


class SchemaProblem(NamedTuple):
    """A reason why the tables cannot be used, as the predicate of "the database", and its remedy."""

    said: str
    mend: str

    @property
    def error(self) -> ConfigError:
        """The reason and the remedy as an exception."""
        return ConfigError(f"the database {self.said}: {self.mend}")


def migrate(
    url: str,
    revision: str = "head",
    *,
    create: bool = True,
    fresh: bool = False,
    also: Callable[[Connection], object] | None = None,
) -> None:
    """Upgrade the tables to a revision. Raises ConfigError.

    Args:
        url: The database.
        revision: The revision; the newest by default.
        create: Create the tables where there are none; otherwise that is an error.
        fresh: Raise StoreError if there are tables.
        also: Called in the same transaction, when the tables are there.
    """
    with _connect(url, create=create) as connection:
        there = _read_revisions(connection)
        if not there and not create:
            raise _no_tables(restoring(url)).error
        if there and fresh:
            raise StoreError(NOT_EMPTY)
        if found := _foreign_schema(there):
            raise found.error
        _run_alembic(connection, "upgrade", revision)
        if also is not None:
            also(connection)


def knows_revision(revision: str) -> bool:
    """Return True if this code has the migrations from a revision on."""
    return revision in plain.REVISIONS


def downgrade(url: str, revision: str) -> None:
    """Downgrade the tables to a revision; "base" drops them all. Raises ConfigError."""
    with _connect(url) as connection:
        _run_alembic(connection, "downgrade", revision)


def _run_alembic(connection: Connection, step: Literal["upgrade", "downgrade"], revision: str) -> None:
    # Imported here: every command looks whether the tables are current, and only these two need alembic.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(plain.FOLDER).replace("%", "%%"))
    try:
        (command.upgrade if step == "upgrade" else command.downgrade)(config, revision)
    except CommandError as error:
        raise ConfigError(f"the database cannot be migrated: {error}") from None


def schema_is_current(url: str) -> bool:
    """Return True if the tables are of this version of the code. Raises ConfigError if they cannot be read."""
    return _revisions(url) == plain.REVISIONS[-1:]


def require_current_schema(url: str) -> None:
    """Raise ConfigError with the remedy unless the tables are of this version of the code."""
    if found := find_schema_problem(url):
        raise found.error


def require_tables(url: str) -> None:
    """Raise ConfigError with the remedy if a database, of whatever version, is missing or has no tables."""
    if not _revisions(url):
        raise _no_tables(restoring(url)).error


def require_unchanged_schema(session: Session) -> None:
    """Raise ConfigError if another program upgraded the tables since this one was started."""
    revisions = tuple(session.scalars(text("SELECT version_num FROM alembic_version")))
    if found := _schema_problem(revisions, restoring(str(session.get_bind().engine.url))):
        raise found.error


def find_schema_problem(url: str, restore: str = "") -> SchemaProblem | None:
    """Return the reason why this code cannot use the tables, or None. Raises ConfigError if they cannot be read.

    `restore` replaces the instruction for a lost database, where a better one than
    `restoring(url)` is known.
    """
    return _schema_problem(_revisions(url), restore or restoring(url))


def has_tables(url: str) -> bool:
    """Return True if a database is there with tables of pbem. Raises ConfigError if it cannot be opened."""
    path = sqlite_path(url)
    return (path is None or path.exists()) and bool(_revisions(url))


def sqlite_path(url: str) -> Path | None:
    """Return the file of a database, or None if it is on a server."""
    parts = make_url(url)
    return Path(parts.database or "") if parts.get_backend_name() == "sqlite" else None


def _schema_problem(revisions: tuple[str, ...], restore: str) -> SchemaProblem | None:
    if revisions == plain.REVISIONS[-1:]:
        return None
    if not revisions:
        return _no_tables(restore)
    return _foreign_schema(revisions) or SchemaProblem("is of an older version", "upgrade it: pbem migrate")


def _revisions(url: str) -> tuple[str, ...]:
    with _connect(url, writes=False) as connection:
        return _read_revisions(connection)


def _read_revisions(connection: Connection) -> tuple[str, ...]:
    if not inspect(connection).has_table("alembic_version"):
        return ()
    return tuple(connection.scalars(text("SELECT version_num FROM alembic_version")))


# An error, never an invitation to create the tables: a program that looks for a lost database leaves an empty one, and
# filling that would hide the loss.
def _no_tables(restore: str) -> SchemaProblem:
    return SchemaProblem("has no tables of pbem", f"{restore}; the tables of a new home are made by: pbem init")


def _foreign_schema(revisions: tuple[str, ...]) -> SchemaProblem | None:
    """Return the problem of tables whose revision this code does not know, or None."""
    known = plain.REVISIONS
    for revision in revisions:
        if revision < known[0]:
            said = f"is of migration {revision}, of a time before the first release"
            return SchemaProblem(said, f"bring it up to migration {known[0]} first, with a pbem of that time")
        if revision not in known:
            said = f"was brought up by a newer pbem, to migration {revision}; this one knows those to {known[-1]}"
            return SchemaProblem(said, "install the newer one, and start anew what still runs")
    return None


@contextmanager
def _connect(url: str, *, writes: bool = True, create: bool = False) -> Iterator[Connection]:
    # SQLite alters a table by dropping and rebuilding it, which foreign keys would forbid.
    engine = open_engine(url, foreign_keys=False, create=create)
    try:
        with engine.connect().execution_options(pbem_writes=writes) as connection, transaction(connection):
            if writes and engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
            yield connection
    except DatabaseError as error:
        said = why_refused(error.orig or error, engine.url)
        raise StoreError(f"the database {engine.url.render_as_string()} cannot be used: {said}") from None
    finally:
        engine.dispose()
