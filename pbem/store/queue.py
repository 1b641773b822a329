"""The job queue (procrastinate): its tables, their upgrades, and the enqueuing of jobs.

The tables of procrastinate have versions of their own: each of its releases may
bring migrations, which are taken from the installed package. A key/value row
remembers the newest one applied.

A waiting job stands for all work of its kind, or of its campaign, so there is
never a second one. It is locked until the enqueuing transaction ends, so that no worker begins
it without seeing what was changed.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, inspect, make_url, text
from sqlalchemy.orm import Session

from pbem.errors import ConfigError, StoreError
from pbem.store.models import KeyValue
from pbem.store.session import JobQueue, QueuedJob, Store

if TYPE_CHECKING:
    from procrastinate import App

QUEUES = "queues"
"""Key of the value that remembers the newest migration applied."""

_JOBS = "procrastinate_jobs"


def can_have_queues(url: str) -> bool:
    """Return True if a database can hold queues and procrastinate is installed."""
    return make_url(url).get_backend_name() == "postgresql" and find_spec("procrastinate") is not None


def has_queues(store: Store) -> bool:
    """Return True if workers can share the work on the database."""
    if not can_have_queues(str(store.engine.url)):
        return False
    with store.reading() as session:
        return session.get(KeyValue, QUEUES) is not None


def require_queues(store: Store) -> None:
    """Raise ConfigError naming what is missing unless workers can run on the database."""
    if store.engine.dialect.name != "postgresql":
        raise ConfigError("workers need PostgreSQL, and the database is SQLite: use pbem serve or pbem tick there")
    if find_spec("procrastinate") is None:
        raise ConfigError("workers need the package procrastinate; install it with: pip install 'pbem[postgresql]'")
    with store.reading() as session:
        fact = session.get(KeyValue, QUEUES)
    if fact is None or fact.data["newest"] < _migration_files()[-1].name:
        raise ConfigError("the database has no queues for workers, or older ones; run: pbem migrate")


def create_queue_tables(url: str) -> None:
    """Create or upgrade the tables of procrastinate, if the database can have queues. Raises StoreError."""
    if not can_have_queues(url):
        return
    store = Store(url)
    try:
        with store.writing() as session:
            _upgrade_tables(session)
    finally:
        store.close()


def add_queues(connection: Connection) -> None:
    """Create or upgrade the tables within a transaction, if the database can have queues. Raises StoreError."""
    if can_have_queues(str(connection.engine.url)):
        with Session(connection) as session, session.begin():
            _upgrade_tables(session)


def _upgrade_tables(session: Session) -> None:
    session.connection().exec_driver_sql("LOCK TABLE fact IN EXCLUSIVE MODE")  # two upgrades run one after the other
    fact, steps = session.get(KeyValue, QUEUES), _migration_files()
    if fact is not None:
        missing = [step for step in steps if step.name > fact.data["newest"]]
    else:
        # Tables without the remembered value: the database was downgraded beyond the migration that made `fact`.
        missing = [] if inspect(session.connection()).has_table(_JOBS) else [_sql_folder() / "schema.sql"]
    driver: Any = session.connection().connection.driver_connection
    for step in missing:
        try:
            driver.execute(step.read_text(encoding="utf-8").encode())
        except driver.Error as error:
            raise StoreError(f"the queues of workers cannot be made: {error}") from error
    session.merge(KeyValue(name=QUEUES, data={"newest": steps[-1].name}))


def _migration_files() -> list[Path]:
    """Return the migrations of the package, oldest first: their names begin with the version."""
    return sorted((_sql_folder() / "migrations").glob("*.sql"))


def _sql_folder() -> Path:
    from procrastinate import schema

    return Path(schema.SchemaManager.get_migrations_path()).parent


ATTEMPTS = 5
"""Tries of an enqueuing while others put in and take out the same job at the same moment."""

# A deadline counts once a poll has followed it, and answers must not wait for the reports of a large turn.
_PRIORITIES = {JobQueue.POLL: 2, JobQueue.SEND: 1}

# FOR SHARE: no worker takes the waiting job before this transaction ends, and then it sees the changes.
_WAITING = text("SELECT id FROM procrastinate_jobs WHERE queueing_lock = :name AND status = 'todo' FOR SHARE")


def enqueue(session: Session, jobs: Collection[QueuedJob]) -> None:
    """Enqueue jobs within a transaction, if the database has queues. Raises StoreError."""
    if can_have_queues(str(session.get_bind().engine.url)) and session.get(KeyValue, QUEUES) is not None:
        for job in sorted(jobs):  # in one order for all transactions, against deadlocks
            _enqueue(session, job)


def _enqueue(session: Session, job: QueuedJob) -> None:
    """Enqueue a job, unless an equal one waits already. Raises StoreError."""
    from procrastinate.exceptions import AlreadyEnqueued, ConnectorException

    # Under this name at most one job waits, and at most one runs.
    name = f"{job.queue} {job.campaign}".rstrip()
    for _ in range(ATTEMPTS):
        if session.connection().execute(_WAITING, {"name": name}).first():
            return
        # In a savepoint: if another process was faster, the transaction goes on.
        with suppress(AlreadyEnqueued), session.begin_nested():
            task = _app().configure_task(
                job.queue.value,
                queue=job.queue.value,
                lock=name,
                queueing_lock=name,
                priority=_PRIORITIES.get(job.queue, 0),
                connection=session.connection().connection.driver_connection,
            )
            try:
                task.defer(campaign=job.campaign)
            except ConnectorException as error:
                raise StoreError(f"no work can be put into the queue {job.queue}: {error.__cause__}") from error
            return


# Without a connection of its own: it borrows those of the transactions.
@cache
def _app() -> App:
    from procrastinate import App, SyncPsycopgConnector

    return App(connector=SyncPsycopgConnector())
