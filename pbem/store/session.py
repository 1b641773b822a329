"""Database sessions: reading, writing, locks, and jobs enqueued on commit.

A reading session sees one snapshot of the database and cannot write. A writing
session commits all or nothing; on SQLite it takes the write lock at its
beginning, so it never fails halfway because it read too early.

A commit of a durable session, and all commits before it, survive a power cut.
Only work that would be repeated anyway may be committed otherwise, which saves
waiting for the disk.

Jobs are enqueued when their transaction is committed, and never when it is rolled
back. Where one process does all the work there is no queue.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, ColumnElement, Connection, Engine, Table, create_engine, event, func, make_url, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, NoSuchModuleError, OperationalError
from sqlalchemy.orm import Session, SessionTransaction

from pbem.errors import DISK_FULL, ConfigError, StoreError
from pbem.util import has_room

_KEY = "pbem_work"


class JobQueue(StrEnum):
    """The kinds of jobs, by the names that `pbem serve --queue` takes."""

    POLL = "poll"
    PROCESS = "process"
    SEND = "send"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True, order=True)
class QueuedJob:
    """A job; those of the queue `process` have a campaign each."""

    queue: JobQueue
    campaign: str = ""


JobDispatcher = Callable[[Session, Collection[QueuedJob]], None]
"""Enqueues jobs within the transaction of a session that is about to be committed."""


def enqueue_on_commit(session: Session, *works: QueuedJob) -> None:
    """Enqueue jobs if and when the session's transaction is committed."""
    session.info.setdefault(_KEY, set()).update(works)


def pending_jobs(session: Session) -> Collection[QueuedJob]:
    """Return the jobs to be enqueued on commit."""
    found: set[QueuedJob] = session.info.get(_KEY, set())
    return found


BUSY_SECONDS = 30
"""Seconds that a SQLite session waits for the writing session of another process."""

TICKING = int.from_bytes(b"pbemtick", "big")
"""Advisory lock of PostgreSQL that a tick holds exclusively, and all workers share."""

PATIENCE = "2s"
"""Time to wait for that lock: the server may not have noticed yet that its holder was killed."""

LOCK_NOT_AVAILABLE = "55P03"
"""SQLSTATE of a lock timeout."""

UNDEFINED_TABLE, NO_RIGHT, READ_ONLY = "42P01", "42501", "25006"
# SQLSTATEs of problems that last until the GM fixes them.
_FOR_DOCTOR = {UNDEFINED_TABLE, NO_RIGHT, READ_ONLY}

SEE_DOCTOR = "; find the cause: pbem doctor"

INTERNAL_ERROR = "XX"
"""Class of the SQLSTATEs of internal errors, such as a damaged file."""

PG_DISK_FULL = "53100"
"""SQLSTATE of a full disk."""

# The low byte of an extended error code of SQLite is the primary code.
_PRIMARY = 0xFF


class _Session(Session):
    """A session whose rows are used after it has ended."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, expire_on_commit=False)


class Store:
    """The database at `url`, and its transactions; keep one per process and close it.

    `waker` is called as the last step of each transaction that has jobs to enqueue; SQLite has no queues (decision 22).
    """

    def __init__(self, url: str, waker: JobDispatcher | None = None) -> None:
        self.engine = open_engine(url)
        is_sqlite = self.engine.dialect.name == "sqlite"
        self._waker = None if is_sqlite else waker
        reading = {} if is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._readers = self.engine.execution_options(**reading)
        self._writers = self.engine.execution_options(pbem_writes=True)
        self._hasty_writers = self.engine.execution_options(pbem_writes=True, pbem_durable=False)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session that reads one snapshot of the database and cannot write. Raises StoreError."""
        # With a commit, since a rollback would make psycopg forget all prepared statements of the connection.
        with _store_errors(self.engine), _Session(self._readers) as session, session.begin():
            yield session

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Session]:
        """Yield a session that is committed at the end of the block, or rolled back by an exception. Raises StoreError.

        If not `durable`, a power cut may undo the commit, as long as no durable session followed (SQLite only).
        """
        writers = self._writers if durable else self._hasty_writers
        with _store_errors(self.engine), _Session(writers) as session, session.begin():
            yield session
            if self._waker is not None and (works := pending_jobs(session)):
                self._waker(session, works)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Yield True if this is the only process that ticks on a PostgreSQL database, from any home or machine.

        The advisory lock belongs to a connection of its own: it ends with the process, however that ends. SQLite
        has no such locks; there a home's own lock has to do.
        """
        if self.engine.dialect.name == "sqlite":
            yield True
            return
        with _store_errors(self.engine):
            connection = _own_connection(self.engine)
        with closing(connection):
            with _store_errors(self.engine):
                ours = _try_lock(connection, func.pg_advisory_lock(TICKING))
            yield ours

    def close(self) -> None:
        self.engine.dispose()


def open_engine(url: str, *, foreign_keys: bool = True, create: bool = False) -> Engine:
    """Return an engine for SQLite or PostgreSQL. Raises ConfigError for a URL that is neither.

    Only with `create` does it create a missing SQLite file; otherwise connecting raises StoreError.
    """
    try:
        engine = create_engine(url, hide_parameters=True)  # parameters are mails and sheets, with tokens in them
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise ConfigError(f"the database {url!r} cannot be used: {error}") from None
    if engine.dialect.name == "sqlite":
        if not create:
            event.listen(engine, "do_connect", _open_existing)
        _prepare_sqlite(engine, foreign_keys=foreign_keys)
    elif engine.dialect.name == "postgresql":
        event.listen(engine, "checkin", _forget_read_only)
    else:
        raise ConfigError(f"the database must be SQLite or PostgreSQL, not {engine.dialect.name}")
    return engine


def flushed_connection(session: Session) -> Connection:
    """Return the connection of a session after a flush, since plain statements do not trigger one."""
    session.flush()
    return session.connection()


def insert_ignore(session: Session, table: Table) -> Any:
    """Return an INSERT that skips rows that are there already, also those committed meanwhile."""
    if session.get_bind().dialect.name == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing()
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table).on_conflict_do_nothing()


class AdvisoryLock:
    """A worker's shared lock: while any worker has it, no tick begins on the database.

    A tick takes the same lock exclusively. The lock is lost with the connection, as when the server is restarted.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None

    def take(self) -> dt.datetime | None:
        """Return the time if the lock is held, or could be taken now; None while a tick is at work. Raises StoreError.

        Asking for the time shows that the connection, and with it the lock, is still there.
        """
        with _store_errors(self._engine):
            if self._connection is not None:
                with suppress(DBAPIError):
                    return read_clock(self._connection)
            self.close()
            connection = _own_connection(self._engine)
            if not _try_lock(connection, func.pg_advisory_lock_shared(TICKING)):
                connection.close()
                return None
            self._connection = connection
            return read_clock(connection)

    def close(self) -> None:
        """Release the lock."""
        if self._connection is not None:
            with suppress(DBAPIError):
                self._connection.close()
            self._connection = None


def _own_connection(engine: Engine) -> Connection:
    """Return a connection outside of the pool, where an advisory lock would outlive its owner."""
    connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    connection.detach()
    return connection


def read_clock(session: Session | Connection) -> dt.datetime:
    """Return the time by the clock of a PostgreSQL database, the same for all machines."""
    now: dt.datetime = session.execute(select(func.clock_timestamp())).scalar_one()
    return now.astimezone(dt.UTC)


def _try_lock(connection: Connection, lock: ColumnElement[Any]) -> bool:
    """Return True if the advisory lock could be taken in time."""
    # SET takes no bound parameters.
    connection.exec_driver_sql(f"SET lock_timeout = '{PATIENCE}'")
    try:
        connection.execute(select(lock))
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", "") != LOCK_NOT_AVAILABLE:
            raise
        return False
    return True


def restoring(url: str, home: str = "HOME") -> str:
    """Return the instruction by which a lost database is restored; FILE, URL and HOME are for the GM to replace."""
    said = f"restore the newest backup into a new folder with: pbem restore FILE {home}"
    if make_url(url).get_backend_name() == "sqlite":
        return said
    return f"{said} --database URL (the URL of an empty database, in the form of `database` in pbem.toml)"


def existing_file(path: Path) -> str:
    """Return the URI by which SQLite opens a file without ever creating it. Raises StoreError if it is missing."""
    if _is_missing(path):
        where = "" if path.parent.is_dir() else f", and so is the folder {path.parent}"
        raise StoreError(
            f"the database {path} is missing{where}: put it back where it was, or correct `database` in pbem.toml; "
            f"if it is lost, {restoring('sqlite://')}"
        )
    return f"{path.absolute().as_uri()}?mode=rw"


def _is_missing(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:  # a folder without permission: SQLite reports it
        return False


def _open_existing(_dialect: object, _record: object, arguments: list[Any], settings: dict[str, Any]) -> None:
    """Make SQLite open an existing file only: by itself it creates an empty database for every reader."""
    arguments[0] = existing_file(Path(arguments[0]))
    settings["uri"] = True


def _prepare_sqlite(engine: Engine, *, foreign_keys: bool) -> None:
    @event.listens_for(engine, "connect")
    def connected(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # no transactions by the driver: `_begin_sqlite` begins them
        # Bytes that are not UTF-8 are read as surrogates (PEP 383), so that only their own row is unusable.
        connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        # SQLite keeps busy_timeout and foreign_keys for one connection only.
        for pragma in (
            f"busy_timeout = {BUSY_SECONDS * 1000}",
            "journal_mode = WAL",  # readers and the writer do not wait for each other
            f"foreign_keys = {'ON' if foreign_keys else 'OFF'}",
        ):
            connection.execute(f"PRAGMA {pragma}")


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Begin a transaction on a connection; commit it at the end of the block, or roll it back by an exception."""
    with connection.begin():
        _begin_sqlite(connection)
        yield


@event.listens_for(_Session, "after_begin")
def _begun(_session: Session, transaction: SessionTransaction, connection: Connection) -> None:
    if not transaction.nested:  # a savepoint is within a transaction
        _begin_sqlite(connection)


# Not by a listener of the engine: if it has any, SQLAlchemy looks for more at each statement, for a tenth of its time.
def _begin_sqlite(connection: Connection) -> None:
    """Begin the transaction of a connection, unless its driver does so by itself."""
    if connection.dialect.name != "sqlite":
        return
    # Before BEGIN, since SQLite refuses to change `synchronous` within a transaction; and each time, since readers
    # and writers get the same connections.
    options = connection.get_execution_options()
    writes, durable = options.get("pbem_writes", False), options.get("pbem_durable", True)
    _set_pragma(connection, "query_only", "OFF" if writes else "ON")
    if writes:
        _set_pragma(connection, "synchronous", "FULL" if durable else "NORMAL")
    # IMMEDIATE takes the write lock now: SQLite refuses at once, without waiting, to upgrade a stale read lock.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _forget_read_only(connection: Any, _record: object) -> None:
    """Leave it to the server whether the next transaction may write.

    SQLAlchemy resets a connection from "read only" to "read write", which it then sends with each BEGIN: on a server
    with `default_transaction_read_only` a connection that had been used for reading could write, and a new one not.
    """
    if connection is not None and not connection.closed:
        connection.read_only = None


def _set_pragma(connection: Connection, pragma: str, value: str) -> None:
    """Set a pragma of a connection, unless it has that value already."""
    if connection.info.get(pragma) != value:
        connection.exec_driver_sql(f"PRAGMA {pragma} = {value}")
        connection.info[pragma] = value


def why_refused(error: BaseException, database: URL | Path) -> str:
    """Return the first line of a database's error; a full disk is named as such."""
    return DISK_FULL if _is_disk_full(error, database) else str(error).strip().partition("\n")[0]


def _is_disk_full(error: BaseException, database: URL | Path) -> bool:
    if getattr(error, "sqlstate", "") == PG_DISK_FULL:
        return True
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & _PRIMARY
    # SQLITE_FULL is for the database file alone; for journals on a full disk SQLite returns IOERR or CANTOPEN.
    if code not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return code == sqlite3.SQLITE_FULL
    file = Path(database.database or "") if isinstance(database, URL) else database
    return not has_room(file.parent)


@contextmanager
def _store_errors(engine: Engine) -> Iterator[None]:
    """Turn database errors that only a GM can fix into StoreError; errors of this program stay what they are."""
    try:
        yield
    except DBAPIError as error:
        said = why_refused(error.orig or error, engine.url)
        sqlstate = getattr(error.orig, "sqlstate", None) or ""
        examined = sqlstate in _FOR_DOCTOR or "no such table" in said
        # SQLite raises the bare DatabaseError for a file that is no database.
        operational = isinstance(error, OperationalError) or type(error) is DatabaseError
        if not (examined or operational or sqlstate.startswith(INTERNAL_ERROR)):
            raise
        advice = SEE_DOCTOR if examined else ""
        raise StoreError(f"the database {engine.url.render_as_string()} cannot be used: {said}{advice}") from error
