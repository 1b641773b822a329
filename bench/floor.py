"""Answers and turns of a night, beside a floor: the least program that makes the same mails (`bench.parts.least`).

    python -m bench.floor [--game KEY] [--seats 600 60] [--turns 4] [--rounds 3]

What the program takes beyond the floor is the price of reading mail as people write
it, of authenticating, and of surviving mistakes, attacks and kills. Both begin with
copies of one database, and their mails have to be the same to the byte.

Processor time, medians of the rounds, local folders, SQLite, no pictures; and the
program's statements a message and a turn, with those that all of a night share.
"""

from __future__ import annotations

import argparse
import dataclasses
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from sqlalchemy import event

from bench.night import Miscount, run_turns
from bench.parts.clock import Stages, medians
from bench.parts.club import Club
from bench.parts.least import open_renderer, run_floor
from pbem.games import installed_games
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.mail.maildir import MaildirTransport
from pbem.report.renderer import Renderer
from pbem.scheduler.tick import send_mail
from pbem.scheduler.work import TickResult
from pbem.util import gc_paused


@dataclass(frozen=True)
class Night:
    """The time of a night and of its floor, and the mails that both have made, by Message-ID.

    `statements` are those of the program, a message and a turn, where they were counted.
    """

    program: Stages
    floor: Stages
    mails: Mapping[str, bytes]
    floor_mails: Mapping[str, bytes]
    statements: tuple[float, float] = (0, 0)


def measure(club: Club, reporter: Renderer, *, counts: bool = False) -> Night:
    """Measure the next night of a club, and its floor, which is rendered by `reporter`.

    It takes longer if it `counts` statements.
    """
    copy, archive, program, floor = club.home / "floor.sqlite", club.home / "floor", Stages(), Stages()
    archive.mkdir(exist_ok=True)
    with club.open() as app:
        inbox = MaildirTransport(club.home / app.settings.inbox_url.path)
        for raw in club.sheets():
            inbox.send(club.orders, raw)
        with closing(open_mailbox(app.settings)) as mailbox:
            fetch_messages(app.store, mailbox, club.now)
        before = read_mails(club.home / DATABASE)
        copy_database(club.home / DATABASE, copy)
        with floor.timed("night"), gc_paused():
            run_floor(dataclasses.replace(app, open_reporter=lambda: reporter), copy, archive, club.now)
        statements = list[str]()
        if counts:
            event.listen(app.store.engine, "before_cursor_execute", lambda *about: statements.append(about[2]))
        with program.timed("answer"):
            messages = process_messages(app, club.now).messages
        answering = len(statements)
        with program.timed("turns"):
            turns = run_turns(app, club.now)
        require_running(club.home / DATABASE)
        each = (answering / messages, (len(statements) - answering) / turns)
        mails = read_mails(club.home / DATABASE)
        send_mail(app, club.now, TickResult())
        club.read(app)
    made, by_floor = (
        {id_: raw for id_, raw in all_.items() if id_ not in before} for all_ in (mails, read_mails(copy))
    )
    return Night(program, floor, made, by_floor, each)


DATABASE = "pbem.sqlite"


def read_mails(database: Path) -> dict[str, bytes]:
    """Return all mails of the outbox of a database, by Message-ID."""
    with closing(sqlite3.connect(database)) as base:
        return {id_: zlib.decompress(raw) for id_, raw in base.execute("SELECT message_id, raw FROM outgoing")}


def require_running(database: Path) -> None:
    """Raise Miscount if a game has ended: its last mails are none that the floor makes."""
    with closing(sqlite3.connect(database)) as base:
        ended = base.execute("SELECT name FROM campaign WHERE status <> 'running'").fetchone()
    if ended:
        raise Miscount(f"the game of {ended[0]} has ended: ask for fewer turns or rounds")


def copy_database(source: Path, target: Path) -> None:
    """Copy a database."""
    with closing(sqlite3.connect(source)) as base, closing(sqlite3.connect(target)) as copy:
        base.backup(copy)


def row(seats: int, nights: Sequence[Night], statements: tuple[float, float]) -> tuple[str, float]:
    """Return the row of the same nights, in milliseconds of processor time a seat, and the ratio to the floor."""
    program, floor = (medians([getattr(night, name) for night in nights]) for name in ("program", "floor"))
    times = [program.spent["answer"].cpu, program.spent["turns"].cpu, floor.whole.cpu]
    ratio = median(night.program.whole.cpu / night.floor.whole.cpu for night in nights)
    said = "".join(f"{1000 * time / seats:9.2f}" for time in times)
    return f"{seats:5}{said}{ratio:9.2f}" + "".join(f"{each:9.1f}" for each in statements), ratio


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=list(installed_games()), default="singularity_trap")
    parser.add_argument("--seats", type=int, nargs="+", default=[600, 60], metavar="N")
    parser.add_argument("--turns", type=int, default=4, help="turns played beforehand")
    parser.add_argument("--rounds", type=int, default=3, help="nights measured")
    asked = parser.parse_args()
    print("       ms of CPU a seat                     statements\n", end="")
    print("seats  answers    turns    floor    ratio  message     turn", flush=True)
    ratios, games = list[str](), {asked.game: installed_games()[asked.game]}
    with TemporaryDirectory() as home:
        for seats in asked.seats:
            club = Club(Path(home, str(seats)), games[asked.game], seats, "orders@example.org", "a@example.org")
            club.play(asked.turns)
            reporter = open_renderer(games)
            first = measure(club, reporter, counts=True)  # its time is not, as it compiles the floor's templates
            nights = [measure(club, reporter) for _ in range(asked.rounds)]
            if any(night.mails != night.floor_mails for night in nights):
                raise Miscount("the floor has made other mails than the program")
            said, ratio = row(len(club.players), nights, first.statements)
            print(said, flush=True)
            ratios.append(f"{ratio:.2f} x{' the floor' if not ratios else ''} ({len(club.players)} seats)")
    print(f"answers and turns: {', '.join(ratios)}")


if __name__ == "__main__":
    main()
