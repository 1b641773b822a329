"""The proof covers withdrawn turns like all others."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pbem.actions.base import run_action
from pbem.actions.rerun import EditState, RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.actions.undo import UndoChange
from pbem.archive.record import file_hash
from pbem.archive.verify import VerifyResult, verify
from pbem.errors import ReplayError
from pbem.ruleset import canonical_json
from tests.actions.history import begin, play, proof
from tests.toy.fixtures import desk
from tests.toy.home import GAMES, Desk, prepared

__all__ = ["desk"]


def checked(desk: Desk) -> VerifyResult:
    """Verify the archive of toy1 as a stranger would."""
    return verify(desk.home / "turns", "toy1", games=GAMES)


def aside(desk: Desk) -> Path:
    """Return the folder of withdrawn turns."""
    return desk.home / "turns" / "toy1" / "withdrawn"


def record_of(desk: Desk, turn: int) -> dict[str, object]:
    """Return the record of a turn that counts."""
    found: dict[str, object] = json.loads((desk.home / "turns" / "toy1" / f"{turn:04d}" / "turn.json").read_bytes())
    return found


@pytest.fixture
@prepared
def past(desk: Desk) -> Desk:
    """Return a campaign whose first turn was run again, and whose second and third were rolled back and replayed."""
    begin(desk)
    play(desk, {"red": "BID 2"})
    run_action(desk.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 3")]})), desk.now)
    play(desk, {"blue": "BID 1"})
    play(desk, {"red": "BID 1"})
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    play(desk, {"blue": "BID 2"})
    return desk


@pytest.fixture
@prepared
def rolled(desk: Desk) -> Desk:
    """Return a campaign whose second turn was rolled back, and not run again yet."""
    begin(desk)
    play(desk, {"red": "BID 2"})
    play(desk, {"blue": "BID 1"})
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    return desk


def test_a_record_names_all_that_was_withdrawn_before_it(past: Desk) -> None:
    """The newest record has turn, hash and reason of each withdrawn turn, so its hash covers them too."""
    hashes = {path.parent.name: file_hash(path.read_bytes()) for path in aside(past).glob("*/turn.json")}

    named = record_of(past, 2)["withdrawn"]
    assert {f"{each['turn']:04d}-{each['hash'][:8]}": each["hash"] for each in named} == hashes  # type: ignore[attr-defined]  # JSON
    assert [each["kind"] for each in named] == ["rerun", "rollback", "rollback"]  # type: ignore[attr-defined]  # JSON


def test_untouched_it_passes(past: Desk) -> None:
    """Verification, in the home or elsewhere, tells how many turns were withdrawn."""
    assert (proof(past).withdrawn, checked(past).withdrawn, checked(past).unnamed) == (3, 3, 0)


def test_every_altered_file_is_found(past: Desk) -> None:
    """Each record, sheet and report of a withdrawn turn, altered by one byte, is named."""
    files = sorted(path for path in aside(past).rglob("*") if path.is_file())
    assert len(files) > 30

    for path in files:
        kept = path.read_bytes()
        for at in {0, len(kept) // 3, max(0, len(kept) - 1)}:
            path.write_bytes(kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1 :] if kept else b"?")
            for check in (checked, proof):
                with pytest.raises(ReplayError, match=rf"^turn {int(path.relative_to(aside(past)).parts[0][:4])}"):
                    check(past)
        path.write_bytes(kept)


def test_every_missing_file_is_found(past: Desk) -> None:
    """A file missing in a withdrawn turn's folder is named."""
    for path in sorted(path for path in aside(past).rglob("*") if path.is_file()):
        moved = path.rename(past.home / "elsewhere")
        with pytest.raises(ReplayError, match=path.name):
            checked(past)
        moved.rename(path)


def test_a_missing_folder_is_found(past: Desk) -> None:
    """A missing withdrawn turn is named, and so is the first if all are missing."""
    for folder in sorted(aside(past).iterdir()):
        moved = folder.rename(past.home / "elsewhere")
        with pytest.raises(ReplayError, match=rf"withdrawn/{folder.name}, which was withdrawn, is missing \(0"):
            checked(past)
        moved.rename(folder)
    shutil.rmtree(aside(past))
    with pytest.raises(ReplayError, match="which was withdrawn, is missing"):
        checked(past)


def test_a_turn_that_was_never_withdrawn_is_found(past: Desk) -> None:
    """Another version of a turn cannot be added to those withdrawn."""
    record = record_of(past, 1) | {"events": "0" * 64}
    raw = canonical_json(record) + b"\n"
    forged = aside(past) / f"0001-{file_hash(raw)[:8]}"
    shutil.copytree(past.home / "turns" / "toy1" / "0001", forged)
    (forged / "turn.json").write_bytes(raw)

    for check in (checked, proof):
        with pytest.raises(ReplayError, match="is not one of the turns that were withdrawn"):
            check(past)


def test_something_else_among_them_is_found(past: Desk) -> None:
    """Any other folder among the withdrawn turns is reported."""
    (aside(past) / "notes.txt").write_text("nothing to see here")

    with pytest.raises(ReplayError, match=r"toy1: withdrawn/notes\.txt is no folder of a turn"):
        checked(past)


def test_what_no_record_names_yet_is_said(rolled: Desk) -> None:
    """After a rollback no record names the withdrawn turns until the next turn is run; a copy says so."""
    before = checked(rolled)
    play(rolled, {"blue": "BID 3"})

    assert (before.withdrawn, before.unnamed) == (1, 1)
    assert (checked(rolled).withdrawn, checked(rolled).unnamed) == (1, 0)


def test_the_database_vouches_for_what_no_record_names_yet(rolled: Desk) -> None:
    """In its own home not even these can be deleted unnoticed."""
    shutil.rmtree(aside(rolled))

    with pytest.raises(ReplayError, match=r"turn 2: .* is missing \(the database names it\)"):
        proof(rolled)


def test_a_rollback_taken_back_leaves_nothing_withdrawn(rolled: Desk) -> None:
    """After an undone rollback the turn is no longer withdrawn, and the proof passes."""
    run_action(rolled.app, "toy1", UndoChange(), rolled.now)
    play(rolled, {"blue": "BID 3"})

    assert (proof(rolled).turns, proof(rolled).withdrawn, checked(rolled).withdrawn) == (3, 0, 0)


def test_the_setup_made_again_names_the_first(desk: Desk) -> None:
    """A patched set-up names the record of the first one."""
    begin(desk)
    patch = [{"op": "replace", "path": "/purses/1", "value": 40}]
    run_action(desk.app, "toy1", EditState(patch), desk.now)

    assert [each["turn"] for each in record_of(desk, 0)["withdrawn"]] == [0]  # type: ignore[attr-defined]  # JSON
    assert (proof(desk).withdrawn, checked(desk).unnamed) == (1, 0)
