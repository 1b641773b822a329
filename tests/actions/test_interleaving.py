"""Every action meets every other: afterwards the chain of turns is consistent, and the archive proves it.

An action that is planned before the campaign is locked meets all others at that
point. What is decided under the lock has read nothing before, so whatever overtakes
it there has simply been done before it; it meets the two actions that change most.
An action that has read something but the campaign meets those that change turns;
so do all plans on PostgreSQL, where a plan finds changes as on SQLite. A usual run
takes some actions, and some of their meetings, others each day; with `pytest --all`
everything meets everything everywhere.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack

import pytest

from tests.actions.acts import STAGES
from tests.actions.meeting import KEEPING, Scene, context
from tests.sampling import Sampler
from tests.servers.postgres import PostgresServer
from tests.servers.processes import server_folder
from tests.toy.home import open_desk

ON_STAGE = [
    pytest.param((stage, database), act, id=f"{database}-{stage}-{act}")
    for database in ("sqlite", "postgresql")
    for stage in STAGES
    for act in STAGES[stage].overtaken
]
ACTS_TAKEN = 2
"""Actions that are overtaken in a usual run."""

MEETINGS_TAKEN = 3
"""Meetings of such an action anywhere."""


@pytest.fixture(scope="module")
def scenes() -> Iterator[tuple[dict[tuple[str, str], Scene], ExitStack]]:
    """Yield the scenes made so far, and the stack that closes them: each is made once for all tests on it."""
    with ExitStack() as stack:
        yield {}, stack


@pytest.fixture
def on(request: pytest.FixtureRequest, scenes: tuple[dict[tuple[str, str], Scene], ExitStack]) -> Scene:
    """Return a campaign on a stage and database. Pytest would make it again for each pair of it and an action."""
    known, stack = scenes
    if request.param not in known:
        known[request.param] = _set(request, stack)
    return known[request.param]


def _set(request: pytest.FixtureRequest, stack: ExitStack) -> Scene:
    name, database = request.param
    stage, url = STAGES[name], ""
    home = stack.enter_context(server_folder("stage")) / "home"
    if database == "postgresql":
        server: PostgresServer = request.getfixturevalue("_postgres")
        # Actions that wait for each other fail instead of waiting for ever.
        url = stack.enter_context(server.fresh_database()) + "?options=-clock_timeout%3D5s"
    with open_desk(home, database=url, games=stage.games) as desk:
        now = stage.prepare(desk)
    return stack.enter_context(context(stage, home, now))


@pytest.fixture(autouse=True)
def _unlogged(caplog: pytest.LogCaptureFixture) -> None:
    """Keep no log: its records would hold the frames of refused actions, with all that those had read."""
    caplog.set_level(logging.CRITICAL + 1, "pbem.log")


def wrong(on: Scene, act: str, meetings: Iterable[tuple[int, str]]) -> dict[tuple[int, str], list[str]]:
    """Return what is wrong after an action has met others, each at a point."""
    found = {(at, other): on.meet(act, other, at) for at, other in meetings}
    return {meeting: faults for meeting, faults in found.items() if faults}


@pytest.mark.sampled(ACTS_TAKEN)
@pytest.mark.parametrize(("on", "act"), ON_STAGE, indirect=["on"])
def test_an_act_that_is_overtaken_before_it_is_kept(on: Scene, act: str, sampler: Sampler) -> None:
    """An action that is overtaken between plan and commit finds what it was planned for, or is planned again."""
    stage = on.stage
    in_full = act in stage.planned and on.one.store.engine.dialect.name == "sqlite"
    some = stage.sharp if act in (*stage.planned, *stage.looking) else stage.sharpest
    others = stage.acts if in_full or sampler.everything else some

    assert wrong(on, act, [(KEEPING, other) for other in others]) == {}


@pytest.mark.sampled(ACTS_TAKEN)
@pytest.mark.parametrize(("on", "act"), ON_STAGE, indirect=["on"])
def test_what_is_not_planned_before_is_decided_under_the_lock(on: Scene, act: str) -> None:
    """Such an action begins no transaction before the one that locks the campaign: nothing can overtake it."""
    assert act in (*on.stage.planned, *on.stage.looking) or on.looks(act) == 0


@pytest.mark.sampled(ACTS_TAKEN)
@pytest.mark.parametrize(("on", "act"), ON_STAGE, indirect=["on"])
def test_an_act_that_is_overtaken_anywhere(on: Scene, act: str, sampler: Sampler) -> None:
    """At any of its points, before or after its commit, an action meets any other one."""
    meetings = [*itertools.product(range(on.points(act)), on.stage.acts)]

    assert wrong(on, act, sampler.sample(meetings, MEETINGS_TAKEN)) == {}
