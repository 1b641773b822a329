"""The file format of backups: a ZIP archive of files as they lie in a home, which any program lists and opens.

    manifest.json           kind, version and campaigns of the backup; it is written last
    database.sqlite         the database
    pbem.toml               the settings
    files/…                 what these name: certificates, keys
    templates/…             the home's own templates
    mail/inbox/…            the Maildirs of a local home; mail/carrier/…
    turns/trap7/0004/…      the archive of each campaign

An exported campaign has no database, settings or mail, but:

    campaign.jsonl          its rows (`pbem.backup.lines`)
    content/3fa9…           what they name by its SHA-256 and the archive lacks: states, attachments

It may come from a stranger: the list of files is checked before a byte is
unpacked, and each file is read against its checksum. `zipfile` reads no more of one than the list says.
"""

from __future__ import annotations

import datetime as dt
import errno
import io
import json
import os
import re
import shutil
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from pbem.config_values import FILE_NAME
from pbem.errors import BackupError, is_disk_full, reason_of
from pbem.util import lies_in

FORMAT = 2
MANIFEST, DATABASE = "manifest.json", "database.sqlite"
LINES = "campaign.jsonl"
FILES, TEMPLATES, INBOX, CARRIER, TURNS = "files/", "templates/", "mail/inbox/", "mail/carrier/", "turns/"
CONTENT = "content/"

MOST_CAMPAIGNS = 10_000
MOST_MANIFEST = 8_000_000
MOST_LIST = 64_000_000
"""Bytes of the manifest, and of the list of files at the end of a ZIP archive."""

MOST_LEVELS, MOST_NAME, MOST_PART = 16, 1_024, 255
"""Folders and bytes in the name of a file, and bytes of each part of it."""

FREE_BYTES, GROWTH = 1_000_000_000, 100
"""The most bytes of a backup when unpacked: a fixed number, and so many times its own."""

LEVEL = 3
"""Of zlib. Pictures, states and reports are compressed already: higher levels only take longer."""

AT_ONCE = 1 << 20
_ALONE = (MANIFEST, DATABASE, FILE_NAME, LINES)
_PART = re.compile(r"(?!\.{1,2}$)[^\x00-\x1f\x7f-\x9f/\\]+")
_TIME = re.compile(rb"-?[0-9]{1,19}")
_END = b"PK\x05\x06" + bytes(4)
# Raised by `zipfile` for an archive that was cut or changed; ValueError for names that are not UTF-8.
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError)
_NO_ARCHIVE = (*_BROKEN, OSError, OverflowError)
# Errors of names: two files of one name, a file with the name of a folder, or a name that is not allowed.
_OF_NAMES = frozenset({errno.EEXIST, errno.EILSEQ, errno.EISDIR, errno.ENAMETOOLONG, errno.ENOTDIR})
# The order for folders of a Maildir: a mail moved from new/ to cur/ meanwhile is found in cur/.
_FIRST = ("new", "cur")


class BackupWriter:
    """A backup that is being written into a new file."""

    def __init__(self, path: Path) -> None:
        path.touch(mode=0o600, exist_ok=False)
        self._file = path.open("wb")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the file; if it could not be finished, as on a full disk, write nothing more."""
        if kind is not None:
            self._zip.fp = None  # else its destructor writes the list, and prints an error if it cannot
            with suppress(OSError):
                self._file.close()
            return
        self._zip.close()
        self._file.close()

    def put(self, name: str, content: bytes) -> None:
        """Add a file with this content."""
        self._zip.writestr(name, content)

    def put_file(self, name: str, path: Path) -> None:
        """Add a file as it is now; skip it if it has vanished."""
        with suppress(FileNotFoundError), path.open("rb") as file:
            with self._zip.open(name, "w", force_zip64=True) as member:
                shutil.copyfileobj(file, member, AT_ONCE)
            # To the nanosecond, since mail is read in this order; ZIP itself has every other second.
            self._zip.getinfo(name).comment = str(os.fstat(file.fileno()).st_mtime_ns).encode()

    def put_folder(self, name: str, folder: Path, *, leave_out: tuple[str, ...] = ()) -> None:
        """Add all files below a folder, without those in folders of the names to `leave_out`.

        A link to a file in the folder is a file of its own; all others are left out.
        """
        for path in _walk_files(folder, folder, leave_out):
            self.put_file(name + path.relative_to(folder).as_posix(), path)

    def put_manifest(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest, as the last file: without it, the file is no backup."""
        self.put(MANIFEST, json.dumps({"format": FORMAT, **facts}, indent=1, ensure_ascii=False).encode())


def _walk_files(root: Path, folder: Path, leave_out: tuple[str, ...]) -> Iterator[Path]:
    inside: list[Path] = []
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink() and not (entry.is_file() and lies_in(root, Path(entry.path))):
                continue
            if entry.is_dir() and entry.name not in leave_out:
                inside.append(Path(entry.path))
            elif entry.is_file():
                yield Path(entry.path)
    for each in sorted(inside, key=_maildir_order):
        yield from _walk_files(root, each, leave_out)


def _maildir_order(folder: Path) -> tuple[int, str]:
    return (_FIRST.index(folder.name) if folder.name in _FIRST else len(_FIRST), folder.name)


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

    @property
    def bytes(self) -> int:
        """The size of all files, unpacked."""
        return sum(member.file_size for member in self._zip.infolist())

    def folders(self, of: str) -> tuple[str, ...]:
        """Return the names of the folders in one of its folders."""
        names = (name.removeprefix(of).partition("/") for name in self._zip.namelist() if name.startswith(of))
        return tuple(dict.fromkeys(first for first, _, rest in names if rest))

    def take(self, name: str, target: Path, *, most: int | None = None) -> None:
        """Write a file to a new one. Raise BackupError if it is missing, broken, or longer than `most` bytes."""
        try:
            member = self._zip.getinfo(name)
        except KeyError:
            raise BackupError(f"{self.path} has no {name}") from None
        if most is not None and member.file_size > most:
            raise BackupError(f"{self.path}: {name} is longer than {most:,} bytes")
        self._write(member, target)

    def unpack(self, folder: str, target: Path, only: Callable[[str], bool] | None = None) -> None:
        """Write the files of a folder below another. Raise BackupError if one is broken, or does not pass `only`."""
        target.mkdir(parents=True, exist_ok=True)
        for member in self._zip.infolist():
            name = member.filename.removeprefix(folder)
            if name != member.filename:
                if only is not None and not only(name):
                    raise BackupError(f"{self.path} has {_quote(member)}, which is no plain file of a home")
                self._write(member, target / name)

    def _write(self, member: zipfile.ZipInfo, target: Path) -> None:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with self._zip.open(member) as source, target.open("xb") as file:
                shutil.copyfileobj(source, file, AT_ONCE)
                if file.tell() != member.file_size:
                    raise EOFError("it is shorter than the list says")
        except (*_BROKEN, OSError, OverflowError) as error:
            if isinstance(error, OSError) and error.errno in _OF_NAMES:
                raise BackupError(f"{self.path}: {_quote(member)} cannot be written: {error.strerror}") from None
            # EINVAL is a place before the beginning of the file, told by a list that was changed.
            if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
                raise  # an error of the disk, not of the backup
            raise BackupError(f"{self.path}: {_quote(member)} was cut or changed ({_error_text(error)})") from None
        if member.comment:
            os.utime(target, ns=(int(member.comment),) * 2)


class _BoundedFile(io.BufferedReader):
    """File that returns a limited number of bytes at once, since `zipfile` reads the whole list of files at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read data; raise BadZipFile if it is longer than the limit."""
        wanted = MOST_LIST + 1 if size is None or size < 0 else size
        data = super().read(min(wanted, MOST_LIST + 1))
        if len(data) > MOST_LIST:
            raise zipfile.BadZipFile("its list of files is too long")
        return data


@contextmanager
def open_backup(path: Path, kind: str) -> Iterator[BackupReader]:
    """Open a backup of a kind, "home" or "campaign".

    Raises:
        BackupError: It is missing, no such file, truncated, changed, or of another format.
    """
    if not path.is_file():
        raise BackupError(f"{path} is no file" if path.exists() else f"{path} is not there")
    with _BoundedFile(io.FileIO(path)) as file:
        try:
            archive = zipfile.ZipFile(file)
        except _NO_ARCHIVE as error:
            raise BackupError(f"{path} is no backup, or was cut: {_error_text(error)}") from None
        with archive:
            facts = _read_facts(path, archive, kind)
            if fault := _find_fault_of_list(archive, file):
                raise BackupError(f"{path} was changed: {fault}")
            yield BackupReader(path, archive, facts)


def is_backup(path: Path) -> bool:
    """Return True if a file that exists is a backup, intact or not."""
    try:
        with _BoundedFile(io.FileIO(path)) as file, zipfile.ZipFile(file) as archive:
            return MANIFEST in archive.namelist()
    except _NO_ARCHIVE:
        return False


def _find_fault_of_list(archive: zipfile.ZipFile, file: _BoundedFile) -> str:
    """Return what is wrong with the list of files, "" if nothing is."""
    members = archive.infolist()
    if fault := next(filter(None, map(_find_fault_of_member, members)), ""):
        return fault
    # As file systems see them that take "A" for "a", and "é" for "e" with an accent.
    names = {unicodedata.normalize("NFC", member.filename).casefold(): member for member in members}
    if len(names) < len(members):
        kept = set(map(id, names.values()))
        return f"{_quote(next(each for each in members if id(each) not in kept))} is there twice"
    if twofold := next((name for name in _folders_of(names) if name in names), ""):
        return f"{_quote(names[twofold])} is a file, and a folder with files"
    size = file.seek(0, os.SEEK_END)
    file.seek(size - 22)
    if min(member.header_offset for member in members) or archive.comment or not file.read(22).startswith(_END):
        return "there is something before or behind the archive"
    unpacked, most = sum(member.file_size for member in members), FREE_BYTES + GROWTH * size
    return f"it would have {unpacked:,} bytes unpacked; one of its size may have {most:,}" if unpacked > most else ""


def _folders_of(names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for name in names:
        while (name := name.rpartition("/")[0]) and name not in found:
            found.add(name)
    return found


def _find_fault_of_member(member: zipfile.ZipInfo) -> str:
    name, parts = member.filename, member.filename.split("/")
    known = name in _ALONE or name.startswith((FILES, TEMPLATES, INBOX, CARRIER, TURNS, CONTENT))
    short = (
        len(name.encode()) <= MOST_NAME
        and len(parts) <= MOST_LEVELS
        and max(len(part.encode()) for part in parts) <= MOST_PART
    )
    if not known or not short or not all(map(_PART.fullmatch, parts)):
        return f"it has {_quote(member)}, which is no plain file of a home"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or member.flag_bits & 1:
        return f"{_quote(member)} is packed as no backup is"
    if member.comment and not (_TIME.fullmatch(member.comment) and abs(int(member.comment)) < 1 << 63):
        return f"{_quote(member)} is of a time that no file can have"
    return ""


def _read_facts(path: Path, archive: zipfile.ZipFile, kind: str) -> Mapping[str, Any]:
    try:
        if fault := _find_fault_of_member(archive.getinfo(MANIFEST)):
            raise ValueError(fault)
        with archive.open(MANIFEST) as file:
            facts = json.loads(file.read(MOST_MANIFEST))
        made, found = facts["format"], facts["kind"]
        lacks = "" if made != FORMAT else _find_fault(facts)
    except (*_NO_ARCHIVE, KeyError, TypeError, AttributeError) as error:
        raise BackupError(
            f"{path} is no backup, or was changed: its manifest cannot be read ({_error_text(error)})"
        ) from None
    if made == 1:
        raise BackupError(
            f"{path} is of format 1, which was never released: restore it by the pbem that made it, and back it up anew"
        )
    if made != FORMAT:
        raise BackupError(
            f"{path} is of format {made!r:.40}, which this version of pbem does not know: use a newer one"
        )
    if lacks:
        raise BackupError(f"{path} was changed: its manifest does not say what it has to: {lacks}")
    if found != kind:
        other = {"home": "a backup of a home: pbem restore", "campaign": "a single campaign: pbem import"}
        raise BackupError(f"{path} is {other.get(found, 'something else')}")
    return {**facts, "made": _in_utc(facts["made"])}


def _find_fault(facts: Mapping[str, Any]) -> str:
    """Return the rule that a manifest breaks, "" if none; raise KeyError, TypeError or ValueError for missing data."""
    _in_utc(facts["made"])
    campaigns, home = facts["campaigns"], facts["kind"] == "home"
    texts = [facts["kind"], facts["address"], facts["pbem"], *(facts["left_out"] if home else [facts["to"]])]
    rules = {
        "texts are lines of up to 1,000 characters": all(map(_is_line, texts)),
        f"a home has up to {MOST_CAMPAIGNS:,} campaigns, an export one": isinstance(campaigns, list)
        and (len(campaigns) <= MOST_CAMPAIGNS if home else len(campaigns) == 1),
        "a campaign has a name, a game and its version": all(
            _is_line(each["name"]) and _is_line(each["game"]) and _is_count(each["version"]) for each in campaigns
        ),
    }
    return next((rule for rule, holds in rules.items() if not holds), "")


def _in_utc(made: str) -> str:
    """Return a time in UTC; raise ValueError if it has no zone, or no backup can have been made then."""
    at = dt.datetime.fromisoformat(made)
    if at.tzinfo is None or not 2000 <= at.year < 9000:
        raise ValueError("it was made at a time without a zone, or before 2000")
    return at.astimezone(dt.UTC).isoformat()


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 1000 and value.isprintable()


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _quote(member: zipfile.ZipInfo) -> str:
    return f"{member.filename!r:.200}"


def _error_text(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    text = said or str(error) or type(error).__name__
    return text[:200] if text.isprintable() else repr(text[:200])
