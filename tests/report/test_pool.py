"""Tests of reports rendered by several processes: the same as by one, even if a process dies."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing import active_children
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from pbem.errors import ConfigError
from pbem.log import open_log
from pbem.report import pool, renderer
from pbem.report.facts import RenderedReport
from pbem.report.pool import Job
from pbem.report.renderer import Renderer
from pbem.ruleset import Order, Picture, View, canonical_json
from tests.patience import PATIENCE
from tests.report.toy import TEMPLATES, Fair, facts, seen
from tests.toy.ruleset import Bid

FEW = 3
"""Reports that are rendered without workers in these tests."""


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "FEW", FEW)
    monkeypatch.setattr(renderer, "FEW_DRAWN", FEW)


class Telling(Fair):
    """A fair whose reports say which process has rendered them, which no real game may do."""

    def turn_summary(self, view: View) -> list[str]:
        return [f"made by {os.getpid()}"]


class Deadly(Telling):
    """A fair that kills the worker in which a view is of round 13."""

    home = os.getpid()

    def text_map(self, view: View) -> str:
        if view["round"] == 13 and os.getpid() != self.home:
            os.kill(os.getpid(), signal.SIGKILL)
        return ""


class Stuck(Telling):
    """A fair that hangs the worker in which a view is of round 13."""

    home = os.getpid()

    def text_map(self, view: View) -> str:
        if view["round"] == 13 and os.getpid() != self.home:
            time.sleep(600)
        return ""


class Failing(Fair):
    """A fair that fails at outcomes of orders."""

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> list[str]:
        raise ZeroDivisionError("no coins")


class Smudged(Fair):
    """A fair with a picture that cannot be drawn."""

    def pictures(self, view: View) -> Sequence[Picture]:
        return [Picture("purse", "Your purse", f"<svg{view['round']}", 120, 40)]


def jobs(game: Fair, count: int, **changes: Any) -> list[Job]:
    """Return jobs for so many reports, each of another round."""
    bid = game.parse(seen(), [(1, "BID 3")]).orders
    return [Job(game, canonical_json(seen(round=number, **changes)), facts(), bid) for number in range(count)]


def together(
    game: Fair, count: int, view: Mapping[str, Any] = MappingProxyType({}), **kept: Any
) -> list[RenderedReport]:
    """Return reports that two processes have rendered."""
    with Renderer(TEMPLATES, {game.key: game}, jobs=2, **kept) as shared:
        return list(shared.reports(jobs(game, count, **view)))


def makers(made: Sequence[RenderedReport]) -> list[int]:
    """Return the process that has rendered each report."""
    return [int(json.loads(parts.data)["brief"][0].removeprefix("made by ")) for parts in made]


@pytest.mark.parametrize("number", [2, 3])
def test_the_same_bytes_with_any_number_of_processes(number: int) -> None:
    """Text, HTML, data and pictures are those of one process, in the order of the jobs."""
    wanted = jobs(Fair(), 20)
    with Renderer(TEMPLATES) as one, Renderer(TEMPLATES, {"fair": wanted[0].ruleset}, jobs=number) as several:
        assert list(several.reports(wanted)) == list(one.reports(wanted))


def test_many_reports_are_made_by_as_many_processes_as_wished() -> None:
    """The calling process renders none of many reports."""
    found = set(makers(together(Telling(), 30, pictures=False)))

    assert len(found) == 2
    assert os.getpid() not in found


@pytest.mark.parametrize("pictures", [True, False])
def test_few_reports_of_a_turn_are_made_here(pictures: bool) -> None:
    """Few reports of a turn are rendered here even if workers exist: sending them would take longer."""
    game = Telling()
    with Renderer(TEMPLATES, {"fair": game}, jobs=2, pictures=pictures) as shared:
        found = [set(makers(list(shared.reports(jobs(game, size))))) for size in (2, 2, 6, 2)]

    assert [os.getpid() in each for each in found] == [True, True, False, True]


def test_a_game_that_workers_cannot_know_is_told_here() -> None:
    """A game that is not the one known by its key is rendered here."""
    with Renderer(TEMPLATES, {"fair": Telling()}, jobs=2, pictures=False) as shared:
        assert set(makers(list(shared.reports(jobs(Telling(), 6))))) == {os.getpid()}


def test_views_are_taken_while_workers_work() -> None:
    """Views are taken from the iterator as workers need them, not all before the first report."""
    game, taken = Fair(), []

    def asked() -> Iterator[Job]:
        for job in jobs(game, 40):
            taken.append(job)
            yield job

    with Renderer(TEMPLATES, {"fair": game}, jobs=2, pictures=False) as shared:
        made = shared.reports(asked())
        next(made)
        assert FEW < len(taken) < 20
        assert len(list(made)) == 39


@pytest.mark.parametrize("game", [Deadly(), Stuck()])
@pytest.mark.parametrize("size", [1, 300_000])
def test_a_lost_worker_costs_nothing(game: Telling, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports of a worker that dies or hangs are rendered here, and the rest by others; views may be large."""
    monkeypatch.setattr(pool, "PATIENCE", 1)
    found = makers(together(game, 30, view={"padding": "x" * size}, pictures=False))

    assert len(found) == 30
    assert found[13] == os.getpid()
    assert found[29] != os.getpid()
    assert not active_children()


@pytest.mark.parametrize("allowed", [0, 1])
def test_without_processes_reports_are_made_here(allowed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """If too few processes can be started, this one renders all reports, and ends those that were started."""
    fork, forked = os.fork, list[int]()

    def limited() -> int:
        if len(forked) % (allowed + 1) == allowed:
            forked.append(0)
            raise BlockingIOError
        forked.append(pid := fork())
        return pid

    monkeypatch.setattr(os, "fork", limited)

    assert set(makers(together(Telling(), 6, pictures=False))) == {os.getpid()}
    assert len(forked) > allowed
    assert not active_children()


def test_orders_that_cannot_be_sent_are_reported_here() -> None:
    """Orders that cannot be pickled are rendered here."""

    class Coins(int):
        pass

    game = Telling()
    wanted = [job._replace(orders=(Bid(Coins(3)),)) for job in jobs(game, 6)]
    with Renderer(TEMPLATES, {"fair": game}, jobs=2, pictures=False) as shared:
        assert set(makers(list(shared.reports(wanted)))) == {os.getpid()}


def test_threads_go_on_while_reports_are_made() -> None:
    """Workers that are forked while other threads run are not blocked by their locks."""
    game, over = Telling(), threading.Event()

    def busy() -> None:
        while not over.is_set():
            logging.getLogger("pbem.busy").info("busy")
            json.dumps(seen())

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert os.getpid() not in makers(together(game, 30, pictures=False))
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_a_fault_in_a_template_is_told_as_by_one_process(tmp_path: Path) -> None:
    """An error in a template gives its name and line, and later reports are not affected."""
    (tmp_path / "fair").mkdir()
    broken = (
        '{% extends "host/report.txt.j2" %}{% block knowledge %}\n{% if view.round == 7 %}{{ view.pruse }}{% endif %}'
    )
    (tmp_path / "fair" / "report.txt.j2").write_text(broken + "{% endblock %}")
    game = Fair()

    with Renderer([tmp_path, *TEMPLATES], {"fair": game}, jobs=2, pictures=False) as shared:
        with pytest.raises(ConfigError, match=r"the template fair/report.txt.j2, line 2 cannot be used: .*'pruse'"):
            list(shared.reports(jobs(game, 20)))
        assert len(list(shared.reports(jobs(game, 5)))) == 5


def test_a_fault_in_a_game_is_told_as_by_one_process() -> None:
    """An exception of the game comes out with its place in the game."""
    with pytest.raises(ZeroDivisionError, match="no coins") as fault:
        together(Failing(), 9, pictures=False)

    assert fault.traceback[-1].name == "order_outcomes"


def test_a_picture_not_drawn_stands_in_the_log(tmp_path: Path) -> None:
    """Log records of workers are written to the log, each once."""
    with open_log(tmp_path / "log"):
        made = together(Smudged(), 5)

    told = [json.loads(line)["event"] for line in (tmp_path / "log").read_text().splitlines()]
    assert told == ["picture not drawn"] * 5
    assert [parts.pictures[0].png for parts in made] == [None] * 5


def test_workers_hold_no_lock_of_the_house(tmp_path: Path) -> None:
    """A file locked by this process is free when it unlocks it, although workers were forked meanwhile."""
    game = Fair()
    with Renderer(TEMPLATES, {"fair": game}, jobs=2, pictures=False) as shared:
        with (tmp_path / "lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            list(shared.reports(jobs(game, 6)))
        with (tmp_path / "lock").open("w") as again:
            fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_to_the_whole_group_take_no_report(number: signal.Signals) -> None:
    """SIGINT and SIGTERM to workers too, as terminals and systemd send them, lose no report."""
    game = Telling()
    with Renderer(TEMPLATES, {"fair": game}, jobs=2, pictures=False) as shared:
        made = shared.reports(jobs(game, 30))
        first = [next(made) for _ in range(8)]
        for maker in set(makers(first)):
            os.kill(maker, number)
        rest = [parts.text for parts in made]

    with Renderer(TEMPLATES, pictures=False) as one:
        assert len(rest) == 22
        assert [_anonymous(text) for text in rest] == [
            _anonymous(parts.text) for parts in one.reports(jobs(game, 30)[8:])
        ]


def _anonymous(text: str) -> str:
    """Return the text of a report without the process that made it."""
    return _MADE_BY.sub("", text)


_MADE_BY = re.compile(r"made by \d+")


def test_what_is_cut_short_is_not_taken_for_the_next() -> None:
    """If an exception interrupts a turn at any line, the next turn has its own reports."""

    class Cut(BaseException):
        pass

    def asked() -> Iterator[Job]:
        yield from jobs(game, 12)
        raise Cut

    game = Fair()
    others = jobs(game, 12, purse=7)
    with Renderer(TEMPLATES, {"fair": game}, jobs=2, pictures=False) as shared:
        with pytest.raises(Cut):
            list(shared.reports(asked()))
        with Renderer(TEMPLATES, pictures=False) as one:
            assert list(shared.reports(others)) == list(one.reports(others))


def test_a_reporter_closed_meanwhile_goes_on() -> None:
    """Reports that its workers have not answered when a renderer is closed are not lost."""
    game = Telling()
    with Renderer(TEMPLATES, {"fair": game}, jobs=2, pictures=False) as shared:
        made = shared.reports(jobs(game, 9))
        next(made)
        shared.close()

        assert len(list(made)) == 8


def test_closing_leaves_no_process() -> None:
    """Closing a renderer ends its workers and their painters, even with jobs pending."""
    game = Telling()
    with Renderer(TEMPLATES, {"fair": game}, jobs=2) as shared:
        made = shared.reports(jobs(game, 30))
        workers = {*makers([next(made) for _ in range(6)])}
        painters = {child for pid in workers for child in children(pid)}

    assert (len(workers), len(painters)) == (2, 2)
    assert workers.isdisjoint(children(os.getpid()))  # not even as zombies
    wait_for_end(painters)


def test_a_killed_house_leaves_no_process() -> None:
    """Workers and painters end when their parent is killed."""
    script = "from tests.report.test_pool import linger; linger()"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        pids = list(map(int, app.stdout.readline().split()))
        app.kill()

    assert len(pids) == 4
    wait_for_end(pids)


def linger() -> None:
    """Start workers, print the ids of all processes, and wait for the end."""
    game = Telling()
    with Renderer(TEMPLATES, {"fair": game}, jobs=2) as shared:
        workers = set(makers(list(shared.reports(jobs(game, renderer.FEW_DRAWN + 9)))))
        print(*workers, *(child for pid in workers for child in children(pid)), flush=True)
        time.sleep(600)


def children(pid: int) -> list[int]:
    """Return the child processes of a process."""
    with suppress(OSError):
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    return []


def wait_for_end(pids: Iterable[int]) -> None:
    """Wait until none of these processes is alive."""
    end = time.monotonic() + PATIENCE
    while any(map(alive, pids)):
        assert time.monotonic() < end
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Return True if a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
