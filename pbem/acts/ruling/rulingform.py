"""The files of a GM's ruling as one text, for an editor or a mail: each begins with a line such as "FILE red.txt"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pbem.errors import CampaignError

_FILE = re.compile(r"\A\s*+FILE\s++(\S+\.txt)\s*+", re.IGNORECASE)
_REMARK = "#"


def write_form(files: Mapping[str, str], remarks: str = "") -> str:
    """The files in one text, remarks before them."""
    said = "".join(f"{_REMARK} {line}".rstrip() + "\n" for line in remarks.splitlines())
    return said + "".join(f"FILE {name}\n{text.rstrip()}\n\n" for name, text in files.items())


def read_form(lines: Iterable[str]) -> dict[str, str]:
    """The files in a text. Raises CampaignError if something else than a remark stands before the first."""
    files: dict[str, list[str]] = {}
    inside: list[str] | None = None
    for line in lines:
        if match := _FILE.fullmatch(line):
            inside = files.setdefault(match[1].lower(), [])
        elif inside is not None:
            inside.append(line)
        elif line.strip() and not line.lstrip().startswith(_REMARK):
            raise CampaignError(f"{line.strip()!r} belongs to no file: begin each with a line like FILE all.txt")
    return {name: "\n".join(text) + "\n" for name, text in files.items()}
