"""No message holds up the others: one that takes too long, too much memory or kills the process is quarantined."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbem.admin.mail import list_messages, retry_message
from pbem.cli.tick import tick_lines
from pbem.errors import StoreError
from pbem.store.models import InboxMessage, Turn
from tests.faults.program import Program
from tests.inbox.magic import Magic, main
from tests.inbox.people import ANN, BOB, GM, words
from tests.patience import PATIENCE
from tests.toy.home import Desk
from tests.toy.ruleset import Auction

ROOT = Path(__file__).parents[2]
SHEET = "ORDERS toy1 {seat}\n{line}\nEND"


def harmful(desk: Desk, *, seconds: float = 0.5) -> None:
    """Start a campaign of the game with the harmful lines; a message has so many seconds."""
    desk.start()
    settings = dataclasses.replace(desk.app.settings, letter_seconds=seconds)
    desk.app = dataclasses.replace(desk.app, settings=settings, games={"toy": Magic()})


def post_three(desk: Desk, line: str) -> None:
    """Post a message that does harm, between two that do none."""
    for seat, sender, said in (("blue", BOB, "BID 1"), ("red", ANN, line), ("blue", BOB, "BID 2")):
        desk.post(SHEET.format(seat=seat, line=said), sender=sender)


def letters(desk: Desk) -> list[InboxMessage]:
    """Return all messages, in the order in which they came."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(InboxMessage).order_by(InboxMessage.id)))


def ticked(desk: Desk) -> int | None:
    """Tick in another process in the same home; return its exit code."""
    return Program(main, "tick", desk.home, desk.now).ended().returncode


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("LOOP", "reading and answering it took more than 0.5 seconds of the processor's time"),
        ("MEMORY", "MemoryError"),
    ],
)
def test_a_message_beyond_its_limits_is_quarantined(desk: Desk, line: str, why: str) -> None:
    """Other messages are processed; GM and sender are told, and the list says why."""
    harmful(desk)
    post_three(desk, line)
    done = desk.tick()

    assert (done.processed.sheets, done.processed.quarantined) == (2, 1)
    assert [letter.state for letter in letters(desk)] == ["processed", "quarantined", "processed"]
    assert list_messages(desk.app.store, "quarantined", limit=9).messages[0].note.splitlines()[-1].startswith(why)
    assert why[1:] in words(desk.last(GM))
    assert "Please send your orders once more" in words(desk.last(ANN))


def test_a_quarantined_message_can_be_retried(desk: Desk) -> None:
    """Once the cause is mended, the GM can have a quarantined message processed."""
    harmful(desk)
    post_three(desk, "LOOP")
    desk.tick()
    desk.app = dataclasses.replace(desk.app, games={"toy": Auction()})
    retry_message(desk.app.store, letters(desk)[1].id)
    desk.tick()

    assert letters(desk)[1].state == "processed"


def test_a_message_that_kills_the_process_twice_is_quarantined(desk: Desk) -> None:
    """A message that kills the process is quarantined after one try among others, which proves nothing, and two alone.

    GM and sender are told; every other message is answered once.
    """
    harmful(desk)
    post_three(desk, "KILL")
    ends = [ticked(desk) for _ in range(4)]

    assert ends == [-signal.SIGKILL] * 3 + [0]
    assert [letter.state for letter in letters(desk)] == ["processed", "quarantined", "processed"]
    assert letters(desk)[1].note.startswith("reading it has ended this program twice")
    assert "Reading it has ended this program twice" in words(desk.last(GM))
    assert "Please send your orders once more" in words(desk.last(ANN))
    assert len([mail for mail in desk.mails(BOB) if "Sheet " in words(mail)]) == 2


def test_two_kills_quarantine_no_message(desk: Desk) -> None:
    """Two kills quarantine no message: the first is charged to none of the batch, the second once to one message."""
    harmful(desk)
    post_three(desk, "KILL")
    for _ in range(2):
        assert ticked(desk) == -signal.SIGKILL
    desk.app = dataclasses.replace(desk.app, games={"toy": Auction()})

    assert desk.tick().processed.quarantined == 0
    assert [letter.state for letter in letters(desk)] == ["processed"] * 3


def flood(desk: Desk, monkeypatch: pytest.MonkeyPatch, came: Callable[[int], dt.timedelta]) -> None:
    """Post five sheets of which a tick processes two; each came so long after the deadline, which was an hour ago."""
    harmful(desk)
    monkeypatch.setattr("pbem.scheduler.tick.MOST_BYTES", 1)
    monkeypatch.setattr("pbem.inbox.process.AT_ONCE", 2)
    with desk.app.store.reading() as session:
        deadline = session.scalars(select(Turn.deadline).where(Turn.deadline.is_not(None))).first()
    assert deadline is not None
    for number in range(5):
        desk.post(SHEET.format(seat="blue", line=f"BID {number}"), sender=BOB)
    for number, file in enumerate(sorted((desk.home / "post" / "inbox").iterdir())):
        at = (deadline + came(number)).timestamp()
        os.utime(file, (at, at))
    desk.now = deadline + dt.timedelta(hours=1)


def test_a_tick_processes_so_many_bytes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tick answers so many bytes of mail, and the next one goes on; no turn is run for which a message may wait."""
    flood(desk, monkeypatch, lambda _: dt.timedelta(hours=-1))
    ticks = [desk.tick() for _ in range(3)]

    assert [done.processed.messages for done in ticks] == [2, 2, 1]
    assert [done.processed.left for done in ticks] == [3, 1, 0]
    assert [len(done.resolved) for done in ticks] == [0, 0, 1]
    assert [done.sent.sent > 0 for done in ticks] == [True] * 3
    assert "3 messages left for the next tick" in " ".join(tick_lines(ticks[0]))


def test_a_turn_is_run_while_later_messages_wait(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of mail after the deadline does not hold up the turn."""
    flood(desk, monkeypatch, lambda number: dt.timedelta(minutes=number - 1))
    done = desk.tick()

    assert done.processed.left == 3
    assert [turn.turn for turn in done.resolved] == [1]


def test_messages_beside_one_that_killed_are_processed_in_order(desk: Desk) -> None:
    """New messages do not overtake those that were tried before."""
    harmful(desk)
    desk.post(SHEET.format(seat="blue", line="BID 1"), sender=BOB)
    post_three(desk, "BID 3")
    desk.tick()
    with desk.app.store.writing() as session:
        session.execute(update(InboxMessage).where(InboxMessage.id <= 2).values(state="new", attempts=1))
        session.execute(update(InboxMessage).where(InboxMessage.id > 2).values(state="new"))
    desk.tick()

    assert [letter.note for letter in letters(desk)] == [
        f"sheet {version} of {seat} in toy1" for seat, version in (("blue", 4), ("blue", 5), ("red", 2), ("blue", 6))
    ]


def test_an_attempt_that_raises_is_charged_to_no_message(desk: Desk) -> None:
    """A locked database is charged to no message, nor is a tick that its GM stops."""
    harmful(desk)
    post_three(desk, "LOCK")
    for _ in range(3):
        with pytest.raises(StoreError):
            desk.tick()

    assert [(letter.state, letter.attempts) for letter in letters(desk)][1:] == [("new", 0), ("new", 0)]


def test_serve_is_stopped_over_a_message(desk: Desk) -> None:
    """A server stopped while it reads a message ends with code 0; the message stays new and is not charged."""
    harmful(desk)
    post_three(desk, "LOOP")
    command = [sys.executable, "-m", "tests.inbox.magic", "serve", str(desk.home), desk.now.isoformat()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "harm begins\n"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)

    assert process.returncode == 0
    assert [(letter.state, letter.attempts) for letter in letters(desk)][1:] == [("new", 0), ("new", 0)]
