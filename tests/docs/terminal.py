"""A terminal with an interactive bash, into which the blocks of documents are pasted as by a reader."""

from __future__ import annotations

import os
import select
import subprocess
import termios
import tty
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE

SHELL = ("bash", "--norc", "--noprofile", "--noediting", "-i")
_MARK = "\036"


@dataclass(frozen=True)
class Terminal:
    """A running shell. `master` is the controlling side of its terminal, without echo."""

    master: int

    def paste(self, block: str, *typed: str) -> tuple[str, int]:
        """Paste a block of lines; return its output and the status of its last command.

        `typed` are lines for the prompts of the block. Raises TimeoutError when the shell
        waits for more than was pasted, such as the end of a here-document.
        """
        marker = f"printf '{_MARK}%d{_MARK}' $?"
        lines = [block.removesuffix("\n"), *typed, marker.replace(_MARK, "\\036")]
        said = self._exchange("".join(f"{line}\n" for line in lines).encode())
        printed, status, _ = said.split(_MARK)
        return printed, int(status)

    def _exchange(self, left: bytes) -> str:
        said = b""
        while said.count(_MARK.encode()) < 2:
            readable, writable, _ = select.select([self.master], [self.master] if left else [], [], PATIENCE)
            if readable:
                said += os.read(self.master, 65_536)
            elif writable:
                left = left[os.write(self.master, left[:512]) :]
            else:
                raise TimeoutError(f"The shell still waits, after it said: {said.decode(errors='replace')}")
        return said.decode()


@contextmanager
def terminal(folder: Path, environment: Mapping[str, str], shell: Sequence[str] = SHELL) -> Iterator[Terminal]:
    """Run an interactive shell in a folder, without prompts; it ends with the block."""
    master, slave = os.openpty()
    _quieten(slave)
    surroundings = {**environment, "PS1": "", "PS2": "", "HISTFILE": ""}
    process = subprocess.Popen(
        ["setsid", "--ctty", *shell], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=surroundings
    )
    os.close(slave)
    try:
        yield Terminal(master)
    finally:
        with suppress(OSError):
            os.close(master)  # the shell is told that its user has hung up
        process.wait(PATIENCE)


def _quieten(slave: int) -> None:
    """Turn off echo and the conversion of line ends."""
    modes = termios.tcgetattr(slave)
    modes[tty.OFLAG] &= ~termios.OPOST
    modes[tty.LFLAG] &= ~termios.ECHO
    termios.tcsetattr(slave, termios.TCSANOW, modes)
