"""The night in a home of files alone, SQLite and Maildir: every kill has a copy of it."""

from __future__ import annotations

import datetime as dt
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pbem.app import open_app
from pbem.scheduler.tick import tick
from tests.faults.night import GAMES, LATER, NIGHT, tick_in_a_process, whole_night
from tests.faults.outcome import Outcome, astray, idle, outcome
from tests.faults.trap import fill_disk, lock_database
from tests.toy.home import make_home

ROUNDS = 3
"""Ticks after which there is nothing more to do: by the last, the settling time of waiting turns is over."""


@dataclass(frozen=True)
class LocalNight:
    """A home before its night, the points its tick passes, and the outcome if it is not disturbed."""

    home: Path
    passed: tuple[str, ...]
    undisturbed: Outcome

    def copy(self, name: str = "copy") -> Path:
        """Copy the home beside it, replacing an earlier copy of this name."""
        return copy_home(self.home, name)

    def after_kill(self, at: int) -> Outcome:
        """Return the outcome of the night if its tick is killed at a point, and others follow."""
        home = self.copy()
        assert tick_in_a_process(home, at=at).code == -9
        return recovered(home)

    def after_full_disk(self, at: int) -> Outcome:
        """Return the outcome if the disk is full from a point on, and has space again for later ticks."""
        home = self.copy()
        assert tick_in_a_process(home, at=at, strike=fill_disk).code == 0
        return recovered(home)

    def after_lock(self, at: int) -> Outcome:
        """Return the outcome if the database is locked from a point to the end of the tick."""
        home = self.copy()
        assert tick_in_a_process(home, at=at, strike=lock_database).code == 0
        return recovered(home)


def prepare(folder: Path, work: Callable[[Path], list[bytes]] = whole_night) -> LocalNight:
    """Prepare a night's work in a folder: the messages in its inbox in the order of their times."""
    home = make_home(folder / "home")
    put_in_inbox(home, work(home))
    trial = copy_home(home, "trial")
    ended = tick_in_a_process(trial)
    return LocalNight(home, ended.passed, recovered(trial))


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


def delivered(home: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the mails in the local mail folder, each with its recipient."""
    for path in sorted((home / "post" / "sent" / "new").iterdir()):
        raw = path.read_bytes()
        yield raw.partition(b"\nTo: ")[2].partition(b"\n")[0].decode(), raw


def _waiting(home: Path) -> list[Path]:
    inbox = home / "post" / "inbox"
    return [*inbox.glob("*.eml"), *inbox.glob("new/*"), *inbox.glob("cur/*")]
