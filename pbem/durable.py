"""Files and folders that are to outlive a power cut."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pbem.errors import is_disk_full

_ENOUGH = 1 << 16
"""Bytes; what SQLite wants at a time is less."""


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
