"""Looks at pictures and files before they are sent on: whether each is what its name says, and safe to open.

A PNG or JPEG is read to its last pixel in another process, and freed of what
says where and when it was made. An SVG, which may hold scripts and ask for
files, is painted, and goes on as a PNG. Of files that programs open, those kinds
are taken that hold no programs themselves.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import PurePosixPath
from typing import NamedTuple
from unicodedata import normalize

from pbem.report.photos import JPEG, PNG, DamagedPhoto, cleaned
from pbem.report.pictures import LARGEST_SIDE, Job, Painter, UnfitPicture, check_painted, check_size, job_of
from pbem.ruleset import FONT, LARGEST_ENCLOSURE, Enclosure, Picture, as_size

LONGEST_NAME = 80
SHOWN = 1_200
"""Pixels up to which the longer side of an SVG is shown; one that is smaller is shown as large as it says."""

SHARPER = 2
"""How many pixels are painted for each that is shown, for screens that have more of them."""

_LENGTH = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,9})?)(px|pt|pc|mm|cm|in|)")
_UNITS = {"px": 1.0, "": 1.0, "pt": 96 / 72, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
_PROLOG = re.compile(r"<\?xml[^<>]{0,200}\?>|<!DOCTYPE[^<>\[\]]{0,300}>")
"""What drawing programs write before an SVG: an encoding that it has no longer, and the name of its grammar."""

_FONT_SAID = re.compile(r"""font-family=(?:"[^"<>]{0,300}"|'[^'<>]{0,300}')""")
_FONT_STYLED = re.compile(r"""font-family:[^;}"<>]{0,300}""")
_ZIP, _PDF = b"PK\x03\x04", b"%PDF-"

_OFFICE = "application/vnd.openxmlformats-officedocument"
_FILES: Mapping[str, tuple[str, bytes]] = {
    ".pdf": ("application/pdf", _PDF),
    ".md": ("text/markdown", b""),
    ".csv": ("text/csv", b""),
    ".json": ("application/json", b""),
    ".odt": ("application/vnd.oasis.opendocument.text", _ZIP),
    ".ods": ("application/vnd.oasis.opendocument.spreadsheet", _ZIP),
    ".docx": (f"{_OFFICE}.wordprocessingml.document", _ZIP),
    ".xlsx": (f"{_OFFICE}.spreadsheetml.sheet", _ZIP),
}
"""Files that are no pictures, by the ends of their names: media types, and how they begin, which texts do anyhow."""

_PHOTOS: Mapping[str, tuple[str, bytes]] = {
    ".png": ("image/png", PNG),
    ".jpg": ("image/jpeg", JPEG),
    ".jpeg": ("image/jpeg", JPEG),
}
_SVG = ".svg"

_KNOWN = (*_PHOTOS, _SVG, *_FILES)


class Examined(NamedTuple):
    """A picture or file that can be sent, and its bytes; or, without one, the `fault` for which it cannot."""

    enclosure: Enclosure | None
    content: bytes = b""
    fault: str = ""


class _Unfit(Exception):
    """Why a file cannot be sent."""


def examine(files: Iterable[tuple[str, bytes]]) -> dict[str, Examined]:
    """What lies beside a ruling, by name."""
    with closing(Painter()) as painter:
        found: dict[str, Examined] = {}
        for name, raw in files:
            name = _plain_name(name)
            twice = name in found and found[name].content != raw
            found[name] = (
                Examined(None, fault="there are two files of this name") if twice else _one(painter, name, raw)
            )
        return found


def _plain_name(name: str) -> str:
    """A file's name on one line, in composed letters, without the folders that some programs write before it."""
    name = PurePosixPath(normalize("NFC", name).replace("\\", "/")).name
    name = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split()).strip("[]")
    return name or "file"


def _one(painter: Painter, name: str, raw: bytes) -> Examined:
    try:
        return _examined(painter, name, raw)
    except (_Unfit, DamagedPhoto, UnfitPicture) as why:
        return Examined(None, fault=str(why))


def _examined(painter: Painter, name: str, raw: bytes) -> Examined:
    if len(name) > LONGEST_NAME:
        raise _Unfit(f"its name has {len(name)} characters; {LONGEST_NAME} are the most")
    if ":" in name:
        raise _Unfit("a name with a colon cannot be written in a ruling: name it otherwise")
    if not raw:
        raise _Unfit("it is empty")
    _check_bytes(raw)
    ending = PurePosixPath(name).suffix.lower()
    if ending == _SVG:
        return _painted(painter, name, raw)
    if ending in _PHOTOS:
        return _photo(painter, name, raw, *_PHOTOS[ending])
    if ending in _FILES:
        kind, begins = _FILES[ending]
        _check_content(raw, begins, ending)
        return _kept(name, kind, raw)
    raise _Unfit(_unknown(ending))


def _unknown(ending: str) -> str:
    if ending == ".txt":
        return "a .txt file is read as a part of the ruling: to send it to players, call it .md"
    return f"files that can be sent end in {', '.join(_KNOWN)}: make it one of these"


def _check_bytes(raw: bytes) -> None:
    if len(raw) > LARGEST_ENCLOSURE:
        raise _Unfit(f"it has {as_size(len(raw))}; a file may have {as_size(LARGEST_ENCLOSURE)}: make it smaller")


def _check_content(raw: bytes, begins: bytes, ending: str) -> None:
    if not raw.startswith(begins):
        raise _Unfit(f"it is not what its name says: no {ending} file begins like that")
    if not begins and not _is_text(raw):
        raise _Unfit("it is no text in UTF-8: save it as one")


def _is_text(raw: bytes) -> bool:
    try:
        return "\0" not in raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False


def _photo(painter: Painter, name: str, raw: bytes, kind: str, begins: bytes) -> Examined:
    if not raw.startswith(begins):
        other = next((end for end, (_, start) in _PHOTOS.items() if raw.startswith(start)), "")
        hint = f"it is a {other} file: name it so" if other else "it is no such picture: save it as PNG or JPEG"
        raise _Unfit(f"it is not what its name says: {hint}")
    photo = cleaned(raw)
    check_size(photo.width, photo.height)
    answer = painter.draw(Job(json.dumps({"photo": base64.b64encode(photo.content).decode()}).encode() + b"\n"))
    seen = json.loads(answer) if answer else {}
    if {seen.get("width"), seen.get("height")} != {photo.width, photo.height}:
        raise _Unfit("it is damaged: no program could show it")
    return _kept(name, kind, photo.content, photo.width, photo.height)


def _painted(painter: Painter, name: str, raw: bytes) -> Examined:
    """An SVG as the picture that it shows."""
    try:
        svg = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Unfit("it is no SVG in UTF-8") from None
    svg = _in_our_font(_PROLOG.sub("", svg).strip())
    # First, since whatever reads it must be safe from what is in it.
    width, height = _size(*check_painted(svg))
    most = LARGEST_SIDE // max(width, height)
    sharper = max(1, min(SHARPER, most))
    png = painter.draw(job_of(Picture(name, name, svg, width * sharper, height * sharper)))
    if png is None:
        raise _Unfit("it could not be painted")
    _check_bytes(png)
    return _kept(name, "image/png", png, width, height)


def _in_our_font(svg: str) -> str:
    """The SVG with its letters in the one font there is: the painter leaves out those of others without a word."""
    return _FONT_STYLED.sub(f"font-family:{FONT}", _FONT_SAID.sub(f'font-family="{FONT}"', svg))


def _size(width: str, height: str, view_box: str) -> tuple[int, int]:
    """How large an SVG is shown, by what its first element says."""
    sides = [_pixels(width), _pixels(height)]
    if not all(sides):
        box = [_pixels(word) for word in view_box.replace(",", " ").split()[2:4]]
        sides = box if len(box) == len(sides) and all(box) else []
    if not sides:
        raise _Unfit("it does not say how large it is: give its first element a width and a height")
    smaller = min(1.0, SHOWN / max(sides))
    return max(1, round(sides[0] * smaller)), max(1, round(sides[1] * smaller))


def _pixels(length: str) -> float:
    match = _LENGTH.fullmatch(length.strip())
    return float(match[1]) * _UNITS[match[2]] if match else 0.0


def _kept(name: str, kind: str, content: bytes, width: int = 0, height: int = 0) -> Examined:
    hash_ = hashlib.sha256(content).hexdigest()
    return Examined(Enclosure(name, kind, hash_, len(content), width, height), content)
