"""Wall and CPU time of stages."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage


@dataclass(frozen=True)
class Spent:
    """Seconds of wall-clock time, and of processor time of this process and its ended children."""

    wall: float = 0.0
    cpu: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.wall + other.wall, self.cpu + other.cpu)


@dataclass
class Stages:
    """The stages of one run, by name."""

    spent: dict[str, Spent] = field(default_factory=dict)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        wall, cpu = time.perf_counter(), _processor_time()
        yield
        more = Spent(time.perf_counter() - wall, _processor_time() - cpu)
        self.spent[stage] = self.spent.get(stage, Spent()) + more

    @property
    def whole(self) -> Spent:
        """The time of all stages together."""
        return sum(self.spent.values(), Spent())


def medians(runs: Sequence[Stages]) -> Stages:
    """Return each stage's median wall-clock and CPU time over runs of the same stages."""
    return Stages({stage: _median([run.spent[stage] for run in runs]) for stage in runs[0].spent})


def _median(spent: Sequence[Spent]) -> Spent:
    return Spent(statistics.median(each.wall for each in spent), statistics.median(each.cpu for each in spent))


def _processor_time() -> float:
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
