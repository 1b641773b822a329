"""Folders as streams: each is one part of a backup, a tar archive of plain files, written and read file by file."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pbem.errors import BackupError

_FIRST = ("new", "cur")
"""Of a Maildir: a mail that is moved on while its folder is read is found where it goes."""


class Tree:
    """A stream of files that is being written."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar

    def put(self, name: str, content: bytes) -> None:
        """Adds a file of so many bytes."""
        told = tarfile.TarInfo(name)
        told.size, told.mode = len(content), 0o600
        self._add(told, io.BytesIO(content))

    def put_file(self, name: str, path: Path) -> None:
        """Adds a file as it is now; one that is gone meanwhile is left out."""
        with suppress(FileNotFoundError), path.open("rb") as file:
            facts, told = os.fstat(file.fileno()), tarfile.TarInfo(name)
            told.size, told.mode, told.mtime = facts.st_size, 0o600, facts.st_mtime
            self._add(told, file)

    def _add(self, told: tarfile.TarInfo, content: IO[bytes]) -> None:
        self._tar.addfile(told, content)
        self._tar.members = []  # type: ignore[attr-defined] # it would remember them all

    def put_folder(self, folder: Path, *, leave_out: tuple[str, ...] = ()) -> None:
        """Adds all plain files below a folder but those in folders of some names."""
        for path in _files(folder, leave_out):
            self.put_file(path.relative_to(folder).as_posix(), path)


@contextmanager
def writing(stream: Any) -> Iterator[Tree]:
    """A stream of files, closed at the end."""
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        yield Tree(tar)


def unpack(stream: Any, target: Path) -> int:
    """Writes the files of a stream below a folder; returns how many. Raises BackupError for what is no plain file."""
    count = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                tar.members = []  # type: ignore[attr-defined] # it would remember them all
                _write(tar, member, target)
                count += 1
    except tarfile.TarError as error:
        raise BackupError(f"it was cut or changed ({error})") from None
    return count


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    name = PurePosixPath(member.name)
    # One with holes takes as much room as it says, however little of it is there.
    plain = member.isreg() and not member.issparse()
    if not plain or name.is_absolute() or ".." in name.parts or not name.parts or "\0" in member.name:
        raise BackupError(f"it has {member.name!r}, which is no plain file of a home")
    path = target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    source = tar.extractfile(member)
    assert source is not None
    with path.open("xb") as file:
        shutil.copyfileobj(source, file)
    os.utime(path, (member.mtime, member.mtime))


def _files(folder: Path, leave_out: tuple[str, ...]) -> Iterator[Path]:
    inside: list[Path] = []
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue
            if entry.is_dir() and entry.name not in leave_out:
                inside.append(Path(entry.path))
            elif entry.is_file():
                yield Path(entry.path)
    for each in sorted(inside, key=_order):
        yield from _files(each, leave_out)


def _order(folder: Path) -> tuple[int, str]:
    return (_FIRST.index(folder.name) if folder.name in _FIRST else len(_FIRST), folder.name)
