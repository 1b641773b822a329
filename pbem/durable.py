"""Whole files: read within a bound, whatever they may be, and written so that they outlive a power cut."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from pbem.errors import is_disk_full

_ENOUGH = 1 << 16
"""Bytes; what SQLite wants at a time is less."""


def read_plain(path: Path, most: int, *, follow: bool = False) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes; a symbolic link counts only with `follow`.

    Never waits for a pipe or reads a device. Raises OSError, or ValueError saying what the file is instead.
    """
    if not stat.S_ISREG((path.stat() if follow else path.lstat()).st_mode):
        raise ValueError("it is no plain file")
    flags = os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    with os.fdopen(os.open(path, flags), "rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise ValueError(f"it is larger than {most:,} bytes")
    return raw


def flush(path: Path) -> None:
    """Waits until a file's bytes, or the names in a folder, are on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, data: bytes) -> None:
    """Puts a file in the place of the one of this name, whole or not at all, and on the disk. Raises OSError.

    For one writer at a time: the draft beside it has a fixed name, so that a killed writer leaves one at most.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_bytes(data)
        flush(draft)
        draft.rename(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    flush(path.parent)


def has_room(folder: Path) -> bool:
    """Return whether a file can be written in a folder, by writing one without a name; True if it cannot be made."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(_ENOUGH))
    except OSError as error:
        return not is_disk_full(error)
    return True
