"""The archive's folders: what is in them, and that they are written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.archive.record import file_hash
from pbem.archive.writer import archive_turn
from pbem.errors import CampaignError
from tests.archive.game import NAME, Game, played


def names(folder: Path) -> list[str]:
    """Return all files of a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_folder_of_the_setup(tmp_path: Path) -> None:
    """Folder 0000 has the record of the set-up and the reports mailed at the start."""
    Game(tmp_path).start()

    reports = [f"reports/{seat}.{kind}" for seat in ("blue", "red") for kind in ("html", "json", "txt")]
    assert names(tmp_path / NAME / "0000") == [*reports, "turn.json"]


def test_folder_of_a_turn(tmp_path: Path) -> None:
    """A turn's folder has its sheets as received and as understood, and the reports it produced."""
    played(tmp_path)

    found = names(tmp_path / NAME / "0001")
    assert [name for name in found if name.startswith("sheets/")] == [
        "sheets/blue-v1.txt",
        "sheets/blue.orders.txt",
        "sheets/red-v1.txt",
        "sheets/red.orders.txt",
    ]
    assert "reports/red.txt" in found


def test_orders_as_understood(tmp_path: Path) -> None:
    """The orders used are written as lines that would be read as the same."""
    played(tmp_path)

    folder = tmp_path / NAME / "0001" / "sheets"
    assert (folder / "red.orders.txt").read_text() == "BID 3\nWHISPER blue deal\n"


def test_record_names_every_file_and_its_hash(tmp_path: Path) -> None:
    """The record has the SHA-256 of each file of its folder."""
    folder = Game(tmp_path).start()

    files = json.loads((folder / "turn.json").read_bytes())["files"]
    assert files == {name: file_hash((folder / name).read_bytes()) for name in names(folder) if name != "turn.json"}


def test_record_tells_what_the_resolver_was_given(tmp_path: Path) -> None:
    """The record has the orders, the seats without a sheet, the sheets used, and the record before."""
    game = Game(tmp_path)
    first = game.start() / "turn.json"
    record = json.loads((game.turn({"red": ["BID 3"]}) / "turn.json").read_bytes())

    assert record["orders"] == {"blue": [], "red": [{"order": "bid", "coins": 3}]}
    assert record["missing"] == ["blue"]
    assert list(record["sheets"]) == ["red"]
    assert record["previous"] == file_hash(first.read_bytes())


def test_archiving_twice_changes_nothing(tmp_path: Path) -> None:
    """A turn whose archiving is repeated after a crash stays as it was."""
    game = Game(tmp_path)
    folder = game.start()
    files = {name: (folder / name).read_bytes() for name in names(folder) if name != "turn.json"}
    before = {name: (folder / name).stat().st_mtime_ns for name in names(folder)}

    assert archive_turn(tmp_path, game.record, files) == folder
    assert {name: (folder / name).stat().st_mtime_ns for name in names(folder)} == before


def test_another_record_of_the_turn_is_not_overwritten(tmp_path: Path) -> None:
    """A folder that differs from the database is left for the GM to examine."""
    folder = Game(tmp_path).start()
    (folder / "turn.json").write_text("{}")

    with pytest.raises(CampaignError, match="holds another record of this turn"):
        Game(tmp_path).start()


def test_killed_writer_leaves_no_half_turn(tmp_path: Path) -> None:
    """The draft of a killed writer is no turn, and the next writer deletes it."""
    draft = tmp_path / NAME / ".0000-killed"
    draft.mkdir(parents=True)
    (draft / "turn.json").write_text("half")

    folder = Game(tmp_path).start()

    assert [path.name for path in folder.parent.iterdir()] == ["0000"]


def test_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk refuses a file, no folder of the turn appears."""

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        Game(tmp_path).start()

    assert list((tmp_path / NAME).iterdir()) == []


def test_files_must_be_those_of_the_record(tmp_path: Path) -> None:
    """A record is never archived with other files than it names."""
    game = Game(tmp_path / "first")
    game.start()

    with pytest.raises(ValueError, match="not the files of turn 0 of fair1"):
        archive_turn(tmp_path, game.record, {"reports/red.txt": b"forged"})
