"""The scheduled job: poll, answer, remind, resolve what is due, archive, send.

Each stage commits on its own and can be killed anywhere; the next tick goes on
from there. One tick runs at a time in a home.
"""

from __future__ import annotations

import datetime as dt
import fcntl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import func, select

from pbem.campaign.archiving import archive_left
from pbem.campaign.due import Due, due, remind
from pbem.campaign.problems import report_problem
from pbem.campaign.table import check_running, load_table
from pbem.campaign.turnrun import run_turn
from pbem.desk.answer import Tally, answer_letters
from pbem.errors import PbemError, StoreError
from pbem.house import House
from pbem.post.carriers import open_carrier
from pbem.post.intake import poll
from pbem.post.mailbox import open_mailbox
from pbem.post.outbox import Sent, send_due
from pbem.progress import Progress, silent
from pbem.store.models import Outgoing

LOCK = "tick.lock"


@dataclass(slots=True)
class Ticked:
    """What a tick did; nothing, if another was at work (`busy`). `problems` are sentences for the GM."""

    busy: bool = False
    polled: int = 0
    answered: Tally = field(default_factory=Tally)
    reminded: int = 0
    resolved: list[Due] = field(default_factory=list)
    archived: int = 0
    sent: Sent = field(default_factory=Sent)
    problems: list[str] = field(default_factory=list)


def tick(house: House, now: dt.datetime, *, progress: Progress = silent) -> Ticked:
    """Does all that is to be done now.

    If the mailbox cannot be read no turn is resolved by its deadline and nobody
    is reminded, since sheets may be lying there; turns whose sheets are all in
    go on.
    """
    done = Ticked()
    with _alone(house) as alone:
        if not alone:
            done.busy = True
            return done
        readable = _poll(house, now, done)
        done.answered = answer_letters(house, now, progress=progress)
        if readable:
            done.reminded, problems = remind(house, now)
            done.problems += problems
        _resolve(house, due(house, now, by_deadline=readable), now, done, progress)
        _archive(house, now, done)
        _send(house, now, done, progress)
    return done


def run_now(house: House, name: str, now: dt.datetime, *, progress: Progress = silent) -> Ticked:
    """Resolves a campaign's open turn on the GM's word, after reading the mail; archives and sends.

    Raises CampaignError when there is no open turn, PostError when the mailbox
    cannot be read.
    """
    done = Ticked()
    with _alone(house) as alone:
        if not alone:
            done.busy = True
            return done
        number = _open_number(house, name)
        done.polled = _poll_mailbox(house, now)
        done.answered = answer_letters(house, now, progress=progress)
        _resolve(house, [Due(name, number, "by the GM")], now, done, progress)
        _archive(house, now, done)
        _send(house, now, done, progress)
    return done


def _open_number(house: House, name: str) -> int:
    with house.store.reading() as session:
        table = load_table(session, name)
    check_running(table)
    return table.turn


@contextmanager
def _alone(house: House) -> Iterator[bool]:
    """Whether this process is the only one ticking; the lock ends with the process, however it ends."""
    with (house.settings.home / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _poll_mailbox(house: House, now: dt.datetime) -> int:
    mailbox = open_mailbox(house.settings)
    try:
        return poll(house.store, mailbox, now)
    finally:
        mailbox.close()


def _poll(house: House, now: dt.datetime, done: Ticked) -> bool:
    try:
        done.polled = _poll_mailbox(house, now)
    except PbemError as error:
        done.problems.append(f"{error}; turns wait for it, even past their deadlines")
        return False
    return True


def _resolve(house: House, turns: Sequence[Due], now: dt.datetime, done: Ticked, progress: Progress) -> None:
    for count, turn in enumerate(turns, start=1):
        try:
            if run_turn(house, turn.campaign, now, reason=turn.reason, number=turn.turn):
                done.resolved.append(turn)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one game's fault must not stop the other campaigns
            done.problems.append(report_problem(house, turn, error, now))
        progress("resolving", count, len(turns))


def _archive(house: House, now: dt.datetime, done: Ticked) -> None:
    done.archived, problems = archive_left(house, now)
    done.problems += problems


def _send(house: House, now: dt.datetime, done: Ticked, progress: Progress) -> None:
    with house.store.reading() as session:
        waiting = select(func.count()).where(Outgoing.state.in_(("queued", "sending")), Outgoing.not_before <= now)
        total = session.scalar(waiting) or 0
    try:
        carrier = open_carrier(house.settings)
        try:
            done.sent = send_due(house.store, carrier, now, on_sent=_counter(progress, total))
        finally:
            carrier.close()
    except PbemError as error:
        done.problems.append(f"mail cannot be sent now: {error}")
    if done.sent.trouble:
        done.problems.append(f"mail cannot be sent now: {done.sent.trouble}")


def _counter(progress: Progress, total: int) -> Callable[[], None]:
    sent = 0

    def count() -> None:
        nonlocal sent
        sent += 1
        progress("sending", sent, total)

    return count
