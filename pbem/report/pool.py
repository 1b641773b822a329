"""Pools of processes: one that renders the reports of a turn when there are enough of them, and what it is made of.

Workers are forked: they need games and templates that cannot be sent to another
process, and a fresh interpreter takes a second to import them. A job that fails
in a worker is repeated by the calling process, which reports the error.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import stat
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from contextvars import ContextVar
from itertools import chain, islice
from logging import LogRecord
from logging.handlers import BufferingHandler
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pbem.log import LOG
from pbem.report.facts import RenderedReport, ReportFacts
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset

AHEAD = 3
"""Reports per worker that are requested before the first of them is yielded."""

PATIENCE = 300
"""Seconds after which a worker that has not rendered a report counts as hung."""


class Job(NamedTuple):
    """A report to render: `view` is canonical JSON, `orders` are those of its seat in the turn reported."""

    ruleset: AnyRuleset
    view: bytes
    facts: ReportFacts
    orders: Sequence[Order] = ()


T = TypeVar("T")
Render = Callable[[Job], RenderedReport]
_Pending = Future[tuple[RenderedReport, list[LogRecord]] | None]


class ReportPool:
    """Renders the reports of a turn by `render`: up to `few` in this process, more of them in `size` processes.

    `rest` ends the child processes of `render`, which workers must not share.
    """

    def __init__(
        self, size: int, few: int, games: Mapping[str, AnyRuleset], render: Render, rest: Callable[[], None]
    ) -> None:
        self._size, self._few = size, few
        self._games, self._render, self._rest = games, render, rest
        self._workers: WorkerPool | None = None

    def reports(self, jobs: Iterable[Job]) -> Iterator[RenderedReport]:
        """Yield the reports of all jobs, in their order."""
        left = iter(jobs)
        first = list(islice(left, self._few + 1))
        if self._size < 2 or len(first) <= self._few:
            yield from map(self._render, chain(first, left))
            return
        submitted: deque[tuple[Job, _Pending | None]] = deque()
        for job in chain(first, left):
            submitted.append((job, self._submit(job)))
            if len(submitted) > AHEAD * self._size:
                yield self._result(*submitted.popleft())
        while submitted:
            yield self._result(*submitted.popleft())

    def close(self) -> None:
        """Kill the workers; they start again if needed."""
        if self._workers is not None:
            self._workers.close()
        self._workers = None

    def _submit(self, job: Job) -> _Pending | None:
        """Give a job to the workers; return None if they cannot find its game by its key, or are gone."""
        key = job.ruleset.key
        if self._games.get(key) is not job.ruleset:  # rulesets cannot be pickled, so a worker finds its own by the key
            return None
        try:
            request = pickle.dumps(job[1:])
        except Exception:  # noqa: BLE001 - whatever the orders of a game raise
            return None
        try:
            self._workers = self._workers or self._open()
            return self._workers.submit(_render_in_worker, key, request)
        except (BrokenProcessPool, OSError):  # a worker was killed, or none can be forked
            self.close()
            return None

    def _result(self, job: Job, pending: _Pending | None) -> RenderedReport:
        try:
            rendered = pending.result(PATIENCE) if pending else None
        except Exception as error:  # noqa: BLE001 - a worker was killed, or has hung, or its answer cannot be pickled
            rendered = None
            if isinstance(error, TimeoutError):
                self.close()
        if rendered is None:
            return self._render(job)
        parts, records = rendered
        for record in records:
            LOG.handle(record)
        return parts

    def _open(self) -> WorkerPool:
        self._rest()  # a forked worker would share the pipes of its child processes
        return WorkerPool(self._size, _start_renderer, (self._games, self._render))


class WorkerPool:
    """Processes forked from this one. They know all that it knew, share none of its files, and end with it.

    Each calls `start(*given)` first. Ctrl-C is left to this process.

    Raises:
        OSError: No process can be forked.
    """

    def __init__(self, size: int, start: Callable[..., object], given: tuple[Any, ...]) -> None:
        self._processes: list[BaseProcess] = []
        self._executor = ProcessPoolExecutor(size, get_context("fork"), _start_worker, (start, given))
        try:
            self._fork()
        except BaseException:
            self.close()
            raise

    def _fork(self) -> None:
        others = active_children()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # until workers have their own handlers
        try:
            with warnings.catch_warnings():
                # A worker uses none of the threads that there are.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._executor.submit(os.getpid)  # forks all workers
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            self._processes = [process for process in active_children() if process not in others]

    def submit(self, work: Callable[..., T], *given: object) -> Future[T]:
        """Let a worker call a function of a module. Raises BrokenProcessPool if a worker was killed."""
        return self._executor.submit(work, *given)

    def close(self) -> None:
        """Kill the workers."""
        for process in self._processes:
            process.kill()
        if sys.version_info < (3, 11, 5):  # gh-94777: it waits for a thread whose pipe is never read
            self._executor._call_queue._reader.close()  # type: ignore[attr-defined]
        self._executor.shutdown()
        for process in self._processes:
            process.join()  # the executor knows none of them if one could not be forked


class _Worker(NamedTuple):
    games: Mapping[str, AnyRuleset]
    render: Render
    log: BufferingHandler


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGPROF)
_WORKER: ContextVar[_Worker] = ContextVar("worker")


def _start_worker(start: Callable[..., object], given: tuple[Any, ...]) -> None:
    """Prepare a new worker, which shares the memory of its parent but none of its files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its work, and then the workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    _close_files()
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    start(*given)


def _start_renderer(games: Mapping[str, AnyRuleset], render: Render) -> None:
    log = BufferingHandler(sys.maxsize)
    LOG.handlers[:] = [log]
    _WORKER.set(_Worker(games, render, log))


def _close_files() -> None:
    """Close the files and sockets of the parent, so that its locks and connections end with it; the pool uses pipes."""
    gc.freeze()  # inherited objects must not close the files that get their numbers next
    for number in [int(path.name) for path in Path("/dev/fd").iterdir()]:
        with suppress(OSError):
            if number > 2 and not stat.S_ISFIFO(os.fstat(number).st_mode):
                os.close(number)


def _exit_with_parent() -> None:
    """Exit when the parent was killed: the pipes of the pool stay open, since each worker has both ends."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _render_in_worker(key: str, request: bytes) -> tuple[RenderedReport, list[LogRecord]] | None:
    """Return a report and the log records of rendering it, or None if that failed."""
    games, render, log = _WORKER.get()
    log.flush()
    try:
        return render(Job(games[key], *pickle.loads(request))), log.buffer  # noqa: S301 - from the parent
    except Exception:  # noqa: BLE001 - many exceptions cannot be unpickled
        return None
