"""The acts of a GM are killed at each commit, and in a row: the turns hang together, and the archive proves it."""

from __future__ import annotations

import datetime as dt
import random
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from pbem.house import House, open_house
from tests.campaign.acts import ACTS, attempt, set_the_stage
from tests.campaign.meeting import faults
from tests.faults.local import copy_home
from tests.faults.night import GAMES, tick_in_a_process
from tests.toy.home import open_desk

PAST = (
    "run",
    "tick",
    "rollback by one",
    "rollback by two",
    "forward",
    "rerun",
    "rerun with a sheet",
    "patch",
    "preview",
)


@pytest.fixture(scope="module")
def stage(folder: Path) -> tuple[Path, dt.datetime]:
    """A home whose turn is due, and the moment."""
    home = folder / "stage"
    with open_desk(home) as desk:
        now = set_the_stage(desk)
    return home, now


def do(name: str, house: House, now: dt.datetime) -> None:
    """An act by its name; what it refuses is a sentence."""
    attempt(ACTS[name], house, now)


def left(home: Path, now: dt.datetime) -> list[str]:
    """What is wrong in a home that is left in peace now."""
    with open_house(home, GAMES) as house:
        return faults(house, now)


@pytest.mark.parametrize("act", ACTS)
def test_a_kill_at_any_commit_of_an_act(stage: tuple[Path, dt.datetime], act: str) -> None:
    """The act is done or not done, and what it left undone of archive and mail is made good."""
    home, now = stage
    passed = tick_in_a_process(copy_home(home, "copy"), now=now, work=partial(do, act)).passed
    found = {}
    for at, (before, name) in enumerate(pairwise(["", *passed])):
        if name.startswith("commit") and (before, name) != ("commit: after", "commit: before"):
            copy = copy_home(home, "copy")
            assert tick_in_a_process(copy, at=at, now=now, work=partial(do, act)).code == -9
            found[f"{at} {name}"] = left(copy, now)

    assert {point: wrong for point, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("seed", range(3))
def test_acts_killed_one_after_the_other(stage: tuple[Path, dt.datetime], seed: int) -> None:
    """A dozen acts on the past, most of them killed somewhere, each in what those before have left."""
    home, now = stage
    copy, chance = copy_home(home, "copy"), random.Random(seed)
    for number in range(12):
        act, at = chance.choice(PAST), chance.randrange(30)
        ended = tick_in_a_process(copy, at=at, now=now + number * dt.timedelta(days=1), work=partial(do, act))
        assert ended.code in (0, -9)

    assert left(copy, now + dt.timedelta(days=14)) == []
