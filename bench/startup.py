"""The start of commands, beside the import of three packages that most of them need.

    python -m bench.startup [--runs 9]

A home with a campaign of four seats, whose turn is open; a tick there has nothing to do. Each figure is the least
processor time and memory of several fresh processes; all commands take turns, so that a busy machine slows them alike.
The aim is 0.2 seconds for the help and completion, 0.3 for a command that has only a sentence to say, and 1.6 times the
three imports for an idle tick and the status.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

IMPORTS = "import sqlalchemy.orm, click, jinja2"
"""The measure of the others."""

PBEM = (sys.executable, "-c", "from pbem.cli import main; main(prog_name='pbem')")
SEATS = [f"--seat={seat}={seat}@example.org" for seat in ("red", "green", "cyan", "blue")]
NEW = ("--game=singularity_trap", "--gm=gm@example.org", "--schedule=FRI 20:00 UTC", *SEATS)
_COMPLETION = {"_PBEM_COMPLETE": "bash_complete", "COMP_WORDS": "pbem st", "COMP_CWORD": "1"}


class Used(NamedTuple):
    """Seconds of processor time and megabytes of memory that a process has used."""

    seconds: float
    megabytes: float


def run(command: Sequence[str], environment: Mapping[str, str] | None = None, code: int = 0) -> Used:
    """Run a command without its output. Raise AssertionError if it ends with another exit code."""
    quiet = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    process = os.posix_spawn(command[0], list(command), os.environ | (environment or {}), file_actions=quiet)
    _, status, used = os.wait4(process, 0)
    assert os.waitstatus_to_exitcode(status) == code, f"{command} failed"
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def measure(home: Path, runs: int) -> dict[str, Used]:
    """Return the least that each command uses in several runs, by its name."""
    at_home = (*PBEM, "--home", str(home))
    for words in (["init", str(home)], ["new", "trap", *NEW], ["start", "trap", "--yes"], ["tick"]):
        run([*(PBEM if words[0] == "init" else at_home), *words])
    commands: dict[str, tuple[Sequence[str], Mapping[str, str], int]] = {
        "import click": ((sys.executable, "-c", "import click"), {}, 0),
        IMPORTS: ((sys.executable, "-c", IMPORTS), {}, 0),
        "pbem --help": ((*PBEM, "--help"), {}, 0),
        "completing a command": (PBEM, _COMPLETION, 0),
        "pbem status, no home": ((*PBEM, "--home", str(home / "none"), "status"), {}, 1),
        "pbem status, a wrong option": ((*at_home, "status", "--wrong"), {}, 2),
        "pbem inbox, no messages": ((*at_home, "inbox"), {}, 0),
        "pbem tick, nothing to do": ((*at_home, "tick"), {}, 0),
        "pbem status": ((*at_home, "status"), {}, 0),
    }
    used = [{name: run(*command) for name, command in commands.items()} for _ in range(runs)]
    return {name: Used(*map(min, zip(*(each[name] for each in used), strict=True))) for name in commands}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args(arguments).runs
    with TemporaryDirectory() as folder:
        found = measure(Path(folder, "home"), runs)
    print(f"{'':<38}{'CPU s':>8}{'ratio':>8}{'MB':>6}")
    for name, (seconds, megabytes) in found.items():
        print(f"{name:<38}{seconds:8.2f}{seconds / found[IMPORTS].seconds:8.2f}{megabytes:6.0f}")


if __name__ == "__main__":
    main()
