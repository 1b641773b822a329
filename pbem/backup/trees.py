"""Folders as streams: each is one part of a backup, a tar archive of plain files, written and read file by file."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from pbem.errors import BackupError

MOST_FILES = 1_000_000
MOST_LEVELS = 16
"""Of folders in a file's name."""

MOST_HEADER = 65_536
"""Bytes of what a tar archive says of a file beside its name."""

MOST_TIME = 2**35
"""Seconds before or after 1970: file systems know no time beyond."""

_PLAIN = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,1024}")
_OF_NAMES = frozenset({errno.EEXIST, errno.EILSEQ, errno.EINVAL, errno.EISDIR, errno.ENAMETOOLONG, errno.ENOTDIR})
"""Errors when two files have one name, or one has the name of the other's folder, or one that cannot be."""

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


class _Header(tarfile.TarInfo):
    """The header of a file, of which nothing is read that is longer than a header has to be."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a header. Raise BackupError before what stands behind it is read, if that is too long."""
        told = super().frombuf(buf, encoding, errors)
        if told.size < 0 or (not told.isreg() and told.size > MOST_HEADER):
            raise BackupError(f"it has {_named(told)} of {told.size:,} bytes, which is no plain file of a home")
        return told


def unpack(stream: Any, target: Path, most: int = MOST_FILES, only: Callable[[str], bool] | None = None) -> int:
    """Write the files of a stream below a folder, `most` of them; return how many.

    Raise BackupError for more, for what is no plain file, and for a name that is not one of the `only` ones.
    """
    count = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as tar:
            for member in tar:
                tar.members = []  # type: ignore[attr-defined] # it would remember them all
                count += 1
                if count > most:
                    raise BackupError(f"it has more files than the {most:,} that a backup of its size may have")
                _check(member, only)
                _write(tar, member, target)
    except (tarfile.TarError, ValueError, OverflowError, UnicodeError, RecursionError) as error:
        raise BackupError(f"it was cut or changed ({type(error).__name__})") from None
    return count


def _check(member: tarfile.TarInfo, only: Callable[[str], bool] | None) -> None:
    name = PurePosixPath(member.name)
    # One with holes takes as much room as it says, however little of it is there.
    plain = member.isreg() and not member.issparse() and member.size >= 0
    inside = name.parts and not name.is_absolute() and ".." not in name.parts and len(name.parts) <= MOST_LEVELS
    if not plain or not inside or not _PLAIN.fullmatch(member.name) or (only and not only(name.as_posix())):
        raise BackupError(f"it has {_named(member)}, which is no plain file of a home")
    if not abs(member.mtime) <= MOST_TIME:  # nor is it one that is no number
        raise BackupError(f"{_named(member)} is of a time that no file can have")


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    path, source = target / member.name, tar.extractfile(member)
    assert source is not None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            shutil.copyfileobj(source, file)
    except OSError as error:
        if error.errno in _OF_NAMES:
            raise BackupError(f"{_named(member)} cannot be written: {error.strerror}") from None
        raise  # the disk's, as when it is full
    os.utime(path, (member.mtime, member.mtime))


def _named(member: tarfile.TarInfo) -> str:
    return f"{member.name!r:.200}"


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
