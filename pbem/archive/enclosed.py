"""What a GM has enclosed, in an archive: each content once, beside the first reports that show it.

    <archive>/<campaign>/0003/enclosed/<SHA-256 of the content>.png

A turn's record vouches for these files as for all of its folder; here it is
checked that whatever reports show is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from pbem.archive.reading import Folder
from pbem.errors import MISREAD, ReplayError, RulesetError
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Enclosure

ENCLOSED = "enclosed"
"""The folder inside that of a turn."""

_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg"}


def enclosed_path(enclosure: Enclosure) -> str:
    """The file of a content in the folder of a turn."""
    ending = _ENDINGS.get(enclosure.kind) or PurePosixPath(enclosure.name).suffix.lower()
    return f"{ENCLOSED}/{enclosure.sha256}{ending}"


def hash_in(path: str) -> str:
    """The hash in such a path, "" in any other."""
    folder, _, name = path.partition("/")
    return PurePosixPath(name).stem if folder == ENCLOSED else ""


def check_enclosed(folders: Sequence[Folder], ruleset: AnyRuleset) -> None:
    """Raises ReplayError naming the first report that shows what is not in the archive; without rulings none does."""
    if not any("ruling" in folder.record for folder in folders):
        return
    there: set[str] = set()
    for folder in folders:
        files = folder.record["files"]
        there |= {hash_ for path, hash_ in files.items() if hash_in(path) == hash_}
        for path in sorted(files):
            if path.startswith("reports/") and path.endswith(".json"):
                _check_report(folder, path, ruleset, there)


def _check_report(folder: Folder, path: str, ruleset: AnyRuleset, there: set[str]) -> None:
    try:
        shown = ruleset.enclosures(read_report_data(folder.read(path))["view"])
        lost = [each.name for enclosed in shown.values() for each in enclosed if each.sha256 not in there]
    except (ReportDataError, RulesetError, *MISREAD) as error:
        raise ReplayError(f"turn {folder.number}: {folder.said(path)}: {error}") from None
    if lost:
        raise ReplayError(f"turn {folder.number}: {folder.said(path)} shows {lost[0]!r}, which is not in the archive")
