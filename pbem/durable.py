"""Files and folders that are to outlive a power cut."""

from __future__ import annotations

import os
from pathlib import Path


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
    draft.write_bytes(data)
    flush(draft)
    draft.rename(path)
    flush(path.parent)
