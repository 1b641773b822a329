"""What a reader holds of a campaign, looked for in its archive: reports that he was mailed, and hashes they told him.

A report tells the hash of a record made before it, and is itself a file of the
record made with it. So whoever kept his reports can show that neither they nor
anything before them was changed since, however well the archive agrees with itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pbem.archive.reading import WITHDRAWN, Folder
from pbem.archive.record import file_hash
from pbem.errors import ReplayError
from pbem.report.data import ReportDataError, read_report_data


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A report or a record's hash that is in the archive, with the turn of that record; it may be `withdrawn`."""

    what: Literal["report", "record"]
    name: str
    turn: int
    withdrawn: bool


def by_campaign(reports: Mapping[str, bytes], campaigns: Sequence[str]) -> dict[str, dict[str, bytes]]:
    """Reports by the campaigns they are of, then by name. Raises ReplayError for one of none of these, or no report."""
    sorted_: dict[str, dict[str, bytes]] = {}
    for name, raw in reports.items():
        campaign = _data(raw, name)["campaign"]
        if campaign not in campaigns:
            raise ReplayError(
                f"{name}: it is of the campaign {campaign}, but this is the archive of {', '.join(campaigns)}"
            )
        sorted_.setdefault(campaign, {})[name] = raw
    return sorted_


def find_record(hash_: str, folders: Sequence[Folder]) -> Held:
    """Finds a record by the hash that a report tells. Raises ReplayError if it is not there."""
    for folder in folders:
        if folder.hash == hash_.strip().lower():
            return _held("record", hash_, folder)
    raise ReplayError(f"no record has the hash {hash_}: the archive was changed or cut since, or is another one")


def find_report(raw: bytes, name: str, folders: Sequence[Folder]) -> Held:
    """Finds a report by the bytes of its JSON. Raises ReplayError if it is none, or is not in the archive as it is."""
    told, found = _data(raw, name).get("record"), file_hash(raw)
    folder = next((folder for folder in folders if found in folder.record["files"].values()), None)
    if folder is None:
        raise ReplayError(f"{name}: no turn has this report: the archive was changed or cut since, or the file was")
    if told and told != folder.record["previous"]:
        raise ReplayError(f"{name}: it tells of the record {told}, but its turn {folder.number} follows another")
    return _held("report", name, folder)


def _data(raw: bytes, name: str) -> dict[str, Any]:
    try:
        return read_report_data(raw)
    except ReportDataError as error:
        raise ReplayError(f"{name}: {error}") from None


def _held(what: Literal["report", "record"], name: str, folder: Folder) -> Held:
    return Held(what=what, name=name, turn=folder.number, withdrawn=folder.name.startswith(f"{WITHDRAWN}/"))
