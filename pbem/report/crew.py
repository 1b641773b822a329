"""Processes that share a work with this one. They are forked from it, so that they know all that it knew.

A worker has one request at a time, and there is nothing that it alone knows: if
it dies, or says nothing for too long, its request comes back unanswered, and is
done here.
"""

from __future__ import annotations

import gc
import os
import signal
import warnings
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import NoReturn, Protocol

from pbem.logbook import Entry, kept_apart, retell

PATIENCE = 300
"""Seconds in which some worker must have said something, or those that are at work have come to harm."""

GRACE = 5
"""Seconds that a worker has to end when it is told to."""

HIGHEST = 65_536
"""Up to which number a worker looks for open files to leave behind."""


class Work(Protocol):
    """What workers do."""

    def learn(self, common: bytes) -> None:
        """Takes what the requests that follow have in common."""

    def do(self, request: bytes) -> bytes:
        """The answer to a request. Whatever this raises, the request goes back."""

    def end(self) -> None:
        """Lets go of what belongs to the worker."""


@dataclass(slots=True, eq=False)
class Ticket:
    """A request on its way. Once it is `done`, `answer` is what came of it: None if no worker could answer it."""

    common: bytes
    request: bytes
    done: bool = False
    answer: bytes | None = None

    def settle(self, answer: bytes | None) -> None:
        """Says what came of it."""
        self.done, self.answer = True, answer


class Crew:
    """So many workers at most, each started when there is a request for it. For one thread."""

    def __init__(self, size: int, work: Work) -> None:
        self.size = size
        self._work = work
        self._workers: list[_Worker] = []
        self._waiting: deque[Ticket] = deque()

    @property
    def started(self) -> bool:
        """Whether there are workers by now."""
        return bool(self._workers)

    def ask(self, common: bytes, request: bytes) -> Ticket:
        """Gives a request to the next worker that is free."""
        ticket = Ticket(common, request)
        self._waiting.append(ticket)
        self._hear(0)
        return ticket

    def answer(self, ticket: Ticket) -> bytes | None:
        """What came of a request, waited for."""
        while not ticket.done:
            self._hear(PATIENCE)
        return ticket.answer

    def forget(self, tickets: Iterable[Ticket]) -> None:
        """Drops those of these requests that no worker has begun."""
        dropped = set(tickets)
        self._waiting = deque(ticket for ticket in self._waiting if ticket not in dropped)

    def close(self) -> None:
        """Ends the workers; they start again if needed. What was asked for and not answered comes back."""
        for worker in self._workers:
            worker.dismiss()
        for worker in self._workers:
            worker.close()
        self.kill()

    def kill(self) -> None:
        """The same at once, wherever this process was when it was cut short: a request may be half sent."""
        for worker in self._workers:
            worker.kill()
        self._workers.clear()
        while self._waiting:
            self._waiting.popleft().settle(None)

    def _hear(self, patience: float) -> None:
        busy = [worker for worker in self._workers if worker.ticket]
        heard = wait([worker.line for worker in busy], patience)
        lost = [worker for worker in busy if (worker.line in heard and not worker.hear()) or (patience and not heard)]
        for worker in lost:
            self._workers.remove(worker)
            worker.kill()
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting:
            worker = next((worker for worker in self._workers if not worker.ticket), None) or self._new()
            if worker is not None:
                worker.give(self._waiting.popleft())
            elif self._workers:
                return
            else:
                self._waiting.popleft().settle(None)

    def _new(self) -> _Worker | None:
        if len(self._workers) >= self.size:
            return None
        try:
            worker = _Worker(self._work)
        except OSError:  # no process or no memory for another one: the work goes on without
            return None
        self._workers.append(worker)
        return worker


class _Worker:
    """This process's end of one of the others."""

    def __init__(self, work: Work) -> None:
        self.ticket: Ticket | None = None
        self.line, theirs = Pipe()
        self._told = b""
        try:
            self._process = _fork()
        except OSError:
            self.line.close()
            theirs.close()
            raise
        if not self._process:
            _serve(theirs, work)
        theirs.close()

    def give(self, ticket: Ticket) -> None:
        """Sends a request; if it cannot be sent, `hear` will find out why."""
        self.ticket = ticket
        try:
            if ticket.common != self._told:
                self.line.send_bytes(_COMMON + ticket.common)
                self._told = ticket.common
            self.line.send_bytes(_REQUEST + ticket.request)
        except OSError:
            return

    def hear(self) -> bool:
        """Takes the answer that has come, and says whether the worker lives."""
        try:
            answer, entries = self.line.recv()
        except (EOFError, OSError):
            return False
        retell(entries)
        if self.ticket:
            self.ticket.settle(answer)
        self.ticket = None
        return True

    def dismiss(self) -> None:
        """Tells the worker to end when it has done what it is at."""
        try:
            self.line.send_bytes(_END)
        except OSError:
            return

    def close(self) -> None:
        """Waits for its end, but not for long."""
        while self.line.poll(GRACE) and self.hear():
            pass

    def kill(self) -> None:
        """Ends it at once; what it had to do comes back unanswered."""
        if self.ticket:
            self.ticket.settle(None)
        self.line.close()
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


_COMMON, _REQUEST, _END = b"c", b"r", b"e"
_DEAF_TO = (signal.SIGINT, signal.SIGTERM, signal.SIGPROF)


def _fork() -> int:
    """The process id of a worker, 0 in the worker itself. There, nothing may lead back to where this was called."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _DEAF_TO)
    process = -1
    try:
        with warnings.catch_warnings():
            # Of threads that others have left (numerical libraries have some), a worker needs nothing.
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            for number in _DEAF_TO:
                signal.signal(number, signal.SIG_IGN)  # the one who asks decides when a worker ends
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def _serve(line: Connection, work: Work) -> NoReturn:
    """The life of a worker, which ends when the other end of the line is closed, however that came."""
    try:
        _leave_all_behind(line.fileno())
        entries = kept_apart()
        while (message := line.recv_bytes()) != _END:
            if message[:1] == _COMMON:
                work.learn(message[1:])
            else:
                line.send(_answered(work, message[1:], entries))
    except (EOFError, OSError):
        pass  # whoever asked is gone
    finally:
        try:
            work.end()
        finally:
            os._exit(0)


def _answered(work: Work, request: bytes, entries: list[Entry]) -> tuple[bytes | None, list[Entry]]:
    entries.clear()
    try:
        return work.do(request), entries
    except Exception:  # noqa: BLE001 - it is done again where it can be told as it should be
        return None, []


def _leave_all_behind(line: int) -> None:
    """Files and connections are this worker's no longer: a lock of the house or a database's line must end with it.

    Nothing of what was there is cleared away, so nobody here closes them again under numbers that mean others now.
    """
    gc.freeze()
    os.closerange(3, line)
    os.closerange(line + 1, HIGHEST)
