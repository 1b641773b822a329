"""The reports of one large turn, made by one worker and by two that share them through PostgreSQL.

    python -m bench.machines [--rounds 3] [--seats 1000] [--drawn 150]

The reports are those of `bench.cores`. Each worker has one process, as on a
machine with one processor; both run here, and so does the database, which a
network between machines would make slower. The seconds are the least of the
rounds, by the clock; the second worker stands ready before it starts. Their
bytes are compared.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select

from bench.cores import Batch, club, crowd, known_by
from pbem.catalogue import installed_games
from pbem.config import FILE_NAME
from pbem.founding import found
from pbem.house import open_house
from pbem.store import models
from pbem.working.batches import TogetherMaker, make_batch
from tests.servers.postgres import running_postgres
from tests.servers.processes import server_folder

AIM = 1.6
LOOK_UP = 0.005
READY = "ready"


def help_out(home: Path) -> None:
    """Makes batches, as a worker of the queue does, until it is killed."""
    with open_house(home, installed_games()) as house:
        print(READY, flush=True)
        while True:
            with house.store.reading() as session:
                left = select(models.Batch.id).where(models.Batch.answer.is_(None)).order_by(models.Batch.id)
                numbers = session.scalars(left).all()
            for number in numbers:
                make_batch(house, number)
            time.sleep(0 if numbers else LOOK_UP)


@contextmanager
def helper(home: Path) -> Iterator[None]:
    """Another worker, which stands ready."""
    command = [sys.executable, "-m", "bench.machines", "--helping", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own program
        try:
            if process.stdout is None or process.stdout.readline().strip() != READY:
                raise RuntimeError("the second worker has not started")
            yield
        finally:
            process.kill()


def made(home: Path, batch: Batch, helpers: int) -> tuple[float, str]:
    """The seconds it takes with so many others, and what all files together are known by."""
    with open_house(home, installed_games()) as house:
        start = time.perf_counter()
        known = known_by(TogetherMaker(house, lambda: helpers).reports(batch.jobs()))
        return time.perf_counter() - start, known


def made_by_two(home: Path, batch: Batch) -> tuple[float, str]:
    """The same with another, who is new as well: no pictures have been painted yet."""
    with helper(home):
        return made(home, batch, 1)


def compared(home: Path, batch: Batch, rounds: int) -> tuple[float, float]:
    """Seconds with one worker and with two. Raises RuntimeError if they do not make the same."""
    made(home, batch, 0)  # templates are compiled by the first
    runs = [(made(home, batch, 0), made_by_two(home, batch)) for _ in range(rounds)]
    if len({known for run in runs for _, known in run}) > 1:
        raise RuntimeError(f"{batch.name}: the reports of two workers are not those of one")
    return min(one for (one, _), _ in runs), min(two for _, (two, _) in runs)


def settle(folder: Path, database: str, *, pictures: bool) -> Path:
    """A home on this database, whose workers have a process each."""
    home = folder / ("drawn" if pictures else "plain")
    found(home, "orders@example.org")
    lines = [f'database = "{database}"', f"pictures = {str(pictures).lower()}", "jobs = 1"]
    (home / FILE_NAME).write_text("\n".join(['address = "orders@example.org"', *lines]))
    found(home, "orders@example.org")
    return home


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seats", type=int, default=1_000)
    parser.add_argument("--drawn", type=int, default=150)
    parser.add_argument("--helping", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.helping:
        with suppress(KeyboardInterrupt):
            help_out(given.helping)
        return
    print(f"{'reports':<36} {'1 worker':>10} {'2 workers':>10}   ratio")
    with server_folder("machines") as folder, running_postgres(folder) as postgres, TemporaryDirectory() as homes:
        for batch in (crowd(given.seats), club(given.drawn)):
            with postgres.fresh_database() as url:
                one, two = compared(settle(Path(homes), url, pictures=batch.pictures), batch, given.rounds)
            print(f"{batch.name:<36} {one:>8.2f} s {two:>8.2f} s {one / two:>7.2f} (aim {AIM})", flush=True)


if __name__ == "__main__":
    main()
