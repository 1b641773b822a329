"""The reports of a large turn, made together by several: the same as by one, whatever becomes of the others."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest
from sqlalchemy import func, select, text

from pbem.errors import ConfigError
from pbem.house import House
from pbem.report import Job, Reporter, ReportParts
from pbem.ruleset import View, canonical
from pbem.store import Store
from pbem.store.models import Batch
from pbem.store.waking import Queue, Work
from pbem.working import batches
from pbem.working.batches import TogetherMaker, forget_batches, make_batch
from tests.patience import PATIENCE
from tests.report.toy import TEMPLATES, Fair, facts, seen
from tests.toy.home import Desk
from tests.working.crew import waiting

MANY = 30


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "IN_BATCH", 3)
    monkeypatch.setattr(batches, "WORTH_IT", 6)


class Telling(Fair):
    """A fair whose reports tell by which thread they were made: harmless here, and never in a game."""

    def brief(self, view: View) -> list[str]:
        return [f"made by {threading.current_thread().name}"]


class Faulty(Fair):
    """A fair that cannot be told where the helper is."""

    def text_map(self, view: View) -> str:
        if threading.current_thread().name == "helper":
            raise ZeroDivisionError("only here")
        return super().text_map(view)


class Newer(Telling):
    """A fair of the next version."""

    version = Fair.version + 1


@contextmanager
def house_of(desk: Desk, game: Fair) -> Iterator[House]:
    """A machine that has this game, on the desk's database."""
    games = {"fair": game}
    store = Store(str(desk.house.store.engine.url.render_as_string(hide_password=False)))
    with closing(store), Reporter(TEMPLATES, games, pictures=False) as reporter:
        yield replace(desk.house, store=store, games=games, reporter=reporter)


def jobs(game: Fair, count: int) -> list[Job]:
    """So many reports to be made, each of another view, with an order."""
    orders = game.parse(seen(), [(1, "BID 3")]).orders
    return [Job(game, canonical(seen(round=number)), facts(code=f"code{number}"), orders) for number in range(count)]


def alone(game: Fair, wanted: list[Job]) -> list[ReportParts]:
    """The same reports, made by one."""
    with Reporter(TEMPLATES, {"fair": game}, pictures=False) as reporter:
        return list(reporter.reports(wanted))


@contextmanager
def helping(desk: Desk, game: Fair, begun: threading.Event | None = None) -> Iterator[None]:
    """Another machine, as a thread that makes batches from the first on until the block has ended."""
    over = threading.Event()

    def work() -> None:
        with house_of(desk, game) as house:
            while not over.is_set():
                with house.store.reading() as session:
                    numbers = session.scalars(select(Batch.id).where(Batch.answer.is_(None)).order_by(Batch.id)).all()
                for number in numbers:
                    make_batch(house, number)
                    if begun is not None:
                        begun.set()

    thread = threading.Thread(target=work, name="helper")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def together(desk: Desk, game: Fair, wanted: list[Job], helpers: Callable[[], int] = lambda: 1) -> list[ReportParts]:
    """The reports as the worker has them that runs the turn."""
    with house_of(desk, game) as house:
        return list(TogetherMaker(house, helpers).reports(wanted))


def left(desk: Desk) -> int:
    """How many batches lie in the database."""
    with desk.house.store.reading() as session:
        return session.scalar(select(func.count(Batch.id))) or 0


def makers(made: list[ReportParts]) -> set[str]:
    """The threads by which reports say they were made."""
    return {word for parts in made for word in ("MainThread", "helper") if f"made by {word}" in parts.text}


def test_two_make_the_same_reports_as_one(desk: Desk) -> None:
    """Byte for byte, in their order; and nothing of it stays in the database."""
    game = Fair()
    with helping(desk, game):
        made = together(desk, game, jobs(game, MANY))

    assert made == alone(game, jobs(game, MANY))
    assert left(desk) == 0


def test_both_take_part(desk: Desk) -> None:
    """Who asks does not wait for the other, and the other does not wait for him."""
    game, begun = Telling(), threading.Event()

    def wanted() -> Iterator[Job]:
        for number, job in enumerate(jobs(game, MANY)):
            if number == MANY - 3:  # the helper has had its chance, on whatever machine
                assert begun.wait(PATIENCE)
            yield job

    with helping(desk, game, begun), house_of(desk, game) as house:
        made = list(TogetherMaker(house, lambda: 1).reports(wanted()))

    assert makers(made) == {"MainThread", "helper"}


def test_others_are_told_of_each_batch(desk: Desk) -> None:
    """There is a job for each, which comes to nothing when all is made."""
    game = Fair()
    with house_of(desk, game) as house:
        made = TogetherMaker(replace(house, store=desk.house.store), lambda: 1).reports(jobs(game, 7))
        next(made)
        told = [work for work in waiting(desk.house) if work.queue == Queue.REPORTS]
        list(made)
        for work in told:
            make_batch(house, int(work.lane))

    assert len(told) == 3
    assert Work(Queue.REPORTS, "1") in told


def test_who_dies_is_not_waited_for(desk: Desk) -> None:
    """One that has begun a batch, and whose connection ends, leaves it to whoever asked."""
    game = Fair()
    with house_of(desk, game) as house:
        other = house.store.engine.connect()

        def wanted() -> Iterator[Job]:
            yield from jobs(game, MANY)
            other.execute(text("SELECT id FROM batch ORDER BY id LIMIT 1 FOR UPDATE"))
            threading.Timer(0.5, other.invalidate).start()

        made = list(TogetherMaker(house, lambda: 1).reports(wanted()))

    assert made == alone(game, jobs(game, MANY))


def test_a_fault_elsewhere_is_left_to_who_asked(desk: Desk) -> None:
    """What cannot be told on one machine may be told on another."""
    game, begun = Faulty(), threading.Event()

    def wanted() -> Iterator[Job]:
        for number, job in enumerate(jobs(game, MANY)):
            if number == MANY - 3:
                assert begun.wait(PATIENCE)
            yield job

    with helping(desk, game, begun), house_of(desk, game) as house:
        made = list(TogetherMaker(house, lambda: 1).reports(wanted()))

    assert made == alone(game, jobs(game, MANY))


def test_a_fault_of_the_game_is_told_where_the_turn_is_run(desk: Desk) -> None:
    """The same error as without others; and its batches are thrown away."""

    class Untold(Fair):
        def text_map(self, view: View) -> str:
            raise ZeroDivisionError("everywhere")

    game = Untold()
    with helping(desk, game), pytest.raises(ZeroDivisionError, match="everywhere"):
        together(desk, game, jobs(game, MANY))
    assert left(desk) == 0


def test_another_version_of_the_game_makes_nothing(desk: Desk) -> None:
    """A machine that was not upgraded with the others does no harm."""
    begun = threading.Event()

    def wanted() -> Iterator[Job]:
        for number, job in enumerate(jobs(Telling(), MANY)):
            if number == MANY - 3:
                assert begun.wait(PATIENCE)
            yield job

    with helping(desk, Newer(), begun), house_of(desk, Telling()) as house:
        made = list(TogetherMaker(house, lambda: 1).reports(wanted()))

    assert makers(made) == {"MainThread"}


@pytest.mark.parametrize(("count", "others"), [(6, 1), (MANY, 0)])
def test_nobody_is_asked_for_little_or_where_nobody_is(desk: Desk, count: int, others: int) -> None:
    """Then nothing is written to the database."""
    with house_of(desk, Fair()) as house:
        made = TogetherMaker(house, lambda: others).reports(jobs(Fair(), count))
        next(made)
        assert left(desk) == 0


def test_what_a_dead_worker_asked_for_is_thrown_away(desk: Desk) -> None:
    """After a day."""
    with desk.house.store.writing() as session:
        for days in (0, 2):
            session.add(Batch(made_at=desk.now - dt.timedelta(days=days), request=b""))
    forget_batches(desk.house.store, desk.now)

    assert left(desk) == 1


def test_a_template_that_cannot_be_used_is_told_by_name(desk: Desk) -> None:
    """As by one."""
    game = Fair()
    with house_of(desk, game) as house, Reporter([], {"fair": game}, pictures=False) as bare:
        poor = TogetherMaker(replace(house, reporter=bare), lambda: 1)
        with pytest.raises(ConfigError, match=r"the template fair/report.txt.j2 is missing|events.j2 is missing"):
            list(poor.reports(jobs(game, MANY)))
