"""`pbem ruling --edit`: a GM writes a ruling in an editor."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem.actions.ruling import format_ruling, parse_ruling
from pbem.cli import main

NOW = "2026-11-02T09:00Z"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a started campaign of two that its GM adjudicates."""
    seats = ["--seat", "red=ann@example.org", "--seat", "blue=bob@example.org"]
    run(
        tmp_path,
        "new",
        "pen1",
        "--game",
        "gm_adjudicated",
        "--gm",
        "gm@example.org",
        *seats,
        "--schedule",
        "DAILY 20:00 UTC",
    )
    run(tmp_path, "start", "pen1", "--now", NOW)
    return tmp_path


def run(home: Path, *words: str, answers: Sequence[str] = ()) -> Result:
    """Run a command in the home, which is made if it does not exist."""
    if not (home / "pbem.toml").exists():
        CliRunner().invoke(main, ["init", str(home)])
    return CliRunner().invoke(main, ["--home", str(home), *words], input="".join(f"{each}\n" for each in answers))


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str) -> None:
    """Set an editor that replaces one word by another, and saves."""
    script = folder / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        f"path.write_text(path.read_text().replace({before!r}, {after!r}))\n"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")


def edited(home: Path, *answers: str) -> Result:
    """Run `pbem ruling pen1 --edit` with what is typed between the files."""
    return run(home, "ruling", "pen1", "--edit", answers=answers)


def test_the_files_are_walked_through_one_by_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter goes on to the next file, open ones are listed after each, and after the last all are submitted."""
    editor(home, monkeypatch, "[RESULT]\n", "[RESULT]\nYou find a boat.\n")

    said = edited(home, "red", "", "", "")

    nexts = [line for line in said.output.splitlines() if line.startswith("Next")]
    assert nexts == [
        "Next (a file, take or stop) [blue.txt]: red",
        "Next (a file, take or stop) [blue.txt]: ",
        "Next (a file, take or stop) [game.txt]: ",
        "Next (a file, take or stop) [take]: ",
    ]
    assert "Done: ruling on turn 1 submitted." in said.output


def test_it_begins_where_something_is_open(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files without words come before those that have them."""
    editor(home, monkeypatch, "[RESULT]\n", "[RESULT]\nYou find a boat.\n")

    first = edited(home, "stop")
    second = edited(home, "stop")

    folder = home / "rulings" / "pen1-1"
    assert "Still open: blue.txt." in first.output
    assert f"All of it is kept in {folder}; go on with: pbem ruling pen1 --edit" in " ".join(first.output.split())
    assert "Still open" not in second.output
    assert [(folder / f"{seat}.txt").read_text().count("boat") for seat in ("red", "blue")] == [1, 1]


def test_a_file_that_is_not_there_is_asked_for_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelt file is refused with the existing ones, and the question is repeated."""
    monkeypatch.setenv("EDITOR", "true")

    said = edited(home, "gren", "stop")

    assert "Error: gren is not a file, take or stop; possible: all.txt, " in said.output


def test_what_is_wrong_is_told_and_nothing_is_taken(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an error the GM's text is still there when the editor opens again."""
    editor(home, monkeypatch, "; LABEL Spring 1902", "LABLE Spring 1902")
    failed = edited(home, "game", "take")
    editor(home, monkeypatch, "LABLE", "LABEL")

    mended = run(home, "adjudicate", "pen1", "--edit", "--yes", answers=["take"])

    assert "Error: game.txt, line 10: 'LABLE' is no command" in failed.output
    assert (failed.exit_code, mended.exit_code) == (1, 0)


def test_a_sheet_that_came_meanwhile_is_told_of(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The GM's text stays as it is; the digest has the new sheet."""
    monkeypatch.setenv("EDITOR", "true")
    edited(home, "stop")
    (home / "sheet.txt").write_text("Burn the bridge.")
    run(home, "sheet", "pen1", "red", str(home / "sheet.txt"), "--yes")

    said = edited(home, "red", "stop")

    assert "red.txt was written with another sheet in it than has come by now" in said.output
    assert "Burn the bridge." in (home / "rulings" / "pen1-1" / "digest.txt").read_text()


def test_a_form_reads_as_it_was_written() -> None:
    """Files joined into one text are read again unchanged, without the remarks above them."""
    files = {"all.txt": "The sun rises.\n", "red.txt": "You sleep.\n"}

    read = parse_ruling(format_ruling(files, "two sheets\ncame").splitlines())

    assert {name: text.strip() for name, text in read.items()} == {name: text.strip() for name, text in files.items()}
