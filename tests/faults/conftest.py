"""The nights that tests disturb, each prepared once for all of a worker's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.life import life_night
from tests.faults.local import LocalNight, PostgresNight, make_night
from tests.faults.night import whole_night
from tests.faults.servers import ServerNight, preparing
from tests.servers.mail import MailServer
from tests.servers.postgres import PostgresServer
from tests.servers.processes import server_folder
from tests.toy.fixtures import desk

__all__ = ["desk"]


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """Make a folder for nights."""
    with server_folder("nights") as folder:
        yield folder


@pytest.fixture(scope="session")
def night(folder: Path) -> LocalNight:
    """Prepare the whole night in a home of files alone."""
    return LocalNight(make_night(folder, whole_night))


@pytest.fixture(scope="session")
def life(folder: Path) -> LocalNight:
    """Prepare the night with the life of campaigns in it, in a home of files alone."""
    return LocalNight(make_night(folder, life_night))


@pytest.fixture(scope="session")
def life_on_postgresql(folder: Path, _postgres: PostgresServer) -> Iterator[PostgresNight]:
    """Prepare the same night on PostgreSQL."""
    with _postgres.fresh_database() as template:
        yield PostgresNight(make_night(folder / "postgresql", life_night, database=template), template, _postgres)


@pytest.fixture(scope="session")
def servers(folder: Path, _mail_server: MailServer, _postgres: PostgresServer) -> Iterator[ServerNight]:
    """Prepare the small night on the running servers."""
    with preparing(folder, _mail_server, _postgres) as night:
        yield night
