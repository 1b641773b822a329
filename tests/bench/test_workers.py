"""Tests that the benchmark of workers does the same night with any number of them, and refuses one that did less."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from bench.night import Miscount
from bench.workers import Night, Played, night, prepare, row
from tests.servers.mail import MailServer
from tests.servers.postgres import PostgresServer


@pytest.fixture
def played(mail_server: MailServer, postgres_url: str, tmp_path: Path) -> Played:
    """Return two campaigns after their first turn."""
    return prepare(mail_server, tmp_path / "home", postgres_url, game="singularity", campaigns=2, turns=1)


@pytest.mark.in_turn
def test_two_workers_do_the_night(mail_server: MailServer, played: Played, servers: PostgresServer) -> None:
    """All messages are answered and all turns run; a night with other messages is refused."""
    done = night(mail_server, servers, played, 2)

    assert (done.workers, played.campaigns) == (2, 2)
    assert min(done.wall, done.crew, done.database) > 0
    with pytest.raises(Miscount, match="letters dealt with instead of"):
        night(mail_server, servers, dataclasses.replace(played, sheets=[*played.sheets, *played.sheets[:1]]), 1)


@pytest.fixture
def servers(_postgres: PostgresServer) -> PostgresServer:
    """Return the running PostgreSQL."""
    return _postgres


def test_the_table_tells_how_much_faster_more_are() -> None:
    """Rows show campaigns a minute, their ratio to the first night's, and the costs."""
    one, two = Night(1, 60.0, 30.0, 6.0), Night(2, 40.0, 33.0, 9.0)

    assert row(two, one, 60).split() == ["2", "40.0", "90.0", "1.50", "550", "150"]
