"""What an IMAP server tells of the rights in a folder (RFC 4314) and of the room in a mailbox (RFC 9208)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_RIGHTS = {
    "r": "read",
    "t": "mark as deleted",
    "e": "expunge",
    "i": "insert",
}


@dataclass(frozen=True, slots=True)
class Quota:
    """Use of a limit that the server sets: mails, or kilobytes of 1,024."""

    used: int
    limit: int
    unit: str

    @property
    def percent(self) -> int:
        """How much of it is used."""
        return 100 * self.used // self.limit if self.limit else 100

    def __str__(self) -> str:
        return f"{self.used:,} of {self.limit:,} {self.unit}"


def missing_rights(imap: Any, folder: str, wanted: str) -> str:
    """Return a clause that names the rights that are missing in a folder; "" if none is, or none is told."""
    if not imap.has_capability("ACL"):
        return ""
    granted = _granted(imap, folder)
    lacks = [f"{right} ({_RIGHTS[right]})" for right in wanted if right not in granted]
    if not lacks:
        return ""
    rights = f"the right {lacks[0]} is" if len(lacks) == 1 else f"the rights {' and '.join(lacks)} are"
    return f"{rights} missing in {folder}"


def _granted(imap: Any, folder: str) -> str:
    (answer,) = imap._command_and_check("myrights", imap._normalise_folder(folder))
    granted = answer.decode("ascii", "replace").rpartition(" ")[2]
    # Servers before RFC 4314 have one right for both.
    return str(granted.replace("d", "dte"))


def quotas(imap: Any, folder: str) -> Iterator[Quota]:
    """Yield the limits of the mailbox that a folder belongs to, for mails and for kilobytes; none if none is told."""
    if not imap.has_capability("QUOTA"):
        return
    try:
        _, found = imap.get_quota_root(imap._normalise_folder(folder))
    except IndexError:  # of the library, for a server that sends no line for a folder without a limit
        return
    units = {"STORAGE": "kB", "MESSAGE": "mails"}
    for each in found:
        if (unit := units.get(each.resource.upper())) is not None:
            yield Quota(each.usage, each.limit, unit)
