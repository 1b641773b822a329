"""The files of a turn's folder, and the writing of it.

    <archive>/<campaign>/0000/turn.json             the set-up: its record
                             /reports/red.txt …     the reports mailed at the start
    <archive>/<campaign>/0003/turn.json             turn 3: its record
                             /sheets/red-v1.txt     a sheet as received, its key masked
                             /sheets/red.orders.txt the orders used, as understood
                             /reports/red.txt …     the reports its resolution produced

The database stays the authority: what a power cut takes from an archive can be
written again from there, and `replay` finds it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pbem.archive.reading import RECORD, folder_name
from pbem.archive.record import file_hash
from pbem.errors import CampaignError
from pbem.ruleset import Order, OrderBook, Seat


@dataclass(frozen=True, slots=True)
class SheetReceived:
    """One order sheet as it came; in `text` its token or code is already masked."""

    seat: Seat
    version: int
    text: str


def turn_files(
    reports: Iterable[Mapping[str, bytes]],
    *,
    sheets: Iterable[SheetReceived] = (),
    orders: Mapping[Seat, Sequence[Order]] | None = None,
    book: OrderBook | None = None,
) -> dict[str, bytes]:
    """Every file of a turn's folder but its record, by its path in the folder.

    `reports` are `ReportParts.files()`; `orders`, written with `book`, are
    those the turn was resolved with.
    """
    files = {f"reports/{name}": content for report in reports for name, content in report.items()}
    for sheet in sheets:
        files[f"sheets/{sheet.seat}-v{sheet.version}.txt"] = sheet.text.encode()
    if orders is not None and book is not None:
        for seat, used in orders.items():
            lines = "".join(f"{book.line(order)}\n" for order in used)
            files[f"sheets/{seat}.orders.txt"] = lines.encode()
    return files


def archive_turn(archive: Path, record: bytes, files: Mapping[str, bytes]) -> Path:
    """Writes the folder of the turn that `record` tells of, whole or not at all; returns it.

    Writing the same turn again does nothing, and two writers at once do no
    harm. Raises CampaignError if another record of this turn is there already.
    """
    told = json.loads(record)
    if told["files"] != {path: file_hash(content) for path, content in files.items()}:
        raise ValueError(f"these are not the files of turn {told['number']} of {told['campaign']}")
    home: Path = archive / told["campaign"]
    folder = home / folder_name(told["number"])
    if _is_written(folder, record):
        return folder
    home.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=home))
    try:
        _write(draft, {**files, RECORD: record})
        draft.rename(folder)
    except OSError:
        if not _is_written(folder, record):
            raise
    finally:
        _sweep(home, folder.name)
    return folder


def _is_written(folder: Path, record: bytes) -> bool:
    if not folder.exists():
        return False
    path = folder / RECORD
    if path.is_file() and path.read_bytes() == record:
        return True
    raise CampaignError(f"{folder} holds another record of this turn than the database: move it away, then try again")


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.chmod(0o755)
    for path in {(folder / name).parent for name in files}:
        path.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _sweep(home: Path, name: str) -> None:
    """Removes the drafts of a turn, those of writers that were killed too."""
    for draft in home.glob(f".{name}-*"):
        shutil.rmtree(draft, ignore_errors=True)
