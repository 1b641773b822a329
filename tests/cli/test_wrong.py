"""Wrong input and damaged homes end in a sentence and an exit code, never in a traceback."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result

from pbem.cli import main
from tests.cli.conftest import Run
from tests.cli.test_check import check

ROOT = Path(__file__).parents[2]

COMMANDS = [
    *("init", "migrate", "new", "start", "tick", "run", "status", "inbox", "outbox"),
    *("games", "dev", "check", "verify", "undo", "seat", "set", "help", "nonsense"),
]
WORDS = [
    *("duel", "", "-", "--", "x" * 300, "a b", "\u00e9\u4e2d", "\udcff", "0", "-1", "singularity", "/nowhere", "."),
    *(
        "--json",
        "--home",
        "--now",
        "--report",
        "--option",
        "--seat",
        "--schedule",
        "--quarantined",
        "--game",
        "--gm",
        "--state",
        "--save",
        "--retry",
    ),
    *("red=ann@example.org", "red=", "=", "size=5", "size=", "2026-11-06T20:00Z", "9999-12-31", "0001-01-01"),
    *("EVERY 12h", "EVERY 99999999d", "FRI 20:00 ../etc", "gm@example.org", "orders@example.org", "--help"),
]


def _said(result: Result) -> bool:
    """Return True if a command said what was wrong, in words or as JSON."""
    worded = any(word in result.stderr for word in ("Error: ", "Not done: ", "Problem: ", "Usage: "))
    return worded or '"result": "not_done"' in result.stdout


def test_no_words_make_a_traceback(duel: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any words after any command end with an exit code, and an error with a sentence."""
    monkeypatch.chdir(tmp_path)
    dice = random.Random(8)
    for _ in range(400):
        words = [dice.choice(COMMANDS), *dice.choices(WORDS, k=dice.randrange(6))]
        result = duel(*words)

        assert result.exit_code in (0, 1, 2), words
        assert result.exit_code == 0 or _said(result), words


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (b"\xff\xfe = 1", "is not valid TOML"),
        (b"address = " + b"[" * 5_000, "is not valid TOML"),
        (b"", "pbem.toml has no address"),
        (b'address = "orders@example.org"\npoll = 3', "'poll' is not a setting. Did you mean poll_seconds?"),
        (b'address = "orders@example.org"\ninbox_password = "x"', "inbox_password must not be written in the file"),
        (b'address = "orders@example.org"\ndatabase = "sqlite:///"', "database is 'sqlite:///'"),
        (b'address = "orders@example.org"\ndatabase = "sqlite:///turns"', "unable to open database file"),
    ],
)
def test_settings_that_cannot_be_read(pbem: Run, home: Path, settings: bytes, said: str) -> None:
    """The error names the file, the setting and what is wrong with it."""
    (home / "pbem.toml").write_bytes(settings)
    result = pbem("status")

    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [("status",), ("tick",), ("migrate",), ("verify", "--campaign", "duel")])
def test_a_database_that_is_none(duel: Run, home: Path, command: tuple[str, ...]) -> None:
    """A file that is no database is named, and left as it is."""
    for path in home.glob("pbem.sqlite*"):
        path.unlink()
    (home / "pbem.sqlite").write_text("These are the times that try men's souls. " * 50)
    result = duel(*command)

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("pbem.sqlite cannot be used: file is not a database.\n")


@pytest.mark.parametrize("when", ["9999-12-31T23:59", "0001-01-01T00:00+14:00"])
@pytest.mark.parametrize("command", [("tick",), ("run", "duel"), ("start", "duel")])
def test_times_at_the_ends_of_the_calendar(duel: Run, command: tuple[str, ...], when: str) -> None:
    """Times beyond any arithmetic are refused before anything is done."""
    result = duel(*command, "--now", when)

    assert result.exit_code == 2
    assert "is too far away: use a year from 1971 to 8999" in result.stderr


def test_an_option_given_twice_is_refused(pbem: Run) -> None:
    """Neither of two values is silently dropped."""
    new = ["new", "duel", "--game", "singularity", "--gm", "gm@example.org", "--schedule", "EVERY 12h"]
    seats = ["--seat", "red=ann@example.org", "--seat", "blue=bob@example.org"]
    result = pbem(*new, *seats, "--option", "size=5", "--option", "size=9")

    assert result.exit_code == 2
    assert "size is given twice: 5 and 9" in result.stderr
    assert pbem("status").output.startswith("No campaigns.")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"view": {}}, "this report is damaged: its 'view' is none of Singularity"),
        ({"view": {"size": "big", "stones": 3}}, "this report is damaged: its 'view' is none of Singularity"),
        ({"game_version": 9}, "this report is of version 9 of Singularity; this program has version 2"),
        ({"game": "chess"}, "there is no game 'chess' here"),
    ],
)
def test_a_report_that_cannot_be_checked_against(
    duel: Run, home: Path, tmp_path: Path, change: dict[str, object], said: str
) -> None:
    """A damaged or foreign report is refused in one sentence."""
    report = json.loads((home / "turns" / "duel" / "0000" / "reports" / "red.json").read_text())
    (tmp_path / "report.json").write_text(json.dumps(report | change))
    (tmp_path / "sheet.txt").write_text("PLACE c3\n")

    code, output = check(tmp_path / "sheet.txt", tmp_path / "report.json")

    assert code == 1
    assert said in output
    assert output.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error() -> None:
    """A closed pipe, as by `pbem games KEY --rules | head`, is no error."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, str(ROOT / "cli.py"), "games", "singularity", "--rules"]
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)

    assert result.stderr == ""


@pytest.mark.parametrize("spelt", ["\\ud800", "x\\udfffx", "\\u0000", "\\\\\\u0000"])
@pytest.mark.parametrize("key", ["label", "campaign", "view"])
def test_signs_that_no_text_can_hold(duel: Run, home: Path, tmp_path: Path, spelt: str, key: str) -> None:
    """A report with lone surrogates or NUL, which JSON can spell, is refused."""
    report = json.loads((home / "turns" / "duel" / "0000" / "reports" / "red.json").read_text())
    changed = {key: {**report["view"], "label": "X"} if key == "view" else "X"}
    (tmp_path / "report.json").write_text(json.dumps(report | changed).replace('"X"', f'"{spelt}"'))
    (tmp_path / "sheet.txt").write_text("PLACE c3\n")

    code, output = check(tmp_path / "sheet.txt", tmp_path / "report.json")
    assert (code, output.count("\n")) == (1, 1)
    assert "this is not a report" in output


@pytest.mark.parametrize(
    "sheet", [b"\xed\xa0\x80", b"\xff\xfe\x00\xd8A\x00", b"PLACE \x00c3", b"ORDERS \xed\xa0\x80 red\n\xf0\x9f"]
)
def test_signs_in_a_sheet(duel: Run, home: Path, tmp_path: Path, sheet: bytes) -> None:
    """Bytes that are no text are read as far as possible, with findings."""
    (tmp_path / "sheet.txt").write_bytes(sheet)

    code, output = check(tmp_path / "sheet.txt", home / "turns" / "duel" / "0000" / "reports" / "red.json")
    assert code in (0, 1)
    assert output.startswith(
        ("duel, move 1, seat red: nothing accepted", "duel, move 1, seat red: 1 of 1 order accepted.")
    )


def test_signs_in_a_patch(duel: Run, tmp_path: Path) -> None:
    """A patch with lone surrogates is refused."""
    (tmp_path / "patch.json").write_text('[{"op": "add", "path": "/x", "value": "\\ud800"}]')
    result = duel("state", "duel", str(tmp_path / "patch.json"), "--yes")

    assert result.exit_code == 2
    assert "it is not JSON" in result.stderr


def half_typed(command: click.Command) -> Iterator[list[str]]:
    """Yield command lines with half a character as each argument, and as the value of each option in turn."""
    half = "\udcff"
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    words = [str(command.name), *("duel" if each.name == "name" else half for each in arguments)]
    options = [each for each in command.params if isinstance(each, click.Option) and not each.is_flag]
    yield words
    for option in options:
        yield [*words, option.opts[-1], half]
        yield [*words, option.opts[-1], f"red={half}"]


def test_half_a_character_in_any_command(duel: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words in another encoding than the terminal's are refused in a sentence, anywhere."""
    monkeypatch.chdir(tmp_path)
    for name in sorted(set(main.commands) - {"demo", "dev", "doctor", "init", "seat", "serve"}):
        for words in half_typed(main.commands[name]):
            result = duel(*words)

            assert result.exit_code in (0, 1, 2, 3), words
            assert result.exit_code in (0, 3) or _said(result), words
            for made in filter(Path.is_file, tmp_path.glob("*\udcff")):
                made.unlink()  # click leaves a file open that it has opened when another word is wrong
