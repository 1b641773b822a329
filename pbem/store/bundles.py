"""The files of a report as one value of the database: texts compressed together, pictures as they are.

A bundle is the length of its packed part in four bytes, big-endian; that part:
a line of JSON, the list of [name, length], and the texts one after the other;
and then the pictures. A PNG is compressed in itself: to try again takes a
hundred times as long as all the rest, and gains nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping

LEVEL = 6
"""Of zlib. What is above it takes twice the time for a thousandth of the space."""


def bundle(files: Mapping[str, bytes]) -> bytes:
    """Files, in their order, as one value."""
    head = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    packed = zlib.compress(b"\n".join([head, _joined(files, pictures=False)]), LEVEL)
    return len(packed).to_bytes(4, "big") + packed + _joined(files, pictures=True)


def unbundle(value: bytes) -> dict[str, bytes]:
    """The files of a bundle."""
    start = 4 + int.from_bytes(value[:4], "big")
    head, _, texts = zlib.decompress(value[4:start]).partition(b"\n")
    left = {False: texts, True: value[start:]}
    taken = {False: 0, True: 0}
    files = {}
    for name, length in json.loads(head):
        kind = _is_picture(name)
        files[name] = left[kind][taken[kind] : taken[kind] + length]
        taken[kind] += length
    return files


def _joined(files: Mapping[str, bytes], *, pictures: bool) -> bytes:
    return b"".join(content for name, content in files.items() if _is_picture(name) == pictures)


def _is_picture(name: str) -> bool:
    return name.endswith(".png")
