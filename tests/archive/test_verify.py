"""An archive is verified on another machine, from its folder alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbem.actions.base import run_action
from pbem.actions.rerun import EditState, RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.archive.record import file_hash
from pbem.archive.verify import VerifyResult, find_campaigns, verify
from pbem.errors import ReplayError
from pbem.ruleset import canonical_json
from tests.actions.history import begin, play
from tests.toy.fixtures import desk
from tests.toy.home import GAMES, Desk

__all__ = ["desk"]

SEED = b"a seed for tests"


def elsewhere(desk: Desk, tmp_path: Path) -> Path:
    """Return a copy of the archive alone, as on another machine."""
    return Path(shutil.copytree(desk.home / "turns", tmp_path / "elsewhere"))


def checked(archive: Path, *, seed: bytes | None = None) -> VerifyResult:
    """Verify the archive of toy1."""
    return verify(archive, "toy1", games=GAMES, seed=seed)


@pytest.fixture
def over(desk: Desk, tmp_path: Path) -> Path:
    """Return the archive of a finished game of two turns."""
    begin(desk, rounds="2")
    play(desk, {"red": "BID 2", "blue": "BID 1"})
    play(desk, {"red": "BID 1"})
    return elsewhere(desk, tmp_path)


def forged(archive: Path, number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a record and all later ones to fit, as a careful forger would."""
    for at in range(number, 3):
        path = archive / "toy1" / f"{at:04d}" / "turn.json"
        record = json.loads(path.read_bytes())
        if at == number:
            change(record)
        else:
            earlier = archive / "toy1" / f"{at - 1:04d}" / "turn.json"
            record["previous"] = file_hash(earlier.read_bytes())
        path.write_bytes(canonical_json(record) + b"\n")


def test_a_game_that_is_over_is_proved_whole(over: Path) -> None:
    """The seed is in the last record, has the seal disclosed at the start, and reproduces every result."""
    verified = checked(over)

    assert (verified.turns, verified.sheets, verified.over, verified.unproved) == (2, 3, True, ())


def test_before_the_end_it_says_what_is_not_proved(desk: Desk, tmp_path: Path) -> None:
    """Before the end chain, files and sheets are proved; the dice are not, unless the seed is given."""
    begin(desk)
    play(desk, {"red": "BID 2"})
    archive = elsewhere(desk, tmp_path)

    assert checked(archive).unproved[0].startswith("The dice and all results: the seed is in the record of the last")
    assert checked(archive, seed=SEED).unproved == ()


def test_a_wrong_seed_is_found(desk: Desk, tmp_path: Path) -> None:
    """A seed without the seal proves nothing."""
    begin(desk)
    archive = elsewhere(desk, tmp_path)

    with pytest.raises(ReplayError, match=r"the seed given has the seal [0-9a-f]{64}, but [0-9a-f]{64} was told"):
        checked(archive, seed=b"another")


def test_another_seed_at_the_end_is_found(over: Path) -> None:
    """A GM who discloses another seed than the sealed one is found out."""
    forged(over, 2, lambda record: record.update(seed="00"))

    with pytest.raises(ReplayError, match="the seed in the last record has the seal"):
        checked(over)


def test_an_altered_result_is_found_with_the_seed(over: Path) -> None:
    """A result forged with a consistent chain contradicts the rules."""
    forged(over, 2, lambda record: record.update(events="0" * 64))

    with pytest.raises(ReplayError, match="turn 2: what happened has hash"):
        checked(over)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda record: record["sheets"]["red"].update(digest="0" * 64), "turn 1: the sheet of red has digest 0000"),
        (lambda record: record["orders"].update(red=[]), "turn 1: the sheet of red has digest"),
        (lambda record: record["sheets"]["red"].update(version=7), r"red-v7\.txt is missing"),
        (lambda record: record.update(missing=["red"]), "was used, but the record counts it as missing"),
        (lambda record: record.update(seats=["red"]), "turn 1: its seats is"),
        (lambda record: record.update(state_before="0" * 64), "turn 1 begins with the state 0000"),
        (lambda record: record.update(patch="x"), "its record has 'patch' wrong"),
    ],
)
def test_every_claim_of_a_record_is_checked(over: Path, change: Callable[[dict[str, Any]], object], said: str) -> None:
    """Sheets, their digests and files, seats and states must agree, seed or not."""
    forged(over, 1, change)

    with pytest.raises(ReplayError, match=said):
        checked(over)


def retell(archive: Path, pattern: str, told: str) -> None:
    """Change what the report of red tells of its sheet in turn 1, and all records to fit."""
    path = archive / "toy1" / "0001" / "reports" / "red.txt"
    text, count = re.subn(pattern, told, path.read_text(), flags=re.MULTILINE)
    assert count == 1
    path.write_text(text)
    forged(archive, 1, lambda record: record["files"].update({"reports/red.txt": file_hash(path.read_bytes())}))


@pytest.mark.parametrize("told", [r"Sheet 2, \1.", "Sheet 1, 0123456789ab."])
def test_a_report_that_tells_of_another_sheet_is_found(over: Path, told: str) -> None:
    """Each report names the sheet used by number and digest, and it must be the one whose orders the record has."""
    retell(over, r"^Sheet 1, (\w{12})\.", told)

    with pytest.raises(ReplayError, match=r"0001/reports/red.txt tells of sheet \d \(digest \w{12}\), but sheet 1 "):
        checked(over)


def test_reruns_edits_and_rollbacks_stay_provable(desk: Desk, tmp_path: Path) -> None:
    """After any of them, the archive alone proves the valid turns, and shows what was done."""
    begin(desk, rounds="2")
    play(desk, {"red": "BID 2"})
    run_action(desk.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 3")]})), desk.now)
    run_action(desk.app, "toy1", EditState([{"op": "replace", "path": "/purses/1", "value": 40}]), desk.now)
    play(desk, {"blue": "BID 33"})
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    play(desk, {"blue": "BID 34"})
    verified = checked(elsewhere(desk, tmp_path))

    assert (verified.turns, verified.over, verified.unproved) == (2, True, ())
    assert (verified.patched, verified.withdrawn) == ((1,), 3)


def test_another_version_of_the_game_is_said(over: Path) -> None:
    """If another version of the game is installed, no statement is made about results."""
    verified = verify(over, "toy1", games={}, seed=None)

    assert verified.unproved == ("All results: this program does not know the game toy.",)


def test_a_campaign_that_outlived_a_version_is_no_forgery(over: Path) -> None:
    """If only some turns are of an earlier version of the game, no statement is made about results either."""
    forged(over, 1, lambda record: record.update(version=9))

    assert checked(over).unproved == (
        "All results: the archive is of Toy Auction version 1 and 9, this program has version 1.",
    )


def test_records_from_before_are_proved_with_the_seed(over: Path) -> None:
    """An archive whose last record lacks the seed is proved if the seed is given."""
    forged(over, 2, lambda record: record.pop("seed"))

    assert checked(over).unproved
    assert checked(over, seed=SEED).over


def test_campaigns_are_found_from_either_folder(over: Path) -> None:
    """Campaigns are found in the folder of all campaigns, and in that of one."""
    assert find_campaigns(over) == [(over, "toy1")]
    assert find_campaigns(over / "toy1") == [(over, "toy1")]
    with pytest.raises(ReplayError, match="there is no archive of a campaign in"):
        find_campaigns(over / "toy1" / "0001")
