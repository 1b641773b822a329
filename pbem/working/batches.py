"""The reports of a large turn, made by workers together: in batches, which lie in the database.

Whoever makes a batch has its row locked until the reports are there. So it is
never made by two at once, and is free again in the moment in which its maker
dies. The worker that runs the turn puts the batches in, takes part in making
them, and makes at last what nobody else could. All machines have the same
games, templates and settings; a worker with another version of the game leaves
its reports alone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.orm import Session

from pbem.campaign.piles import batches
from pbem.errors import GameError, StoreError, in_words
from pbem.house import House
from pbem.logbook import tell
from pbem.report import Job, ReportFacts, ReportParts
from pbem.ruleset import Seat
from pbem.store import Store
from pbem.store.models import Batch
from pbem.store.waking import Queue, Work, wake

IN_BATCH = 25
"""Reports that one worker makes at a time: in a tenth of a second, or with pictures in a whole one."""

WORTH_IT = 50
"""Reports of a turn up to which others are not asked."""

PATIENCE = "300s"
"""How long another worker may take for a batch; after that the turn is left for the next try."""

KEPT = dt.timedelta(days=1)
"""When a batch is thrown away for which nobody has come: whoever asked is dead."""


class _Asked(NamedTuple):
    """One report: of a view in canonical JSON, and of the orders in theirs."""

    view: bytes
    facts: ReportFacts
    orders: list[dict[str, Any]]


class _Request(NamedTuple):
    """The reports of a batch. The seats, which are the same in the facts of all, stand here once."""

    game: str
    version: int
    seats: tuple[Seat, ...]
    asked: list[_Asked]


_read_request = msgspec.msgpack.Decoder(_Request).decode
_read_answer = msgspec.msgpack.Decoder(list[ReportParts]).decode
_write = msgspec.msgpack.Encoder().encode

_OPEN = select(Batch.id, Batch.request).where(Batch.answer.is_(None))
_WAIT = text(f"SET LOCAL lock_timeout = '{PATIENCE}'")


@dataclass(frozen=True, slots=True)
class TogetherMaker:
    """Makes the reports of a turn, with the help of others where there are so many that it is worth it.

    `helpers` says how many others there are now.
    """

    house: House
    helpers: Callable[[], int]

    def reports(self, jobs: Iterable[Job]) -> Iterator[ReportParts]:
        """The reports of all jobs, in their order."""
        left = iter(jobs)
        first = list(islice(left, WORTH_IT + 1))
        if len(first) <= WORTH_IT or not self.helpers():
            yield from self.house.reporter.reports(chain(first, left))
            return
        put: list[int] = []
        try:
            put.extend(map(self._put, batches(chain(first, left), IN_BATCH)))
            while self._made_one(put):
                pass
            for number in put:
                yield from self._taken(number)
        finally:
            with suppress(StoreError):  # what is left is thrown away some day
                self._forget(put)

    def _put(self, batch: Sequence[Job]) -> int:
        """Asks for a batch of reports; returns its number."""
        with self.house.store.writing(durable=False) as session:
            asked = insert(Batch).values(made_at=func.now(), request=_write(_request(batch)))
            number: int = session.execute(asked.returning(Batch.id)).scalar_one()
            wake(session, Work(Queue.REPORTS, str(number)))
        return number

    def _made_one(self, numbers: Sequence[int]) -> bool:
        """Makes the last batch of these that nobody has begun: others begin with the first. False if there is none."""
        last = _OPEN.where(Batch.id.in_(numbers)).order_by(Batch.id.desc()).limit(1)
        with self.house.store.writing(durable=False) as session:
            row = session.execute(last.with_for_update(skip_locked=True)).first()
            if row is not None:
                _keep(session, row.id, list(_made(self.house, _read_request(row.request))))
        return row is not None

    def _taken(self, number: int) -> list[ReportParts]:
        """The reports of a batch, once whoever makes it has ended; made here if he has not made them."""
        with self.house.store.writing(durable=False) as session:
            session.execute(_WAIT)
            row = session.execute(select(Batch).where(Batch.id == number).with_for_update()).scalar_one()
            if row.answer is not None:
                return _read_answer(row.answer)
            return list(_made(self.house, _read_request(row.request)))

    def _forget(self, numbers: Sequence[int]) -> None:
        with self.house.store.writing(durable=False) as session:
            session.execute(delete(Batch).where(Batch.id.in_(numbers)))


def make_batch(house: House, number: int) -> None:
    """Makes a batch of reports for another worker, unless somebody is at it, or it is not asked for any more.

    What cannot be made here is left to whoever has asked, and told by him.
    """
    with house.store.writing(durable=False) as session:
        row = session.execute(_OPEN.where(Batch.id == number).with_for_update(skip_locked=True)).first()
        if row is None:
            return
        try:
            made = list(_made(house, _read_request(row.request)))
        except Exception as error:  # noqa: BLE001 - a fault of a game or template is told where the turn is run
            tell("reports left to others", level="warning", batch=number, reason=in_words(error))
        else:
            _keep(session, number, made)


def forget_batches(store: Store, now: dt.datetime) -> None:
    """Throws away what nobody has come for."""
    with store.writing(durable=False) as session:
        session.execute(delete(Batch).where(Batch.made_at < now - KEPT))


def _keep(session: Session, number: int, made: list[ReportParts]) -> None:
    session.execute(update(Batch).where(Batch.id == number).values(answer=_write(made)))


def _request(batch: Sequence[Job]) -> _Request:
    ruleset, facts = batch[0].ruleset, batch[0].facts
    asked = [
        _Asked(job.view, replace(job.facts, seats=()), [ruleset.orders.to_json(order) for order in job.orders])
        for job in batch
    ]
    return _Request(ruleset.key, ruleset.version, facts.seats, asked)


def _made(house: House, request: _Request) -> Iterator[ReportParts]:
    """The reports of a request. Raises GameError where this machine's game is of another version."""
    ruleset = house.game(request.game)
    if ruleset.version != request.version:
        raise GameError(f"{ruleset.title} is of version {ruleset.version} here, and {request.version} was asked for")
    yield from house.reporter.reports(
        Job(ruleset, view, replace(facts, seats=request.seats), tuple(map(ruleset.orders.from_json, orders)))
        for view, facts, orders in request.asked
    )
