"""The time zone data in use: the newer of the system's and that of the package tzdata.

A system that is not kept up to date has rules of yesterday, by which a deadline of this
winter comes an hour late, and two machines disagree. Python takes the system's alone
where there is some.
"""

from __future__ import annotations

import os
import re
import zoneinfo
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import tzdata

_SYSTEM = zoneinfo.TZPATH

_VERSION = re.compile(r"\A# version (\d{4}[a-z]{1,2})\n")


class Releases(NamedTuple):
    """Releases of the data by the names of IANA, such as "2026f"; `system` is "" if the system has none or no name."""

    system: str
    package: str

    @property
    def newer(self) -> str:
        """The source of the newer one; the system's if nothing is known of it but that it is there."""
        return "package" if self.package > self.system != "" else "system"


def find_releases(folders: Sequence[str]) -> Releases:
    """Return the releases of the data in the first of the system's `folders` that has any, and of the package."""
    for folder in folders:
        try:
            with Path(folder, "tzdata.zi").open(encoding="ascii") as data:
                found = _VERSION.match(data.readline(40))
        except (OSError, ValueError):
            continue
        return Releases(found[1] if found else "", tzdata.IANA_VERSION)
    return Releases("", tzdata.IANA_VERSION)


def use_newest_zones() -> Releases:
    """Have `zoneinfo` use the newer data, and return the releases; PYTHONTZPATH, where it is set, decides alone."""
    releases = find_releases(_SYSTEM)
    if zoneinfo.TZPATH and "PYTHONTZPATH" not in os.environ and releases.newer == "package":
        zoneinfo.reset_tzpath(())
        zoneinfo.ZoneInfo.clear_cache()
    return releases
