"""A program in a process that is forked from one that has imported everything: it starts at once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TextIO

from tests.faults.night import processes
from tests.patience import PATIENCE


class Program:
    """Work of a function in a process of its own, whose output goes to pipes, as that of `subprocess.Popen` does."""

    def __init__(self, work: Callable[..., object], *args: object, merged: bool = False) -> None:
        """Start it; if `merged`, its errors go where its output goes."""
        pipes = [processes().Pipe(duplex=False) for _ in range(1 if merged else 2)]
        self._process = processes().Process(target=_run, args=([theirs for _, theirs in pipes], work, args))
        self._process.start()
        for _, theirs in pipes:
            theirs.close()
        self.stdout, *errors = [_open(ours) for ours, _ in pipes]
        self._errors = errors
        self._done: subprocess.CompletedProcess[str] | None = None
        self.kill = self._process.kill
        self.terminate = self._process.terminate

    @property
    def returncode(self) -> int | None:
        """The exit code, or the negative number of a signal; None while it runs."""
        return self._process.exitcode

    def ended(self) -> subprocess.CompletedProcess[str]:
        """Wait for the end; return the exit code, and what is left of the output and the errors."""
        if self._done is None:
            said = []
            for stream in (self.stdout, *self._errors):
                with stream:
                    said.append(stream.read())
            self._process.join(PATIENCE)
            assert self.returncode is not None, "it does not end"
            self._done = subprocess.CompletedProcess((), self.returncode, said[0], "".join(said[1:]))
        return self._done


def _open(end: Connection) -> TextIO:
    with end:
        return os.fdopen(os.dup(end.fileno()), encoding="utf-8")


def _run(ends: list[Connection], work: Callable[..., object], args: tuple[object, ...]) -> None:
    os.dup2(ends[0].fileno(), 1)
    os.dup2(ends[-1].fileno(), 2)
    for end in ends:
        end.close()
    work(*args)
