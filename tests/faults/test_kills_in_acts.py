"""Tests of actions of a GM that are killed at each commit, and in a row: the archive proves all turns."""

from __future__ import annotations

import dataclasses
import datetime as dt
import random
from functools import partial
from pathlib import Path

import pytest

from pbem.app import App, open_app
from tests.actions.acts import STAGES, attempt, come
from tests.actions.ending import ending
from tests.actions.meeting import faults
from tests.faults.local import copy_home
from tests.faults.night import points_of, tick_in_a_process
from tests.toy.home import open_desk

PAST = (
    "run",
    "tick",
    "rollback by one",
    "rollback by two",
    "undo",
    "rerun",
    "rerun with a sheet",
    "patch",
    "preview",
)


KILLED = [(name, act) for name, stage in STAGES.items() for act in stage.overtaken]


@pytest.fixture(scope="module")
def stages(folder: Path) -> dict[str, tuple[Path, dt.datetime]]:
    """Return a home of each stage, and its time."""
    prepared = {}
    for name, stage in STAGES.items():
        home = folder / name / "home"
        with open_desk(home, games=stage.games) as desk:
            prepared[name] = home, stage.prepare(desk)
    return prepared


def do(name: str, act: str, app: App, now: dt.datetime) -> None:
    """Attempt an action of a stage by its name."""
    ours = dataclasses.replace(app, games=STAGES[name].games)
    come(STAGES[name].acts[act], ours, now)
    attempt(STAGES[name].acts[act], ours, now)


KNOWN: dict[str, list[str]] = {}
"""The faults of each end state so far; many kills lead to the same one."""


def left(name: str, home: Path, now: dt.datetime) -> list[str]:
    """Return the faults of a home after its next, undisturbed ticks."""
    with open_app(home, STAGES[name].games) as app:
        end = ending(app)
        if end not in KNOWN:
            attempt(STAGES[name].after, app, now)
            KNOWN[end] = faults(app, now)
        return KNOWN[end]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "act"), KILLED)
def test_a_kill_at_any_commit_of_an_act(stages: dict[str, tuple[Path, dt.datetime]], name: str, act: str) -> None:
    """The action is done or not done, and archive and mail are completed later."""
    (home, now), work = stages[name], partial(do, name, act)
    passed = tick_in_a_process(copy_home(home, "copy"), now=now, work=work).passed
    found = {}
    for at in points_of("commit", passed):
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at, now=now, work=work).code == -9
        found[f"{at} {passed[at]}"] = left(name, copy, now)

    assert {point: wrong for point, wrong in found.items() if wrong} == {}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_acts_killed_one_after_the_other(stages: dict[str, tuple[Path, dt.datetime]], seed: int) -> None:
    """A dozen actions on the past, most of them killed somewhere, leave no faults."""
    assert STAGES["running"].acts.keys() >= set(PAST)  # whichever are chosen
    home, now = stages["running"]
    copy, chance = copy_home(home, "copy"), random.Random(seed)
    for number in range(12):
        at, work = chance.randrange(30), partial(do, "running", chance.choice(PAST))
        ended = tick_in_a_process(copy, at=at, now=now + number * dt.timedelta(days=1), work=work)
        assert ended.code in (0, -9)

    assert left("running", copy, now + dt.timedelta(days=14)) == []
