"""The number of campaigns that workers process in a night, side by side on one machine.

    python -m bench.workers [--campaigns 1000] [--workers 1 2] [--turns 2] [--game KEY]

Bots play campaigns of six to the middle of a game. Then all their order mails
are put into the mailbox, and all campaigns are due. The same night, from copies
of the same PostgreSQL database, is done by one worker, by two, and so on: mail is
fetched, sheets are answered, turns resolved and archived, reports sent. The
clock runs from the arrival of the mails until the last mail is out.

Dovecot and Postfix on loopback, with TLS, and PostgreSQL (with fsync off) are
started for the occasion, on the same processors as the workers; so the table
shows the share of each. Workers start before the clock does.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Select, func, select

from bench.night import HOUSE, PASSWORD, PLAYER, Miscount
from bench.parts import mails
from bench.parts.club import USUAL_TABLE, Club
from pbem.games import installed_games
from pbem.store.models import Campaign, InboxMessage, OrderSheet, OutgoingMail, Turn, Worker
from pbem.store.session import Store
from pbem.store.types import CampaignState, MessageState, OutgoingState
from tests.servers.mail import MailServer, running_mail
from tests.servers.postgres import PostgresServer, running_postgres
from tests.servers.processes import server_folder

AIM = 1.8
"""The speed-up that two workers should reach."""

WAITING = "Waiting"
"""The mail folder of the night's messages before they arrive."""

LOOK_UP = 0.05
PATIENCE = 7200
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Night:
    """The cost of a night: seconds of wall-clock time, and of processor time of workers and database."""

    workers: int
    wall: float
    crew: float
    database: float


@dataclass(frozen=True)
class Played:
    """Campaigns in the middle of a game, to be copied for each night: their home, database and order mails."""

    home: Path
    database: str
    sheets: Sequence[bytes]
    campaigns: int


def prepare(server: MailServer, home: Path, database: str, *, game: str, campaigns: int, turns: int) -> Played:
    """Play some turns of so many campaigns; return them with the order mails of the next turn."""
    ruleset = installed_games()[game]
    club = Club(
        home,
        ruleset,
        min(USUAL_TABLE, ruleset.seats.most) * campaigns,
        server.address(HOUSE),
        server.address(PLAYER),
        now=dt.datetime.now(dt.UTC) - dt.timedelta(hours=turns + 3),
        settings={"database": f'"{database}"'},
    )
    club.play(turns)
    with closing(Store(database)) as store, store.reading() as session:
        running = session.scalar(select(func.count()).where(Campaign.status == CampaignState.RUNNING)) or 0
    return Played(home, database, club.sheets(), running)


def night(server: MailServer, postgres: PostgresServer, club: Played, workers: int) -> Night:
    """Measure a night of so many workers, in a copy of the prepared campaigns; raise Miscount."""
    for account in (HOUSE, PLAYER):
        mails.clear(server, account)
    home = club.home.with_name(f"{club.home.name}-{workers}")
    shutil.copytree(club.home, home)
    with postgres.fresh_database(like=club.database) as url, closing(Store(url)) as store:
        _write_settings(server, home, url)
        _lay_ready(server, club.sheets)
        children = os.times()
        with _crew(home, workers, store):
            before = _spent_by(postgres.daemon.process.pid)
            began = time.perf_counter()
            _let_come(server)
            _wait(store, club)
            wall = time.perf_counter() - began
            database = _spent_by(postgres.daemon.process.pid) - before
        ended = os.times()
    shutil.rmtree(home)
    crew = ended.children_user + ended.children_system - children.children_user - children.children_system
    return Night(workers, wall, crew, database)


def _write_settings(server: MailServer, home: Path, url: str) -> None:
    os.environ[PASSWORD] = server.password(HOUSE)
    settings = {
        "address": server.address(HOUSE),
        "inbox": server.inbox(HOUSE),
        "carrier": server.carrier(HOUSE),
        "tls_ca": str(server.ca_file),
        "database": url,
    }
    lines = [f'{name} = "{value}"' for name, value in settings.items()]
    lines += [f'{name}_password = {{ env = "{PASSWORD}" }}' for name in ("inbox", "carrier")]
    (home / "pbem.toml").write_text("\n".join([*lines, "pictures = false", "poll_seconds = 600"]))


def _lay_ready(server: MailServer, sheets: Sequence[bytes]) -> None:
    with server.imap(HOUSE) as imap:
        if not imap.folder_exists(WAITING):
            imap.create_folder(WAITING)
        for raw in sheets:
            imap.append(WAITING, raw)


def _let_come(server: MailServer) -> None:
    with server.imap(HOUSE) as imap:
        imap.select_folder(WAITING)
        imap.move(imap.search(), "INBOX")


@contextmanager
def _crew(home: Path, count: int, store: Store) -> Iterator[None]:
    """Run so many workers; the block begins when all are running and have polled once."""
    command = [sys.executable, "-c", "from pbem.cli import main; main()", "--home", str(home), "serve"]
    with ExitStack() as ending:
        log = ending.enter_context((home / "workers.log").open("w"))
        crew = [ending.enter_context(subprocess.Popen(command, stdout=log, stderr=log)) for _ in range(count)]  # noqa: S603
        try:
            _until(lambda: _count(store, select(func.count(Worker.id))) == count)
            time.sleep(3)
            yield
        finally:
            for worker in crew:
                worker.terminate()


def _wait(store: Store, club: Played) -> None:
    """Wait until everything is done; raise Miscount if it was not all that there was to do."""
    settled = (MessageState.PROCESSED, MessageState.QUARANTINED)
    letters = select(func.count(InboxMessage.id)).where(InboxMessage.state.in_(settled))
    before = _count(store, letters)
    newest = _count(store, select(func.max(Turn.id)))
    opened = select(func.count(Turn.id)).where(Turn.id > newest)
    left = select(func.count(OutgoingMail.id)).where(
        OutgoingMail.state.in_((OutgoingState.QUEUED, OutgoingState.SENDING))
    )
    unarchived = select(func.count(Turn.id)).where(Turn.resolved_at.is_not(None), Turn.archived_at.is_(None))
    _until(lambda: _count(store, opened) == club.campaigns and _count(store, left) == _count(store, unarchived) == 0)
    if _count(store, letters) - before != len(club.sheets):
        raise Miscount(f"{_count(store, letters) - before} letters dealt with instead of {len(club.sheets)}")
    taken = _count(store, select(func.count(OrderSheet.id)).join(InboxMessage, InboxMessage.id == OrderSheet.inbox_id))
    if not taken:
        raise Miscount("no sheet was taken")


def _until(ready: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not ready():
        if time.monotonic() > limit:
            raise TimeoutError("the workers do not get on")
        time.sleep(LOOK_UP)


def _count(store: Store, question: Select[int]) -> int:
    with store.reading() as session:
        return session.scalar(question) or 0


def _spent_by(server: int) -> float:
    """Return the processor time in seconds of a PostgreSQL server and of its processes, running or ended."""
    spent = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the process has just ended
        if int(stat.parent.name) == server:
            spent += sum(map(int, fields[11:15]))
        elif int(fields[1]) == server:
            spent += sum(map(int, fields[11:13]))
    return spent / TICKS


def row(night: Night, one: Night, campaigns: int) -> str:
    """Return a line of the table."""
    rate, faster = 60 * campaigns / night.wall, one.wall / night.wall
    busy = [1000 * spent / campaigns for spent in (night.crew, night.database)]
    return f"{night.workers:7} {night.wall:9.1f} {rate:13.1f} {faster:9.2f} {busy[0]:15.0f} {busy[1]:15.0f}"


HEADING = "workers   seconds  campaigns/min  x of one  workers' cpu ms  database cpu ms  (a campaign)"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="How many campaigns a night workers get through.")
    parser.add_argument("--game", choices=list(installed_games()), default="singularity_trap")
    parser.add_argument("--campaigns", type=int, default=1000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=2, help="turns played beforehand")
    asked = parser.parse_args()
    print(f"{asked.campaigns} campaigns of six, {os.cpu_count()} processors\n\n{HEADING}", flush=True)
    with ExitStack() as servers:
        folders = [servers.enter_context(server_folder(name)) for name in ("bench-mail", "bench-postgres")]
        mail = servers.enter_context(running_mail(folders[0]))
        postgres = servers.enter_context(running_postgres(folders[1]))
        home = Path(servers.enter_context(TemporaryDirectory()), "home")
        database = servers.enter_context(postgres.fresh_database())
        club = prepare(mail, home, database, game=asked.game, campaigns=asked.campaigns, turns=asked.turns)
        one: Night | None = None
        for workers in asked.workers:
            done = night(mail, postgres, club, workers)
            one = one or done
            print(row(done, one, club.campaigns), flush=True)
    print(f"\nAim: two workers get through {AIM} times as much as one.")


if __name__ == "__main__":
    main()
