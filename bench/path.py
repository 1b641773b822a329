"""The ways of a plain order sheet through a whole `pbem tick`, and of `pbem hold`: what is entered.

    python -m bench.path [--list]

A campaign of The Singularity Trap, and a sheet with the code of its report. A module or function counts if it is
called, in the program or the game; what only imports call does not, nor do comprehensions, which newer Pythons inline.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from email.utils import formatdate
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NamedTuple

import click
from sqlalchemy import Engine, event

import pbem
from bench.startup import NEW, PBEM
from bench.startup import run as run_process
from pbem.cli import main as run_cli

ROOT = Path(pbem.__file__).parents[1]
OURS = (f"{ROOT}/pbem/", f"{ROOT}/rules/")
READING_OF_MAIL = ("pbem/inbox", "pbem/mail")

_SHEET = """From: red@example.org
To: orders@example.org
Subject: orders
Date: {date}
Message-ID: <sheet@example.org>

{frame}
BUILD Scout AT J1+9
END
"""


class Entered(NamedTuple):
    """Modules and functions that a command enters, its deepest stack, and the statements that process messages."""

    modules: frozenset[str]
    functions: frozenset[str]
    deepest: tuple[str, ...]
    statements: tuple[str, ...]


def measure() -> tuple[Entered, Entered, Entered]:
    """Return what an idle tick enters, one that answers a sheet, and a hold of the campaign."""
    with TemporaryDirectory() as folder, _fresh_processes() as fresh:
        home = Path(folder, "home")
        make_home(home)
        idle = fresh.submit(trace, home).result()
        mail_sheet(home)
        sheet = fresh.submit(trace, home).result()
        return idle, sheet, fresh.submit(trace, home, "hold", "trap", "a train").result()


def make_home(home: Path) -> None:
    """Create a home with a campaign that waits for orders."""
    run_process([*PBEM, "init", str(home)])
    for words in (["new", "trap", *NEW], ["start", "trap", "--yes"], ["tick"]):
        run_process([*PBEM, "--home", str(home), *words])


def mail_sheet(home: Path) -> None:
    """Put a sheet into the mailbox of a home, with the ORDERS line of the report."""
    report = (home / "turns/trap/0000/reports/red.txt").read_text(encoding="utf-8")
    frame = next(line for line in report.splitlines() if line.startswith("ORDERS trap red "))
    (home / "post/inbox/new/1.sheet").write_text(_SHEET.format(date=formatdate(), frame=frame), encoding="utf-8")


def _fresh_processes() -> ProcessPoolExecutor:
    """Return an executor with a process for each call: caches are empty, as for each tick of cron."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1)


def trace(home: Path, *words: str) -> Entered:
    """Return what a command enters, by default a tick. To be called in a fresh process."""
    functions: set[str] = set()
    deepest: list[tuple[str, ...]] = [()]
    statements: list[str] = []

    def enter(frame: FrameType, what: str, _argument: object) -> None:
        if what == "call" and is_counted(frame):
            stack = our_frames(frame)
            if not any(name.endswith(":<module>") for name in stack):
                functions.add(stack[-1])
                deepest[0] = max(deepest[0], stack, key=len)

    def count(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if any(name.endswith(":process_messages") for name in our_frames(sys._getframe())):
            statements.append(" ".join(statement.split()))

    event.listen(Engine, "before_cursor_execute", count)
    sys.setprofile(enter)
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            run_cli(["--home", str(home), *(words or ["tick"])], prog_name="pbem", standalone_mode=False)
    finally:
        sys.setprofile(None)
    modules = frozenset(name.partition(":")[0] for name in functions)
    return Entered(modules, frozenset(functions), deepest[0], tuple(statements))


def is_counted(frame: FrameType) -> bool:
    """Return True for a function of the program or of the game."""
    return frame.f_code.co_filename.startswith(OURS) and not frame.f_code.co_name.endswith("comp>")


def our_frames(frame: FrameType | None) -> tuple[str, ...]:
    """Return the functions of the program and of the game on the stack that ends with a frame, outermost first."""
    names: list[str] = []
    while frame is not None:
        if is_counted(frame):
            names.append(f"{frame.f_globals['__name__']}:{frame.f_code.co_qualname}")
        frame = frame.f_back
    return tuple(reversed(names))


def count_lines() -> int:
    """Return the lines of the packages that read and write mail."""
    files = [path for folder in READING_OF_MAIL for path in (ROOT / folder).rglob("*.py")]
    return sum(path.read_text(encoding="utf-8").count("\n") for path in files)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--list", action="store_true", help="name what is counted")
    named = parser.parse_args(arguments).list
    idle, sheet, hold = measure()
    own = sheet.modules - idle.modules
    for size, what, names in (
        (len(sheet.modules), "modules", ()),
        (len(own), "modules beyond those of an idle tick", sorted(own)),
        (len(sheet.functions), "functions", ()),
        (len(sheet.deepest), "frames deep", sheet.deepest),
        (len(sheet.statements), "statements of process_messages", sheet.statements),
        (len(hold.modules), "modules of pbem hold", sorted(hold.modules)),
        (count_lines(), "lines of " + " and ".join(READING_OF_MAIL), ()),
    ):
        click.echo(f"{size:6,} {what}")
        for name in names if named else ():
            click.echo(f"         {name}")


if __name__ == "__main__":
    main()
