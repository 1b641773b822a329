"""Mail signed or encrypted inside its text, as PGP programs did before MIME (RFC 9580, 6 and 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

ENCRYPTED = "The mail is encrypted and could not be read; send it as plain text."

_MARK = "-----BEGIN PGP "
_BEGIN = re.compile(r"-----BEGIN PGP ([A-Z ]{3,40}?)-----\s*+")
_FIELD = re.compile(r"(?:Hash|Charset|Comment|Version|NotDashEscaped):", re.IGNORECASE)
_END = re.compile(r"-----END PGP [A-Z ]{3,40}?-----\s*+")


def without_armour(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without signatures, keys and encrypted blocks, its dashes unescaped; and notes if some is lost."""
    if _MARK not in text:
        return text, ()
    notes: list[str] = []
    kept = list(_unwrapped(text.split("\n"), notes))
    return "\n".join(kept), tuple(dict.fromkeys(notes))


def _unwrapped(lines: list[str], notes: list[str]) -> Iterator[str]:
    signed = hidden = head = False
    for line in lines:
        if begin := _BEGIN.fullmatch(line):
            head = signed = begin[1] == "SIGNED MESSAGE"
            hidden = not signed
            if begin[1].startswith("MESSAGE"):
                notes.append(ENCRYPTED)
        elif hidden:
            hidden = not _END.fullmatch(line)
        elif head and (_FIELD.match(line) or not line.strip()):
            head = bool(line.strip())
        else:
            head = False
            yield line.removeprefix("- ") if signed else line
