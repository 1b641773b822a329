"""A bound on the work that one thing may cost, for work that strangers can choose the input of.

The clock is the processor's (ITIMER_PROF), so that a busy machine or a slow
disk costs nobody his letter. It rings by a signal, which regular expressions
heed as well; so it holds in the main thread alone, where Python deals with
signals. Elsewhere work runs without a bound.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

AGAIN = 0.05
"""Seconds after which the alarm rings again, where it was not the moment to end the work."""

_NOT_WITHIN = frozenset({"concurrent", "importlib", "logging", "multiprocessing", "psycopg", "sqlalchemy"})
"""Packages that keep books which others go on with: their calls, short ones, are let finish."""


class Overrun(BaseException):
    """The work took longer than it may. No `except Exception` on the way takes it for a fault of its own."""


class Stopped(BaseException):
    """The process was told to end while the work ran."""


@dataclass(slots=True)
class _Watch:
    """There is one of each signal in a process, and so one of these."""

    running: bool = False
    stopping: bool = False


_WATCH = _Watch()


def within(seconds: float, work: Callable[[], T]) -> T:
    """Does some work, for so many seconds of the processor's time at most. Raises Overrun or Stopped.

    Both may come when the work has just been done: whoever catches them looks whether it was.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    try:
        try:
            _begin(seconds)
            return work()
        finally:
            _end()
    except (Overrun, Stopped):
        _end()  # once more, since it may have rung in the line above that does it
        raise


def request_shutdown() -> None:
    """Ends the work that runs `within` a budget, and lets no other begin, until `resume`. For handlers of signals."""
    _WATCH.stopping = True
    if _WATCH.running:
        signal.setitimer(signal.ITIMER_PROF, AGAIN, AGAIN)


def resume() -> None:
    """Lets work begin again."""
    _WATCH.stopping = False


def _begin(seconds: float) -> None:
    if _WATCH.stopping:
        raise Stopped
    signal.signal(signal.SIGPROF, _ring)  # it stays: without a handler a late signal would kill the process
    _WATCH.running = True
    signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)


def _end() -> None:
    _WATCH.running = False
    signal.setitimer(signal.ITIMER_PROF, 0)


def _ring(_number: int, frame: FrameType | None) -> None:
    if _WATCH.running and not _is_within(frame):
        raise Stopped if _WATCH.stopping else Overrun


def _is_within(frame: FrameType | None) -> bool:
    """Whether one of the packages is at work that are let finish."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] in _NOT_WITHIN:
            return True
        frame = frame.f_back
    return False
