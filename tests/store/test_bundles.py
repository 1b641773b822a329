"""Bundles: several files as one value of the database."""

from __future__ import annotations

import zlib
from random import Random

import pytest

from pbem.store.types import pack_files, unpack_files

NOISE = Random(1).randbytes(5_000)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"red.txt": b""},
        {"red.a.png": NOISE, "red.txt": "grüne\nWiese".encode(), "red.b.png": b"", "red.json": b"{}\n", "ö.png": b"x"},
    ],
)
def test_files_come_out_as_they_went_in(files: dict[str, bytes]) -> None:
    """Names, bytes and order of files are kept, also of empty ones."""
    assert list(unpack_files(pack_files(files)).items()) == list(files.items())


def test_pictures_take_their_own_size() -> None:
    """Compressed pictures neither grow nor are compressed again."""
    assert len(pack_files({"map.png": NOISE})) - len(pack_files({"map.png": b""})) <= len(NOISE) + 4


def test_texts_that_are_alike_are_kept_once() -> None:
    """The text of a report and its HTML take little more room than one of them."""
    words = Random(2).randbytes(3_000).hex().encode()

    assert len(pack_files({"red.txt": words, "red.html": words})) < 1.2 * len(zlib.compress(words, 9))
