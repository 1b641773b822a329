"""PNG and JPEG files as they may be sent on: what they show to the last bit, and nothing that says where and when.

Cameras and drawing programs write places, times, names and serial numbers into
pictures. The pixels are not touched; of all else those parts are kept which
say how they are to be shown: colours, density, and which side is up.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
"""How the files begin."""

_PNG_KEPT = frozenset(
    {
        *(b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP"),
        *(b"bKGD", b"pHYs", b"acTL", b"fcTL", b"fdAT"),
    }
)
"""Chunks without which a picture might look otherwise (PNG, 11; the last three are of moving ones)."""

_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples of a pixel, by the colour type of a PNG (PNG, 11.2.2)."""

_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""First pixel of each pass of an interlaced PNG, and the distances between its pixels (PNG, 8.2)."""

MOST_PIXEL_BYTES = 160_000_000
"""Bytes of the pixels of a PNG, those of a moving one together."""

_PIXEL_BLOCK = 1 << 20

_ORIENTATION = 0x0112
_SIDEWAYS = range(5, 9)
"""Values of the orientation that turn a picture on its side (Exif 2.3, 4.6.4)."""

_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_RESTARTS = range(0xD0, 0xD8)
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of the segments that tell a picture's size (ITU T.81, table B.1)."""


class Photo(NamedTuple):
    """A picture, and how large it is shown."""

    content: bytes
    width: int
    height: int


class DamagedPhoto(Exception):
    """A file that is not what it should be; the text is what is wrong with it."""


def cleaned(raw: bytes) -> Photo:
    """A PNG or JPEG without what says where, when and by whom it was made. Raises DamagedPhoto."""
    try:
        return _clean_png(raw) if raw.startswith(PNG) else _clean_jpeg(raw)
    except (struct.error, IndexError):
        raise DamagedPhoto("it is cut off") from None


def _clean_png(raw: bytes) -> Photo:
    width, height = struct.unpack(">II", raw[16:24])
    kept = [chunk for kind, chunk in _chunks(raw) if kind in _PNG_KEPT]
    return Photo(PNG + b"".join(kept), width, height)


def check_pixels(raw: bytes) -> None:
    """Raise DamagedPhoto for a PNG whose packed pixels are more or fewer than its picture has.

    Programs that show it stop at the last pixel, so that they do not find out; others unpack all of it first.
    """
    if not raw.startswith(PNG):
        return
    try:
        for inflated, expected in _frames(raw):
            if inflated > expected:
                raise DamagedPhoto("it holds more than the pixels of its picture: save it anew")
            if inflated < expected:
                raise DamagedPhoto("it is cut off")
    except (zlib.error, struct.error, KeyError):
        raise DamagedPhoto("it is damaged") from None


def _frames(raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield the bytes of the pixels of each picture in a PNG, and how many they should be."""
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
    """Return the bytes of a picture's rows, each with the byte that tells its filter."""
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
    """The chunks of a PNG up to its end, with their kinds; what hangs behind the end is not part of it."""
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
    raise DamagedPhoto("it is cut off")


def _clean_jpeg(raw: bytes) -> Photo:
    written, width, height, turned = [b"\xff\xd8"], 0, 0, 1
    for marker, segment in _segments(raw):
        if marker == 0xE1:
            turned = _orientation(segment) or turned
            continue
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", segment[5:9])
        if _is_kept(marker, segment):
            written.append(segment)
    if turned != 1:
        written.insert(1, _exif(turned))
    width, height = (height, width) if turned in _SIDEWAYS else (width, height)
    return Photo(b"".join(written), width, height)


def _is_kept(marker: int, segment: bytes) -> bool:
    """Of what applications have written, JFIF's, Adobe's and colour profiles say how a picture is shown."""
    if marker == 0xE2:
        return segment[4:].startswith(b"ICC_PROFILE\0")
    return marker in (0xE0, 0xEE) or not (0xE0 <= marker <= 0xEF or marker == 0xFE)


def _segments(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """The segments of a JPEG with their markers, a scan with its data, up to its end; what hangs behind is not its."""
    at = 2
    while True:
        if raw[at] != 0xFF:
            raise DamagedPhoto("it is damaged")
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
    """Where the data of a scan end: at the next marker that does not belong to them."""
    while True:
        at = raw.find(b"\xff", at)
        if at < 0:
            raise DamagedPhoto("it is cut off")
        if raw[at + 1] != 0 and raw[at + 1] not in _RESTARTS:
            return at
        at += 2


def _orientation(segment: bytes) -> int:
    """Which side is up, as the Exif part of a camera tells it; 0 if it does not."""
    tiff = segment[10:]
    if segment[4:10] != b"Exif\0\0" or tiff[:2] not in (b"II", b"MM"):
        return 0
    order = "<" if tiff[:2] == b"II" else ">"
    try:
        (start,) = struct.unpack(order + "I", tiff[4:8])
        (count,) = struct.unpack(order + "H", tiff[start : start + 2])
        for at in range(start + 2, start + 2 + 12 * min(count, 100), 12):
            tag, _, _, value = struct.unpack(order + "HHIH", tiff[at : at + 10])
            if tag == _ORIENTATION:
                return int(value) if 1 <= value <= 8 else 0
    except struct.error:
        return 0
    return 0


def _exif(turned: int) -> bytes:
    """An Exif part that says which side is up, and nothing else."""
    tiff = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, _ORIENTATION, 3, 1, turned, 0, 0)
    part = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(part) + 2) + part
