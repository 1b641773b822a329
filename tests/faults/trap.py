"""Names the points of a run at which a fault such as a kill may strike, and strikes at one of them.

A point lies before and after each commit, before each line to a mail server and
after its answer, before each change in the home's folders and in the middle of
each file written there. Hardly anything is replaced for it: Python reports its
files and mail commands by audit events (PEP 578), SQLAlchemy its commits.
"""

from __future__ import annotations

import imaplib
import os
import signal
import smtplib
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.orm import Session

from tests.servers import full_disk

_CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir"}


Strike = Callable[[Path], None]
"""A fault that happens to a process at work in a home."""


def kill(_home: Path) -> None:
    """Kill the process."""
    os.kill(os.getpid(), signal.SIGKILL)


def fill_disk(_home: Path) -> None:
    """Let every later write of the process fail for want of space."""
    full_disk.fill_disk()


def lock_database(home: Path) -> None:
    """Let another connection write to the SQLite database from now on, and never end."""
    other = sqlite3.connect(home / "pbem.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    _LOCKS.append(other)


_LOCKS: list[sqlite3.Connection] = []


class Trap:
    """Counts the points that its process passes in a home, and strikes at the one numbered `at`.

    A point's name begins with its kind: "commit", "imap", "smtp" or "file".
    Once set, a trap stays for the life of its process.
    """

    def __init__(self, home: Path, at: int | None, strike: Strike) -> None:
        self.passed: list[str] = []
        self._home = home
        self._at = at
        self._strike = strike
        self._awaits_reply = False

    def set(self) -> None:
        """Set the trap at all points."""
        sys.addaudithook(self._heard)
        event.listen(Engine, "commit", lambda _connection: self._pass("commit: before"))
        event.listen(Session, "after_commit", lambda _session: self._pass("commit: after"))
        _follow(imaplib.IMAP4, "_command_complete", lambda: self._pass("imap: after the answer"))
        _follow(smtplib.SMTP, "getreply", self._replied)
        _write_in_halves(self._halfway)

    def _pass(self, name: str) -> None:
        self.passed.append(name)
        if len(self.passed) - 1 == self._at:
            self._strike(self._home)

    def _heard(self, happening: str, facts: tuple[Any, ...]) -> None:
        if happening == "imaplib.send":
            self._pass(f"imap: before {_command(facts[1], 1)}")
        elif happening == "smtplib.send":
            self._awaits_reply = True
            self._pass(f"smtp: before {_command(facts[1], 0)}")
        elif happening in _CHANGES and self._is_inside(facts[0]):
            self._pass(f"file: before {happening} {facts[0]}")

    def _replied(self) -> None:
        """Pass a point at the first of several replies to one write: the server has then done all of it."""
        if self._awaits_reply:
            self._awaits_reply = False
            self._pass("smtp: after the answer")

    def _halfway(self, path: Path) -> None:
        if self._is_inside(path):
            self._pass(f"file: in the middle of {path}")

    def _is_inside(self, path: Any) -> bool:
        return isinstance(path, str | Path) and str(path).startswith(str(self._home))


def _command(line: bytes | str, place: int) -> str:
    """Return the command of a line, without its arguments, among which may be a password."""
    text = line[:80].decode("latin-1") if isinstance(line, bytes) else line[:80]
    words = text.upper().split()[place:]
    return " ".join(words[:2] if words[:1] == ["UID"] else words[:1])


def _follow(owner: type, name: str, then: Callable[[], None]) -> None:
    """Call `then` after each call of a method."""
    method = getattr(owner, name)

    def followed(*args: Any) -> Any:
        result = method(*args)
        then()
        return result

    setattr(owner, name, followed)


def _write_in_halves(halfway: Callable[[Path], None]) -> None:
    """Let `Path.write_bytes` write in two halves, as to a slow disk."""

    def write_bytes(path: Path, data: bytes) -> int:
        half = len(data) // 2
        with path.open("wb") as file:
            file.write(data[:half])
            file.flush()
            halfway(path)
            file.write(data[half:])
        return len(data)

    Path.write_bytes = write_bytes  # type: ignore[method-assign,assignment] # in a process of its own
