"""Growth of processor time with the size of the input.

Four times the input takes a linear parser four times as long, and a quadratic
one sixteen times: a limit of nine is far from both. Only processor time of the
test's own counts, so that a busy machine changes little; and a growth counts only
if the next sizes show it too.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pbem.util import gc_paused

T = TypeVar("T")

STEP = 4
MOST_GROWTH = 9.0
"""Times as long for `STEP` times the input; linear work takes 4, quadratic work 16."""

# Growth for `STEP` times the input that passes after one measurement: nearer to linear than to quadratic.
_IN_PROPORTION = 6.0

WORTH_A_LOOK = 0.002
"""Seconds; work that takes less for the longest input grows too little to be measured, or to matter."""

# Seconds of processor time after which work is taken for endless.
_CUT_OFF = 2.0

# Seconds; when work takes so long at one size, chance has no part in it.
_ENOUGH = 0.25

_REPEATS = 3
# How often work is timed: the short input, and the long one before it is believed to take too long.
_DOUBTS = 9


class TooLong(Exception):
    """Raised when work exceeds its time limit."""


def growth(work: Callable[[T], object], made: Callable[[int], T], *, least: int = 1_000, most: int = 64_000) -> float:
    """Return how many times as long the work takes for input of four times the size; infinite if it does not end.

    `made` makes input of a size. The result is the least growth over several
    consecutive sizes, as long as there is time, and over one more if the last alone is
    in doubt; 0 if even the largest input takes no time.
    """
    found: list[float] = []
    size, spent = least, 0.0
    try:
        while size <= (STEP * most if found else most) and spent < _ENOUGH and not (found and found[-1] <= MOST_GROWTH):
            short = _spent(work, made(size))
            spent = _spent(work, made(STEP * size), enough=max(WORTH_A_LOOK, MOST_GROWTH * short))
            if spent > WORTH_A_LOOK:
                found.append(spent / short)
            size *= STEP
    except TooLong:
        return math.inf
    return min(found, default=0.0)


def suspicious(work: Callable[[T], object], made: Callable[[int], T], size: int) -> bool:
    """Return True if input of this size, compared with a fourth of it, gives reason to measure the growth."""
    try:
        long = _spent(work, made(size), enough=math.inf)
        return long > WORTH_A_LOOK / 2 and long > _IN_PROPORTION * _spent(work, made(size // STEP))
    except TooLong:
        return True


def _spent(work: Callable[[T], object], given: T, *, enough: float = 0.0) -> float:
    """Return the least processor time of several runs, or the first that settles it. Raise TooLong."""
    least = math.inf
    for _ in range(_DOUBTS if enough else _REPEATS):
        # Without garbage collection: that of other tests' objects may take seconds, and a timer that fires there is
        # lost.
        with gc_paused(), _cut_off():
            begun = time.thread_time()
            work(given)
            least = min(least, time.thread_time() - begun)
        if least <= enough or least >= _ENOUGH:
            break
    return max(least, 1e-6)


@contextmanager
def _cut_off() -> Iterator[None]:
    def too_long(_signal: int, _frame: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, _CUT_OFF)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
