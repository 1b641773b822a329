"""Tests of mail servers that are down for days, and of a clock that is wrong for a while."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import select

from pbem.admin.health import home_status
from pbem.scheduler.work import TickResult
from pbem.store.models import JournalEntry
from tests.faults.local import LocalNight, recovered
from tests.faults.night import NIGHT, tick_in_a_process
from tests.toy.home import Desk, text_of

ANN = "ann@example.org"
DAY = dt.timedelta(days=1)
YEAR = 365 * DAY


@contextmanager
def unusable(folder: Path) -> Iterator[None]:
    """Make a mail folder unusable in the block, by putting a file in its place."""
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
    """The turn waits after its deadline, no reminders are sent, and a sheet sent in time is read before it runs."""
    desk.begin()
    desk.tick(hours=72)
    with unusable(desk.home / "post" / "inbox"):
        done = [desk.tick(hours=12) for _ in range(4)]
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    after = desk.tick()

    assert [(tick.resolved, tick.reminded) for tick in done] == [([], 0)] * 4
    assert all("turns wait for it" in tick.problems[0] for tick in done)
    assert [turn.reason for turn in after.resolved] == ["deadline"]
    assert "made of your sheet 1" in text_of(desk.last(ANN))


def steady(desk: Desk, *, hours: float, each: float = 0.25) -> TickResult:
    """Let the installation poll each quarter of an hour, or so; return the last tick."""
    for _ in range(int(hours / each)):
        done = desk.tick(hours=each, live=True)
    return done


def journal(desk: Desk) -> list[str]:
    """Return the texts of all journal entries."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(JournalEntry.text).order_by(JournalEntry.id)))


def test_a_deadline_in_an_outage_waits_as_long_as_that_was(desk: Desk) -> None:
    """After an outage from Friday 17:00 to Saturday 3:00 UTC, the turn of Friday 19:00 runs ten hours later."""
    desk.begin()
    desk.tick(hours=103.5, live=True)
    steady(desk, hours=0.5)
    with unusable(desk.home / "post" / "inbox"):
        assert steady(desk, hours=10, each=1).resolved == []
    before = [desk.tick(live=True), steady(desk, hours=9.75)]
    after = steady(desk, hours=0.25)

    assert [done.resolved for done in before] == [[], []]
    assert [turn.reason for turn in after.resolved] == ["deadline"]
    assert any("turn 1 waits until Sat 7 Nov 2026 14:00 Europe/Berlin (13:00 UTC)" in act for act in journal(desk))


def test_a_grace_that_ends_in_an_outage_is_told_to_wait(desk: Desk) -> None:
    """If the grace ends in an outage, its end waits, and the journal says so."""
    desk.begin(rules={"grace": "10h"})
    desk.tick(hours=107, live=True)
    steady(desk, hours=0.5)
    with unusable(desk.home / "post" / "inbox"):
        steady(desk, hours=12, each=1)
    desk.tick(live=True)

    assert any("turn 1 waits until" in act for act in journal(desk))
    assert steady(desk, hours=1).resolved == []


def test_a_host_that_was_off_over_a_deadline(desk: Desk) -> None:
    """Deadlines also wait if no tick has run, and status says until when."""
    desk.begin()
    steady(desk, hours=1)
    done = desk.tick(hours=125, live=True)

    (notice,) = home_status(desk.app).notices
    assert done.resolved == []
    assert "wait until Sun 8 Nov 2026 15:00 UTC" in notice
    assert [turn.reason for turn in desk.tick(hours=24, live=True).resolved] == ["deadline"]


def test_a_full_turn_waits_for_no_outage(desk: Desk) -> None:
    """A turn with all sheets in does not wait."""
    desk.begin()
    steady(desk, hours=1)
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    desk.post("ORDERS toy1 blue\nBID 2\nEND", sender="bob@example.org")
    desk.tick(hours=125, live=True)

    assert [turn.reason for turn in desk.tick(hours=1, live=True).resolved] == ["all_in"]


def test_a_clock_that_jumps_ahead_resolves_nothing(desk: Desk) -> None:
    """A clock a month ahead looks like an outage; when it is right again, the deadline is unchanged."""
    desk.begin()
    steady(desk, hours=1)
    ahead = desk.tick(hours=720, live=True)
    back = desk.tick(hours=-719, live=True)

    assert (ahead.resolved, back.resolved) == ([], [])
    assert home_status(desk.app).notices == ()
    assert [turn.reason for turn in steady(desk, hours=104, each=2).resolved] == ["deadline"]


def test_a_house_that_grants_nothing_for_outages(desk: Desk) -> None:
    """With `outage_hours = 0` deadlines do not wait for outages."""
    desk.begin()
    settings = dataclasses.replace(desk.app.settings, outage_hours=0)
    desk.app = dataclasses.replace(desk.app, settings=settings)
    steady(desk, hours=1)

    assert [turn.reason for turn in desk.tick(hours=125, live=True).resolved] == ["deadline"]


def test_a_carrier_that_is_down_for_a_week(desk: Desk) -> None:
    """No mail is given up while none can be sent at all; then all are sent, once."""
    desk.begin()
    with unusable(desk.home / "post" / "sent"):
        for _ in range(8):
            desk.tick(hours=24)
    desk.tick(hours=4)
    desk.tick(hours=4)

    ids = [mail["Message-ID"] for mail in desk.mails()]
    subjects = [str(mail["Subject"]) for mail in desk.mails(ANN)]
    assert len(ids) == len(set(ids))
    assert sum("the game starts" in subject for subject in subjects) == 1
    assert sum(", due " in subject for subject in subjects) == 2


def test_a_clock_ahead_while_no_mail_passes(desk: Desk) -> None:
    """Mail deferred by a clock a year ahead is sent as soon as the clock is right."""
    with unusable(desk.home / "post" / "sent"):
        desk.begin()
        desk.now += YEAR
        desk.tick()
        desk.now -= YEAR

    desk.tick(hours=1)
    assert [len(desk.mails(player)) for player in (ANN, "bob@example.org")] == [3, 3]


def test_a_clock_ahead_when_the_host_dies(night: LocalNight) -> None:
    """Mail claimed by a clock a year ahead is sent too, and the archive is complete."""
    passed = tick_in_a_process(night.copy(), now=NIGHT + YEAR).passed
    sending = [at for at, name in enumerate(passed) if "post/sent/tmp" in name]
    home = night.copy()
    tick_in_a_process(home, at=sending[len(sending) // 2], now=NIGHT + YEAR)

    assert [turns for _, turns, _ in recovered(home).proofs] == [1, 1, 1, 1, 0]


def test_a_clock_that_goes_back(night: LocalNight) -> None:
    """A tick two days early, after the night's, undoes nothing and repeats nothing."""
    home = night.copy()
    for now in (NIGHT, NIGHT - 2 * DAY):
        tick_in_a_process(home, now=now)

    assert recovered(home).difference(night.undisturbed) == ""
