"""Fixtures for all tests: databases of both kinds, and a running mail system.

Servers start when a test first needs one, once for each pytest process.
"""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.store.migrate import migrate
from pbem.store.plain import FOLDER, REVISIONS
from pbem.store.session import Store
from pbem.testing.suite import migrated_database
from pbem.util import gc_paused
from tests.servers.mail import MailServer, running_mail
from tests.servers.postgres import PostgresServer, running_postgres
from tests.servers.processes import fastest_folder, server_folder
from tests.servers.statements import share_statements

pytest_plugins = ["tests.sampling"]
HERE = Path(__file__).parent

SLOW_FOLDERS = frozenset(
    {"backup", "bench", "browser", "docs", "faults", "learn", "mail_servers", "scheduler", "season", "skeleton"}
)
"""Folders whose tests start servers and programs, or kill them."""

SLOW_FILES = frozenset(
    f"test_{name}.py"
    for name in (
        *("bots", "conservation", "fuzz_reading", "golden", "growth", "interleaving", "migrations", "oracle"),
        *("outlook", "patterns", "pool", "prose", "schemas", "secrecy", "suite"),
    )
)
"""Files, in whatever folder, whose tests play whole games, look at very many cases, or at all files."""

SLOW_FIXTURES = frozenset({"_postgres", "_mail_server", "browser", "tmp_path", "tmp_path_factory"})
"""What starts servers, and what homes with their databases are made in: 0.15 seconds each, for 3,000 tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Prepare for thousands of small files and commits that would wait for the disk."""
    config.addinivalue_line("markers", "slow: takes more than about a second, or servers or a browser")
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(fastest_folder()))
    share_statements()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests, and put them first: started last, they would keep one worker busy while the others are idle."""
    for item in items:
        if is_slow(item):
            item.add_marker("slow")
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def is_slow(item: pytest.Item) -> bool:
    """Return True if a test is slow by its folder, its file, its fixtures, or a parameter that names a server."""
    folder, name = item.path.relative_to(HERE).parts[0], item.path.name
    params = item.callspec.params.values() if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ()
    fixtures = getattr(item, "fixturenames", ())
    return (
        folder in SLOW_FOLDERS
        or name in SLOW_FILES
        or not SLOW_FIXTURES.isdisjoint(fixtures)
        or any(param == "postgresql" for param in params)
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Import all modules with the garbage collector paused."""
    with gc_paused():
        return (yield)


def pytest_collection_finish() -> None:
    """Exclude the imported modules from garbage collection, since they stay to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Return a SQLite database with all tables, for this test alone."""
    path = tmp_path / "pbem.sqlite"
    path.write_bytes(migrated_database())
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def _postgres() -> Iterator[PostgresServer]:
    with server_folder("postgres") as folder, running_postgres(folder) as server:
        yield server


@pytest.fixture
def postgres_url(_postgres: PostgresServer) -> Iterator[str]:
    """Yield a PostgreSQL database without any tables, for this test alone."""
    with _postgres.fresh_database() as url:
        yield url


@pytest.fixture(scope="session")
def _migrated_postgres(_postgres: PostgresServer) -> Iterator[str]:
    with _postgres.fresh_database() as url:
        migrate(url)
        yield url


@pytest.fixture
def migrated_postgres_url(_postgres: PostgresServer, _migrated_postgres: str) -> Iterator[str]:
    """Yield a PostgreSQL database with all tables, for this test alone."""
    with _postgres.fresh_database(like=_migrated_postgres) as url:
        yield url


@pytest.fixture
def later_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the program know one migration more, an example; return the folder of its migrations.

    Databases that were made before are of an older version from then on.
    """
    migrated_database()  # kept for all tests, so it must not be made with the example
    folder = shutil.copytree(FOLDER, tmp_path / "migrations")
    shutil.copy(HERE / "store" / "later" / "9999_an_example.py", folder / "versions")
    monkeypatch.setattr("pbem.store.plain.FOLDER", folder)
    monkeypatch.setattr("pbem.store.plain.REVISIONS", (*REVISIONS, "9999"))
    return folder


@pytest.fixture
def store(sqlite_url: str) -> Iterator[Store]:
    """Yield a store on SQLite with all tables, for this test alone."""
    store = Store(sqlite_url)
    yield store
    store.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def any_store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Yield a store with all tables, on each database in turn."""
    store = Store(request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "migrated_postgres_url"))
    yield store
    store.close()


@pytest.fixture(scope="session")
def _mail_server() -> Iterator[MailServer]:
    with server_folder("mail") as folder, running_mail(folder) as server:
        yield server


@pytest.fixture
def mail_server(_mail_server: MailServer) -> MailServer:
    """Return the running Dovecot and Postfix, with all mailboxes empty."""
    _mail_server.empty()
    return _mail_server
