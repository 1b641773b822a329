"""Fixtures for all tests: databases of both kinds, and a running mail system.

Servers start when a test first asks for one, once for each pytest process.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.store import Store, migrate
from tests.servers.mail import MailServer, running_mail
from tests.servers.postgres import PostgresServer, running_postgres
from tests.servers.processes import server_folder


@pytest.fixture(scope="session")
def _migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("migrated") / "pbem.sqlite"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(_migrated: Path, tmp_path: Path) -> str:
    """A SQLite database with all tables, of the test's own."""
    path = tmp_path / "pbem.sqlite"
    shutil.copyfile(_migrated, path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def _postgres() -> Iterator[PostgresServer]:
    with server_folder("postgres") as folder, running_postgres(folder) as server:
        yield server


@pytest.fixture
def postgres_url(_postgres: PostgresServer) -> Iterator[str]:
    """A PostgreSQL database without any tables, of the test's own."""
    with _postgres.fresh_database() as url:
        yield url


@pytest.fixture
def store(sqlite_url: str) -> Iterator[Store]:
    """A store on SQLite with all tables, of the test's own."""
    store = Store(sqlite_url)
    yield store
    store.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def any_store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store with all tables, on each database in turn."""
    if request.param == "sqlite":
        url = request.getfixturevalue("sqlite_url")
    else:
        url = request.getfixturevalue("postgres_url")
        migrate(url)
    store = Store(url)
    yield store
    store.close()


@pytest.fixture(scope="session")
def _mail_server() -> Iterator[MailServer]:
    with server_folder("mail") as folder, running_mail(folder) as server:
        yield server


@pytest.fixture
def mail_server(_mail_server: MailServer) -> MailServer:
    """The running Dovecot and Postfix, with all mailboxes empty."""
    _mail_server.empty()
    return _mail_server
