"""The commands that preview a turn, and change it after its run."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main
from tests.cli.conftest import Run

NOW = ("--now", "2026-11-02T10:00Z")


@pytest.fixture
def played(duel: Run, home: Path) -> Run:
    """Return a duel whose first turn was run with a sheet of red that the GM entered."""
    (home / "red.txt").write_text("PLACE c3\n")
    (home / "other.txt").write_text("ORDERS duel red\nPLACE c4\nEND\n")
    assert duel("sheet", "duel", "red", "--text", str(home / "red.txt"), "--yes", *NOW).exit_code == 0
    assert duel("run", "duel", "--yes", *NOW).exit_code == 0
    return duel


def test_a_sheet_is_looked_at_and_entered(duel: Run, home: Path) -> None:
    """A first sheet is accepted; one that replaces another is shown first, and counts with --yes."""
    file = home / "red.txt"
    file.write_text("PLACE c4\n")
    assert "red: 1 of 1 order accepted." in duel("sheet", "duel", "red", "--text", str(file), *NOW).output
    file.write_text("PLACE c3\n")
    looked, entered = (
        duel("sheet", "duel", "red", "--text", str(file)),
        duel("sheet", "duel", "red", "--text", str(file), "--yes", *NOW),
    )

    assert looked.exit_code == 3
    assert "red: 1 of 1 order accepted." in looked.output
    assert looked.output.endswith("Nothing has changed. To do it, add --yes.\n")
    assert entered.output.endswith("The player's receipt is queued. Next: pbem tick\n")


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"PK\3\4\x14\0\6\0", b"%PDF-1.7\n\1\2", bytes(range(256))]
)
def test_a_file_of_another_kind_is_no_sheet(duel: Run, home: Path, content: bytes) -> None:
    """A picture or document given as a sheet is refused as that; nothing of it is read as orders."""
    file = home / "red.pdf"
    file.write_bytes(content)

    for command in (
        ["sheet", "duel", "red", "--text", str(file), "--yes"],
        ["rerun", "duel", "--sheet", f"red={file}"],
    ):
        refused = duel(*command, *NOW)
        assert refused.exit_code == 1
        assert "this file is no text. Save the orders as plain text" in refused.output


@pytest.mark.parametrize(
    "content", ["\ufeffPLACE c4\r\n".encode(), "PLACE c4\n".encode("utf-16"), b"PLACE c4 ; \xfcber\n"]
)
def test_texts_of_other_systems_are_sheets(duel: Run, home: Path, content: bytes) -> None:
    """A text with a byte order mark, in UTF-16 or in an old charset is a sheet."""
    file = home / "red.txt"
    file.write_bytes(content)

    assert "red: 1 of 1 order accepted." in duel("sheet", "duel", "red", "--text", str(file), "--yes", *NOW).output


def test_sheets_are_shown_and_brought_back(duel: Run, home: Path) -> None:
    """Without FILE the sheets are shown; --restore enters a replaced one again."""
    file = home / "red.txt"
    for line in ("PLACE c4\n", "PLACE c3\n"):
        file.write_text(line)
        assert duel("sheet", "duel", "red", "--text", str(file), "--yes", *NOW).exit_code == 0
    shown = duel("sheet", "duel", *NOW).output
    assert shown.endswith("to have it back: pbem sheet duel red back 1\nblue: no sheet counts\n")
    assert "PLACE c3" in shown
    assert "PLACE c4" in duel("sheet", "duel", "red").output

    asked, done = (
        duel("sheet", "duel", "red", "back", *NOW),
        duel("sheet", "duel", "red", "back", "1", "--yes", *NOW),
    )
    assert (asked.exit_code, done.exit_code) == (3, 0)
    assert "Would replace sheet 2:\n  - PLACE c3\n  + PLACE c4\n" in asked.output
    assert duel("sheet", "duel", "--restore").exit_code == 2


def test_preview_shows_and_writes(duel: Run, tmp_path: Path) -> None:
    """A preview is printed, and written as files."""
    output = duel("preview", "duel", "--to", str(tmp_path / "look"), *NOW).output

    assert "duel: turn 1, as it would be run Mon 2 Nov 2026 11:00 Europe/Berlin (10:00 UTC)\n" in output
    assert "Nothing was kept, and no mail is sent. A preview rolls other dice than" in output
    assert (tmp_path / "look" / "reports" / "red.txt").is_file()


def test_preview_with_the_real_dice_says_that_it_is_told(duel: Run) -> None:
    """The GM is told that it is disclosed; the journal has it at once."""
    output = duel("preview", "duel", "--real-dice", "--yes", *NOW).output

    assert "the journal and the next reports tell that you looked." in " ".join(output.split())
    told = " ".join(duel("journal", "duel").output.split())
    assert "gm: looked at what turn 1 would come to, with the dice that it will have" in told


def test_rerun_shows_its_blast_radius(played: Run, home: Path) -> None:
    """A rerun shows first whose reports change; with --yes they are mailed."""
    given = f"red={home / 'other.txt'}"
    looked, done = played("rerun", "duel", "--sheet", given), played("rerun", "duel", "--sheet", given, "--yes", *NOW)

    assert "  red: corrected report, version 2\n" in looked.output
    assert looked.output.endswith("Nothing has changed. To do it, add --yes.\n")
    assert done.output.endswith("Corrected reports are queued. Next: pbem tick\n")
    assert played("tick", *NOW).exit_code == 0
    assert "every hash agrees" in played("verify", "--campaign", "duel").output


@pytest.mark.parametrize(("typed", "code"), [("y", 0), ("n", 3), ("", 3)])
def test_a_terminal_is_asked(played: Run, home: Path, typed: str, code: int) -> None:
    """At a terminal the question follows the effect, and only y confirms."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "w") as keyboard, os.fdopen(theirs) as terminal:
        keyboard.write(f"{typed}\n")
        keyboard.flush()
        words = ["--home", str(home), "rollback", "duel", "1", *NOW]
        pbem = [sys.executable, "-c", "from pbem.cli import main; main()", *words]
        done = subprocess.run(pbem, stdin=terminal, capture_output=True, text=True, check=False)

    assert done.returncode == code
    assert "Nothing has changed yet." in done.stdout
    assert done.stderr.startswith("Do it? [y/N]: ")
    assert ("Done: turn 1 is open (it was turn 2)." in done.stdout) == (code == 0)


def test_a_rollback_is_undone(played: Run) -> None:
    """Both commands print the turn that is open then, and that all are notified."""
    back, undone = played("rollback", "duel", "1", "--yes", *NOW), played("undo", "duel", "--yes", *NOW)

    assert back.output.startswith("Done: turn 1 is open (it was turn 2).\n")
    assert "Sheets that count: red (sheet 1).\n" in back.output
    assert undone.output.startswith('Done: undid "rolled back from turn 2 to turn 1".')


def test_a_state_is_printed_edited_and_patched(played: Run, tmp_path: Path) -> None:
    """`patch` accepts the edited JSON of `state`, and shows each change."""
    state = json.loads(played("state", "duel").output)
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state | {"forfeit_after": 9}))

    assert "/forfeit_after: 3 → 9\n" in played("state", "duel", str(path)).output
    assert played("state", "duel", str(path), "--yes", *NOW).exit_code == 0
    assert json.loads(played("state", "duel").output)["forfeit_after"] == 9


def test_patch_wants_json(played: Run, tmp_path: Path) -> None:
    """A file that is not JSON is refused with a reason."""
    path = tmp_path / "state.json"
    path.write_text("{")
    result = played("state", "duel", str(path))

    assert result.exit_code == 2
    assert "it is not JSON" in result.output


def test_a_fork_is_a_home_of_its_own(played: Run, home: Path, tmp_path: Path) -> None:
    """A fork is made, given another sheet, compared with the real reports, and can be run."""
    folder = tmp_path / "fork"
    given = f"red={home / 'other.txt'}"
    made = played("fork", "duel", "1", str(folder), "--sheet", given, "--compare", "--yes", *NOW)

    assert f"duel is copied to {folder.resolve()}, with turn 1 open. It sends no mail.\n" in made.output
    assert "red: 1 of 1 order accepted.\n" in made.output
    assert "duel: turn 1 there, against what was really told" in made.output
    ran = CliRunner().invoke(main, ["run", "duel", "--yes", "--home", str(folder), *NOW])
    assert "duel: turn 1 run (by the GM).\n" in ran.output


def test_verify_needs_nothing_but_the_archive(played: Run, home: Path) -> None:
    """It prints what agrees, and what cannot be proved before the game is over."""
    result = CliRunner().invoke(main, ["verify", str(home / "turns")])

    assert result.output.startswith("duel: 1 turn, ")
    assert "The chain of records, all files, and the checksum of every sheet agree.\n" in result.output
    assert "Not proved yet: The dice and all results" in result.output


def test_verify_holds_an_archive_to_what_a_player_kept(played: Run, home: Path) -> None:
    """A player's report and the hash in it are found in the archive; others are not."""
    assert played("run", "duel", "--yes", *NOW).exit_code == 0
    kept = home / "turns" / "duel" / "0002" / "reports" / "red.json"
    told = json.loads(kept.read_text())["record"]
    arguments = ["verify", str(home / "turns"), "--report", str(kept), "--record"]
    found, missed = (CliRunner().invoke(main, [*arguments, each]) for each in (told, "0" * 64))

    assert "The report red.json is that of turn 2, as it was mailed.\n" in found.output
    assert f"The record of turn 1 is there: {told}\n" in found.output
    assert (missed.exit_code, "Not done: no record has the hash 0000" in missed.output) == (1, True)


def test_verify_reads_two_reports_of_one_name(played: Run, home: Path, tmp_path: Path) -> None:
    """Of two reports with one name in different folders both are checked."""
    genuine = home / "turns" / "duel" / "0001" / "reports" / "red.json"
    changed = tmp_path / "red.json"
    changed.write_bytes(genuine.read_bytes() + b" ")
    arguments = ["verify", str(home / "turns"), "--report", str(changed), "--report", str(genuine)]

    result = CliRunner().invoke(main, arguments)

    assert (result.exit_code, "red.json: no turn has this report" in result.output) == (1, True)


def test_verify_reads_a_seed_in_hexadecimal(home: Path) -> None:
    """A seed that is not hexadecimal is refused with a reason."""
    result = CliRunner().invoke(main, ["verify", str(home / "turns"), "--seed", "xyz"])

    assert result.exit_code == 2
    assert re.search("hexadecimal digits", result.output)
