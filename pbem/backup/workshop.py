"""Folders in which something is prepared beside its place, so that whoever is killed leaves nothing believed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pbem.durable import flush

_PREFIX = ".pbem-draft-"


@contextmanager
def workshop(place: Path) -> Iterator[Path]:
    """A folder of its own in a place, gone at the end; and those that killed processes have left there."""
    _sweep(place)
    draft, handle = _made(place)
    try:
        yield draft
    finally:
        os.close(handle)
        shutil.rmtree(draft, ignore_errors=True)


def put(draft: Path, target: Path) -> None:
    """Puts what was prepared in its place, whole and on the disk. Raises OSError."""
    for path in (*_below(draft), draft):
        flush(path)
    draft.rename(target)
    flush(target.parent)


def _below(draft: Path) -> Iterator[Path]:
    for folder, _, files in os.walk(draft):
        yield from (Path(folder, name) for name in files)
        yield Path(folder)


def _made(place: Path) -> tuple[Path, int]:
    while True:
        draft = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        with suppress(FileNotFoundError):  # another has just swept it away
            handle = os.open(draft, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
            if draft.is_dir():
                return draft, handle
            os.close(handle)


def _sweep(place: Path) -> None:
    for draft in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # it is another's, who is at work in it
            handle = os.open(draft, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(draft, ignore_errors=True)
            finally:
                os.close(handle)
