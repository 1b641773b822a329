"""Every act meets every other: afterwards there is one unbroken chain of turns, and an archive that proves it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.campaign.acts import ACTS, PLANNED, SHARP, SHARPEST, set_the_stage
from tests.campaign.meeting import KEEPING, Scene, scene
from tests.servers.postgres import PostgresServer
from tests.toy.home import open_desk


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A campaign whose turn is due, on each database in turn."""
    home = tmp_path_factory.mktemp("stage") / "home"
    with ExitStack() as stack:
        url = ""
        if request.param == "postgresql":
            server: PostgresServer = request.getfixturevalue("_postgres")
            # Acts that wait for one another fail, instead of waiting for ever.
            url = stack.enter_context(server.fresh_database()) + "?options=-clock_timeout%3D5s"
        with open_desk(home, database=url) as desk:
            now = set_the_stage(desk)
        yield stack.enter_context(scene(home, now))


@pytest.mark.parametrize("act", ACTS)
def test_an_act_that_is_overtaken_before_it_is_kept(stage: Scene, act: str) -> None:
    """Whatever is done between an act's look and its keeping, it finds what it was planned for, or plans anew."""
    others = SHARP if stage.is_fast and act in PLANNED else SHARPEST
    found = {other: stage.meet(ACTS[act], SHARP[other], KEEPING) for other in others}

    assert {other: wrong for other, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("act", ACTS)
def test_an_act_that_is_overtaken_anywhere(stage: Scene, act: str) -> None:
    """Before or after it is kept: at each of its points it meets one of those that change turns, another each time."""
    others = itertools.islice(itertools.cycle(SHARP), list(ACTS).index(act), None)
    met = list(zip(range(stage.points(ACTS[act])), others, strict=False))
    found = {(at, other): stage.meet(ACTS[act], SHARP[other], at) for at, other in met}

    assert {where: wrong for where, wrong in found.items() if wrong} == {}
