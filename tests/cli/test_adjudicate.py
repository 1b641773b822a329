"""`pbem ruling`: a GM rules by files, from the sheets to the next turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def war(pbem: Run) -> Run:
    """Return a home with a campaign "war" of two seats whose turn is due and awaits the GM's ruling."""
    new = ["new", "war", "--game", "gm_adjudicated", "--gm", "gm@example.org", "--schedule", "EVERY 24h"]
    assert pbem(*new, "--seat", "red=ann@example.org", "--seat", "blue=bob@example.org").exit_code == 0
    assert pbem("start", "war", "--now", "2026-11-02T09:00Z").exit_code == 0
    assert (
        "war: turn 1 needs a ruling. Next: pbem ruling war --edit\n"
        in pbem("tick", "--now", "2026-11-03T09:00Z").output
    )
    return pbem


def test_the_files_of_a_ruling_are_written(war: Run, tmp_path: Path) -> None:
    """The command names the files and says how to go on."""
    result = war("ruling", "war", "--form", str(tmp_path / "r"))

    assert {path.name for path in (tmp_path / "r").iterdir()} == {
        *("digest.txt", "game.txt", "all.txt", "red.txt", "blue.txt")
    }
    assert result.output.endswith(f"Fill them in. Next: pbem ruling war {tmp_path / 'r'}\n")


def test_a_ruling_is_taken(war: Run, tmp_path: Path) -> None:
    """Findings have file and line; a warning does not prevent the ruling."""
    (tmp_path / "red.txt").write_text("Gold!\n")

    asked = war("ruling", "war", str(tmp_path))
    result = war("ruling", "war", str(tmp_path), "--yes")

    assert result.output == (
        "Warning: blue.txt: no result for blue alone this turn.\n"
        "Done: ruling on turn 1 submitted. Run it: pbem release war; before the deadline: pbem run war\n"
    )
    assert (asked.exit_code, result.exit_code) == (3, 0)


def test_a_seat_without_words_of_its_own_and_a_ledger_below_zero_are_shown_first(pbem: Run, tmp_path: Path) -> None:
    """Such a ruling is shown with its warnings, and nothing changes without --yes; words for all alone are not."""
    (tmp_path / "gold.json").write_text('{"red": {"gold": 3}}')
    seats = ["--seat", "red=ann@example.org", "--seat", "blue=bob@example.org"]
    new = ["new", "war", "--game", "gm_adjudicated", "--gm", "gm@example.org", *seats]
    assert pbem(*new, "--option", f"ledgers={tmp_path / 'gold.json'}", "--schedule", "EVERY 24h").exit_code == 0
    assert pbem("start", "war").exit_code == 0
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "all.txt").write_text("Snow.\n")
    plain = pbem("ruling", "war", str(folder))
    (folder / "red.txt").write_text("You paid.\n[SET gold -= 9]\n")

    asked = pbem("ruling", "war", str(folder))

    assert (plain.exit_code, asked.exit_code) == (0, 3)
    assert asked.output == (
        "Would do: submit this ruling on turn 1 of war.\n"
        "Warning: red.txt, line 2: gold of red would fall below zero, to -6.\n"
        "Warning: blue.txt: no result for blue alone this turn.\n"
        "Nothing has changed. To do it, add --yes.\n"
    )
    assert "You paid." not in pbem("ruling", "war").output


def test_a_ruling_that_replaces_another_says_of_what_time_that_was(war: Run, tmp_path: Path) -> None:
    """It is asked about, and the answer names the time, as clocks of the campaign show it."""
    (tmp_path / "all.txt").write_text("Gold!\n")
    assert war("ruling", "war", str(tmp_path), "--now", "2026-11-03T19:10Z").exit_code == 0
    (tmp_path / "all.txt").write_text("Silver!\n")
    result = war("ruling", "war", str(tmp_path), "--yes", "--now", "2026-11-03T20:10Z")

    assert "Done: ruling on turn 1 submitted (replaces that of 19:10). Run it:" in result.output


def test_a_ruling_with_an_error_is_not_taken(war: Run, tmp_path: Path) -> None:
    """The command names the error and exits with 1."""
    (tmp_path / "all.txt").write_text("It rained.\n[FILLE]\n")

    result = war("ruling", "war", str(tmp_path))

    assert "Error: all.txt, line 2: there is no section [FILLE]" in result.output
    assert result.output.endswith("Did you mean FILE?\nNot done: 1 error. Fix it and submit again.\n")
    assert result.exit_code == 1


def test_taking_and_writing_anew_exclude_each_other(war: Run, tmp_path: Path) -> None:
    """A folder to be read and --force together are refused, so that no ruling is lost."""
    result = war("ruling", "war", str(tmp_path), "--force")

    assert "--force with --form alone" in result.output
    assert result.exit_code == 2


def test_a_folder_that_cannot_be_used_is_named(war: Run, tmp_path: Path) -> None:
    """A file instead of the folder, or a wrong campaign, is refused in one sentence."""
    (tmp_path / "x").write_text("")

    assert war("ruling", "war", "--form", str(tmp_path / "x")).exit_code == 2
    assert 'no campaign "wra". Did you mean war?' in war("ruling", "wra", "--form", str(tmp_path)).output
