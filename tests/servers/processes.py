"""Starting, awaiting and ending a server, and finding ports and a folder for it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE

PAUSE = 0.02
ROOM = 1_000_000_000
"""Bytes that must be free in memory for files to be put there."""


class ServerMissing(Exception):
    """Raised when a server that tests need is not installed, or may not be started; the text says what to do."""


@dataclass
class Daemon:
    """Server in a process group of its own. `log` shows why it ended early."""

    process: subprocess.Popen[bytes]
    log: Path

    def stop(self, *, with_signal: int = signal.SIGTERM) -> None:
        """Ask the server to end, wait for it, then kill the rest of its process group."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        try:
            self.process.wait(PATIENCE)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)


def start(command: Sequence[str | Path], log: Path, **options: Any) -> Daemon:
    """Start a server that stays in the foreground; its output goes to the log."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **options
        )
    return Daemon(process, log)


def wait_until(ready: Callable[[], bool], daemon: Daemon, what: str) -> None:
    """Return once `ready()` is true; raise with the log's end if the server dies or takes too long."""
    limit = time.monotonic() + PATIENCE
    while not ready():
        if daemon.process.poll() is not None or time.monotonic() > limit:
            daemon.stop()
            raise RuntimeError(f"{what} did not start:\n" + daemon.log.read_text(errors="replace")[-3000:])
        time.sleep(PAUSE)


def answers(port: int) -> bool:
    """Return True if a server listens on a loopback port."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def free_ports(count: int) -> list[int]:
    """Return different loopback ports on which no server listens now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


@contextlib.contextmanager
def server_folder(name: str) -> Iterator[Path]:
    """Yield a temporary folder for a server, in memory if there is room.

    pytest's own cannot be used: servers run as other users, and each session that
    begins closes the folders of all sessions to other users.
    """
    with tempfile.TemporaryDirectory(prefix=f"pbem-{name}-", dir=fastest_folder()) as folder:
        yield Path(folder)


def fastest_folder() -> Path:
    """Return the fastest folder for temporary files: in memory, if there is room and programs may run from there."""
    memory = Path("/dev/shm")
    fit = memory.is_dir() and shutil.disk_usage(memory).free > ROOM and not os.statvfs(memory).f_flag & os.ST_NOEXEC
    return memory if fit else Path("/tmp")


@contextlib.contextmanager
def stopping(daemon: Daemon, **how: Any) -> Iterator[Daemon]:
    """Stop the server at the end of the block."""
    try:
        yield daemon
    finally:
        daemon.stop(**how)
