"""`pbem ruling --edit`: a GM writes a ruling in an editor, as one file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem.actions.ruling import file_name, format_ruling, parse_ruling
from pbem.cli import main
from pbem.errors import CampaignError

NOW = "2026-11-02T09:00Z"


@pytest.fixture
def home(home: Path) -> Path:
    """Return a home with a started campaign of two that its GM adjudicates."""
    people = ["--gm", "gm@example.org", "--seat", "red=ann@example.org", "--seat", "blue=bob@example.org"]
    run(home, "new", "pen1", "--game", "gm_adjudicated", *people, "--schedule", "DAILY 20:00 UTC")
    run(home, "start", "pen1", "--now", NOW)
    return home


def run(home: Path, *words: str, answers: Sequence[str] = ()) -> Result:
    """Run a command in the home."""
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
    """Run `pbem ruling pen1 --edit` with what is typed between the edits."""
    return run(home, "ruling", "pen1", "--edit", answers=answers)


def text(home: Path) -> str:
    """Return the file that the GM edits."""
    return (home / "rulings" / "pen1-1" / "ruling.txt").read_text()


def test_one_file_has_all_seats(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has every sheet and explains once how to fill it in; saved without an error it is submitted."""
    editor(home, monkeypatch, "[RESULT]\n", "[RESULT]\nYou find a boat.\n")

    said = edited(home, "y")

    assert [text(home).count(f"FILE {name}.txt\n") for name in ("all", "red", "blue", "game")] == [1] * 4
    assert text(home).count("is told in the next report") == 1
    assert "Done: ruling on turn 1 submitted." in said.output
    assert said.exit_code == 0


def test_it_is_kept_until_another_day(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is printed, and the next edit goes on with the same text."""
    editor(home, monkeypatch, "[RESULT]\n", "[RESULT]\nYou find a boat.\n")
    said = edited(home, "n")

    assert f"Your text is kept in {home / 'rulings' / 'pen1-1' / 'ruling.txt'}" in " ".join(said.output.split())
    assert "submitted" not in said.output
    monkeypatch.setenv("EDITOR", "true")
    assert "Done: ruling on turn 1 submitted." in edited(home, "y").output
    assert text(home).count("boat") == 3


def test_errors_are_marked_at_their_lines(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is opened again with a remark above the line; once it is corrected, the remark is gone."""
    editor(home, monkeypatch, "; LABEL Spring 1902", "LABLE Spring 1902")
    failed = edited(home, "n")
    marked = text(home)
    editor(home, monkeypatch, "LABLE", "LABEL")
    mended = run(home, "ruling", "pen1", "--edit", "--yes")

    assert "Error: game.txt, line 10: 'LABLE' is no command. Did you mean LABEL?" in failed.output
    assert "; ERROR: 'LABLE' is no command (did you mean LABEL?)\nLABLE Spring 1902\n" in marked
    assert "Done: ruling on turn 1 submitted." in mended.output
    assert "ERROR" not in text(home)


@pytest.mark.parametrize(
    ("after", "mark"),
    [
        ("FILE rde.txt\n", "FILE rde.txt\n; ERROR: "),
        ("FILE red blue\n[MAPP]\n\nFILE red.txt\n", "; ERROR: there is no section [MAPP]"),
    ],
)
def test_no_text_is_lost_by_an_error(home: Path, monkeypatch: pytest.MonkeyPatch, after: str, mark: str) -> None:
    """What the GM typed is still there after any error, and nothing is submitted."""
    editor(home, monkeypatch, "FILE red.txt\n", after)
    said = edited(home, "n")

    assert after.splitlines()[0] in text(home)
    assert mark in text(home)
    assert "submitted" not in said.output


def test_words_above_all_files_are_marked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that belong to no file are an error at the top."""
    editor(home, monkeypatch, "FILE all.txt\n", "Hello.\nFILE all.txt\n")
    edited(home, "n")

    assert text(home).startswith("# ERROR: words above the first FILE belong to no file (write FILE all above them)\n")
    assert "Hello.\nFILE all.txt\n" in text(home)


def test_an_editor_that_fails_loses_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of the edit before is still there."""
    editor(home, monkeypatch, "[RESULT]\n", "[RESULT]\nYou find a boat.\n")
    edited(home, "n")
    monkeypatch.setenv("EDITOR", "false")

    assert edited(home).exit_code != 0
    assert text(home).count("boat") == 3


def test_a_sheet_that_came_meanwhile_is_told_of(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The GM's text stays as it is; the digest has the new sheet."""
    monkeypatch.setenv("EDITOR", "true")
    edited(home, "n")
    (home / "sheet.txt").write_text("Burn the bridge.")
    run(home, "sheet", "pen1", "red", "--text", str(home / "sheet.txt"), "--yes")

    said = edited(home, "", "n")

    assert "Other sheets than those in your text have come by now for red.txt" in said.output
    assert "Burn the bridge." in (home / "rulings" / "pen1-1" / "digest.txt").read_text()


def test_a_form_reads_as_it_was_written() -> None:
    """Files joined into one text are read again unchanged, without the remarks above them."""
    files = {"all.txt": "The sun rises.\n", "red.txt": "You sleep.\n"}

    read = parse_ruling(format_ruling(files, "two sheets\ncame").splitlines())

    assert {name: text.strip() for name, text in read.items()} == {name: text.strip() for name, text in files.items()}


def test_a_text_may_begin_behind_the_name_and_a_colon() -> None:
    """The words behind the colon are the first line; words with no FILE are refused with the line that is meant."""
    assert parse_ruling(["FILE red: You win.", "At last."]) == {"red.txt": "You win.\nAt last.\n"}
    with pytest.raises(CampaignError, match=r"begin each with a line like FILE red$"):
        parse_ruling(["red: You win."])


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("FILE red.txt", "red.txt"),
        ("FILE red", "red.txt"),
        ("FILE red blue", "red.txt, blue.txt"),
        ("FILE Red, blue:", "red.txt, blue.txt"),
        ("FILE red and blue", "red.txt, blue.txt"),
        ("FILE red: You win, blue.", "red.txt"),
        ("FILE red.txt,blue.txt,red", "red.txt, blue.txt"),
        ("[FILE]", ""),
        (" FILE red blue", ""),
        ("File the report", ""),
        ("FILE " + "x " * 5_000, ""),
        ("FILE ,,, :", ""),
    ],
)
def test_a_line_names_one_file_or_several(line: str, name: str) -> None:
    """Seats stand behind FILE, with commas or blanks between them."""
    assert file_name(line) == name
