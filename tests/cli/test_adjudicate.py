"""`pbem adjudicate`: a GM rules by files, from the sheets to the next turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def war(pbem: Run) -> Run:
    """Return a home with a campaign "war" of two seats whose turn is due and awaits the GM's ruling."""
    new = ["new", "war", "--game", "gm_adjudicated", "--gm", "gm@example.org", "--deadline", "EVERY 24h"]
    assert pbem(*new, "--seat", "red=ann@example.org", "--seat", "blue=bob@example.org").exit_code == 0
    assert pbem("start", "war", "--now", "2026-11-02T09:00Z").exit_code == 0
    assert (
        "war: turn 1 needs a ruling. Next: pbem ruling war --edit" in pbem("tick", "--now", "2026-11-03T09:00Z").output
    )
    return pbem


def test_the_files_of_a_ruling_are_written(war: Run, tmp_path: Path) -> None:
    """The command names the files and says how to go on."""
    result = war("adjudicate", "war", str(tmp_path / "r"))

    assert {path.name for path in (tmp_path / "r").iterdir()} == {
        *("digest.txt", "game.txt", "all.txt", "red.txt", "blue.txt")
    }
    assert result.output.endswith(f"Fill them in, then: pbem adjudicate war {tmp_path / 'r'} --take\n")


def test_a_ruling_is_taken(war: Run, tmp_path: Path) -> None:
    """Findings have file and line; a warning does not prevent the ruling."""
    (tmp_path / "red.txt").write_text("Gold!\n")

    result = war("adjudicate", "war", str(tmp_path), "--take")

    assert result.output == (
        "warning: blue.txt: Nothing is told to blue this turn.\n"
        "The ruling on turn 1 of war is taken. Run it with: pbem release war\n"
    )
    assert result.exit_code == 0


def test_a_ruling_with_an_error_is_not_taken(war: Run, tmp_path: Path) -> None:
    """The command names the error and exits with 1."""
    (tmp_path / "all.txt").write_text("It rained.\n[FILLE]\n")

    result = war("adjudicate", "war", str(tmp_path), "--take")

    assert "error: all.txt, line 2: There is no section [FILLE]" in result.output
    assert result.output.endswith("Did you mean FILE?\nThe ruling is not taken: mend the errors and take it again.\n")
    assert result.exit_code == 1


def test_taking_and_writing_anew_exclude_each_other(war: Run, tmp_path: Path) -> None:
    """--take and --force together are refused, so that no ruling is lost."""
    result = war("adjudicate", "war", str(tmp_path), "--take", "--force")

    assert "give one of --take and --force" in result.output
    assert result.exit_code == 2


def test_a_folder_that_cannot_be_used_is_named(war: Run, tmp_path: Path) -> None:
    """A file instead of the folder, or a wrong campaign, is refused in one sentence."""
    (tmp_path / "x").write_text("")

    assert war("adjudicate", "war", str(tmp_path / "x")).exit_code == 2
    assert 'no campaign "wra". Did you mean war?' in war("adjudicate", "wra", str(tmp_path)).output
