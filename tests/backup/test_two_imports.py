"""Concurrent imports, and an import beside a writer that holds the database for long."""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest
from sqlalchemy import event

from pbem.app import open_app
from pbem.archive.verify import verify
from pbem.backup.transfer import import_campaign
from pbem.errors import BackupError, StoreError
from pbem.store.models import Campaign, OutgoingMail
from tests.actions.history import rows
from tests.backup.test_moving import Moved, another_home, moved
from tests.toy.home import GAMES, Desk

__all__ = ["moved"]


@pytest.fixture(params=["sqlite", "postgresql"])
def alone(request: pytest.FixtureRequest, moved: Moved, tmp_path: Path) -> Iterator[Desk]:
    """Yield the new home before the import, on each database in turn."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("migrated_postgres_url")
    with another_home(tmp_path / "new", moved.old, database=url) as desk:
        yield desk


def import_into(home: Path, file: Path, now: dt.datetime) -> str:
    """Import on a connection of its own; return the sentence of a refusal."""
    with open_app(home, GAMES) as app:
        try:
            import_campaign(app, file, now)
        except BackupError as error:
            return str(error)
    return ""


@pytest.mark.sampled(1)
def test_of_three_imports_at_once_one_is_done(moved: Moved, alone: Desk) -> None:
    """Of three imports at once two are refused; the players are asked once, and the archive is complete."""
    before = len(rows(alone, OutgoingMail))
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        tries = [pool.submit(import_into, alone.home, moved.file, alone.now) for _ in range(3)]
        said = sorted(each.result() for each in tries)

    assert said[0] == ""
    assert all(re.search("here already|there already", each) for each in said[1:]), said
    assert [row.name for row in rows(alone, Campaign)] == ["toy2", "toy1"]
    assert (
        len({mail.message_id for mail in rows(alone, OutgoingMail)[before:]}) == len(rows(alone, OutgoingMail)) - before
    )
    assert len([mail for mail in rows(alone, OutgoingMail)[before:] if "wish to play on" in raw(mail)]) == 3
    assert verify(alone.app.settings.archive, "toy1", games=GAMES).turns == 2
    assert [path.name for path in alone.app.settings.archive.glob(".*")] == []


def raw(mail: OutgoingMail) -> str:
    """Return the bytes of a mail as text."""
    return mail.raw.decode("ascii", "replace")


def be_impatient(connection: sqlite3.Connection, *_: object) -> None:
    """Do not wait for other writers."""
    connection.execute("PRAGMA busy_timeout = 0")


def test_beside_a_writer_that_does_not_end_nothing_is_imported(moved: Moved, tmp_path: Path) -> None:
    """An import is refused while another writer holds the database, leaves nothing behind, and works afterwards."""
    with another_home(tmp_path / "new", moved.old) as alone:
        alone.app.store.engine.dispose()
        event.listen(alone.app.store.engine, "checkout", be_impatient)
        with closing(sqlite3.connect(alone.home / "pbem.sqlite", isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="database is locked"):
                import_campaign(alone.app, moved.file, alone.now)

        assert [row.name for row in rows(alone, Campaign)] == ["toy2"]
        assert [path.name for path in alone.app.settings.archive.iterdir()] == ["toy2"]
        assert import_into(alone.home, moved.file, alone.now) == ""
