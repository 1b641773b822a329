"""A GM writes his ruling in his editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli import main
from pbem.acts.ruling.rulingform import read_form, write_form

NOW = "2026-11-02T09:00Z"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a campaign of two that its GM adjudicates, begun."""
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
        "--deadline",
        "DAILY 20:00 UTC",
    )
    run(tmp_path, "start", "pen1", "--now", NOW)
    return tmp_path


def run(home: Path, *words: str) -> Result:
    """A command in the home, which is made if it is not there."""
    if not (home / "pbem.toml").exists():
        CliRunner().invoke(main, ["init", str(home)])
    return CliRunner().invoke(main, ["--home", str(home), *words])


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str) -> None:
    """An editor that puts one word in the place of another, and saves."""
    script = folder / "editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        f"path.write_text(path.read_text().replace({before!r}, {after!r}))\n"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")


def test_a_ruling_in_the_editor_is_taken(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is saved in the editor is the ruling; no draft stays behind."""
    editor(home, monkeypatch, "[RESULT]\n", "[RESULT]\nYou find a boat.\n")

    said = run(home, "adjudicate", "pen1", "--edit")

    assert (said.exit_code, "is taken" in said.output) == (0, True)
    assert list(home.glob("ruling-*")) == []


def test_an_editor_left_without_saving_takes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving the editor without a change is a sentence, and nothing is taken."""
    monkeypatch.setenv("EDITOR", "true")

    said = run(home, "adjudicate", "pen1", "--edit")

    assert (said.exit_code, "nothing was taken" in said.output) == (1, True)


def test_a_ruling_that_cannot_be_is_kept_to_be_mended(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words written in vain are still there when the editor opens again."""
    editor(home, monkeypatch, "; LABEL Spring 1902", "LABLE Spring 1902")
    failed = run(home, "adjudicate", "pen1", "--edit")
    editor(home, monkeypatch, "LABLE", "LABEL")

    mended = run(home, "adjudicate", "pen1", "--edit")

    assert (failed.exit_code, mended.exit_code) == (1, 0)


def test_a_form_reads_as_it_was_written() -> None:
    """Files put into one text come out again, and remarks above them do not."""
    files = {"all.txt": "The sun rises.\n", "red.txt": "You sleep.\n"}

    read = read_form(write_form(files, "two sheets\ncame").splitlines())

    assert {name: text.strip() for name, text in read.items()} == {name: text.strip() for name, text in files.items()}
