"""On a full disk every command says so in a sentence, and leaves nothing half written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.errors import DISK_FULL, TransportUnavailable
from pbem.mail.maildir import MaildirTransport
from tests.cli.conftest import Run
from tests.faults.night import processes
from tests.faults.program import Program
from tests.servers.full_disk import fill_disk

ROOT = Path(__file__).parents[2]
NOW = ("--now", "2026-11-02T10:00Z")
PASSING = {"pbem.sqlite-shm", "pbem.sqlite-wal", "tick.lock"}
"""Files beside a database and locks of a home: they may be left over, and are empty."""


def on_a_full_disk(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process for which every disk is full."""
    return Program(_run_without_space, words).ended()


def _run_without_space(words: tuple[str, ...]) -> None:
    fill_disk()
    main(words)


def files(folder: Path) -> dict[Path, bytes]:
    """Return all files below a folder but temporary ones."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name not in PASSING}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "words",
    [
        ["tick", *NOW],
        ["run", "duel", "--yes", *NOW],
        ["status"],
        ["deadline", "duel", "24h", *NOW],
        ["backup", "b.pbem.zip"],
        ["backup", "."],
        ["export", "duel", "b.pbem.zip", "--to", "other@example.org", "--yes", *NOW],
        ["preview", "duel", "--to", "look", *NOW],
        ["migrate"],
    ],
    ids=" ".join,
)
def test_a_full_disk_is_named(duel: Run, home: Path, tmp_path: Path, words: list[str]) -> None:
    """The command ends with one sentence, changes nothing, and works when there is room again."""
    places = {"b.pbem.zip": str(tmp_path / "b.pbem.zip"), ".": str(tmp_path), "look": str(tmp_path / "look")}
    line = [places.get(word, word) for word in words]
    before = files(tmp_path)
    ended = on_a_full_disk("--home", str(home), *line)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("Not done: ")
    assert ended.stderr.endswith("the disk is full. Free some space, then try again.\n")
    assert ended.stderr.count("\n") == 1
    assert files(tmp_path) == before
    assert duel(*line).exit_code == 0


def test_a_full_disk_and_a_new_home(duel: Run, tmp_path: Path) -> None:
    """Neither `init` nor `restore` leaves half a home; both work when there is room again."""
    backup = tmp_path / "b.pbem.zip"
    assert duel("backup", str(backup)).exit_code == 0
    for words in (["init", str(tmp_path / "new")], ["restore", str(backup), str(tmp_path / "restored")]):
        before = files(tmp_path)
        ended = on_a_full_disk(*words)

        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.endswith("the disk is full. Free some space, then try again.\n")
        assert files(tmp_path) == before
        assert duel(*words).exit_code == 0


@pytest.mark.parametrize(("words", "stream", "code"), [("status x", "2", 1), ("inbox", "2", 0), ("games", "1", 1)])
def test_an_exit_code_without_words(duel: Run, home: Path, words: str, stream: str, code: int) -> None:
    """The exit code says how a command ended, also when its error, note or list goes to a file on the full disk."""
    line = f'exec "$0" cli.py --home "$1" {words} >/dev/null {stream}>/dev/full'
    ended = subprocess.run(["sh", "-c", line, sys.executable, home], cwd=ROOT, check=False)

    assert ended.returncode == code


def test_doctor_names_a_full_disk(duel: Run, home: Path) -> None:
    """The doctor names each folder that cannot be written, the database, and the remedy."""
    lines = on_a_full_disk("--home", str(home), "doctor", *NOW).stdout.splitlines()
    problems = [line for line in lines if line.startswith("problem ")]

    assert [line.split(":")[0] for line in problems][:5] == [
        f"problem  {name}" for name in ("home folder", "archive folder", "inbox folder", "carrier folder", "database")
    ]
    assert all("the disk is full" in line for line in problems)


def _deliver(folder: Path, told: object) -> None:
    fill_disk()
    try:
        MaildirTransport(folder).send("ann@example.org", b"Subject: report\r\n\r\nreport\r\n")
    except TransportUnavailable as error:
        told.put(str(error))  # type: ignore[attr-defined] # a queue between processes


def test_a_full_disk_under_the_outgoing_mail(tmp_path: Path) -> None:
    """The error names a local mail folder on a full disk; the mail counts as not sent."""
    told = processes().SimpleQueue()
    process = processes().Process(target=_deliver, args=(tmp_path / "sent", told))
    process.start()
    process.join()

    assert told.get() == f"mail cannot be put in {tmp_path / 'sent'}: {DISK_FULL}"
    assert list((tmp_path / "sent" / "new").iterdir()) == []
