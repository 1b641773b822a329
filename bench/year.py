"""The disk space of a year of a campaign, by database column and kind of file.

    python -m bench.year [--turns 6] [--games singularity_trap:6 harvester:100]

Bots play each game by mail, a turn a week, with pictures, through local folders
and SQLite. All sizes are megabytes that 52 such turns add, as far as they can be
told from the later half of the turns played: by the column of the database and
the kind of file in the archive, the largest first; and what the
database and the archive take on the disk, where a file takes whole blocks. The
mail of the local post folder is not counted: with a real mailbox there is none.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import ColumnElement, LargeBinary, cast, func, select

from bench.parts.club import Club
from pbem.app import App
from pbem.games import installed_games
from pbem.mail.retention import AT_ONCE, redact_old_mail
from pbem.store.models import Base, OutgoingMail, Turn

WEEK, WEEKS = dt.timedelta(days=7), 52
ORDERS, PLAYERS = "orders@example.org", "ann@example.org"
LEAST = 0.5
"""Megabytes a year below which a part has no line."""


@dataclass(frozen=True)
class Year:
    """Bytes, of a year or until now: of the parts, and of the database and the archive on disk."""

    parts: Counter[str]
    database: int
    archive: int


def year(key: str, seats: int, turns: int) -> Year:
    """Return a year of a campaign, as far as it grows: estimated from the later half of some turns of it."""
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        club = Club(home, installed_games()[key], seats, ORDERS, PLAYERS, table=seats, pace=WEEK)
        club.play(turns // 2, pictures="true")
        ran, before = measure(club)
        club.go_on(turns - turns // 2, pictures="true")
        then, after = measure(club)

    def grown(early: int, late: int) -> int:
        return max(0, late - early) * WEEKS // (then - ran)

    parts = {name: grown(before.parts[name], size) for name, size in after.parts.items()}
    return Year(Counter(parts), grown(before.database, after.database), grown(before.archive, after.archive))


def measure(club: Club) -> tuple[int, Year]:
    """Return how many turns were run, and the bytes that are there."""
    with club.open(pictures="true") as app:
        ran = count(app, Turn.resolved_at.is_not(None))
        for _ in range(0, count(app, OutgoingMail.id > 0), AT_ONCE):
            redact_old_mail(app.store, club.now + 2 * WEEK)
        parts = Counter(dict([*columns(app), *files(app)]))
    with closing(sqlite3.connect(club.home / "pbem.sqlite")) as database:
        database.execute("VACUUM")  # the space of mails that were shortened is reused by those of other weeks
    return ran, Year(parts, (club.home / "pbem.sqlite").stat().st_size, blocks(club.home / "turns"))


def count(app: App, which: ColumnElement[bool]) -> int:
    """Return the number of rows of a kind."""
    with app.store.reading() as session:
        return session.scalar(select(func.count()).where(which)) or 0


def columns(app: App) -> Iterator[tuple[str, int]]:
    """Yield the bytes in each column of the database."""
    with app.store.reading() as session:
        for table in Base.metadata.sorted_tables:
            for column in table.columns:
                size = session.scalar(select(func.sum(func.length(cast(column, LargeBinary)))))
                yield str(column), size or 0


def files(app: App) -> Iterator[tuple[str, int]]:
    """Yield the bytes of each kind of file in the archive."""
    found: Counter[str] = Counter()
    for path in app.settings.archive.rglob("*.*"):
        found[f"turns/…/{path.name if path.name == 'turn.json' else f'{path.parent.name}/*{path.suffix}'}"] += (
            path.stat().st_size
        )
    yield from found.items()


def blocks(folder: Path) -> int:
    """Return the bytes of all blocks of a folder and its contents."""
    return 512 * sum(path.lstat().st_blocks for path in (folder, *folder.rglob("*")))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--games", nargs="+", default=["singularity_trap:6", "harvester:100"], metavar="KEY:SEATS")
    given = parser.parse_args()
    for game in given.games:
        key, _, seats = game.partition(":")
        found = year(key, int(seats), given.turns)
        whole = found.database + found.archive
        print(f"{key}, {seats} seats, a year of {WEEKS} turns: {whole / 1e6:.0f} MB")
        print(f"  on the disk: {found.database / 1e6:.1f} MB database, {found.archive / 1e6:.1f} MB archive")
        for name, size in found.parts.most_common():
            if size >= LEAST * 1e6:
                print(f"    {name:<32} {size / 1e6:7.1f}")


if __name__ == "__main__":
    main()
