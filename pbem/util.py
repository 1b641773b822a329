"""Redaction of secrets, time limits, progress callbacks and atomic file operations.

Tokens, reply codes and Message-IDs are recognised by their form. A password has
none: its reader registers it (`register_secret`), and from then on it is redacted
in all text.

The time limit counts processor time (ITIMER_PROF), so that a busy machine or a
slow disk costs no message its processing. It uses a signal, which regular
expressions heed as well; so it works in the main thread alone, where Python
handles signals. In other threads work runs without a limit.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Protocol, TypeVar

from pbem.errors import is_disk_full

MASK = "********"

TOKEN_BYTES = 10
"""A token is twice as many hex digits: 80 random bits, which need no slow hash."""

CODE_CHARACTERS = 16
"""Of a reply code: lower-case letters and the digits 2 to 7."""

ID_CHARACTERS = 26
"""Of the local part of a Message-ID, in the same letters."""

LEAST_SECRET = 4
"""Characters; a shorter secret would mask half of every text, and keeps nobody out."""

_KEYS = (
    re.compile(
        r"(?im)^(?P<kept>(?:[>|]|[^\S\n])*+(?:orders|player)[^\S\n]++\S++[^\S\n]++\S++[^\S\n]++)(?!(?:wait|final)\b)[^\s;#]++"
    ),
    re.compile(rf"(?i)(?P<kept>)\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b"),
    re.compile(rf"(?i)(?P<kept>)\b[a-z2-7]{{{ID_CHARACTERS}}}\b"),
    re.compile(rf"(?i)(?P<kept>\+|\[[^\[\]\s]{{1,40}}+\s++)[a-z2-7]{{{CODE_CHARACTERS}}}(?=[@\]])"),
    # A code on its own is told from a long word by its digits.
    re.compile(rf"(?i)(?P<kept>)\b(?=[a-z]{{0,{CODE_CHARACTERS - 1}}}+[2-7])[a-z2-7]{{{CODE_CHARACTERS}}}\b"),
)

_TOKEN = re.compile(rf"(?i)\b[0-9a-f]{{{2 * TOKEN_BYTES}}}\b")
_FRAME = re.compile(r"(?i)\A[>|\s]*+(?:orders|player|gm)\b")
_KEYLIKE = re.compile(
    rf"(?i)\b(?:(?=[a-z]{{0,24}}+[0-9])[0-9a-f]{{15,25}}|(?=[a-z]{{0,15}}+[2-7])[a-z2-7]{{{CODE_CHARACTERS}}})\b"
)
"""A token, with or without a slip of the pen in it, or a reply code."""

_SECRETS: set[str] = set()


def register_secret(secret: str) -> str:
    """Has a password or access token masked from now on, for as long as the process lives; returns it."""
    _SECRETS.update(form for form in (secret, secret.replace(" ", "")) if len(form) >= LEAST_SECRET)
    return secret


def redact_secrets(text: str) -> str:
    """The text with every remembered secret masked, as a server might repeat one or an error quote it."""
    for secret in sorted(_SECRETS, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def redact_credentials(line: str) -> str:
    """A line as it was written, for what is kept and shown again: only what is surely a key in it is masked.

    That is a token wherever it stands, and on a line that begins as a frame does, well-formed or not, also what is
    like a token or a code.
    """
    line = _TOKEN.sub(MASK, line)
    return _KEYLIKE.sub(MASK, line) if _FRAME.match(line) else line


def redact_all(text: str) -> str:
    """The text with every secret and key in it masked, and without signs that would steer a terminal."""
    text = redact_secrets(text)
    for key in _KEYS:
        text = key.sub(rf"\g<kept>{MASK}", text)
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)


T = TypeVar("T")

AGAIN = 0.05
"""Seconds after which the alarm rings again, where it was not the moment to end the work."""

_PROTECTED = frozenset({"concurrent", "importlib", "logging", "multiprocessing", "psycopg", "sqlalchemy"})
"""Packages that keep books which others go on with: their calls, short ones, are let finish."""


class TimeLimitExceeded(BaseException):
    """The work took longer than it may. No `except Exception` on the way takes it for a fault of its own."""


class ShutdownRequested(BaseException):
    """The process was told to end while the work ran."""


@dataclass(slots=True)
class _Watch:
    """There is one of each signal in a process, and so one of these."""

    running: bool = False
    stopping: bool = False


_WATCH = _Watch()


def run_with_time_limit(seconds: float, work: Callable[[], T]) -> T:
    """Does some work, for so many seconds of the processor's time at most. Raises TimeLimitExceeded, ShutdownRequested.

    Both may come when the work has just been done: whoever catches them looks whether it was.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    try:
        try:
            _start_timer(seconds)
            return work()
        finally:
            _stop_timer()
    except (TimeLimitExceeded, ShutdownRequested):
        _stop_timer()  # once more, since it may have rung in the line above that does it
        raise


def request_shutdown() -> None:
    """End what runs within a time limit, and let no other begin, until `clear_shutdown`. For handlers of signals."""
    _WATCH.stopping = True
    if _WATCH.running:
        signal.setitimer(signal.ITIMER_PROF, AGAIN, AGAIN)


def clear_shutdown() -> None:
    """Lets work begin again."""
    _WATCH.stopping = False


def _start_timer(seconds: float) -> None:
    if _WATCH.stopping:
        raise ShutdownRequested
    signal.signal(signal.SIGPROF, _on_alarm)  # it stays: without a handler a late signal would kill the process
    _WATCH.running = True
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)


def _stop_timer() -> None:
    _WATCH.running = False
    signal.setitimer(signal.ITIMER_PROF, 0)


def _on_alarm(_number: int, frame: FrameType | None) -> None:
    if _WATCH.running and not _is_in_protected_call(frame):
        raise ShutdownRequested if _WATCH.stopping else TimeLimitExceeded


def _is_in_protected_call(frame: FrameType | None) -> bool:
    """Whether one of the packages is at work that are let finish."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in _PROTECTED:
            return True
        frame = frame.f_back
    return False


class Progress(Protocol):
    """Is told the stage of the work, how many of its parts are done, and of how many (0: not known)."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def no_progress(stage: str, done: int, total: int) -> None:
    """Tells nobody."""


@contextmanager
def gc_paused(*, for_good: bool = False) -> Iterator[None]:
    """Lets rubbish lie until the end of the block; only that in circles, as all other goes by itself.

    If `for_good`, whatever there is by then stays, and is never looked through.
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


def fsync(path: Path) -> None:
    """Waits until a file's bytes, or the names in a folder, are on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomically(path: Path, data: bytes) -> None:
    """Puts a file in the place of the one of this name, whole or not at all, and on the disk. Raises OSError.

    For one writer at a time: the draft beside it has a fixed name, so that a killed writer leaves one at most.
    """
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_bytes(data)
        fsync(draft)
        draft.rename(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    fsync(path.parent)


def has_room(folder: Path) -> bool:
    """Return whether a file can be written in a folder, by writing one without a name; True if it cannot be made."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(_ENOUGH))
    except OSError as error:
        return not is_disk_full(error)
    return True


_PREFIX = ".pbem-draft-"


@contextmanager
def staging_directory(place: Path) -> Iterator[Path]:
    """A folder of its own in a place, gone at the end; and those that killed processes have left there."""
    _sweep(place)
    draft, handle = _make_draft(place)
    try:
        yield draft
    finally:
        os.close(handle)
        shutil.rmtree(draft, ignore_errors=True)


def publish(draft: Path, target: Path) -> None:
    """Puts what was prepared in its place, whole and on the disk. Raises OSError."""
    for path in (*_list_tree(draft), draft):
        fsync(path)
    draft.rename(target)
    fsync(target.parent)


def _list_tree(draft: Path) -> Iterator[Path]:
    for folder, _, files in os.walk(draft):
        yield from (Path(folder, name) for name in files)
        yield Path(folder)


def _make_draft(place: Path) -> tuple[Path, int]:
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


def package_data(folder: str) -> Path:
    """Return a folder that a wheel holds inside the package, and the repository beside it."""
    package = Path(__file__).resolve().parent
    return package / folder if (package / folder).is_dir() else package.parent / folder
