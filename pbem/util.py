"""Redaction of secrets, time limits, time zone data, progress callbacks and atomic file operations.

Tokens, reply codes and Message-IDs are recognised by their form. A password has
none: its reader registers it (`register_secret`), and from then on it is redacted
in all text.

The time limit counts processor time (ITIMER_PROF), so that a busy machine or a
slow disk costs no message its processing. It uses a signal, which regular
expressions heed as well; so it works in the main thread alone, where Python
handles signals. In other threads work runs without a limit.

A system that is not kept up to date has rules of time zones by which a deadline of this
winter comes an hour late. Python takes the system's alone where there is some; here the
newer of the system's and that of the package tzdata is used (docs/decisions/0049).
"""

from __future__ import annotations

import fcntl
import gc
import os
import re
import shutil
import signal
import stat
import tempfile
import threading
import time
import zoneinfo
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple, Protocol, TypeVar

from pbem.errors import StoreError, is_disk_full

MASK = "********"

TOKEN_BYTES = 10
"""A token is twice as many hex digits: 80 random bits, which need no slow hash."""

CODE_CHARACTERS = 16
"""Length of a reply code, of lower-case letters and the digits 2 to 7."""

ID_CHARACTERS = 26
"""Length of the local part of a Message-ID, of the same characters."""

LEAST_SECRET = 4
"""Characters; masking a shorter secret would hide half of every text, and it protects nothing."""

_KEYS = (
    re.compile(
        r"(?im)^(?P<kept>(?>(?:[>|]|[^\S\n])*)(?:orders|player)[^\S\n]++\S++[^\S\n]++\S++[^\S\n]++)(?!(?:wait|final)\b)[^\s;#]++"
    ),
    re.compile(rf"(?i)(?P<kept>)\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b"),
    re.compile(rf"(?i)(?P<kept>)\b[a-z2-7]{{{ID_CHARACTERS}}}\b"),
    re.compile(rf"(?i)(?P<kept>\+|\[[^\[\]\s]{{1,40}}+\s++)[a-z2-7]{{{CODE_CHARACTERS}}}(?=[@\]])"),
    # A code on its own differs from a long word by its digits.
    re.compile(rf"(?i)(?P<kept>)\b(?=[a-z]{{0,{CODE_CHARACTERS - 1}}}+[2-7])[a-z2-7]{{{CODE_CHARACTERS}}}\b"),
)

_TOKEN = re.compile(rf"(?i)\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b")
_FRAME = re.compile(r"(?i)\A[>|\s]*+(?:orders|player|gm)\b")
# A token, also with a typing error, or a reply code.
_KEYLIKE = re.compile(
    rf"(?i)\b(?:(?=[a-z]{{0,24}}+[0-9])[0-9a-f]{{15,25}}|(?=[a-z]{{0,15}}+[2-7])[a-z2-7]{{{CODE_CHARACTERS}}})\b"
)

_SECRETS: set[str] = set()


def register_secret(secret: str) -> str:
    """Redact a password or access token from now on, as long as the process lives; return it."""
    # Also without the blanks in which providers show app passwords: servers may repeat either form.
    _SECRETS.update(form for form in (secret, secret.replace(" ", "")) if len(form) >= LEAST_SECRET)
    return secret


def redact_secrets(text: str) -> str:
    """Return the text with every registered secret masked, as a server may repeat one or an error quote it."""
    for secret in sorted(_SECRETS, key=len, reverse=True):  # the longest first: one may contain another
        text = text.replace(secret, MASK)
    return text


def redact_credentials(line: str) -> str:
    """Return a line as it was written, for storage and display, with only certain credentials masked.

    These are tokens anywhere, and on a line that begins as a frame of orders or commands does, well-formed or not, also
    words similar to a token or a reply code.
    """
    line = _TOKEN.sub(MASK, line)
    return _KEYLIKE.sub(MASK, line) if _FRAME.match(line) else line


def redact_all(text: str) -> str:
    """Return the text with all secrets, tokens and codes masked, and without control characters for a terminal."""
    text = redact_secrets(text)
    for key in _KEYS:
        text = key.sub(rf"\g<kept>{MASK}", text)
    if text.isprintable():  # as most lines are
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)


T = TypeVar("T")

AGAIN = 0.05
"""Seconds after which the timer fires again, if the work could not be interrupted the first time."""

# Packages whose shared state an exception in the middle of a call could corrupt: their calls, all short, finish.
_PROTECTED = frozenset({"concurrent", "importlib", "logging", "multiprocessing", "psycopg", "sqlalchemy"})


class TimeLimitExceeded(BaseException):
    """Raised when work exceeds its time limit; a BaseException, so that no `except Exception` catches it."""


class ShutdownRequested(BaseException):
    """Raised when the process was told to end while work ran."""


@dataclass(slots=True)
class _Watch:
    """State of the timer; a process has one of each signal, and so one of these."""

    running: bool = False
    stopping: bool = False


_WATCH = _Watch()


def run_with_time_limit(seconds: float, work: Callable[[], T]) -> T:
    """Call a function, for at most so many seconds of processor time, and those left to such work that it is part of.

    Either exception may come when the work has just been done: a caller that catches it must check.

    Raises:
        TimeLimitExceeded: The time is over.
        ShutdownRequested: `request_shutdown` was called.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    outer, began = signal.getitimer(signal.ITIMER_PROF)[0] if _WATCH.running else 0.0, time.process_time()
    try:
        try:
            _start_timer(min(seconds, outer) if outer else seconds)
            return work()
        finally:
            _stop_timer()
    except (TimeLimitExceeded, ShutdownRequested):
        _stop_timer()  # again, since the timer may have fired inside the first call
        raise
    finally:
        if outer:
            _start_timer(max(AGAIN, outer - (time.process_time() - began)))


def request_shutdown() -> None:
    """End work within a time limit, and let no other begin, until `clear_shutdown`. For signal handlers."""
    _WATCH.stopping = True
    if _WATCH.running:
        signal.setitimer(signal.ITIMER_PROF, AGAIN, AGAIN)


def clear_shutdown() -> None:
    """Let work begin again."""
    _WATCH.stopping = False


def _start_timer(seconds: float) -> None:
    if _WATCH.stopping:
        raise ShutdownRequested
    signal.signal(signal.SIGPROF, _on_alarm)  # never removed: without a handler a late signal kills the process
    _WATCH.running = True
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)


def _stop_timer() -> None:
    _WATCH.running = False
    signal.setitimer(signal.ITIMER_PROF, 0)


def _on_alarm(_number: int, frame: FrameType | None) -> None:
    if _WATCH.running and not _is_in_protected_call(frame):
        raise ShutdownRequested if _WATCH.stopping else TimeLimitExceeded


def _is_in_protected_call(frame: FrameType | None) -> bool:
    """Return True if the interrupted call is inside one of the protected packages."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in _PROTECTED:
            return True
        frame = frame.f_back
    return False


class ZoneReleases(NamedTuple):
    """Releases of time zone data, such as "2026f"; `system` is "" if the system has none, or does not name it."""

    system: str
    package: str

    @property
    def newer(self) -> str:
        """The source of the newer one: "package", or "system" also if nothing is known of it but that it is there."""
        return "package" if self.package > self.system != "" else "system"


def find_zone_releases(folders: Sequence[str]) -> ZoneReleases:
    """Return the releases of the data in the first of the system's folders that has any, and of the package."""
    from tzdata import IANA_VERSION

    for folder in folders:
        try:
            with Path(folder, "tzdata.zi").open(encoding="ascii") as data:
                found = _ZONE_RELEASE.match(data.readline(40))
        except (OSError, ValueError):
            continue
        return ZoneReleases(found[1] if found else "", IANA_VERSION)
    return ZoneReleases("", IANA_VERSION)


_SYSTEM_ZONES = zoneinfo.TZPATH
_ZONE_RELEASE = re.compile(r"\A# version (\d{4}[a-z]{1,2})\n")


def use_newest_zones() -> ZoneReleases:
    """Have `zoneinfo` use the newer data, and return the releases; PYTHONTZPATH, where it is set, decides alone."""
    releases = find_zone_releases(_SYSTEM_ZONES)
    if zoneinfo.TZPATH and "PYTHONTZPATH" not in os.environ and releases.newer == "package":
        zoneinfo.reset_tzpath(())
        zoneinfo.ZoneInfo.clear_cache()
    return releases


class Progress(Protocol):
    """Callback for progress: the stage of the work, how many of its parts are done, and of how many (0: unknown)."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def no_progress(stage: str, done: int, total: int) -> None:
    """Do nothing."""


@contextmanager
def gc_paused(*, for_good: bool = False) -> Iterator[None]:
    """Disable the cyclic garbage collector inside the block; other objects are freed as usual.

    With `for_good`, all objects that exist at its end are excluded from collection for ever.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if for_good:
            gc.freeze()
        if was:
            gc.enable()


@contextmanager
def isolated() -> Iterator[list[Exception]]:
    """Yield a list, which has the error of the block after it, so that what follows goes on.

    A fault of one campaign or game stops no other; one of the database is raised, since it stops all.
    """
    faults: list[Exception] = []
    try:
        yield faults
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - games may raise anything
        faults.append(error)


# Bytes; SQLite asks for less at a time.
_ENOUGH = 1 << 16


def read_plain(path: Path, most: int, *, follow: bool = False) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes; a symbolic link counts only with `follow`.

    Never waits for a pipe or reads a device.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no regular file, or is larger; the message says so.
    """
    if not stat.S_ISREG((path.stat() if follow else path.lstat()).st_mode):
        raise ValueError("it is no plain file")
    # O_NONBLOCK and O_NOFOLLOW: a pipe or a link may have taken its place since.
    flags = os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    with os.fdopen(os.open(path, flags), "rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise ValueError(f"it is larger than {most:,} bytes")
    return raw


def lies_in(folder: Path, path: Path) -> bool:
    """Return True if a path lies in a folder, wherever links on the way there lead."""
    return path.resolve().is_relative_to(folder.resolve())


def fsync(path: Path) -> None:
    """Wait until a file's bytes, or the names in a folder, are on the disk. Raise OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomically(path: Path, data: bytes) -> None:
    """Write or replace a file, whole or not at all, and synced to the disk. Raise OSError.

    For one writer at a time: the draft beside it has a fixed name, so that a killed writer leaves one at most.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        # Synced before it is renamed: after a power cut the name could stand for an empty file.
        draft.write_bytes(data)
        fsync(draft)
        draft.rename(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    fsync(path.parent)


def has_room(folder: Path) -> bool:
    """Return False if the disk of a folder is full, by writing an unnamed temporary file; True after other errors."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(_ENOUGH))
    except OSError as error:
        return not is_disk_full(error)
    return True


_PREFIX = ".pbem-draft-"


@contextmanager
def staging_directory(place: Path) -> Iterator[Path]:
    """Create a folder in a place, deleted at the end; delete those that killed processes have left there."""
    _sweep(place)
    draft, handle = _make_draft(place)
    try:
        yield draft
    finally:
        os.close(handle)
        shutil.rmtree(draft, ignore_errors=True)


def publish(draft: Path, target: Path) -> None:
    """Rename a staged file or folder to its target, whole and synced to the disk. Raise OSError."""
    for path in (*_list_tree(draft), draft):
        fsync(path)
    draft.rename(target)
    fsync(target.parent)  # or a power cut may undo the rename


def _list_tree(draft: Path) -> Iterator[Path]:
    for folder, _, files in os.walk(draft):
        yield from (Path(folder, name) for name in files)
        yield Path(folder)


def _make_draft(place: Path) -> tuple[Path, int]:
    while True:
        draft = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        with suppress(FileNotFoundError):  # another process has taken it for abandoned and deleted it
            handle = os.open(draft, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
            if draft.is_dir():
                return draft, handle
            os.close(handle)


def _sweep(place: Path) -> None:
    for draft in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # the process that uses it holds the lock
            handle = os.open(draft, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(draft, ignore_errors=True)
            finally:
                os.close(handle)


def package_data(folder: str) -> Path:
    """Return a data folder, which is inside the package in a wheel, and beside it in the repository."""
    package = Path(__file__).resolve().parent
    return package / folder if (package / folder).is_dir() else package.parent / folder


def plus_address(address: str, code: str) -> str:
    """Return the order address with a code, for Reply-To (RFC 5233): "orders+code@example.org"."""
    local, _, domain = address.rpartition("@")
    return f"{local}+{code}@{domain}"
