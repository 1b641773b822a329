"""Fixtures of the night, prepared once for each file of tests that disturbs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.local import LocalNight, prepare
from tests.faults.servers import ServerNight, Undisturbed, preparing
from tests.servers.mail import MailServer
from tests.servers.postgres import PostgresServer
from tests.servers.processes import server_folder
from tests.toy.fixtures import desk

__all__ = ["desk"]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Yield a folder for a file's nights."""
    with server_folder("nights") as folder:
        yield folder


@pytest.fixture(scope="module")
def night(folder: Path) -> LocalNight:
    """Return the whole night in a home of files alone."""
    return prepare(folder)


@pytest.fixture(scope="module")
def servers(folder: Path, _mail_server: MailServer, _postgres: PostgresServer) -> Iterator[ServerNight]:
    """Yield the small night on the running servers."""
    with preparing(folder, _mail_server, _postgres) as night:
        yield night


@pytest.fixture(scope="module")
def undisturbed(servers: ServerNight) -> Undisturbed:
    """Return the points of the night, and its outcome."""
    return servers.undisturbed()
