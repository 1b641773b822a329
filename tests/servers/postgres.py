"""A temporary PostgreSQL server, with a fresh database for each test."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.servers.processes import Daemon, ServerMissing, free_ports, start, wait_until

USER = "pbem"
# No fsync: what is written survives a crash of the server, though not one of the machine. A commit must be written
# before it is answered, else a crash would take back a turn that the archive has already.
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "autovacuum": "off",
}


@dataclass
class PostgresServer:
    """A running server on a loopback port."""

    port: int
    launch: Callable[[], Daemon]
    daemon: Daemon
    _count: Iterator[int] = field(default_factory=itertools.count)

    @contextmanager
    def fresh_database(self, *, like: str = "template1") -> Iterator[str]:
        """Yield the URL of a new database, dropped at the end: empty, or a copy of another one that is not in use."""
        name = f"pbem_{next(self._count)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {like.rpartition('/')[2]}")
        try:
            yield f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/{name}"
        finally:
            self._run(f"DROP DATABASE {name} WITH (FORCE)")

    def restart(self) -> None:
        """Break off all work, as a crash of the server would, and start it again."""
        self.daemon.stop(with_signal=signal.SIGQUIT)
        self.daemon = self.launch()
        self.wait()

    def wait(self) -> None:
        """Return once it accepts connections."""
        wait_until(self.ready, self.daemon, "PostgreSQL")

    def ready(self) -> bool:
        """Return True if the server accepts connections."""
        try:
            self._run("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, statement: str) -> None:
        with psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_postgres(folder: Path) -> Iterator[PostgresServer]:
    """Run a server with its data in a folder while the block runs.

    Raises:
        ServerMissing: It is not installed.
    """
    programs = _programs()
    rights = _rights(folder)
    data = folder / "data"
    options = ["--no-sync", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "--locale=C"]
    subprocess.run([programs / "initdb", "-D", data, *options], check=True, capture_output=True, cwd=folder, **rights)
    (port,) = free_ports(1)
    settings = {**_SETTINGS, "port": str(port), "unix_socket_directories": ""}
    switches = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    log = folder / "postgres.log"

    def launch() -> Daemon:
        return start([programs / "postgres", "-D", data, *switches], log, cwd=folder, **rights)

    server = PostgresServer(port, launch, launch())
    try:
        server.wait()
        yield server
    finally:
        server.daemon.stop(with_signal=signal.SIGINT)


def _programs() -> Path:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name.split(".")[0]))
    on_path = shutil.which("initdb")
    found = [*versions[-1:], *([Path(on_path).parent] if on_path else [])]
    if not found:
        raise ServerMissing("These tests need PostgreSQL: apt-get install --no-install-recommends postgresql")
    return found[0]


def _rights(folder: Path) -> dict[str, Any]:
    """Return the process options to run as Debian's user for PostgreSQL, which refuses to run as root."""
    if os.getuid() != 0:
        return {}
    folder.chmod(0o755)
    shutil.chown(folder, "postgres", "postgres")
    return {"user": "postgres", "group": "postgres", "extra_groups": []}
