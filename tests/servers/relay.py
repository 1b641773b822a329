"""A connection that a test can cut: a relay from a loopback port to another."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Relay:
    """Relay of bytes in both directions. `connections` and `passed` count; `cut` ends all open ones like a broken line.

    With a `limit` the connection breaks after so many bytes, and each later one at its first.
    `delay` is the seconds for which it holds what it passes, as a slow line would.
    """

    def __init__(self, target: int, *, limit: int | None = None, delay: float = 0) -> None:
        self.connections = 0
        self.passed = 0
        self._limit = limit
        self._delay = delay
        self._target = target
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self) -> None:
        """End every open connection; new ones are accepted."""
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End everything."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self.cut()
        for thread in self._threads:
            thread.join()
        for each in (self._listener, *self._open):
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", self._target))
                self.connections += 1
                self._open += [client, server]
                for source, sink in ((client, server), (server, client)):
                    sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self._threads.append(threading.Thread(target=self._pass, args=(source, sink)))
                    self._threads[-1].start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(65_536):
                time.sleep(self._delay)
                sink.sendall(chunk[: self._room(len(chunk))])
                self.passed += len(chunk)
                if self._limit is not None and self.passed > self._limit:
                    self.cut()
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)

    def _room(self, size: int) -> int:
        return size if self._limit is None else max(0, min(size, self._limit - self.passed))


@contextmanager
def relaying(target: int, *, limit: int | None = None, delay: float = 0) -> Iterator[Relay]:
    """Relay to a loopback port while the block runs."""
    relay = Relay(target, limit=limit, delay=delay)
    try:
        yield relay
    finally:
        relay.close()
