"""Maildir folders as mailbox and transport, in the format of Postfix, Dovecot, mutt and others.

The inbox also takes single mails put into the folder itself as `*.eml`. A program
that writes one should write it under another name and rename it.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pbem.errors import MailNotMoved, TemporaryMailError, TransportUnavailable, reason_of
from pbem.mail.mailbox import (
    CUT_TO,
    MAX_GM_MAIL,
    MAX_MAIL,
    MOST_JUNK,
    NAME_LENGTH,
    PROCESSED,
    IsOurs,
    MailboxFacts,
    Quota,
    RawMessage,
    Unmoved,
    in_batches,
    is_read_whole,
    split_mail,
    truncate_message,
)
from pbem.util import fsync

STALE_SECONDS = 36 * 3600
"""A draft in tmp/ that was not written to for so long is abandoned (the Maildir specification)."""

_JUNK = (".Junk", ".Spam", "Junk", "Spam")
"""Names of Maildirs for junk inside that of an inbox; with a dot in Maildir++."""

_Found = tuple[os.DirEntry[str], os.stat_result]


class MaildirMailbox:
    """Maildir as inbox. Its messages are stored under `name`.

    An inbox that is `ours`, inside the home, is created if missing; another must
    exist. An empty folder is taken for a mount point whose disk is not mounted.
    """

    def __init__(self, folder: Path, *, name: str, ours: bool = True) -> None:
        self._folder = folder
        self._name = name[-NAME_LENGTH:]
        self._ours = ours
        self._paths: dict[str, Path] = {}
        self._left_alone: list[str] = []
        self._unmoved: dict[str, int] = {}
        self._reason = ""

    def batches(self, unmoved: Unmoved | None = None) -> Iterator[list[RawMessage]]:
        """Yield all mail in new/, in cur/ and dropped as *.eml, by the time it came; also what could not be moved."""
        self._left_alone, self._unmoved = [], {}
        self._require_folder()
        try:
            _make_folders(self._folder)
            _sweep(self._folder)
            found = sorted(self._find(), key=lambda item: (item[1].st_mtime_ns, item[0].name))
            for group in in_batches((item, item[1].st_size) for item in found):
                yield [mail for entry, facts in group if (mail := self._read(entry, facts)) is not None]
        except OSError as error:
            where = error.filename or self._folder
            raise TemporaryMailError(f"the inbox {self._folder} cannot be read: {where}: {error.strerror}") from None

    def list_foreign(self) -> list[str]:
        """Return the entries that the last `batches` could not read as mail, each with the reason."""
        return self._left_alone

    def examine(self, since: datetime) -> MailboxFacts:
        """Return what the doctor asks, with heads of junk since a day. Change nothing.

        Raises:
            MailError: The folder cannot be read.
        """
        self._require_folder()
        try:
            arrivals = [datetime.fromtimestamp(facts.st_mtime, UTC) for _, facts in self._find()]
        except OSError as error:
            raise TemporaryMailError(f"the inbox {self._folder} cannot be read: {error.strerror}") from None
        folder, heads = self.junk(since)
        return MailboxFacts(arrivals, junk_folder=folder, junk=heads)

    def quotas(self) -> list[Quota]:
        """Return an empty list: a folder has no limits of its own."""
        return []

    def junk(self, since: datetime) -> tuple[str, list[bytes]]:
        """Return the folder for junk, and the heads of its mails since a day.

        Raises:
            MailError: It cannot be read.
        """
        folder, heads = self._read_junk(since)
        return folder, list(heads.values())

    def fetch_junk(self, since: datetime, is_ours: IsOurs) -> int:
        """Put mail from the folder for junk into the inbox, for the next `batches`; return the number.

        Raises:
            MailError: It cannot be read or moved.
        """
        found = [path for path, head in self._read_junk(since)[1].items() if is_ours(head)]
        try:
            for path in found:
                _file_away(path, self._folder / "cur")
        except OSError as error:
            raise TemporaryMailError(f"{error.filename} cannot be moved to the inbox: {reason_of(error)}") from None
        return len(found)

    def _read_junk(self, since: datetime) -> tuple[str, dict[Path, bytes]]:
        """Return the name of the folder for junk and the heads of its newest mails; "" if there is none."""
        name = next((each for each in _JUNK if (self._folder / each / "cur").is_dir()), "")
        if not name:
            return "", {}
        times = {
            path: _arrival_time(path) for part in ("new", "cur") for path in (self._folder / name / part).glob("*")
        }
        young = sorted((at, path) for path, at in times.items() if at >= since.timestamp())[-MOST_JUNK:]
        heads = {}
        for _, path in young:
            with suppress(OSError), path.open("rb") as file:  # another reader has moved it
                heads[path] = split_mail(file.read(CUT_TO))[0]
        return name, heads

    def finish(self, batch: list[RawMessage]) -> None:
        """Move the files to cur/ of the Maildir `Processed` inside this one, marked as seen.

        Raises:
            MailNotMoved: Some of them stay.
        """
        target = self._folder / PROCESSED
        left = {mail.uid: len(mail.raw) for mail in batch}
        try:
            _make_folders(target)
            for mail in batch:
                path = self._paths.pop(mail.uid, None)
                if path is not None:
                    _file_away(path, target / "cur")
                del left[mail.uid]
        except OSError as error:
            self._reason = f"{target}: {reason_of(error)}"
            self._unmoved |= left
            raise MailNotMoved(f"mail cannot be moved to {self._reason}") from None

    def move_again(self) -> None:
        """Do nothing: `batches` leaves out no mail."""

    def unmoved_mail(self) -> Unmoved | None:
        """Return the stored mail that could not be moved, None if there is none."""
        return Unmoved(self._name, "", self._unmoved, frozenset(), self._reason) if self._unmoved else None

    def empty_processed(self, before: datetime) -> int:
        """Delete files older than a time, by that of their arrival, from the folder Processed; return their number.

        Raises:
            MailError: One cannot be deleted.
        """
        old = [
            path for path in (self._folder / PROCESSED / "cur").glob("*") if _arrival_time(path) < before.timestamp()
        ]
        try:
            for path in old:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise TemporaryMailError(f"{error.filename} cannot be deleted: {reason_of(error)}") from None
        return len(old)

    def close(self) -> None:
        """Forget the files that were found."""
        self._paths.clear()

    def _require_folder(self) -> None:
        """Raise TemporaryMailError if the inbox is missing or not mounted: that is not the same as no mail."""
        try:
            there = any(self._folder.iterdir())
        except FileNotFoundError:
            there = self._ours
        except OSError:
            return  # reading it will raise with the reason
        if not there:
            raise TemporaryMailError(
                f"the inbox {self._folder} cannot be read: it has no folders new and cur; if it lies on a disk of its "
                "own, mount that; if it is a new one, make them with: pbem init"
            )

    def _find(self) -> Iterator[_Found]:
        for folder, suffix in ((self._folder / "new", ""), (self._folder / "cur", ""), (self._folder, ".eml")):
            if not folder.exists():
                continue  # created when the inbox is first read
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.endswith(suffix) and not entry.name.startswith("."):
                        yield from self._yield_file(entry)

    def _yield_file(self, entry: os.DirEntry[str]) -> Iterator[_Found]:
        """Yield an entry if it is a file or a link to one; note any other, so that it keeps no mail from being read."""
        try:
            facts = entry.stat()
        except OSError as error:
            if not isinstance(error, FileNotFoundError) or entry.is_symlink():  # else another reader has moved it
                self._note_unreadable(entry, error.strerror)
            return
        if stat.S_ISREG(facts.st_mode):
            yield entry, facts
        else:
            self._note_unreadable(entry, "not a file")

    def _note_unreadable(self, entry: os.DirEntry[str], reason: str | None) -> None:
        self._left_alone.append(f"{entry.path}: {reason}")

    def _read(self, entry: os.DirEntry[str], facts: os.stat_result) -> RawMessage | None:
        path = Path(entry.path)
        try:
            with path.open("rb") as file:
                raw = file.read(MAX_MAIL + 1)
                whole = is_read_whole(raw, facts.st_size if len(raw) > MAX_MAIL else len(raw))
                raw += file.read(MAX_GM_MAIL) if whole else b""
        except FileNotFoundError:
            return None  # another reader has moved it
        except OSError as error:
            self._note_unreadable(entry, error.strerror)
            return None
        uid = _uid(entry.name, facts)
        self._paths[uid] = path
        received_at = datetime.fromtimestamp(facts.st_mtime, UTC)
        return RawMessage(self._name, "", uid, received_at, raw if whole else truncate_message(raw, facts.st_size))


class MaildirTransport:
    """Maildir for outgoing mail: each becomes a file in new/, whole or not at all, with LF line ends.

    The file is synced to the disk when `send` returns.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = itertools.count()
        self._made = False

    def send(self, recipient: str, raw: bytes) -> str:
        """Deliver a mail; return the name of its file. Names sort in the order of sending, and end in ".eml"."""
        name = f"{time.time_ns():020d}.{next(self._count):06d}_{os.getpid()}.pbem.eml"
        draft, new = self._folder / "tmp" / name, self._folder / "new"
        try:
            if not self._made:
                _make_folders(self._folder)
                _sweep(self._folder)
                self._made = True
            draft.write_bytes(raw.replace(b"\r\n", b"\n"))
            fsync(draft)
            draft.rename(new / name)
            fsync(new)  # or a power cut may undo the rename
        except OSError as error:
            raise TransportUnavailable(f"mail cannot be put in {self._folder}: {reason_of(error)}") from None
        return name

    def close(self) -> None:
        """Do nothing: no file is kept open."""


def _arrival_time(path: Path) -> float:
    """Return when a file came; now for one that is no file or is gone, which is nothing to delete."""
    with suppress(OSError):
        facts = path.lstat()
        if stat.S_ISREG(facts.st_mode):
            return facts.st_mtime
    return time.time()


def _make_folders(folder: Path) -> None:
    for name in ("tmp", "new", "cur"):
        (folder / name).mkdir(parents=True, exist_ok=True)


def _sweep(folder: Path) -> None:
    """Delete what killed writers left half written in tmp/."""
    old = time.time() - STALE_SECONDS
    for path in (folder / "tmp").iterdir():
        with suppress(OSError):  # another process has deleted it, or it belongs to another user
            facts = path.stat()
            # The specification uses the time of access, which many file systems do not record.
            if max(facts.st_mtime, facts.st_atime) < old:
                path.unlink()


def _uid(name: str, facts: os.stat_result) -> str:
    # A name in new/ or cur/ is unique for ever; a dropped file's may be used again.
    uid = f"{name}@{facts.st_mtime_ns}" if name.endswith(".eml") else name.partition(":2,")[0]
    # The database stores neither a long name nor one that is no text.
    return uid if len(uid) <= NAME_LENGTH and uid.isprintable() else hashlib.sha256(os.fsencode(uid)).hexdigest()


def _file_away(path: Path, target: Path) -> None:
    stem = path.name.partition(":2,")[0]
    free = next(
        place
        for count in itertools.count()
        if not (place := target / f"{stem}{f'.{count}' if count else ''}:2,S").exists()
    )
    try:
        path.rename(free)
    except FileNotFoundError:
        return  # another reader has moved it
