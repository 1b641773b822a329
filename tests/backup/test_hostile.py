"""A backup may be a stranger's file: it runs no code, writes nowhere else, and is refused in a sentence."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.admin.doctor import run_checks
from pbem.backup.files import MOST_LIST
from pbem.backup.restore import check_backup, restore_home
from pbem.cli import main
from pbem.config import INACTIVE, load_settings
from pbem.errors import BackupError, PbemError
from pbem.games import installed_games
from tests.backup.conftest import Kept
from tests.backup.hostile import Facts, forged, with_member, with_settings
from tests.toy.home import GAMES

CLI = Path(__file__).parents[2] / "cli.py"
ESCAPE = "{{ cycler.__init__.__globals__.os.popen('touch TRAP').read() }}"


class Bomb:
    """Object that touches a file when it is unpickled."""

    def __init__(self, trap: Path) -> None:
        self.trap = trap

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mknod, (str(self.trap),))


def refused(file: Path, tmp_path: Path, kept: Kept) -> str:
    """Return the sentence with which a backup is refused, by verification and by restore."""
    said = []
    for act in (
        lambda: check_backup(file, kept.desk.now, GAMES),
        lambda: restore_home(file, tmp_path / "refused" / "home", kept.desk.now, GAMES),
    ):
        with pytest.raises(BackupError) as error:
            act()
        said.append(str(error.value))
    assert said[0] == said[1]
    assert said[0].isprintable()
    assert len(said[0]) < 700
    assert not (tmp_path / "refused").exists() or list((tmp_path / "refused").iterdir()) == []
    return said[0]


def files_in(folder: Path) -> set[Path]:
    """Return all files and folders below a folder."""
    return set(folder.rglob("*"))


def told(result_output: str) -> str:
    """Return the output as one line."""
    return " ".join(result_output.split())


def test_templates_of_a_restored_home_are_not_used(kept: Kept, tmp_path: Path) -> None:
    """Templates of an inactive home are used neither by restore nor by the doctor, and later in a sandbox alone."""
    trap = tmp_path / "trap"
    names = ("host/gm_help.txt.j2", "host/notice.txt.j2", "host/press.html.j2", "toy/report.txt.j2", "toy/events.j2")
    source = ESCAPE.replace("TRAP", str(trap)).encode()
    file = forged(kept.file, tmp_path / "b.zip", {f"templates/{name}": source for name in names}, without="templates/")
    check_backup(file, kept.desk.now, GAMES)
    made = restore_home(file, tmp_path / "home", kept.desk.now, GAMES)
    runner = CliRunner()
    before = runner.invoke(main, ["doctor", "--home", str(made.home)])

    assert "templates: mails and pages are written with 5 of its own, in templates" in made.reaches
    assert "unsafe" not in before.output
    assert runner.invoke(main, ["restore", "--activate", "--yes", "--home", str(made.home)]).exit_code == 0
    assert "access to attribute '__init__' of 'type' object is unsafe" in told(
        runner.invoke(main, ["doctor", "--home", str(made.home)]).output
    )
    runner.invoke(main, ["tick", "--home", str(made.home)])
    assert not trap.exists()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["cache/2-00.bytecode", "cache/x.py", "pbem.toml", "pbem.sqlite-journal", "other"])
def test_no_file_comes_along_that_the_settings_do_not_name(kept: Kept, tmp_path: Path, name: str) -> None:
    """Files that the settings do not name are not restored: above all caches, which hold code."""
    bomb = pickle.dumps(Bomb(tmp_path / "trap"))
    said = refused(forged(kept.file, tmp_path / "b.zip", {f"files/{name}": bomb}), tmp_path, kept)

    assert f"b.zip has 'files/{name}', which is no plain file of a home" in said
    assert not (tmp_path / "trap").exists()


def test_no_command_is_run_before_the_home_is_opened(kept: Kept, tmp_path: Path) -> None:
    """Commands in the settings are listed by restore and doctor, and run only after its activation was confirmed."""
    trap = tmp_path / "trap"
    command = f"{sys.executable} -c open('{trap}','w')"
    lines = f'inbox = "imaps://ann@127.0.0.1:1/INBOX"\ninbox_password = {{ command = {json.dumps(command)} }}'
    home = tmp_path / "home"
    runner = CliRunner()
    restored = runner.invoke(main, ["restore", str(with_settings(kept.file, tmp_path / "b.zip", lines)), str(home)])
    doctor = runner.invoke(main, ["doctor", "--home", str(home)])
    asked = runner.invoke(main, ["restore", "--activate", "--home", str(home)])

    for result in (restored, doctor, asked):
        assert f"the command is run: {sys.executable} -c" in told(result.output)
        assert "mail is read from the server imaps://ann@127.0.0.1:1/INBOX" in told(result.output)
    assert asked.exit_code == 3
    assert "pbem restore --activate" in runner.invoke(main, ["tick", "--home", str(home)]).output
    assert not load_settings(home).active
    assert not trap.exists()
    assert runner.invoke(main, ["restore", "--activate", "--yes", "--home", str(home)]).exit_code == 0
    assert load_settings(home).active
    assert (
        runner.invoke(main, ["restore", "--activate", "--home", str(home)]).output
        == "Nothing to do: the home is active.\n"
    )


def test_a_reopening_without_a_terminal_opens_nothing(kept: Kept, tmp_path: Path) -> None:
    """Without a terminal, --activate needs --yes."""
    made = restore_home(kept.file, tmp_path / "home", kept.desk.now, GAMES)
    runner = CliRunner()

    assert runner.invoke(main, ["restore", "--activate", "--home", str(made.home)]).exit_code == 3
    assert not load_settings(made.home).active
    assert runner.invoke(main, ["restore", "--activate", "--yes", "--home", str(made.home)]).exit_code == 0
    assert load_settings(made.home).active


def test_a_reopening_that_was_killed_half_way_is_done_again(kept: Kept, tmp_path: Path) -> None:
    """After a killed activation a tick still refuses, and another asks once more."""
    home = restore_home(kept.file, tmp_path / "home", kept.desk.now, GAMES).home
    (home / INACTIVE).unlink()
    runner = CliRunner()

    assert "pbem restore --activate" in runner.invoke(main, ["tick", "--home", str(home)]).output
    activate = ["restore", "--activate", "--home", str(home)]
    assert runner.invoke(main, activate).output.startswith("Would do: activate ")
    assert runner.invoke(main, [*activate, "--yes"]).exit_code == 0
    assert runner.invoke(main, ["tick", "--home", str(home)]).exit_code == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("outside", ["/OUTSIDE", "../outside", "turns/../../outside", "pbem.sqlite", "PBEM.TOML", "."])
def test_nothing_is_written_outside_the_home(kept: Kept, tmp_path: Path, outside: str) -> None:
    """Archive, templates, log, site, dashboard, inbox and carrier outside the home are moved into it, and listed."""
    place = outside.replace("/OUTSIDE", str(tmp_path / "outside"))
    lines = "\n".join(
        [f'{key} = "{place}"' for key in ("archive", "templates", "log", "site")]
        + [f'{key} = "maildir:{place}"' for key in ("inbox", "carrier")]
        + [f'dashboard = "{place}/status.html"']
    )
    file = with_settings(kept.file, tmp_path / "b.zip", lines)
    before = files_in(tmp_path)
    check_backup(file, kept.desk.now, GAMES)
    assert files_in(tmp_path) == before

    home = restore_home(file, tmp_path / "home", kept.desk.now, GAMES).home
    runner = CliRunner()
    for command in ("doctor", "restore --activate --yes", "tick", "doctor"):
        runner.invoke(main, [*command.split(), "--home", str(home)])
    assert {path for path in files_in(tmp_path) if not path.is_relative_to(home)} == before
    assert (home / "turns" / "toy1" / "0000" / "turn.json").is_file()
    assert (home / "log" / "pbem.log").is_file()
    assert load_settings(home).site is None
    assert load_settings(home).dashboard in (None, home / "status.html")


def test_a_path_that_the_operator_names_again_is_used_and_told(kept: Kept, tmp_path: Path) -> None:
    """A path outside the home, kept as a comment, is used if the operator restores its line, and shown by reopen."""
    outside = tmp_path / "outside"
    file = with_settings(kept.file, tmp_path / "b.zip", f'archive = "{outside}"')
    made = restore_home(file, tmp_path / "home", kept.desk.now, GAMES)
    assert made.moved == (f"archive = '{outside}' is turns",)
    settings = made.home / "pbem.toml"
    text = settings.read_text().replace('\narchive = "turns"', "").replace("# before it was moved: archive", "archive")
    settings.write_text(text)

    assert load_settings(made.home).archive == outside
    shown = CliRunner().invoke(main, ["restore", "--activate", "--home", str(made.home)]).output
    assert f"archive: {outside}, outside the home, is written to" in told(shown)


def test_a_database_elsewhere_is_not_touched(kept: Kept, tmp_path: Path) -> None:
    """A database in another file, at a URI or on a server is not used: a file in the home takes its place."""
    (tmp_path / "mine.sqlite").write_bytes(b"mine")
    urls = (
        f"sqlite:///{tmp_path}/mine.sqlite",
        "sqlite:///file:/etc/x?mode=rwc&uri=true",
        "postgresql://ann@127.0.0.1:1/x",
    )
    for number, url in enumerate(urls):
        file = with_settings(kept.file, tmp_path / "b.zip", f'database = "{url}"')
        check_backup(file, kept.desk.now, GAMES)
        home = restore_home(file, tmp_path / f"home{number}", kept.desk.now, GAMES).home
        assert load_settings(home).database == f"sqlite:///{home}/pbem.sqlite"
    assert (tmp_path / "mine.sqlite").read_bytes() == b"mine"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "lines",
    [
        "archive = 3",
        'archive = "a\\u001bb"',
        'dkim = { domain = "x", selector = "y", key_file = "\\u001b[31m" }',
        'tls_ca = ["a"]',
        'inbox_password = { command = "a \'b" }',
        'inbox_password = "secret"',
        '"archive" = "/etc"',
        'archive = """\n/etc"""',
        "x = " + "[" * 20_000,
        "\x1b[31m",
        'unknown = "x"',
        'templates = "nowhere"\narchive = "nowhere/templates"\ninbox = "maildir:pbem.toml/x"\nlog = "\\u0000"',
    ],
)
def test_settings_that_cannot_be_read_are_refused(kept: Kept, tmp_path: Path, lines: str) -> None:
    """Unreadable settings are refused in a sentence without control characters."""
    assert "pbem.toml" in refused(with_settings(kept.file, tmp_path / "b.zip", lines), tmp_path, kept)


def said_of(*path: str, value: object) -> Callable[[Facts], object]:
    """Return a change of the manifest: another value at this path."""

    def change(facts: Facts) -> None:
        *way, last = path
        place = facts
        for key in way:
            place = place[key]
        place[last] = value

    return change


MANIFESTS = {
    "no zone": said_of("made", value="2026-11-02T09:00:00"),
    "year 1": said_of("made", value="0001-01-01T00:00:00+14:00"),
    "year 9999": said_of("made", value="9999-12-31T23:59:59-14:00"),
    "time of steering signs": said_of("made", value="\x1b]0;x\x07"),
    "address of steering signs": said_of("address", value="\x1b[31mx@example.org"),
    "version of steering signs": said_of("pbem", value="1\x9b31m"),
    "kind of steering signs": said_of("kind", value="\x1b[2J"),
    "format of steering signs": said_of("format", value="\x1b[2J" * 1000),
    "left out": said_of("left_out", value=["\r\x1b[1A"]),
    "left out, no list": said_of("left_out", value=3),
    "endless text": said_of("pbem", value="1" * 100_000),
    "campaigns as text": said_of("campaigns", value="toy1"),
    "too many campaigns": said_of("campaigns", value=[{"name": "a", "game": "b", "version": 1}] * 10_001),
    "version of a game": said_of("campaigns", value=[{"name": "toy1", "game": "toy", "version": "1"}]),
    "game of steering signs": said_of("campaigns", value=[{"name": "toy1", "game": "\x1b[31m", "version": 1}]),
    "nothing": lambda facts: facts.clear(),
    "a nest": lambda facts: facts.update(nest=json.loads("[" * 500 + "]" * 500), made=None),
}


@pytest.mark.parametrize("change", MANIFESTS.values(), ids=MANIFESTS)
def test_a_manifest_that_is_not_believed(kept: Kept, tmp_path: Path, change: Callable[[Facts], object]) -> None:
    """Each value of a manifest is checked before it is used or printed."""
    assert "b.zip" in refused(forged(kept.file, tmp_path / "b.zip", change=change), tmp_path, kept)


def member(name: str = "templates/x.j2", **values: object) -> zipfile.ZipInfo:
    """Return a file of an archive, with these values in the list."""
    made = zipfile.ZipInfo("x")
    made.filename = name  # as it is: the constructor mends what it can
    for key, value in values.items():
        setattr(made, key, value)
    return made


PLACES = {
    "above": "../x",
    "above, by a way round": "templates/../../x",
    "absolute": "/etc/x",
    "absolute, in a folder": "templates//etc/x",
    "here": "templates/./x",
    "of Windows": "templates/..\\x",
    "of steering signs": "templates/\x1b[31m",
    "a folder": "templates/a/",
    "no name": "templates/",
    "long": "templates/" + "a" * 256,
    "long in bytes": "templates/" + "\u20ac" * 100,
    "longer": "templates/" + f"{'a' * 200}/" * 6 + "x",
    "deep": "templates/" + "a/" * 20 + "x",
    "of no part": "other/x",
    "beside the settings": "pbem.sqlite",
    "of the old format": "templates.tar",
}


@pytest.mark.parametrize("name", PLACES.values(), ids=PLACES)
def test_nothing_but_plain_files_of_a_home(kept: Kept, tmp_path: Path, name: str) -> None:
    """Any other name is refused before a file is written."""
    file = with_member(kept.file, tmp_path / "b.zip", member(name))

    assert "which is no plain file of a home" in refused(file, tmp_path, kept)


LISTS = {
    "'pbem.toml' is there twice": [member("pbem.toml")],
    "is there twice": [member("templates/A"), member("templates/a")],
    "'templates/e\u0301' is there twice": [member("templates/e\u0301"), member("templates/\u00c9")],
    "'templates/a' is a file, and a folder with files": [member("templates/a"), member("templates/A/b")],
    "'templates/x.j2' is packed as no backup is": [member(flag_bits=1)],
    "packed as no backup is": [member(compress_type=zipfile.ZIP_BZIP2)],
    "is packed as no": [member(compress_type=zipfile.ZIP_LZMA)],
    "is of a time that no file can have": [member(comment=b"9" * 19)],
    "is of a time that no file": [member(comment=b"soon")],
    "bytes unpacked; one of its size may have": [member(file_size=2**40)],
}


@pytest.mark.parametrize(("said", "members"), LISTS.items(), ids=LISTS)
@pytest.mark.filterwarnings("ignore:Duplicate")
def test_a_list_that_is_not_believed(kept: Kept, tmp_path: Path, said: str, members: list[zipfile.ZipInfo]) -> None:
    """The list of files is checked as a whole: names in any case, ways of packing, times, and the sum of sizes."""
    file = kept.file
    for number, each in enumerate(members):
        file = with_member(file, tmp_path / f"{number}b.zip", copy.copy(each))

    assert said in refused(file, tmp_path, kept)


def test_a_file_has_the_size_that_the_list_says(kept: Kept, tmp_path: Path) -> None:
    """Of a file that is longer no more is read, and one that is shorter is refused too."""
    for size in (1_000, 3_000):
        file = with_member(kept.file, tmp_path / "b.zip", member(file_size=size), b"x" * 2_000)

        assert "'templates/x.j2' was cut or changed" in refused(file, tmp_path, kept)


def test_bytes_before_or_behind_the_archive_are_refused(kept: Kept, tmp_path: Path) -> None:
    """Nothing can be hidden around a backup, in its comment neither."""
    raw = kept.file.read_bytes()
    shifted = tmp_path / "shifted.zip"
    with shifted.open("wb") as file:
        file.write(b"#!/bin/sh\n")
        with zipfile.ZipFile(file, "w") as new, zipfile.ZipFile(kept.file) as old:
            for name in old.namelist():
                new.writestr(name, old.read(name))
    with zipfile.ZipFile(forged(kept.file, tmp_path / "comment.zip"), "a") as file_:
        file_.comment = b"x"

    for content in (b"x" + raw, raw + b"x", raw + raw, shifted.read_bytes(), (tmp_path / "comment.zip").read_bytes()):
        (tmp_path / "b.zip").write_bytes(content)
        assert "there is something before or behind the archive" in refused(tmp_path / "b.zip", tmp_path, kept)


def test_a_link_is_the_file_that_it_is_in_the_archive(kept: Kept, tmp_path: Path) -> None:
    """What other programs would make a link is a plain file with the place in it."""
    link = member("templates/link", external_attr=0o120777 << 16)
    file = with_member(kept.file, tmp_path / "b.zip", link, str(tmp_path).encode())
    home = restore_home(file, tmp_path / "home", kept.desk.now, GAMES).home

    assert not (home / "templates" / "link").is_symlink()
    assert (home / "templates" / "link").read_text() == str(tmp_path)


def test_two_folders_of_a_backup_cannot_meet_in_a_home(kept: Kept, tmp_path: Path) -> None:
    """A setting by which two folders become one is no way to write over a file."""
    files = {"templates/toy1/0000/turn.json": b"{}", "turns/toy1/0000/turn.json": b"{}"}
    file = with_settings(kept.file, tmp_path / "b.zip", 'templates = "turns"', files)

    assert "'turns/toy1/0000/turn.json' cannot be written: File exists" in refused(file, tmp_path, kept)


def test_a_file_that_is_none_is_refused(kept: Kept, tmp_path: Path) -> None:
    """A pipe or a device instead of a file is refused, and not opened."""
    os.mkfifo(tmp_path / "pipe.zip")

    assert refused(tmp_path / "pipe.zip", tmp_path, kept).endswith("pipe.zip is no file")
    assert refused(Path("/dev/zero"), tmp_path, kept) == "/dev/zero is no file"
    assert refused(tmp_path / "gone.zip", tmp_path, kept).endswith("gone.zip is not there")


def test_nothing_that_is_printed_steers_the_terminal(kept: Kept, tmp_path: Path) -> None:
    """Neither the content of a file nor its name reaches the terminal with control characters."""
    file = forged(kept.file, tmp_path / "\x1b[31m.zip")
    with zipfile.ZipFile(file, "a") as more:
        more.writestr("\x1b[31m", "x")
    backup = ["--home", str(kept.desk.home), "backup", f"{file}/none"]
    outputs = [CliRunner().invoke(main, words).output for words in (["verify", str(file)], backup)]

    assert all("\x1b" not in output and "�[31m.zip" in output for output in outputs)


LONG_NAME = 60_000


def test_a_list_without_end_is_not_read(kept: Kept, tmp_path: Path) -> None:
    """A list of files that is longer than a home can have is refused before it is read."""
    many = tmp_path / "many.zip"
    with zipfile.ZipFile(many, "w") as file:
        for number in range(MOST_LIST // LONG_NAME + 1):
            file.writestr(f"{number:0{LONG_NAME}}", b"")

    assert "its list of files is too long" in refused(many, tmp_path, kept)


def test_a_manifest_is_packed_as_all_files_are(kept: Kept, tmp_path: Path) -> None:
    """A way of packing that takes much memory is refused before the manifest is read."""
    said = refused(forged(kept.file, tmp_path / "lzma.zip", method=zipfile.ZIP_LZMA), tmp_path, kept)

    assert "its manifest cannot be read ('manifest.json' is packed as no backup is)" in said


def test_a_file_whose_name_cannot_be_read_is_refused(kept: Kept, tmp_path: Path) -> None:
    """A file whose second name, in its local header, is not UTF-8 is refused."""
    raw = bytearray(kept.file.read_bytes())
    at = raw.find(b"database.sqlite")
    raw[at - 30 + 7] |= 0x08  # the flag of names in UTF-8
    raw[at] = 0xFF
    (tmp_path / "named.zip").write_bytes(raw)

    assert "'database.sqlite' was cut or changed" in refused(tmp_path / "named.zip", tmp_path, kept)


def test_a_backup_that_lacks_bytes_of_its_first_file_is_refused(kept: Kept, tmp_path: Path) -> None:
    """All other files are found where the list says, less the bytes cut; the first would begin before the file."""
    raw = kept.file.read_bytes()
    (tmp_path / "early.zip").write_bytes(raw[:1000] + raw[1010:])

    assert "early.zip was changed" in refused(tmp_path / "early.zip", tmp_path, kept)


def test_a_backup_that_was_changed_anywhere_is_refused_or_sound(kept: Kept, tmp_path: Path) -> None:
    """A backup changed, cut or doubled at random is sound, or refused in a sentence."""
    raw, dice = kept.file.read_bytes(), random.Random(20261123)
    for _ in range(40):
        mutant = bytearray(raw)
        at = dice.randrange(len(raw)) if dice.random() < 0.5 else len(raw) - dice.randrange(1, 3000)
        piece = dice.choice([b"", dice.randbytes(4), raw[at : at + 200] * 2, b"\xff" * 8, b"\0" * 8])
        mutant[at : at + dice.choice([0, 4, 8, 1000])] = piece
        (tmp_path / "mutant.zip").write_bytes(mutant)
        try:
            check_backup(tmp_path / "mutant.zip", kept.desk.now, GAMES)
        except PbemError as error:
            assert str(error).isprintable()  # noqa: PT017 - some of them are sound


def test_two_restores_into_one_folder_make_one_home(kept: Kept, tmp_path: Path) -> None:
    """The second of two restores finds the place taken, whenever it comes there."""
    command = [sys.executable, str(CLI), "restore", str(kept.file), str(tmp_path / "home")]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    outcomes = sorted((each.communicate()[1], each.returncode) for each in both)

    taken = f"Not done: {tmp_path / 'home'} is not empty: a home is restored into an empty place alone.\n"
    assert outcomes == [("", 0), (taken, 1)]
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_the_doctor_of_a_restored_home_asks_no_server(kept: Kept, tmp_path: Path) -> None:
    """In an inactive home the doctor connects to no server and reads no password; it lists what will be used."""
    lines = (
        'inbox = "imaps://ann@192.0.2.1/INBOX"\ncarrier = "smtps://ann@192.0.2.1"\ncarrier_password = { env = "HOME" }'
    )
    made = restore_home(with_settings(kept.file, tmp_path / "b.zip", lines), tmp_path / "home", kept.desk.now, GAMES)
    checks = run_checks(made.home, kept.desk.now, installed_games()).checks

    assert {check.name for check in checks} & {"inbox", "carrier", "carrier_password", "dkim", "address"} == set()
    assert [check.text for check in checks if check.name == "inactive"][1:] == list(made.reaches)
    assert "carrier_password: the environment variable HOME is read, and sent to the server" in made.reaches
