"""PostgreSQL without the rights to write: reported in a sentence, and no mail is sent that cannot be marked."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from pbem.config import rewrite_settings
from pbem.config_values import FILE_NAME
from pbem.store.copy import copy_from_file
from pbem.store.queue import create_queue_tables
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
NOW = ("--now", "2026-11-02T10:00Z")
ROLE = "weak"
WRITERS = [["tick", *NOW], ["run", "duel", "--yes", *NOW], ["deadline", "duel", "24h", *NOW]]

Execute = Callable[[str], object]


@pytest.fixture
def served(duel: Run, home: Path, postgres_url: str) -> Run:
    """Return the duel on PostgreSQL, with queues; the mail of its start is in the outbox."""
    copy_from_file(home / "pbem.sqlite", postgres_url)
    create_queue_tables(postgres_url)
    use(home, postgres_url)
    return duel


@pytest.fixture
def administrator(served: Run, home: Path, postgres_url: str) -> Iterator[Execute]:
    """Yield the server's administrator; the user of pbem may connect and read, and nothing more."""
    with closing(psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True)) as connection:
        connection.execute(f"CREATE ROLE {ROLE} LOGIN".encode())
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {ROLE}".encode())
        use(home, postgres_url.replace("pbem@", f"{ROLE}@"))
        try:
            yield lambda statement: connection.execute(statement.encode())
        finally:
            connection.execute(f"DROP OWNED BY {ROLE}".encode())
            connection.execute(f"DROP ROLE {ROLE}".encode())


def use(home: Path, url: str) -> None:
    """Set the database of a home."""
    settings = home / FILE_NAME
    settings.write_text(rewrite_settings(settings.read_text(), {"database": url}))


def make_read_only(url: str) -> None:
    """Make all new sessions read-only."""
    with closing(psycopg.connect(url.replace("+psycopg", ""), autocommit=True)) as connection:
        connection.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on".encode())


def sent(home: Path) -> int:
    """Return the number of mails sent."""
    return len(list((home / "post" / "sent" / "new").iterdir()))


def worker_says(home: Path) -> str:
    """Return the first line in which a worker reports a problem; then stop it."""
    command = [sys.executable, "-m", "cli", "--home", str(home), "serve"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
        assert worker.stderr is not None
        line = worker.stderr.readline()
        worker.terminate()
        _, rest = worker.communicate()
    assert worker.returncode == 0
    assert "Traceback" not in rest
    return line


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_a_server_that_is_read_only(served: Run, home: Path, postgres_url: str, words: list[str]) -> None:
    """Neither an old connection nor a new one can write; no mail is sent."""
    make_read_only(postgres_url)
    result = served(*words)

    assert (result.exit_code, sent(home)) == (1, 0)
    assert re.search("in a read-only transaction[.;] [fF]ind the cause: pbem doctor\n", result.stderr)
    assert served("status").exit_code == 0
    assert re.search("problem  database: .*read-only transaction. Fix: name the primary", served("doctor", *NOW).output)


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
def test_a_user_who_may_only_read(administrator: Execute, served: Run, home: Path, words: list[str]) -> None:
    """The error names the missing permission, and no mail is sent."""
    result = served(*words)

    assert (result.exit_code, sent(home)) == (1, 0)
    assert re.search("cannot be used: permission denied for .*[.;] [fF]ind the cause: pbem doctor\n", result.stderr)


def test_rights_on_sequences_alone_are_lacking(administrator: Execute, served: Run, home: Path) -> None:
    """Doctor finds them, and the statements that it prints repair it."""
    administrator(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {ROLE}")
    found = served("doctor", *NOW).output

    assert "permission denied for sequence" in served("deadline", "duel", "24h", *NOW).stderr
    assert "its user lacks rights: USAGE on absence_id_seq, " in found
    for statement in re.findall(r"GRANT [^;]*;", found):
        administrator(statement)
    assert "ok       database: it can be written to" in served("doctor", *NOW).output
    assert [served(*words).exit_code for words in WRITERS] == [0, 0, 0]


def test_a_mail_whose_sending_could_not_be_noted_is_not_sent(administrator: Execute, served: Run, home: Path) -> None:
    """A mail that could be claimed but not marked as sent is not sent, else each tick would send it again."""
    administrator(f"GRANT UPDATE (state, not_before) ON outgoing TO {ROLE}")
    result = served("tick", *NOW)

    assert (result.exit_code, sent(home)) == (1, 0)
    assert "mail cannot be sent now: the database " in result.stderr


def test_a_worker_on_a_read_only_server(served: Run, home: Path, postgres_url: str) -> None:
    """A worker reports the reason once, and stops on request."""
    make_read_only(postgres_url)

    assert re.fullmatch("Problem: .*read-only transaction.*\n", worker_says(home))


def test_a_worker_without_rights(administrator: Execute, home: Path) -> None:
    """A worker reports missing rights on tables and queues, too."""
    assert re.fullmatch("Problem: .*permission denied for .*\n", worker_says(home))
