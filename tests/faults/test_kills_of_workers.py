"""Test of workers that start, end and are killed at random for some nights, with restarts of their database."""

from __future__ import annotations

import datetime as dt
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from pbem.app import App, open_app
from pbem.errors import StoreError
from pbem.log import open_log
from pbem.scheduler.tick import stopped_by_signals
from pbem.scheduler.worker import run_worker
from pbem.store.migrate import migrate
from pbem.store.models import Campaign, InboxMessage, OrderSheet, OutgoingMail, Seat, Turn
from pbem.store.queue import create_queue_tables
from pbem.store.session import JobQueue, read_clock
from pbem.store.types import MessageState, OutgoingState
from tests.faults.local import delivered
from tests.faults.night import processes
from tests.faults.outcome import astray, outcome
from tests.patience import PATIENCE
from tests.servers.postgres import PostgresServer, running_postgres
from tests.servers.processes import server_folder
from tests.toy.home import GAMES, Desk, open_desk

CAMPAIGNS = tuple(f"toy{number}" for number in range(5))
SHEETS = (("red", "ann@example.org"), ("blue", "bob@example.org"))
NIGHTS = 2
STRIKES = 10
"""Strikes in a night, after which the workers are left alone until it is over."""

MOST_WORKERS = 3
LOST_AFTER = dt.timedelta(seconds=2)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """Yield a server for these tests alone, since it is restarted."""
    with server_folder("restarted") as folder, running_postgres(folder) as server:
        yield server


@dataclass
class Crew:
    """The workers of an installation, and a source of chance."""

    home: Path
    rnd: random.Random
    workers: list[ForkServerProcess] = field(default_factory=list)

    def strike(self) -> None:
        """Start a worker, or kill or end one."""
        self.workers = [worker for worker in self.workers if worker.is_alive()]
        if len(self.workers) < MOST_WORKERS and (not self.workers or self.rnd.random() < 0.5):
            self.start()
        else:
            worker = self.rnd.choice(self.workers)  # one that was told to end may have done so by now
            self.rnd.choice((worker.kill, worker.terminate))()

    def start(self) -> None:
        """Start a worker."""
        worker = processes().Process(target=_work, args=(self.home,), daemon=True)
        worker.start()
        self.workers.append(worker)

    def end(self) -> list[int | None]:
        """Tell all live workers to end; return their exit codes."""
        ending = [worker for worker in self.workers if worker.is_alive()]
        for worker in ending:
            worker.terminate()
        for worker in ending:
            worker.join(PATIENCE)
        return [worker.exitcode for worker in ending]


def _work(home: Path) -> None:
    with open_app(home, GAMES) as app, open_log(app.settings.log), stopped_by_signals() as stop:
        run_worker(app, tuple(JobQueue), stop=stop, told=lambda _: None, lost_after=LOST_AFTER)


def close(desk: Desk, night: int) -> None:
    """Let all players send a sheet, and then let all deadlines pass."""
    for name in CAMPAIGNS:
        for seat, sender in SHEETS:
            desk.post(f"ORDERS {name} {seat}\nBID {night}\nEND", sender=sender)
    desk.post("Buy now!", sender="spam@example.com")
    with desk.app.store.writing() as session:
        is_open = (Turn.number == night, Turn.resolved_at.is_(None))
        session.execute(update(Turn).where(*is_open).values(deadline=read_clock(session)))


def is_over(app: App, night: int) -> bool:
    """Return True if all turns of a night are archived, all messages processed and all mail sent."""
    try:
        with app.store.reading() as session:
            run = select(func.count()).where(Turn.number == night, Turn.archived_at.is_not(None))
            letters = select(func.count()).where(InboxMessage.state != MessageState.NEW)
            left = select(func.count()).where(OutgoingMail.state.in_((OutgoingState.QUEUED, OutgoingState.SENDING)))
            wanted = (len(CAMPAIGNS), night * (len(CAMPAIGNS) * len(SHEETS) + 1), 0)
            return tuple(session.scalar(each) for each in (run, letters, left)) == wanted
    except StoreError:
        return False


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(5))
def test_workers_that_are_killed(server: PostgresServer, tmp_path: Path, seed: int) -> None:
    """Every sheet counts once, every turn runs once, every mail is sent unchanged, and all archives are proved."""
    with server.fresh_database() as url:
        migrate(url)
        create_queue_tables(url)
        with open_desk(tmp_path / "home", database=url) as desk:
            _soak(server, desk, random.Random(seed))


def _soak(server: PostgresServer, desk: Desk, rnd: random.Random) -> None:
    for name in CAMPAIGNS:
        desk.begin(name=name, rounds="9")
    settings = desk.home / "pbem.toml"
    settings.write_text(settings.read_text().replace("poll_seconds = 60", "poll_seconds = 5"))
    crew = Crew(desk.home, rnd)
    for night in range(1, NIGHTS + 1):
        close(desk, night)
        restart_at = rnd.randrange(STRIKES)
        for number in range(STRIKES):
            crew.strike()
            time.sleep(rnd.uniform(0.1, 1.0))
            if number == restart_at:
                server.restart()
                desk.app.store.close()  # its connections are broken
        crew.start()
        _let_claims_run_out(desk.app)
        limit = time.monotonic() + PATIENCE
        while not is_over(desk.app, night):
            assert time.monotonic() < limit, f"night {night} is not over"
            time.sleep(0.2)
    codes = crew.end()

    assert {0} <= set(codes) <= {0, -signal.SIGTERM}  # one may have been told before it could hear
    _check(desk)


def _let_claims_run_out(app: App) -> None:
    """Let the claims of killed workers expire, so that others send their mail."""
    with app.store.writing() as session:
        claimed = update(OutgoingMail).where(OutgoingMail.state == OutgoingState.SENDING)
        session.execute(claimed.values(not_before=read_clock(session)))


def _check(desk: Desk) -> None:
    app = desk.app
    with app.store.reading() as session:
        sheets = select(OrderSheet.turn_id, OrderSheet.seat_id, OrderSheet.version)
        turns = select(Campaign.name, Turn.number).join(Campaign, Campaign.id == Turn.campaign_id)
        ran = Counter((name, number) for name, number in session.execute(turns.where(Turn.resolved_at.is_not(None))))
        assert [version for _, _, version in session.execute(sheets)] == [1] * NIGHTS * len(CAMPAIGNS) * len(SHEETS)
        assert set(session.scalars(select(Seat.nmr_total))) == {0}
        assert ran == Counter((name, number) for name in CAMPAIGNS for number in range(NIGHTS + 1))
        assert set(session.scalars(select(InboxMessage.state))) == {MessageState.PROCESSED}
    assert astray(app, delivered(desk.home)) == []
    assert [proof[1] for proof in outcome(app).proofs] == [NIGHTS] * len(CAMPAIGNS)
