"""Migrations make the tables of the models, on SQLite and PostgreSQL, and can be reversed."""

from __future__ import annotations

import datetime as dt
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, select
from sqlalchemy.orm import Session

from pbem.errors import ConfigError, StoreError
from pbem.store.migrate import downgrade, knows_revision, migrate, require_current_schema, schema_is_current
from pbem.store.models import (
    Base,
    Campaign,
    JournalEntry,
    OrderSheet,
    PendingRequest,
    Person,
    Report,
    Seat,
    Turn,
    WithdrawnTurns,
)
from pbem.store.plain import FOLDER
from pbem.store.session import Store
from pbem.store.types import HoldKind

PNG = bytes(range(256))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Yield a database without tables, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.sqlite'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


def tables(url: str) -> set[str]:
    """Return the names of all tables in a database."""
    store = Store(url)
    try:
        return set(inspect(store.engine).get_table_names())
    finally:
        store.close()


def test_the_migrations_make_what_the_models_say(any_store: Store) -> None:
    """A comparison of the migrated tables with the models finds no difference in types, indexes or constraints."""
    with any_store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})

        assert compare_metadata(context, Base.metadata) == []


def test_partial_indexes_have_the_conditions_that_the_models_say(tmp_path: Path) -> None:
    """An index of a table has the condition in its model, and one without has none."""
    migrate(url := f"sqlite:///{tmp_path / 'new.sqlite'}")
    said = {
        (str(each.name), each.info.get("where", ""))
        for table in Base.metadata.tables.values()
        for each in table.indexes
    }

    assert _indexes(url) == said
    assert any(where for _, where in said)


def test_the_names_of_the_migrations_begin_with_their_revisions(tmp_path: Path) -> None:
    """The revisions are known by the names of the files: they are those that alembic reads in them, in one line."""
    steps = list(ScriptDirectory(str(FOLDER)).walk_revisions())
    migrate(url := f"sqlite:///{tmp_path / 'new.sqlite'}")

    assert [step.revision for step in steps] == sorted((step.revision for step in steps), reverse=True)
    assert [Path(step.path).name[:5] for step in steps] == [f"{step.revision}_" for step in steps]
    assert all(knows_revision(step.revision) for step in steps)
    assert schema_is_current(url)


def test_up_and_down(empty_url: str) -> None:
    """All upgrades make every table; all downgrades leave none but Alembic's own."""
    migrate(empty_url)
    made = tables(empty_url)
    downgrade(empty_url, "base")

    assert made == {*Base.metadata.tables, "alembic_version"}
    assert tables(empty_url) == {"alembic_version"}


def test_a_migrated_database_is_current(empty_url: str) -> None:
    """A migrated database is current, also when it is migrated again; one whose tables were dropped is not."""
    migrate(empty_url)
    migrate(empty_url, create=False)
    current = schema_is_current(empty_url)
    downgrade(empty_url, "base")

    assert (current, schema_is_current(empty_url)) == (True, False)


def test_only_who_says_so_makes_tables(empty_url: str) -> None:
    """An upgrade creates no tables where there are none, as after the file was lost, unless asked to."""
    with pytest.raises(ConfigError, match="restore the newest backup"):
        migrate(empty_url, create=False)
    migrate(empty_url)
    downgrade(empty_url, "base")
    with pytest.raises(ConfigError, match="has no tables of pbem: restore the newest backup"):
        migrate(empty_url, create=False)

    assert tables(empty_url) == {"alembic_version"}


def test_a_newer_database_is_refused(empty_url: str) -> None:
    """A database at an unknown revision is not current, and migrating it is refused in a sentence."""
    migrate(empty_url)
    execute(empty_url, "UPDATE alembic_version SET version_num = '9999'")

    assert not schema_is_current(empty_url)
    for act in (migrate, require_current_schema):
        with pytest.raises(
            ConfigError, match=r"newer pbem, to migration 9999; this one knows those to 0\d{3}: install"
        ):
            act(empty_url)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """A database file that cannot be created is a sentence, not a traceback."""
    with pytest.raises(ConfigError, match="cannot be used: unable to open database file"):
        migrate(f"sqlite:///{tmp_path / 'missing' / 'pbem.sqlite'}")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """A file of another kind is a sentence too, and left as it was."""
    (tmp_path / "pbem.sqlite").write_text("To be or not to be, that is the question. " * 50)

    for act in (migrate, schema_is_current):
        with pytest.raises(StoreError, match="cannot be used: file is not a database"):
            act(f"sqlite:///{tmp_path / 'pbem.sqlite'}")


def test_a_database_of_before_the_first_release_is_refused(empty_url: str) -> None:
    """A database at a migration that is no more is not brought up, and told what to do."""
    migrate(empty_url)
    execute(empty_url, "UPDATE alembic_version SET version_num = '0020'")

    assert not schema_is_current(empty_url)
    for act in (migrate, require_current_schema):
        with pytest.raises(
            ConfigError, match="is of migration 0020, of a time before the first release: bring it up to"
        ):
            act(empty_url)


NEWEST = max(path.name.partition("_")[0] for path in Path(FOLDER, "versions").glob("0*.py"))
"""The last migration of the program."""


@pytest.fixture
def filled(empty_url: str, later_migration: Path) -> str:
    """Return a database of today with a campaign in it, of a program that has a later migration, too."""
    migrate(empty_url, NEWEST)
    store = Store(empty_url)
    with store.writing() as session:
        _fill(session)
    store.close()
    return empty_url


NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
_FACTS = {
    "policy": {},
    "gm_token_hash": "",
    "moved_to": "",
    "revision": 0,
    "dice_words": [],
    "origin": 0,
    "gm_name": "",
}


def _fill(session: Session) -> None:
    """Insert a campaign on hold, a player, and a withdrawn turn beside the live one, each with sheet and report."""
    held = {"hold_kind": HoldKind.GM, "hold_reason": "back on Monday", "status": "running", "turn": 1}
    made = {"game": "toy", "version": 1, "options": {}, "seed": b"", "mail_key": b"", "created_at": NOW}
    asked = {"gm": "gm@example.org", "schedule": "DAILY 20:00 UTC"}
    session.add(Campaign(id=1, name="old1", **made, **asked, **held, **_FACTS))
    ann = Person(address="Ann@example.org", key="ann@example.org", created_at=NOW)
    red = Seat(campaign_id=1, name="red", token_hash="", person=ann)
    withdrawal = WithdrawnTurns(campaign_id=1, kind="rollback", first=1, at=NOW)
    session.add_all([red, withdrawal])
    session.flush()
    for text, withdrawal_id in (("withdrawn", withdrawal.id), ("live", None)):
        live = {
            "campaign_id": 1,
            "withdrawal_id": withdrawal_id,
            "number": 1,
            "awaited": ["blue", "red"],
            "state": b"{}",
        }
        turn = Turn(**live, state_hash="", opened_at=NOW)
        session.add(turn)
        session.flush()
        told = {"turn_id": turn.id, "seat_id": red.id}
        read = {"accepted": True, "wait": False, "digest": "", "orders": [], "findings": []}
        session.add(OrderSheet(**told, **read, version=1, text=text, received_at=NOW))
        session.add(Report(**told, code=text, message_id=text, view=b"{}", files={"red.txt": b"told", "red.png": PNG}))


def _rows(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all tables, as they are stored."""
    return {name: sorted(execute(url, f"SELECT * FROM {name}"), key=repr) for name in sorted(tables(url))}


def test_a_later_migration_gives_old_rows_their_new_values(filled: str) -> None:
    """A value made from another is made for each row, and one worded otherwise is so afterwards."""
    with pytest.raises(ConfigError, match="is of an older version: upgrade it: pbem migrate"):
        require_current_schema(filled)
    migrate(filled)

    require_current_schema(filled)
    assert execute(filled, "SELECT expected FROM turn") == [(2,), (2,)]
    assert execute(filled, "SELECT hold_reason FROM campaign") == [("Back on Monday",)]


def test_the_way_up_and_down_loses_nothing(filled: str) -> None:
    """After a later migration and its downgrade all rows and indexes are as they were; models read them in between."""
    rows, indexes = _rows(filled), _indexes(filled)
    migrate(filled)
    store = Store(filled)
    with store.reading() as session:
        reports = session.scalars(select(Report.files)).all()
    store.close()
    above = _indexes(filled)
    downgrade(filled, NEWEST)

    assert reports == [{"red.txt": b"told", "red.png": PNG}] * 2
    assert (above, _indexes(filled)) == (indexes, indexes)
    assert _rows(filled) == rows


def test_a_home_with_the_former_names_opens(empty_url: str) -> None:
    """A database with the names of migration 32 has today's afterwards, also in what can be undone and in requests."""
    migrate(empty_url)
    store = Store(empty_url)
    undo = {"action": "rollback", "revision": 1, "withdrawal": 7}
    with store.writing() as session:
        _fill(session)
        session.add(JournalEntry(campaign_id=1, at=NOW, actor="gm", text="Rolled back.", undo=undo))
        asked = {"inbox_id": 3, "player": "Ämilie"}
        session.add(PendingRequest(kind="message", code="x", campaign_id=1, data=asked, created_at=NOW))
    store.close()
    rows, indexes = _rows(empty_url), _indexes(empty_url)
    downgrade(empty_url, "0032")
    former = execute(empty_url, "SELECT undo FROM act") + execute(empty_url, "SELECT data FROM request")
    kept = execute(empty_url, "SELECT shelf_id, era FROM turn JOIN campaign ON era = 0 ORDER BY turn.id")
    columns = execute(empty_url, "SELECT letter_id FROM sheet JOIN letter ON letter.id = letter_id")
    migrate(empty_url)

    assert former == [('{"action":"rollback","era":1,"shelf":7}',), ('{"letter":3,"player":"Ämilie"}',)]
    assert (kept, columns) == ([(1, 0), (None, 0)], [])
    assert (_rows(empty_url), _indexes(empty_url)) == (rows, indexes)


def _indexes(url: str) -> set[tuple[str, str]]:
    """Return all indexes with their conditions."""
    engine = create_engine(url)
    try:
        kind = f"{engine.dialect.name}_where"
        every = (each for table in Base.metadata.tables for each in inspect(engine).get_indexes(table))
        return {(str(each["name"]), str(each.get("dialect_options", {}).get(kind, ""))) for each in every}
    finally:
        engine.dispose()


def test_a_migration_that_was_killed_is_repeated(filled: str, later_migration: Path) -> None:
    """A migration killed before its commit has changed nothing; the next one does all of it."""
    before = _rows(filled)
    killed = subprocess.run([sys.executable, "-c", _KILLED, filled, later_migration], check=False)
    left = _rows(filled)
    migrate(filled)

    assert (killed.returncode, left) == (-signal.SIGKILL, before)
    assert execute(filled, "SELECT expected FROM turn") == [(2,), (2,)]


_KILLED = """
import os, pathlib, signal, sys
from pbem.store import migrate, plain
plain.FOLDER = pathlib.Path(sys.argv[2])
migrate.migrate(sys.argv[1], also=lambda _: os.kill(os.getpid(), signal.SIGKILL))
"""


def execute(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Execute a statement as it is; return its rows."""
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            done = connection.exec_driver_sql(statement)
            return [tuple(row) for row in done] if done.returns_rows else []
    finally:
        engine.dispose()
