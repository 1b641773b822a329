"""The reports of a turn, shared among processes: what goes to them and comes back, and what is not worth it."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import NamedTuple

from pbem.report.crew import Crew, Ticket
from pbem.report.facts import ReportFacts, ReportParts
from pbem.ruleset import AnyRuleset, Order, Seat

AHEAD = 3
"""How many reports for each worker are asked for before the first of them is handed out."""


class Job(NamedTuple):
    """One report to be made: of a `view` in canonical JSON, to a seat that had these `orders` in the turn reported."""

    ruleset: AnyRuleset
    view: bytes
    facts: ReportFacts
    orders: Sequence[Order] = ()


Make = Callable[[Job], ReportParts]


class Sharing:
    """Makes reports by `make`: those of a turn of `few` or less here, and those of a larger one in `size` processes.

    With `together`, `few` counts for all turns together: what makes these reports
    costs so much to start that it should stand in one place only. `rest` ends
    what this process has of that.
    """

    def __init__(
        self,
        size: int,
        few: int,
        games: Mapping[str, AnyRuleset],
        make: Make,
        rest: Callable[[], None],
        *,
        together: bool,
    ) -> None:
        self._few, self._games, self._make, self._rest = few, games, make, rest
        self._together = together
        self._crew = Crew(size, _Work(games, make, rest)) if size > 1 else None
        self._common = _Common("", ())

    def reports(self, jobs: Iterable[Job]) -> Iterator[ReportParts]:
        """The reports of all jobs, in their order."""
        left = iter(jobs)
        first = list(islice(left, self._few + 1))
        if self._crew is None or len(first) <= self._few:
            self._few -= len(first) if self._together else 0
            yield from map(self._make, chain(first, left))
            return
        if not self._crew.started:
            self._rest()  # each worker has its own from here on
        self._few = 0 if self._together else self._few
        yield from self._shared(self._crew, chain(first, left))

    def close(self) -> None:
        """Ends the processes; they start again if needed."""
        if self._crew is not None:
            self._crew.close()

    def _shared(self, crew: Crew, jobs: Iterable[Job]) -> Iterator[ReportParts]:
        asked: deque[tuple[Job, Ticket | None]] = deque()
        try:
            for job in jobs:
                asked.append((job, self._asked(crew, job)))
                if len(asked) > AHEAD * crew.size:
                    yield self._answered(crew, *asked.popleft())
            while asked:
                yield self._answered(crew, *asked.popleft())
        except BaseException as cut:
            if not isinstance(cut, Exception | GeneratorExit):
                crew.kill()
            raise
        finally:
            crew.forget(ticket for _, ticket in asked if ticket)

    def _asked(self, crew: Crew, job: Job) -> Ticket | None:
        """A job on its way; None for that of a game which workers would not find by its key."""
        ruleset, view, facts, orders = job
        if ruleset.key not in self._games or self._games[ruleset.key] is not ruleset:
            return None
        if (ruleset.key, facts.seats) != (self._common.key, self._common.seats):
            self._common = _Common(ruleset.key, facts.seats)
        written = [ruleset.orders.to_json(order) for order in orders]
        return crew.ask(self._common.packed, pickle.dumps((view, replace(facts, seats=()), written)))

    def _answered(self, crew: Crew, job: Job, ticket: Ticket | None) -> ReportParts:
        answer = crew.answer(ticket) if ticket else None
        if answer is None:
            return self._make(job)
        parts: ReportParts = pickle.loads(answer)  # noqa: S301 - from a worker of this process
        return parts


@dataclass(frozen=True, slots=True)
class _Common:
    """What the reports of a campaign share and workers are told once: all seats of a large one take long to send."""

    key: str
    seats: tuple[Seat, ...]
    packed: bytes = field(init=False, default=b"")

    def __post_init__(self) -> None:
        object.__setattr__(self, "packed", pickle.dumps((self.key, self.seats)))


class _Work:
    """What a worker does: the report of a job."""

    def __init__(self, games: Mapping[str, AnyRuleset], make: Make, rest: Callable[[], None]) -> None:
        self._games, self._make = games, make
        self.end = rest
        self._key = ""
        self._seats: tuple[Seat, ...] = ()

    def learn(self, common: bytes) -> None:
        """Takes the game of a campaign, and its seats."""
        self._key, self._seats = pickle.loads(common)  # noqa: S301 - from the process that this one was forked from

    def do(self, request: bytes) -> bytes:
        """A report."""
        view, facts, written = pickle.loads(request)  # noqa: S301 - the same
        ruleset = self._games[self._key]
        orders = tuple(map(ruleset.orders.from_json, written))
        return pickle.dumps(self._make(Job(ruleset, view, replace(facts, seats=self._seats), orders)))
