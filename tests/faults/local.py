"""The night in a home of its own: every kill has a copy of it.

Its mail goes through Maildir, its database is SQLite or on a server.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pbem.app import App, open_app
from pbem.config_values import FILE_NAME
from pbem.errors import PbemError
from pbem.scheduler.tick import tick
from tests.faults.night import GAMES, LATER, NIGHT, points_of, tick_in_a_process
from tests.faults.outcome import Outcome, astray, idle, outcome
from tests.faults.trap import Strike, kill
from tests.sampling import Sampler
from tests.servers.postgres import PostgresServer
from tests.toy.home import make_home

ROUNDS = 3
"""Ticks after which there is nothing more to do: by the last, the settling time of waiting turns is over."""


@dataclass(frozen=True)
class Night(ABC):
    """A home before its night."""

    home: Path

    @abstractmethod
    def fresh(self) -> AbstractContextManager[Path]:
        """Yield a copy of the home, with all that it uses as it was before the night."""

    def recovered(self, home: Path) -> Outcome:
        """Tick until nothing is left to do; return the outcome."""
        return recovered(home)

    def after(self, at: int, strike: Strike = kill) -> Outcome:
        """Return the outcome of the night if its tick is struck at a point, and others follow."""
        with self.fresh() as home:
            assert tick_in_a_process(home, at=at, strike=strike).code == (-9 if strike is kill else 0)
            return self.recovered(home)

    @cached_property
    def _trial(self) -> tuple[tuple[str, ...], Outcome]:
        with self.fresh() as home:
            ended = tick_in_a_process(home)
            assert ended.code == 0
            return ended.passed, self.recovered(home)

    @property
    def passed(self) -> tuple[str, ...]:
        """The points that the night's tick passes."""
        return self._trial[0]

    @property
    def undisturbed(self) -> Outcome:
        """The outcome of the night if it is not disturbed."""
        return self._trial[1]

    def points(self, kind: str) -> list[int]:
        """Return the points of a kind that the night's tick passes; see `points_of`."""
        return points_of(kind, self.passed)

    def faults(self, points: Iterable[int], strike: Strike = kill) -> dict[str, str]:
        """Strike at each of these points; return the faults afterwards, by the point's number and name."""
        found = {}
        for at in points:
            try:
                wrong = self.after(at, strike).difference(self.undisturbed)
            except (AssertionError, PbemError) as error:
                wrong = repr(error)
            if wrong:
                found[f"{at} {self.passed[at]}"] = wrong
        return found


@dataclass(frozen=True)
class LocalNight(Night):
    """A night in a home of files alone."""

    @contextmanager
    def fresh(self) -> Iterator[Path]:
        """Yield a copy of the home."""
        yield self.copy()

    def copy(self) -> Path:
        """Copy the home beside it, replacing an earlier copy."""
        return copy_home(self.home, "copy")


@dataclass(frozen=True)
class PostgresNight(Night):
    """A night in a home whose database is on a server; that at `template` is for copying."""

    template: str
    server: PostgresServer

    @contextmanager
    def fresh(self) -> Iterator[Path]:
        """Yield a copy of the home with its own database."""
        home = copy_home(self.home, "copy")
        with self.server.fresh_database(like=self.template) as url:
            change_settings(home, database=url)
            yield home


def make_night(folder: Path, work: Callable[[Path], list[bytes]], *, database: str = "") -> Path:
    """Prepare a night's work in a folder: the messages in its inbox in the order of their times; return the home."""
    home = make_home(folder / work.__name__ / "home", database=database)
    put_in_inbox(home, work(home))
    return home


def put_in_inbox(home: Path, letters: Iterable[bytes]) -> None:
    """Put messages into a home's inbox, as if they had arrived one after the other before the night."""
    inbox = home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    for number, raw in enumerate(letters):
        path = inbox / f"{number:02}.eml"
        path.write_bytes(raw)
        came = NIGHT.timestamp() - 3600 + number
        os.utime(path, (came, came))


def recovered(home: Path, *, after: dt.datetime = NIGHT) -> Outcome:
    """Tick until nothing is left to do; return the outcome. No mail is astray, and the inbox is empty."""
    with open_app(home, GAMES) as app:
        for number in range(1, ROUNDS + 1):
            tick(app, after + number * LATER)
        assert idle(tick(app, after + (ROUNDS + 1) * LATER))
        wrong = astray(app, delivered(home))
        assert not wrong, wrong
        assert _waiting(home) == []
        return outcome(app)


def copy_home(home: Path, name: str) -> Path:
    """Copy a home beside it, replacing an earlier copy of this name."""
    copy = home.with_name(name)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(home, copy)
    return copy


COMMITS_TAKEN = 3
"""Commits of a tick that it is killed at in a usual run."""


def ticked_after_kills(home: Path, now: dt.datetime, sampler: Sampler) -> Iterator[tuple[App, str, set[bytes]]]:
    """Kill a tick at commits of the day, and tick twice more; yield the open home, the point, and the mails sent."""
    passed = tick_in_a_process(copy_home(home, "copy"), now=now).passed
    commits = [at for at, point in enumerate(passed) if point.startswith("commit")]
    assert commits
    for at in sampler.sample(commits, COMMITS_TAKEN):
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at, now=now).code == -9
        with open_app(copy, GAMES) as app:
            tick(app, now)
            tick(app, now + dt.timedelta(hours=3))  # what was about to be sent is sent again by then
            yield app, passed[at], {path.read_bytes() for path in (copy / "post" / "sent" / "new").iterdir()}


def delivered(home: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the mails in the local mail folder, each with its recipient."""
    for path in sorted((home / "post" / "sent" / "new").iterdir()):
        raw = path.read_bytes()
        yield raw.partition(b"\nTo: ")[2].partition(b"\n")[0].decode(), raw


def _waiting(home: Path) -> list[Path]:
    inbox = home / "post" / "inbox"
    return [*inbox.glob("*.eml"), *inbox.glob("new/*"), *inbox.glob("cur/*")]


def change_settings(home: Path, **settings: str) -> None:
    """Change values in a home's settings."""
    path = home / FILE_NAME
    text = path.read_text()
    for name, value in settings.items():
        text = re.sub(rf'^{name} = "[^"]*"', f'{name} = "{value}"', text, flags=re.MULTILINE)
    path.write_text(text)
