"""Two actions on one campaign at once: the second is done completely at a chosen point of the first.

There is a point before each transaction of the first action, unless it is writing
already. On PostgreSQL, where transactions wait only for a holder of the same row,
there is one before each statement of a writing transaction too, until it holds
some row. Points are found by events of SQLAlchemy; nothing is replaced.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from pbem.actions.withdrawal import find_inconsistency
from pbem.app import App, open_app
from pbem.archive.verify import verify
from pbem.campaign.archive_sync import prove_archive
from pbem.campaign.snapshot import load_campaign
from pbem.errors import PbemError
from pbem.scheduler.tick import tick
from tests.actions.acts import Stage, attempt, come
from tests.actions.ending import ending
from tests.actions.rewinding import kept_rows, rewind_archive

LATER = dt.timedelta(days=14)
"""The time until the tick that shows whether the campaign goes on."""

KEEPING = -1
"""The point before the first durable transaction, in which a plan is about to be stored."""


@dataclass
class Points:
    """The points that an action passes; at number `at`, or at `KEEPING`, something else is done."""

    at: int | None = None
    then: Callable[[], object] = lambda: None
    passed: int = 0
    before_kept: int = 0
    kept: bool = False
    _writing: bool = False
    _locked: bool = False
    _aside: bool = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count points until the end of the block."""
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
        keeps = writes and not self.kept and options.get("pbem_durable", True)
        self.kept = self.kept or keeps
        self.before_kept += not self.kept
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
    """A home that two processes have open, and its state at the beginning."""

    stage: Stage
    one: App
    other: App
    now: dt.datetime
    rewind_rows: Callable[[], object]
    archive: Path
    known: dict[str, list[str]] = field(default_factory=dict)
    """The faults of each end reached so far; many meetings have the same one."""

    def points(self, act: str) -> int:
        """Return how many points an action passes alone."""
        return self._done(act, Points()).passed

    def looks(self, act: str) -> int:
        """Return how many transactions an action begins before the one that stores something, 0 if none does."""
        points = self._done(act, Points())
        return points.before_kept if points.kept else 0

    def meet(self, act: str, other: str, at: int) -> list[str]:
        """Do an action, and another at one of its points; return what is wrong with the campaign afterwards."""

        def overtake() -> None:
            come(self.stage.acts[other], self.other, self.now)
            attempt(self.stage.acts[other], self.other, self.now)

        self._done(act, Points(at, overtake))
        end = ending(self.one)
        if end not in self.known:
            attempt(self.stage.after, self.one, self.now)
            self.known[end] = faults(self.one, self.now)
        return self.known[end]

    def _done(self, act: str, points: Points) -> Points:
        self.rewind_rows()
        rewind_archive(self.archive, self.one.settings.archive)
        come(self.stage.acts[act], self.one, self.now)
        with points.watched():
            attempt(self.stage.acts[act], self.one, self.now)
        return points


def faults(app: App, now: dt.datetime) -> list[str]:
    """Return what is wrong with the campaign after a tick that does all that is left and runs the turn due by then."""
    found = tick(app, now + LATER).problems
    with app.store.reading() as session:
        snapshot = load_campaign(session, "toy1")
        begun = snapshot.status != "forming"
        broken = find_inconsistency(session, snapshot) if begun else None
    try:
        if begun:
            prove_archive(app, "toy1")
            verify(app.settings.archive, "toy1", games=app.games)
    except PbemError as error:
        found.append(str(error))
    return [*found, broken] if broken else found


@contextmanager
def context(stage: Stage, home: Path, now: dt.datetime) -> Iterator[Scene]:
    """Open the home in this folder for two, and keep a copy of its state."""
    archive = home.with_name("archive")
    with ExitStack() as stack:
        one, other = (stack.enter_context(open_app(home, stage.games)) for _ in range(2))
        one.settings.archive.mkdir(exist_ok=True)
        shutil.copytree(one.settings.archive, archive)
        yield Scene(stage, one, other, now, stack.enter_context(kept_rows(one.store.engine)), archive)
