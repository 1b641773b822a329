"""The database of a backup is believed once it is whole: no code in it is run, and each value can be read."""

from __future__ import annotations

import json
import sqlite3
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Enum
from sqlalchemy.dialects import sqlite

from pbem.backup.restore import check_backup, restore_home
from pbem.errors import BackupError
from pbem.ruleset import json_sha256
from pbem.store.models import Base
from pbem.store.rows import first_fault
from tests.backup.conftest import Kept
from tests.backup.hostile import with_other_rows
from tests.toy.home import GAMES

ENDLESS = """
ALTER TABLE alembic_version RENAME TO old;
CREATE VIEW alembic_version AS
    WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x AS version_num FROM t WHERE x < 0;
"""

SCHEMAS = {
    ENDLESS: "database.sqlite: it is damaged: it has the view alembic_version, which is not of pbem",
    "CREATE VIEW mine AS SELECT 1": "it is damaged: it has the view mine",
    "CREATE TRIGGER mine AFTER INSERT ON fact BEGIN DELETE FROM act; END": "it is damaged: it has the trigger mine",
    "CREATE VIRTUAL TABLE mine USING fts5(data)": "it is damaged: it has the table mine",
    "ALTER TABLE fact ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(data)) VIRTUAL": "the generated column more, which",
    "ALTER TABLE act RENAME COLUMN text TO old; ALTER TABLE act ADD COLUMN text AS (zeroblob(9999999))": "column text",
    "DROP TABLE sheet": "no such table: theirs.sheet",
    "ALTER TABLE act DROP COLUMN secret": "no such column: t.secret",
    "UPDATE alembic_version SET version_num = '9999'": "database.sqlite: it is of migration '9999', which this pbem",
    "UPDATE alembic_version SET version_num = x'00'": "which this pbem does not know",
    "DELETE FROM alembic_version": "it has no version, or several",
    "UPDATE seat SET person_id = 99": "a row of seat points to one of person that is not there",
}
"""Schemas that a file may have, and the refusals."""

OF_HOMES = {
    "UPDATE turn SET deadline = 'soon'": "table turn, row 1, field deadline: it cannot be read: ",
    "UPDATE campaign SET status = 'wild'": "field status: it cannot be read: 'wild' is not among the defined",
    "UPDATE campaign SET revision = 'two'": "field revision: it cannot be read: a value of type str is of another type",
    "UPDATE seat SET muted = '['": "table seat, row 1, field muted: it cannot be read: Expecting value",
    "UPDATE turn SET state = x'00'": "table turn, row 1, field state: it cannot be read: Error -",
    "UPDATE report SET files = x'00000000'": "table report, row 1, field files: it cannot be read: ",
    "UPDATE sheet SET text = CAST(x'ff' AS TEXT)": "table sheet, row 1, field text: it cannot be read: ",
    "INSERT OR REPLACE INTO fact VALUES ('mailbox', '[')": "table fact, row mailbox, field data: it cannot be read",
    "UPDATE outgoing SET raw = 'x'": "table outgoing, row 1, field raw: it cannot be read: ",
}
"""Changes to a backup, and the refusals: values that a type cannot read."""


def refused(done: Callable[[], object], said: str) -> None:
    """Assert that the call raises BackupError with these words."""
    with pytest.raises(BackupError) as caught:
        done()
    assert said in str(caught.value)


WORDS = [column for table in Base.metadata.sorted_tables for column in table.columns if isinstance(column.type, Enum)]
"""The columns that hold a word of a list."""


@pytest.mark.parametrize("column", WORDS, ids=str)
def test_every_word_that_can_be_written_can_be_restored(column: Column[Any]) -> None:
    """The list of a column is the one by which a backup is checked, and no other word reaches the database."""
    assert isinstance(column.type, Enum)
    to_read = column.type.result_processor(sqlite.dialect(), None)  # type: ignore[no-untyped-call]
    assert to_read is not None
    assert max(map(len, column.type.enums)) <= (column.type.length or 0)
    for word in column.type.enums:
        assert to_read(word) == word
    to_stored = column.type.bind_processor(sqlite.dialect())  # type: ignore[no-untyped-call]
    assert to_stored is not None
    with pytest.raises(LookupError, match="'gmx' is not among the defined enum values"):
        to_stored("gmx")


def test_words_of_a_list_are_nowhere_listed_twice() -> None:
    """The kinds, authors, forms and verdicts of rows are enumerations, so that their writers share them."""
    names = {"kind", "status", "state", "author", "verdict", "form"}
    columns = (column for table in Base.metadata.sorted_tables for column in table.columns if column.name in names)

    others = {str(column) for column in columns if not isinstance(column.type, Enum)}

    # Kinds of mail are free words, and the state of a turn is that of its game.
    assert others == {"turn.state", "outgoing.kind"}


def test_a_home_at_work_has_nothing_that_is_refused(kept: Kept) -> None:
    """All that the program itself writes passes the checks."""
    with kept.desk.app.store.reading() as session:
        assert first_fault(session.connection()) is None


@pytest.mark.parametrize("planted", SCHEMAS)
def test_a_schema_that_is_not_ours_is_refused(kept: Kept, tmp_path: Path, planted: str) -> None:
    """A file that holds code or is not whole is refused."""
    home = with_other_rows(kept.file, tmp_path / "home.zip", planted)

    refused(lambda: check_backup(home, kept.desk.now, GAMES), SCHEMAS[planted])
    refused(lambda: restore_home(home, tmp_path / "restored", kept.desk.now, GAMES), SCHEMAS[planted])
    assert not (tmp_path / "restored").exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("planted", OF_HOMES)
def test_a_backup_with_a_value_that_cannot_be_read_is_refused(kept: Kept, tmp_path: Path, planted: str) -> None:
    """A value that its column's type cannot read is refused with table, row and field, and leaves nothing."""
    home = with_other_rows(kept.file, tmp_path / "home.zip", planted)

    refused(lambda: check_backup(home, kept.desk.now, GAMES), OF_HOMES[planted])
    refused(lambda: restore_home(home, tmp_path / "restored", kept.desk.now, GAMES), OF_HOMES[planted])
    assert not (tmp_path / "restored").exists()


HIDDEN = """
PRAGMA writable_schema = ON;
INSERT INTO sqlite_master VALUES ('table', 'mine', 'mine', 2, 'CREATE VIEW mine AS SELECT randomblob(1)');
PRAGMA writable_schema = OFF;
"""

HARMLESS = (
    "CREATE TABLE mine (name TEXT)",
    "CREATE INDEX mine ON act (actor); ANALYZE",
    "CREATE INDEX mine ON fact (hex(data))",
    "ALTER TABLE fact ADD COLUMN more TEXT CHECK (more IS NULL)",
)
"""Changes of the schema that hold nothing back: the rows are taken into our own."""


@pytest.mark.parametrize("planted", HARMLESS)
def test_a_schema_with_more_in_it_gives_its_rows_alone(kept: Kept, tmp_path: Path, planted: str) -> None:
    """Tables, columns and indexes that are not ours stay behind."""
    home = with_other_rows(kept.file, tmp_path / "home.zip", planted)
    made = restore_home(home, tmp_path / "restored", kept.desk.now, GAMES)

    assert made.problems == ()
    with closing(sqlite3.connect(made.home / "pbem.sqlite")) as database:
        schema = database.execute("SELECT sql FROM sqlite_master WHERE name = 'mine' OR sql LIKE '%more%'").fetchall()
    assert schema == []


def test_code_is_found_under_the_name_of_a_table(kept: Kept, tmp_path: Path) -> None:
    """A view that the schema calls a table is refused, by SQLite itself."""
    home = with_other_rows(kept.file, tmp_path / "home.zip", HIDDEN)

    refused(lambda: check_backup(home, kept.desk.now, GAMES), "malformed database schema (mine)")


def test_a_state_that_was_changed_is_found(kept: Kept, tmp_path: Path) -> None:
    """Points added to the open turn, with hashes that agree, are told: the last record has another state."""
    checked = check_backup(richer(kept.file, tmp_path / "home.zip"), kept.desk.now, GAMES)

    assert "turn 3 has another state than turn 2 led to" in checked.problems[0]


def richer(source: Path, target: Path) -> Path:
    """Return a copy of the file with other numbers in the state of its open turn."""
    with closing(sqlite3.connect(":memory:")) as database, zipfile.ZipFile(source) as parts:
        database.deserialize(parts.read("database.sqlite"))
        where = "WHERE resolved_at IS NULL AND withdrawal_id IS NULL"
        (packed,) = database.execute(f"SELECT state FROM turn {where}").fetchone()
    state = json.loads(zlib.decompress(packed), parse_int=lambda number: int(number) + 1)
    raw = json.dumps(state, sort_keys=True, separators=(",", ":")).encode()
    statement = f"UPDATE turn SET state = x'{zlib.compress(raw).hex()}', state_hash = '{json_sha256(state)}' {where}"
    return with_other_rows(source, target, statement)


MANY_DEFAULTS = (
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 3000)"
    " INSERT INTO act (campaign_id, at, actor, text, secret) SELECT 1, '2026-11-02 09:00:00', 'gm', '', 0 FROM t;"
    f"ALTER TABLE act DROP COLUMN text; ALTER TABLE act ADD COLUMN text TEXT NOT NULL DEFAULT '{'x' * 10_000}'"
)


def test_a_default_does_not_fill_the_disk(kept: Kept, tmp_path: Path) -> None:
    """A column that the rows lack, and that is long by default, makes no database out of proportion to its file."""
    home = with_other_rows(kept.file, tmp_path / "home.zip", MANY_DEFAULTS)

    refused(lambda: check_backup(home, kept.desk.now, GAMES), "or is damaged: database or disk is full")


def test_reading_has_a_limit_of_time(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that takes too long to read is refused."""
    monkeypatch.setattr("pbem.store.rows.SECONDS", -1.0)

    refused(lambda: check_backup(kept.file, kept.desk.now, GAMES), "takes longer than a file of its size can take")
