"""Read an archive that may come from a stranger, and check the shape of its records.

Only folders and plain files are opened, no link is followed, nothing outside the
archive is read, and no file is larger than one of its kind can be. Every fault is
named in a sentence. A record that has passed is checked down to its last value,
so its readers need no checks of their own.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.archive.record import FORMAT, HASH_CHARACTERS, RECORD, WITHDRAWN, file_hash, folder_name, withdrawn_name
from pbem.errors import ReplayError
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Json
from pbem.util import read_plain

_Check = Callable[[Any], bool]

_HASH = re.compile(r"[0-9a-f]{64}")
# The path of a file in a turn's folder: never outside it, and never hidden.
_PATH = re.compile(r"(?:reports|sheets|enclosed)/[^/\0.][^/\0]*")


def check_record(record: Json, number: int, raw: bytes) -> None:
    """Raise ReplayError unless this is a record of the turn of this number, in canonical form."""
    made: Any = record.get("format") if isinstance(record, dict) else None
    if not _is_number(made) or made != FORMAT:
        raise ReplayError(f"turn {number}: its record is not of format {FORMAT}")
    expected = {**_ALWAYS, **(_IN_TURNS if number and "given" not in record else {})}
    for key, check in expected.items():
        if key not in record or not check(record[key]):
            raise ReplayError(f"turn {number}: its record lacks {key!r}, or has it wrong")
    for key, check in _IN_FEW.items():
        if key in record and not check(record[key]):
            raise ReplayError(f"turn {number}: its record has {key!r} wrong")
    if not _is_canonical(record, raw):
        raise ReplayError(f"turn {number}: its record is not in its canonical form")


def _is_canonical(record: Json, raw: bytes) -> bool:
    try:
        return canonical_json(record) + b"\n" == raw
    except (ValueError, RecursionError):
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)  # True is an int


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_data(value: Any) -> bool:
    return isinstance(value, dict)


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def _is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and dt.datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _is_path(value: str) -> bool:
    return _PATH.fullmatch(value) is not None


def _list_of(check: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _by_name(check: _Check, name: Callable[[str], bool] = _is_text) -> _Check:
    return lambda value: isinstance(value, dict) and all(map(name, value)) and all(map(check, value.values()))


def _facts(**checks: _Check) -> _Check:
    return lambda value: isinstance(value, dict) and all(key in value and checks[key](value[key]) for key in checks)


_is_roll = _facts(label=_is_text, dice=_is_text, number=_is_number, faces=_list_of(_is_number), total=_is_number)

_ALWAYS: Mapping[str, _Check] = {
    "campaign": _is_text,
    "game": _is_text,
    "version": _is_number,
    "number": _is_number,
    "options": _is_data,
    "seats": _list_of(_is_text),
    "seal": _is_text,
    "state_after": _is_text,
    "resolved": _is_time,
    "files": _by_name(_is_hash, _is_path),
    "previous": _is_text,
    "salt": _is_hash,
}
_IN_TURNS: Mapping[str, _Check] = {
    "orders": _by_name(_list_of(_is_data)),
    "missing": _list_of(_is_text),
    "removed": _list_of(_is_text),
    "sheets": _by_name(_facts(version=_is_number, digest=_is_text)),
    "state_before": _is_text,
    "events": _is_text,
}
_IN_FEW: Mapping[str, _Check] = {
    "dice": _is_data,
    "given": _is_data,
    "patch": _list_of(_is_data),
    "rolls": _list_of(_is_roll),
    "seed": _is_text,
    "withdrawn": _list_of(_facts(turn=_is_number, hash=_is_hash, kind=_is_text)),
}

PARTS = ("reports", "sheets", "enclosed")
"""The folders inside a turn's folder."""

MOST_RECORD = 64_000_000
MOST_FILE = 16_000_000
"""Bytes; a game with 10,000 seats needs a sixth of that."""

_LONGEST_NUMBER = 8

_WITHDRAWN_NAME = re.compile(rf"([0-9]{{4,8}})-[0-9a-f]{{{HASH_CHARACTERS}}}")


@dataclass(frozen=True)
class ArchivedTurn:
    """One turn of an archive: its folder and the folder's name in errors, its number, its record, and that as bytes."""

    path: Path
    name: str
    number: int
    record: Mapping[str, Json]
    raw: bytes

    @property
    def hash(self) -> str:
        return file_hash(self.raw)

    @property
    def is_set_up(self) -> bool:
        """True for a campaign's set-up: turn 0, or the one before the first of a game begun elsewhere."""
        return self.number == 0 or "given" in self.record

    @property
    def is_withdrawn(self) -> bool:
        """True for a turn that was rolled back, or run again."""
        return self.name.startswith(f"{WITHDRAWN}/")

    def label(self, path: str) -> str:
        """Return the name of one of its files in errors."""
        return f"{self.name}/{path}"

    def read(self, path: str, most: int = MOST_FILE) -> bytes:
        """Return a file that the record names.

        Raises:
            ReplayError: It is missing, is no plain file, or has more than `most` bytes.
        """
        try:
            return read_plain(self.path / path, most)
        except (OSError, ValueError) as error:
            said = (error.strerror if isinstance(error, OSError) else None) or error
            raise ReplayError(f"turn {self.number}: {self.label(path)} cannot be read: {said}") from None

    def read_report(self, path: str) -> dict[str, Any]:
        """Return the data of a report that the record names. Raises ReplayError as `read`, or if they are none."""
        try:
            return read_report_data(self.read(path))
        except ReportDataError as error:
            raise ReplayError(f"turn {self.number}: {self.label(path)}: {error}") from None


def load_turns(archive: Path, campaign: str) -> list[ArchivedTurn]:
    """Return all turns of a campaign's archive, the set-up first.

    Raises:
        ReplayError: A turn is missing, or a record is broken.
    """
    home = archive / campaign
    names = [path.name for path in home.iterdir() if path.name.isdecimal()] if home.is_dir() else []
    if not names:
        raise ReplayError(f"there is no archive of campaign {campaign!r} in {archive}")
    names.sort(key=int)
    first = _find_first_number(home, names[0])
    for number, name in enumerate(names, first):
        if name != folder_name(number):
            raise ReplayError(f"turn {number}: expected the folder {folder_name(number)}, found {name}")
    folders = [_open(home, name, number, campaign) for number, name in enumerate(names, first)]
    for folder in folders[1:]:
        if folder.is_set_up:
            raise ReplayError(f"turn {folder.number}: its record is that of a set-up, but turns come before it")
    return folders


def _find_first_number(home: Path, name: str) -> int:
    """Return the number of the set-up: 0, unless the first record says that the game was begun elsewhere."""
    number = int(name)
    if number == 0 or len(name) > _LONGEST_NUMBER or name != folder_name(number):
        return 0
    try:
        record = json.loads(read_plain(home / name / RECORD, MOST_RECORD))
    except (OSError, ValueError, RecursionError):
        return 0
    return number if isinstance(record, dict) and "given" in record else 0


def load_withdrawn(archive: Path, campaign: str) -> list[ArchivedTurn]:
    """Return the withdrawn turns of a campaign's archive, by the names of their folders.

    Raises:
        ReplayError: A folder is no turn's, or has another name than its record asks for.
    """
    home, found = archive / campaign, []
    for entry in _entries(home / WITHDRAWN, WITHDRAWN, campaign):
        match = _WITHDRAWN_NAME.fullmatch(entry.name)
        if match is None:
            raise ReplayError(f"{campaign}: {WITHDRAWN}/{entry.name} is no folder of a turn")
        folder = _open(home, f"{WITHDRAWN}/{entry.name}", int(match[1]), campaign)
        if entry.name != withdrawn_name(folder.number, folder.hash):
            where = f"turn {folder.number}: {folder.label(RECORD)}"
            raise ReplayError(f"{where} has hash {folder.hash}, but its folder is named after another")
        found.append(folder)
    return sorted(found, key=lambda folder: folder.name)


def check_chain(folders: list[ArchivedTurn], head: str | None) -> None:
    """Raise ReplayError naming the newest record whose hash differs from that in its successor.

    `head` is the expected hash of the last record; None leaves that one unchecked.
    """
    if head is not None:
        check_successor(folders[-1], head, "the database")
    for earlier, later in reversed(list(itertools.pairwise(folders))):
        check_successor(earlier, later.record["previous"], later.label(RECORD))
    if folders[0].record["previous"]:
        raise ReplayError(f"turn {folders[0].number}: its record names one before it, but there is none")


def check_successor(folder: ArchivedTurn, expected: str, voucher: str) -> None:
    """Raise ReplayError if a record has another hash than its successor, or the database, says."""
    if folder.hash != expected:
        where = f"turn {folder.number}: {folder.label(RECORD)}"
        raise ReplayError(f"{where} has hash {folder.hash}, expected {expected} ({voucher} says so)")


def check_files(folder: ArchivedTurn) -> None:
    """Raise ReplayError naming the first file that is missing, altered or not in the record."""
    present = set(_list_files(folder))
    for path, expected in sorted(folder.record["files"].items()):
        found = file_hash(folder.read(path))
        if found != expected:
            raise ReplayError(f"turn {folder.number}: {folder.label(path)} has hash {found}, expected {expected}")
    for path in sorted(present - {RECORD, *folder.record["files"]}):
        raise ReplayError(f"turn {folder.number}: {folder.label(path)} is not in the record")


def _list_files(folder: ArchivedTurn) -> Iterator[str]:
    """Yield the files of a turn's folder; any other entry counts as a file, except the folders of its parts."""
    where = f"turn {folder.number}"
    for entry in _entries(folder.path, folder.name, where):
        if entry.name in PARTS and entry.is_dir(follow_symlinks=False):
            within = _entries(folder.path / entry.name, folder.label(entry.name), where)
            yield from (f"{entry.name}/{each.name}" for each in within)
        else:
            yield entry.name


def _entries(path: Path, name: str, where: str) -> Iterator[os.DirEntry[str]]:
    """Yield the entries of a folder, without hidden ones; none if it is missing. Raise ReplayError at a link."""
    try:
        if not stat.S_ISDIR(path.lstat().st_mode):
            raise ReplayError(f"{where}: {name} is no folder")
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_symlink():
                    raise ReplayError(f"{where}: {name}/{entry.name} is a link: an archive has none")
                yield entry
    except FileNotFoundError:
        return
    except OSError as error:
        raise ReplayError(f"{where}: {name} cannot be read: {error.strerror}") from None


def _open(home: Path, name: str, number: int, campaign: str) -> ArchivedTurn:
    path = home / name
    if path.is_symlink():
        raise ReplayError(f"turn {number}: {name} is a link: an archive has none")
    raw = ArchivedTurn(path, name, number, {}, b"").read(RECORD, MOST_RECORD)
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError):
        raise ReplayError(f"turn {number}: {name}/{RECORD} is not JSON") from None
    check_record(record, number, raw)
    if (record["number"], record["campaign"]) != (number, campaign):
        what = f"turn {record['number']} of {record['campaign']}"
        raise ReplayError(f"turn {number}: {name}/{RECORD} tells of {what}, expected turn {number} of {campaign}")
    return ArchivedTurn(path, name, number, record, raw)
