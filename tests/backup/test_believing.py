"""The rows of a backup or an exported campaign may come from a stranger: each is checked, and no code is run."""

from __future__ import annotations

import json
import random
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Enum, select
from sqlalchemy.dialects import sqlite

from pbem.admin.health import home_status
from pbem.backup.restore import check_backup, restore_home
from pbem.backup.transfer import import_campaign
from pbem.campaign.column_checks import FORMS, check_of, first_unfit, read_value
from pbem.errors import BackupError, PbemError
from pbem.ruleset import json_sha256
from pbem.store.columns import Form
from pbem.store.models import Base, Campaign, OutgoingMail, Report, Seat
from pbem.store.rows import first_fault
from tests.actions.history import rows
from tests.backup.conftest import Kept
from tests.backup.hostile import forged
from tests.backup.test_moving import Moved, another_home, moved, with_other_rows
from tests.servers.processes import server_folder
from tests.toy.home import GAMES, Desk

__all__ = ["moved"]

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

VALUES = {
    "UPDATE turn SET deadline = 'soon'": "table turn, row 1, field deadline: a time like",
    "UPDATE campaign SET status = 'odd'": "table campaign, row 1, field status: one of forming, running, over, moved",
    'UPDATE campaign SET policy = \'{"grace":"soon"}\'': 'field policy: grace cannot be "soon"',
    "UPDATE campaign SET policy = '{\"graze\":1}'": 'field policy: no house rule "graze". Did you mean grace',
    "UPDATE campaign SET policy = '[]'": "field policy: the house rules are not a JSON object",
    "UPDATE campaign SET schedule = 'whenever'": 'field schedule: "whenever" is not a schedule',
    "UPDATE campaign SET era = 'two'": "field era: a whole number is expected, and it is 'two'",
    "UPDATE campaign SET era = 1e300": "field era: a whole number is expected",
    "UPDATE campaign SET gm = 'gm'": "field gm: an address like",
    "UPDATE campaign SET mail_key = x''": "field mail_key: 16 to 64 bytes",
    "UPDATE seat SET name = '../red' WHERE id = 1": "table seat, row 1, field name: the name of a seat",
    "UPDATE seat SET paused = 7": "table seat, row 1, field paused: 0 or 1 is expected, and it is 7",
    "UPDATE seat SET muted = 'nobody'": "field muted: JSON is expected",
    "UPDATE turn SET state = x'00'": "table turn, row 1, field state: bytes compressed by zlib",
    "UPDATE turn SET record = NULL": "table turn, row 1, field record: a turn that was run has a record",
    "UPDATE report SET files = x'00000000'": "table report, row 1, field files",
    "UPDATE report SET code = 'k' WHERE id = 1": "table report, row 1, field code: a reply code is expected",
    "UPDATE sheet SET orders = '[]'": "table sheet, row 1, field digest: it is not that of the orders",
    "UPDATE sheet SET author = 'me'": "table sheet, row 1, field author: one of player, deputy, gm",
    "UPDATE sheet SET text = CAST(x'ff' AS TEXT)": "table sheet, row 1, field text: a text in UTF-8 is expected",
    "UPDATE act SET id = 2000000001 WHERE id = 1": "field id: a number from 1 to 2000000000 is expected",
    "UPDATE act SET id = 9223372036854775807 WHERE id = 1": "field id: a whole number is expected",
}
"""Changes to rows of a backup or an exported campaign, and the refusals."""

OF_HOMES = {
    "UPDATE turn SET deadline = 'soon'": "table turn, row 1, field deadline: it cannot be read: ",
    "UPDATE campaign SET status = 'wild'": "field status: it cannot be read: 'wild' is not among the defined",
    "UPDATE campaign SET era = 'two'": "field era: it cannot be read: a value of type str is of another type",
    "UPDATE seat SET muted = '['": "table seat, row 1, field muted: it cannot be read: Expecting value",
    "UPDATE turn SET state = x'00'": "table turn, row 1, field state: it cannot be read: Error -",
    "UPDATE report SET files = x'00000000'": "table report, row 1, field files: it cannot be read: ",
    "UPDATE sheet SET text = CAST(x'ff' AS TEXT)": "table sheet, row 1, field text: it cannot be read: ",
    "INSERT OR REPLACE INTO fact VALUES ('mailbox', '[')": "table fact, row mailbox, field data: it cannot be read",
    "UPDATE outgoing SET raw = 'x'": "table outgoing, row 1, field raw: it cannot be read: ",
}
"""Changes to a backup, and the refusals: values that a type cannot read."""

_SEAT = "token_hash, status, nmr_in_a_row, nmr_total, paused, muted, person_id, dice_word, dice_code, since"
"""Columns of a seat that a planted one has from another."""

OF_CAMPAIGNS = {
    "UPDATE turn SET awaited = '[\"violet\"]' WHERE resolved_at IS NULL": "field awaited: there is no seat violet",
    "UPDATE turn SET awaited = '[\"red\"]' WHERE resolved_at IS NULL": "field awaited: by the state orders are",
    "UPDATE campaign SET turn = 1": "is inconsistent: it stands at turn 1, but its last turn is 3",
    "UPDATE campaign SET era = 1000000": "table campaign, field era: 1000000 is more than 100000",
    "UPDATE sheet SET version = 1000000 WHERE id = 1": "table sheet, field version: 1000000 is more than 100000",
    "UPDATE campaign SET options = '{}'": "fields game and options: they are not those of its last record",
    "UPDATE campaign SET dice_words = '[]'": "field dice_words: they are not those that the set-up tells",
    "UPDATE campaign SET gm = 'play@club.example.net'": "field gm: play@club.example.net cannot be the address",
    "UPDATE person SET address = 'mailer-daemon@example.org', key = 'mailer-daemon@example.org' WHERE id = 1": (
        "table person, row 1: mailer-daemon@example.org cannot be the address"
    ),
    "UPDATE sheet SET orders = '[{}]', digest = '{[{}]}'": "field orders: Toy Auction has no such orders",
    f"INSERT INTO seat (id, campaign_id, name, {_SEAT}) SELECT id + 100, campaign_id, 'grey', {_SEAT}"
    " FROM seat WHERE id = 1": ("other seats than its last record (grey)"),
}
"""Changes after which each row by itself is well formed."""


def refused(done: Callable[[], object], said: str) -> None:
    """Assert that the call raises BackupError with these words."""
    with pytest.raises(BackupError) as caught:
        done()
    assert said in str(caught.value)


@pytest.fixture(scope="module")
def refusing(moved: Moved) -> Iterator[Desk]:
    """Yield a home that imports no campaign: each of these tests leaves it unchanged."""
    with server_folder("refusing") as folder, another_home(folder / "new", moved.old) as desk:
        yield desk


@pytest.fixture
def new(moved: Moved, tmp_path: Path) -> Iterator[Desk]:
    """Yield a home into which a campaign can be imported, with one of its own."""
    with another_home(tmp_path / "new", moved.old) as desk:
        yield desk


def test_every_form_has_a_check() -> None:
    """A form without a check fails here, and not when a stranger's file is imported."""
    assert set(FORMS) == set(Form)


WORDS = [column for table in Base.metadata.sorted_tables for column in table.columns if isinstance(column.type, Enum)]
"""The columns that hold a word of a list."""


@pytest.mark.parametrize("column", WORDS, ids=str)
def test_every_word_that_can_be_written_can_be_restored(column: Column[Any]) -> None:
    """The list of a column is the one by which a backup is checked, and no other word reaches the database."""
    assert isinstance(column.type, Enum)
    assert max(map(len, column.type.enums)) <= (column.type.length or 0)
    for word in column.type.enums:
        check_of(column)(read_value(column, word))
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


def test_a_home_at_work_has_nothing_that_is_refused(kept: Kept, moved: Moved) -> None:
    """All that the program itself writes passes the checks."""
    for desk in (kept.desk, moved.old):
        with desk.app.store.reading() as session:
            assert (first_fault(session.connection()), first_unfit(session.connection())) == (None, None)


@pytest.mark.parametrize("planted", SCHEMAS)
def test_a_schema_that_is_not_ours_is_refused(
    kept: Kept, moved: Moved, refusing: Desk, tmp_path: Path, planted: str
) -> None:
    """A file that holds code or is not whole is refused, by restore and import alike."""
    home = with_other_rows(kept.file, tmp_path / "home.zip", planted)
    campaign = with_other_rows(moved.file, tmp_path / "campaign.zip", planted)

    refused(lambda: check_backup(home, kept.desk.now, GAMES), SCHEMAS[planted])
    refused(lambda: restore_home(home, tmp_path / "restored", kept.desk.now, GAMES), SCHEMAS[planted])
    refused(lambda: import_campaign(refusing.app, campaign, refusing.now), SCHEMAS[planted])
    assert not (tmp_path / "restored").exists()


@pytest.mark.parametrize("planted", VALUES)
def test_a_value_that_no_command_would_write_is_refused(
    moved: Moved, refusing: Desk, tmp_path: Path, planted: str
) -> None:
    """An import refuses a bad value with table, row and field."""
    campaign = with_other_rows(moved.file, tmp_path / "campaign.zip", planted)

    refused(lambda: import_campaign(refusing.app, campaign, refusing.now), VALUES[planted])
    assert [row.name for row in rows(refusing, Campaign)] == ["toy2"]


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


@pytest.mark.parametrize("planted", OF_CAMPAIGNS)
def test_rows_that_do_not_agree_with_the_archive_are_refused(
    moved: Moved, refusing: Desk, tmp_path: Path, planted: str
) -> None:
    """Rows that are well formed, but not those of the game that was played, are refused."""
    statement = planted.replace("{[{}]}", json_sha256([{}]))

    refused(
        lambda: import_campaign(
            refusing.app, with_other_rows(moved.file, tmp_path / "forged.zip", statement), refusing.now
        ),
        OF_CAMPAIGNS[planted],
    )


def test_a_state_that_was_changed_is_found(moved: Moved, refusing: Desk, kept: Kept, tmp_path: Path) -> None:
    """Points added to the open turn, with hashes that agree, are found: the last record has another state."""
    refused(
        lambda: import_campaign(refusing.app, richer(moved.file, tmp_path / "forged.zip"), refusing.now),
        "turn 3 has another state than turn 2 led to",
    )
    checked = check_backup(richer(kept.file, tmp_path / "home.zip"), kept.desk.now, GAMES)
    assert "turn 3 has another state than turn 2 led to" in checked.problems[0]


def richer(source: Path, target: Path) -> Path:
    """Return a copy of the file with other numbers in the state of its open turn."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(database_of(source))
        where = "WHERE resolved_at IS NULL AND shelf_id IS NULL"
        (packed,) = database.execute(f"SELECT state FROM turn {where}").fetchone()
    state = json.loads(zlib.decompress(packed), parse_int=lambda number: int(number) + 1)
    raw = json.dumps(state, sort_keys=True, separators=(",", ":")).encode()
    statement = f"UPDATE turn SET state = x'{zlib.compress(raw).hex()}', state_hash = '{json_sha256(state)}' {where}"
    return with_other_rows(source, target, statement)


def database_of(source: Path) -> bytes:
    """Return the database in a file."""
    with zipfile.ZipFile(source) as parts:
        return parts.read("database.sqlite")


def test_whoever_wrote_the_file_does_not_know_its_codes(moved: Moved, new: Desk) -> None:
    """The mail key is new, and so are the codes of all seats, of former players too."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(database_of(moved.file))
        (key,) = database.execute("SELECT mail_key FROM campaign").fetchone()
        older = [code for (code,) in database.execute("SELECT code FROM report")]
    import_campaign(new.app, moved.file, new.now)
    with new.app.store.reading() as session:
        codes = set(session.scalars(select(Report.code)))
        assert session.scalar(select(Campaign.mail_key).where(Campaign.name == "toy1")) != key

    assert codes.isdisjoint(older)


def test_no_mail_comes_with_a_campaign(moved: Moved, new: Desk, tmp_path: Path) -> None:
    """Outgoing mail of any state is not imported: failed mail would be sent in our name by the next retry."""
    before = {mail.message_id for mail in rows(new, OutgoingMail)}
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(database_of(moved.file))
        assert database.execute("SELECT count(*) FROM outgoing").fetchone() == (0,)
    planted = (
        "INSERT INTO outgoing (campaign_id, recipient, message_id, raw, state, attempts, not_before, created_at, reply,"
        " kind, provider, form, code) SELECT id, 'victim@example.com', '<a@example.org>', x'78', 'failed', 0,"
        " created_at, created_at, '', 'report', 'example.com', 'full', '' FROM campaign"
    )
    import_campaign(new.app, with_other_rows(moved.file, tmp_path / "forged.zip", planted), new.now)

    sent = [mail.recipient for mail in rows(new, OutgoingMail) if mail.message_id not in before]
    assert set(sent) == {"ann@example.org", "bob@example.org", "cyd@example.org", "gm@example.org"}


def test_three_hundred_seats_more_get_no_mail(moved: Moved, refusing: Desk, tmp_path: Path) -> None:
    """Seats that the last record does not have are refused, and get no mail."""
    before = len(rows(refusing, OutgoingMail)), len(rows(refusing, Seat))
    planted = (
        "WITH RECURSIVE t(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM t WHERE x < 399)"
        f" INSERT INTO seat (id, campaign_id, name, {_SEAT}) SELECT x, campaign_id, 's' || x, {_SEAT}"
        " FROM seat, t WHERE seat.id = 1"
    )

    refused(
        lambda: import_campaign(
            refusing.app, with_other_rows(moved.file, tmp_path / "forged.zip", planted), refusing.now
        ),
        "other seats than its last record (s100, s101, s102, s103, s104)",
    )
    assert (len(rows(refusing, OutgoingMail)), len(rows(refusing, Seat))) == before


def test_large_numbers_do_not_use_up_those_of_the_home(moved: Moved, new: Desk, tmp_path: Path) -> None:
    """Imported rows get the next ids of the home, however they are numbered in the file."""
    forged = with_other_rows(moved.file, tmp_path / "forged.zip", "UPDATE act SET id = id + 1999000000")
    import_campaign(new.app, forged, new.now)

    with new.app.store.reading() as session:
        assert max(session.scalars(select(Base.metadata.tables["act"].c.id))) < 100


MANY_DEFAULTS = (
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 3000)"
    " INSERT INTO act (campaign_id, at, actor, text, secret) SELECT 1, '2026-11-02 09:00:00', 'gm', '', 0 FROM t;"
    f"ALTER TABLE act DROP COLUMN text; ALTER TABLE act ADD COLUMN text TEXT NOT NULL DEFAULT '{'x' * 10_000}'"
)


def test_a_default_does_not_fill_the_disk(kept: Kept, tmp_path: Path) -> None:
    """A column that the rows lack, and that is long by default, makes no database out of proportion to its file."""
    home = with_other_rows(kept.file, tmp_path / "home.zip", MANY_DEFAULTS)

    refused(lambda: check_backup(home, kept.desk.now, GAMES), "or is damaged: database or disk is full")


def test_reading_has_a_limit_of_time(moved: Moved, refusing: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that takes too long to read is refused."""
    monkeypatch.setattr("pbem.store.rows.SECONDS", -1.0)

    refused(
        lambda: import_campaign(refusing.app, moved.file, refusing.now), "takes longer than a file of its size can take"
    )


MUTANTS: tuple[object, ...] = (
    None, 0, 1, -1, 2, 2**31, 2**63 - 1, 1.5, 1e308, "", "soon", "null", "[]", "{}", "[[[]]]", '["red"]', "{", "\0",
    "x" * 10_000, "[" * 5_000, "9" * 5_000, "gm@example.org", "red", "2026-11-02 09:00:00.000000",
    b"", b"\0", b"\xff" * 40,
    zlib.compress(b"{}"), zlib.compress(b"[]"), zlib.compress(b"{" * 5_000), zlib.compress(b"\0" * 10_000_000),
)  # fmt: skip
"""Values that a cell may be changed to, besides that of another cell."""


def mutated(raw: bytes, rnd: random.Random) -> tuple[str, bytes]:
    """Return a database with one cell changed, and a description of the change."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(raw)
        all_ = {table.name: table.columns.keys() for table in Base.metadata.sorted_tables}
        table = rnd.choice([name for name in all_ if database.execute(f"SELECT count(*) FROM {name}").fetchone()[0]])
        column = rnd.choice(all_[table])
        (row,) = rnd.choice(database.execute(f"SELECT rowid FROM {table}").fetchall())
        other = rnd.choice(database.execute(f'SELECT "{rnd.choice(all_[table])}" FROM {table}').fetchall())[0]
        value = rnd.choice([*MUTANTS, other, other])
        try:
            database.execute(f'UPDATE {table} SET "{column}" = ? WHERE rowid = ?', (value, row))
        except (sqlite3.IntegrityError, sqlite3.OperationalError):
            return mutated(raw, rnd)
        database.commit()
        return f"{table}.{column} of row {row} = {value!r:.60}", database.serialize()


FUZZED = 10
"""Tries of each kind. Some hundreds were run when this was written."""


@pytest.mark.parametrize("seed", range(FUZZED))
def test_no_cell_of_a_campaign_stops_the_program(moved: Moved, new: Desk, tmp_path: Path, seed: int) -> None:
    """A campaign with any cell changed is refused in a sentence, or is imported and every later tick works."""
    what, raw = mutated(database_of(moved.file), random.Random(seed))
    with suppress(PbemError):
        import_campaign(new.app, forged(moved.file, tmp_path / "forged.zip", {"database.sqlite": raw}), new.now)
    for _ in range(2):
        assert new.tick(hours=24).problems == [], what
        home_status(new.app)
