"""The main thread as somebody's hands: the work of other threads is done there, where budgets hold and signals come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue

Given = Callable[[], None]


class Hands:
    """Does what it is given, one thing after the other."""

    def __init__(self) -> None:
        self._given: SimpleQueue[tuple[Given, Future[None]] | None] = SimpleQueue()

    async def do(self, work: Given) -> None:
        """Gives some work, from a loop in another thread, and waits for it; raises what it raises."""
        future: Future[None] = Future()
        self._given.put((work, future))
        await asyncio.wrap_future(future)

    def work(self) -> None:
        """Does what is given, until there is a rest."""
        while (given := self._given.get()) is not None:
            work, future = given
            if future.set_running_or_notify_cancel():
                _do(work, future)

    def rest(self) -> None:
        """Lets the work end, when all that was given before is done."""
        self._given.put(None)


def _do(work: Given, future: Future[None]) -> None:
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - it is for whoever has given the work
        future.set_exception(error)
    else:
        future.set_result(None)
