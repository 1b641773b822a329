"""Reads an archive and checks that it is whole: its records' chain and every file they name."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.archive.record import FORMAT, file_hash
from pbem.errors import ReplayError
from pbem.ruleset import Json, canonical

RECORD = "turn.json"
WITHDRAWN = "withdrawn"
"""The folder of a campaign's archive for turns that were taken back or run again."""

_ALWAYS: Mapping[str, type] = {
    "format": int,
    "campaign": str,
    "game": str,
    "version": int,
    "number": int,
    "options": dict,
    "seats": list,
    "seal": str,
    "state_after": str,
    "files": dict,
    "previous": str,
}
_IN_TURNS: Mapping[str, type] = {
    "orders": dict,
    "missing": list,
    "removed": list,
    "sheets": dict,
    "state_before": str,
    "events": str,
}
_IN_FEW: Mapping[str, type] = {"patch": list, "seed": str}


@dataclass(frozen=True)
class Folder:
    """One turn of an archive: its folder, its record, and the record's bytes."""

    path: Path
    record: Mapping[str, Json]
    raw: bytes

    @property
    def number(self) -> int:
        """The turn's number; 0 is the set-up."""
        return int(self.path.name)

    def said(self, path: str) -> str:
        """A file of the folder, as errors name it."""
        return f"{self.path.name}/{path}"

    def read(self, path: str) -> bytes:
        """A file named by the record. Raises ReplayError if it is gone."""
        try:
            return (self.path / path).read_bytes()
        except OSError as error:
            raise ReplayError(f"turn {self.number}: {self.said(path)} cannot be read: {error.strerror}") from None


def folder_name(number: int) -> str:
    """The name of a turn's folder."""
    return f"{number:04d}"


def open_folders(archive: Path, campaign: str) -> list[Folder]:
    """All turns of a campaign's archive, the set-up first. Raises ReplayError on a gap or a broken record."""
    home = archive / campaign
    names = [path.name for path in home.iterdir() if path.name.isdecimal()] if home.is_dir() else []
    if not names:
        raise ReplayError(f"there is no archive of campaign {campaign!r} in {archive}")
    for number, name in enumerate(sorted(names, key=int)):
        if name != folder_name(number):
            raise ReplayError(f"turn {number}: expected the folder {folder_name(number)}, found {name}")
    return [_open(home / folder_name(number), campaign) for number in range(len(names))]


def check_chain(folders: list[Folder], head: str | None) -> None:
    """Raises ReplayError naming the newest record that is not the one its successor vouches for.

    `head` vouches for the last; None leaves that one on its own.
    """
    if head is not None:
        _vouched(folders[-1], head, "the database")
    for earlier, later in reversed(list(itertools.pairwise(folders))):
        _vouched(earlier, later.record["previous"], later.said(RECORD))
    if folders[0].record["previous"]:
        raise ReplayError("turn 0: its record names one before it, but there is none")


def check_files(folder: Folder) -> None:
    """Raises ReplayError naming the first file that is missing, altered or not in the record."""
    for path, expected in sorted(folder.record["files"].items()):
        found = file_hash(folder.read(path))
        if found != expected:
            raise ReplayError(f"turn {folder.number}: {folder.said(path)} has hash {found}, expected {expected}")
    for path in _present(folder.path):
        if path not in folder.record["files"]:
            raise ReplayError(f"turn {folder.number}: {folder.said(path)} is not in the record")


def _vouched(folder: Folder, expected: str, voucher: str) -> None:
    found = file_hash(folder.raw)
    if found != expected:
        text = f"turn {folder.number}: {folder.said(RECORD)} has hash {found}, expected {expected} ({voucher} says so)"
        raise ReplayError(text)


def _present(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name != RECORD and not path.name.startswith("."):
            yield name


def _open(path: Path, campaign: str) -> Folder:
    number = int(path.name)
    raw = Folder(path, {}, b"").read(RECORD)
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError):
        raise ReplayError(f"turn {number}: {path.name}/{RECORD} is not JSON") from None
    _check_shape(record, number, raw)
    if (record["number"], record["campaign"]) != (number, campaign):
        what = f"turn {record['number']} of {record['campaign']}"
        raise ReplayError(f"turn {number}: {path.name}/{RECORD} tells of {what}, expected turn {number} of {campaign}")
    return Folder(path, record, raw)


def _check_shape(record: Any, number: int, raw: bytes) -> None:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ReplayError(f"turn {number}: its record is not of format {FORMAT}")
    for key, kind in (_ALWAYS if number == 0 else {**_ALWAYS, **_IN_TURNS}).items():
        if not isinstance(record.get(key), kind):
            raise ReplayError(f"turn {number}: its record lacks {key!r}, or has it wrong")
    for key, kind in _IN_FEW.items():
        if not isinstance(record.get(key, kind()), kind):
            raise ReplayError(f"turn {number}: its record has {key!r} wrong")
    if canonical(record) + b"\n" != raw:
        raise ReplayError(f"turn {number}: its record is not in its canonical form")
