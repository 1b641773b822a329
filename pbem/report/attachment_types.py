"""Checks of attached images and documents, and removal of metadata from images.

Cameras and drawing programs write places, times, names and serial numbers into
pictures. The pixels are not touched; of everything else only the parts are kept
that say how the picture is to be shown: colours, density and orientation.

A document is refused if it holds programs, other files, or anything that is not
visible when it is read, or if it unpacks to more than the limit: its readers open
it with unknown programs. An encrypted document cannot be checked.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
"""Signatures with which the files begin."""

# Chunks without which a picture might look different (PNG, 11; the last three are of animated ones).
_PNG_KEPT = frozenset(
    {
        *(b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP"),
        *(b"bKGD", b"pHYs", b"acTL", b"fcTL", b"fdAT"),
    }
)

# Samples of a pixel, by the colour type of a PNG (PNG, 11.2.2).
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

# First pixel of each pass of an interlaced PNG, and the distances between its pixels (PNG, 8.2).
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))

MOST_PIXEL_BYTES = 160_000_000
"""Bytes of the pixels of a PNG, for an animated one those of all its pictures."""

_PIXEL_BLOCK = 1 << 20

_ORIENTATION = 0x0112
# Values of the orientation that turn a picture on its side (Exif 2.3, 4.6.4).
_SIDEWAYS = range(5, 9)

_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_RESTARTS = range(0xD0, 0xD8)
# Markers of the segments with a picture's size (ITU T.81, table B.1).
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


class Photo(NamedTuple):
    """A picture, and the size in pixels at which it is shown."""

    content: bytes
    width: int
    height: int


class ImageError(Exception):
    """Raised for a file that is not a sound image; the text says what is wrong."""


def strip_metadata(raw: bytes) -> Photo:
    """Return a PNG or JPEG without metadata such as place, time and author; raise ImageError."""
    try:
        return _clean_png(raw) if raw.startswith(PNG) else _clean_jpeg(raw)
    except (struct.error, IndexError):
        raise ImageError("it is cut off") from None


def _clean_png(raw: bytes) -> Photo:
    width, height = struct.unpack(">II", raw[16:24])
    kept = [chunk for kind, chunk in _chunks(raw) if kind in _PNG_KEPT]
    return Photo(PNG + b"".join(kept), width, height)


def check_pixels(raw: bytes) -> None:
    """Raise ImageError for a PNG whose packed pixels are more or fewer than its picture has.

    Viewers stop at the last pixel and never notice; other programs unpack all of it first.
    """
    if not raw.startswith(PNG):
        return
    try:
        for inflated, expected in _frames(raw):
            if inflated > expected:
                raise ImageError("it holds more than the pixels of its picture: save it anew")
            if inflated < expected:
                raise ImageError("it is cut off")
    except (zlib.error, struct.error, KeyError):
        raise ImageError("it is damaged") from None


def _frames(raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield the unpacked size of each picture in a PNG, and the size it should have, in bytes."""
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", raw[16:29])
    bits, left = depth * _SAMPLES[colour], MOST_PIXEL_BYTES
    size, packed = (width, height), list[bytes]()

    def frame() -> tuple[int, int]:
        expected = _pixel_bytes(*size, bits, interlaced=bool(interlaced))
        return _inflated_size(packed, min(expected, left)), expected

    for kind, chunk in _chunks(raw):
        if kind in (b"fcTL", b"IEND") and packed:
            inflated, expected = frame()
            yield inflated, expected
            left, packed = left - inflated, []
        if kind == b"fcTL":
            size = struct.unpack(">II", chunk[12:20])
        elif kind in (b"IDAT", b"fdAT"):
            packed.append(chunk[8:-4] if kind == b"IDAT" else chunk[12:-4])


def _pixel_bytes(width: int, height: int, bits: int, *, interlaced: bool) -> int:
    """Return the bytes of a picture's rows, each with the byte that names its filter."""
    parts = [(width, height)]
    if interlaced:
        parts = [(-(-(width - x) // dx), -(-(height - y) // dy)) for x, y, dx, dy in _PASSES]
    return sum(rows * (1 + -(-columns * bits // 8)) for columns, rows in parts if columns > 0 and rows > 0)


def _inflated_size(packed: list[bytes], most: int) -> int:
    """Return how many bytes the parts of a stream unpack to, or one more than `most`."""
    stream, size = zlib.decompressobj(), 0
    for part in packed:
        while part and size <= most:
            size += len(stream.decompress(part, min(_PIXEL_BLOCK, most + 1 - size)))
            part = stream.unconsumed_tail
    return size


def _chunks(raw: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks of a PNG with their kinds, up to IEND; bytes after that are dropped."""
    at = len(PNG)
    while at < len(raw):
        (length,) = struct.unpack(">I", raw[at : at + 4])
        kind, end = raw[at + 4 : at + 8], at + 12 + length
        if end > len(raw):
            break
        yield kind, raw[at:end]
        if kind == b"IEND":
            return
        at = end
    raise ImageError("it is cut off")


def _clean_jpeg(raw: bytes) -> Photo:
    written, width, height, turned = [b"\xff\xd8"], 0, 0, 1
    for marker, segment in _segments(raw):
        if marker == 0xE1:  # APP1: Exif and XMP, of which the orientation alone is kept
            turned = _orientation(segment) or turned
            continue
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", segment[5:9])
        if _is_shown(marker, segment):
            written.append(segment)
    if turned != 1:
        written.insert(1, _orientation_segment(turned))
    width, height = (height, width) if turned in _SIDEWAYS else (width, height)
    return Photo(b"".join(written), width, height)


def _is_shown(marker: int, segment: bytes) -> bool:
    """Return True for a segment that affects how a picture is shown, such as a colour profile."""
    if marker == 0xE2:  # APP2
        return segment[4:].startswith(b"ICC_PROFILE\0")
    # APP0 of JFIF and APP14 of Adobe; other APPn segments and comments go.
    return marker in (0xE0, 0xEE) or not (0xE0 <= marker <= 0xEF or marker == 0xFE)


def _segments(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the segments of a JPEG with their markers, a scan with its data, up to EOI; later bytes are dropped."""
    at = 2
    while True:
        if raw[at] != 0xFF:
            raise ImageError("it is damaged")
        marker = raw[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
            continue
        if marker == _EOI:
            yield marker, b"\xff\xd9"
            return
        (length,) = struct.unpack(">H", raw[at + 2 : at + 4])
        end = at + 2 + length
        if marker == _SOS:
            end = _scan_end(raw, end)
        yield marker, raw[at:end]
        at = end


def _scan_end(raw: bytes, at: int) -> int:
    """Return the end of a scan's data: the next marker that is not part of them."""
    while True:
        at = raw.find(b"\xff", at)
        if at < 0:
            raise ImageError("it is cut off")
        if raw[at + 1] != 0 and raw[at + 1] not in _RESTARTS:
            return at
        at += 2


def _orientation(segment: bytes) -> int:
    """Return the orientation, 1 to 8, of a camera's Exif segment; 0 if it has none."""
    tiff = segment[10:]
    if segment[4:10] != b"Exif\0\0" or tiff[:2] not in (b"II", b"MM"):
        return 0
    order = "<" if tiff[:2] == b"II" else ">"
    try:
        (start,) = struct.unpack(order + "I", tiff[4:8])
        (count,) = struct.unpack(order + "H", tiff[start : start + 2])
        for at in range(start + 2, start + 2 + 12 * min(count, 100), 12):  # entries of an IFD (TIFF 6.0, section 2)
            tag, _, _, value = struct.unpack(order + "HHIH", tiff[at : at + 10])
            if tag == _ORIENTATION:
                return int(value) if 1 <= value <= 8 else 0
    except struct.error:
        return 0
    return 0


def _orientation_segment(turned: int) -> bytes:
    """Return an Exif segment that says the orientation, and nothing else."""
    tiff = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, _ORIENTATION, 3, 1, turned, 0, 0)
    part = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(part) + 2) + part


LARGEST_UNPACKED = 64_000_000
"""Bytes to which a document may unpack."""

_UNPACKS_TOO_LARGE = f"it unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB: make it smaller"

MOST_MEMBERS = 1_000
"""Files in a package."""

_OFFICE = "application/vnd.openxmlformats-officedocument"
PACKAGES: Mapping[str, str] = {
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}
"""Documents that are ZIP files: endings of their names, and media types."""

_BLOCK = 1 << 16
_PDF_TAIL = 1_024
_ESCAPED = re.compile(rb"#([0-9a-fA-F]{2})")
_STREAM = re.compile(rb"stream\r?\n")
# Names that begin a program, another file or a form that is sent (ISO 32000-1, 7.11.4, 12.6.4, 12.7.8, 13).
_PDF_ACTIVE = re.compile(
    rb"/(JavaScript|Launch|EmbeddedFiles?|RichMedia|Movie|Rendition|XFA|SubmitForm|ImportData|GoToE|Encrypt)(?![A-Za-z])"
)

_OBJECTS = re.compile(rb"/ObjStm(?![A-Za-z])")
_OFFICE_ACTIVE = re.compile(
    r"(?:\A|/)(?:vbaProject|vbaData|activeX|embeddings|ctrlProps|macrosheets|externalLinks)", re.I
)
# Scripts, and objects of other programs; an object that is a folder is a chart or table of the same program.
_ODF_ACTIVE = re.compile(r"(?:\A|/)(?:(?:Basic|Scripts|Dialogs)/|Object [^/]*\Z)", re.I)

_MACRO_TYPE = re.compile(rb"macroEnabled|vbaProject|oleObject|activeX", re.I)
_OUTSIDE = re.compile(rb"<Relationship\b(?=[^<>]{0,4000}TargetMode\s*=\s*[\"']External)[^<>]{0,4000}>", re.I)
_SCRIPT_CALL = re.compile(rb"vnd\.sun\.star\.script:|macro:|<(?:\w+:)?dde-|xlink:href\s*=\s*[\"']file:", re.I)


class UnfitDocument(Exception):
    """Raised for a document that cannot be sent; the text says why."""


def check_pdf(raw: bytes) -> None:
    """Raise UnfitDocument unless a PDF is complete and only shows pages."""
    if not raw.startswith(b"%PDF-"):
        raise UnfitDocument("it is not what its name says: no .pdf file begins like that")
    # Readers look for the end in the last kilobyte (ISO 32000-1, annex H).
    if b"startxref" not in raw or b"%%EOF" not in raw[-_PDF_TAIL:]:
        raise UnfitDocument("it is cut off: no PDF ends like that")
    _check_pdf_names(raw)
    unpacked = 0
    for packed, content in _pdf_streams(raw):
        if packed and not content:
            raise UnfitDocument("it is packed in a way that cannot be checked: print it to a new PDF")
        unpacked += len(content)
        if unpacked > LARGEST_UNPACKED:
            raise UnfitDocument(_UNPACKS_TOO_LARGE)
        _check_pdf_names(content)


def _pdf_streams(raw: bytes) -> Iterator[tuple[bool, bytes]]:
    """Yield each stream of a PDF unpacked, b"" if it does not unpack, and whether it may hold objects."""
    before = 0
    for found in _STREAM.finditer(raw):
        # The dictionary of a stream comes right before it; object streams (7.5.7) must unpack.
        holds_objects = _OBJECTS.search(_unescape(raw[before : found.start()])) is not None
        before = found.end()
        yield holds_objects, _inflate(raw[found.end() :])


def _inflate(packed: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, LARGEST_UNPACKED + 1)
    except zlib.error:
        return b""


def _check_pdf_names(text: bytes) -> None:
    if found := _PDF_ACTIVE.search(_unescape(text)):
        name = found[1].decode()
        if name == "Encrypt":
            raise UnfitDocument("it is locked, so that it cannot be checked: save it without a password")
        raise UnfitDocument(f"it holds a program, a form or another file (/{name}): print it to a new PDF")


def _unescape(text: bytes) -> bytes:
    # Any character of a name may be written as #xx (ISO 32000-1, 7.3.5).
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), text)


def check_package(raw: bytes, ending: str) -> None:
    """Raise UnfitDocument unless an office document is complete, of the kind it is named, and without programs."""
    if not raw.startswith(b"PK\x03\x04"):
        raise UnfitDocument(f"it is not what its name says: no {ending} file begins like that")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as package:
            members = _members(package)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, zlib.error, ValueError, RuntimeError):
        raise UnfitDocument("it is damaged, or packed in a way that cannot be checked: save it anew") from None
    if ending in (".odt", ".ods"):
        _check_open_document(members, ending)
    else:
        _check_office(members, ending)


def _members(package: zipfile.ZipFile) -> dict[str, bytes]:
    """Return the files in a package, each read to its end, where its checksum is compared."""
    listed = package.infolist()
    if len(listed) > MOST_MEMBERS:
        raise UnfitDocument(f"it consists of {len(listed)} files; {MOST_MEMBERS} are the most")
    members: dict[str, bytes] = {}
    left = LARGEST_UNPACKED
    for each in listed:
        path = PurePosixPath(each.filename)
        if each.flag_bits & 1:  # encrypted
            raise UnfitDocument("it is locked, so that it cannot be checked: save it without a password")
        if path.is_absolute() or ".." in path.parts or "\\" in each.filename or each.filename in members:
            raise UnfitDocument("it is damaged: two of its parts have one name, or one lies outside of it")
        members[each.filename] = _content(package, each, left)
        left -= len(members[each.filename])
    return members


def _content(package: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    content = bytearray()
    with package.open(member) as file:
        while block := file.read(_BLOCK):
            content += block
            if len(content) > most:
                raise UnfitDocument(_UNPACKS_TOO_LARGE)
    return bytes(content)


def _check_open_document(members: Mapping[str, bytes], ending: str) -> None:
    if members.get("mimetype", b"").strip() != PACKAGES[ending].encode() or "content.xml" not in members:
        raise UnfitDocument(f"it is not what its name says: no {ending} file has such parts")
    _check_members(members, _ODF_ACTIVE)
    for name, content in members.items():
        if name.endswith(".xml") and _SCRIPT_CALL.search(content):
            raise UnfitDocument(_active_content(name))


def _check_office(members: Mapping[str, bytes], ending: str) -> None:
    types = members.get("[Content_Types].xml", b"")
    if PACKAGES[ending].encode() not in types:
        raise UnfitDocument(f"it is not what its name says: no {ending} file has such parts")
    _check_members(members, _OFFICE_ACTIVE)
    if _MACRO_TYPE.search(types):
        raise UnfitDocument(_active_content("[Content_Types].xml"))
    for name, content in members.items():
        outside = _OUTSIDE.findall(content) if name.endswith(".rels") else []
        if any(b"/hyperlink" not in relation for relation in outside):
            raise UnfitDocument(_active_content(name))


def _check_members(members: Mapping[str, bytes], active: re.Pattern[str]) -> None:
    if name := next(filter(active.search, members), None):
        raise UnfitDocument(_active_content(name))


def _active_content(name: str) -> str:
    return f"it holds a program, another file or a link to one ({name}): save it without, or as PDF"
