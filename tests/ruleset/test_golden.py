"""Golden games: recorded, played again, and compared."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pbem.cli import main
from pbem.errors import SaveError
from pbem.ruleset import Json
from pbem.ruleset.golden import golden_differences, read_golden, record_golden, write_golden
from pbem.testing import GoldenRules
from tests.games import RULESETS
from tests.testing.toy import TOY, FogPatrol, Sea


class Later(FogPatrol):
    """The next version, in which a boat is told of otherwise."""

    version = FogPatrol.version + 1
    upgrades = (*FogPatrol.upgrades, lambda data: data)

    def load(self, data: Json, version: int) -> Sea:
        return TOY.load(data, min(version, TOY.version))


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
def test_a_game_is_played_again_as_recorded(ruleset: Any) -> None:
    """Sheets, findings, events and hashes of a whole game survive their file."""
    golden = record_golden(ruleset)

    assert read_golden(write_golden(golden)) == golden
    assert record_golden(ruleset, golden) == golden
    assert golden_differences(ruleset, golden) == []


def test_sheets_may_be_edited() -> None:
    """They are played as they were edited, slips included; a seat without a sheet has missed the turn."""
    golden = record_golden(TOY)
    sheets = golden["turns"][0]["sheets"]
    red, blue = list(sheets)[:2]
    sheets[red] = ["FLY away"]
    del sheets[blue]

    again = record_golden(TOY, golden)

    assert again["turns"][0]["findings"][red][0].startswith("line 1: error unknown-verb: there is no order FLY; ")
    assert again["turns"][0]["sheets"] == sheets
    assert again["turns"][0]["state"] != golden["turns"][0]["state"]


def test_what_is_played_otherwise_is_told_by_turn() -> None:
    """Each part that differs is named, with the number of its turn."""
    golden = record_golden(TOY)
    changed = copy.deepcopy(golden)
    changed["turns"][1]["events"] = []
    changed["turns"][2]["views"] = "0" * 64
    changed["end"]["winners"] = ["nobody"]
    changed["first"] = {}

    last = len(golden["turns"])
    assert golden_differences(TOY, changed) == [
        "the set-up",
        "turn 2: events",
        "turn 3: views",
        f"the end, after turn {last}",
    ]


def test_of_an_earlier_version_events_and_end_are_compared() -> None:
    """It is played from its first save; its states and views have the form that they have now."""
    golden = record_golden(TOY)
    for turn in golden["turns"]:
        turn["state"] = turn["views"] = turn["findings"] = "of an earlier version"

    assert golden_differences(Later(), golden) == []
    golden["turns"][3]["events"] = []
    assert golden_differences(Later(), golden) == ["turn 4: events"]


def _damage(key: str, value: Any) -> Callable[[Json], Json]:
    return lambda golden: {**golden, key: value}


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda golden: [], "the whole: expected an object"),
        (lambda golden: {**golden, "trns": []}, "/trns: is not known here"),
        (_damage("game", "chess"), "/game: "),
        (_damage("version", 99), "/version: expected a whole number from 1"),
        (_damage("seats", "ann"), "/seats: expected a list"),
        (_damage("seats", ["ann", 3]), "/seats/1: "),
        (lambda golden: {**golden, "seats": ["ann"], "turns": []}, "cannot be set up with these seats and options"),
        (_damage("options", 3), "/options: expected an object"),
        (_damage("options", {"speed": 1}), "/options/speed: is not known here"),
        (_damage("options", {"turns": "x"}), "/options/turns: expected a whole number"),
        (_damage("turns", [{}]), "/turns/0/sheets: is missing"),
    ],
)
def test_what_is_no_record_is_refused(damage: Callable[[Json], Json], told: str) -> None:
    """The text names the place and what was expected."""
    with pytest.raises(SaveError, match=told):
        record_golden(TOY, damage(record_golden(TOY)))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "NaN,"])
def test_a_file_that_is_no_json_is_refused(text: str) -> None:
    """Neither an end in mid-file nor deep nesting is a fault of the program."""
    with pytest.raises(SaveError, match="this is not JSON"):
        read_golden(text)


def record(folder: Path) -> Result:
    """Run `pbem dev record`."""
    return CliRunner().invoke(main, ["dev", "record", "singularity", str(folder)])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the file of a recorded game, and what the command printed."""
    folder = tmp_path_factory.mktemp("recorded") / "tests" / "golden"
    output = record(folder).output
    (path,) = folder.iterdir()
    return path, output


def test_a_command_records_a_game(recorded: tuple[Path, str], tmp_path: Path) -> None:
    """First bots play it; later the sheets of the file are played, and what came out otherwise is told."""
    path, output = Path(shutil.copy(recorded[0], tmp_path)), recorded[1]
    golden = read_golden(path.read_text())
    assert output == f"Recorded {len(golden['turns'])} turns of singularity: {recorded[0]}.\n"
    assert record(tmp_path).output == output.replace(str(recorded[0]), str(path))

    golden["turns"][0]["events"] = []
    path.write_text(write_golden(golden))
    assert record(tmp_path).output.splitlines()[1:] == ["Changed: turn 1: events"]


@pytest.mark.parametrize(
    ("data", "told"),
    [(b"{", "this is not JSON"), (b"\xff", "cannot be read or written"), (b"{}", "/game: is missing")],
)
def test_a_file_that_cannot_be_recorded_is_left_alone(
    data: bytes, told: str, recorded: tuple[Path, str], tmp_path: Path
) -> None:
    """The refusal names the file and its fault."""
    path = tmp_path / recorded[0].name
    path.write_bytes(data)

    refused = record(tmp_path)

    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"Not done: {path} cannot be")
    assert told in refused.stderr
    assert path.read_bytes() == data


def test_the_rule_fails_where_a_game_is_played_otherwise(tmp_path: Path) -> None:
    """A missing record, and one that differs, fail the rule of GoldenRules; what it was is told."""

    class Held(GoldenRules):
        ruleset = TOY
        golden = tmp_path

    with pytest.raises(FileNotFoundError):
        Held().test_golden_games_are_played_as_recorded()
    golden = record_golden(TOY)
    for version in range(1, TOY.version + 1):
        (tmp_path / f"version{version}.json").write_text(write_golden(golden))
    Held().test_golden_games_are_played_as_recorded()

    golden["turns"][0]["state"] = "other"
    (tmp_path / f"version{TOY.version}.json").write_text(write_golden(golden))

    with pytest.raises(AssertionError, match="turn 1: state"):
        Held().test_golden_games_are_played_as_recorded()
