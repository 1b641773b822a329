"""An archive made to harm the program that checks it is refused in a sentence, quickly and in little memory."""

from __future__ import annotations

import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.archive.json_patch import PatchError, apply_patch
from pbem.archive.record import file_hash
from pbem.archive.verify import verify
from pbem.errors import ReplayError
from pbem.ruleset import canonical_json
from tests.archive.game import NAME, SEED, played
from tests.report.toy import Fair

MEMORY = 2_000_000_000
"""Bytes of address space that a check may have; the test process itself takes half of it."""


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive of two turns."""
    return played(tmp_path_factory.mktemp("clean")).archive


@pytest.fixture
def home(clean: Path, tmp_path: Path) -> Path:
    """Return the folder of the campaign in a copy of it."""
    return Path(shutil.copytree(clean, tmp_path / "turns")) / NAME


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    """Limit the memory of each test, so that excessive use fails at once instead of harming the machine."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def refused(home: Path) -> str:
    """Return the error of an archive, which is the same without its seed and with it."""
    said = []
    for seed in (None, SEED):
        with pytest.raises(ReplayError) as error:
            verify(home.parent, NAME, games={"fair": Fair()}, seed=seed)
        said.append(str(error.value))
    assert said[0] == said[1]
    return said[0]


def forged(home: Path, number: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a record, and those after it to fit."""
    previous = ""
    for folder in sorted(home.iterdir()):
        path = folder / "turn.json"
        record = json.loads(path.read_bytes())
        if int(folder.name) == number:
            change(record)
        if previous:
            record["previous"] = previous
        raw = canonical_json(record) + b"\n"
        path.write_bytes(raw)
        previous = file_hash(raw)


def fifo(path: Path) -> None:
    """Create a pipe without a writer."""
    os.mkfifo(path)


def zeros(path: Path) -> None:
    """Create a link to an endless file."""
    path.symlink_to("/dev/zero")


def outside(path: Path) -> None:
    """Create a link to a file of the user."""
    path.symlink_to(__file__)


def huge(path: Path) -> None:
    """Create a sparse file of a terabyte."""
    with path.open("wb") as file:
        file.truncate(2**40)


def folder(path: Path) -> None:
    """Create a folder."""
    path.mkdir()


KINDS = (fifo, zeros, outside, huge, folder)


@pytest.mark.parametrize("name", ["0001/turn.json", "0001/reports/red.txt", "0001/sheets/red-v1.txt"])
@pytest.mark.parametrize("put", KINDS)
def test_what_is_no_plain_file_is_not_opened(home: Path, put: Callable[[Path], None], name: str) -> None:
    """Anything but a plain file in place of a record, a report or a sheet is named, and not opened."""
    (home / name).unlink()
    put(home / name)

    assert refused(home).startswith((f"turn 1: {name} cannot be read: it is ", f"turn 1: {name} is a link: "))


@pytest.mark.parametrize("name", ["0001/reports", "0001/sheets", "0001", "withdrawn"])
def test_a_folder_that_is_a_link_is_not_followed(home: Path, tmp_path: Path, name: str) -> None:
    """Not even to a folder that holds what it should."""
    elsewhere = tmp_path / "elsewhere"
    if (home / name).exists():
        (home / name).rename(elsewhere)
    else:
        elsewhere.mkdir()
    (home / name).symlink_to(elsewhere)

    assert any(word in refused(home) for word in ("is a link: an archive has none", "withdrawn is no folder"))


@pytest.mark.parametrize("put", KINDS)
def test_what_lies_beside_is_not_opened(home: Path, put: Callable[[Path], None]) -> None:
    """A file that no record names is named, and not opened."""
    put(home / "0001" / "reports" / "extra")

    assert "turn 1: 0001/reports/extra is " in refused(home)


def test_links_in_a_circle_end(home: Path) -> None:
    """A folder that links to itself is reported as a link, and not followed."""
    (home / "0001" / "reports" / "again").symlink_to(home)

    assert "is a link: an archive has none" in refused(home)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../../../../etc/passwd", "reports/../../0000/turn.json", "reports/..", "turn.json", "a/b\0"],
)
def test_a_record_names_nothing_outside_its_folder(home: Path, path: str) -> None:
    """A record that names a path outside its folder is refused."""
    forged(home, 1, lambda record: record["files"].update({path: "0" * 64}))

    assert refused(home) == "turn 1: its record lacks 'files', or has it wrong"


@pytest.mark.parametrize("wrong", [None, 7, "x", [], {}, [[]], {"x": []}, [7], {"red": 7}, {"red": [7]}, {"red": {}}])
@pytest.mark.parametrize(
    "key", ["files", "sheets", "orders", "patch", "withdrawn", "missing", "seats", "salt", "options"]
)
def test_wrong_kinds_are_no_traceback(home: Path, key: str, wrong: object) -> None:
    """A wrong value in a record is reported in a sentence."""
    forged(home, 1, lambda record: record.update({key: wrong}))

    for seed in (None, SEED):
        try:
            verify(home.parent, NAME, games={"fair": Fair()}, seed=seed)
        except ReplayError as error:
            assert str(error).startswith("turn 1")  # noqa: PT017 - what is right passes


@pytest.mark.parametrize(
    "raw", [b"[" * 10**6, b'{"a":' * 10**6, b"1" * 10**6, b'{"format":2,"\\ud800":1}\n', b"", b"\xff"]
)
def test_a_record_that_is_none_is_said(home: Path, raw: bytes) -> None:
    """A record whose JSON is too deep, too long or broken is reported as such."""
    (home / "0001" / "turn.json").write_bytes(raw)

    assert refused(home).startswith("turn 1: ")


def test_a_record_deep_inside_is_said(home: Path) -> None:
    """JSON that can just be parsed may still be too deep for the rest, and is reported."""
    deep = b'{"a":' * 900 + b"{}" + b"}" * 900
    path = home / "0001" / "turn.json"
    path.write_bytes(path.read_bytes().replace(b'"options":{', b'"options":{"deep":' + deep + b",", 1))

    assert refused(home).startswith("turn ")


def test_a_patch_that_copies_itself_is_stopped(home: Path) -> None:
    """Forty copies of a copy are a million million times the state; the patch is stopped after a few."""
    doubling = [{"op": "add", "path": "/a", "value": ["x" * 10_000]}]
    doubling += [{"op": "copy", "from": "/a", "path": f"/a/{number}"} for number in range(40)]
    forged(home, 1, lambda record: record.update(patch=doubling))

    with pytest.raises(
        ReplayError, match=r"turn 1 cannot be resolved again from its record: change \d+ copies too much"
    ):
        verify(home.parent, NAME, games={"fair": Fair()}, seed=SEED)


class Counted(list[int]):
    """List that counts how often it is copied."""

    copies = 0

    def __deepcopy__(self, memo: object) -> Counted:
        Counted.copies += 1
        return Counted(self)


def test_a_long_patch_copies_the_state_once() -> None:
    """A patch copies the state once, and not for each of its operations."""
    state = {"large": Counted([1, 2, 3]), "small": 0}
    changes = [{"op": "replace", "path": "/small", "value": number} for number in range(10)]

    assert apply_patch(state, changes) == {"large": [1, 2, 3], "small": 9}
    assert (state["small"], Counted.copies) == (0, 1)


def test_a_patch_is_not_changed_by_what_it_does() -> None:
    """A value that one operation puts in, a later one may alter; the patch itself stays unchanged."""
    patch = [{"op": "add", "path": "/a", "value": {}}, {"op": "add", "path": "/a/b", "value": 1}]

    assert apply_patch({}, patch) == {"a": {"b": 1}}
    assert patch[0] == {"op": "add", "path": "/a", "value": {}}
    with pytest.raises(PatchError):
        apply_patch({}, [*patch, {"op": "test", "path": "/a/b", "value": 2}])


@pytest.mark.parametrize("rounds", [10**12, -1, "many", None, True])
def test_options_that_no_gm_could_give_are_refused(home: Path, rounds: object) -> None:
    """Options that no GM could have chosen, such as for an endless game, are refused."""
    for number in range(3):
        forged(home, number, lambda record: record["options"].update(rounds=rounds))

    with pytest.raises(ReplayError, match="turn 0 cannot be resolved again from its record: option rounds is not"):
        verify(home.parent, NAME, games={"fair": Fair()}, seed=SEED)
