"""Stays up and ticks, until it is told to stop."""

from __future__ import annotations

import datetime as dt
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from pbem import util as budget
from pbem.app import House
from pbem.errors import PbemError, in_words
from pbem.log import tell
from pbem.mail.fetch import open_waiter
from pbem.steps import Ticked
from pbem.tick import tick
from pbem.util import Stopped, without_secrets


def serve(house: House, *, clock: Callable[[], dt.datetime], stop: Event, told: Callable[[Ticked], None]) -> None:
    """Ticks every `poll_seconds` of the settings or when mail comes, and tells each tick, until `stop` is set.

    A tick that is told to stop over a letter leaves that, and all that follows, to the next.
    """
    waiter = open_waiter(house.settings)
    while not stop.is_set():
        try:
            done = tick(house, clock(), live=True)
        except Stopped:
            tell("tick ended early: told to stop")
            return
        except (OSError, PbemError) as error:  # a database that is locked, a full disk: the next tick may fare better
            done = Ticked(problems=[without_secrets(in_words(error))])
        told(done)
        if done.answered.left:
            continue
        waiter.wait(house.settings.poll_seconds, stop)


@contextmanager
def stopped_by_signals() -> Iterator[Event]:
    """An event that SIGTERM and SIGINT set. A letter under way is given up; all else that a tick does is finished."""
    stop = Event()

    def set_stop(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        budget.request_shutdown()

    before = {number: signal.signal(number, set_stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        budget.resume()
        for number, handler in before.items():
            signal.signal(number, handler)
