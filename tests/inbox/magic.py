"""The toy with a parser that does harm at some lines; run as a program, a tick or a server in a home with it."""

from __future__ import annotations

import datetime as dt
import os
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from pbem.app import open_app
from pbem.errors import StoreError
from pbem.ruleset import ParsedSheet, View
from pbem.scheduler.tick import serve, stopped_by_signals, tick
from tests.toy.ruleset import Auction


def _loop() -> None:
    while True:
        pass


def _take_all_memory() -> None:
    bytearray(1 << 60)


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _lose_database() -> None:
    raise StoreError("the database is locked")


HARM: Mapping[str, Callable[[], None]] = {
    "LOOP": _loop,
    "MEMORY": _take_all_memory,
    "KILL": _kill,
    "LOCK": _lose_database,
}


class Magic(Auction):
    """The toy; a line with one of the words does the harm that the word says."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        kept = list(lines)
        for _, line in kept:
            if line.strip() in HARM:
                print("harm begins", flush=True)
                HARM[line.strip()]()
        return super().parse(view, kept)


def main(work: str, home: Path, now: dt.datetime) -> None:
    """Run one tick, or serve until told to stop."""
    with open_app(home, {"toy": Magic()}) as app, stopped_by_signals() as stop:
        if work == "tick":
            tick(app, now)
        else:
            serve(app, clock=lambda: now, stop=stop, told=lambda _: stop.set())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), dt.datetime.fromisoformat(sys.argv[3]))
