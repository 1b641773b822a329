"""Tests that sampling leaves nothing out for long, and takes the same cases everywhere."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import Sampler

DAY = 739_944
MODULE = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(7))
def test_one(number):
    assert number != 5

@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(2))
def test_other(number):
    pass

@pytest.mark.in_turn
@pytest.mark.parametrize("number", range(12))
def test_long(number):
    pass

@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", range(5))
def test_both(number):
    pass
"""


@pytest.mark.parametrize(("cases", "count"), [(1, 1), (7, 2), (60, 6), (68, 18), (366, 40), (5, 9)])
def test_each_case_has_its_day(cases: int, count: int) -> None:
    """On as many days in a row as it takes, each case is taken; on each day, as many as are asked for, in order."""
    days = [Sampler(DAY + day, everything=False).sample(range(cases), count) for day in range(-(-cases // count))]

    assert set().union(*days) == set(range(cases))
    assert {len(day) for day in days} == {min(count, cases)}
    assert all(day == sorted(day) for day in days)


def test_cases_of_a_day_are_spread() -> None:
    """Neighbours, such as points of the same transaction, are not taken together."""
    taken = Sampler(DAY, everything=False).sample(range(60), 6)

    assert min(later - earlier for earlier, later in itertools.pairwise(taken)) > 3


def test_all_cases_can_be_asked_for() -> None:
    """With --all nothing is left out."""
    assert Sampler(DAY, everything=True).sample("abcdefg", 2) == [*"abcdefg"]


def run(folder: Path, *options: str) -> str:
    """Return the output of pytest on the module above."""
    (folder / "conftest.py").write_text('pytest_plugins = ["tests.sampling"]\n')
    (folder / "test_few.py").write_text(MODULE)
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--rootdir", str(folder), *options]
    return subprocess.run([*command, str(folder)], cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_takes_the_cases_of_its_seed(tmp_path: Path, workers: str) -> None:
    """Workers take those of the process that starts them, and the header says how to repeat it."""
    output = run(tmp_path, "-n", workers, "--sample-seed", "3")

    sampled = [f"test_one[{number}]" for number in Sampler(3, everything=False).sample(range(7), 2)]
    taken = {*sampled, "test_other[0]", "test_other[1]", "test_long[2]", "test_long[7]", "test_both[1]"}
    assert {*re.findall(r"test_\w+\[\d+\]", output)} == taken
    assert output.count("samples: repeat them with --sample-seed 3\n") == 1 + (" failed" in output)


def test_each_turn_takes_another_case(tmp_path: Path) -> None:
    """A test that is sampled and run in turn is run each fifth day, and then another of its cases is."""
    days = [re.findall(r"test_both\[(\d)\]", run(tmp_path, "--co", "--sample-seed", f"{day}")) for day in (3, 4, 8)]

    assert [len(day) for day in days] == [1, 0, 1]
    assert days[0] != days[2]


def test_all_cases_are_run_and_a_failure_repeats_how(tmp_path: Path) -> None:
    """With --all a run says so, once more after a failure."""
    output = run(tmp_path, "--all")

    assert "1 failed, 25 passed" in output
    assert output.count("samples: all cases\n") == 2
