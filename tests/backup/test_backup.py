"""A backup holds a home as of one moment, and is refused if a byte of it was changed."""

from __future__ import annotations

import datetime as dt
import shutil
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.backup.create import create_backup
from pbem.backup.restore import check_backup, restore_home
from pbem.cli import main
from pbem.config import load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import BackupError
from pbem.store.copy import revision_of
from tests.actions.history import begin
from tests.backup.conftest import Kept
from tests.backup.hostile import forged
from tests.toy.home import GAMES, MONDAY, Desk

FOLDERS = ("database.sqlite", FILE_NAME, "templates/", "mail/inbox/", "mail/carrier/", "turns/toy1/0001/reports/")


def rotten(kept: Kept, target: Path, folder: str) -> str:
    """Write a copy of the backup in which a byte of a file is another; return the name of the file."""
    raw = bytearray(kept.file.read_bytes())
    with zipfile.ZipFile(kept.file) as file:
        member = next(each for each in file.infolist() if each.filename.startswith(folder))
    head = member.header_offset
    names = int.from_bytes(raw[head + 26 : head + 28], "little") + int.from_bytes(raw[head + 28 : head + 30], "little")
    raw[head + 30 + names + member.compress_size // 2] ^= 1
    target.write_bytes(raw)
    return member.filename


def test_a_backup_is_for_its_user_alone(kept: Kept) -> None:
    """Only its owner can read a backup, since it holds seeds, mail and reports."""
    assert stat.S_IMODE(kept.file.stat().st_mode) == 0o600


def spoil(desk: Desk) -> None:
    """Give a seat a status that is none."""
    with closing(sqlite3.connect(desk.home / "pbem.sqlite", isolation_level=None)) as rows:
        rows.execute("UPDATE seat SET status = 'wild'")


def test_what_was_written_is_verified(desk: Desk, tmp_path: Path) -> None:
    """A backup that cannot be restored is kept, with its fault, and older ones are not removed for it."""
    begin(desk)
    folder = tmp_path / "backups"
    folder.mkdir()
    create_backup(load_settings(desk.home), folder, MONDAY)
    back_up = ["--home", str(desk.home), "backup", str(folder), "--keep", "1"]
    sound = CliRunner().invoke(main, [*back_up, "--now", "2026-11-03T09:00Z"], obj=GAMES)
    spoil(desk)
    create_backup(load_settings(desk.home), folder, MONDAY)
    broken = CliRunner().invoke(main, [*back_up, "--now", "2026-11-04T09:00Z"], obj=GAMES)

    assert sound.exit_code == 0
    assert sound.output.splitlines()[-1] == "Verified: all files match, the database is intact, 1 campaign proved."
    assert broken.exit_code == 1
    assert ".pbem.zip was written, but could not be verified: pbem-" in " ".join(broken.output.split())
    assert "table seat, row 1, field status: it cannot be read" in " ".join(broken.output.split())
    assert len(list(folder.glob("*.pbem.zip"))) == 3


def test_a_backup_replaces_none_that_is_better(desk: Desk, tmp_path: Path) -> None:
    """A file of that name is only replaced by a backup that can be restored, unless verifying is switched off."""
    begin(desk)
    file = create_backup(load_settings(desk.home), tmp_path / "b.zip", desk.now, games=GAMES).path
    before = file.read_bytes()
    spoil(desk)

    with pytest.raises(BackupError, match=r"b\.zip is unchanged: .*not be verified: .*row 1"):
        create_backup(load_settings(desk.home), file, desk.now, games=GAMES)
    assert file.read_bytes() == before
    assert create_backup(load_settings(desk.home), file, desk.now).verified is None


def test_a_backup_is_proved(kept: Kept) -> None:
    """Every turn is resolved again, without a problem."""
    checked = check_backup(kept.file, kept.desk.now, GAMES)

    assert [(each.campaign, each.turns, each.unproved) for each in checked.campaigns] == [("toy1", 2, ())]
    assert (checked.problems, checked.unknown) == ((), ())


@pytest.mark.usefixtures("later_migration")
def test_a_home_not_migrated_yet_is_backed_up_as_it_is(kept: Kept, tmp_path: Path) -> None:
    """A newer program makes a backup of an old database that the old program can use."""
    made = create_backup(load_settings(kept.desk.home), tmp_path / "old.zip", MONDAY)

    assert made.campaigns == ("toy1",)
    with zipfile.ZipFile(made.path) as parts:
        parts.extract("database.sqlite", tmp_path)
    assert revision_of(tmp_path / "database.sqlite") == "0034"


def test_a_game_that_is_not_installed_is_named(kept: Kept) -> None:
    """If a game is not installed, its chain is proved, and its results are listed as unproved."""
    checked = check_backup(kept.file, kept.desk.now, {})

    assert checked.unknown == ("toy, version 1",)
    assert "does not know the game toy" in checked.campaigns[0].unproved[0]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_file_that_was_changed_is_named(kept: Kept, tmp_path: Path, folder: str) -> None:
    """A file with one changed bit is named."""
    name = rotten(kept, tmp_path / "changed.zip", folder)

    with pytest.raises(BackupError, match=f"'{name}' was cut or changed"):
        check_backup(tmp_path / "changed.zip", kept.desk.now, GAMES)


def test_a_backup_is_the_files_of_the_home(kept: Kept, tmp_path: Path) -> None:
    """Any program for ZIP archives shows them as they lie in the home, and mail keeps the time at which it came."""
    with zipfile.ZipFile(kept.file) as file:
        names = set(file.namelist())
        turn = file.read("turns/toy1/0001/turn.json")
    home = restore_home(kept.file, tmp_path / "home", kept.desk.now, GAMES).home

    assert {"manifest.json", "database.sqlite", FILE_NAME, "templates/toy/report.j2"} <= names
    assert turn == (kept.desk.home / "turns/toy1/0001/turn.json").read_bytes()
    for path in (kept.desk.home / "post").rglob("*"):
        if path.is_file():
            assert (home / path.relative_to(kept.desk.home)).stat().st_mtime_ns == path.stat().st_mtime_ns


@pytest.mark.parametrize("length", [0, 100, 20_000, -30])
def test_a_file_that_was_cut_is_no_backup(kept: Kept, tmp_path: Path, length: int) -> None:
    """A file truncated anywhere is refused in a sentence."""
    cut = tmp_path / "cut.zip"
    cut.write_bytes(kept.file.read_bytes()[:length])

    with pytest.raises(BackupError, match=r"cut.zip is no backup, or was cut"):
        check_backup(cut, kept.desk.now, GAMES)


@pytest.mark.parametrize("at", [0.05, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_bytes_that_rotted_are_noticed(kept: Kept, tmp_path: Path, at: float) -> None:
    """Ten damaged bytes of any part are reported by part, or the file is no backup."""
    raw = bytearray(kept.file.read_bytes())
    start = int(len(raw) * at)
    with zipfile.ZipFile(kept.file) as parts:
        begin = max(part.header_offset for part in parts.infolist() if part.header_offset <= start)
    # Times and sizes in the head of a part stand in the directory of the file too, which is the one that is read.
    head = 30 + sum(int.from_bytes(raw[begin + here : begin + here + 2], "little") for here in (26, 28))
    start = max(start, begin + head)
    raw[start : start + 10] = bytes(255 - byte for byte in raw[start : start + 10])
    rotten = tmp_path / "rotten.zip"
    rotten.write_bytes(raw)

    with pytest.raises(BackupError, match=r"rotten\.zip"):
        check_backup(rotten, kept.desk.now, GAMES)


@pytest.mark.parametrize(("format_", "said"), [(1, "was never released"), (3, "does not know: use a newer one")])
def test_a_backup_of_another_format_is_refused(kept: Kept, tmp_path: Path, format_: int, said: str) -> None:
    """The manifest of another version says what is needed to read it, whatever else it has."""
    other = forged(
        kept.file, tmp_path / "other.zip", {"post/inbox.tar": b""}, change=lambda facts: facts.update(format=format_)
    )

    with pytest.raises(BackupError, match=f"of format {format_}, .*{said}"):
        check_backup(other, kept.desk.now, GAMES)


def said(facts: dict[str, object], **instead: object) -> None:
    """Put other content into a manifest."""
    facts.clear()
    facts.update({"format": 2, "kind": "home", **instead})


@pytest.mark.parametrize(
    "instead",
    [
        {},
        {"format": None},
        {"made": "2026-11-02", "campaigns": []},
        {"made": "today", "campaigns": []},
        {"made": "2026-11-02", "campaigns": [{"name": 1}]},
    ],
)
def test_a_manifest_that_says_too_little_is_refused(kept: Kept, tmp_path: Path, instead: dict[str, object]) -> None:
    """An incomplete manifest is refused in a sentence, whatever its other content."""
    other = forged(kept.file, tmp_path / "other.zip", change=lambda facts: said(facts, **instead))

    with pytest.raises(BackupError, match=r"other\.zip .*(manifest|format None)"):
        check_backup(other, kept.desk.now, GAMES)


def test_nothing_else_is_written_over(kept: Kept, tmp_path: Path) -> None:
    """A typing error in a crontab overwrites no other file; an older backup of the same name is replaced."""
    settings = load_settings(kept.desk.home)
    mine = tmp_path / "letter.txt"
    mine.write_text("Dear Ann")

    with pytest.raises(BackupError, match="is no backup"):
        create_backup(settings, mine, kept.desk.now)
    create_backup(settings, tmp_path / "again.zip", kept.desk.now)
    create_backup(settings, tmp_path / "again.zip", kept.desk.now)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.zip", "letter.txt"]


def test_a_folder_keeps_the_newest(kept: Kept, tmp_path: Path) -> None:
    """Backups are ordered by the time in their names, and only backups are ever deleted."""
    settings = load_settings(kept.desk.home)
    (tmp_path / "notes.txt").write_text("mine")
    days = [MONDAY + dt.timedelta(days=day) for day in range(3)]

    made = [create_backup(settings, tmp_path, day, keep=2) for day in days]

    assert made[2].removed == ("pbem-20261102T090000Z.pbem.zip",)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "notes.txt",
        "pbem-20261103T090000Z.pbem.zip",
        "pbem-20261104T090000Z.pbem.zip",
    ]


def test_secrets_stay_at_home_unless_asked_for(kept: Kept, tmp_path: Path) -> None:
    """The key that signs mail, and the files that commands name, are included by --with-secrets alone."""
    home = Path(shutil.copytree(kept.desk.home, tmp_path / "home", symlinks=True))
    (home / "dkim.pem").write_text("the key")
    (home / "word.txt").write_text("the password")
    settings = home / FILE_NAME
    settings.write_text(
        settings.read_text()
        + 'dkim = { domain = "example.org", selector = "pbem", key_file = "dkim.pem" }\n'
        + 'carrier_password = { command = "cat word.txt" }\n'
    )
    plain = create_backup(load_settings(home), tmp_path / "plain.zip", kept.desk.now)
    create_backup(load_settings(home), tmp_path / "secret.zip", kept.desk.now, with_secrets=True)

    assert plain.left_out == ("secrets: dkim.pem, word.txt; see --with-secrets",)
    found = {
        name: [secret for secret in (b"the key", b"the password") if secret in files_of(tmp_path / f"{name}.zip")]
        for name in ("plain", "secret")
    }
    assert found == {"plain": [], "secret": [b"the key", b"the password"]}


def files_of(backup: Path) -> bytes:
    """Return the single files that a backup holds."""
    with zipfile.ZipFile(backup) as file:
        return b"".join(file.read(name) for name in file.namelist() if name.startswith("files/"))
