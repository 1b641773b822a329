"""A lost database: no command hides that by making an empty one, and the printed repairs work."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from pbem.cli import main
from pbem.config import rewrite_settings
from pbem.config_values import FILE_NAME
from pbem.store.session import Store
from tests.cli.conftest import Run

NOW = ("--now", "2026-11-02T10:00Z")
WITHOUT_A_HOME = {"arena", "bot", "demo", "games", "check", "dev", "help"}
"""Commands that need no home, or make one."""

WORDS: dict[str, tuple[str, ...]] = {
    "backup": ("NEW",),
    "import": ("PLACE",),
    "init": ("HOME",),
    "site": ("NEW",),
    **dict.fromkeys(("doctor", "inbox", "migrate", "outbox", "serve", "status", "tick", "verify"), ()),
    "standings": (),
    "seat": ("duel", "red", "bot"),
    "swap": ("duel", "red", "blue"),
    "announce": ("duel", "--text", "PLACE"),
    "give": ("duel", "red", "to", "cyd@example.org"),
    **dict.fromkeys(("open", "pause", "remove", "resume"), ("duel", "red")),
    "restore": ("--activate",),
    "ruling": ("duel", "--form", "NEW"),
    "export": ("duel", "PLACE", "--to", "other@example.org"),
    "fork": ("duel", "1", "NEW"),
    "invite": ("duel", "cyd@example.org"),
    "new": ("other", "--game", "singularity", "--gm", "gm@example.org", "--open", "2", "--schedule", "FRI 20:00 UTC"),
    "state": ("duel", "PLACE"),
    "roll": ("duel", "1d6", "rain"),
    "rollback": ("duel", "0"),
    "sheet": ("duel", "red", "--text", "PLACE"),
}
"""Arguments of commands; those not listed take the name of a campaign."""


def words(command: str, home: Path) -> list[str]:
    """Return a command line that would do something in an intact home."""
    place, new = home.with_name("place"), home.with_name("new")
    place.write_text("{}\n")
    given = {"PLACE": str(place), "NEW": str(new), "HOME": str(home)}
    return [command, *(given.get(word, word) for word in WORDS.get(command, ("duel",)))]


def lost(home: Path) -> None:
    """Delete the database file."""
    (home / "pbem.sqlite").unlink()


def emptied(home: Path) -> None:
    """Leave an empty file, as a program did that looked for the lost one."""
    (home / "pbem.sqlite").write_bytes(b"")


def refused(result: Result) -> str:
    """Return the error of a command that failed."""
    assert result.exit_code == 1, result.output
    return " ".join(result.output.split())


@pytest.mark.sampled(27)
@pytest.mark.parametrize("losing", [lost, emptied])
@pytest.mark.parametrize("command", sorted(set(main.commands) - WITHOUT_A_HOME))
def test_no_command_makes_up_for_a_database(
    duel: Run, home: Path, command: str, losing: Callable[[Path], None]
) -> None:
    """Each command says that it is missing or empty, and how to restore it; none makes tables in its place."""
    losing(home)
    said = refused(duel(*words(command, home)))

    assert re.search("is missing|no file|missing or empty|has no tables of pbem", said), said
    assert "estore the newest backup into a new folder with: pbem restore FILE" in said
    assert losing is emptied or not (home / "pbem.sqlite").exists()
    with closing(sqlite3.connect(home / "pbem.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_a_new_home_is_made_and_made_again(tmp_path: Path) -> None:
    """If no archive shows that there was a database, `init` makes one, and all else that is missing."""
    home = tmp_path / "home"
    for _ in range(2):
        assert CliRunner().invoke(main, ["init", str(home)]).exit_code == 0
        (home / "pbem.sqlite").unlink()

    assert CliRunner().invoke(main, ["init", str(home)]).exit_code == 0
    assert (home / "pbem.sqlite").is_file()


def test_an_archive_can_be_left_behind(duel: Run, home: Path) -> None:
    """To start again beside an archive takes the step that the refusal names."""
    lost(home)
    said = refused(CliRunner().invoke(main, ["init", str(home)]))

    assert f"the archive {home / 'turns'} has duel, but the database is missing or empty" in said
    (home / "turns").rename(home / "aside")
    assert CliRunner().invoke(main, ["init", str(home)]).exit_code == 0


def scribbled(home: Path) -> None:
    """Overwrite a page in the middle."""
    with closing(sqlite3.connect(home / "pbem.sqlite")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with (home / "pbem.sqlite").open("r+b") as file:
        file.seek(4096 * 40)
        file.write(b"\xa5" * 4096)


def printed(output: str) -> list[str]:
    """Return the words of the repair that doctor prints, after `pbem`."""
    (command,) = {
        match[1] for match in re.finditer(r"with: pbem (restore FILE .*?)(?:\.$| \(|;|$)", output, re.MULTILINE)
    }
    return shlex.split(command)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("losing", [lost, emptied, scribbled])
def test_the_repair_works_as_it_is_printed(
    duel: Run, tmp_path: Path, losing: Callable[[Path], None], home: Path
) -> None:
    """Doctor's command, with the backup for FILE, makes an intact home; the damaged one is untouched."""
    backup = tmp_path / "b.pbem.zip"
    assert duel("backup", str(backup)).exit_code == 0
    losing(home)
    found = duel("doctor", *NOW)
    restored = CliRunner().invoke(main, [str(backup) if word == "FILE" else word for word in printed(found.output)])

    assert restored.exit_code == 0, restored.output
    anew = home.with_name("home-restored")
    opened(anew)
    assert "campaign duel" not in CliRunner().invoke(main, ["--home", str(anew), "doctor", *NOW]).output


def opened(home: Path) -> None:
    """Reopen a restored home and let it tick."""
    for command in (["restore", "--activate", "--yes"], ["tick", *NOW], ["status"]):
        result = CliRunner().invoke(main, ["--home", str(home), *command])
        assert result.exit_code == 0, result.output


def test_the_repair_of_a_server_works_as_it_is_printed(
    duel: Run, home: Path, tmp_path: Path, migrated_postgres_url: str, postgres_url: str
) -> None:
    """The same holds for PostgreSQL, with the URL of an empty database for URL."""
    backup = tmp_path / "b.pbem.zip"
    assert duel("backup", str(backup)).exit_code == 0
    settings = home / FILE_NAME
    settings.write_text(rewrite_settings(settings.read_text(), {"database": migrated_postgres_url}))
    with closing(Store(migrated_postgres_url)) as store, store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE press")
    output = duel("doctor", *NOW).output

    assert "it lacks the table press. Fix: it is damaged" in output
    command = printed(output)
    assert "--database URL (the URL of an empty database" in output
    given = {"FILE": str(backup), "URL": postgres_url.replace("+psycopg", "")}
    restored = CliRunner().invoke(main, [given.get(word, word) for word in command])
    assert restored.exit_code == 0, restored.output
    opened(home.with_name("home-restored"))


def found(run: Run) -> list[str]:
    """Return doctor's results on the archive."""
    checks = json.loads(run("doctor", "--json", *NOW).output)["checks"]
    return [f"{check['result']}: {check['text']}" for check in checks if check["name"] == "archive"]


def gone(home: Path) -> None:
    """Delete the folder of a turn."""
    shutil.rmtree(home / "turns" / "duel" / "0000")


def all_gone(home: Path) -> None:
    """Delete the archive."""
    shutil.rmtree(home / "turns" / "duel")


def record_changed(home: Path) -> None:
    """Change a record."""
    record = home / "turns" / "duel" / "0000" / "turn.json"
    record.write_bytes(record.read_bytes().replace(b'"number":0', b'"number":1'))


def sheet_changed(home: Path) -> None:
    """Change a file that a record names."""
    file = next((home / "turns" / "duel" / "0000" / "reports").iterdir())
    file.write_bytes(b"something else")


def later_turn(home: Path) -> None:
    """Add a later turn to the archive, as there is when the database is an old copy."""
    shutil.copytree(home / "turns" / "duel" / "0000", home / "turns" / "duel" / "0001")


def stranger(home: Path) -> None:
    """Add another campaign to the archive."""
    shutil.copytree(home / "turns" / "duel", home / "turns" / "trap7")


def unreadable(home: Path) -> None:
    """Damage a record in the database."""
    with closing(sqlite3.connect(home / "pbem.sqlite")) as database:
        database.execute("UPDATE turn SET record = x'00' WHERE number = 0")
        database.commit()


@pytest.mark.parametrize(
    ("breaking", "said"),
    [
        (gone, "campaign duel: the archive lacks turn 0"),
        (all_gone, "campaign duel: the archive lacks turn 0"),
        (record_changed, "campaign duel: the archive has turn 0 changed, cut or unreadable"),
        (sheet_changed, "campaign duel: the archive has turn 0 changed, cut or unreadable"),
        (later_turn, "campaign duel: the archive has 0001, and the database does not: it is of an earlier time"),
        (stranger, "the archive has a campaign trap7, and the database has none of this name"),
    ],
)
def test_database_and_archive_are_compared(duel: Run, home: Path, breaking: Callable[[Path], None], said: str) -> None:
    """Doctor and migrate both name what one of them lacks."""
    breaking(home)

    assert found(duel) == [f"problem: {said}"]
    assert f"Problem: {said}. Fix: " in duel("migrate").output


def test_a_spoilt_record_is_named(duel: Run, home: Path) -> None:
    """A record that the database cannot read is a problem, and the other checks go on."""
    unreadable(home)

    assert found(duel) == ["problem: campaign duel: the database cannot read its own turn 0"]


@pytest.mark.parametrize("breaking", [gone, all_gone])
def test_a_tick_writes_again_what_was_lost(duel: Run, home: Path, breaking: Callable[[Path], None]) -> None:
    """A tick writes missing folders again, as doctor advises."""
    breaking(home)
    duel("tick", *NOW)

    assert found(duel) == ["ok: it has every turn that the database has, and no other"]


@pytest.mark.parametrize("breaking", [record_changed, sheet_changed])
def test_what_was_changed_is_moved_away_and_written_again(
    duel: Run, home: Path, breaking: Callable[[Path], None]
) -> None:
    """Changed folders that were moved away are written again, as doctor advises."""
    breaking(home)
    (home / "turns" / "duel" / "0000").rename(home / "aside")
    duel("tick", *NOW)

    assert found(duel) == ["ok: it has every turn that the database has, and no other"]


def test_every_command_is_tried() -> None:
    """The commands that need no home exist; all others are tried without a database."""
    assert set(main.commands) >= WITHOUT_A_HOME
    assert isinstance(main, click.Group)
