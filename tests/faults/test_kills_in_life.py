"""Tests of a night with joins, leaves, votes and a GM's messages, killed at commits and at changes of the archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.faults.life import life_night
from tests.faults.local import LocalNight, copy_home, prepare, put_in_inbox, recovered
from tests.faults.night import tick_in_a_process
from tests.faults.outcome import Outcome, faults
from tests.faults.servers import change_settings
from tests.servers.postgres import PostgresServer
from tests.toy.home import make_home

SHARE = 6
"""One in so many commits is killed on PostgreSQL, where a copy is slow; from when the messages have their numbers."""


@pytest.fixture(scope="module")
def life(folder: Path) -> LocalNight:
    """Return the night in a home of files alone."""
    return prepare(folder, life_night)


def test_a_kill_at_any_commit(life: LocalNight) -> None:
    """Every request takes effect once, each is answered, and archive and mails are as after an undisturbed night."""
    assert sum(name.startswith("commit") for name in life.passed) > 60

    assert faults(_unlike(life.passed), "commit", life.after_kill, life.undisturbed) == {}


def _unlike(passed: Sequence[str]) -> list[str]:
    """Return the points without those right after a commit, where a kill leaves the same as at the commit."""
    return [
        "" if (before, name) == ("commit: after", "commit: before") else name
        for before, name in pairwise(["", *passed])
    ]


def test_a_kill_at_any_change_of_the_archive(life: LocalNight) -> None:
    """Turns that are rolled back or rerun are withdrawn and written completely, wherever the host dies."""
    changes = [name if "/turns/" in name and "before" in name else "" for name in life.passed]
    assert sum(map(bool, changes)) > 10

    assert faults(changes, "file", life.after_kill, life.undisturbed) == {}


@dataclass(frozen=True)
class PostgresNight:
    """The same night with its database on a server; the one at `template` is for copying."""

    home: Path
    template: str
    server: PostgresServer

    def after_kill(self, at: int | None) -> Outcome:
        """Return the outcome of the night if its tick is killed at a point, or at none, and others follow."""
        with self._copy() as home:
            assert tick_in_a_process(home, at=at).code == (0 if at is None else -9)
            return recovered(home)

    def passed(self) -> tuple[str, ...]:
        """Return the points that its tick passes."""
        with self._copy() as home:
            return tick_in_a_process(home).passed

    @contextmanager
    def _copy(self) -> Iterator[Path]:
        home = copy_home(self.home, "copy")
        with self.server.fresh_database(like=self.template) as url:
            change_settings(home, database=url)
            yield home


@pytest.fixture
def served(life: LocalNight, tmp_path: Path, _postgres: PostgresServer) -> Iterator[PostgresNight]:
    """Yield the night on PostgreSQL."""
    with _postgres.fresh_database() as template:
        home = make_home(tmp_path / "home", database=template)
        put_in_inbox(home, life_night(home))
        yield PostgresNight(home, template, _postgres)


def test_a_kill_at_commits_to_postgresql(served: PostgresNight) -> None:
    """The outcome is the same on PostgreSQL, where a killed transaction leaves gaps in the numbers."""
    commits = [at for at, name in enumerate(served.passed()) if name.startswith("commit")]
    some = ["commit" if at in commits[SHARE::SHARE] else "" for at in range(commits[-1] + 1)]

    assert len(commits) > 60
    assert faults(some, "commit", served.after_kill, served.after_kill(None)) == {}
