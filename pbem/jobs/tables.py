"""The tables of procrastinate, beside ours: made and brought up to its version with them.

Its version is not ours: each of its releases may bring steps of its own, which
are taken from the package that is installed. A fact remembers the newest taken.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import inspect, make_url
from sqlalchemy.orm import Session

from pbem.errors import ConfigError, StoreError
from pbem.store import Store
from pbem.store.models import Fact

QUEUES = "queues"
"""The name of the fact."""

_JOBS = "procrastinate_jobs"


def can_have_queues(url: str) -> bool:
    """Whether a database is of the kind that holds queues, and what serves them is installed."""
    return make_url(url).get_backend_name() == "postgresql" and find_spec("procrastinate") is not None


def are_queues_there(session: Session) -> bool:
    """Whether the tables have been made."""
    return session.get(Fact, QUEUES) is not None


def check_queues(store: Store) -> None:
    """Whether there can be workers. Raises ConfigError with what is missing."""
    if store.engine.dialect.name != "postgresql":
        raise ConfigError("workers need PostgreSQL, and the database is SQLite: use pbem serve or pbem tick there")
    if find_spec("procrastinate") is None:
        raise ConfigError("workers need the package procrastinate; install it with: pip install 'pbem[postgresql]'")
    with store.reading() as session:
        fact = session.get(Fact, QUEUES)
    if fact is None or fact.data["newest"] < _steps()[-1].name:
        raise ConfigError("the database has no queues for workers, or older ones; run: pbem migrate")


def prepare_queues(url: str) -> None:
    """Makes the tables, or takes what steps they lack; nothing where there can be no queues. Raises StoreError."""
    if not can_have_queues(url):
        return
    store = Store(url)
    try:
        with store.writing() as session:
            _bring_up(session)
    finally:
        store.close()


def _bring_up(session: Session) -> None:
    session.connection().exec_driver_sql("LOCK TABLE fact IN EXCLUSIVE MODE")  # two at once go one after the other
    fact, steps = session.get(Fact, QUEUES), _steps()
    if fact is not None:
        missing = [step for step in steps if step.name > fact.data["newest"]]
    else:
        # Tables without the fact are those of a database whose own tables were taken back to an early step.
        missing = [] if inspect(session.connection()).has_table(_JOBS) else [_sql_folder() / "schema.sql"]
    driver: Any = session.connection().connection.driver_connection
    for step in missing:
        try:
            driver.execute(step.read_text(encoding="utf-8").encode())
        except driver.Error as error:
            raise StoreError(f"the queues of workers cannot be made: {error}") from error
    session.merge(Fact(name=QUEUES, data={"newest": steps[-1].name}))


def _steps() -> list[Path]:
    """The package's migrations, from the oldest to the newest: their names begin with the version."""
    return sorted((_sql_folder() / "migrations").glob("*.sql"))


def _sql_folder() -> Path:
    from procrastinate import schema

    return Path(schema.SchemaManager.get_migrations_path()).parent
