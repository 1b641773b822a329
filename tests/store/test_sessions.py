"""Reading and writing sessions give the same guarantees on both databases."""

from __future__ import annotations

import datetime as dt
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError

from pbem.errors import DISK_FULL, ConfigError, StoreError
from pbem.store.models import Campaign, JournalEntry, OutgoingMail
from pbem.store.session import Store

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)


def campaign(name: str) -> Campaign:
    """Return a campaign with nothing but what the table demands."""
    return Campaign(
        name=name,
        game="toy",
        version=1,
        options={"pace": "turn"},
        gm="gm@example.org",
        schedule="",
        seed=b"seed",
        mail_key=b"key",
        created_at=NOON,
    )


def count(store: Store) -> int:
    """Return the number of campaigns."""
    with store.reading() as session:
        return session.scalars(select(func.count()).select_from(Campaign)).one()


def test_what_is_written_is_read_back(any_store: Store) -> None:
    """Data, bytes and times come back as they were, times in UTC."""
    berlin = dt.timezone(dt.timedelta(hours=1))
    with any_store.writing() as session:
        row = campaign("trap7")
        row.created_at = NOON.astimezone(berlin)
        session.add(row)

    with any_store.reading() as session:
        read = session.scalars(select(Campaign)).one()
    assert (read.options, read.seed, read.created_at, read.created_at.tzinfo) == (
        {"pace": "turn"},
        b"seed",
        NOON,
        dt.UTC,
    )


@pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 1)])
def test_a_durable_session_waits_for_the_disk(store: Store, durable: bool, level: int) -> None:
    """On SQLite a durable commit is synchronous=FULL, another one NORMAL, also when they take turns."""
    with store.writing(durable=not durable) as session:
        session.add(campaign("trap7"))

    with store.writing(durable=durable) as session:
        assert session.scalar(text("PRAGMA synchronous")) == level


def test_an_exception_takes_everything_back(any_store: Store) -> None:
    """A writing session ended by an exception leaves nothing behind."""

    def fail() -> None:
        with any_store.writing() as session:
            session.add(campaign("trap7"))
            session.flush()
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert count(any_store) == 0


def test_a_reading_session_cannot_write(any_store: Store) -> None:
    """Writing in a reading session is refused by the database."""

    def write() -> None:
        with any_store.reading() as session:
            session.add(campaign("trap7"))
            session.flush()

    with pytest.raises((ConfigError, DBAPIError)):
        write()

    assert count(any_store) == 0


def test_a_reading_session_sees_one_moment(any_store: Store) -> None:
    """Commits of others do not show in a reading session that is open."""
    statement = select(func.count()).select_from(Campaign)
    with any_store.reading() as session:
        before = session.scalars(statement).one()
        with any_store.writing() as other:
            other.add(campaign("trap7"))

        assert (before, session.scalars(statement).one()) == (0, 0)


def test_objects_can_be_used_after_their_session(any_store: Store) -> None:
    """A row's columns can still be read when its session is over."""
    with any_store.writing() as session:
        row = campaign("trap7")
        session.add(row)

    assert row.name == "trap7"


def test_writers_wait_for_each_other(any_store: Store) -> None:
    """Writing sessions of two threads at once all succeed, and none is lost."""

    def write(first: int) -> None:
        for number in range(first, first + 5):
            with any_store.writing() as session:
                session.add(campaign(f"trap{number}"))

    threads = [threading.Thread(target=write, args=(first,)) for first in (0, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert count(any_store) == 10


def test_foreign_keys_are_kept(any_store: Store) -> None:
    """A row that refers to a missing campaign is refused."""
    with pytest.raises(IntegrityError), any_store.writing() as session:
        session.add(JournalEntry(campaign_id=7, at=NOON, actor="gm@example.org", text="started"))


def test_a_time_without_zone_is_refused(store: Store) -> None:
    """A naive datetime never gets into the database."""
    row = campaign("trap7")
    row.created_at = NOON.replace(tzinfo=None)

    with pytest.raises(StatementError, match="without zone"), store.writing() as session:
        session.add(row)


def test_sqlite_keeps_a_log_for_many_readers(store: Store) -> None:
    """SQLite runs in WAL mode, in which readers and a writer do not wait for each other."""
    with store.reading() as session:
        assert session.connection().exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_a_mail_is_kept_small(store: Store) -> None:
    """Raw mail is compressed in the database and whole when read."""
    raw = b"Your ships are where they were.\r\n" * 100
    with store.writing() as session:
        times = {"not_before": NOON, "created_at": NOON}
        session.add(OutgoingMail(recipient="ann@example.org", message_id="<a@b>", raw=raw, **times))

    with store.reading() as session:
        stored = session.connection().exec_driver_sql("SELECT length(raw) FROM outgoing").scalar_one()
        assert stored < len(raw) / 4
        assert session.scalars(select(OutgoingMail.raw)).one() == raw


def test_a_database_of_another_kind_is_refused() -> None:
    """Databases other than SQLite and PostgreSQL are refused by name."""
    with pytest.raises(ConfigError, match="mysql"):
        Store("mysql://example.org/pbem")


def test_a_database_without_tables(tmp_path: Path, postgres_url: str) -> None:
    """The error names the remedy."""
    (tmp_path / "new.sqlite").touch()
    for url in (f"sqlite:///{tmp_path / 'new.sqlite'}", postgres_url):
        with closing(Store(url)) as store, pytest.raises(ConfigError, match="find the cause: pbem doctor"):
            count(store)


def test_a_database_that_is_gone_is_not_made_anew(store: Store, sqlite_url: str) -> None:
    """A later connection, as of a thread, creates no empty file in place of the lost one."""
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    store.engine.dispose()
    file.rename(file.with_name("elsewhere"))

    with pytest.raises(ConfigError, match="is missing: put it back where it was"):
        count(store)
    assert not file.exists()


def test_a_full_disk_of_a_server(migrated_postgres_url: str) -> None:
    """PostgreSQL's code for a full disk becomes the sentence of all full disks."""
    full = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
    with closing(Store(migrated_postgres_url)) as store, pytest.raises(StoreError, match=DISK_FULL):  # noqa: SIM117
        with store.writing() as session:
            session.execute(text(full))


def test_a_server_that_is_not_there() -> None:
    """A PostgreSQL that does not answer is a sentence, not a traceback."""
    store = Store("postgresql+psycopg://pbem@127.0.0.1:9/pbem")

    with pytest.raises(ConfigError, match=r"127\.0\.0\.1:9/pbem cannot be used"), store.reading() as session:
        session.connection()


def test_one_store_at_a_time_is_alone(postgres_url: str) -> None:
    """On PostgreSQL a second store, as of another home, is not alone until the first has released the lock."""
    with closing(Store(postgres_url)) as first, closing(Store(postgres_url)) as second:
        with first.alone() as held, second.alone() as refused:
            pass
        with second.alone() as free:
            pass

    assert (held, refused, free) == (True, False, True)


def test_a_lock_whose_connection_breaks_is_let_go_quietly(postgres_url: str) -> None:
    """A server that closes all connections ends the lock, and its holder goes on to the end."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = "
    with closing(Store(postgres_url)) as first, closing(Store(postgres_url)) as second:
        with first.alone(), second.writing() as session:
            session.execute(text(f"{others} current_database()"))
        with second.alone() as free:
            pass

    assert free
