"""Reading from a server within a limit of time and of size, however slowly it sends and whatever it announces.

The timeout of a socket is one of each wait alone: a server that sends a byte a second never exceeds it. And the
libraries ask for as many bytes as a server announces.
"""

from __future__ import annotations

import socket
import time


class Allowance:
    """What is left of the seconds and bytes of an exchange with a server, and of the `wait` for each of its bytes."""

    def __init__(self, seconds: float, size: int, *, wait: float) -> None:
        self._all, self._most, self._wait = seconds, size, wait
        self._end = time.monotonic() + seconds
        self._left = size

    def next_wait(self) -> float:
        """Return the seconds for which the next bytes may be awaited. Raises TimeoutError if no time is left."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"it has not sent all within {self._all:g} seconds")
        return min(left, self._wait)

    def require(self, size: int) -> None:
        """Raise ConnectionError if the server may not send so many bytes more."""
        if size > self._left:
            raise ConnectionError(f"it sends more than {self._most:,} bytes")

    def spend(self, size: int) -> None:
        """Note that the server has sent so many bytes. Raises ConnectionError if these are too many."""
        self.require(size)
        self._left -= size


class BoundedReader:
    """File of what a server sends on a socket, as imaplib and smtplib read it. Raises OSError beyond the allowance."""

    def __init__(self, line: socket.socket, allowance: Allowance) -> None:
        self.line, self.allowance = line, allowance
        self._heard = bytearray()

    def read(self, size: int) -> bytes:
        """Return so many bytes; fewer if the server hangs up."""
        self.allowance.require(size - len(self._heard))
        while len(self._heard) < size and self._receive():
            pass
        return self._take(size)

    def readline(self, limit: int) -> bytes:
        """Return a line with its end, or the first `limit` bytes of it; b"" if the server has hung up."""
        searched = 0
        while (end := self._heard.find(b"\n", searched) + 1) == 0 and len(self._heard) < limit:
            searched = len(self._heard)
            if not self._receive():
                end = searched
                break
        return self._take(min(end or limit, limit))

    def close(self) -> None:
        """Forget what was received; the socket belongs to the caller."""
        self._heard.clear()

    def _receive(self) -> int:
        self.line.settimeout(self.allowance.next_wait())
        try:
            heard = self.line.recv(65_536)
        except TimeoutError:
            self.allowance.next_wait()  # raises with the reason if it was this that ended
            raise
        self.allowance.spend(len(heard))
        self._heard += heard
        return len(heard)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._heard[:size])
        del self._heard[:size]
        return taken
