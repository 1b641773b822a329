"""Write the folder of each turn into the archive.

    <archive>/<campaign>/0000/turn.json             the set-up: its record
                             /reports/red.txt …     the reports mailed at the start
    <archive>/<campaign>/0003/turn.json             turn 3: its record
                             /sheets/red-v1.txt     a sheet as received, its key masked
                             /sheets/red.orders.txt the orders used, as understood
                             /reports/red.txt …     the reports that its run produced: their HTML as mailed, but
                                                    that it shows the files here (red.map.png), where a mail has cid:
                             /enclosed/3fa9….png …  attachments of its GM that no report showed before
    <archive>/<campaign>/withdrawn/0003-5f2a90c1/…  turn 3 before it was run again, with its record's hash

A folder counts as written once it is synced to the disk. The database remains
authoritative: missing or truncated parts of an archive are written again from it
(but for pictures of turns that were run, decision 52), and files that replaced
others are left for the GM to examine.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.archive.record import RECORD, WITHDRAWN, file_hash, folder_name, withdrawn_name
from pbem.errors import CampaignError
from pbem.ruleset.order_types import Order
from pbem.ruleset.values import SeatName
from pbem.util import fsync, write_atomically

if TYPE_CHECKING:
    from pbem.ruleset.orders import OrderParser


REPORTS = "reports"
"""The folder of reports inside a turn's folder."""


@dataclass(frozen=True, slots=True)
class SheetReceived:
    """An order sheet as received; in `text` its token or code is already masked."""

    seat: SeatName
    version: int
    text: str


def turn_files(
    reports: Iterable[Mapping[str, bytes]],
    *,
    sheets: Iterable[SheetReceived] = (),
    orders: Mapping[SeatName, Sequence[Order]] | None = None,
    book: OrderParser | None = None,
) -> dict[str, bytes]:
    """Return all files of a turn's folder except its record, by path in the folder.

    Args:
        reports: As `RenderedReport.files()` returns them.
        orders: The orders that the turn was run with, to be written with `book`.
    """
    files = {f"{REPORTS}/{name}": content for report in reports for name, content in report.items()}
    for sheet in sheets:
        files[f"sheets/{sheet.seat}-v{sheet.version}.txt"] = sheet.text.encode()
    if orders is not None and book is not None:
        for seat, used in orders.items():
            lines = "".join(f"{book.line(order)}\n" for order in used)
            files[f"sheets/{seat}.orders.txt"] = lines.encode()
    return files


def archive_turn(archive: Path, record: bytes, files: Mapping[str, bytes], *, withdrawn: bool = False) -> Path:
    """Write the folder of a record's turn, whole or not at all; return it.

    Writing the same turn again only restores missing files, and two writers at once
    do no harm.

    Raises:
        CampaignError: Another turn's folder is in its place.
        OSError: The folder cannot be written.
        ValueError: The files are not those that the record names.
    """
    told = json.loads(record)
    if told["files"] != {path: file_hash(content) for path, content in files.items()}:
        raise ValueError(f"these are not the files of turn {told['number']} of {told['campaign']}")
    folder = turn_folder(archive, record, withdrawn=withdrawn)
    home = folder.parent
    if folder.exists():
        _repair(folder, record, files)
        return folder
    _create_folder(home)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=home))
    try:
        _write(draft, files)
        _write(draft, {RECORD: record})
        draft.rename(folder)
        fsync(home)  # or a power cut may undo the rename
    except OSError:
        if not _holds_record(folder, record):  # else another writer was faster, with the same turn
            raise
    finally:
        # The drafts of writers that were killed, too.
        for each in home.glob(f".{folder.name}-*"):
            shutil.rmtree(each, ignore_errors=True)
    return folder


def is_complete(archive: Path, record: bytes, *, withdrawn: bool) -> bool:
    """Return True if a turn's folder has this record and all its files, to the byte. Raise OSError."""
    folder = turn_folder(archive, record, withdrawn=withdrawn)
    expected: dict[str, str] = json.loads(record)["files"] | {RECORD: file_hash(record)}
    return all(_hash_of(folder / name) == hash_ for name, hash_ in expected.items())


def turn_folder(archive: Path, record: bytes, *, withdrawn: bool = False) -> Path:
    """Return the folder of a record's turn, whether it exists or not."""
    return _turn_places(archive, record)[withdrawn]


def campaigns_there(archive: Path) -> list[str]:
    """Return the names of the campaigns that have turns in an archive; [] if it does not exist."""
    return sorted(path.name for path in archive.glob("*") if any(path.glob(f"[0-9][0-9][0-9][0-9]*/{RECORD}")))


def list_turns(archive: Path, campaign: str) -> tuple[set[str], int]:
    """Return the names of the folders of a campaign's turns, and the number of withdrawn ones.

    Reads two folders, and opens no file.
    """
    home = archive / campaign
    return _turn_names(home), len(_turn_names(home / WITHDRAWN))


def _turn_names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("[0-9]*")}


def find_report_file(archive: Path, campaign: str, turn: int, name: str, sha256: str) -> bytes | None:
    """Return a file of the reports that a turn led to, from its folder or that of a withdrawn run of it."""
    home = archive / campaign
    for folder in (home / folder_name(turn), *home.glob(f"{WITHDRAWN}/{folder_name(turn)}-*")):
        with suppress(OSError):
            content = (folder / REPORTS / name).read_bytes()
            if file_hash(content) == sha256:
                return content
    return None


def copy_withdrawn(source: Path, target: Path, record: bytes) -> None:
    """Copy the withdrawn turns that a record names into the archive of a copy of its campaign. Raise OSError."""
    told = json.loads(record)
    for each in told.get("withdrawn", ()):
        name = Path(told["campaign"], WITHDRAWN, withdrawn_name(each["turn"], each["hash"]))
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)


def move_to_withdrawn(archive: Path, record: bytes) -> None:
    """Move the folder of a withdrawn turn out of the way, unless it is missing or another turn's."""
    folder, aside = _turn_places(archive, record)
    if _holds_record(folder, record):
        _create_folder(aside.parent)
        if _holds_record(aside, record):
            shutil.rmtree(aside)  # a folder cannot be renamed to one that is not empty
        _move(folder, aside)


def move_from_withdrawn(archive: Path, record: bytes) -> None:
    """Move the folder of a withdrawn turn back to its place, if it was moved away."""
    folder, aside = _turn_places(archive, record)
    if _holds_record(aside, record) and not folder.exists():
        _move(aside, folder)


def _turn_places(archive: Path, record: bytes) -> tuple[Path, Path]:
    """Return the folder of a turn while it counts, and that once it is withdrawn."""
    told = json.loads(record)
    home, number = archive / told["campaign"], told["number"]
    return home / folder_name(number), home / WITHDRAWN / withdrawn_name(number, file_hash(record))


def _move(source: Path, target: Path) -> None:
    source.rename(target)
    fsync(target.parent)
    fsync(source.parent)


def _holds_record(folder: Path, record: bytes) -> bool:
    return _read_if_present(folder / RECORD) == record


def _read_if_present(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _hash_of(path: Path) -> str | None:
    content = _read_if_present(path)
    return None if content is None else file_hash(content)


def _repair(folder: Path, record: bytes, files: Mapping[str, bytes]) -> None:
    """Write again what is missing or truncated in a folder, after checking that nothing else is in its place."""
    lost = []
    for name, content in chain([(RECORD, record)], files.items()):
        found = _read_if_present(folder / name)
        # A crash may have cut a file; one with other content is not this turn's.
        if found is not None and not content.startswith(found):
            what = "record of this turn" if name == RECORD else f"file {name}"
            raise CampaignError(f"{folder} holds another {what} than the database: move it away, then try again")
        if found != content:
            lost.append(name)
    for name in reversed(lost):  # the record last, as in a new folder: it shows that the rest is there
        (folder / name).parent.mkdir(exist_ok=True)
        write_atomically(folder / name, record if name == RECORD else files[name])


def _create_folder(home: Path) -> None:
    """Create the folder of a campaign, and sync its name in the archive."""
    if not home.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        fsync(home.parent)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    paths = {folder / name: name for name in files}
    parts = {path.parent for path in paths}
    for path in parts:
        path.mkdir(parents=True, exist_ok=True)
    for path, name in paths.items():
        path.write_bytes(files[name])
    for path in (*paths, *parts):
        fsync(path)
