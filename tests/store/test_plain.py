"""Questions to a database without SQLAlchemy."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.store.plain import REVISIONS, has_no_messages, read_column
from pbem.store.session import Store
from tests.store.test_migrations import execute
from tests.toy.home import open_desk


def test_a_column_is_read_of_either_database(any_store: Store) -> None:
    """A parameter and a statement are the same for SQLite and for a server."""
    url = any_store.engine.url.render_as_string(hide_password=False)

    newest = "SELECT version_num FROM alembic_version WHERE version_num <> :other"

    assert tuple(read_column(url, newest, {"other": "0001", "unused": None})) == REVISIONS[-1:]
    assert list(read_column(url, newest, {"other": None})) == []


def test_a_column_is_read_by_a_connection_that_cannot_write(any_store: Store) -> None:
    """A statement that changes anything is refused."""
    url = any_store.engine.url.render_as_string(hide_password=False)

    with pytest.raises(Exception, match=r"readonly|read-only"):
        read_column(url, "DELETE FROM campaign", {})


def test_an_inbox_is_known_to_be_empty(sqlite_url: str, later_migration: Path) -> None:
    """It is with the newest migration alone, and never where there is no database that can be read."""
    assert not has_no_messages(sqlite_url)
    assert not has_no_messages(f"{sqlite_url}.missing")

    execute(sqlite_url, "UPDATE alembic_version SET version_num = '9999'")

    assert has_no_messages(sqlite_url)


def test_an_inbox_with_a_message_is_not_empty(tmp_path: Path) -> None:
    """Nor is a server's known to be, which is asked in the usual way."""
    with open_desk(tmp_path / "home") as desk:
        url = desk.app.settings.database
        empty = has_no_messages(url)
        desk.post("HELP")
        desk.tick()

        assert (empty, has_no_messages(url)) == (True, False)
    assert not has_no_messages("postgresql://nobody@127.0.0.1:1/none")
