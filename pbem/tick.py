"""The scheduled job: poll, answer, remind, resolve what is due, archive, send.

Each stage commits on its own and can be killed anywhere; the next tick goes on
from there. One tick runs at a time in a home, and none while workers are at work.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from pbem.actions.run_turn import at_any_rate
from pbem.admin.health import check_open, watch_polls
from pbem.app import House
from pbem.campaign.deadlines import BY_GM, Due
from pbem.campaign.snapshot import check_running, load_campaign
from pbem.log import tell
from pbem.steps import (
    Moment,
    Ticked,
    answer_mail,
    fetch_mail,
    file_away,
    look_after,
    mask_tokens,
    resolve,
    send_mail,
    tell_problems,
    try_to_fetch_mail,
)
from pbem.util import Progress, silent

LOCK = "tick.lock"

MOST_BYTES = 64_000_000
"""Of letters that a tick deals with: then it sends what it has, and the next one goes on. Many sheets have 5,000."""


def tick(house: House, now: dt.datetime, *, live: bool = False, progress: Progress = silent) -> Ticked:
    """Does all that is to be done now.

    If `now` is the clock's (`live`), deadlines also wait after an outage.
    Raises ConfigError in a home that was restored and not opened since.
    """
    check_open(house)
    done = Ticked()
    with _alone(house) as alone:
        if not alone:
            done.busy = True
            return done
        with _told(done, now):
            readable = try_to_fetch_mail(house, now, done)
            outage = watch_polls(house, now, readable=readable) if live else None
            answer_mail(house, now, done, most=MOST_BYTES, progress=progress)
            mask_tokens(house, now, done)
            moment = Moment(now, readable, outage, done.answered.read_until)
            look_after(house, moment, done, progress=progress)
            file_away(house, now, done)
            send_mail(house, now, done, progress=progress)
    return done


def run_now(house: House, name: str, now: dt.datetime, *, progress: Progress = silent) -> Ticked:
    """Resolves a campaign's open turn on the GM's word, after reading the mail; archives and sends.

    Raises CampaignError when there is no open turn, PostError when the mailbox
    cannot be read.
    """
    check_open(house)
    done = Ticked()
    with _alone(house) as alone:
        if not alone:
            done.busy = True
            return done
        with _told(done, now):
            number = _open_number(house, name)  # the one he means: a letter that is read now may open another
            fetch_mail(house, now, done)
            answer_mail(house, now, done, progress=progress)
            mask_tokens(house, now, done)
            resolve(house, [Due(name, number, BY_GM)], now, done, progress, at_word=at_any_rate)
            file_away(house, now, done)
            send_mail(house, now, done, progress=progress)
    return done


@contextmanager
def _told(done: Ticked, now: dt.datetime) -> Iterator[None]:
    """Tells the log of the tick in the block."""
    tell("tick began", now=now)
    began = time.monotonic()
    try:
        yield
    except Exception as error:
        tell("tick stopped", level="error", fault=error)
        raise
    tell_problems(done)
    tell(
        "tick ended",
        seconds=round(time.monotonic() - began, 3),
        polled=done.polled,
        **{name: getattr(done.answered, name) for name in ("letters", "sheets", "set_aside", "unanswered", "left")},
        reminded=done.reminded,
        resolved=len(done.resolved),
        archived=done.archived,
        **{name: getattr(done.sent, name) for name in ("sent", "retried", "failed")},
    )


def _open_number(house: House, name: str) -> int:
    with house.store.reading() as session:
        snapshot = load_campaign(session, name)
    check_running(snapshot)
    return snapshot.turn


@contextmanager
def _alone(house: House) -> Iterator[bool]:
    """Whether this process is the only one ticking, in this home and on its database."""
    with _only_here(house) as only, house.store.alone() if only else nullcontext(False) as alone:
        if not alone:
            tell("tick left undone: another is at work")
        yield alone


@contextmanager
def _only_here(house: House) -> Iterator[bool]:
    """The lock of the home, which ends with the process, however that ends."""
    with (house.settings.home / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
