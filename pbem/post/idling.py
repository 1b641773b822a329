"""Waiting for mail: asleep, or in IDLE (RFC 2177) where the inbox is on a server that can tell of new mail.

IDLE is only a hint to poll sooner. Whatever goes wrong with it, and whatever
the server says or fails to say, the next poll comes when it would have come.
"""

from __future__ import annotations

import contextlib
import imaplib
import re
import time
from collections.abc import Iterator
from threading import Event
from typing import Any, Protocol

from pbem.config import Settings
from pbem.errors import PbemError
from pbem.log import tell
from pbem.post.imap import ImapMailbox
from pbem.util import without_secrets

LONGEST = 300
"""Seconds in IDLE; routers forget a line on which nobody has spoken for longer."""

LOOK_UP_SECONDS = 1.0
"""How often a wait looks up whether it is to stop."""

_COUNT = re.compile(rb"\* (\d++) (EXISTS|EXPUNGE)\s*+", re.IGNORECASE)
_END = re.compile(rb"PBEM1 |\* BYE\b", re.IGNORECASE)


class Waiter(Protocol):
    """Waits between two polls."""

    def wait(self, seconds: float, stop: Event) -> None:
        """Returns after so many seconds, when `stop` is set, or when there may be new mail. Never raises."""


def open_waiter(settings: Settings) -> Waiter:
    """The way to wait for mail in the inbox of the settings."""
    return Sleeper() if settings.inbox_url.scheme == "maildir" else Idler(settings)


class Sleeper:
    """Waits without looking at the mailbox."""

    def wait(self, seconds: float, stop: Event) -> None:
        """Returns after so many seconds, or when `stop` is set."""
        stop.wait(seconds)


class Idler:
    """Waits in IDLE, on a connection of its own for each wait."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._uidnext: int | None = None

    def wait(self, seconds: float, stop: Event) -> None:
        """Returns at new mail, after `LONGEST` in IDLE, or where that is not to be had, after so many seconds."""
        end = time.monotonic() + seconds
        try:
            if self._idle(min(seconds, LONGEST), stop):
                return
        except (PbemError, imaplib.IMAP4.error, OSError, ValueError) as error:
            tell("waiting without IDLE", level="warning", reason=without_secrets(str(error)))
        stop.wait(max(0, end - time.monotonic()))

    def _idle(self, seconds: float, stop: Event) -> bool:
        """Whether it has waited; False where the server has no IDLE."""
        imap = ImapMailbox(self._settings).connect()
        try:
            if not imap.has_capability("IDLE"):
                return False
            chosen = imap.select_folder(self._settings.inbox_url.folder, readonly=True)
            if not self._has_come(chosen.get(b"UIDNEXT")):
                _listen(imap.socket(), chosen[b"EXISTS"], time.monotonic() + seconds, stop)
            return True
        finally:
            with contextlib.suppress(imaplib.IMAP4.error, OSError):
                imap.shutdown()

    def _has_come(self, uidnext: int | None) -> bool:
        """Whether mail came since the last wait began; while one polls and sends, nobody listens."""
        before, self._uidnext = self._uidnext, uidnext
        return before is not None and before != uidnext


def _listen(line: Any, count: int, end: float, stop: Event) -> None:
    """Is in IDLE until there are more mails than `count`, by hand: imapclient misses one that comes as it begins.

    Raises OSError when the server hangs up, ValueError when it ends IDLE.
    """
    line.settimeout(LOOK_UP_SECONDS)
    line.sendall(b"PBEM1 IDLE\r\n")
    for said in _lines(line, end, stop):
        if _END.match(said):
            raise ValueError(f"the server ends IDLE: {said.decode('utf-8', 'replace').strip()}")
        found = _COUNT.fullmatch(said)
        if found is None:
            continue
        gone = found[2].upper() == b"EXPUNGE"
        before, count = count, count - 1 if gone else int(found[1])
        if count > before:
            line.sendall(b"DONE\r\nPBEM2 LOGOUT\r\n")
            return


def _lines(line: Any, end: float, stop: Event) -> Iterator[bytes]:
    """What the server says, until the time is over."""
    rest = b""
    while not stop.is_set() and time.monotonic() < end:
        try:
            heard = line.recv(4096)
        except TimeoutError:
            continue
        if not heard:
            raise ConnectionError("the server has hung up")
        *said, rest = (rest + heard).split(b"\n")
        yield from said
