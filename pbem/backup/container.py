"""The one file of a backup: a ZIP archive of a few parts, each with its SHA-256 in a manifest.

    manifest.json           what the file is, of which version, and the parts
    database.sqlite         the database
    pbem.toml               the settings; and so on: `pbem.backup.making`

Parts are written and read as streams. Whatever is wrong with a file, it is
named: cut, changed, no backup, or of a later version.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Self

from pbem.errors import BackupError, is_disk_full, reason_of

FORMAT = 1
MANIFEST = "manifest.json"
DATABASE = "database.sqlite"

MOST_MANIFEST = 64_000_000
LEVEL = 3
"""Of zlib. Pictures, states and reports are packed already: higher levels take long for nothing."""

AT_ONCE = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
"""What reading a ZIP archive raises that was cut or changed."""


class _Counted:
    """A stream that knows the SHA-256 and the number of all bytes that have gone through it."""

    def __init__(self, raw: IO[bytes], most: int | None = None) -> None:
        self._raw, self._hash, self._most = raw, hashlib.sha256(), most
        self.bytes = 0

    def write(self, data: bytes) -> int:
        """Writes on."""
        self._count(data)
        return self._raw.write(data)

    def read(self, size: int = AT_ONCE) -> bytes:
        """Reads on; no more than there may be, and never all at once."""
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
        """What the manifest says of a part."""
        return {"sha256": self._hash.hexdigest(), "bytes": self.bytes}


class Packing:
    """A backup that is being written into a new file."""

    def __init__(self, path: Path) -> None:
        path.touch(mode=0o600, exist_ok=False)
        self._file = path.open("wb")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
        self._parts: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the file; of one that could not be finished, as on a full disk, nothing more is written."""
        if kind is not None:
            self._zip.fp = None  # its destructor would write the directory, and complain aloud that it cannot
            with suppress(OSError):
                self._file.close()
            return
        self._zip.close()
        self._file.close()

    @contextmanager
    def part(self, name: str) -> Iterator[Any]:
        """A stream to write a part to."""
        with self._zip.open(name, "w", force_zip64=True) as raw:
            counted = _Counted(raw)
            yield counted
        self._parts[name] = counted.facts

    def put(self, name: str, source: Path) -> None:
        """Makes a file a part."""
        with source.open("rb") as file, self.part(name) as part:
            shutil.copyfileobj(file, part, AT_ONCE)

    def put_manifest(self, facts: Mapping[str, Any]) -> None:
        """Write the manifest, as the last: without it, the file is no backup."""
        told = {"format": FORMAT, **facts, "parts": self._parts}
        self._zip.writestr(MANIFEST, json.dumps(told, indent=1, ensure_ascii=False))


@contextmanager
def disk_full_named(path: Path) -> Iterator[None]:
    """Raise BackupError where the block finds no room to write a file: the error itself seldom tells of which."""
    try:
        yield
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise BackupError(f"{path} cannot be written: {reason_of(error)}") from error


class Packed:
    """A backup that is read; `facts` are those of its manifest."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, facts: Mapping[str, Any]) -> None:
        self.path, self.facts, self._zip = path, facts, archive

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its parts."""
        return tuple(self.facts["parts"])

    @property
    def bytes(self) -> int:
        """How much room its parts need."""
        return sum(part["bytes"] for part in self.facts["parts"].values())

    @contextmanager
    def part(self, name: str) -> Iterator[Any]:
        """A stream to read a part from. Raises BackupError, at its end at the latest, if it was changed."""
        expected = self.facts["parts"].get(name)
        if expected is None:
            raise BackupError(f"{self.path} has no {name}")
        try:
            with self._zip.open(name) as raw:
                counted = _Counted(raw, expected["bytes"])
                yield counted
                while counted.read():
                    pass
        except KeyError:
            raise BackupError(f"{self.path} is not whole: {name} is missing") from None
        except _BROKEN as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the disk's, as when it is full, and no fault of the backup
            raise BackupError(f"{self.path}: {name} was cut or changed ({error})") from None
        if counted.facts != {"sha256": expected["sha256"], "bytes": expected["bytes"]}:
            raise BackupError(f"{self.path}: {name} was changed: its SHA-256 is not that of the manifest")

    def take(self, name: str, target: Path) -> None:
        """Makes a part a file. Raises BackupError."""
        with self.part(name) as part, target.open("xb") as file:
            shutil.copyfileobj(part, file, AT_ONCE)


@contextmanager
def opened(path: Path, kind: str) -> Iterator[Packed]:
    """A file of a kind, "home" or "campaign". Raises BackupError, in words, if it is none that can be read here."""
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise BackupError(f"{path} is not there") from None
    except _BROKEN as error:
        raise BackupError(f"{path} is no backup, or was cut: {_reason(error)}") from None
    with archive:
        yield Packed(path, archive, _facts(path, archive, kind))


def is_ours(path: Path) -> bool:
    """Whether a file that is there was made here, be it whole or not."""
    try:
        with zipfile.ZipFile(path) as archive:
            return MANIFEST in archive.namelist()
    except _BROKEN:
        return False


def _facts(path: Path, archive: zipfile.ZipFile, kind: str) -> Mapping[str, Any]:
    try:
        with archive.open(MANIFEST) as file:
            facts = json.loads(file.read(MOST_MANIFEST))
        made, found = facts["format"], facts["kind"]
        whole = made != FORMAT or _is_whole(facts)
    except (*_BROKEN, KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise BackupError(
            f"{path} is no backup, or was changed: its manifest cannot be read ({_reason(error)})"
        ) from None
    if not whole:
        raise BackupError(f"{path} was changed: its manifest does not say what it has to")
    if made != FORMAT:
        raise BackupError(f"{path} is of format {made}, which this version of pbem does not know: use a newer one")
    if found != kind:
        other = {"home": "a backup of a home: pbem restore", "campaign": "a single campaign: pbem import"}
        raise BackupError(f"{path} is {other.get(found, 'something else')}")
    return dict(facts)


def _is_whole(facts: Mapping[str, Any]) -> bool:
    """Whether a manifest says all that others rely on. Raises KeyError, TypeError or ValueError where it does not."""
    dt.datetime.fromisoformat(facts["made"])
    named = all(isinstance(each[key], str) for each in facts["campaigns"] for key in ("name", "game"))
    counted = all(isinstance(each["version"], int) for each in facts["campaigns"])
    left_out = facts["left_out"] if facts["kind"] == "home" else []
    told = _is_text(facts["address"]) and _is_text(facts["pbem"]) and all(map(_is_text, left_out))
    parts = all(isinstance(part["bytes"], int) and _is_text(part["sha256"]) for part in facts["parts"].values())
    return named and counted and told and parts


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _reason(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    return said or str(error) or type(error).__name__
