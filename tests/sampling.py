"""Sampling of long tests: a run takes some of their cases, others each day, and all of them with `--all`.

The seed is the number of the day. Cases are taken in turn, so on as many days
as it takes each of them is run. A test that searches long for what others show
with an example is marked `in_turn`, and run on one day of three. `--sample-seed` repeats the run of a day.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import pytest

Case = TypeVar("Case")

_GOLDEN = 0.6180339887498949
"""Multiples of it, less their whole part, spread evenly however many there are: neighbours are never taken alone."""


IN_TURN = 3
FEW = 3
"""Of so few tests marked `in_turn` all are run, as when one is asked for by its name."""


@dataclass(frozen=True)
class Sampler:
    """The choice of cases that a run takes."""

    seed: int
    everything: bool

    def sample(self, cases: Sequence[Case], count: int) -> list[Case]:
        """Return `count` of the cases in their order, spread evenly; the next seed takes the next ones.

        It depends on the number of cases and the seed alone, so all workers take the same.
        """
        if self.everything or count >= len(cases):
            return list(cases)
        spread = sorted(range(len(cases)), key=lambda number: number * _GOLDEN % 1)
        taken = {spread[(self.seed * count + number) % len(cases)] for number in range(count)}
        return [case for number, case in enumerate(cases) if number in taken]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of sampling."""
    parser.addoption("--all", action="store_true", dest="everything", help="run all cases of sampled tests")
    parser.addoption("--sample-seed", type=int, metavar="N", help="take the cases of this seed, not those of the day")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed, once for all workers: xdist hands them the options of the process that starts them."""
    config.addinivalue_line("markers", "sampled(count): run this many of the test's parameter sets, others each day")
    config.addinivalue_line("markers", "in_turn(group): run a third of these tests, or groups of them, others each day")
    if config.option.sample_seed is None:
        config.option.sample_seed = dt.datetime.now(dt.UTC).date().toordinal()


def pytest_report_header(config: pytest.Config) -> str:
    """Say which cases are taken."""
    seed = config.option.sample_seed
    return "samples: all cases" if config.option.everything else f"samples: repeat them with --sample-seed {seed}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Repeat it after failures, where it is wanted, and `-q` has no header."""
    if {"failed", "error"} & terminalreporter.stats.keys():
        terminalreporter.write_line(pytest_report_header(config))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases of sampled tests that are not taken."""
    tests: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            tests[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    sampler = make_sampler(config)
    taken = {item for (_, count), cases in tests.items() for item in sampler.sample(cases, count)}
    left = {item for cases in tests.values() for item in cases if item not in taken}
    in_turn: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item not in left and (mark := item.get_closest_marker("in_turn")):
            in_turn[mark.args[0] if mark.args else item.nodeid].append(item)
    today = sampler.sample([*in_turn], max(FEW, len(in_turn) // IN_TURN))
    left |= {item for name, group in in_turn.items() if name not in today for item in group}
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]


def make_sampler(config: pytest.Config) -> Sampler:
    """Return the sampler of a run."""
    return Sampler(config.option.sample_seed, config.option.everything)


@pytest.fixture(scope="session")
def sampler(request: pytest.FixtureRequest) -> Sampler:
    """Return the sampler of the run, for tests that go through their cases by themselves."""
    return make_sampler(request.config)
