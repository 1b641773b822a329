"""Debian systems of their own, in which other programs are run (`system.sh`)."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).parent
SYSTEMS = Path(os.environ.get("PROGRAMS", "/var/tmp/pbem-programs"))
"""The folder that has the systems, which are kept between runs."""


def system(suite: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run an action of `system.sh` in the system of a suite."""
    with in_system(suite, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        stdout, stderr = process.communicate(timeout=900)
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


@contextmanager
def in_system(
    suite: str, *words: str, stdout: int = subprocess.DEVNULL, stderr: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run an action of `system.sh` while the block runs: all its processes end with it."""
    known = {"PATH": os.environ["PATH"], "SUITE": suite, "PROGRAMS": str(SYSTEMS)}
    command = [str(HERE / "system.sh"), *words]
    with subprocess.Popen(
        command, env=known, stdout=stdout, stderr=stderr, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):  # it has ended by itself
                os.killpg(process.pid, signal.SIGKILL)  # with it ends the namespace, and all that runs there
