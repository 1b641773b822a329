"""Fixtures: homes on a PostgreSQL database that has queues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from pbem.store.migrate import migrate
from pbem.store.queue import create_queue_tables
from tests.servers.postgres import PostgresServer
from tests.toy.home import Desk, open_desk


@pytest.fixture(scope="session")
def _queues(_postgres: PostgresServer) -> Iterator[str]:
    with _postgres.fresh_database() as url:
        migrate(url)
        create_queue_tables(url)
        yield url


@pytest.fixture
def queues_url(_postgres: PostgresServer, _queues: str) -> Iterator[str]:
    """Yield the URL of a PostgreSQL database of the test's own, with all tables and queues."""
    with _postgres.fresh_database(like=_queues) as url:
        yield url


Copied = Callable[[str], AbstractContextManager[str]]
"""Copies the database at a URL, which no connection may be using, for as long as a block runs."""


@pytest.fixture
def copied(_postgres: PostgresServer) -> Copied:
    """Return a function that copies a database for the time of a block."""
    return lambda url: _postgres.fresh_database(like=url)


@pytest.fixture
def desk(queues_url: str, tmp_path: Path) -> Iterator[Desk]:
    """Yield a home on that database."""
    with open_desk(tmp_path / "home", database=queues_url) as desk:
        yield desk
