"""The post is down for days, and the clock is wrong for a while."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.local import LocalNight, recovered
from tests.faults.night import NIGHT, tick_in_a_process
from tests.toy.home import Desk, text_of

ANN = "ann@example.org"
DAY = dt.timedelta(days=1)
YEAR = 365 * DAY


@contextmanager
def unusable(folder: Path) -> Iterator[None]:
    """A folder of the post cannot be used: there is something else in its place."""
    folder.parent.mkdir(exist_ok=True)
    aside = folder.with_name("aside")
    if folder.is_dir():
        folder.rename(aside)
    folder.write_text("not a folder")
    yield
    folder.unlink()
    if aside.is_dir():
        aside.rename(folder)


def test_a_mailbox_that_is_down_for_a_day(desk: Desk) -> None:
    """The deadline passes and the turn waits, nobody is reminded, and a sheet sent in time is read before it runs."""
    desk.begin()
    desk.tick(hours=72)
    with unusable(desk.home / "post" / "inbox"):
        done = [desk.tick(hours=12) for _ in range(4)]
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    after = desk.tick()

    assert [(tick.resolved, tick.reminded) for tick in done] == [([], 0)] * 4
    assert all("turns wait for it" in tick.problems[0] for tick in done)
    assert [turn.reason for turn in after.resolved] == ["deadline"]
    assert "resolved with your sheet 1" in text_of(desk.last(ANN))


def test_a_carrier_that_is_down_for_a_week(desk: Desk) -> None:
    """Nothing is given up while no mail passes at all; then everything goes out, once."""
    desk.begin()
    with unusable(desk.home / "post" / "sent"):
        for _ in range(8):
            desk.tick(hours=24)
    desk.tick(hours=4)
    desk.tick(hours=4)

    ids = [mail["Message-ID"] for mail in desk.mails()]
    subjects = [str(mail["Subject"]) for mail in desk.mails(ANN)]
    assert len(ids) == len(set(ids))
    assert sum("Welcome" in subject for subject in subjects) == 1
    assert sum("report for red" in subject for subject in subjects) == 2


def test_a_clock_ahead_while_no_mail_passes(desk: Desk) -> None:
    """Mail that was to be tried again by a clock a year ahead goes out as soon as the clock is right."""
    with unusable(desk.home / "post" / "sent"):
        desk.begin()
        desk.now += YEAR
        desk.tick()
        desk.now -= YEAR

    assert desk.tick(hours=1).sent.sent == 2 + 2 + 2


def test_a_clock_ahead_when_the_host_dies(night: LocalNight) -> None:
    """Mail that was claimed by a clock a year ahead goes out too, and the archive is whole."""
    passed = tick_in_a_process(night.copy(), now=NIGHT + YEAR).passed
    sending = [at for at, name in enumerate(passed) if "post/sent/tmp" in name]
    home = night.copy()
    tick_in_a_process(home, at=sending[len(sending) // 2], now=NIGHT + YEAR)

    assert [turns for _, turns, _ in recovered(home).proofs] == [1, 1, 1, 1, 0]


def test_a_clock_that_goes_back(night: LocalNight) -> None:
    """A tick two days early, after the night's, undoes nothing and does nothing twice."""
    home = night.copy()
    for now in (NIGHT, NIGHT - 2 * DAY):
        tick_in_a_process(home, now=now)

    assert recovered(home).difference(night.undisturbed) == ""
