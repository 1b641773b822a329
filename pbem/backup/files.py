"""The file format of backups: a ZIP archive of a few parts, each with its SHA-256 in a manifest.

    manifest.json           kind, version and parts of the file
    database.sqlite         the database
    pbem.toml               the settings; for the rest see `pbem.backup.create`

Parts are written and read as streams. Every fault of a file is named: truncated,
changed, no backup, or of a later version. A file may come from a stranger: nothing
in it is trusted, and every size is bounded.
"""

from __future__ import annotations

import datetime as dt
import errno
import hashlib
import io
import json
import os
import re
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from pbem.errors import BackupError, is_disk_full, reason_of

MOST_FILES = 1_000_000
MOST_LEVELS = 16
"""Levels of folders in a file's name."""

MOST_HEADER = 65_536
"""Bytes of an extended header in a tar archive, such as one for a long name."""

MOST_TIME = 2**35
"""Seconds before or after 1970: file systems store no times beyond."""

_PLAIN = re.compile(r"[^\x00-\x1f\x7f-\x9f]{1,1024}")
# Errors of names: two files of one name, a file with the name of a folder, or a name that is not allowed.
_OF_NAMES = frozenset({errno.EEXIST, errno.EILSEQ, errno.EINVAL, errno.EISDIR, errno.ENAMETOOLONG, errno.ENOTDIR})

# The order for folders of a Maildir: a mail moved from new/ to cur/ meanwhile is found in cur/.
_FIRST = ("new", "cur")


class TarWriter:
    """A tar stream that is being written."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar

    def put(self, name: str, content: bytes) -> None:
        """Add a file with this content."""
        told = tarfile.TarInfo(name)
        told.size, told.mode = len(content), 0o600
        self._add(told, io.BytesIO(content))

    def put_file(self, name: str, path: Path) -> None:
        """Add a file as it is now; skip it if it has vanished."""
        with suppress(FileNotFoundError), path.open("rb") as file:
            facts, told = os.fstat(file.fileno()), tarfile.TarInfo(name)
            told.size, told.mode, told.mtime = facts.st_size, 0o600, facts.st_mtime
            self._add(told, file)

    def _add(self, told: tarfile.TarInfo, content: IO[bytes]) -> None:
        self._tar.addfile(told, content)
        self._tar.members = []  # type: ignore[attr-defined] # tarfile keeps all headers in memory

    def put_folder(self, folder: Path, *, leave_out: tuple[str, ...] = ()) -> None:
        """Add all plain files below a folder, without those in folders of the names to `leave_out`."""
        for path in _walk_files(folder, leave_out):
            self.put_file(path.relative_to(folder).as_posix(), path)


@contextmanager
def open_tar(stream: Any) -> Iterator[TarWriter]:
    """Open a tar stream for writing; close it at the end."""
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        yield TarWriter(tar)


class _BoundedHeader(tarfile.TarInfo):
    """Header of a file, of which no more is read than a header needs."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a header; raise BackupError if the data that follow it are too long, before these are read."""
        told = super().frombuf(buf, encoding, errors)
        if told.size < 0 or (not told.isreg() and told.size > MOST_HEADER):
            raise BackupError(f"it has {_quote_name(told)} of {told.size:,} bytes, which is no plain file of a home")
        return told


def extract_tar(stream: Any, target: Path, most: int = MOST_FILES, only: Callable[[str], bool] | None = None) -> int:
    """Write the files of a stream below a folder; return how many.

    Raises:
        BackupError: There are more than `most` files, an entry is no plain file, or a name does not pass `only`.
    """
    count = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_BoundedHeader) as tar:
            for member in tar:
                tar.members = []  # type: ignore[attr-defined] # tarfile keeps all headers in memory
                count += 1
                if count > most:
                    raise BackupError(f"it has more files than the {most:,} that a backup of its size may have")
                _check_member(member, only)
                _write_member(tar, member, target)
    except (tarfile.TarError, ValueError, OverflowError, UnicodeError, RecursionError) as error:
        raise BackupError(f"it was cut or changed ({type(error).__name__})") from None
    return count


def _check_member(member: tarfile.TarInfo, only: Callable[[str], bool] | None) -> None:
    name = PurePosixPath(member.name)
    # A sparse file takes as much room as it declares, however little of it is in the archive.
    plain = member.isreg() and not member.issparse() and member.size >= 0
    inside = name.parts and not name.is_absolute() and ".." not in name.parts and len(name.parts) <= MOST_LEVELS
    if not plain or not inside or not _PLAIN.fullmatch(member.name) or (only and not only(name.as_posix())):
        raise BackupError(f"it has {_quote_name(member)}, which is no plain file of a home")
    if not abs(member.mtime) <= MOST_TIME:  # NaN fails this comparison too
        raise BackupError(f"{_quote_name(member)} is of a time that no file can have")


def _write_member(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    path, source = target / member.name, tar.extractfile(member)
    assert source is not None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            shutil.copyfileobj(source, file)
    except OSError as error:
        if error.errno in _OF_NAMES:
            raise BackupError(f"{_quote_name(member)} cannot be written: {error.strerror}") from None
        raise  # an error of the disk, such as a full one
    os.utime(path, (member.mtime, member.mtime))


def _quote_name(member: tarfile.TarInfo) -> str:
    return f"{member.name!r:.200}"


def _walk_files(folder: Path, leave_out: tuple[str, ...]) -> Iterator[Path]:
    inside: list[Path] = []
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue
            if entry.is_dir() and entry.name not in leave_out:
                inside.append(Path(entry.path))
            elif entry.is_file():
                yield Path(entry.path)
    for each in sorted(inside, key=_maildir_order):
        yield from _walk_files(each, leave_out)


def _maildir_order(folder: Path) -> tuple[int, str]:
    return (_FIRST.index(folder.name) if folder.name in _FIRST else len(_FIRST), folder.name)


FORMAT = 1
MANIFEST = "manifest.json"
DATABASE = "database.sqlite"

MOST_PARTS = 10_000
MOST_MANIFEST = 8_000_000
MOST_DIRECTORY = 4_000_000
"""Bytes of the manifest, and of the list of parts at the end of a ZIP archive."""

FREE_FILES, BYTES_A_FILE = 10_000, 64
"""The most files of a backup: a fixed number, and one more for so many of its bytes."""

FREE_BYTES, GROWTH = 1_000_000_000, 100
"""The most bytes of a backup when unpacked: a fixed number, and so many times its own."""

LEVEL = 3
"""Of zlib. Pictures, states and reports are compressed already: higher levels only take longer."""

AT_ONCE = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Raised by `zipfile` for an archive that was cut or changed; ValueError for names that are not UTF-8.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class _HashedStream:
    """Stream that computes SHA-256 and number of all bytes that pass through it."""

    def __init__(self, raw: IO[bytes], most: int | None = None) -> None:
        self._raw, self._hash, self._most = raw, hashlib.sha256(), most
        self.bytes = 0

    def write(self, data: bytes) -> int:
        """Write data."""
        self._count(data)
        return self._raw.write(data)

    def read(self, size: int = AT_ONCE) -> bytes:
        """Read data: no more than may be there in all, and never everything at once."""
        data = self._raw.read(size if size >= 0 else AT_ONCE)
        self._count(data)
        if self._most is not None and self.bytes > self._most:
            raise EOFError("it is longer than it should be")
        return data

    def _count(self, data: bytes) -> None:
        self._hash.update(data)
        self.bytes += len(data)

    @property
    def facts(self) -> dict[str, Any]:
        """The entry of a part in the manifest."""
        return {"sha256": self._hash.hexdigest(), "bytes": self.bytes}


class BackupWriter:
    """A backup that is being written into a new file."""

    def __init__(self, path: Path) -> None:
        path.touch(mode=0o600, exist_ok=False)
        self._file = path.open("wb")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
        self._parts: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the file; if it could not be finished, as on a full disk, write nothing more."""
        if kind is not None:
            self._zip.fp = None  # else its destructor writes the directory, and prints an error if it cannot
            with suppress(OSError):
                self._file.close()
            return
        self._zip.close()
        self._file.close()

    @contextmanager
    def part(self, name: str) -> Iterator[Any]:
        """Open a stream for writing a part."""
        with self._zip.open(name, "w", force_zip64=True) as raw:
            counted = _HashedStream(raw)
            yield counted
        self._parts[name] = counted.facts

    def put(self, name: str, source: Path) -> None:
        """Add a file as a part."""
        with source.open("rb") as file, self.part(name) as part:
            shutil.copyfileobj(file, part, AT_ONCE)

    def put_manifest(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest, as the last part: without it, the file is no backup."""
        told = {"format": FORMAT, **facts, "parts": self._parts}
        self._zip.writestr(MANIFEST, json.dumps(told, indent=1, ensure_ascii=False))


@contextmanager
def disk_full_named(path: Path) -> Iterator[None]:
    """Raise BackupError naming the file if the disk is full inside the block; the OSError seldom names it."""
    try:
        yield
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise BackupError(f"{path} cannot be written: {reason_of(error)}") from error


class BackupReader:
    """A backup that is being read; `facts` are those of its manifest."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, facts: Mapping[str, Any]) -> None:
        self.path, self.facts, self._zip = path, facts, archive
        self._files_left = FREE_FILES + path.stat().st_size // BYTES_A_FILE

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its parts."""
        return tuple(self.facts["parts"])

    @property
    def bytes(self) -> int:
        """The size of all parts, unpacked."""
        return sum(part["bytes"] for part in self.facts["parts"].values())

    @contextmanager
    def part(self, name: str) -> Iterator[Any]:
        """Open a stream for reading a part.

        Raises:
            BackupError: The part is missing, truncated or changed; raised at its end at the latest.
        """
        expected = self.facts["parts"].get(name)
        if expected is None:
            raise BackupError(f"{self.path} has no {name}")
        try:
            with self._zip.open(name) as raw:
                counted = _HashedStream(raw, expected["bytes"])
                yield counted
                while counted.read():  # to its end, so that the hash covers the whole part
                    pass
        except KeyError:
            raise BackupError(f"{self.path} is incomplete: {name} is missing") from None
        except _BROKEN as error:
            # EINVAL is a place before the beginning of the file, told by a list of parts that was changed.
            if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
                raise  # an error of the disk, not of the backup
            raise BackupError(f"{self.path}: {name} was cut or changed ({error})") from None
        if counted.facts != {"sha256": expected["sha256"], "bytes": expected["bytes"]}:
            raise BackupError(f"{self.path}: {name} was changed: its SHA-256 is not that of the manifest")

    def take(self, name: str, target: Path) -> None:
        """Write a part to a new file. Raise BackupError if it is broken."""
        with self.part(name) as part, target.open("xb") as file:
            shutil.copyfileobj(part, file, AT_ONCE)

    def unpack(self, name: str, folder: Path, only: Callable[[str], bool] | None = None) -> None:
        """Write the files of a part below a folder, or those that pass `only`. Raise BackupError if it is broken."""
        folder.mkdir(parents=True, exist_ok=True)
        with self.part(name) as part:
            try:
                self._files_left -= extract_tar(part, folder, self._files_left, only)
            except BackupError as error:
                raise BackupError(f"{self.path}: {name}: {error}") from None


class _BoundedFile(io.BufferedReader):
    """File that returns a limited number of bytes at once, since `zipfile` reads the whole list of parts at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read data; raise BadZipFile if it is longer than the limit."""
        wanted = MOST_DIRECTORY + 1 if size is None or size < 0 else size
        data = super().read(min(wanted, MOST_DIRECTORY + 1))
        if len(data) > MOST_DIRECTORY:
            raise zipfile.BadZipFile("its list of parts is too long")
        return data


@contextmanager
def open_backup(path: Path, kind: str) -> Iterator[BackupReader]:
    """Open a backup of a kind, "home" or "campaign".

    Raises:
        BackupError: It is missing, no such file, truncated, changed, or of a later version.
    """
    if not path.is_file():
        raise BackupError(f"{path} is no file" if path.exists() else f"{path} is not there")
    with _BoundedFile(io.FileIO(path)) as file:
        try:
            archive = zipfile.ZipFile(file)
        except _BROKEN as error:
            raise BackupError(f"{path} is no backup, or was cut: {_error_text(error)}") from None
        with archive:
            yield BackupReader(path, archive, _read_facts(path, archive, kind))


def is_backup(path: Path) -> bool:
    """Return True if a file that exists is a backup, intact or not."""
    try:
        with _BoundedFile(io.FileIO(path)) as file, zipfile.ZipFile(file) as archive:
            return MANIFEST in archive.namelist()
    except _BROKEN:
        return False


def _read_facts(path: Path, archive: zipfile.ZipFile, kind: str) -> Mapping[str, Any]:
    try:
        with archive.open(MANIFEST) as file:
            facts = json.loads(file.read(MOST_MANIFEST))
        made, found = facts["format"], facts["kind"]
        lacks = "" if made != FORMAT else _find_fault(facts)
    except (*_BROKEN, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise BackupError(
            f"{path} is no backup, or was changed: its manifest cannot be read ({_error_text(error)})"
        ) from None
    if made != FORMAT:
        raise BackupError(
            f"{path} is of format {made!r:.40}, which this version of pbem does not know: use a newer one"
        )
    if lacks:
        raise BackupError(f"{path} was changed: its manifest does not say what it has to: {lacks}")
    if found != kind:
        other = {"home": "a backup of a home: pbem restore", "campaign": "a single campaign: pbem import"}
        raise BackupError(f"{path} is {other.get(found, 'something else')}")
    _check_parts(path, archive, facts["parts"])
    return {**facts, "made": _in_utc(facts["made"])}


def _find_fault(facts: Mapping[str, Any]) -> str:
    """Return the rule that a manifest breaks, "" if none; raise KeyError, TypeError or ValueError for missing data."""
    _in_utc(facts["made"])
    campaigns, home = facts["campaigns"], facts["kind"] == "home"
    texts = [facts["kind"], facts["address"], facts["pbem"], *(facts["left_out"] if home else [facts["to"]])]
    rules = {
        "texts are lines of up to 1,000 characters": all(map(_is_line, texts)),
        f"a home has up to {MOST_PARTS:,} campaigns, an export one": isinstance(campaigns, list)
        and (len(campaigns) <= MOST_PARTS if home else len(campaigns) == 1),
        "a campaign has a name, a game and its version": all(
            _is_line(each["name"]) and _is_line(each["game"]) and _is_count(each["version"]) for each in campaigns
        ),
        "a part has its bytes and its SHA-256": all(
            _is_line(name) and _is_count(part["bytes"]) and _SHA256.fullmatch(part["sha256"]) is not None
            for name, part in facts["parts"].items()
        ),
    }
    return next((rule for rule, holds in rules.items() if not holds), "")


def _in_utc(made: str) -> str:
    """Return a time in UTC; raise ValueError if it has no zone, or no backup can have been made then."""
    at = dt.datetime.fromisoformat(made)
    if at.tzinfo is None or not 2000 <= at.year < 9000:
        raise ValueError("it was made at a time without a zone, or before 2000")
    return at.astimezone(dt.UTC).isoformat()


def _check_parts(path: Path, archive: zipfile.ZipFile, parts: Mapping[str, Any]) -> None:
    names = archive.namelist()
    if len(names) > MOST_PARTS:
        raise BackupError(f"{path} has {len(names):,} parts; a backup has up to {MOST_PARTS:,}")
    if sorted(names) != sorted([MANIFEST, *parts]):
        odd = sorted({MANIFEST, *parts} ^ set(names))
        why = f"{odd[0]!r:.80} is in one of both alone" if odd else "a part is there twice"
        raise BackupError(f"{path} was changed: its parts are not those of its manifest: {why}")
    if any(each.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for each in archive.infolist()):
        raise BackupError(f"{path} was changed: a part is packed as no backup is")
    unpacked, most = sum(part["bytes"] for part in parts.values()), FREE_BYTES + GROWTH * path.stat().st_size
    if unpacked > most:
        raise BackupError(f"{path} would have {unpacked:,} bytes unpacked; one of its size may have {most:,}")


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 1000 and value.isprintable()


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _error_text(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    text = said or str(error) or type(error).__name__
    return text[:200] if text.isprintable() else repr(text[:200])


INBOX, CARRIER = "post/inbox.tar", "post/carrier.tar"
FILES, TEMPLATES = "files.tar", "templates.tar"
TURNS = "turns/"
"""The names of parts; those of archives begin with `TURNS`."""
