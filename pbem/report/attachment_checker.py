"""Worker process that checks files attached by a GM: a line of JSON in, a line out, for each file.

It sets its own limits of time and memory before it reads anything. A file that
exceeds them ends this process and harms nothing else;
`pbem.report.attachments` finds out which file that was.
"""

from __future__ import annotations

import base64
import io
import json
import re
import resource
import sys
from pathlib import PurePosixPath
from typing import NamedTuple

from PIL import Image

from pbem.report.attachment_types import (
    JPEG,
    PACKAGES,
    PNG,
    ImageError,
    UnfitDocument,
    check_package,
    check_pdf,
    check_pixels,
    strip_metadata,
)
from pbem.report.painter import paint
from pbem.report.pictures import LARGEST_SIDE, PictureError, check_painted, check_size
from pbem.ruleset.drawing import FONT
from pbem.ruleset.values import MAX_ATTACHMENT_BYTES, format_size

SHOWN = 1_200
"""Pixels of the longer side at which an SVG is shown at most; a smaller one is shown at its own size."""

SHARPER = 2
"""Pixels painted for each pixel shown, for screens with a high density."""

_LENGTH = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,9})?)(px|pt|pc|mm|cm|in|)")
_UNITS = {"px": 1.0, "": 1.0, "pt": 96 / 72, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}
# The prolog that drawing programs write: an encoding, which no longer holds, and a document type.
_PROLOG = re.compile(r"<\?xml[^<>]{0,200}\?>|<!DOCTYPE[^<>\[\]]{0,300}>")

_FONT_ATTRIBUTE = re.compile(r"""font-family=(?:"[^"<>]{0,300}"|'[^'<>]{0,300}')""")
_FONT_STYLE = re.compile(r"""font-family:[^;}"<>]{0,300}""")

_PDF = ".pdf"
_TEXTS = {".md": "text/markdown", ".csv": "text/csv", ".json": "application/json"}
_PHOTOS = {".png": ("image/png", PNG), ".jpg": ("image/jpeg", JPEG), ".jpeg": ("image/jpeg", JPEG)}
_SVG = ".svg"

KNOWN = (*_PHOTOS, _SVG, _PDF, *_TEXTS, *PACKAGES)
"""The endings of all files that can be sent."""


class Fit(NamedTuple):
    """A file as it can be sent: its media type and bytes, and the size of a picture in pixels."""

    kind: str
    content: bytes
    width: int = 0
    height: int = 0


class UnfitFile(Exception):
    """Raised for a file that cannot be sent; the text says why."""


def examine_file(name: str, raw: bytes) -> Fit:
    """Return a file as it can be sent, by the ending of its name.

    Raises:
        UnfitFile, PictureError, UnfitDocument, ImageError: If it cannot be sent; the text says why.
    """
    ending = PurePosixPath(name).suffix.lower()
    if ending == _SVG:
        return _rasterise(raw)
    if ending in _PHOTOS:
        return _check_photo(raw, *_PHOTOS[ending])
    if ending == _PDF:
        check_pdf(raw)
        return Fit("application/pdf", raw)
    if ending in PACKAGES:
        check_package(raw, ending)
        return Fit(PACKAGES[ending], raw)
    if ending in _TEXTS:
        if not _is_text(raw):
            raise UnfitFile("it is no text in UTF-8: save it as one")
        return Fit(_TEXTS[ending], raw)
    raise UnfitFile(f"files that can be sent end in {', '.join(KNOWN)}: make it one of these")


def _is_text(raw: bytes) -> bool:
    try:
        return "\0" not in raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False


def _check_photo(raw: bytes, kind: str, begins: bytes) -> Fit:
    if not raw.startswith(begins):
        other = next((end for end, (_, start) in _PHOTOS.items() if raw.startswith(start)), "")
        hint = f"it is a {other} file: name it so" if other else "it is no such picture: save it as PNG or JPEG"
        raise UnfitFile(f"it is not what its name says: {hint}")
    photo = strip_metadata(raw)
    # Before anything is decoded: a small file may say that it has any size.
    check_size(photo.width, photo.height)
    check_pixels(photo.content)
    # As sets, since an orientation may have exchanged width and height.
    if set(_decoded_size(photo.content)) != {photo.width, photo.height}:
        raise UnfitFile("it is damaged: no program could show it")
    return Fit(kind, photo.content, photo.width, photo.height)


def _decoded_size(raw: bytes) -> tuple[int, int]:
    """Return the size of a PNG or JPEG, decoded to its last pixel; (0, 0) if it cannot be decoded."""
    try:
        with Image.open(io.BytesIO(raw), formats=("PNG", "JPEG")) as image:
            image.load()
            return image.size
    except (ValueError, OSError, SyntaxError):
        return (0, 0)


def _rasterise(raw: bytes) -> Fit:
    """Return an SVG as the PNG that it shows."""
    try:
        svg = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnfitFile("it is no SVG in UTF-8") from None
    # The painter leaves out text in a font that it does not have, and reports nothing.
    svg = _FONT_ATTRIBUTE.sub(f'font-family="{FONT}"', _PROLOG.sub("", svg).strip())
    svg = _FONT_STYLE.sub(f"font-family:{FONT}", svg)
    # Checked before anything else reads it: the painter would open any file that a link names.
    width, height = _shown_size(*check_painted(svg))
    most = LARGEST_SIDE // max(width, height)
    sharper = max(1, min(SHARPER, most))
    try:
        png = paint(svg, width * sharper, height * sharper)
    except ValueError:
        raise UnfitFile("it could not be painted") from None
    if len(png) > MAX_ATTACHMENT_BYTES:
        raise UnfitFile(
            f"painted it has {format_size(len(png))}; {format_size(MAX_ATTACHMENT_BYTES)} are the most: simplify it"
        )
    return Fit("image/png", png, width, height)


def _shown_size(width: str, height: str, view_box: str) -> tuple[int, int]:
    """Return the width and height in pixels at which an SVG is shown, from its first element."""
    sides = [_pixels(width), _pixels(height)]
    if not all(sides):
        box = [_pixels(word) for word in view_box.replace(",", " ").split()[2:4]]
        sides = box if len(box) == len(sides) and all(box) else []
    if not sides:
        raise UnfitFile("it does not say how large it is: give its first element a width and a height")
    smaller = min(1.0, SHOWN / max(sides))
    return max(1, round(sides[0] * smaller)), max(1, round(sides[1] * smaller))


def _pixels(length: str) -> float:
    match = _LENGTH.fullmatch(length.strip())
    return float(match[1]) * _UNITS[match[2]] if match else 0.0


def _answer(name: str, raw: bytes) -> dict[str, object]:
    """Return the answer for one file: its `fault`, or its content and properties."""
    try:
        fit = examine_file(name, raw)
    except (UnfitFile, PictureError, UnfitDocument, ImageError) as why:
        return {"fault": str(why)}
    except MemoryError:
        return {"fault": "examining it takes too much memory: make it simpler"}
    return {**fit._asdict(), "content": base64.b64encode(fit.content).decode()}


def main(memory: int, seconds: int) -> None:
    """Check files until standard input ends, within `seconds` of processor time and `memory` bytes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    # The soft limit sends SIGXCPU, by which the parent knows that time was the reason.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    for line in sys.stdin.buffer:
        name, content = json.loads(line)
        sys.stdout.write(json.dumps(_answer(name, base64.b64decode(content))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
