"""The proof: an untouched archive passes, and every alteration is found and named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.archive.record import file_hash
from pbem.archive.replay import ReplayProof, replay
from pbem.errors import ReplayError
from pbem.ruleset import canonical_json
from tests.archive.game import NAME, SEED, Game, played
from tests.report.toy import Fair


def prove(game: Game, head: str | None = "") -> ReplayProof:
    """Replay a game's archive, with the database's head unless told otherwise."""
    return replay(game.archive, NAME, ruleset=Fair(), seed=SEED, head=game.head if head == "" else head)


def forge(game: Game, number: int, change: Callable[[dict[str, object]], object]) -> None:
    """Change a record and all later ones to fit, as a careful forger would."""
    previous = None
    for folder in sorted((game.archive / NAME).iterdir()):
        path = folder / "turn.json"
        record = json.loads(path.read_bytes())
        if int(folder.name) == number:
            change(record)
        if previous is not None:
            record["previous"] = file_hash(previous)
        previous = canonical_json(record) + b"\n"
        path.write_bytes(previous)


def test_untouched_archive_passes(tmp_path: Path) -> None:
    """Every turn is resolved again from its record and comes out the same."""
    game = played(tmp_path)

    assert prove(game) == ReplayProof(campaign=NAME, turns=2, reports=6, over=False, head=game.head)


def test_each_turn_is_announced(tmp_path: Path) -> None:
    """Each turn replayed is reported to the progress callback."""
    game, seen = played(tmp_path), list[int]()

    replay(tmp_path, NAME, ruleset=Fair(), seed=SEED, head=game.head, on_turn=seen.append)

    assert seen == [0, 1, 2]


def test_seats_told_in_turn(tmp_path: Path) -> None:
    """A seat that has no report each turn later learns of all that happened, and the proof allows for it."""
    game = Game(tmp_path, pace="in_turn")
    game.start()
    for bidder in ("red", "blue", "red"):
        game.turn({bidder: ["BID 2", f"WHISPER {'blue' if bidder == 'red' else 'red'} hello"]})

    assert prove(game).reports == 5


def test_setup_alone_passes(tmp_path: Path) -> None:
    """A campaign whose first turn is open already has an archive."""
    game = Game(tmp_path)
    game.start()

    assert prove(game).turns == 0


def test_any_altered_byte_is_found(tmp_path: Path) -> None:
    """Every single file of an archive, altered by one byte, is named by the proof."""
    game = played(tmp_path)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert len(files) > 20

    for path in files:
        kept = path.read_bytes()
        path.write_bytes(kept[:-2] + bytes([kept[-2] ^ 1]) + kept[-1:] if len(kept) > 1 else b"?")
        with pytest.raises(ReplayError, match=f"^turn {int(path.relative_to(tmp_path).parts[1])}: .*{path.name}"):
            prove(game)
        path.write_bytes(kept)
    prove(game)


def test_record_altered_anywhere_is_found(tmp_path: Path) -> None:
    """An altered byte of a record makes the proof fail; every thirty-first is tried."""
    game = played(tmp_path)

    for path in sorted(tmp_path.rglob("turn.json")):
        kept = path.read_bytes()
        for at in range(0, len(kept), 31):
            path.write_bytes(kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1 :])
            with pytest.raises(ReplayError, match=f"turn {int(path.parent.name)}"):
                prove(game)
        path.write_bytes(kept)


def test_any_missing_file_is_found(tmp_path: Path) -> None:
    """Every single file of an archive, if deleted, is named by the proof."""
    game = played(tmp_path)

    for path in sorted(path for path in tmp_path.rglob("*") if path.is_file()):
        moved = path.rename(tmp_path / "elsewhere")
        with pytest.raises(ReplayError, match=path.name):
            prove(game)
        moved.rename(path)


@pytest.mark.parametrize("path", ["sheets/red-v2.txt", "reports/turn.json", "turn.txt"])
def test_added_file_is_found(tmp_path: Path, path: str) -> None:
    """A file that no record names is reported."""
    game = played(tmp_path)
    (tmp_path / NAME / "0001" / path).write_text("BID 9")

    with pytest.raises(ReplayError, match=rf"turn 1: 0001/{path} is not in the record"):
        prove(game)


def test_difference_names_both_hashes(tmp_path: Path) -> None:
    """The error names the hash found and the hash expected."""
    game = played(tmp_path)
    path = tmp_path / NAME / "0001" / "reports" / "red.txt"
    expected = file_hash(path.read_bytes())
    path.write_bytes(b"forged")

    with pytest.raises(ReplayError) as error:
        prove(game)

    assert str(error.value) == f"turn 1: 0001/reports/red.txt has hash {file_hash(b'forged')}, expected {expected}"


def test_forged_orders_are_found_by_the_head(tmp_path: Path) -> None:
    """Even if all later records fit, the newest is not the one in the database."""
    game = played(tmp_path)
    forge(game, 1, lambda record: record.update(orders={}))

    with pytest.raises(ReplayError, match=r"turn 2: 0002/turn.json has hash .* \(the database says so\)"):
        prove(game)


def test_forged_orders_are_found_by_resolving(tmp_path: Path) -> None:
    """Without the database, forged orders are found by their results."""
    game = played(tmp_path)
    forge(game, 1, lambda record: record.update(orders={"red": [], "blue": []}))

    with pytest.raises(ReplayError, match="turn 1: what happened has hash"):
        prove(game, head=None)


@pytest.mark.parametrize(
    ("number", "change", "words"),
    [
        (0, {"options": {"rounds": 4, "pace": "together", "rich": True, "purses": None}}, "turn 0: the state after it"),
        (0, {"options": {"purses": {}}}, "turn 0 cannot be resolved again"),
        (0, {"seats": ["blue", "red"]}, "turn 0: the state after it"),
        (1, {"state_before": "0"}, "turn 1: the state before it"),
        (1, {"state_after": "0"}, "turn 1: the state after it"),
        (1, {"events": "0"}, "turn 1: what happened"),
        (1, {"orders": {"red": [{"order": "dance"}]}}, "turn 1 cannot be resolved again"),
        (1, {"orders": {"red": 7}}, "turn 1: its record lacks 'orders', or has it wrong"),
        (1, {"orders": {"gold": []}}, "turn 1 cannot be resolved again"),
        (1, {"missing": ["red"]}, "turn 1: what happened"),
        (1, {"missing": None}, "turn 1: its record lacks 'missing'"),
        (2, {"seal": "0"}, "turn 2: the dice's seed does not have the seal"),
        (
            2,
            {"version": 2},
            "turn 2 was run by fair version 2, and this is fair version 1: a turn comes out",
        ),
        (2, {"game": "chess"}, "See what can be proved here: pbem verify$"),
        (2, {"number": 3}, "tells of turn 3 of fair1, expected turn 2"),
        (2, {"campaign": "other"}, "tells of turn 2 of other"),
        (2, {"format": 1}, "turn 2: its record is not of format 2"),
        (2, {"format": 3}, "turn 2: its record is not of format 2"),
    ],
)
def test_forged_record_is_found(tmp_path: Path, number: int, change: dict[str, object], words: str) -> None:
    """Any forged input or result in a record contradicts the rules."""
    game = played(tmp_path)
    forge(game, number, lambda record: record.update(change))

    with pytest.raises(ReplayError, match=words):
        prove(game, head=None)


def test_forged_report_is_found(tmp_path: Path) -> None:
    """A report altered together with its hash still differs from the seat's view."""
    game = played(tmp_path)
    path = tmp_path / NAME / "0002" / "reports" / "red.json"
    path.write_bytes(path.read_bytes().replace(b'"purse":', b'"purse":9'))
    forge(game, 2, lambda record: record["files"].update({"reports/red.json": file_hash(path.read_bytes())}))  # type: ignore[attr-defined]  # JSON

    with pytest.raises(ReplayError, match=r"turn 2: the view in 0002/reports/red.json has hash"):
        prove(game, head=None)


def test_report_that_is_none_is_found(tmp_path: Path) -> None:
    """Other data in place of a report's are reported as such."""
    game = played(tmp_path)
    path = tmp_path / NAME / "0002" / "reports" / "red.json"
    path.write_bytes(b"{}")
    forge(game, 2, lambda record: record["files"].update({"reports/red.json": file_hash(b"{}")}))  # type: ignore[attr-defined]  # JSON

    with pytest.raises(ReplayError, match=r"turn 2: 0002/reports/red.json: this is not a report"):
        prove(game, head=None)


def test_record_must_be_canonical(tmp_path: Path) -> None:
    """A record with other white space is not canonical, and is refused."""
    game = played(tmp_path)
    path = tmp_path / NAME / "0002" / "turn.json"
    path.write_bytes(path.read_bytes() + b"\n")

    with pytest.raises(ReplayError, match="turn 2: its record is not in its canonical form"):
        prove(game, head=None)


def test_wrong_seed_is_found(tmp_path: Path) -> None:
    """Another seed than the sealed one proves nothing."""
    game = played(tmp_path)

    with pytest.raises(ReplayError, match="turn 0: the dice's seed does not have the seal"):
        replay(tmp_path, NAME, ruleset=Fair(), seed=b"another", head=game.head)


def test_missing_turn_is_found(tmp_path: Path) -> None:
    """A turn missing in the middle is named."""
    game = played(tmp_path)
    shutil.rmtree(tmp_path / NAME / "0001")

    with pytest.raises(ReplayError, match="turn 1: expected the folder 0001, found 0002"):
        prove(game)


def test_missing_last_turn_is_found(tmp_path: Path) -> None:
    """An archive without its last turn does not end with the record in the database."""
    game = played(tmp_path)
    shutil.rmtree(tmp_path / NAME / "0002")

    with pytest.raises(ReplayError, match=r"turn 1: .*the database says so"):
        prove(game)


def test_no_archive_is_said(tmp_path: Path) -> None:
    """A campaign without an archive is reported with the folder that was searched."""
    with pytest.raises(ReplayError, match="there is no archive of campaign 'nope' in"):
        replay(tmp_path, "nope", ruleset=Fair(), seed=SEED, head=None)
