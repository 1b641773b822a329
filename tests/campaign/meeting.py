"""Two acts on one campaign at once: the second is done whole at a chosen point of the first.

A point lies before each transaction of the first act, unless it is writing
already. On PostgreSQL, where transactions wait for nobody but who holds the
same row, one lies before each statement of a writing transaction too, until it
holds some. SQLAlchemy tells of all this; nothing is replaced.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, event, insert, select, text

from pbem.acts.past.chain import find_break
from pbem.archive.verify import verify
from pbem.campaign.proof import prove
from pbem.campaign.table import load_table
from pbem.errors import PbemError
from pbem.house import House, open_house
from pbem.store.models import Base
from pbem.tick import tick
from tests.campaign.acts import Act, attempt
from tests.toy.home import GAMES

LATER = dt.timedelta(days=14)
"""Until the tick that shows whether the campaign goes on."""

KEEPING = -1
"""The point at which the first transaction begins that shall outlive a power cut: there a plan is about to be kept."""


@dataclass
class Points:
    """The points that an act passes; at the one numbered `at`, or at `KEEPING`, something else is done."""

    at: int | None = None
    then: Callable[[], object] = lambda: None
    passed: int = 0
    _kept: bool = False
    _writing: bool = False
    _locked: bool = False
    _aside: bool = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Counts, while the block runs."""
        heard = {"begin": self._begin, "commit": self._end, "rollback": self._end}
        listeners: list[tuple[str, Callable[..., None]]] = [*heard.items(), ("before_cursor_execute", self._statement)]
        for name, listener in listeners:
            event.listen(Engine, name, listener, insert=True)
        try:
            yield
        finally:
            for name, listener in listeners:
                event.remove(Engine, name, listener)

    def _begin(self, connection: Connection) -> None:
        if self._aside or self._writing:
            return
        options = connection.get_execution_options()
        writes = options.get("pbem_writes", False)
        keeps = writes and not self._kept and options.get("pbem_durable", True)
        self._kept = self._kept or keeps
        self._pass(KEEPING if keeps else None)
        self._writing, self._locked = writes, False

    def _end(self, connection: Connection) -> None:
        if not self._aside and connection.get_execution_options().get("pbem_writes", False):
            self._writing = False

    def _statement(self, connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
        if self._writing and not (self._aside or self._locked) and connection.dialect.name == "postgresql":
            self._locked = "FOR UPDATE" in statement or not statement.startswith("SELECT")
            self._pass()

    def _pass(self, name: int | None = None) -> None:
        if self.at is not None and self.at in (self.passed, name):
            self._aside = True
            self.then()
            self._aside = False
        self.passed += 1


@dataclass
class Scene:
    """A home that two processes have open, and how it stood when the curtain rose."""

    one: House
    other: House
    now: dt.datetime
    rows: Mapping[Table, list[dict[str, Any]]]
    archive: Path

    @property
    def is_fast(self) -> bool:
        """Whether there is time for many meetings: on a server each takes twice as long."""
        return self.one.store.engine.dialect.name == "sqlite"

    def points(self, act: Act) -> int:
        """How many points an act passes if nobody meets it."""
        self.restore()
        points = Points()
        with points.watched():
            attempt(act, self.one, self.now)
        return points.passed

    def meet(self, act: Act, other: Act, at: int) -> list[str]:
        """Does an act, and another whole at one of its points; what is wrong with the campaign afterwards."""
        self.restore()
        points = Points(at, lambda: attempt(other, self.other, self.now))
        with points.watched():
            attempt(act, self.one, self.now)
        return faults(self.one, self.now)

    def restore(self) -> None:
        """Brings database and archive back to how they were."""
        with self.one.store.writing() as session:
            _put_back(session.connection(), self.rows)
        archive = self.one.settings.archive
        shutil.rmtree(archive)
        shutil.copytree(self.archive, archive)


def faults(house: House, now: dt.datetime) -> list[str]:
    """What is wrong with the campaign, once a tick has done what was left, and run the turn that is due by then."""
    found = tick(house, now + LATER).problems
    with house.store.reading() as session:
        broken = find_break(session, load_table(session, "toy1"))
    try:
        prove(house, "toy1")
        verify(house.settings.archive, "toy1", games=GAMES)
    except PbemError as error:
        found.append(str(error))
    return [*found, broken.text] if broken else found


@contextmanager
def scene(home: Path, now: dt.datetime) -> Iterator[Scene]:
    """The home in this folder as it stands, for two."""
    archive = home.with_name("archive")
    with ExitStack() as stack:
        one, other = (stack.enter_context(open_house(home, GAMES)) for _ in range(2))
        shutil.copytree(one.settings.archive, archive)
        with one.store.reading() as session:
            tables = Base.metadata.sorted_tables
            rows = {table: [dict(row) for row in session.execute(select(table)).mappings()] for table in tables}
        yield Scene(one, other, now, rows, archive)


def _put_back(connection: Connection, rows: Mapping[Table, list[dict[str, Any]]]) -> None:
    for table in reversed(list(rows)):
        connection.execute(table.delete())
    for table, kept in rows.items():
        if kept:
            connection.execute(insert(table), kept)
        if connection.dialect.name == "postgresql":
            last = max((row["id"] for row in kept), default=0) + 1
            connection.execute(text(f"ALTER SEQUENCE {table.name}_id_seq RESTART WITH {last}"))
