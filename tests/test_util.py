"""Work has a time limit that nothing in it can bypass, and leaves no timer behind."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable

import pytest

from pbem import util
from pbem.util import ShutdownRequested, TimeLimitExceeded, run_with_time_limit

BACKTRACKS = re.compile(r"(?:a|a)*b")


def spin() -> None:
    """Work for ever."""
    while True:
        pass


def spin_on() -> None:
    """Work for ever, and ignore every exception that programs take for a fault."""
    while True:
        try:
            spin()
        except Exception:  # noqa: BLE001 - as a careless parser might
            continue


def spin_once_told() -> None:
    """Request the end of the process, and work for ever."""
    signal.raise_signal(signal.SIGUSR1)
    spin()


def burn(seconds: float) -> None:
    """Use the processor for a time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def backtrack() -> None:
    """Match a pattern that tries endless alternatives."""
    BACKTRACKS.fullmatch("a" * 60)


@pytest.mark.parametrize("work", [spin, spin_on, backtrack])
def test_work_without_end_is_ended(work: Callable[[], None]) -> None:
    """A loop, one that swallows faults, and a pattern that backtracks without end."""
    with pytest.raises(TimeLimitExceeded):
        run_with_time_limit(0.1, work)


def test_work_in_time_is_done() -> None:
    """Work in time returns its result, and its timer does not fire afterwards."""
    assert run_with_time_limit(0.1, lambda: 3) == 3
    burn(0.3)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_work_inside_other_work_has_both_limits() -> None:
    """The inner limit ends the inner work alone, and the time of the outer work runs on, whichever is over first."""

    def outer() -> None:
        with pytest.raises(TimeLimitExceeded):
            run_with_time_limit(0.1, spin)
        spin()

    for seconds in (0.3, 0.05):
        with pytest.raises(TimeLimitExceeded):
            run_with_time_limit(seconds, outer)
        assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_an_overrun_leaves_no_alarm() -> None:
    """After an overrun, further work is not interrupted."""
    with pytest.raises(TimeLimitExceeded):
        run_with_time_limit(0.1, spin)
    burn(0.3)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_fault_leaves_no_alarm() -> None:
    """After a fault, further work is not interrupted."""
    with pytest.raises(ZeroDivisionError):
        run_with_time_limit(0.1, lambda: 1 / 0)
    burn(0.3)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_other_threads_work_without_a_bound() -> None:
    """Work in other threads has no limit, since no signal reaches them."""
    done: list[int] = []

    def work() -> None:
        burn(0.2)
        done.append(1)

    thread = threading.Thread(target=lambda: run_with_time_limit(0.05, work))
    thread.start()
    thread.join()

    assert done == [1]


def test_work_is_ended_by_a_signals_handler() -> None:
    """A shutdown request ends the work, and no other begins before it is cleared."""
    before = signal.signal(signal.SIGUSR1, lambda _number, _frame: util.request_shutdown())
    try:
        with pytest.raises(ShutdownRequested):
            run_with_time_limit(600, spin_once_told)
        with pytest.raises(ShutdownRequested):
            run_with_time_limit(600, lambda: None)
    finally:
        signal.signal(signal.SIGUSR1, before)
        util.clear_shutdown()
    assert run_with_time_limit(600, lambda: 3) == 3
