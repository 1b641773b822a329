"""Files and folders that the program writes can be read by its own user alone."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.admin.doctor import check_permissions
from pbem.cli import main
from pbem.config import load_settings
from tests.cli.conftest import Run

NOW = ("--now", "2026-11-02T10:00Z")


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """Yield a umask that the user's shell has set."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def reachable(*folders: Path) -> list[Path]:
    """Return the files that others can read, and the folders that they can enter."""
    found = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    assert len(found) > 10
    return [path for path in found if stat.S_IMODE(path.lstat().st_mode) != (0o700 if path.is_dir() else 0o600)]


def test_a_home_and_all_that_comes_into_it(duel: Run, home: Path, tmp_path: Path, umask: int) -> None:
    """Others can read neither database, archive, log, mail and locks, nor a preview, a fork or a withdrawn turn."""
    (home / "pbem.toml").chmod(0o600)  # the fixture has rewritten it
    inbox = home / "post" / "inbox" / "new"
    for command in ("tick", "preview --to", "run --yes", "rollback --yes", "tick", "fork --yes"):
        words, place = command.split(), str(tmp_path / command.replace(" ", ""))
        arguments = {"preview": [place], "fork": ["1", place], "rollback": ["1"]}.get(words[0], [])
        named = ["duel"] if words[0] != "tick" else []
        if words[0] == "run":
            (inbox / "1").write_bytes(b"From: ann@example.org\n\nORDERS duel red\nPLACE c3\nEND\n")
            (inbox / "1").chmod(0o600)
        assert duel(words[0], *named, *words[1:], *arguments, *NOW).exit_code == 0, words

    assert (home / "pbem.sqlite").is_file()
    assert (home / "turns" / "duel" / "withdrawn").is_dir()
    assert reachable(home, tmp_path / "preview--to", tmp_path / "fork--yes") == []
    assert os.umask(umask) == umask


def test_a_database_in_use(duel: Run, home: Path, umask: int) -> None:
    """The files that SQLite keeps beside an open database are as private as the database."""
    from pbem.store.session import Store

    store = Store(load_settings(home).database)
    with store.writing() as session:
        session.connection().exec_driver_sql("UPDATE inbox SET note = ''")
        beside = [path for path in home.iterdir() if path.name.startswith("pbem.sqlite-")]
        modes = {stat.S_IMODE(path.stat().st_mode) for path in beside}
    store.close()

    assert (len(beside), modes) == (2, {0o600})


@pytest.mark.parametrize("umask", [0o000], ids=oct, indirect=True)
def test_a_demo(tmp_path: Path, umask: int) -> None:
    """A demo is private, too, but for its site."""
    demo = tmp_path / "demo"
    result = CliRunner().invoke(main, ["demo", str(demo), "--game", "singularity", "--turns", "1"])

    assert result.exit_code == 0, result.output
    assert [path for path in reachable(demo) if not path.is_relative_to(demo / "site")] == []


@pytest.fixture
def opened(_new_home: Path) -> Iterator[Path]:
    """Yield a home of an earlier version, with a blank in its name, in a folder that all users can read."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(shutil.copytree(_new_home, Path(name) / "my home"))
        for path in (Path(name), home, *home.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield home


def test_a_home_that_is_open_is_found_and_closed(opened: Path) -> None:
    """The doctor names what others can read, and prints the command that closes it."""
    settings = load_settings(opened)
    told = check_permissions(settings)
    subprocess.run(["sh", "-c", told.mend.removeprefix("run: ")], check=True)

    assert told.result == "warning"
    assert told.text.startswith(f"other users of this machine can read {opened}/pbem.sqlite, {opened}/turns, ")
    assert check_permissions(settings).result == "ok"
    assert stat.S_IMODE((opened / "pbem.sqlite").stat().st_mode) == 0o600
    assert [path for path in (opened / "post").rglob("*") if path.stat().st_mode & 0o077] == []


def test_migrate_tells_of_it_too(opened: Path) -> None:
    """Migrating an old home prints the warning and the command."""
    output = CliRunner().invoke(main, ["migrate", "--home", str(opened)]).output

    assert f"Warning: other users of this machine can read {opened}/pbem.sqlite, " in output
    assert f"Fix: run: chmod -R go= '{opened}/pbem.sqlite' " in output
